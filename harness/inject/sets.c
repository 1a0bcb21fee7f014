/* The sets of metrics, each of which the chip counts in one pass, and which of them is counted now.
 *
 * In the program's first run the set changes while the program runs. A count that two launches give alike is known, so
 * a set needs two of each group, and more where they differ. A process leaves a set when no group that is still to be
 * expected needs it: one that was launched longer ago than any came back so far is not. A change costs 0.2 s, so it
 * takes more launches without need of the set each time that all were counted. Set 0, which has time and instructions,
 * is home: where no set lacks anything any more, launches of a new kind find it. All of this follows from the sequence
 * of launches and their counts alone, so a program that repeats is counted alike each time, until counting has taken
 * its time (process_may_count()). */
#include "sets.h"

enum {
    PATIENCE = 16,   /* launches in a row, without need of the set, that it takes at first to leave it */
    CHANGES_MAX = 12 /* how often a process changes the set, since a program may have something new in each step */
};

static struct {
    struct metrics *list; /* their strings are borrowed */
    bool *blind;          /* for each set, whether it has instrumented counters only */
    size_t count;         /* 0: they are not made yet */
    size_t now, next;     /* indexes of the set that is counted, and of the one to change to */
    bool change;          /* they do while the program runs */
    size_t launches;      /* since this set began */
    size_t needed;        /* of these, those up to the last that was to be counted in this set */
    size_t most;          /* the most that was needed of any set, */
    size_t longest;       /* and the longest time, in launches, after which a group came back that needed one */
    size_t followed;      /* launches that might be measured */
    size_t changes;
} sets;

/* ---- Making them ---- */

/* Returns whether the chip counts the metrics in one pass over a kernel. *instrumented, if it is not NULL, says whether
 * all of them take instrumented code. */
static bool is_one_pass(const char *chip, const uint8_t *availability, const struct metrics *metrics,
                        bool *instrumented)
{
    struct counters counters;
    struct problem ignored;
    if (counters_open(&counters, chip, availability, metrics, &ignored) < 0)
        return false;
    const bool one = counters.passes <= 1;
    bool all = true;
    for (size_t m = 0; m < metrics->count; m++)
        all = all && counters.names[m] && counter_split(counters.names[m]).instrumented;
    if (instrumented)
        *instrumented = all;
    counters_close(&counters);
    return one;
}

/* Puts each metric into the first set that, with it, still needs only one pass. A metric that the chip lacks is in
 * none. */
static void make(const char *chip, const uint8_t *availability, const struct metrics *metrics)
{
    for (size_t m = 0; m < metrics->count; m++) {
        const struct metrics alone = {.list = &metrics->list[m], .count = 1};
        size_t s = 0;
        if (computed_counter_of(&metrics->list[m]) != COMPUTED_NONE || !is_one_pass(chip, availability, &alone, NULL))
            continue;
        for (bool in = false; !in; s++) {
            if (s == sets.count)
                *ARRAY_GROW(sets.list, sets.count) = (struct metrics){0};
            struct metrics *set = &sets.list[s];
            *ARRAY_GROW(set->list, set->count) = metrics->list[m];
            in = is_one_pass(chip, availability, set, NULL);
            set->count -= !in;
        }
    }
    sets.blind = x_calloc(sets.count, sizeof *sets.blind);
    for (size_t s = 0; s < sets.count; s++)
        is_one_pass(chip, availability, &sets.list[s], &sets.blind[s]);
}

/* A line for each set, with the names of its metrics. */
static void tell(void)
{
    OWNED_TEXT text = NULL;
    size_t size = 0;
    FILE *stream = x_memstream(&text, &size);
    for (size_t s = 0; s < sets.count; s++)
        for (size_t m = 0; m < sets.list[s].count; m++)
            fprintf(stream, "%s%s", sets.list[s].list[m].name, m + 1 < sets.list[s].count ? " " : "\n");
    fclose(stream);
    link_say(MESSAGE_SETS, text);
}

int sets_make(const struct request *request, const char *chip, const uint8_t *availability, struct problem *problem)
{
    if (sets.count > 0)
        return 0;
    make(chip, availability, &request->metrics);
    tell();
    sets.now = request->set;
    sets.change = request->changes;
    if (request->set >= sets.count)
        return problem_set(problem, "chip %s counts the metrics in %zu set%s, so set %zu does not exist", chip,
                           sets.count, plural(sets.count), request->set + 1);
    return 0;
}

size_t sets_count(void)
{
    return sets.count;
}

size_t sets_now(void)
{
    return sets.now;
}

const struct metrics *sets_metrics(size_t set)
{
    return &sets.list[set];
}

bool sets_are_blind(size_t set)
{
    return set < sets.count && sets.blind[set];
}

/* ---- Changing ---- */

static bool is_unmeasured(const struct launch_group *group, size_t set)
{
    return group && group->id && group->launches >= group->skip && !(group->graph && sets_are_blind(set)) &&
           (set < group->counted_count ? group->counted[set].taken : 0) < group->first;
}

/* Whether too little is known of the group in that set without its next launch. */
static bool group_needs(const struct launch_group *group, size_t set)
{
    if (!is_unmeasured(group, set))
        return false;
    const bool any = set < group->counted_count;
    return (any ? group->counted[set].readings : 0) < group->known || (any && group->counted[set].strays);
}

/* Times are taken beyond what is needed, where that costs no change. */
bool group_is_wanted(const struct launch_group *group, size_t set)
{
    return set == 0 || !sets.change ? is_unmeasured(group, set) : group_needs(group, set);
}

/* Returns the first set that needs the launch; the number of sets when there is none. */
static size_t find_needing(const struct launch_group *group)
{
    return FIRST(k, sets.count, group_needs(group, k));
}

/* Whether a group that was launched since then needs the set. */
static bool groups_lack(size_t set, size_t since)
{
    size_t count;
    struct launch_group *const *list = groups_all(&count);
    return ANY(i, count, list[i]->seen >= since && group_needs(list[i], set));
}

/* Whether it is time to leave the set for the next one, or for home, where nothing is lacking. */
static bool is_time(bool lacks)
{
    const size_t idle = sets.launches - sets.needed, back = sets.followed - sets.longest;
    if (lacks && !groups_lack(sets.now, 1))
        return true;
    if (idle <= (size_t)PATIENCE << sets.changes / sets.count)
        return false;
    return idle > sets.most || !groups_lack(sets.now, sets.longest < sets.followed ? back : 1);
}

bool sets_follow(struct launch_group *group)
{
    const size_t seen = group ? group->seen : 0;
    sets.launches++;
    sets.followed++;
    if (group)
        group->seen = sets.followed;
    if (sets.count < 2 || !sets.change || group_needs(group, sets.now)) {
        sets.needed = sets.launches;
        sets.most = sets.needed > sets.most ? sets.needed : sets.most;
        if (seen > 0 && sets.followed - seen > sets.longest)
            sets.longest = sets.followed - seen;
        return false;
    }
    const size_t needing = find_needing(group);
    sets.next = needing < sets.count ? needing : 0;
    /* The last change that a process may make is the one to set 0. */
    return sets.next != sets.now && sets.changes + (sets.next != 0) < CHANGES_MAX && is_time(needing < sets.count);
}

void sets_change(void)
{
    sets.now = sets.next;
    sets.launches = sets.needed = 0;
    sets.changes++;
}

void sets_note_missed(struct launch_group *group, bool counts)
{
    for (size_t set = 0; set < sets.count && sets.change; set++)
        if ((set != sets.now || !counts) && group_needs(group, set))
            group_counted(group, set)->missed++;
}
