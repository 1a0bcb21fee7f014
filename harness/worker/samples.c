#include "samples.h"

void samples_fill(struct result *result, const struct metrics *metrics, const struct value *values, size_t samples,
                  const bool *once)
{
    OWNED_MEMORY double *numbers = x_calloc(samples, sizeof *numbers);
    for (size_t m = 0; m < metrics->count; m++) {
        if (metric_source(&metrics->list[m]) != SOURCE_SAMPLES)
            continue;
        struct row *row = result_add(result, metrics->list[m].name);
        row->state = VALUE_MEASURED;
        const size_t count = once && once[m] ? 1 : samples;
        for (size_t s = 0; s < count; s++) {
            const struct value *value = &values[s * metrics->count + m];
            if (value->state != VALUE_MEASURED)
                row->state = value->state;
            numbers[s] = round_value(value->number);
        }
        if (row->state == VALUE_MEASURED)
            row_add_session(row, numbers, count);
    }
}

int samples_of_length(int samples, double seconds)
{
    enum { FEWEST = 3 };
    const double longest = 0.01;
    const int fewest = samples < FEWEST ? samples : FEWEST;
    if (seconds <= longest)
        return samples;
    const int fewer = (int)(samples * longest / seconds);
    return fewer > fewest ? fewer : fewest;
}

int samples_by_host(const struct job *job, const struct workload *workload, enum value_state others,
                    const struct conditioning *conditioning, struct result *result, struct problem *problem)
{
    const struct metrics *metrics = job->metrics;
    const size_t samples = (size_t)job->samples;
    struct value *values = x_calloc(samples * metrics->count, sizeof *values);
    int failed = -1;

    for (size_t s = 0; s < samples; s++) {
        if (workload_restore(workload, problem) < 0 ||
            (conditioning && conditioning->apply(conditioning->condition, problem) < 0) ||
            workload_wait(workload, problem) < 0)
            goto out;
        if (conditioning)
            conditioning->mark(true);
        const double start = now_seconds();
        const int run = workload_run(workload, problem);
        const double elapsed = (now_seconds() - start) * 1e9;
        if (conditioning)
            conditioning->mark(false);
        if (run < 0)
            goto out;
        for (size_t m = 0; m < metrics->count; m++) {
            const bool wall = computed_counter_of(&metrics->list[m]) == COMPUTED_WALL_TIME;
            values[s * metrics->count + m] = wall ? (struct value){VALUE_MEASURED, elapsed} : (struct value){others, 0};
        }
    }
    samples_fill(result, metrics, values, samples, NULL);
    failed = 0;
out:
    free(values);
    return failed;
}
