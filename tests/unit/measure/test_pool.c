/* Several GPUs, made up: a worker's is what its entry of CUDA_VISIBLE_DEVICES says, and the host's clock measures. */
#include "measure/pool.h"
#include "test.h"

#include "host_like.h"

#include <sys/wait.h>

/* ---- The GPUs: "none-A-1" is one of model A, whose UUID is GPU-1; of model X there is none ---- */

static int open_made_up(void **self, const struct job *job, struct device *device, struct session *session,
                        struct problem *problem)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    char model[2] = {visible[5]};
    if (*model == 'X')
        return problem_set(problem, "it fell off the bus");
    TRY(host_collector.open(self, job, device, session, problem));
    free(device->name);
    device->name = x_sprintf("model %s", model);
    session->facts[SESSION_GPU_UUID] = x_sprintf("GPU-%s", visible + 7);
    return 0;
}

HOST_LIKE(load_made_up, collector.open = open_made_up);

/* Numbers the processes of a test, from 1; the one that GPUS_REFUSES names finds the GPU taken. */
static int prepare_made_up(const struct job *job, struct problem *problem)
{
    (void)job;
    const char *refuses = getenv("GPUS_REFUSES");
    OWNED_TEXT started = x_sprintf("%s/started", getenv("GPUS_MARK"));
    const int file = open(started, O_WRONLY | O_APPEND | O_CREAT, 0600);
    (void)!write(file, ".", 1);
    const off_t number = lseek(file, 0, SEEK_CUR);
    close(file);
    if (!refuses || atol(refuses) != number)
        return 0;
    problem_set(problem, "another process has the GPU");
    return EXIT_NOT_MEASURED;
}

static const struct backend made_up = {
    .name = "made up", .provides = PROVIDES_VALUES, .prepare = prepare_made_up, .load = load_made_up};

/* Each test has a process of its own, and so these of its own. */
static struct metrics metrics;
static char *library, *marks;
static struct measurement measurement;
static struct run run;
static char *said; /* what was said while measuring */

static void end(void)
{
    if (!library)
        return;
    set_text(&said, NULL);
    run_release(&run);
    run = (struct run){0};
    set_text(&library, NULL);
    scratch_remove(marks);
    metrics_release(&metrics);
}

TestSuite(pool, .fini = end);

/* Prepares to measure the kernels of these globs on these GPUs. */
static void begin(const char *gpus, size_t count, char *const *globs)
{
    end();
    library = built("libgpus.so");
    marks = scratch_make();
    cr_assert_eq(metrics_read_folder(&metrics, "metrics"), 0);
    measurement = (struct measurement){
        .kernels = library,
        .metrics = &metrics,
        .backend = &made_up,
        .globs = globs,
        .devices = {.count = count},
        .samples = 1,
        .timeout = 60,
    };
    while (globs[measurement.glob_count])
        measurement.glob_count++;
    for (size_t i = 0; i < count; i++)
        measurement.devices.list[i] = (int)i;
    setenv("CUDA_VISIBLE_DEVICES", gpus, 1);
    setenv("GPUS_MARK", marks, 1);
}
#define BEGIN(gpus, count, ...) begin(gpus, count, (char *const[]){__VA_ARGS__, NULL})

static void measure(int expected)
{
    free(said);
    run_release(&run);
    capture_begin();
    const int code = measure_run(&measurement, &run);
    said = capture_end();
    cr_expect_eq(code, expected, "%s", said);
}

static const struct result *result_of(const char *id)
{
    const struct result *result = run_find(&run, id);
    cr_assert_not_null(result, "%s is not there", id);
    return result;
}

static const char *gpu_of(const char *id)
{
    const struct row *row = result_find(result_of(id), "wall_time");
    cr_assert(row && row->state == VALUE_MEASURED, "%s: %s", id, result_of(id)->reason);
    return run_row_fact(&run, row, SESSION_GPU_UUID);
}

/* Two kernels wait for each other, and what is left of their families stays with them. */
Test(pool, families_are_measured_on_all_gpus_at_once)
{
    BEGIN("none-A-1,none-A-2", 2, "*here/*");
    measure(EXIT_SAME);
    cr_expect_str_eq(said, "");
    cr_assert_eq(run.session_count, 2);
    cr_expect_str_eq(run.sessions[0].facts[SESSION_GPU_UUID], "GPU-1", "in the order in which they are named");
    cr_expect_str_eq(run.sessions[1].facts[SESSION_GPU_UUID], "GPU-2");
    cr_expect_str_eq(run.device.name, "model A");
    cr_expect_str_eq(gpu_of("here/left"), gpu_of("here/good"));
    cr_expect_str_eq(gpu_of("there/right"), gpu_of("there/good"));
    cr_expect_str_neq(gpu_of("here/left"), gpu_of("there/right"));
}

/* Each row of a kernel is in the session of its GPU, also what is worked out from others; so it is in the file. */
Test(pool, every_row_of_a_kernel_names_its_session)
{
    BEGIN("none-A-1,none-A-2", 2, "*here/*");
    measure(EXIT_SAME);
    EACH(const struct result, result, run.results, run.result_count)
        for (size_t r = 0; r < result->row_count; r++)
            for (size_t s = 0; s < result->rows[r].session_count; s++)
                cr_expect_eq(result->rows[r].sessions[s].session, result_session(result), "%s %s", result->id,
                             result->rows[r].metric);
    OWNED_TEXT path = x_sprintf("%s/run.json", marks);
    OWNED(run) read;
    cr_assert_eq(run_write_file(&run, path), 0);
    cr_assert_eq(run_read(&read, path), 0);
    for (size_t i = 0; i < read.result_count; i++)
        cr_expect_eq(result_session(&read.results[i]), result_session(&run.results[i]));
}

/* A GPU for which there is nothing is in no session; one that does not open is missed, and what the others measure is
 * kept. Which process takes a dry run's kernels is chance: its session has a date whichever it is. */
Test(pool, a_run_is_of_one_model_and_of_the_gpus_that_measured)
{
    static const struct {
        const char *gpus, *globs[4];
        bool dry;
        size_t sessions, results;
        const char *said, *gpu; /* gpu: on which all was measured */
    } rows[] = {
        {.gpus = "none-A-1,none-A-2,none-A-3", .globs = {"here/good"}, .sessions = 1, .results = 1},
        {.gpus = "none-X-1,none-A-2", .globs = {"here/good", "there/good"}, .dry = true, .sessions = 1, .results = 2},
        {.gpus = "none-A-1,none-X-2",
         .globs = {"here/good", "there/good", "once/good"},
         .sessions = 1,
         .results = 3,
         .said = "cannot measure on device 1: it fell off the bus",
         .gpu = "GPU-1"},
        {.gpus = "none-A-1,none-B-2", .globs = {"*here/*"}, .said = "is a different model than GPU "},
        {.gpus = "none-A-1,none-A-1",
         .globs = {"*here/*"},
         .said = "are the same GPU, GPU-1; see CUDA_VISIBLE_DEVICES"},
        {.gpus = "none-X-1,none-X-2", .globs = {"*here/*"}, .said = "cannot measure on device 1: it fell off the bus"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        begin(rows[i].gpus, i == 0 ? 3 : 2, (char *const *)rows[i].globs);
        measurement.dry = rows[i].dry;
        measure(i == 0 ? EXIT_SAME : EXIT_NOT_MEASURED);
        expect_word(said, rows[i].said ? rows[i].said : "");
        cr_expect_eq(run.result_count, rows[i].results, "row %zu: %zu", i, run.result_count);
        cr_expect(rows[i].sessions == 0 || run.session_count == rows[i].sessions, "row %zu", i);
        cr_expect(!rows[i].dry || run.sessions[0].facts[SESSION_DATE]);
        for (size_t k = 0; k < run.result_count && rows[i].gpu; k++)
            cr_expect_str_eq(gpu_of(run.results[k].id), rows[i].gpu);
    }
}

/* On one GPU a crash is a crash. On two it is tried once more, and is no plain success either. */
Test(pool, what_fails_on_one_gpu_is_tried_on_another_and_both_are_said)
{
    for (size_t gpus = 1; gpus <= 2; gpus++) {
        BEGIN("none-A-1,none-A-2", gpus, "once/*");
        measure(EXIT_SAME);
        static const struct {
            const char *id, *words;
            enum result_status alone;
        } rows[] = {
            {"once/crashes_first", "the process that ran it died: Segmentation fault (signal 11)", RESULT_CRASHED},
            {"once/fails_first", "launch: made-up illegal address", RESULT_FAILED},
            {"once/good", NULL, RESULT_OK},
        };
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
            const struct result *result = result_of(rows[i].id);
            const bool again = gpus == 2 && rows[i].words;
            cr_expect_eq(result->status, again ? RESULT_OK : rows[i].alone, "%s", rows[i].id);
            cr_expect_eq(result->elsewhere != NULL, again, "%s", rows[i].id);
            if (!again)
                continue;
            cr_expect(strstr(result->elsewhere, rows[i].words) && strstr(result->elsewhere, " on GPU "), "%s",
                      result->elsewhere);
            cr_expect_null(strstr(result->elsewhere, gpu_of(rows[i].id)), "on another");
            expect_word(said, rows[i].words);
        }
    }
}

Test(pool, what_is_wrong_is_not_tried_again)
{
    BEGIN("none-A-1,none-A-2", 2, "bad/*");
    measure(EXIT_SAME);
    cr_expect_eq(result_of("bad/wrong_first")->status, RESULT_WRONG);
    cr_expect_str_eq(result_of("bad/wrong_first")->reason, "expected 42, found 41");
    const struct result *second = result_of("bad/fails_then_wrong");
    cr_expect_eq(second->status, RESULT_WRONG);
    expect_word(second->reason, "expected 42, found 41; before, it failed on GPU ");
    const struct result *both = result_of("bad/fails");
    cr_expect_eq(both->status, RESULT_FAILED);
    expect_words(both->reason, "(GPU-1)", "(GPU-2)");
}

/* What is measured again to be compared with a run is measured where that was. */
Test(pool, kernels_go_to_the_gpu_where_they_were)
{
    BEGIN("none-A-1,none-A-2", 2, "*here/*");
    measure(EXIT_SAME);
    struct run again = {0};
    measurement.like = &run;
    for (int turn = 0; turn < 2; turn++) {
        cr_assert_eq(measure_run(&measurement, &again), EXIT_SAME);
        run_append(&run, &again);
        run_release(&again);
    }
    cr_expect_eq(run.session_count, 6);
    for (size_t i = 0; i < run.result_count; i++) {
        const struct row *row = result_find(&run.results[i], "wall_time");
        cr_assert_eq(row->session_count, 3);
        for (size_t s = 1; s < 3; s++)
            cr_expect_str_eq(run_session(&run, &row->sessions[s])->facts[SESSION_GPU_UUID],
                             run_session(&run, &row->sessions[0])->facts[SESSION_GPU_UUID]);
    }
}

/* Runs of their own: each of two kernels ends when both have begun. */
Test(pool, measurements_go_on_at_once)
{
    BEGIN("none-A-1", 1, "here/left", "there/right", "once/good");
    struct measurement list[3];
    struct run runs[3];
    int codes[3];
    for (size_t i = 0; i < 3; i++) {
        list[i] = measurement;
        list[i].globs = &measurement.globs[i];
        list[i].glob_count = 1;
    }
    pool_measure_all(list, runs, codes, 3, 2);
    for (size_t i = 0; i < 3; i++) {
        cr_expect_eq(codes[i], EXIT_SAME);
        cr_assert_eq(runs[i].result_count, 1);
        cr_expect_str_eq(runs[i].results[0].id, measurement.globs[i]);
        cr_expect_eq(runs[i].results[0].status, RESULT_OK);
        run_release(&runs[i]);
    }
}

/* Both wait for a kernel that nobody measures, until there is a Ctrl-C. */
Test(pool, an_interruption_of_several_measurements_is_said_once)
{
    BEGIN("none-A-1", 1, "here/left");
    const struct measurement list[2] = {measurement, measurement};
    struct run runs[2];
    int codes[2];
    capture_begin();
    OWNED_TEXT mark = x_sprintf("%s/left", marks);
    const pid_t parent = getpid(), process = fork();
    if (process == 0) {
        while (access(mark, F_OK) != 0)
            usleep(1000);
        kill(parent, SIGINT);
        _exit(0);
    }
    pool_measure_all(list, runs, codes, 2, 2);
    waitpid(process, NULL, 0);
    said = capture_end();
    for (size_t i = 0; i < 2; i++) {
        cr_expect_eq(codes[i], EXIT_INTERRUPTED);
        cr_expect_eq(runs[i].result_count, 0);
        run_release(&runs[i]);
    }
    const char *first = strstr(said, "interrupted after 0 of ");
    cr_assert_not_null(first, "%s", said);
    cr_expect_null(strstr(first + 1, "interrupted"), "%s", said);
}

/* ---- Ahead of need ---- */

/* The next measurement is like this one, and in turn with it. */
static void take_turns(struct measurement *next)
{
    *next = measurement;
    measurement.relay = next->relay = relay_make();
    measurement.next = next;
}

/* Its worker was started for more kernels than are left when it goes on. */
Test(pool, a_worker_that_is_ready_measures_what_is_left)
{
    BEGIN("none-A-1", 1, "here/good", "there/good");
    struct measurement next;
    take_turns(&next);
    measure(EXIT_SAME);
    cr_expect_eq(run.result_count, 2);

    struct peer worker;
    struct measurement other = next;
    other.kernels = "libother.so";
    cr_expect(relay_take(next.relay, &next, 0, &worker), "one is ready");
    cr_expect_not(relay_take(next.relay, &next, 0, &worker), "and is taken once");
    free(child_end(&worker, false));
    measure(EXIT_SAME);
    cr_expect_not(relay_take(next.relay, &other, 0, &worker), "of another library it is of no use");

    measure(EXIT_SAME);
    OWNED(run) left;
    next.glob_count = 1;
    cr_expect_eq(measure_run(&next, &left), EXIT_SAME);
    cr_assert_eq(left.result_count, 1);
    cr_expect_str_eq(left.results[0].id, "here/good");
    cr_expect_eq(left.results[0].status, RESULT_OK);
    relay_release(next.relay);
}

/* A measurement in turn with the one after it, which is measured, too. In exclusive mode, say, a GPU takes one process
 * at a time. */
Test(pool, the_worker_that_is_ready_measures_and_where_none_can_be_another_is_started)
{
    static const struct {
        const char *refuses;
        size_t processes;
    } rows[] = {{"0", 2}, {"2", 3}};
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        BEGIN("none-A-1", 1, "*here/good");
        setenv("GPUS_REFUSES", rows[i].refuses, 1);
        struct measurement next;
        take_turns(&next);
        measure(EXIT_SAME);
        cr_expect_eq(run.result_count, 2);
        measurement = next;
        measure(EXIT_SAME);
        cr_expect_str_eq(said, "");
        cr_expect_eq(run.result_count, 2);
        OWNED_TEXT path = x_sprintf("%s/started", marks), *started = file_text(path);
        cr_expect_eq(strlen(started), rows[i].processes, "%zu processes", strlen(started));
        relay_release(next.relay);
    }
}

/* Its end is no matter to the measurement after it: a process that is ready and dies is one that does not start. */
Test(pool, a_worker_that_is_ready_and_not_needed_is_ended)
{
    BEGIN("none-A-1,none-A-2", 2, "*here/good");
    struct measurement next;
    take_turns(&next);
    measure(EXIT_SAME);
    next.glob_count = 1;
    next.globs = (char *const[]){"here/good"};
    OWNED(run) left;
    cr_expect_eq(measure_run(&next, &left), EXIT_SAME);
    cr_expect_eq(left.result_count, 1);
    cr_expect_eq(left.session_count, 1);
    relay_forget(next.relay);
    relay_release(next.relay);
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
    TRY(workload_run(workload, problem));
    for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
        *ARRAY_GROW(result->launches, result->launch_count) =
            (struct launch){.function = x_strdup(functions[i]), .grid = {1, 1, 1}, .block = {1, 1, 1}, .times = 3};
    struct profile_line *line = profile_add(&result->profile, functions[lines_job->skip == 3], "made_up.cu", 7, 0);
    if (lines_job->what == PROVIDES_LINE_COUNTS) {
        result->profile.counted = 1u << LINE_SHARED;
        line->counts[LINE_SHARED] = 5;
        return 0;
    }
    OWNED_TEXT mark = x_sprintf("%s/sampling", getenv("GPUS_MARK"));
    const bool alone = access(mark, F_OK) != 0;
    fclose(fopen(mark, "w"));
    usleep(20000);
    unlink(mark);
    result->profile.period = result->profile.launches = 1;
    return alone ? 0 : problem_set(problem, "another one samples");
}

HOST_LIKE(load_lines, (collector.open = open_lines, collector.measure = measure_lines_made_up));

static const struct backend lines = {.name = "lines",
                                     .provides =
                                         PROVIDES_VALUES | PROVIDES_LINE_COUNTS | PROVIDES_STALLS | PROVIDES_COUNTERS,
                                     .prepare = prepare_made_up,
                                     .load = load_lines};

/* Of kernels that were measured. */
static void set_up_lines(const char *const *ids, size_t count)
{
    static char *const none[] = {NULL};
    begin("none-A-1", 1, none);
    measurement.backend = &lines;
    for (size_t i = 0; i < count; i++) {
        struct result *result = run_add(&run, ids[i]);
        *ARRAY_GROW(result->launches, result->launch_count) = (struct launch){.function = x_strdup("f"), .times = 1};
    }
}

static void measure_lines_of(const char *const *ids, size_t count, unsigned what)
{
    capture_begin();
    cr_expect_eq(measure_profile(&measurement, &run, ids, count, what), EXIT_SAME);
    said = capture_end();
}

/* One of two processes does not get the GPU beside the other; or gets it, and not, "out of memory", what it wants. */
Test(pool, lines_that_cannot_be_counted_beside_others_are_counted_alone)
{
    static const struct {
        const char *refuses, *ids[2];
    } rows[] = {{"2", {"here/good", "there/good"}}, {"0", {"here/good", "once/fails_first"}}};
    for (size_t r = 0; r < ARRAY_SIZE(rows); r++) {
        set_up_lines(rows[r].ids, ARRAY_SIZE(rows[r].ids));
        setenv("GPUS_REFUSES", rows[r].refuses, 1);
        measure_lines_of(rows[r].ids, ARRAY_SIZE(rows[r].ids), PROVIDES_LINE_COUNTS);
        for (size_t i = 0; i < ARRAY_SIZE(rows[r].ids); i++)
            cr_expect_eq(profile_total(&result_of(rows[r].ids[i])->profile, LINE_SHARED), 10, "%s: %s", rows[r].ids[i],
                         said);
        cr_expect_null(strstr(said, "source line"), "%s", said);
    }
}

/* Two kernels wait for each other when their lines are counted, and must not be sampled at once. */
Test(pool, counts_of_lines_go_on_at_once_and_samples_in_turn)
{
    static const char *const ids[] = {"here/left", "there/right", "here/good", "bad/fails"};
    set_up_lines(ids, ARRAY_SIZE(ids));
    cr_expect_eq(measure_lines_at_once(&measurement), 4);
    measure_lines_of(ids, ARRAY_SIZE(ids), PROVIDES_LINE_COUNTS | PROVIDES_STALLS);
    for (size_t i = 0; i < 3; i++) {
        const struct profile *profile = &result_of(ids[i])->profile;
        cr_expect_eq(profile_total(profile, LINE_SHARED), 10, "%s: both functions", ids[i]);
        cr_expect_eq(profile->period, 1, "%s: %s", ids[i], said);
    }
    cr_expect_eq(result_of("bad/fails")->profile.counted, 0);
    expect_words(said, "bad/fails: no exact counts by source line: launch: made-up illegal address",
                 "bad/fails: no stalls by source line");
}
