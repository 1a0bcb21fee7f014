/* Tests counting: what a session has, and how it is lost. What these tests expect of CUPTI was seen of the real one. */
#include "standin_test.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define GOOD(call) cr_assert_eq(call, CUPTI_SUCCESS)
#define UNKNOWN(call) cr_assert_eq(call, CUPTI_ERROR_UNKNOWN)
#define VALUE(session, range, metric, expected)                                                                        \
    cr_assert_float_eq(session_value(session, range, metric), expected, 1e-6)

/* Most tests have one GPU and one session of it. Each test has a process of its own, and so these of its own. */
static struct gpu gpu;
static struct session session;

static const double threads = 64.0 * 256; /* the threads of most launches here */

static void open_session(size_t ranges, const char *metric)
{
    gpu_open(&gpu, 0);
    session_open(&session, &gpu, CUPTI_AutoRange, ranges, metric);
}

/* For sets of metrics that take so many passes. */
static void open_passes(size_t passes, const char *const *metrics)
{
    gpu_open(&gpu, 0);
    session_initialize();
    GOOD(session_enable(&session, gpu.context));
    cr_assert_eq(session_configure(&session, CUPTI_AutoRange, 8, metrics), passes);
}

static void add_one(void)
{
    launch(&gpu, "add_one", 64, 256);
}

static void stop(size_t ranges)
{
    GOOD(session_stop(&session, NULL));
    GOOD(session_decode(&session));
    cr_assert_eq(session_ranges(&session), ranges, "%zu ranges in place of %zu", session_ranges(&session), ranges);
}

/* Counts the launches, of which so many are in a range. */
static void count(int launches, size_t ranges)
{
    GOOD(session_start(&session));
    launch_some(&gpu, launches);
    stop(ranges);
}

static void count_add_one(void)
{
    GOOD(session_start(&session));
    add_one();
    stop(1);
}

Test(range, needs_a_context_first)
{
    CUpti_Profiler_Initialize_Params params = {.structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
    UNKNOWN(cuptiProfilerInitialize(&params));
    MUST(cuInit(0));
    UNKNOWN(cuptiProfilerInitialize(&params));
    gpu_open(&gpu, 0);
    GOOD(cuptiProfilerInitialize(&params));
}

Test(range, one_a_launch_with_numbers_that_can_be_worked_out)
{
    struct gpu other;
    gpu_open(&gpu, 0);
    gpu_use(&other, gpu.context, _binary_other_cubin_start);
    session_initialize();
    GOOD(session_enable(&session, gpu.context));
    cr_assert_eq(session_configure(&session, CUPTI_AutoRange, 8, METRICS(INSTRUCTIONS, TIME)), 1);
    GOOD(session_start(&session));
    add_one();
    launch(&gpu, "_Z5scaleIiEvPT_ii", 1, 32);
    launch(&other, "add_one", 64, 256);
    launch_value(&gpu, "add_value", 64, 256, 7);
    bool is_complete = false;
    GOOD(session_stop(&session, &is_complete));
    cr_assert(is_complete);
    GOOD(session_decode(&session));
    cr_assert_eq(session_ranges(&session), 4);
    VALUE(&session, 0, INSTRUCTIONS, 1000 * threads);
    VALUE(&session, 0, TIME, 12000);
    VALUE(&session, 1, INSTRUCTIONS, 32000);
    VALUE(&session, 1, TIME, 50000);
    VALUE(&session, 2, INSTRUCTIONS, 1512 * threads); /* a kernel of the same name with 512 bytes of shared memory */
    VALUE(&session, 3, INSTRUCTIONS, 1000 * threads + 7);
    cr_assert(isnan(session_value(&session, 0, WAVEFRONTS)), "it is not in the set");
    session_disable(&session);
}

Test(range, sessions_follow_each_other_without_configuring_again)
{
    open_session(8, INSTRUCTIONS);
    for (int turn = 0; turn < 3; turn++) {
        session_blank(&session);
        GOOD(session_start(&session));
        launch_some(&gpu, 8);
        GOOD(session_stop(&session, NULL));
        launch_some(&gpu, 3); /* nobody counts these */
        GOOD(session_decode(&session));
        cr_assert_eq(session_ranges(&session), 8);
    }
    session_disable(&session);
}

Test(range, two_kinds_of_metrics_take_two_passes)
{
    open_passes(2, METRICS(INSTRUCTIONS, WAVEFRONTS));
    for (int turn = 0; turn < 2; turn++) {
        session_blank(&session);
        for (int pass = 0; pass < 2; pass++) {
            bool is_complete = pass == 0;
            GOOD(session_start(&session));
            add_one();
            GOOD(session_stop(&session, &is_complete));
            cr_assert_eq(is_complete, pass == 1);
        }
        GOOD(session_decode(&session));
        cr_assert_eq(session_ranges(&session), 1);
        VALUE(&session, 0, INSTRUCTIONS, 1000 * threads);
        VALUE(&session, 0, WAVEFRONTS, 6 * threads);
    }
    session_disable(&session);
}

Test(range, one_pass_of_two_leaves_values_out)
{
    open_passes(3, METRICS(INSTRUCTIONS, WAVEFRONTS, SECTORS));
    count_add_one();
    VALUE(&session, 0, INSTRUCTIONS, 1000 * threads);
    cr_assert(isnan(session_value(&session, 0, WAVEFRONTS)));
    cr_assert(isnan(session_value(&session, 0, SECTORS)));
    session_disable(&session);
}

Test(range, none_of_a_launch_that_fails)
{
    open_session(8, INSTRUCTIONS);
    GOOD(session_start(&session));
    add_one();
    cr_assert_eq(try_launch(&gpu, "add_one", 64, 2048, NULL), CUDA_ERROR_INVALID_VALUE);
    cr_assert_eq(try_launch(&gpu, "add_one", 0, 256, NULL), CUDA_ERROR_INVALID_VALUE);
    add_one();
    stop(2);
    session_disable(&session);
}

Test(range, nothing_to_decode_before_stop)
{
    open_session(8, INSTRUCTIONS);
    GOOD(session_start(&session));
    launch_some(&gpu, 4);
    GOOD(session_decode(&session));
    cr_assert_eq(session_ranges(&session), 0);
    stop(4);
    session_disable(&session);
}

Test(range, what_does_not_fit_is_dropped_without_a_word)
{
    open_session(8, INSTRUCTIONS);
    count(12, 8); /* this also checks that no range is reported as dropped */

    session_set(&session, CUPTI_AutoRange, 5);
    session_blank(&session);
    count(8, 5); /* the image has room for more */

    /* A larger configuration reserves twice the ranges of the first one. */
    session_configure(&session, CUPTI_AutoRange, 100, METRICS(INSTRUCTIONS));
    count(50, 16);
    session_disable(&session);
}

Test(range, two_sets_need_disabling_between_them)
{
    open_session(8, INSTRUCTIONS);
    count_add_one();
    VALUE(&session, 0, INSTRUCTIONS, 1000 * threads);

    session_configure(&session, CUPTI_AutoRange, 8, METRICS(WAVEFRONTS));
    count_add_one();
    cr_assert(isnan(session_value(&session, 0, WAVEFRONTS)));
    session_disable(&session);

    GOOD(session_enable(&session, gpu.context));
    session_configure(&session, CUPTI_AutoRange, 8, METRICS(WAVEFRONTS));
    count_add_one();
    VALUE(&session, 0, WAVEFRONTS, 6 * threads);
    session_disable(&session);
}

Test(range, sizes_of_two_sets_spoil_the_first_one_too)
{
    gpu_open(&gpu, 0);
    session_initialize();
    GOOD(session_enable(&session, gpu.context));
    cr_assert_gt(session_size(&session, 8, METRICS(WAVEFRONTS)), 0);
    session_configure(&session, CUPTI_AutoRange, 8, METRICS(INSTRUCTIONS));
    count_add_one();
    cr_assert(isnan(session_value(&session, 0, INSTRUCTIONS)));
    session_disable(&session);
}

/* ---- Captures and graphs ---- */

static CUstream new_stream(void)
{
    CUstream stream;
    MUST(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    return stream;
}

static CUgraphExec end_capture(CUstream stream)
{
    CUgraph graph;
    CUgraphExec exec;
    MUST(cuStreamEndCapture(stream, &graph));
    MUST(cuGraphInstantiate(&exec, graph, 0));
    MUST(cuGraphDestroy(graph));
    return exec;
}

static CUgraphExec graph_of_two(CUstream stream)
{
    MUST(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    launch_on(&gpu, "add_one", 64, 256, stream);
    launch_on(&gpu, "add_value", 64, 256, stream);
    return end_capture(stream);
}

Test(capture, stop_while_a_stream_captures_spoils_both)
{
    CUgraph graph;
    CUstreamCaptureStatus status;
    open_session(8, INSTRUCTIONS);
    CUstream stream = new_stream();
    GOOD(session_start(&session));
    launch_some(&gpu, 3);
    MUST(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    UNKNOWN(session_stop(&session, NULL));
    MUST(cuStreamIsCapturing(stream, &status));
    cr_assert_eq(status, CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    cr_assert_eq(try_launch(&gpu, "add_one", 64, 256, stream), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    cr_assert_eq(cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    UNKNOWN(session_decode(&session));
    session_disable(&session);
}

Test(capture, a_captured_launch_in_a_session_spoils_both)
{
    CUgraph graph;
    open_session(8, INSTRUCTIONS);
    CUstream stream = new_stream();
    GOOD(session_start(&session));
    MUST(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    cr_assert_eq(try_launch(&gpu, "add_one", 64, 256, stream), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    cr_assert_eq(cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    UNKNOWN(session_stop(&session, NULL));
    session_disable(&session);
}

Test(capture, start_while_a_stream_captures_spoils_the_capture)
{
    CUgraph graph;
    open_session(8, INSTRUCTIONS);
    CUstream stream = new_stream();
    MUST(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    UNKNOWN(session_start(&session));
    cr_assert_eq(cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    session_disable(&session);
}

Test(capture, between_sessions_costs_nothing)
{
    open_session(8, INSTRUCTIONS);
    CUstream stream = new_stream();
    GOOD(session_start(&session));
    launch_some(&gpu, 3);
    GOOD(session_stop(&session, NULL));
    CUgraphExec exec = graph_of_two(stream);
    GOOD(session_start(&session));
    launch_some(&gpu, 2);
    GOOD(session_stop(&session, NULL));
    MUST(cuGraphLaunch(exec, stream));
    GOOD(session_decode(&session));
    cr_assert_eq(session_ranges(&session), 5);
    session_disable(&session);
}

Test(capture, waiting_for_the_device_spoils_it)
{
    CUgraph graph;
    gpu_open(&gpu, 0);
    CUstream stream = new_stream();
    MUST(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    cr_assert_eq(cuCtxSynchronize(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    cr_assert_eq(cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

Test(graph, launched_in_an_auto_session_loses_all_of_it)
{
    gpu_open(&gpu, 0);
    CUstream stream = new_stream();
    CUgraphExec exec = graph_of_two(stream);
    const int before = gpu_sum(&gpu);
    session_open(&session, &gpu, CUPTI_AutoRange, 8, INSTRUCTIONS);
    GOOD(session_start(&session));
    add_one();
    MUST(cuGraphLaunch(exec, stream));
    UNKNOWN(session_stop(&session, NULL));
    UNKNOWN(session_decode(&session));
    cr_assert_eq(session_ranges(&session), 0);
    cr_assert_eq(gpu_sum(&gpu), before + NUMBERS * (1 + 1 + 3), "the graph itself runs rightly");
    session_disable(&session);
}

Test(graph, in_a_user_range_counts_the_sum_of_its_kernels)
{
    gpu_open(&gpu, 0);
    CUstream stream = new_stream();
    CUgraphExec exec = graph_of_two(stream);
    session_initialize();
    GOOD(session_enable(&session, gpu.context));
    session_configure(&session, CUPTI_UserRange, 8, METRICS(INSTRUCTIONS, TIME));
    GOOD(session_start(&session));
    for (int i = 0; i < 3; i++) {
        GOOD(session_push(&session, "graph"));
        MUST(cuGraphLaunch(exec, stream));
        GOOD(session_pop(&session));
    }
    add_one(); /* this launch is in no range */
    stop(3);
    VALUE(&session, 2, INSTRUCTIONS, 2 * 1000 * threads + 3);
    VALUE(&session, 2, TIME, 1.2 * 32000); /* the gaps between kernels are in it */
    VALUE(&session, 0, TIME, 2.4 * 32000); /* it is the first range of a session */
    CUpti_RangeProfiler_CounterData_GetRangeInfo_Params info = {
        .structSize = CUpti_RangeProfiler_CounterData_GetRangeInfo_Params_STRUCT_SIZE,
        .pCounterDataImage = session.image,
        .counterDataImageSize = session.size,
        .rangeIndex = 1,
        .rangeDelimiter = "/",
    };
    GOOD(cuptiRangeProfilerCounterDataGetRangeInfo(&info));
    cr_assert_str_eq(info.rangeName, "graph");
    session_disable(&session);
}

Test(graph, instrumented_counters_read_0_where_plain_launches_count)
{
    gpu_open(&gpu, 0);
    CUstream stream = new_stream();
    CUgraphExec exec = graph_of_two(stream);
    session_open(&session, &gpu, CUPTI_UserRange, 8, WAVEFRONTS);
    GOOD(session_start(&session));
    GOOD(session_push(&session, "graph"));
    MUST(cuGraphLaunch(exec, stream));
    GOOD(session_pop(&session));
    GOOD(session_push(&session, "plain"));
    add_one();
    add_one();
    GOOD(session_pop(&session));
    GOOD(session_stop(&session, NULL));
    GOOD(session_decode(&session));
    VALUE(&session, 0, WAVEFRONTS, 0);
    VALUE(&session, 1, WAVEFRONTS, 2 * 6 * threads);
    session_disable(&session);
}

/* ---- One holder ---- */

Test(holder, a_second_context_is_busy_and_starves_the_first)
{
    struct gpu other;
    struct session second;
    CUcontext context;
    open_session(32, INSTRUCTIONS);
    GOOD(session_start(&session));
    launch_some(&gpu, 4);
    GOOD(session_stop(&session, NULL));
    MUST(cuCtxCreate(&context, NULL, 0, 0));
    gpu_use(&other, context, _binary_kernels_cubin_start);
    GOOD(session_enable(&second, context));
    session_configure(&second, CUPTI_AutoRange, 8, METRICS(INSTRUCTIONS));
    cr_assert_eq(session_start(&second), CUPTI_ERROR_HARDWARE_BUSY);
    MUST(cuCtxSetCurrent(gpu.context));
    count(9, 4); /* of 13 launches */
    session_disable(&second);
    session_disable(&session);
}

Test(holder, launches_of_another_context_make_no_range)
{
    struct gpu other;
    CUcontext context;
    open_session(8, INSTRUCTIONS);
    GOOD(session_start(&session));
    launch_some(&gpu, 2);
    MUST(cuCtxCreate(&context, NULL, 0, 0));
    gpu_use(&other, context, _binary_kernels_cubin_start);
    launch_some(&other, 3);
    stop(2);
    session_disable(&session);
}

Test(holder, two_devices_do_not_disturb_each_other)
{
    struct gpu gpus[2];
    struct session sessions[2];
    setenv("STANDIN_DEVICES", "2", 1);
    for (int i = 0; i < 2; i++) {
        gpu_open(&gpus[i], i);
        session_open(&sessions[i], &gpus[i], CUPTI_AutoRange, 8, INSTRUCTIONS);
        GOOD(session_start(&sessions[i]));
    }
    for (int i = 0; i < 2; i++) {
        MUST(cuCtxSetCurrent(gpus[i].context));
        launch_some(&gpus[i], 3 + i);
    }
    for (int i = 0; i < 2; i++) {
        GOOD(session_stop(&sessions[i], NULL));
        GOOD(session_decode(&sessions[i]));
        cr_assert_eq(session_ranges(&sessions[i]), 3 + (size_t)i);
        session_disable(&sessions[i]);
    }
}

static CUptiResult availability(void)
{
    CUpti_Profiler_GetCounterAvailability_Params params = {
        .structSize = CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE,
    };
    return cuptiProfilerGetCounterAvailability(&params);
}

/* A child that was forked before CUDA was used holds the counters from Enable to Disable. A byte tells it what to do,
 * and it answers with one when that is done. */
Test(holder, another_process_from_enable_to_disable)
{
    char folder[] = "/tmp/standin-XXXXXX", byte = 0;
    int orders[2], answers[2];
    cr_assert_not_null(mkdtemp(folder));
    setenv("STANDIN_DIR", folder, 1);
    cr_assert_eq(pipe(orders) | pipe(answers), 0);
    const pid_t child = fork();
    close(orders[child == 0]); /* so the child ends when its parent fails */
    close(answers[child != 0]);
    if (child == 0) {
        open_session(8, INSTRUCTIONS); /* it holds the counters, but has not started */
        if (write(answers[1], &byte, 1) != 1 || read(orders[0], &byte, 1) != 1)
            _exit(1);
        session_disable(&session);
        if (write(answers[1], &byte, 1) != 1 || read(orders[0], &byte, 1) != 1)
            _exit(1);
        _exit(0);
    }
    cr_assert_eq(read(answers[0], &byte, 1), 1);
    gpu_open(&gpu, 0);
    session_initialize();
    cr_assert_eq(availability(), CUPTI_ERROR_HARDWARE_BUSY);
    cr_assert_eq(session_enable(&session, gpu.context), CUPTI_ERROR_HARDWARE_BUSY);
    cr_assert_eq(write(orders[1], &byte, 1), 1);
    cr_assert_eq(read(answers[0], &byte, 1), 1);
    cr_assert_eq(availability(), CUPTI_SUCCESS, "it has disabled, and lives on");
    cr_assert_eq(session_enable(&session, gpu.context), CUPTI_SUCCESS);
    cr_assert_eq(availability(), CUPTI_SUCCESS, "its own hold is no hindrance");
    cr_assert_eq(write(orders[1], &byte, 1), 1);
    int status = 1;
    waitpid(child, &status, 0);
    cr_assert_eq(status, 0);
    char path[64];
    snprintf(path, sizeof path, "%s/counters.0", folder);
    cr_assert_eq(unlink(path) | rmdir(folder), 0);
}

/* ---- Errors ---- */

Test(errors, an_illegal_address_loses_the_session)
{
    open_session(8, INSTRUCTIONS);
    GOOD(session_start(&session));
    launch_some(&gpu, 3);
    gpu.numbers = 0x10;
    add_one(); /* the next call returns its error */
    cr_assert_eq(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    cr_assert_eq(cuMemAlloc(&gpu.numbers, 4), CUDA_ERROR_ILLEGAL_ADDRESS, "and all after it");
    UNKNOWN(session_stop(&session, NULL));
    UNKNOWN(session_decode(&session));
    cr_assert_eq(session_ranges(&session), 0);
    session_disable(&session);
}

Test(errors, ranges_get_lost_on_demand)
{
    setenv("STANDIN_LOSE_RANGES", "3", 1);
    open_session(8, INSTRUCTIONS);
    count(8, 5);
    session_disable(&session);
}

Test(errors, a_forked_child_has_no_profiler)
{
    open_session(8, INSTRUCTIONS);
    GOOD(session_start(&session));
    launch_some(&gpu, 2);
    const pid_t child = fork();
    if (child == 0)
        _exit(session_stop(&session, NULL) == CUPTI_ERROR_UNKNOWN && cuCtxSynchronize() == CUDA_ERROR_NOT_INITIALIZED
                  ? 0
                  : 1);
    int status = 1;
    waitpid(child, &status, 0);
    cr_assert_eq(status, 0);
    launch_some(&gpu, 2);
    stop(4); /* the parent's session goes on */
    session_disable(&session);
}

Test(errors, times_jitter_on_demand)
{
    setenv("STANDIN_JITTER", "10", 1);
    open_session(64, TIME);
    GOOD(session_start(&session));
    for (int i = 0; i < 64; i++)
        add_one();
    GOOD(session_stop(&session, NULL));
    GOOD(session_decode(&session));
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < 64; i++) {
        least = fmin(least, session_value(&session, i, TIME));
        most = fmax(most, session_value(&session, i, TIME));
    }
    cr_assert_geq(least, 0.9 * 12000);
    cr_assert_leq(most, 1.1 * 12000);
    cr_assert_gt(most - least, 0.05 * 12000);
    session_disable(&session);
}

/* Runs the function in a child. Returns whether an alarm had to end it. */
static bool hangs(void (*run)(void))
{
    const pid_t child = fork();
    if (child == 0) {
        ualarm(50000, 0);
        run();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
}

static void spin_in_session(void)
{
    open_session(8, INSTRUCTIONS);
    session_start(&session);
    try_launch(&gpu, "spin", 1, 32, NULL);
}

static void spin_alone(void)
{
    gpu_open(&gpu, 0);
    try_launch(&gpu, "spin", 1, 32, NULL);
}

static void spin_and_wait(void)
{
    spin_alone();
    cuCtxSynchronize();
}

/* In a session the launch itself waits, because the profiler has to read the counters. Otherwise the next call that
 * needs the GPU waits. */
Test(errors, a_kernel_that_does_not_end)
{
    cr_assert_not(hangs(spin_alone));
    cr_assert(hangs(spin_and_wait));
    cr_assert(hangs(spin_in_session));
}
