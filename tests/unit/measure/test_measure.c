#include "measure/measure.h"
#include "test.h"

#include "host_like.h"

#include <regex.h>
#include <sys/wait.h>

/* Faulty kernels, see libraries/faults.c, which are measured by the host's clock. */
struct fixture {
    struct metrics metrics;
    char *library;
    char *globs[4];
    struct measurement measurement;
    struct run run;
    int code;
    char *said; /* what was printed to standard error */
    char *path; /* where a child saves the run */
};

static void set_up(struct fixture *fixture, const char *glob)
{
    *fixture = (struct fixture){.globs = {x_strdup(glob)}};
    cr_assert_eq(metrics_read_folder(&fixture->metrics, "metrics"), 0);
    fixture->library = built("libfaults.so");
    fixture->measurement = (struct measurement){
        .kernels = fixture->library,
        .metrics = &fixture->metrics,
        .backend = backend_find("host"),
        .globs = fixture->globs,
        .glob_count = 1,
        .samples = 3,
        .timeout = 60,
    };
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
}

static void add_glob(struct fixture *fixture, const char *glob)
{
    cr_assert_lt(fixture->measurement.glob_count, ARRAY_SIZE(fixture->globs));
    fixture->globs[fixture->measurement.glob_count++] = x_strdup(glob);
}

static void measure(struct fixture *fixture)
{
    capture_begin();
    fixture->code = measure_run(&fixture->measurement, &fixture->run);
    fixture->said = capture_end();
}

static void tear_down(struct fixture *fixture)
{
    free(fixture->said);
    run_release(&fixture->run);
    for (size_t i = 0; i < fixture->measurement.glob_count; i++)
        free(fixture->globs[i]);
    free(fixture->library);
    metrics_release(&fixture->metrics);
}

/* Whether measuring gives the metric a row. static_facts_add adds facts of machine code later. */
static bool is_measured(const struct metric *metric)
{
    const enum metric_source source = metric_source(metric);
    return source != SOURCE_CODE && source != SOURCE_CODE_ALONE && source != SOURCE_SIMULATION &&
           source != SOURCE_LAUNCHES && !is_metric_of_program(metric) && !metric_is_on_demand(metric);
}

static size_t count_measured(const struct metrics *metrics)
{
    size_t count = 0;
    for (size_t m = 0; m < metrics->count; m++)
        count += is_measured(&metrics->list[m]) || metric_is_on_demand(&metrics->list[m]);
    return count;
}

/* Expects all rows of a measured kernel; or of a faulty one no row, and these words as its reason. */
static void expect_result(const struct fixture *fixture, const char *id, enum result_status status, const char *words)
{
    const struct result *result = run_find(&fixture->run, id);
    cr_assert_not_null(result, "%s is not there", id);
    cr_expect_eq(result->status, status, "%s: %s, not %s", id, result_status_name(result->status),
                 result_status_name(status));
    if (status == RESULT_OK) {
        cr_expect_null(result->reason, "%s", id);
        cr_expect_eq(result->row_count, count_measured(&fixture->metrics), "%s", id);
    } else {
        cr_expect(result->reason && strstr(result->reason, words), "%s: \"%s\" lacks \"%s\"", id, result->reason,
                  words);
        cr_expect_eq(result->row_count, 0, "%s", id);
    }
}

Test(measure, a_good_kernel_has_every_row)
{
    WITH(tear_down, struct fixture fixture, set_up(&fixture, "good/*"));
    measure(&fixture);
    cr_assert_eq(fixture.code, EXIT_SAME, "%s", fixture.said);
    cr_assert_eq(fixture.run.result_count, 3);
    const struct result *result = run_find(&fixture.run, "good/one");
    cr_expect_eq(result->status, RESULT_OK);
    cr_expect_eq(result->bytes, 1000);
    cr_expect_eq(result->flops, 500);
    cr_expect_gt(result->seconds, 0);
    cr_assert_eq(result->row_count, count_measured(&fixture.metrics));
    cr_assert_lt(result->row_count, fixture.metrics.count);
    EACH(const struct metric, metric, fixture.metrics.list, fixture.metrics.count) {
        const struct row *row = result_find(result, metric->name);
        if (metric_is_on_demand(metric)) {
            cr_expect(row && row->state != VALUE_MEASURED, "%s", metric->name);
            continue;
        }
        if (!is_measured(metric)) {
            cr_expect_null(row, "%s", metric->name);
            continue;
        }
        cr_assert_not_null(row, "%s", metric->name);
        if (computed_counter_of(metric) != COMPUTED_NONE) {
            cr_expect_eq(row->state, VALUE_MEASURED, "%s", metric->name);
            cr_assert_eq(row->session_count, 1, "%s", metric->name);
            cr_expect_eq(row->sessions[0].count, 3, "%s", metric->name);
            cr_expect_gt(row_value(row), 0, "%s", metric->name);
        } else {
            cr_expect_eq(row->state, VALUE_NOT_SUPPORTED, "%s", metric->name);
        }
    }
}

/* Its output is right in its first launch only. What is others' code is not known whole. */
Test(measure, what_is_known_whole_is_verified_once)
{
    for (int of_others = 0; of_others < 2; of_others++) {
        const struct known_kernel known[] = {{"wrong/later", of_others}};
        WITH(tear_down, struct fixture fixture, set_up(&fixture, "wrong/later"));
        fixture.measurement.known = known;
        fixture.measurement.known_count = ARRAY_SIZE(known);
        measure(&fixture);
        cr_expect_eq(run_find(&fixture.run, "wrong/later")->status, of_others ? RESULT_WRONG : RESULT_OK);
    }
}

Test(measure, the_session_s_facts_are_filled)
{
    WITH(tear_down, struct fixture fixture, set_up(&fixture, "good/one"));
    measure(&fixture);
    cr_assert_eq(fixture.code, EXIT_SAME, "%s", fixture.said);
    cr_expect_str_eq(fixture.run.device.name, "host");
    cr_assert_eq(fixture.run.session_count, 1);
    char *const *facts = fixture.run.sessions[0].facts;
    regex_t date;
    cr_assert_eq(
        regcomp(&date, "^20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9][.][0-9]{3}Z$", REG_EXTENDED),
        0);
    cr_expect_eq(regexec(&date, facts[SESSION_DATE], 0, NULL, 0), 0, "%s", facts[SESSION_DATE]);
    regfree(&date);
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    cr_expect_str_eq(facts[SESSION_HOST], host);
    cr_expect_str_eq(facts[SESSION_COLLECTOR], "host");
    cr_expect_str_eq(facts[SESSION_COMPILER], "made-up compiler 1.0");
    cr_expect_str_eq(facts[SESSION_FLAGS], "-O2 -g");
    cr_expect_str_eq(facts[SESSION_CUGATE], CUGATE_VERSION);
    cr_expect_null(facts[SESSION_REASON]);
    cr_expect_null(facts[SESSION_DRIVER]);
    cr_expect_eq(fixture.run.note_count, fixture.metrics.count);
}

/* ---- Batches, in a made-up backend that uses the host's clock ---- */

/* Measures a batch in two passes, the first of which counts nothing. */
static int measure_batch(void *self, const struct batch *batch, struct problem *problem)
{
    for (size_t i = 0; i < 2 * batch->count; i++) {
        const size_t kernel = i % batch->count;
        OWNED(result) unused = {0};
        batch->works(batch->self, kernel);
        if (host_collector.measure(self, batch->workloads[kernel], i < batch->count ? &unused : batch->results[kernel],
                                   problem) < 0 ||
            (i >= batch->count && batch->verify(batch->self, kernel, problem) < 0))
            return -1;
    }
    return 0;
}

static size_t no_launches(void *self)
{
    (void)self;
    return 0;
}

HOST_LIKE(load_batching, (collector.measure_batch = measure_batch, collector.launches = no_launches));

static const struct backend batching = {.name = "batching", .provides = PROVIDES_VALUES, .load = load_batching};

/* A backend that takes long, and says how far it is: so many times, a moment apart. */
static int headway_pipe, headway_times;

static int open_telling(void **self, const struct job *job, struct device *device, struct session *session,
                        struct problem *problem)
{
    headway_pipe = job->pipe;
    return host_collector.open(self, job, device, session, problem);
}

static int measure_telling(void *self, const struct workload *workload, struct result *result, struct problem *problem)
{
    for (int i = 0; i < headway_times; i++) {
        message_send(headway_pipe, MESSAGE_HEADWAY, "3000 8192 150");
        usleep(50000);
    }
    return host_collector.measure(self, workload, result, problem);
}

HOST_LIKE(load_telling, (collector.open = open_telling, collector.measure = measure_telling));

static const struct backend telling = {
    .name = "telling", .provides = PROVIDES_VALUES, .tells_headway = true, .load = load_telling};

/* ---- What is measured, and what comes of it ---- */

struct scene {
    const char *globs[3];
    const struct backend *backend; /* NULL: the host's clock */
    const char *library;           /* NULL: libfaults.so */
    double timeout;                /* 0: far more than is needed */
    int headway, samples;          /* samples, 0: 3 */
    bool progress, quiet, skip_unmatched;
    int code;
    size_t results; /* all are good but those of `hung` */
    const char *hung, *why;
    const char *says, *hides; /* says, NULL: nothing */
};

static void expect_scene(const struct scene *scene)
{
    WITH(tear_down, struct fixture fixture, set_up(&fixture, scene->globs[0]));
    for (size_t i = 1; i < ARRAY_SIZE(scene->globs) && scene->globs[i]; i++)
        add_glob(&fixture, scene->globs[i]);
    struct measurement *measurement = &fixture.measurement;
    measurement->backend = scene->backend ? scene->backend : measurement->backend;
    measurement->kernels = scene->library ? scene->library : measurement->kernels;
    measurement->timeout = scene->timeout > 0 ? scene->timeout : measurement->timeout;
    measurement->samples = scene->samples ? scene->samples : measurement->samples;
    measurement->progress = scene->progress;
    measurement->quiet = scene->quiet;
    measurement->skip_unmatched = scene->skip_unmatched;
    headway_times = scene->headway;
    measure(&fixture);
    cr_expect_eq(fixture.code, scene->code, "%s: %s", scene->globs[0], fixture.said);
    cr_expect_eq(fixture.run.result_count, scene->results, "%s", scene->globs[0]);
    for (size_t i = 0; i < fixture.run.result_count && scene->code == EXIT_SAME; i++) {
        const char *id = fixture.run.results[i].id;
        const bool hung = scene->hung && strcmp(id, scene->hung) == 0;
        expect_result(&fixture, id, hung ? RESULT_HUNG : RESULT_OK, scene->why);
    }
    if (scene->says)
        expect_word(fixture.said, scene->says);
    else
        cr_expect_str_eq(fixture.said, "", "%s", scene->globs[0]);
    if (scene->hides)
        expect_no_word(fixture.said, scene->hides);
}

#define EXPECT(...)                                                                                                    \
    do {                                                                                                               \
        const struct scene scenes_[] = {__VA_ARGS__};                                                                  \
        for (size_t i_ = 0; i_ < ARRAY_SIZE(scenes_); i_++)                                                            \
            expect_scene(&scenes_[i_]);                                                                                \
    } while (0)

/* The first takes longer than the limit in all. */
Test(measure, what_makes_progress_is_not_hung_unless_it_has_no_end)
{
    EXPECT({{"good/one"},
            .backend = &telling,
            .timeout = 2,
            .headway = 50,
            .progress = true,
            .results = 1,
            .says = "good/one  3,000 of 8,192 blocks, about 2 min left"},
           {{"good/one"},
            .backend = &telling,
            .timeout = 0.5,
            .headway = 1 << 30,
            .results = 1,
            .hung = "good/one",
            .why = "(last seen: 3,000 of 8,192 blocks); set a longer limit"});
}

/* The limit is far more than good kernels need. */
Test(measure, a_kernel_that_hangs_is_ended)
{
#define HANGS {"slow/brief", "slow/endless", "slow/good"}, .timeout = 3, .results = 3, .hung = "slow/endless"
    EXPECT({HANGS, .why = "no result within 3 s; set a longer limit with --timeout"},
           {HANGS, .backend = &batching, .why = "no result within 3 s; set a longer limit with --timeout",
            .says = "measuring slow/brief and the kernels of its batch again, one by one: no response within 3 s"},
           {{"slow/*"}, .timeout = 1, .quiet = true, .code = EXIT_USAGE, .results = 5});
}

/* A kernel takes 2.1 s, all three take more than the limit; in a batch each says that it is being worked on. */
Test(measure, the_time_limit_is_each_kernel_s_own)
{
    EXPECT({{"slow/brief*"}, .samples = 13, .timeout = 6, .results = 3},
           {{"slow/brief*"}, .backend = &batching, .samples = 13, .timeout = 6, .results = 3});
}

Test(measure, a_close_that_hangs_fails_its_kernel)
{
#define CLOSE_HANGS                                                                                                    \
    .timeout = 3, .hung = "slow_close/good", .why = "after its results arrived the process hung, probably in"
    EXPECT({{"slow_close/*", "good/*"}, CLOSE_HANGS, .results = 4, .says = "printed at once"},
           {{"slow_close/*", "slow_close/*"}, CLOSE_HANGS, .results = 1});
}

Test(measure, kernels_and_libraries_that_are_not_there)
{
    EXPECT({{"good/oen"}, .code = EXIT_USAGE, .says = "no kernel matches -k 'good/oen'; did you mean 'good/one'?"},
           {{"zzzzzzzzzzzzzzzzzzzzzz"}, .code = EXIT_USAGE, .says = "`cugate list`", .hides = "did you mean"},
           {{"good/one", "good/removed"}, .skip_unmatched = true, .results = 1},
           {{"good/removed"}, .skip_unmatched = true},
           {{"*"},
            .library = "/no/such/lib.so",
            .code = EXIT_USAGE,
            .says = "cannot load the kernel library: /no/such/lib.so"});
}

/* ---- Faults ---- */

static const struct fixture *faulty;
static size_t faults;

static void expect_fault(const char *where, const char *id, const char *words)
{
    enum result_status status = 0;
    while (status < RESULT_STATUSES &&
           strncmp(words, result_status_name(status), strlen(result_status_name(status))) != 0)
        status++;
    cr_assert_lt(status, RESULT_STATUSES, "%s", where);
    const char *const why = words + strlen(result_status_name(status));
    expect_result(faulty, id, status, why + strspn(why, ": "));
    faults++;
}

Test(measure, a_fault_costs_its_own_kernel_only)
{
    for (int batch = 0; batch < 2; batch++) {
        WITH(tear_down, struct fixture fixture, set_up(&fixture, "[!s]*")); /* all but the slow kernels */
        if (batch)
            fixture.measurement.backend = &batching;
        measure(&fixture);
        cr_expect_eq(fixture.code, EXIT_SAME, "%s", fixture.said);
        faulty = &fixture;
        faults = 0;
        each_text("tests/unit/measure/measure.txt", expect_fault);
        cr_expect_eq(fixture.run.result_count, faults);
        cr_expect_eq(fixture.run.session_count, 1);
#define AGAIN " and the kernels of its batch again, one by one: "
        if (batch)
            expect_words(fixture.said, "crash/good" AGAIN "it exited",
                         "failing/good" AGAIN "kernel: made-up illegal address");
    }
}

Test(measure, kernels_of_a_family_are_at_work_at_once)
{
    WITH(tear_down, struct fixture fixture, set_up(&fixture, "good/*"));
    fixture.measurement.backend = &batching;
    fixture.measurement.progress = true;
    measure(&fixture);
    cr_assert_eq(fixture.code, EXIT_SAME, "%s", fixture.said);
    for (size_t i = 0; i < fixture.run.result_count; i++)
        expect_result(&fixture, fixture.run.results[i].id, RESULT_OK, NULL);
    expect_word(fixture.said, "[3/3] good/printing");
    const char *last = strstr(fixture.said, "[3/3] good/printing");
    cr_assert_not_null(last);
    for (int pass = 0; pass < 2; pass++) { /* two passes, after all kernels were warmed up */
        const char *one = strstr(last, "[3/3] good/one");
        cr_assert_not_null(one, "%s", fixture.said);
        last = strstr(one, "[3/3] good/two");
        cr_assert_not_null(last, "%s", fixture.said);
    }
}

Test(measure, what_a_library_prints_stays_out_of_standard_output)
{
    WITH(tear_down, struct fixture fixture, set_up(&fixture, "good/printing"));
    fflush(stdout);
    FILE *file = tmpfile();
    const int saved = dup(STDOUT_FILENO);
    printf("ours, not written yet");
    cr_assert(file && saved >= 0 && dup2(fileno(file), STDOUT_FILENO) >= 0);
    measure(&fixture);
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    char text[256] = "";
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    cr_expect_str_eq(text, "ours, not written yet");
    cr_expect_null(strstr(fixture.said, "ours")); /* text in our buffers is not printed twice */
    expect_words(fixture.said, "printed through a buffer\n", "printed at once\n");
    expect_result(&fixture, "good/printing", RESULT_OK, NULL);
}

Test(measure, progress_is_drawn_only_on_request)
{
    WITH(tear_down, struct fixture fixture, set_up(&fixture, "good/one"));
    add_glob(&fixture, "good/two");
    measure(&fixture);
    cr_expect_str_eq(fixture.said, "");
    free(fixture.said);
    run_release(&fixture.run);
    fixture.measurement.progress = true;
    measure(&fixture);
    expect_words(fixture.said, "[1/2] good/one", "[2/2] good/two  about ");
    const char *end = strrchr(fixture.said, '\r');
    cr_expect(end && strcmp(end, "\r\033[K") == 0, "the line is not erased: %s", fixture.said);
    free(fixture.said);
    run_release(&fixture.run);
    fixture.measurement.label = "confirming 2 kernels";
    measure(&fixture);
    expect_word(fixture.said, "confirming 2 kernels: [1/2] good/one");
}

/* ---- Signals: a child measures, and the test watches its progress line ---- */

/* Ends as a command does, and saves the run. */
static void be_the_command(void *self)
{
    struct fixture *fixture = self;
    fixture->measurement.progress = true;
    const int code = measure_run(&fixture->measurement, &fixture->run);
    _exit(run_write_file(&fixture->run, fixture->path) < 0 ? EXIT_USAGE : code);
}

/* Sends the signals to a measuring child as soon as its progress line contains `when`. Reads the run that it saved. */
static void measure_and_signal(struct fixture *fixture, const char *when, const int *signals, size_t count)
{
    OWNED_FOLDER folder = scratch_make();
    OWNED_TEXT path = fixture->path = x_sprintf("%s/run.json", folder);
    fixture->code = signalled(be_the_command, fixture, when, signals, count, &fixture->said);
    cr_expect_eq(run_read(&fixture->run, path), 0, "%d: %s", fixture->code, fixture->said);
}

Test(measure, an_interrupted_run_keeps_what_was_measured)
{
    /* Sends several signals: people press Ctrl-C more than once, and a session that ends sends more than one signal. */
    static const int sets[][2] = {{SIGINT, SIGINT}, {SIGTERM, SIGTERM}, {SIGHUP, SIGTERM}};
    for (size_t i = 0; i < ARRAY_SIZE(sets); i++) {
        WITH(tear_down, struct fixture fixture, set_up(&fixture, "slow/brief"));
        add_glob(&fixture, "slow/endless");
        add_glob(&fixture, "good/one");
        measure_and_signal(&fixture, "slow/endless", sets[i], ARRAY_SIZE(sets[i]));
        cr_expect_eq(fixture.code, EXIT_INTERRUPTED);
        cr_expect_eq(fixture.run.result_count, 1);
        expect_result(&fixture, "slow/brief", RESULT_OK, NULL);
        expect_word(fixture.said, "interrupted after 1 of 3 kernels; finished measurements are kept");
    }
}

Test(measure, an_interrupted_batch_leaves_what_was_before_it)
{
    static const int interrupt[] = {SIGINT};
    WITH(tear_down, struct fixture fixture, set_up(&fixture, "slow/*"));
    add_glob(&fixture, "good/*");
    fixture.measurement.backend = &batching;
    measure_and_signal(&fixture, "slow/endless", interrupt, ARRAY_SIZE(interrupt));
    cr_expect_eq(fixture.code, EXIT_INTERRUPTED);
    cr_expect_eq(fixture.run.result_count, 0);
    expect_word(fixture.said, "interrupted after 0 of 8 kernels; finished measurements are kept");
}

Test(measure, a_signal_that_was_ignored_stays_so)
{
    static const int hangup[] = {SIGHUP};
    WITH(tear_down, struct fixture fixture, set_up(&fixture, "slow/brief"));
    add_glob(&fixture, "good/one");
    signal(SIGHUP, SIG_IGN); /* nohup ignores the signal, too */
    measure_and_signal(&fixture, "slow/brief", hangup, ARRAY_SIZE(hangup));
    cr_expect_eq(fixture.code, EXIT_SAME);
    expect_result(&fixture, "slow/brief", RESULT_OK, NULL);
    expect_result(&fixture, "good/one", RESULT_OK, NULL);
}

Test(measure, signals_are_as_before_afterwards)
{
    sigset_t before, after;
    sigprocmask(SIG_BLOCK, NULL, &before);
    WITH(tear_down, struct fixture fixture, set_up(&fixture, "good/one"));
    measure(&fixture);
    sigprocmask(SIG_BLOCK, NULL, &after);
    for (int number = 1; number < SIGRTMAX; number++)
        cr_expect_eq(sigismember(&before, number), sigismember(&after, number), "signal %d", number);
}
