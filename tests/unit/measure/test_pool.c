/* Several GPUs, made up: a worker's is what its entry of CUDA_VISIBLE_DEVICES says, and the host's clock measures. */
#include "base/base.h"
#include "measure/measure.h"
#include "measure/pool.h"
#include "support.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- The GPUs: "none-A-1" is one of model A, whose UUID is GPU-1; of model X there is none ---- */

static int open_made_up(void **self, const struct job *job, struct device *device, struct session *session,
                        struct problem *problem)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    char model[2] = {visible[5]};
    if (*model == 'X')
        return problem_set(problem, "it fell off the bus");
    if (host_collector.open(self, job, device, session, problem) < 0)
        return -1;
    free(device->name);
    device->name = x_sprintf("model %s", model);
    session->facts[SESSION_GPU_UUID] = x_sprintf("GPU-%s", visible + 7);
    return 0;
}

static const struct collector *load_made_up(unsigned what, struct problem *problem)
{
    static struct collector collector;
    (void)what, (void)problem;
    collector = host_collector;
    collector.open = open_made_up;
    return &collector;
}

/* Numbers the fixture's processes, from 1; the one that GPUS_REFUSES names finds the GPU taken. */
static int prepare_made_up(const struct job *job, struct problem *problem)
{
    (void)job;
    const char *refuses = getenv("GPUS_REFUSES");
    char *started = x_sprintf("%s/started", getenv("GPUS_MARK"));
    const int file = open(started, O_WRONLY | O_APPEND | O_CREAT, 0600);
    (void)!write(file, ".", 1);
    const off_t number = lseek(file, 0, SEEK_CUR);
    close(file);
    free(started);
    if (!refuses || atol(refuses) != number)
        return 0;
    problem_set(problem, "another process has the GPU");
    return EXIT_NOT_MEASURED;
}

static const struct backend made_up = {
    .name = "made up", .provides = PROVIDES_VALUES, .prepare = prepare_made_up, .load = load_made_up};

struct fixture {
    struct metrics metrics;
    char *library, *marks;
    char *globs[4];
    struct measurement measurement;
    struct run run;
    int code;
    char *said;
};

static void set_up(struct fixture *fixture, const char *gpus, size_t count)
{
    *fixture = (struct fixture){.library = built("libgpus.so"), .marks = scratch_make()};
    cr_assert_eq(metrics_read_folder(&fixture->metrics, "metrics"), 0);
    fixture->measurement = (struct measurement){
        .kernels = fixture->library,
        .metrics = &fixture->metrics,
        .backend = &made_up,
        .globs = fixture->globs,
        .devices = {.count = count},
        .samples = 1,
        .timeout = 60,
    };
    for (size_t i = 0; i < count; i++)
        fixture->measurement.devices.list[i] = (int)i;
    setenv("CUDA_VISIBLE_DEVICES", gpus, 1);
    setenv("GPUS_MARK", fixture->marks, 1);
}

static void choose(struct fixture *fixture, const char *glob)
{
    cr_assert_lt(fixture->measurement.glob_count, ARRAY_SIZE(fixture->globs));
    fixture->globs[fixture->measurement.glob_count++] = x_strdup(glob);
}

static void measure(struct fixture *fixture)
{
    struct capture capture;
    capture_begin(&capture);
    fixture->code = measure_run(&fixture->measurement, &fixture->run);
    fixture->said = capture_end(&capture);
}

static void tear_down(struct fixture *fixture)
{
    free(fixture->said);
    run_release(&fixture->run);
    for (size_t i = 0; i < fixture->measurement.glob_count; i++)
        free(fixture->globs[i]);
    free(fixture->library);
    scratch_remove(fixture->marks);
    metrics_release(&fixture->metrics);
}

static const struct result *result_of(const struct fixture *fixture, const char *id)
{
    const struct result *result = run_find(&fixture->run, id);
    cr_assert_not_null(result, "%s is not there", id);
    return result;
}

static const char *gpu_of(const struct fixture *fixture, const char *id)
{
    const struct row *row = result_find(result_of(fixture, id), "wall_time");
    cr_assert(row && row->state == VALUE_MEASURED, "%s: %s", id, result_of(fixture, id)->reason);
    return run_row_fact(&fixture->run, row, SESSION_GPU_UUID);
}

/* Two kernels wait for each other, and what is left of their families stays with them. */
Test(pool, families_are_measured_on_all_gpus_at_once)
{
    struct fixture fixture;
    set_up(&fixture, "none-A-1,none-A-2", 2);
    choose(&fixture, "*here/*");
    measure(&fixture);
    cr_expect_eq(fixture.code, EXIT_SAME, "%s", fixture.said);
    cr_expect_str_eq(fixture.said, "");
    cr_assert_eq(fixture.run.session_count, 2);
    cr_expect_str_eq(fixture.run.sessions[0].facts[SESSION_GPU_UUID], "GPU-1", "in the order in which they are named");
    cr_expect_str_eq(fixture.run.sessions[1].facts[SESSION_GPU_UUID], "GPU-2");
    cr_expect_str_eq(fixture.run.device.name, "model A");
    cr_expect_str_eq(gpu_of(&fixture, "here/left"), gpu_of(&fixture, "here/good"));
    cr_expect_str_eq(gpu_of(&fixture, "there/right"), gpu_of(&fixture, "there/good"));
    cr_expect_str_neq(gpu_of(&fixture, "here/left"), gpu_of(&fixture, "there/right"));
    tear_down(&fixture);
}

/* Each row of a kernel is in the session of its GPU, also what is worked out from others; so it is in the file. */
Test(pool, every_row_of_a_kernel_names_its_session)
{
    struct fixture fixture;
    set_up(&fixture, "none-A-1,none-A-2", 2);
    choose(&fixture, "*here/*");
    measure(&fixture);
    for (size_t i = 0; i < fixture.run.result_count; i++) {
        const struct result *result = &fixture.run.results[i];
        for (size_t r = 0; r < result->row_count; r++)
            for (size_t s = 0; s < result->rows[r].session_count; s++)
                cr_expect_eq(result->rows[r].sessions[s].session, result_session(result), "%s %s", result->id,
                             result->rows[r].metric);
    }
    char *path = x_sprintf("%s/run.json", fixture.marks);
    struct run read;
    cr_assert_eq(run_write_file(&fixture.run, path), 0);
    cr_assert_eq(run_read(&read, path), 0);
    for (size_t i = 0; i < read.result_count; i++)
        cr_expect_eq(result_session(&read.results[i]), result_session(&fixture.run.results[i]));
    run_release(&read);
    free(path);
    tear_down(&fixture);
}

/* A GPU for which there is nothing is in no session. */
Test(pool, one_kernel_takes_one_gpu)
{
    struct fixture fixture;
    set_up(&fixture, "none-A-1,none-A-2,none-A-3", 3);
    choose(&fixture, "here/good");
    measure(&fixture);
    cr_expect_eq(fixture.code, EXIT_SAME, "%s", fixture.said);
    cr_expect_eq(fixture.run.session_count, 1);
    cr_expect_eq(fixture.run.result_count, 1);
    cr_expect_eq(result_session(result_of(&fixture, "here/good")), 0);
    tear_down(&fixture);
}

/* On one GPU a crash is a crash. On two it is tried once more, and is no plain success either. */
Test(pool, what_fails_on_one_gpu_is_tried_on_another_and_both_are_said)
{
    for (size_t gpus = 1; gpus <= 2; gpus++) {
        struct fixture fixture;
        set_up(&fixture, "none-A-1,none-A-2", gpus);
        choose(&fixture, "once/*");
        measure(&fixture);
        cr_expect_eq(fixture.code, EXIT_SAME, "%s", fixture.said);
        static const struct {
            const char *id, *words;
            enum result_status alone;
        } rows[] = {
            {"once/crashes_first", "the process that ran it died: Segmentation fault (signal 11)", RESULT_CRASHED},
            {"once/fails_first", "launch: made-up illegal address", RESULT_FAILED},
            {"once/good", NULL, RESULT_OK},
        };
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
            const struct result *result = result_of(&fixture, rows[i].id);
            const bool again = gpus == 2 && rows[i].words;
            cr_expect_eq(result->status, again ? RESULT_OK : rows[i].alone, "%s", rows[i].id);
            cr_expect_eq(result->elsewhere != NULL, again, "%s", rows[i].id);
            if (!again)
                continue;
            cr_expect(strstr(result->elsewhere, rows[i].words) && strstr(result->elsewhere, " on GPU "), "%s",
                      result->elsewhere);
            cr_expect_null(strstr(result->elsewhere, gpu_of(&fixture, rows[i].id)), "on another");
            cr_expect(strstr(fixture.said, rows[i].words), "%s", fixture.said);
        }
        tear_down(&fixture);
    }
}

Test(pool, what_is_wrong_is_not_tried_again)
{
    struct fixture fixture;
    set_up(&fixture, "none-A-1,none-A-2", 2);
    choose(&fixture, "bad/*");
    measure(&fixture);
    cr_expect_eq(fixture.code, EXIT_SAME, "%s", fixture.said);
    cr_expect_eq(result_of(&fixture, "bad/wrong_first")->status, RESULT_WRONG);
    cr_expect_str_eq(result_of(&fixture, "bad/wrong_first")->reason, "expected 42, found 41");
    const struct result *second = result_of(&fixture, "bad/fails_then_wrong");
    cr_expect_eq(second->status, RESULT_WRONG);
    cr_expect(strstr(second->reason, "expected 42, found 41; before, it failed on GPU "), "%s", second->reason);
    const struct result *both = result_of(&fixture, "bad/fails");
    cr_expect_eq(both->status, RESULT_FAILED);
    cr_expect(strstr(both->reason, "(GPU-1)") && strstr(both->reason, "(GPU-2)"), "%s", both->reason);
    tear_down(&fixture);
}

/* What the others measure is kept; but a GPU that was to measure is missed. */
Test(pool, a_gpu_that_does_not_open_is_missed)
{
    struct fixture fixture;
    set_up(&fixture, "none-A-1,none-X-2", 2);
    choose(&fixture, "here/good");
    choose(&fixture, "there/good");
    choose(&fixture, "once/good");
    measure(&fixture);
    cr_expect_eq(fixture.code, EXIT_NOT_MEASURED, "%s", fixture.said);
    cr_expect(strstr(fixture.said, "cannot measure on device 1: it fell off the bus"), "%s", fixture.said);
    cr_assert_eq(fixture.run.result_count, 3);
    for (size_t i = 0; i < 3; i++)
        cr_expect_str_eq(gpu_of(&fixture, fixture.run.results[i].id), "GPU-1");
    cr_expect_eq(fixture.run.session_count, 1);
    tear_down(&fixture);
}

Test(pool, a_run_is_of_one_model_and_of_different_gpus)
{
    static const struct {
        const char *gpus, *words;
    } rows[] = {
        {"none-A-1,none-B-2", "is another model than GPU "},
        {"none-A-1,none-A-1", "are the same GPU, GPU-1; see CUDA_VISIBLE_DEVICES"},
        {"none-X-1,none-X-2", "cannot measure on device 1: it fell off the bus"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct fixture fixture;
        set_up(&fixture, rows[i].gpus, 2);
        choose(&fixture, "*here/*");
        measure(&fixture);
        cr_expect_eq(fixture.code, EXIT_NOT_MEASURED);
        cr_expect_eq(fixture.run.result_count, 0);
        cr_expect(strstr(fixture.said, rows[i].words), "%s", fixture.said);
        tear_down(&fixture);
    }
}

/* What is measured again to be compared with a run is measured where that was. */
Test(pool, kernels_go_to_the_gpu_where_they_were)
{
    struct fixture fixture;
    set_up(&fixture, "none-A-1,none-A-2", 2);
    choose(&fixture, "*here/*");
    measure(&fixture);
    cr_assert_eq(fixture.code, EXIT_SAME, "%s", fixture.said);
    struct run again = {0};
    fixture.measurement.like = &fixture.run;
    for (int turn = 0; turn < 2; turn++) {
        cr_assert_eq(measure_run(&fixture.measurement, &again), EXIT_SAME);
        run_append(&fixture.run, &again);
        run_release(&again);
    }
    cr_expect_eq(fixture.run.session_count, 6);
    for (size_t i = 0; i < fixture.run.result_count; i++) {
        const struct row *row = result_find(&fixture.run.results[i], "wall_time");
        cr_assert_eq(row->session_count, 3);
        for (size_t s = 1; s < 3; s++)
            cr_expect_str_eq(run_session(&fixture.run, &row->sessions[s])->facts[SESSION_GPU_UUID],
                             run_session(&fixture.run, &row->sessions[0])->facts[SESSION_GPU_UUID]);
    }
    tear_down(&fixture);
}

/* Runs of their own: each of two kernels ends when both have begun. */
Test(pool, measurements_go_on_at_once)
{
    struct fixture fixture;
    set_up(&fixture, "none-A-1", 1);
    choose(&fixture, "here/left");
    choose(&fixture, "there/right");
    choose(&fixture, "once/good");
    struct measurement list[3];
    struct run runs[3];
    int codes[3];
    for (size_t i = 0; i < 3; i++) {
        list[i] = fixture.measurement;
        list[i].globs = &fixture.globs[i];
        list[i].glob_count = 1;
    }
    pool_measure_all(list, runs, codes, 3, 2);
    for (size_t i = 0; i < 3; i++) {
        cr_expect_eq(codes[i], EXIT_SAME);
        cr_assert_eq(runs[i].result_count, 1);
        cr_expect_str_eq(runs[i].results[0].id, fixture.globs[i]);
        cr_expect_eq(runs[i].results[0].status, RESULT_OK);
        run_release(&runs[i]);
    }
    tear_down(&fixture);
}

/* Both wait for a kernel that nobody measures, until there is a Ctrl-C. */
Test(pool, an_interruption_of_several_measurements_is_said_once)
{
    struct fixture fixture;
    set_up(&fixture, "none-A-1", 1);
    choose(&fixture, "here/left");
    const struct measurement list[2] = {fixture.measurement, fixture.measurement};
    struct run runs[2];
    int codes[2];
    struct capture capture;
    capture_begin(&capture);
    char *mark = x_sprintf("%s/left", fixture.marks);
    const pid_t parent = getpid(), process = fork();
    if (process == 0) {
        while (access(mark, F_OK) != 0)
            usleep(1000);
        kill(parent, SIGINT);
        _exit(0);
    }
    pool_measure_all(list, runs, codes, 2, 2);
    waitpid(process, NULL, 0);
    fixture.said = capture_end(&capture);
    for (size_t i = 0; i < 2; i++) {
        cr_expect_eq(codes[i], EXIT_INTERRUPTED);
        cr_expect_eq(runs[i].result_count, 0);
        run_release(&runs[i]);
    }
    const char *said = strstr(fixture.said, "interrupted after 0 of ");
    cr_assert_not_null(said, "%s", fixture.said);
    cr_expect_null(strstr(said + 1, "interrupted"), "%s", fixture.said);
    free(mark);
    tear_down(&fixture);
}

/* ---- Ahead of need ---- */

/* Its worker was started for more kernels than are left when it goes on. */
Test(pool, a_worker_that_is_ready_measures_what_is_left)
{
    struct fixture fixture;
    set_up(&fixture, "none-A-1", 1);
    choose(&fixture, "here/good");
    choose(&fixture, "there/good");
    struct relay *relay = relay_make();
    struct measurement next = fixture.measurement;
    fixture.measurement.relay = next.relay = relay;
    fixture.measurement.next = &next;
    measure(&fixture);
    cr_expect_eq(fixture.code, EXIT_SAME, "%s", fixture.said);
    cr_expect_eq(fixture.run.result_count, 2);

    struct peer worker;
    struct measurement other = next;
    other.kernels = "libother.so";
    cr_expect(relay_take(relay, &next, 0, &worker), "one is ready");
    cr_expect_not(relay_take(relay, &next, 0, &worker), "and is taken once");
    free(child_end(&worker, false));
    run_release(&fixture.run);
    cr_assert_eq(measure_run(&fixture.measurement, &fixture.run), EXIT_SAME);
    cr_expect_not(relay_take(relay, &other, 0, &worker), "of another library it is of no use");

    run_release(&fixture.run);
    cr_assert_eq(measure_run(&fixture.measurement, &fixture.run), EXIT_SAME);
    struct run left;
    next.glob_count = 1;
    cr_expect_eq(measure_run(&next, &left), EXIT_SAME);
    cr_assert_eq(left.result_count, 1);
    cr_expect_str_eq(left.results[0].id, "here/good");
    cr_expect_eq(left.results[0].status, RESULT_OK);
    run_release(&left);
    relay_release(relay);
    tear_down(&fixture);
}

/* A measurement in turn with the one after it, which is measured, too: so many processes. */
static void expect_in_turn(const char *refuses, long processes)
{
    struct fixture fixture;
    set_up(&fixture, "none-A-1", 1);
    choose(&fixture, "*here/good");
    setenv("GPUS_REFUSES", refuses, 1);
    struct measurement next = fixture.measurement;
    fixture.measurement.relay = next.relay = relay_make();
    fixture.measurement.next = &next;
    measure(&fixture);
    cr_expect_eq(fixture.code, EXIT_SAME, "%s", fixture.said);
    cr_expect_eq(fixture.run.result_count, 2);
    free(fixture.said);
    run_release(&fixture.run);
    fixture.measurement = next;
    measure(&fixture);
    cr_expect_eq(fixture.code, EXIT_SAME, "%s", fixture.said);
    cr_expect_str_eq(fixture.said, "");
    cr_expect_eq(fixture.run.result_count, 2);
    char *path = x_sprintf("%s/started", fixture.marks);
    size_t size = 0;
    char *started = NULL;
    cr_assert_eq(file_read(path, 100, &started, &size), 0);
    cr_expect_eq((long)size, processes, "%zu processes", size);
    free(started);
    free(path);
    relay_release(next.relay);
    tear_down(&fixture);
}

Test(pool, the_worker_that_is_ready_is_the_one_that_measures)
{
    expect_in_turn("0", 2);
}

/* In exclusive mode, say, a GPU takes one process at a time. */
Test(pool, where_a_worker_cannot_be_ready_another_one_is_started_when_it_is_needed)
{
    expect_in_turn("2", 3);
}

/* Its end is no matter to the measurement after it: a process that is ready and dies is one that does not start. */
Test(pool, a_worker_that_is_ready_and_not_needed_is_ended)
{
    struct fixture fixture;
    set_up(&fixture, "none-A-1,none-A-2", 2);
    choose(&fixture, "*here/good");
    struct relay *relay = relay_make();
    struct measurement next = fixture.measurement;
    fixture.measurement.relay = next.relay = relay;
    fixture.measurement.next = &next;
    measure(&fixture);
    cr_expect_eq(fixture.code, EXIT_SAME, "%s", fixture.said);
    next.glob_count = 1;
    free(fixture.globs[0]);
    fixture.globs[0] = x_strdup("here/good");
    struct run left;
    cr_expect_eq(measure_run(&next, &left), EXIT_SAME);
    cr_expect_eq(left.result_count, 1);
    cr_expect_eq(left.session_count, 1);
    run_release(&left);
    relay_forget(relay);
    relay_release(relay);
    tear_down(&fixture);
}

/* ---- Source lines: each process counts one of two functions, which leaves a line ---- */

static const struct job *lines_job;

static int open_lines(void **self, const struct job *job, struct device *device, struct session *session,
                      struct problem *problem)
{
    lines_job = job;
    return host_collector.open(self, job, device, session, problem);
}

static int measure_lines_made_up(void *self, const struct workload *workload, struct result *result,
                                 struct problem *problem)
{
    (void)self;
    static const char *const functions[] = {"f", "g"};
    if (workload_run(workload, problem) < 0)
        return -1;
    for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
        *ARRAY_GROW(result->launches, result->launch_count) =
            (struct launch){.function = x_strdup(functions[i]), .grid = {1, 1, 1}, .block = {1, 1, 1}, .times = 3};
    struct profile_line *line = profile_add(&result->profile, functions[lines_job->skip == 3], "made_up.cu", 7, 0);
    if (lines_job->what == PROVIDES_LINE_COUNTS) {
        result->profile.counted = 1u << LINE_SHARED;
        line->counts[LINE_SHARED] = 5;
        return 0;
    }
    char *mark = x_sprintf("%s/sampling", getenv("GPUS_MARK"));
    const bool alone = access(mark, F_OK) != 0;
    fclose(fopen(mark, "w"));
    usleep(20000);
    unlink(mark);
    free(mark);
    result->profile.period = result->profile.launches = 1;
    return alone ? 0 : problem_set(problem, "another one samples");
}

static const struct collector *load_lines(unsigned what, struct problem *problem)
{
    static struct collector collector;
    (void)what, (void)problem;
    collector = host_collector;
    collector.open = open_lines;
    collector.measure = measure_lines_made_up;
    return &collector;
}

static const struct backend lines = {.name = "lines",
                                     .provides =
                                         PROVIDES_VALUES | PROVIDES_LINE_COUNTS | PROVIDES_STALLS | PROVIDES_COUNTERS,
                                     .prepare = prepare_made_up,
                                     .load = load_lines};

/* Of kernels that were measured. */
static void set_up_lines(struct fixture *fixture, const char *const *ids, size_t count)
{
    set_up(fixture, "none-A-1", 1);
    fixture->measurement.backend = &lines;
    for (size_t i = 0; i < count; i++) {
        struct result *result = run_add(&fixture->run, ids[i]);
        *ARRAY_GROW(result->launches, result->launch_count) = (struct launch){.function = x_strdup("f"), .times = 1};
    }
}

/* One of two processes does not get the GPU beside the other; or gets it, and not, "out of memory", what it wants. */
Test(pool, lines_that_cannot_be_counted_beside_others_are_counted_alone)
{
    static const struct {
        const char *refuses, *ids[2];
    } rows[] = {{"2", {"here/good", "there/good"}}, {"0", {"here/good", "once/fails_first"}}};
    for (size_t r = 0; r < ARRAY_SIZE(rows); r++) {
        struct fixture fixture;
        struct capture capture;
        set_up_lines(&fixture, rows[r].ids, ARRAY_SIZE(rows[r].ids));
        setenv("GPUS_REFUSES", rows[r].refuses, 1);
        capture_begin(&capture);
        cr_expect_eq(measure_profile(&fixture.measurement, &fixture.run, rows[r].ids, ARRAY_SIZE(rows[r].ids),
                                     PROVIDES_LINE_COUNTS),
                     EXIT_SAME);
        fixture.said = capture_end(&capture);
        for (size_t i = 0; i < ARRAY_SIZE(rows[r].ids); i++)
            cr_expect_eq(profile_total(&result_of(&fixture, rows[r].ids[i])->profile, LINE_SHARED), 10, "%s: %s",
                         rows[r].ids[i], fixture.said);
        cr_expect_null(strstr(fixture.said, "source line"), "%s", fixture.said);
        tear_down(&fixture);
    }
}

/* Two kernels wait for each other when their lines are counted, and must not be sampled at once. */
Test(pool, counts_of_lines_go_on_at_once_and_samples_in_turn)
{
    static const char *const ids[] = {"here/left", "there/right", "here/good", "bad/fails"};
    struct fixture fixture;
    set_up_lines(&fixture, ids, ARRAY_SIZE(ids));
    struct capture capture;
    capture_begin(&capture);
    cr_expect_eq(measure_lines_at_once(&fixture.measurement), 4);
    cr_expect_eq(measure_profile(&fixture.measurement, &fixture.run, ids, ARRAY_SIZE(ids),
                                 PROVIDES_LINE_COUNTS | PROVIDES_STALLS),
                 EXIT_SAME);
    fixture.said = capture_end(&capture);
    for (size_t i = 0; i < 3; i++) {
        const struct profile *profile = &result_of(&fixture, ids[i])->profile;
        cr_expect_eq(profile_total(profile, LINE_SHARED), 10, "%s: both functions", ids[i]);
        cr_expect_eq(profile->period, 1, "%s: %s", ids[i], fixture.said);
    }
    cr_expect_eq(result_of(&fixture, "bad/fails")->profile.counted, 0);
    cr_expect(strstr(fixture.said, "bad/fails: no exact counts by source line: launch: made-up illegal address"), "%s",
              fixture.said);
    cr_expect(strstr(fixture.said, "bad/fails: no stalls by source line"), "%s", fixture.said);
    tear_down(&fixture);
}
