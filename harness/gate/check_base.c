/* Measures in the base build what the baseline lacks. Otherwise a kernel that nobody accepted, or whose row was
 * deleted, could become arbitrarily slower. */
#include "check_parts.h"

/* Whether the run has a gated number of the kernel that the baseline lacks. Bank conflicts may be missing. */
static bool lacks_number(const struct metrics *metrics, const struct result *base, const struct result *now)
{
    return FIND(metric, metrics->list, metrics->count,
                metric->class != METRIC_INFO && !metric_is_on_demand(metric) && result_measured(now, metric->name) &&
                    !result_measured(base, metric->name));
}

/* Whether a kernel of the base build has to be measured. If it failed in the run, it is red anyway. */
static bool is_wanted(const struct metrics *metrics, const struct run *run, const struct run *baseline, const char *id)
{
    const struct result *base = run_find(baseline, id), *now = run_find(run, id);
    if (!base)
        return !now || now->status == RESULT_OK || now->status == RESULT_NOT_BUILT;
    return now && now->status == RESULT_OK && lacks_number(metrics, base, now);
}

/* Measures the kernels of the base build, each on the GPU where the run has it, because GPUs of one model differ. */
static int measure_base(const struct measurement *measurement, const char *against, char *const *ids, size_t count,
                        const struct run *run, struct run *baseline)
{
    OWNED(run) base = {0};
    struct program program;
    struct measurement other = measurement_of_base(measurement, against, baseline, &program);
    OWNED_TEXT label =
        x_sprintf("measuring %zu kernel%s of the base library that the baseline does not have", count, plural(count));
    other.globs = ids;
    other.glob_count = count;
    other.skip_unmatched = true;
    other.like = run;
    other.label = label;
    const int code = measure_whole(&other, &base);
    run_stand_in(baseline, &base);
    if (baseline->note_count == 0)
        for (size_t i = 0; i < base.note_count; i++)
            run_set_note(baseline, &base.notes[i]);
    return code;
}

/* Measures the base build of a program. Its kernels are unknown, so it runs as a whole if anything is missing. */
static int check_base_program(const struct measurement *measurement, const char *against, const struct run *run,
                              struct run *baseline)
{
    const bool wanted = baseline->result_count == 0 ||
                        ANY(i, run->result_count, is_wanted(measurement->metrics, run, baseline, run->results[i].id));
    return wanted ? measure_base(measurement, against, measurement->globs, measurement->glob_count, run, baseline)
                  : EXIT_SAME;
}

/* Removes the kernels from the baseline that neither build has, such as those of another library. Returns how many. */
static size_t forget_of_neither(struct run *baseline, const struct run *run, const struct library_facts *facts)
{
    OWNED_MEMORY bool *kept = x_calloc(baseline->result_count, sizeof *kept);
    for (size_t i = 0; i < baseline->result_count; i++) {
        kept[i] = run_find(run, baseline->results[i].id);
        for (size_t k = 0; k < facts->count && !kept[i]; k++)
            kept[i] = strcmp(facts->kernels[k].id, baseline->results[i].id) == 0;
    }
    return run_keep(baseline, kept);
}

int check_base(const struct measurement *measurement, const char *against, const struct run *run, struct run *baseline,
               size_t *neither)
{
    OWNED(library_facts) facts = {0};
    struct problem problem;
    if (measurement->program)
        return check_base_program(measurement, against, run, baseline);
    OWNED_MEMORY char **ids = NULL;
    size_t count = 0;
    int code = library_facts_read(&facts, against, measurement->timeout, &problem);
    if (code != EXIT_SAME)
        return FAIL(code, "%s", problem.text);
    for (size_t i = 0; i < facts.count; i++) {
        char *id = facts.kernels[i].id;
        if (glob_any(measurement->globs, measurement->glob_count, id) &&
            is_wanted(measurement->metrics, run, baseline, id))
            *ARRAY_GROW(ids, count) = id;
    }
    *neither = forget_of_neither(baseline, run, &facts);
    if (count > 0)
        code = measure_base(measurement, against, ids, count, run, baseline);
    return code;
}

bool check_has_stand_in(const struct run *baseline, const char *id)
{
    const struct result *result = run_find(baseline, id);
    return result && ANY(i, result->row_count, result->rows[i].from_base_build);
}

int check_base_again(const struct measurement *measurement, const char *against, char *const *ids, size_t count,
                     const struct run *run, struct run *baseline)
{
    OWNED_MEMORY char **chosen = NULL;
    size_t chosen_count = 0;
    for (size_t i = 0; i < count; i++)
        if (check_has_stand_in(baseline, ids[i]))
            *ARRAY_GROW(chosen, chosen_count) = ids[i];
    return chosen_count > 0 ? measure_base(measurement, against, chosen, chosen_count, run, baseline) : EXIT_SAME;
}

void check_base_add(struct run *base, struct run *baseline)
{
    OWNED_MEMORY bool *kept = x_calloc(base->result_count, sizeof *kept);
    for (size_t i = 0; i < base->result_count; i++)
        kept[i] = check_has_stand_in(baseline, base->results[i].id);
    run_keep(base, kept);
    if (base->result_count > 0)
        run_stand_in(baseline, base);
}

void check_note_stand_ins(struct comparison *comparison, const struct run *baseline)
{
    struct note_items items = {0};
    for (size_t i = 0; i < baseline->result_count; i++)
        if (check_has_stand_in(baseline, baseline->results[i].id))
            note_items_add(&items, "%s", baseline->results[i].id);
    comparison_add_items(comparison, &items,
                         "kernels compared with the base build, because the baseline does not have all their rows");
}

/* Returns the text that begins with the version of Triton which made a capsule's code, as far as it is known. */
static const char *triton_of(const struct capsules *capsules, const struct capsule *capsule)
{
    const struct run *about = &capsules->about;
    const char *text = capsule->swapped           ? capsule->swapped
                       : about->session_count > 0 ? about->sessions[0].facts[SESSION_LIBRARIES]
                                                  : NULL;
    return text ? strstr(text, "triton ") : NULL;
}

/* Whether another ptxas, or another Triton, is known to have made the code of the two. */
static bool has_other_maker(const struct comparison *comparison, const struct run *baseline, const struct run *run,
                            const char *id, const char *now, const char *was)
{
    const struct result *result = run_find(run, id), *base = run_find(baseline, id);
    const char *ptxas;
    const bool other_triton =
        now && was && (strcspn(now, ",") != strcspn(was, ",") || strncmp(now, was, strcspn(now, ",")) != 0);
    return base && !same_code(base, result) &&
           (other_triton || compare_other_toolchain(comparison, baseline, base, run, result, &ptxas));
}

/* Whether two files have the same bytes. */
static bool is_same_build(const char *one, const char *other)
{
    char bytes[2][4096];
    size_t sizes[2] = {1, 1};
    FILE *files[2] = {fopen(one, "re"), fopen(other, "re")};
    bool same = files[0] && files[1];
    while (same && sizes[0] > 0) {
        for (size_t i = 0; i < 2; i++)
            sizes[i] = fread(bytes[i], 1, sizeof bytes[i], files[i]);
        same = sizes[0] == sizes[1] && memcmp(bytes[0], bytes[1], sizes[0]) == 0;
    }
    for (size_t i = 0; i < 2; i++)
        if (files[i])
            fclose(files[i]);
    return same;
}

void check_note_inputs(struct comparison *comparison, const char *kernels, const char *against,
                       const struct run *baseline, const struct run *run)
{
    OWNED(capsules) now = {0}, base = {0};
    struct problem ignored; /* what is wrong with a file was said when it was measured */
    struct note_items others = {0}, made = {0};
    if (is_same_build(kernels, against))
        remark("%s is identical to the base build: there is no change to judge", kernels);
    if (capsules_open(&now, kernels, false, &ignored) == 0 && capsules_open(&base, against, false, &ignored) == 0)
        for (size_t i = 0; i < now.count; i++) {
            const struct capsule *capsule = &now.list[i], *other = capsules_find(&base, capsule->id);
            if (!other || !run_find(run, capsule->id))
                continue;
            if (!capsules_same_inputs(&now, capsule, &base, other))
                note_items_add(&others, "%s", capsule->id);
            if (has_other_maker(comparison, baseline, run, capsule->id, triton_of(&now, capsule),
                                triton_of(&base, other)))
                note_items_add(&made, "%s", capsule->id);
        }
    comparison_add_items(
        comparison, &others,
        "kernels captured with different arguments or memory than in the base file; that alone can change counts");
    OWNED_TEXT file = shell_word(against);
    OWNED_TEXT words = x_sprintf("kernels built by another compiler than the base file's, which alone changes counts; "
                                 "to judge only your change, compile the base's source with this compiler, and pass "
                                 "--against base.capsule after cugate swap %s --code BASE.cubin -o base.capsule",
                                 file);
    comparison_add_items(comparison, &made, words);
}
