/* How metrics were defined when a run was made, and whether another definition is weaker. */
#include "run.h"

static void release_note(struct metric_note *note)
{
    free(note->name);
    free(note->counter);
    free(note->unit);
    free(note->weight);
    free(note->clock);
    free(note->trade);
}

void run_forget_notes(struct run *run)
{
    for (size_t i = 0; i < run->note_count; i++)
        release_note(&run->notes[i]);
    free(run->notes);
    run->notes = NULL;
    run->note_count = 0;
}

struct metric_note note_of_metric(const struct metric *metric)
{
    return (struct metric_note){
        .name = metric->name,
        .counter = metric->counter,
        .unit = metric->unit,
        .judged = true,
        .class = metric->class,
        .better = metric->better,
        .floor_absolute = metric->floor_absolute,
        .floor_relative = metric->floor_relative,
        .few = metric->few,
        .weight = metric->weight,
        .clock = metric->clock,
        .trade = metric->trade,
    };
}

struct metric_note *run_find_note(const struct run *run, const char *metric)
{
    return find_by_name(run->notes, run->note_count, sizeof *run->notes, metric);
}

bool note_is_equal(const struct metric_note *a, const struct metric_note *b)
{
    return order_of_texts(a->name, b->name) == 0 && order_of_texts(a->counter, b->counter) == 0 &&
           order_of_texts(a->unit, b->unit) == 0;
}

void run_set_note(struct run *run, const struct metric_note *note)
{
    struct metric_note copy = *note;
    copy.name = x_strdup(note->name);
    copy.counter = x_strdup(note->counter);
    copy.unit = x_strdup(note->unit);
    copy.weight = x_strdup(note->weight);
    copy.clock = x_strdup(note->clock);
    copy.trade = x_strdup(note->trade);
    struct metric_note *known = run_find_note(run, note->name);
    if (known) {
        release_note(known);
        *known = copy;
        return;
    }
    const size_t place = place_of_name(run->notes, run->note_count, sizeof *run->notes, note->name);
    *ARRAY_INSERT(run->notes, run->note_count, place) = copy;
}

void run_note_metrics(struct run *run, const struct metrics *metrics)
{
    run_forget_notes(run);
    for (size_t i = 0; i < metrics->count; i++) {
        const struct metric_note note = note_of_metric(&metrics->list[i]);
        run_set_note(run, &note);
    }
}

/* Returns how much a class lets pass; a higher number lets more pass. */
static int laxness(enum metric_class class)
{
    static const int ranks[METRIC_CLASSES] = {
        [METRIC_STATIC] = 0, [METRIC_EXACT] = 0, [METRIC_STEADY] = 1, [METRIC_TIME] = 1, [METRIC_INFO] = 2,
    };
    return ranks[class];
}

/* What is handed on while two definitions are compared. */
struct differing {
    char *words;
    enum note_change change;
};

/* Adds a difference to the words, as "KEY was -> now". weaker: it lets more pass. */
static void differ(struct differing *differing, const char *key, const char *was, const char *now, bool weaker)
{
    x_append(&differing->words, ", ", "%s %s -> %s", key, was, now);
    if (weaker || differing->change == NOTE_SAME)
        differing->change = weaker ? NOTE_WEAKENED : NOTE_CHANGED;
}

/* Puts the floors of a metric into text, such as "2 % and 250 ns". A percentage has points in place of a unit. */
static void floor_words(const struct metric_note *note, char *text, size_t size)
{
    char share[64] = "", amount[96] = "";
    const char *unit = strcmp(note->unit, "%") == 0 ? "point" : note->unit;
    if (note->floor_relative > 0)
        snprintf(share, sizeof share, "%g %%", 100 * note->floor_relative);
    if (note->floor_absolute > 0)
        snprintf(amount, sizeof amount, "%.9g %.40s", note->floor_absolute, unit);
    snprintf(text, size, "%s%s%s", share, *share && *amount ? " and " : "", *share || *amount ? amount : "none");
}

/* Compares the keys that are names. Another name means that the values were measured by something else. A name that
 * excuses a row lets more pass where it was not there before. */
static void compare_names(struct differing *differing, const struct metric_note *was, const struct metric_note *now)
{
    const struct {
        const char *key, *was, *now;
        bool only_when_there;
    } rows[] = {
        {"counter", was->counter, now->counter, false}, {"unit", was->unit, now->unit, false},
        {"weight", was->weight, now->weight, false},    {"clock", was->clock, now->clock, false},
        {"trade", was->trade, now->trade, true},
    };
    const size_t known = was->judged && now->judged ? ARRAY_SIZE(rows) : 2;
    for (size_t i = 0; i < known; i++) {
        const char *before = rows[i].was ? rows[i].was : "none", *after = rows[i].now ? rows[i].now : "none";
        if (strcmp(before, after) != 0)
            differ(differing, rows[i].key, before, after, rows[i].now || !rows[i].only_when_there);
    }
}

enum note_change note_compare(const struct metric_note *was, const struct metric_note *now, char **words)
{
    struct differing differing = {.change = NOTE_SAME};
    const bool judged = was->judged && now->judged;
    if (judged && was->class != now->class)
        differ(&differing, "class", metric_class_name(was->class), metric_class_name(now->class),
               laxness(now->class) > laxness(was->class));
    if (judged && (was->floor_absolute != now->floor_absolute || was->floor_relative != now->floor_relative)) {
        char before[160], after[160];
        floor_words(was, before, sizeof before);
        floor_words(now, after, sizeof after);
        differ(&differing, "floor", before, after,
               now->floor_absolute > was->floor_absolute || now->floor_relative > was->floor_relative);
    }
    if (judged && was->few != now->few) {
        char before[32], after[32];
        snprintf(before, sizeof before, "%.9g", was->few);
        snprintf(after, sizeof after, "%.9g", now->few);
        differ(&differing, "few", before, after, now->few > was->few);
    }
    if (judged && was->better != now->better)
        differ(&differing, "better", metric_better_name(was->better), metric_better_name(now->better), true);
    compare_names(&differing, was, now);
    *words = differing.words;
    return differing.change;
}
