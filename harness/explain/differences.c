#include "differences.h"

#include "names/names.h"

#include <time.h>

#define STALE_DAYS 90 /* days, after which drivers and machines have often changed */

/* Facts that can explain a change that the code did not cause.
 *
 * To add a fact: a row here. */
static const struct soft_fact {
    enum session_fact fact;
    const char *title; /* NULL: the GPU, whose UUID tells nobody anything by itself */
} soft_facts[] = {
    {SESSION_DRIVER, "driver"},
    {SESSION_CUDA, "CUDA"},
    {SESSION_CUPTI, "CUPTI"},
    {SESSION_COMPILER, "compiler"},
    {SESSION_FLAGS, "flags"},
    {SESSION_GPU_UUID, NULL},
    {SESSION_CUGATE, "cugate"},
    {SESSION_PROGRAM, "program"},
    {SESSION_HOST_CODE, "the host code changed, so every kernel is verified again: it"},
};

static size_t count_distinct(const char *const *texts, size_t count)
{
    size_t *first = first_of_equals(texts, count, sizeof *texts, by_text), distinct = 0;
    for (size_t i = 0; i < count; i++)
        distinct += first[i] == i;
    free(first);
    return distinct;
}

/* Lists the values of a fact over all sessions that have it, in their order. Caller frees the list. */
static size_t list_facts(const struct run *run, enum session_fact fact, const char ***texts)
{
    size_t count = 0;
    *texts = NULL;
    for (size_t i = 0; i < run->session_count; i++)
        if (run->sessions[i].facts[fact])
            *ARRAY_GROW(*texts, count) = run->sessions[i].facts[fact];
    return count;
}

static bool read_date(const char *text, time_t *seconds)
{
    struct tm date = {0};
    if (!text || !strptime(text, "%Y-%m-%dT%H:%M:%S", &date))
        return false;
    *seconds = timegm(&date);
    return true;
}

/* Notes the age of the baseline. It compares the dates in the files, not today's, so the same files give the same. */
static void note_age(struct comparison *comparison, const struct run *baseline, const struct run *run)
{
    time_t newest = 0, now = 0, seconds;
    for (size_t i = 0; i < baseline->session_count; i++)
        if (read_date(baseline->sessions[i].facts[SESSION_DATE], &seconds) && seconds > newest)
            newest = seconds;
    for (size_t i = 0; i < run->session_count; i++)
        if (read_date(run->sessions[i].facts[SESSION_DATE], &seconds) && seconds > now)
            now = seconds;
    const long days = (long)((now - newest) / (24L * 60 * 60));
    if (newest > 0 && now > 0 && days > STALE_DAYS)
        comparison_add_note(
            comparison, "the baseline is stale: its newest session is %ld days older than the run; accept new sessions",
            days);
}

/* Notes definitions of metrics that changed. A metric that is no longer defined is among the unknown ones instead. */
static void note_definitions(struct comparison *comparison, const struct run *baseline, const struct metrics *metrics)
{
    struct note_items weakened = {0}, changed = {0};
    for (size_t i = 0; i < metrics->count; i++) {
        const struct metric_note now = note_of_metric(&metrics->list[i]);
        const struct metric_note *was = run_find_note(baseline, now.name);
        OWNED_TEXT words = NULL;
        const enum note_change change = was ? note_compare(was, &now, &words) : NOTE_SAME;
        if (change != NOTE_SAME)
            note_items_add(change == NOTE_WEAKENED ? &weakened : &changed, "%s (%s)", now.name, words);
    }
    comparison_add_items(comparison, &weakened, "WEAKENED: the baseline was accepted with stricter metric definitions");
    comparison_add_items(comparison, &changed, "the baseline was accepted with different metric definitions");
}

static bool has_other_name(const struct launch *was, const struct launch *is)
{
    return was->function && is->function && strcmp(was->function, is->function) != 0 &&
           !function_is_same(was->function, is->function);
}

/* Returns the first launch whose function has another name than in the baseline; the number of launches: none. */
static size_t find_other_name(const struct result *base, const struct result *now)
{
    if (base->launch_count != now->launch_count)
        return now->launch_count;
    return FIRST(i, now->launch_count, has_other_name(&base->launches[i], &now->launches[i]));
}

static void note_renamed(struct comparison *comparison, const struct run *baseline, const struct run *run)
{
    struct note_items items = {0};
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *now = &run->results[i], *base = run_find(baseline, now->id);
        const size_t launch = base && now->status == RESULT_OK ? find_other_name(base, now) : now->launch_count;
        if (launch < now->launch_count)
            note_items_add(&items, "%s: %s -> %s", now->id, base->launches[launch].function,
                           now->launches[launch].function);
    }
    comparison_add_items(comparison, &items, "another function");
}

/* Notes kernels that have another name, or are launched in another shape. */
static void note_relaunched(struct comparison *comparison, const struct run *baseline)
{
    struct note_items items = {0};
    EACH(const struct result, base, baseline->results, baseline->result_count) {
        const char *was = base->former_id;
        const size_t name = was ? strcspn(was, "@") : 0;
        if (was)
            note_items_add(&items, "%s, before %s", base->id, was + (strncmp(was, base->id, name + 1) == 0 ? name : 0));
    }
    comparison_add_items(comparison, &items,
                         "renamed, replaced or launched in another shape, but compared as the same kernel");
}

/* Notes what was computed of kernels besides their counts. */
static void note_computed(struct comparison *comparison, const struct run *run)
{
    static const struct {
        size_t at;
        const char *what;
    } notes[] = {
        {offsetof(struct result, varies), "kernels whose results depend on the order of blocks or warps"},
        {offsetof(struct result, doubt), "harmless faults, because no result depends on them"},
        {offsetof(struct result, outside), "only partly counted"},
        {offsetof(struct result, suppressed), "suppressed"},
    };
    for (size_t n = 0; n < ARRAY_SIZE(notes); n++) {
        struct note_items items = {0};
        for (size_t i = 0; i < run->result_count; i++) {
            const char *text = *(char *const *)((const char *)&run->results[i] + notes[n].at);
            if (text)
                note_items_add(&items, "%s: %s", run->results[i].id, text);
        }
        comparison_add_items(comparison, &items, notes[n].what);
    }
}

/* Notes how to remove kernels that are gone: a program whose shapes changed may have many, each with a file. */
static void note_gone(struct comparison *comparison, const struct run *run)
{
    size_t gone = 0;
    for (size_t i = 0; i < comparison->count; i++)
        gone += !comparison->list[i].metric && comparison->list[i].verdict == VERDICT_MISSING &&
                !run_find(run, comparison->list[i].kernel);
    if (gone > 0 && run_origin(run)->own_caches)
        comparison_add_note(comparison,
                            "%zu kernel%s of the baseline %s gone; if this is intended, remove their files from the "
                            "baseline, or remove the program's folder and accept the run again",
                            gone, plural(gone), gone == 1 ? "is" : "are");
}

/* Notes a fact that differs from all sessions of the baseline, for each GPU of the run, or once if all GPUs agree. */
static void note_fact(struct comparison *comparison, const struct run *baseline, const struct run *run,
                      const struct soft_fact *row)
{
    const char **was, **now;
    const size_t was_count = list_facts(baseline, row->fact, &was);
    const size_t now_count = list_facts(run, row->fact, &now);
    const char *newest = was_count > 0 ? was[was_count - 1] : NULL;
    const size_t others = count_distinct(was, was_count);
    OWNED_MEMORY size_t *first = first_of_equals(now, now_count, sizeof *now, by_text);
    sort_by_name(was, was_count, sizeof *was);
    for (size_t i = 0; newest && i < now_count; i++) {
        if (first[i] != i || bsearch(&now[i], was, was_count, sizeof *was, by_text))
            continue;
        if (!row->title)
            comparison_add_note(comparison, "measured on a GPU without a session in the baseline: %s", now[i]);
        else if (others > 1)
            comparison_add_note(comparison, "%s is %s; the baseline has %zu different ones", row->title, now[i],
                                others);
        else
            comparison_add_note(comparison, "%s is %s, but %s in the baseline", row->title, now[i], newest);
    }
    free(now);
    free(was);
}

/* Without a GPU a kernel of unchanged machine code is executed and verified again only where the host code is another.
 */
static void note_no_host_code(struct comparison *comparison, const struct run *baseline, const struct run *run)
{
    if (run_origin(run)->computed && run_fact(run, SESSION_HOST_CODE) && baseline->session_count > 0 &&
        !run_fact(baseline, SESSION_HOST_CODE))
        comparison_add_note(comparison,
                            "the baseline has no hash of the host code, so a change of verify() alone would go "
                            "unnoticed: accept a new run, or pass --all");
}

void note_differences(struct comparison *comparison, const struct run *baseline, const struct run *run,
                      const struct metrics *metrics)
{
    note_definitions(comparison, baseline, metrics);
    for (size_t i = 0; i < ARRAY_SIZE(soft_facts); i++)
        note_fact(comparison, baseline, run, &soft_facts[i]);
    note_no_host_code(comparison, baseline, run);
    note_relaunched(comparison, baseline);
    note_renamed(comparison, baseline, run);
    note_computed(comparison, run);
    note_gone(comparison, run);
    note_age(comparison, baseline, run);
}
