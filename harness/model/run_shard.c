/* Merges the shards of a run. A shard that is not known to be of the same run is refused, because anything missing or
 * mixed here would look good in a report. */
#include "run_shard.h"

#define SHOWN 10 /* names of missing kernels that are shown; the others are only counted */

static const char *shard_words(const struct shard *shard, char *text, size_t size)
{
    snprintf(text, size, "shard %u of %u", shard->number, shard->of);
    return text;
}

int run_refuse_part(const struct run *run, const char *name)
{
    char words[64];
    if (run->shard.of == 0)
        return 0;
    return error("%s is only %s: merge all %u with `cugate merge`", name, shard_words(&run->shard, words, sizeof words),
                 run->shard.of);
}

struct merging {
    struct run *parts;
    char *const *names;
    size_t count;
    bool *left_out; /* shards that are equal to one before them */
};

/* ---- Of one run? ---- */

static const char *fact(const struct session *session, enum session_fact which)
{
    return session->facts[which] ? session->facts[which] : "unknown";
}

static int check_facts(const struct session *one, const char *name, const struct session *other, const char *other_name)
{
    static const enum session_fact same[] = {SESSION_COLLECTOR, SESSION_COMPILER, SESSION_FLAGS, SESSION_COMMIT,
                                             SESSION_CUGATE};
    for (size_t i = 0; i < ARRAY_SIZE(same); i++)
        if (strcmp(fact(one, same[i]), fact(other, same[i])) != 0)
            return FAIL(EXIT_BASELINE, "%s and %s are not parts of one run: %s %s, not %s", name, other_name,
                        session_fact_name(same[i]), fact(one, same[i]), fact(other, same[i]));
    return 0;
}

static void warn_of_facts(const struct session *one, const char *name, const struct session *other,
                          const char *other_name)
{
    static const enum session_fact alike[] = {SESSION_DRIVER, SESSION_CUDA, SESSION_CUPTI};
    for (size_t i = 0; i < ARRAY_SIZE(alike); i++)
        if (strcmp(fact(one, alike[i]), fact(other, alike[i])) != 0)
            warning("%s has the %s %s, but %s has %s", name, session_fact_name(alike[i]), fact(one, alike[i]),
                    other_name, fact(other, alike[i]));
}

/* Checks that the GPUs which measured the shards are in one machine, with one driver. Each of them has a session. */
static int check_sessions(const struct run *one, const char *name, const struct run *first, const char *first_name)
{
    if (one->session_count == 0)
        return FAIL(EXIT_USAGE, "%s names no session, so it cannot be part of a run", name);
    for (size_t i = 0; i < one->session_count; i++) {
        const int code = check_facts(&one->sessions[i], name, &first->sessions[0], first_name);
        if (code != 0)
            return code;
    }
    warn_of_facts(&one->sessions[0], name, &first->sessions[0], first_name);
    return 0;
}

static int check_definitions(const struct run *run, const char *run_name, const struct run *against,
                             const char *against_name)
{
    for (size_t i = 0; i < run->note_count; i++) {
        const struct metric_note *here = &run->notes[i], *there = run_find_note(against, here->name);
        OWNED_TEXT words = NULL;
        if (there && there->judged == here->judged && note_compare(there, here, &words) == NOTE_SAME)
            continue;
        return FAIL(EXIT_BASELINE, "%s and %s are not parts of one run: they define the metric %s%s%s", run_name,
                    against_name, here->name, words ? " differently: " : " differently, or only one defines it",
                    words ? words : "");
    }
    return 0;
}

static int check_library(const struct shard *one, const char *name, const struct shard *other, const char *other_name)
{
    const size_t count = one->kernel_count < other->kernel_count ? one->kernel_count : other->kernel_count;
    size_t i = FIRST(k, count, strcmp(one->kernels[k], other->kernels[k]) != 0);
    if (one->kernel_count != other->kernel_count || i < count) {
        const char *here = i < one->kernel_count ? one->kernels[i] : NULL,
                   *there = i < other->kernel_count ? other->kernels[i] : NULL;
        const bool first = here && (!there || strcmp(here, there) < 0);
        return FAIL(
            EXIT_BASELINE,
            "%s and %s are not parts of one run: %s is only in the kernels of %s; use one library and -k for all", name,
            other_name, first ? here : there, first ? name : other_name);
    }
    if (order_of_texts(one->code, other->code) != 0)
        return FAIL(EXIT_BASELINE, "%s and %s are not parts of one run: the machine code of their libraries differs",
                    name, other_name);
    return 0;
}

static int check_part(const struct merging *merging, size_t place)
{
    const struct run *one = &merging->parts[place], *first = &merging->parts[0];
    const char *name = merging->names[place], *first_name = merging->names[0];
    char difference[512];
    if (one->shard.of == 0)
        return FAIL(EXIT_USAGE, "%s is a whole run, not a part, because it was measured without --shard", name);
    if (one->shard.of != first->shard.of)
        return FAIL(EXIT_USAGE, "%s is one of %u shards, but %s is one of %u", name, one->shard.of, first_name,
                    first->shard.of);
    device_difference(&one->device, &first->device, difference, sizeof difference);
    if (*difference)
        return FAIL(EXIT_BASELINE, "%s and %s are from different devices: %s", name, first_name, difference);
    TRY_CODE(check_library(&one->shard, name, &first->shard, first_name));
    TRY_CODE(check_sessions(one, name, first, first_name));
    TRY_CODE(check_definitions(one, name, first, first_name));
    return check_definitions(first, first_name, one, name);
}

/* ---- Each once? ---- */

static char *text_of(const struct run *run)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream || run_write(run, stream) < 0 || fclose(stream) != 0)
        die(EXIT_USAGE, "cannot allocate memory for a run");
    return text;
}

static int check_twice(struct merging *merging, size_t place)
{
    char words[64];
    for (size_t i = 0; i < place; i++) {
        if (merging->left_out[i] || merging->parts[i].shard.number != merging->parts[place].shard.number)
            continue;
        OWNED_TEXT one = text_of(&merging->parts[i]), *other = text_of(&merging->parts[place]);
        merging->left_out[place] = strcmp(one, other) == 0;
        if (!merging->left_out[place])
            return FAIL(EXIT_USAGE, "%s and %s are both %s, and differ: remove one", merging->names[i],
                        merging->names[place], shard_words(&merging->parts[place].shard, words, sizeof words));
        return 0;
    }
    return 0;
}

/* Moves the results of all shards to the merged run, sorted by name. The index of a session in its shard becomes that
 * among all sessions; one that is too large means the newest session, as in run_session(). */
static int take_results(struct merging *merging, struct run *merged)
{
    for (size_t i = 0; i < merging->count; i++) {
        struct run *part = &merging->parts[i];
        if (merging->left_out[i])
            continue;
        for (size_t k = 0; k < part->result_count; k++) {
            struct result *result = ARRAY_GROW(merged->results, merged->result_count);
            *result = part->results[k];
            for (size_t r = 0; r < result->row_count; r++)
                for (size_t s = 0; s < result->rows[r].session_count; s++) {
                    size_t *const session = &result->rows[r].sessions[s].session;
                    *session =
                        merged->session_count + (*session < part->session_count ? *session : part->session_count - 1);
                }
        }
        part->result_count = 0;
        for (size_t s = 0; s < part->session_count; s++)
            session_copy(ARRAY_GROW(merged->sessions, merged->session_count), &part->sessions[s]);
    }
    SORT(merged->results, merged->result_count, by_text);
    for (size_t i = 1; i < merged->result_count; i++)
        if (strcmp(merged->results[i - 1].id, merged->results[i].id) == 0)
            return FAIL(EXIT_USAGE,
                        "%s is in two parts, because durations differed: use the same baselines for all parts",
                        merged->results[i].id);
    return 0;
}

/* ---- All there? ---- */

/* A list of names under way, "a, b and 7 more". The names are borrowed. */
struct naming {
    char text[512];
    size_t count, cut;
};

static void name(struct naming *naming, const char *what)
{
    const size_t length = strlen(naming->text);
    if (naming->count++ < SHOWN && length + strlen(what) + 2 < sizeof naming->text)
        snprintf(naming->text + length, sizeof naming->text - length, "%s%s", length > 0 ? ", " : "", what);
    else
        naming->cut++;
}

static void tell(const struct naming *naming, const char *words)
{
    char more[48] = "";
    if (naming->cut > 0)
        snprintf(more, sizeof more, " and %zu more", naming->cut);
    error("%s: %s%s", words, naming->text, more);
}

static int check_shards(const struct merging *merging)
{
    const unsigned of = merging->parts[0].shard.of;
    struct naming missing = {0};
    OWNED_MEMORY bool *there = x_calloc(of + 1, sizeof *there);
    for (size_t i = 0; i < merging->count; i++)
        there[merging->parts[i].shard.number] = true;
    for (unsigned number = 1; number <= of; number++) {
        char words[64];
        if (!there[number])
            name(&missing, shard_words(&(struct shard){.number = number, .of = of}, words, sizeof words));
    }
    if (missing.count > 0)
        tell(&missing, "missing");
    return missing.count > 0 ? EXIT_NOT_MEASURED : 0;
}

/* Checks that no shard was interrupted. That is before its results are taken. */
static int check_interrupted(const struct merging *merging)
{
    int code = 0;
    char words[64];
    for (size_t i = 0; i < merging->count; i++) {
        const struct run *part = &merging->parts[i];
        if (part->result_count == part->shard.measures)
            continue;
        code = FAIL(EXIT_NOT_MEASURED, "%s, %s, was interrupted: it has %zu of its %zu kernels; run it again",
                    merging->names[i], shard_words(&part->shard, words, sizeof words), part->result_count,
                    part->shard.measures);
    }
    return code;
}

static int check_kernels(const struct merging *merging, const struct run *merged)
{
    const struct shard *shard = &merging->parts[0].shard;
    struct naming missing = {0};
    for (size_t i = 0; i < shard->kernel_count; i++)
        if (!run_find(merged, shard->kernels[i]))
            name(&missing, shard->kernels[i]);
    if (missing.count > 0)
        tell(&missing, "missing in all parts");
    return missing.count > 0 ? EXIT_NOT_MEASURED : 0;
}

int run_merge(struct run *merged, struct run *parts, char *const *names, size_t count)
{
    struct merging merging = {parts, names, count, x_calloc(count + 1, sizeof *merging.left_out)};
    *merged = (struct run){0};
    int code = 0;
    for (size_t i = 0; i < count && code == 0; i++)
        code = check_part(&merging, i);
    for (size_t i = 0; i < count && code == 0; i++)
        code = check_twice(&merging, i);
    int missing = 0;
    if (code == 0) {
        missing = check_interrupted(&merging);
        code = take_results(&merging, merged);
    }
    if (code == 0) { /* everything that is missing is reported together */
        const int shards = check_shards(&merging), kernels = check_kernels(&merging, merged);
        code = missing ? missing : shards ? shards : kernels;
    }
    if (code == 0) {
        merged->device = parts[0].device;
        merged->notes = parts[0].notes;
        merged->note_count = parts[0].note_count;
        parts[0].device = (struct device){0};
        parts[0].notes = NULL;
        parts[0].note_count = 0;
    } else {
        run_release(merged);
    }
    free(merging.left_out);
    return code;
}
