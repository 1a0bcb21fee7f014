#include "sim/collector.h"
#include "test.h"

#include "cudart/runtime.h"

#include <sys/socket.h>

#include "cudart/sim_support.h"

/* These make a workload that launches one kernel, unless its test says otherwise. */
static const char fill = 0;
static int *out;
static int (*launch_this)(void);
static int restored;

static int one_launch(void)
{
    return (int)cudaLaunchKernel(&fill, (dim3){2, 1, 1}, (dim3){64, 1, 1}, (void *[]){&out}, 0, NULL);
}

static int no_launch(void)
{
    return 0;
}

/* Calls a function that is not simulated, and ignores its error. */
static int with_a_graph(void)
{
    cudaIpcMemHandle_t handle;
    cudaIpcGetMemHandle(&handle, NULL);
    return one_launch();
}

static int at_no_address(void)
{
    out = NULL;
    one_launch();
    return (int)cudaGetLastError();
}

static bool waited;

/* The host waits for what the kernel writes. */
static int launch_and_wait(void)
{
    const int error = one_launch();
    waited = true;
    return error;
}

static int say(int error, struct problem *problem)
{
    return error ? problem_set(problem, "%s", cudaGetErrorString((cudaError_t)error)) : 0;
}

static int restore(void *self, struct problem *problem)
{
    (void)self;
    restored++;
    return say(one_launch(), problem); /* this launch is not counted */
}

static int launch(void *self, struct problem *problem)
{
    (void)self;
    return say(launch_this(), problem);
}

static int wait(void *self, struct problem *problem)
{
    (void)self;
    return say((int)cudaDeviceSynchronize(), problem);
}

/* What it contains lives as long as the process, of which each test has its own. */
static struct {
    struct metrics metrics;
    struct job job;
    struct device device;
    struct session session;
    struct workload workload;
    struct result result;
    struct problem problem;
    void *collector;
    int parent; /* the parent's end of the pipe */
} fixture = {.workload = {.id = "made/up", .before = restore, .launch = launch, .wait = wait}};

static void open_fixture(int (*what)(void))
{
    cr_assert_eq(metrics_read_folder(&fixture.metrics, "metrics"), 0);
    fixture.job.metrics = &fixture.metrics;
    int ends[2];
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    fixture.parent = ends[0];
    fixture.job.pipe = ends[1];
    void **binary = sim_register("extern \"C\" __global__ void fill(int *out)\n"
                                 "{\n"
                                 "    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;\n"
                                 "}\n");
    sim_register_kernel(binary, &fill, "fill");
    cr_assert_eq(cudaMalloc((void **)&out, 4096), cudaSuccess);
    launch_this = what;
    cr_assert_eq(
        sim_collector.open(&fixture.collector, &fixture.job, &fixture.device, &fixture.session, &fixture.problem), 0);
}

static int measure(void)
{
    return sim_collector.measure(fixture.collector, &fixture.workload, &fixture.result, &fixture.problem);
}

Test(collector, a_row_for_each_metric_that_it_has_and_none_for_others)
{
    open_fixture(one_launch);
    cr_expect_str_eq(fixture.device.name, "NVIDIA H200");
    cr_assert_eq(measure(), 0, "%s", fixture.problem.text);
    cr_expect_eq(restored, 1);
    const struct result *result = &fixture.result;
    EACH(const struct metric, metric, fixture.metrics.list, fixture.metrics.count) {
        const enum metric_source source = metric_source(metric);
        const bool has = (source == SOURCE_SAMPLES || source == SOURCE_SIMULATION) && exact_provides(metric) &&
                         computed_counter_of(metric) != COMPUTED_OUTSIDE_WAITS; /* it has no waits */
        cr_expect_eq(result_find(result, metric->name) != NULL, has, "%s", metric->name);
    }
    cr_expect_eq(row_value(result_find(result, "global_store_requests")), 4, "not the restoring launch");
    cr_expect_eq(row_value(result_find(result, "threads_per_instruction")), 32);
    cr_expect_eq(result_find(result, "branch_efficiency")->state, VALUE_NOT_APPLICABLE);
    cr_expect_eq(result_find(result, "instructions")->sessions[0].count, 1);
    cr_assert_eq(result->launch_count, 1);
    cr_expect_eq(profile_total(&result->profile, LINE_GLOBAL_STORES), 4);
    cr_expect(sim_collector.measures_first);
    struct message message;
    cr_assert(message_read(fixture.parent, &message));
    struct launch_headway headway;
    cr_expect_eq(message.kind, MESSAGE_HEADWAY);
    cr_expect(headway_from_text(&headway, message.text) && headway.count == 2, "%s", message.text);
    free(message.text);
    sim_collector.close(fixture.collector);
}

Test(collector, launches_of_one_workload_are_combined)
{
    open_fixture(one_launch);
    cr_assert_eq(measure(), 0);
    result_release(&fixture.result);
    fixture.result = (struct result){0};
    cr_assert_eq(measure(), 0, "again: only of this time");
    cr_expect_eq(row_value(result_find(&fixture.result, "global_store_requests")), 4);
    cr_expect_eq(fixture.result.launches[0].times, 1);
}

Test(collector, no_launch_is_no_measurement_but_of_a_transfer)
{
    open_fixture(no_launch);
    cr_expect_eq(measure(), -1);
    cr_expect(strstr(fixture.problem.text, "no kernel was launched"), "%s", fixture.problem.text);
    fixture.workload.transfer = true;
    cr_expect_eq(measure(), 0);
    cr_expect_eq(fixture.result.row_count, 0);
}

/* Of LeakSanitizer, where that is linked. */
extern void __lsan_disable(void) __attribute__((weak)); /* NOLINT: not our name */

/* It leaves its launch by a jump, and all that is allocated there, since its process ends next. */
Test(collector, a_dry_run_ends_before_the_host_waits_for_a_kernel)
{
    if (__lsan_disable)
        __lsan_disable();
    open_fixture(launch_and_wait);
    fixture.job.dry = true;
    sim_collector.open(&fixture.collector, &fixture.job, &fixture.device, &fixture.session, &fixture.problem);
    cr_assert_eq(cudaMallocHost((void **)&out, 4096), cudaSuccess);
    cr_expect_eq(measure(), 0);
    cr_expect_not(waited);
    cr_expect_eq(fixture.result.launch_count, 1);
}

Test(collector, what_was_missing_takes_the_numbers_even_if_nobody_cared)
{
    open_fixture(with_a_graph);
    cr_expect_eq(measure(), -1);
    cr_expect_str_eq(fixture.problem.text, "not simulated: cudaIpcGetMemHandle");
    cr_expect_eq(fixture.result.row_count, 0);
    /* This is the error of a later call that fails because of that. */
    problem_set(&fixture.problem, "verify: operation not supported");
    sim_collector.explain(fixture.collector, &fixture.problem);
    cr_expect_str_eq(fixture.problem.text, "not simulated: cudaIpcGetMemHandle");
}

Test(collector, a_fault_has_the_simulators_words)
{
    open_fixture(at_no_address);
    cr_expect_eq(measure(), -1);
    sim_collector.explain(fixture.collector, &fixture.problem);
    cr_expect(strstr(fixture.problem.text, "0x0") && !strstr(fixture.problem.text, "illegal"), "%s",
              fixture.problem.text);
    cr_expect_eq(fixture.result.row_count, 0);
}

Test(collector, other_failures_keep_their_words)
{
    open_fixture(one_launch);
    problem_set(&fixture.problem, "open: out of memory");
    sim_collector.explain(fixture.collector, &fixture.problem);
    cr_expect_str_eq(fixture.problem.text, "open: out of memory");
}
