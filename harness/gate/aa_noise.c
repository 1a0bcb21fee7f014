/* Describes the noise: where it comes from, which counters have none, and which changes it hides. */
#include "aa_parts.h"

/* Numbers, each of which belongs to a group. */
struct grouped {
    double *values;
    size_t *groups;
    size_t count;
};

static void release(struct grouped *grouped)
{
    free(grouped->values);
    free(grouped->groups);
}

static void add(struct grouped *grouped, double value, size_t group)
{
    size_t count = grouped->count;
    *ARRAY_GROW(grouped->values, count) = value;
    *ARRAY_GROW(grouped->groups, grouped->count) = group;
}

/* Computes the mean of a group, value by value, so it is exact when all are equal. Returns false for an empty group. */
static bool mean_of(const struct grouped *grouped, size_t group, double *mean)
{
    long double running = 0;
    size_t count = 0;
    for (size_t i = 0; i < grouped->count; i++)
        if (grouped->groups[i] == group)
            running += ((long double)grouped->values[i] - running) / (long double)++count;
    *mean = (double)running;
    return count > 0;
}

/* Returns the pooled standard deviation about the means of the groups; NAN when no group has two values. */
static double pooled(const struct grouped *grouped, size_t groups)
{
    double squares = 0, mean;
    size_t means = 0;
    for (size_t group = 0; group < groups; group++) {
        if (!mean_of(grouped, group, &mean))
            continue;
        means++;
        for (size_t i = 0; i < grouped->count; i++)
            if (grouped->groups[i] == group)
                squares += (grouped->values[i] - mean) * (grouped->values[i] - mean);
    }
    return grouped->count > means ? sqrt(squares / (double)(grouped->count - means)) : NAN;
}

static size_t gpu_of_cell(const struct sessions *sessions, size_t cell)
{
    size_t session = 0;
    while (sessions->cell[session] != cell)
        session++;
    return sessions->gpu[session];
}

/* Computes the deviations of one row; spread_part says what they are. Returns false when it was not measured. */
static bool row_deviations(const struct sessions *sessions, size_t kernel, const struct metric *metric,
                           double deviations[SPREAD_PARTS])
{
    struct grouped by_gpu = {0}, by_cell = {0}, gpu_means = {0}, cell_means = {0}, all = {0};
    double mean;
    for (size_t i = 0; i < sessions->count; i++) {
        const struct row *row = measured_row(sessions, i, kernel, metric);
        if (!row)
            continue;
        const double value = row_value(row);
        add(&all, value, 0);
        add(&by_gpu, value, sessions->gpu[i]);
        add(&by_cell, value, sessions->cell[i]);
    }
    for (size_t gpu = 0; gpu < sessions->gpus; gpu++)
        if (mean_of(&by_gpu, gpu, &mean))
            add(&gpu_means, mean, 0);
    for (size_t cell = 0; cell < sessions->cells; cell++)
        if (mean_of(&by_cell, cell, &mean))
            add(&cell_means, mean, gpu_of_cell(sessions, cell));
    deviations[SPREAD_WITHIN] = pooled(&by_cell, sessions->cells);
    deviations[SPREAD_GPUS] = pooled(&gpu_means, 1);
    deviations[SPREAD_DAYS] = pooled(&cell_means, sessions->gpus);

    const bool measured = mean_of(&all, 0, &mean);
    double scale = strcmp(metric->unit, "%") == 0 ? 1 : fmax(fabs(mean), metric->floor_absolute);
    if (scale == 0)
        scale = 1;
    for (size_t part = 0; part < SPREAD_PARTS; part++)
        deviations[part] /= scale;
    release(&by_gpu);
    release(&by_cell);
    release(&gpu_means);
    release(&cell_means);
    release(&all);
    return measured;
}

void analyse_spread(struct analysis *analysis, const struct sessions *sessions)
{
    const struct run *first = &sessions->runs[0];
    double *values[SPREAD_PARTS];
    for (size_t part = 0; part < SPREAD_PARTS; part++)
        values[part] = x_calloc(first->result_count + 1, sizeof *values[part]);

    for (size_t m = 0; m < sessions->metrics->count; m++) {
        struct metric_spread spread = {.metric = &sessions->metrics->list[m]};
        bool any = false;
        for (size_t kernel = 0; kernel < first->result_count && spread.metric->class != METRIC_STATIC; kernel++) {
            double deviations[SPREAD_PARTS];
            const bool measured = row_deviations(sessions, kernel, spread.metric, deviations);
            any |= measured;
            for (size_t part = 0; part < SPREAD_PARTS && measured; part++) {
                struct spread_of_kernels *of = &spread.parts[part];
                if (isnan(deviations[part]))
                    continue;
                if (of->kernels == 0 || deviations[part] > of->worst) {
                    of->worst = deviations[part];
                    of->worst_kernel = first->results[kernel].id;
                }
                values[part][of->kernels++] = deviations[part];
            }
        }
        for (size_t part = 0; part < SPREAD_PARTS; part++)
            if (spread.parts[part].kernels > 0)
                spread.parts[part].median = median(values[part], spread.parts[part].kernels);
        if (any)
            *ARRAY_GROW(analysis->spreads, analysis->spread_count) = spread;
    }
    for (size_t part = 0; part < SPREAD_PARTS; part++)
        free(values[part]);
}

/* ---- How well counters repeat ---- */

/* Returns the range of the readings as a share of the largest one. */
static double width(const struct nonrepeating *nonrepeating)
{
    return (nonrepeating->high - nonrepeating->low) / nonrepeating->high;
}

static int widest_first(const void *left, const void *right)
{
    const struct nonrepeating *a = left, *b = right;
    const double of_a = width(a), of_b = width(b);
    return of_a > of_b ? -1 : of_a < of_b ? 1 : strcmp(a->kernel, b->kernel);
}

static void read_kernel(struct exactness *exactness, const struct sessions *sessions, size_t kernel)
{
    struct nonrepeating range = {.kernel = sessions->runs[0].results[kernel].id, .low = HUGE_VAL};
    size_t readings = 0, read_sessions = 0;
    for (size_t i = 0; i < sessions->count; i++) {
        const struct row *row = measured_row(sessions, i, kernel, exactness->metric);
        if (!row)
            continue;
        read_sessions++;
        for (size_t k = 0; k < row->sessions[0].count; k++, readings++) {
            range.low = fmin(range.low, row->sessions[0].samples[k]);
            range.high = fmax(range.high, row->sessions[0].samples[k]);
        }
    }
    if (readings == 0)
        return;
    exactness->kernels++;
    exactness->all_readings += readings;
    if (range.high > range.low) {
        *ARRAY_GROW(exactness->nonrepeating, exactness->nonrepeating_count) = range;
        return;
    }
    if (exactness->repeat == 0 || readings < exactness->readings)
        exactness->readings = readings;
    if (exactness->repeat == 0 || read_sessions < exactness->sessions)
        exactness->sessions = read_sessions;
    exactness->repeat++;
    exactness->admitted += readings >= ANALYSIS_READINGS && read_sessions >= ANALYSIS_READ_SESSIONS;
}

void analyse_exactness(struct analysis *analysis, const struct sessions *sessions)
{
    for (size_t m = 0; m < sessions->metrics->count; m++) {
        struct exactness exactness = {.metric = &sessions->metrics->list[m]};
        const enum metric_class class = exactness.metric->class;
        if (class != METRIC_EXACT && class != METRIC_STEADY)
            continue;
        for (size_t kernel = 0; kernel < sessions->runs[0].result_count; kernel++)
            read_kernel(&exactness, sessions, kernel);
        if (exactness.kernels == 0 || (class == METRIC_STEADY && exactness.repeat < exactness.kernels)) {
            free(exactness.nonrepeating);
            continue;
        }
        SORT(exactness.nonrepeating, exactness.nonrepeating_count, widest_first);
        *ARRAY_GROW(analysis->exactness, analysis->exactness_count) = exactness;
    }
}

/* ---- Which changes the noise hides ---- */

static double share(const struct detectable *detectable)
{
    return detectable->change / detectable->base;
}

/* Orders changes by metric, in the order of the list of metrics, then the largest first. */
static int largest_first(const void *left, const void *right)
{
    const struct detectable *a = left, *b = right;
    if (a->metric != b->metric)
        return a->metric < b->metric ? -1 : 1;
    return share(a) > share(b) ? -1 : share(a) < share(b) ? 1 : strcmp(a->kernel, b->kernel);
}

void analyse_detectable(struct analysis *analysis, const struct sessions *sessions)
{
    struct quantiles quantiles = {0};
    for (size_t kernel = 0; kernel < sessions->runs[0].result_count; kernel++)
        EACH(const struct metric, metric, sessions->metrics->list, sessions->metrics->count) {
            struct row all = {.metric = metric->name};
            for (size_t i = 0; i < sessions->count && metric->class == METRIC_TIME; i++) {
                const struct row *row = measured_row(sessions, i, kernel, metric);
                if (row)
                    row_add_session(&all, row->sessions[0].samples, row->sessions[0].count);
            }
            if (all.session_count > 1) {
                const struct spread spread = rule_spread(&all);
                const double change = rule_detectable(&quantiles, rule_floor(metric, spread.mean), &spread, 1);
                if (spread.mean > 0)
                    *ARRAY_GROW(analysis->detectables, analysis->detectable_count) =
                        (struct detectable){sessions->runs[0].results[kernel].id, metric, spread.mean, change};
            }
            row_clear(&all);
        }
    SORT(analysis->detectables, analysis->detectable_count, largest_first);
}
