#include "simulate.h"

#include <gsl/gsl_randist.h>

#define SAMPLES 5 /* of a session */
#define CLOCK 1980e6

static const char *const noisy_metrics[SIMULATED_NOISY] = {"time", "achieved_occupancy", "dram_bytes_read"};
static const char *const exact_metrics[] = {
    "instructions",         "branch_targets",       "global_load_sectors",
    "global_load_requests", "global_store_sectors", "global_store_requests",
};

void nature_init(struct nature *nature, const struct selftest *selftest)
{
    const struct run *first = &selftest->sessions[0].run;
    *nature = (struct nature){.selftest = selftest};
    for (size_t i = 0; i < first->result_count; i++) {
        struct noise noise[SIMULATED_NOISY];
        bool whole = true;
        for (size_t m = 0; m < SIMULATED_NOISY && whole; m++)
            whole = noise_find(&noise[m], selftest, first->results[i].id, noisy_metrics[m]);
        if (whole)
            memcpy(ARRAY_GROW(nature->kernels, nature->count), noise, sizeof noise);
    }
    if (nature->count < SIMULATED_KERNELS)
        die(EXIT_USAGE, "%zu recorded kernels have a time; the simulation takes %d", nature->count, SIMULATED_KERNELS);
}

void nature_release(struct nature *nature)
{
    free(nature->kernels);
}

static double gaussian(const struct check *check, double deviation)
{
    return gsl_ran_gaussian_ziggurat(check->nature->selftest->rng, deviation);
}

static const struct noise *noise_of(const struct check *check, size_t kernel, size_t metric)
{
    return &check->nature->kernels[check->kernels[kernel]][metric];
}

static struct result *result_at(struct run *run, size_t kernel)
{
    char id[32];
    snprintf(id, sizeof id, "made/up_%02zu", kernel);
    return run_add(run, id);
}

/* A session of one row on a GPU that is peculiar by `gpu`: all its samples. */
static void draw_samples(const struct check *check, size_t kernel, size_t metric, double gpu, double factor,
                         double *samples)
{
    const struct noise *noise = noise_of(check, kernel, metric);
    const double value = noise->mean + gpu + gaussian(check, noise->session);
    for (size_t i = 0; i < SAMPLES; i++)
        samples[i] = fmax(0, factor * (value + gaussian(check, noise->sample)));
}

/* What has no noise: exact counters and the clock. */
static void draw_steadfast(struct run *run, size_t kernel, double lower_clock, size_t sessions, size_t count)
{
    static const double samples[SAMPLES] = {1e6, 1e6, 1e6, 1e6, 1e6};
    const double clock = CLOCK * (1 - lower_clock);
    for (size_t i = 0; i < ARRAY_SIZE(exact_metrics); i++) {
        struct row *row = result_add(result_at(run, kernel), exact_metrics[i]);
        for (size_t s = 0; s < sessions; s++)
            row_add_session(row, samples, count);
    }
    struct row *row = result_add(result_at(run, kernel), "sm_clock");
    for (size_t s = 0; s < sessions; s++)
        row_add_session(row, &clock, 1);
}

/* How much longer a time of the run is than it would be by itself. */
static double time_factor(const struct check *check, size_t kernel)
{
    return (1 + check->slower[kernel]) * (1 + check->suite) / (1 - check->clock[kernel]);
}

static size_t sessions_on(const struct check *check, size_t gpu)
{
    if (!check->lopsided)
        return SIMULATED_SESSIONS / check->gpus;
    return gpu == 0 ? SIMULATED_SESSIONS - (check->gpus - 1) : 1;
}

/* A baseline keeps the median of a session alone. */
static void draw_baseline(struct check *check, size_t kernel, size_t metric)
{
    const double deviation = noise_of(check, kernel, metric)->gpu;
    struct row *row = result_add(result_at(&check->baseline, kernel), noisy_metrics[metric]);
    check->gpu[kernel][metric] = gaussian(check, deviation);
    for (size_t g = 0; g < check->gpus; g++) {
        const double gpu = check->known && g == 0 ? check->gpu[kernel][metric] : gaussian(check, deviation);
        for (size_t s = 0; s < sessions_on(check, g); s++) {
            double samples[SAMPLES];
            draw_samples(check, kernel, metric, gpu, 1, samples);
            row_add_session(row, &(double){median(samples, SAMPLES)}, 1);
        }
    }
}

static void add_session(struct run *run, const char *gpu)
{
    struct session *session = ARRAY_GROW(run->sessions, run->session_count);
    session->facts[SESSION_GPU_UUID] = x_strdup(gpu);
}

void check_draw(struct check *check, const struct nature *nature, bool known, size_t gpus, bool lopsided)
{
    size_t sessions = 0;
    *check = (struct check){.nature = nature, .known = known, .gpus = gpus, .lopsided = lopsided};
    OWNED_MEMORY size_t *all = x_calloc(nature->count, sizeof *all);
    for (size_t i = 0; i < nature->count; i++)
        all[i] = i;
    gsl_ran_choose(nature->selftest->rng, check->kernels, SIMULATED_KERNELS, all, nature->count, sizeof *all);
    /* The choice is in the order of the names, and what is planted goes to the first. */
    gsl_ran_shuffle(nature->selftest->rng, check->kernels, SIMULATED_KERNELS, sizeof *check->kernels);

    for (size_t g = 0; g < gpus; g++) {
        char name[32];
        snprintf(name, sizeof name, "GPU-%zu", g);
        for (size_t s = 0; s < sessions_on(check, g); s++, sessions++)
            add_session(&check->baseline, name);
    }
    add_session(&check->run, known ? "GPU-0" : "GPU-new");
    for (size_t k = 0; k < SIMULATED_KERNELS; k++) {
        for (size_t m = 0; m < SIMULATED_NOISY; m++)
            draw_baseline(check, k, m);
        draw_steadfast(&check->baseline, k, 0, sessions, 1);
    }
}

void simulated_release(struct check *check)
{
    comparison_release(&check->comparison);
    run_release(&check->baseline);
    run_release(&check->run);
}

/* A session of the chosen kernels; the first one is of all. */
static void measure(const struct check *check, struct run *run, const bool *chosen)
{
    for (size_t k = 0; k < SIMULATED_KERNELS; k++) {
        if (chosen && !chosen[k])
            continue;
        const double factor = time_factor(check, k) * (chosen ? 1 : 1 + check->hiccup[k]);
        for (size_t m = 0; m < SIMULATED_NOISY; m++) {
            double samples[SAMPLES];
            draw_samples(check, k, m, check->gpu[k][m], m == 0 ? factor : 1, samples);
            row_add_session(result_add(result_at(run, k), noisy_metrics[m]), samples, SAMPLES);
        }
        draw_steadfast(run, k, check->clock[k], 1, SAMPLES);
    }
}

static void compare(struct check *check)
{
    comparison_release(&check->comparison);
    compare_runs(&check->comparison, &check->baseline, &check->run, &check->nature->selftest->metrics, NULL);
}

static bool is_suspect(const struct check *check, size_t kernel, const char *metric)
{
    const struct judgement *judgement = judgement_of(&check->comparison, check->baseline.results[kernel].id, metric);
    return judgement && judgement_is_suspect(judgement);
}

/* A second session of every kernel with a suspect; of its time only when no pairs are going to settle that. */
static void confirm(struct check *check, bool paired)
{
    bool chosen[SIMULATED_KERNELS] = {false};
    OWNED(run) again = {0};
    for (size_t k = 0; k < SIMULATED_KERNELS; k++) {
        for (size_t m = paired ? 1 : 0; m < SIMULATED_NOISY; m++)
            chosen[k] |= is_suspect(check, k, noisy_metrics[m]);
        for (size_t m = 0; m < ARRAY_SIZE(exact_metrics); m++)
            chosen[k] |= is_suspect(check, k, exact_metrics[m]);
    }
    measure(check, &again, chosen);
    run_append(&check->run, &again);
    compare(check);
}

/* Value of one half of a pair. */
static double draw_half(const struct check *check, size_t kernel, double factor)
{
    double samples[SAMPLES];
    draw_samples(check, kernel, 0, check->gpu[kernel][0], factor, samples);
    return median(samples, SAMPLES);
}

static void settle(struct check *check, bool all)
{
    for (size_t k = 0; k < SIMULATED_KERNELS; k++) {
        const struct judgement *judgement = judgement_of(&check->comparison, check->baseline.results[k].id, "time");
        if (!all && !judgement_wants_pairs(judgement))
            continue;
        struct row *row = result_find(&check->run.results[k], "time");
        while (row->pair_count < RULE_PAIR_COUNT &&
               rule_pairs(row, judgement->metric, NULL, NULL) == PAIRED_UNDECIDED) {
            const double base = draw_half(check, k, 1);
            row_add_pair(row, base, draw_half(check, k, time_factor(check, k)));
        }
    }
    compare(check);
}

enum exit_code simulated_judge(struct check *check, enum route route)
{
    measure(check, &check->run, NULL);
    compare(check);
    confirm(check, route != ROUTE_SESSION);
    if (route != ROUTE_SESSION)
        settle(check, route == ROUTE_PAIRED);
    return comparison_exit_code(&check->comparison);
}

enum verdict check_time(const struct check *check, size_t kernel)
{
    return judgement_of(&check->comparison, check->baseline.results[kernel].id, "time")->verdict;
}
