#include "measure.h"

#include "cubin/cubin.h"

#include "pool.h"

/* A run's notes tell what it could measure. */
struct measurement measurement_of_provided(const struct measurement *measurement, struct metrics *kept)
{
    struct measurement provided = *measurement;
    *kept = (struct metrics){0};
    for (size_t m = 0; m < measurement->metrics->count; m++)
        if (backend_provides(measurement->backend, &measurement->metrics->list[m]))
            *ARRAY_GROW(kept->list, kept->count) = measurement->metrics->list[m];
    provided.metrics = kept;
    return provided;
}

/* Finds the source lines that came with the values. */
static void resolve_lines(const struct measurement *measurement, struct run *run)
{
    for (size_t i = 0; i < run->result_count; i++)
        if (run->results[i].profile.counted)
            source_resolve(&run->results[i].profile, measurement->kernels);
}

/* Computes what follows from the measured values, and adds facts of the code. own is what measurement_of_provided()
 * returned. Returns the code, or EXIT_NOT_MEASURED if the machine code cannot be read. */
static int work_out(const struct measurement *own, struct run *run, int code, bool with_facts)
{
    if (!own->profile)
        computed_add_rates(run, own->metrics);
    if (!own->profile)
        resolve_lines(own, run);
    if (with_facts && !own->program && run->result_count > 0 && static_facts_add(run, own->kernels, own->metrics) < 0 &&
        code == EXIT_SAME)
        code = EXIT_NOT_MEASURED;
    for (size_t i = 0; with_facts && own->subject == SUBJECT_LIBRARY && i < run->session_count; i++)
        run->sessions[i].facts[SESSION_HOST_CODE] = cubin_host_code(own->kernels);
    if (!own->profile)
        computed_complete(run, own->metrics, own->label);
    return code;
}

static int measure_program(const struct measurement *measurement, struct run *run)
{
    struct measurement own = *measurement;
    OWNED_MEMORY char **globs = x_calloc(own.glob_count + 1, sizeof *globs);
    for (size_t i = 0; i < own.glob_count; i++) {
        const struct result *base = own.followed ? run_find(own.followed, own.globs[i]) : NULL;
        globs[i] = base && base->former_id ? base->former_id : own.globs[i];
    }
    own.globs = globs;
    const int code = program_measure(&own, run);
    if (own.followed)
        run_rename_former(run, own.followed);
    return code;
}

static int measure(const struct measurement *measurement, struct run *run, bool with_facts)
{
    struct metrics kept, kept_next = {0};
    struct measurement own = measurement_of_provided(measurement, &kept), next;
    if (own.next) {
        next = measurement_of_provided(own.next, &kept_next);
        own.next = &next;
    }
    const int code = own.program ? measure_program(&own, run) : pool_measure(&own, run);
    const int worked = work_out(&own, run, code, with_facts);
    free(kept_next.list);
    free(kept.list);
    return worked;
}

int measure_run(const struct measurement *measurement, struct run *run)
{
    return measure(measurement, run, false);
}

int measure_whole(const struct measurement *measurement, struct run *run)
{
    struct measurement whole = *measurement;
    whole.roofs = whole.backend->provides & PROVIDES_ROOFS;
    return measure(&whole, run, true);
}

void measure_on_each(const struct measurement *measurement, struct run *runs, int *codes, size_t count)
{
    struct metrics kept;
    struct measurement whole = measurement_of_provided(measurement, &kept), *list = x_calloc(count, sizeof *list);
    const struct device_list devices = whole.devices;
    whole.roofs = whole.backend->provides & PROVIDES_ROOFS;
    for (size_t i = 0; i < count; i++) {
        list[i] = whole;
        list[i].progress &= i == 0;
        list[i].devices = (struct device_list){.list = {devices.count > 0 ? devices.list[i] : 0}, .count = 1};
    }
    pool_measure_all(list, runs, codes, count, 1);
    for (size_t i = 0; i < count; i++)
        codes[i] = work_out(&whole, &runs[i], codes[i], true);
    free(list);
    free(kept.list);
}

struct measurement measurement_of_base(const struct measurement *measurement, const char *build,
                                       const struct run *baseline, struct program *program)
{
    struct measurement other = *measurement;
    other.followed = baseline;
    if (measurement->program) {
        *program = *measurement->program;
        program->shell = build;
        other.program = program;
    } else {
        other.kernels = build;
    }
    return other;
}
