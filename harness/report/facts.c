/* What a report says before its rows: what was measured, on which GPU, and what it is compared with. */
#include "facts.h"

static size_t samples_a_kernel(const struct run *run)
{
    size_t max = 0;
    for (size_t i = 0; i < run->result_count; i++)
        EACH(const struct row, row, run->results[i].rows, run->results[i].row_count) {
            for (size_t s = 0; s < row->session_count; s++)
                max = row->sessions[s].count > max ? row->sessions[s].count : max;
        }
    return max;
}

#define NOTES 16      /* how many notes a report prints unless it is to be whole */
#define NOTE_MAX 1000 /* characters of each note */

/* Takes the words. NULL: there is no such fact. */
static void add(struct facts *facts, const char *title, char *words)
{
    struct fact *fact = words ? ARRAY_GROW(facts->list, facts->count) : NULL;
    if (!fact)
        return;
    fact->title = title;
    fact->words = words;
}

/* Adds "NVIDIA H200, compute capability 9.0, 132 SMs, 139.8 GiB, ECC on", as far as known: a host without a GPU has no
 * such numbers. */
static void add_device(struct facts *facts, const struct device *device)
{
    char capability[80] = "", sms[32] = "", memory[32] = "";
    const char *number = words_known(device->compute_capability);
    if (strspn(number, "0123456789") > 0)
        snprintf(capability, sizeof capability, ", compute capability %.32s", number);
    if (device->sm_count > 0)
        snprintf(sms, sizeof sms, ", %lld SMs", device->sm_count);
    if (device->memory_bytes > 0)
        snprintf(memory, sizeof memory, ", %.1f GiB", (double)device->memory_bytes / 0x1p30);
    add(facts, "device",
        x_sprintf("%s%s%s%s%s%s", words_known(device->name), capability, sms, memory,
                  device->sm_count == 0 || device->ecc_unknown ? ""
                  : device->ecc                                ? ", ECC on"
                                                               : ", ECC off",
                  device->mig ? ", MIG" : ""));
}

static void add_software(struct facts *facts, const struct run *run)
{
    static const struct {
        enum session_fact fact;
        const char *title;
    } rows[] = {
        {SESSION_DRIVER, "driver "},
        {SESSION_CUDA, "CUDA "},
        {SESSION_CUPTI, "CUPTI "},
        {SESSION_COMPILER, ""},
    };
    char *words = NULL;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (run_fact(run, rows[i].fact))
            x_append(&words, ", ", "%s%s", rows[i].title, run_fact(run, rows[i].fact));
    add(facts, "software", words);
}

static void add_run(struct facts *facts, const struct report *report)
{
    const struct run *run = report->run;
    const struct origin *origin = run_origin(run);
    const size_t samples = samples_a_kernel(run);
    const char *name = report->run_name ? report->run_name : origin->code_only ? "" : origin->made;
    char each[48] = "";
    if (!origin->computed) /* whose samples are bounds */
        snprintf(each, sizeof each, ", %zu sample%s each", samples, plural(samples));
    if (origin->code_only)
        add(facts, "run",
            x_sprintf("%s%sthe machine code of %zu kernel%s", name, report->run_name ? ", " : "", run->result_count,
                      plural(run->result_count)));
    else
        add(facts, "run",
            x_sprintf("%s%s%s, collector %s, %zu kernel%s%s", name, report->run_name ? ", " : " ",
                      words_fact(run, SESSION_DATE), words_fact(run, SESSION_COLLECTOR), words_kernels(run),
                      plural(words_kernels(run)), each));
    for (size_t i = 0; i < run->result_count; i++)
        if (row_kind(run->results[i].id) != ROW_KERNEL)
            add(facts, "program", words_program(report, &run->results[i]));
}

static void add_baseline(struct facts *facts, const struct report *report)
{
    const struct run *base = report->baseline;
    const char *first = base->session_count > 0 ? base->sessions[0].facts[SESSION_DATE] : NULL;
    const char *last = words_fact(base, SESSION_DATE);
    const bool range = first && strcmp(first, last) != 0;
    add(facts, "baseline",
        first
            ? x_sprintf("%s, %zu session%s, %s%s%s", report->baseline_name ? report->baseline_name : "",
                        base->session_count, plural(base->session_count), range ? first : "", range ? " to " : "", last)
            : x_strdup(report->baseline_name)); /* what was just read has no date */
}

/* Adds the common shift of all kernels: "time -0.3 % (median of 62 kernels), subtracted". */
static void add_shift(struct facts *facts, const struct suite *suite)
{
    if (suite->kernels >= RULE_DRIFT)
        add(facts, "shift",
            x_sprintf("%s %+.1f %% (median of %zu kernel%s%s%s%s)%s", suite->metric->name, 100 * suite->shift,
                      suite->kernels, plural(suite->kernels), suite->same_code ? " with unchanged machine code" : "",
                      suite->one_of_several ? ", on " : "", suite->one_of_several ? words_known(suite->gpu) : "",
                      suite->moved       ? ": all kernels shifted together"
                      : suite->same_code ? ", subtracted"
                                         : ", but not subtracted"));
}

static void add_comparison(struct facts *facts, const struct report *report, bool whole)
{
    const struct comparison *comparison = report->comparison;
    char words[1024];
    words_computing(comparison, words, sizeof words);
    add(facts, "computed", run_origin(report->run)->computed ? x_strdup(words) : NULL);
    for (size_t i = 0; i < comparison->suite_count; i++)
        add_shift(facts, &comparison->suites[i]);
    const size_t more = !whole && comparison->note_count > NOTES + 1 ? comparison->note_count - NOTES : 0;
    for (size_t i = 0; i < comparison->note_count - more; i++)
        add(facts, "note", whole ? x_strdup(comparison->notes[i]) : text_cut(comparison->notes[i], NOTE_MAX));
    if (more > 0)
        add(facts, "note", x_sprintf("%zu more notes are in the JSON report", more));
}

/* Says of a computed run how many blocks were executed, since only those show a wrong result; and with `all` of which
 * kernels it is not proved what others count. */
static void add_proved(struct facts *facts, const struct run *run, bool all)
{
    double blocks = 0, executed = 0;
    size_t kernels = 0, missing = 0;
    for (size_t i = 0; i < run->result_count; i++) {
        kernels += run->results[i].blocks > 0;
        blocks += run->results[i].blocks;
        executed += run->results[i].blocks_executed;
    }
    if (kernels > 0)
        add(facts, "blocks",
            x_sprintf("executed %.0f of %.0f (%zu kernel%s); the others are proved to have the same counts. Results "
                      "are compared only where verify() checks the whole output; --whole executes every block",
                      executed, blocks, kernels, plural(kernels)));
    for (size_t i = 0; i < run->result_count && all; i++)
        if (run->results[i].not_proved && missing++ < NOTES)
            add(facts, "not proved",
                x_sprintf("%s: all blocks were executed, because %s", run->results[i].id, run->results[i].not_proved));
}

/* Says of which kernels of a computed run no time is estimated, and why. */
static void add_refused(struct facts *facts, const struct run *run)
{
    size_t count = 0;
    for (size_t i = 0; i < run->result_count; i++) {
        const struct estimated_time *of = run->results[i].estimated;
        if (of && of->refused && count++ < NOTES)
            add(facts, "no time", x_sprintf("%s: %s", run->results[i].id, of->refused));
    }
    if (count > NOTES)
        add(facts, "no time",
            x_sprintf("%zu more kernels have no estimated time; the run file lists them", count - NOTES));
}

/* Of a run that is not judged. A comparison has notes of them. */
static void add_varying(struct facts *facts, const struct run *run)
{
    EACH(const struct result, of, run->results, run->result_count) {
        if (of->varies)
            add(facts, "note",
                x_sprintf("the result of %s depends on the order of blocks or warps: %s", of->id, of->varies));
        if (of->doubt)
            add(facts, "note",
                x_sprintf("%s has a harmless fault, because no result depends on it: %s", of->id, of->doubt));
        if (of->outside)
            add(facts, "note", x_sprintf("%s: %s", of->id, of->outside));
        if (of->suppressed)
            add(facts, "note", x_sprintf("%s: suppressed: %s", of->id, of->suppressed));
    }
}

struct facts facts_of(const struct report *report, bool all, bool whole)
{
    struct facts facts = {0};
    if (all || !run_origin(report->run)->computed)
        add_device(&facts, &report->run->device);
    if (all)
        add_software(&facts, report->run);
    add_run(&facts, report);
    if (report->baseline)
        add_baseline(&facts, report);
    if (report->certificates)
        add(&facts, "inputs",
            x_strdup("~0 as captured, ~1 and on redrawn (f: extreme values), ~n another size, ~o another "
                     "order, ~x NaNs, ~s ~t ~u other scalars"));
    add(&facts, "options", x_strdup(report->config));
    add_proved(&facts, report->run, all);
    if (all && !report->comparison)
        add_refused(&facts, report->run);
    if (report->comparison)
        add_comparison(&facts, report, whole);
    else
        add_varying(&facts, report->run);
    return facts;
}

void facts_release(struct facts *facts)
{
    for (size_t i = 0; i < facts->count; i++)
        free(facts->list[i].words);
    free(facts->list);
}
