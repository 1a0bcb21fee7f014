#include "collector.h"

#include "cudart/cudart.h"

struct simulation {
    const struct job *job;
    struct launches launches;
};

/* Tells the parent how far a launch is: then it is not hung. */
static void tell_headway(void *self, uint64_t done, uint64_t count, double left)
{
    const struct simulation *simulation = self;
    char text[HEADWAY_TEXT];
    headway_to_text(&(struct launch_headway){done, count, left}, text);
    message_send(simulation->job->pipe, MESSAGE_HEADWAY, text);
}

static int sim_open(void **self, const struct job *job, struct device *device, struct session *session,
                    struct problem *problem)
{
    (void)problem;
    struct simulation *simulation = *self = x_calloc(1, sizeof *simulation);
    simulation->job = job;
    gpu_as_device(runtime_gpu(), device); /* prepare() has opened the GPU */
    const struct architecture *architecture = architecture_find(gpu_capability(runtime_gpu()));
    if (!architecture || !architecture->verified)
        session->facts[SESSION_SILICON] = x_strdup("not verified");
    if (job->dry)
        launches_only_note(&simulation->launches);
    if (job->whole)
        grid_leave_none(runtime_machine());
    const bool threads = ANY(m, job->metrics->count, exact_counts_threads(exact_counter_of(&job->metrics->list[m])));
    simulation->launches.times.wanted = !job->dry && gpu_as_chip(runtime_gpu(), &simulation->launches.times.chip);
    grid_ask_threads(runtime_machine(), threads);
    runtime_machine()->headway->self = simulation;
    runtime_machine()->headway->tell = tell_headway;
    return 0;
}

static void sim_close(void *self)
{
    struct simulation *simulation = self;
    runtime_machine()->headway->tell = NULL;
    launches_release(&simulation->launches);
    free(simulation);
}

/* Turns the counters of one launch into readings, one for each metric. */
static void read_launch(const struct metrics *metrics, const double *counted, struct value *readings)
{
    for (size_t m = 0; m < metrics->count; m++) {
        const enum exact_counter counter = exact_counter_of(&metrics->list[m]);
        if (counter == EXACT_COUNTERS)
            readings[m] = (struct value){VALUE_NOT_SUPPORTED, 0};
        else if (isnan(counted[counter]))
            readings[m] = (struct value){VALUE_NOT_COUNTED, 0};
        else
            readings[m] = (struct value){VALUE_MEASURED, counted[counter]};
    }
}

/* Adds a row for each metric that is provided, and none for others. There is one sample. A count between two bounds has
 * three: itself and the bounds. One that depends on which block comes first has none. */
static void add_rows(struct launches *log, const struct metrics *metrics, struct result *result)
{
    const size_t launches = launches_counted(log);
    OWNED_MEMORY struct value *readings = x_calloc(launches * metrics->count, sizeof *readings);
    OWNED_MEMORY struct value *values = x_calloc(BOUNDS * metrics->count, sizeof *values);
    for (enum bound bound = 0; bound < BOUNDS; bound++) {
        for (size_t launch = 0; launch < launches; launch++)
            read_launch(metrics, launches_values(log, launch, bound), &readings[launch * metrics->count]);
        sample_combine(metrics, readings, launches, &values[bound * metrics->count]);
    }
    for (size_t m = 0; m < metrics->count; m++) {
        const enum exact_counter counter = exact_counter_of(&metrics->list[m]);
        if (counter == EXACT_COUNTERS || (counter == EXACT_OUTSIDE_WAITS && !launches_waited(log)))
            continue;
        const char *open = launches_undecided_at(log, counter);
        double numbers[BOUNDS];
        for (enum bound bound = 0; bound < BOUNDS; bound++)
            numbers[bound] = round_value(values[bound * metrics->count + m].number);
        struct row *row = result_add(result, metrics->list[m].name);
        row->state = open ? VALUE_NOT_COUNTED : values[m].state;
        if (open)
            row->reason = x_sprintf(ROW_OPEN "%s%s", strncmp(open, "YIELD", 5) == 0 ? "spin loop, " : "", open);
        if (row->state == VALUE_MEASURED)
            row_add_session(row, numbers, numbers[BOUND_LEAST] == numbers[BOUND_MOST] ? 1 : BOUNDS);
    }
}

/* Fails if something was missing in this process: then its numbers are not to be trusted, whatever its calls returned.
 */
static int check(struct problem *problem)
{
    const char *reason = runtime_reason();
    return reason ? problem_set(problem, "%s", reason) : 0;
}

/* Executes the workload once, in one of ALL_ORDERS. */
static int run_in_order(struct launches *log, const struct workload *workload, unsigned order, struct problem *problem)
{
    launches_order(log, order);
    /* What a workload left is restored before it runs again, by the contract of kernel libraries. */
    grid_forget(runtime_machine());
    if (workload_restore(workload, problem) < 0 || workload_wait(workload, problem) < 0)
        return -1;
    launches_begin(log);
    outcomes_watch(runtime_machine(), order > 0 || runtime_machine()->outcomes.restores);
    const int failed = workload_run(workload, problem);
    outcomes_watch(runtime_machine(), false);
    launches_end(log);
    return failed < 0 || check(problem) < 0 ? -1 : 0;
}

/* Says of a result what of it depends on the order: by a race if there is one. -1 with *problem: that is a fault. */
static int note_outcome(struct launches *log, struct result *result, struct problem *problem)
{
    bool sure;
    char *race = launches_race(log, &sure), *where = result->varies;
    struct doubt_of *suppressed = log->suppressed >> DOUBT_RACE & 1 ? &log->doubt.of[DOUBT_RACE] : NULL;
    if (where)
        result->varies = x_sprintf("%s: %s", where, race ? race : launches_met_at(log));
    if (sure)
        problem_set(suppressed ? &suppressed->problem : problem, "%s", race);
    if (sure && suppressed)
        suppressed->any = true;
    free(race);
    free(where);
    return sure && !suppressed ? -1 : 0;
}

/* Fails where something depends on what a launch did that it should not: it reads shared memory that nobody wrote, its
 * warps meet without a barrier between them, or its products read what was stored without a fence (warpgroup_unit()).
 * With other contents of that memory, and in other orders of the warps, the workload leaves the same in memory, and
 * goes the same ways, if what was read is never used. Only what atomics add up may differ in the last bits of floats.
 */
static int settle_doubt(struct launches *log, const struct workload *workload, struct result *result,
                        struct problem *problem)
{
    struct problem doubt;
    if (!launches_doubt(log))
        return 0;
    problem_set(&doubt, "%s", launches_doubt(log));
    for (unsigned order = ORDERS; order < ALL_ORDERS; order++) {
        bool differs = run_in_order(log, workload, order, problem) < 0;
        if (order == ORDERS && !differs) {
            launches_keep(log);
            outcomes_keep(runtime_machine());
            continue;
        }
        OWNED_TEXT where = differs ? NULL : outcomes_compare(runtime_machine());
        differs |=
            (where && !(launches_add_up(log) && outcomes_are_near(runtime_machine()))) || !launches_are_alike(log);
        if (differs) {
            *problem = doubt;
            return -1;
        }
    }
    free(result->doubt);
    result->doubt = x_strdup(doubt.text);
    return run_in_order(log, workload, 0, problem);
}

/* Executes the workload. If blocks meet, it is executed in the other orders too, which are the same on every machine.
 * What they do not count alike is open. What they do not leave alike in memory is said of the result. */
static int run_in_orders(struct launches *log, const struct workload *workload, struct result *result,
                         struct problem *problem)
{
    times_release(&log->times);
    TRY(run_in_order(log, workload, 0, problem));
    if (times_need_more(&log->times) && run_in_order(log, workload, 0, problem) < 0)
        return -1;
    TRY(settle_doubt(log, workload, result, problem));
    const bool meet = launches_met(log);
    if (!meet)
        launches_find_waits(log);
    for (unsigned order = 1; meet && order < (launches_yielded(log) ? ORDERS : ORDER_PARTED); order++) {
        TRY(run_in_order(log, workload, order, problem));
        if (order == 1) {
            launches_keep(log);
            outcomes_keep(runtime_machine());
            continue;
        }
        result->varies = result->varies ? result->varies : outcomes_compare(runtime_machine());
        TRY(launches_compare(log, problem));
    }
    return meet ? note_outcome(log, result, problem) : 0;
}

int workload_count(struct launches *log, const struct workload *workload, const struct metrics *metrics,
                   struct result *result, struct problem *problem)
{
    outcomes_forget(runtime_machine());
    const int failed = run_in_orders(log, workload, result, problem);
    launches_order(log, 0);
    outcomes_forget(runtime_machine());
    if (failed == 0)
        add_rows(log, metrics, result);
    return failed;
}

/* Executes nothing. A host that shares memory with the GPU, which hides inputs, may wait there for what a kernel
 * writes: such a run ends at its first launch. The process ends behind it. */
static int run_dry(struct launches *log, const struct workload *workload, struct result *result,
                   struct problem *problem)
{
    jmp_buf ends;
    if (setjmp(ends) != 0)
        return 0;
    log->ends = &ends;
    log->thread = pthread_self();
    return run_in_orders(log, workload, result, problem);
}

static int sim_measure(void *self, const struct workload *workload, struct result *result, struct problem *problem)
{
    struct simulation *simulation = self;
    struct launches *log = &simulation->launches;
    const struct job *job = simulation->job;
    const int failed = (job->dry ? run_dry : run_in_orders)(log, workload, result, problem);
    launches_order(log, 0);
    outcomes_forget(runtime_machine());
    OWNED_TEXT noted = outside_noted(runtime_machine());
    result->outside = noted && failed == 0 ? x_strdup(noted) : NULL;
    if (failed < 0 && !runtime_reason() && launches_counted(log) == 0) {
        const struct problem said = *problem;
        problem_set(problem, RESULT_ELSEWHERE "%s", said.text);
    }
    TRY(failed);
    if (job->dry)
        launches_hand_over(log, result);
    if (workload->transfer || job->dry)
        return 0; /* nothing of it can be counted, or is to be counted */
    if (launches_counted(log) == 0)
        return problem_set(problem,
                           "no kernel was launched; a family that only copies must have the kind CUGATE_TRANSFER");
    add_rows(log, job->metrics, result);
    launches_hand_over(log, result);
    return 0;
}

static void sim_explain(void *self, struct problem *problem)
{
    (void)self;
    check(problem);
}

const struct collector sim_collector = {
    .open = sim_open,
    .measure = sim_measure,
    .close = sim_close,
    .explain = sim_explain,
    .measures_first = true,
};
