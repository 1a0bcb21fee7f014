/* Tests the whole of `cugate check` by the cases of check.txt: on two builds of the kernels in libraries/turns.c, timed
 * by a made-up host clock. */
#include "cases.h"
#include "command/command.h"
#include "judge/rule.h"
#include "made_runs.h"
#include "made_time.h"
#include "measure/measure.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static struct made_check check;
static char *head, *base, *log_path, *mark;
static char *globs[8];
static struct run saved;

static void forget_globs(void)
{
    while (check.options.glob_count > 0)
        free(globs[--check.options.glob_count]);
}

static void begin(void)
{
    made_time_begin();
    made_check_begin(&check);
    head = built("libturns.so");
    base = x_sprintf("%s/base.so", check.folder);
    log_path = x_sprintf("%s/log", check.folder);
    mark = x_sprintf("%s/mark", check.folder);
    OWNED_TEXT other_bytes = x_sprintf("{ cat '%s'; echo; } >'%s'", head, base);
    cr_assert_eq(system(other_bytes), 0);
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    setenv("GIT_DIR", check.folder, 1); /* no repository: what no case is about is found out at once */
    check.options.globs = globs;
    check.options.metrics = check.folder;
    check.options.collector = "host";
    check.options.samples = 3;
}

static void end(void)
{
    forget_globs();
    run_release(&saved);
    saved = (struct run){0};
    set_text(&head, NULL);
    set_text(&base, NULL);
    set_text(&log_path, NULL);
    set_text(&mark, NULL);
    made_check_end(&check);
    unsetenv("TURNS_LOG");
    unsetenv("TURNS_MARK");
    unsetenv("GIT_DIR");
}

/* ---- What there is ---- */

static void put_metrics(void)
{
    OWNED_TEXT text = x_sprintf("[wall_time]\ntitle = Wall time\ncounter = cugate.wall_time\nunit = ns\nclass = time\n"
                                "better = lower\nfloor = %s\ndoc = By the made-up clock.\n%s",
                                word(1), word(2));
    free(scratch_file(check.folder, "metrics.ini", text));
}

static void set_day(struct run *run, size_t day)
{
    free(run->sessions[0].facts[SESSION_DATE]);
    run->sessions[0].facts[SESSION_DATE] = x_sprintf("2026-01-%02zuT08:00:00.000Z", day);
}

static struct run measured_session(const struct measurement *measurement, double factor, size_t day)
{
    struct run run;
    cr_assert_eq(measure_whole(measurement, &run), EXIT_SAME);
    for (size_t i = 0; i < run.result_count; i++) {
        const struct row *row = result_find(&run.results[i], "wall_time");
        for (size_t n = 0; row && n < row->sessions[0].count; n++)
            row->sessions[0].samples[n] *= factor;
    }
    set_day(&run, day);
    return run;
}

/* The clock is exact: one session stands for the others. */
static void put_baseline(void)
{
    OWNED(metrics) metrics = {0};
    cr_assert_eq(metrics_read_folder(&metrics, check.folder), 0);
    char *kernels[ARRAY_SIZE(globs)];
    const size_t day = whole(word(4));
    for (size_t i = 5; i < word_count; i++)
        kernels[i - 5] = word(i);
    const struct measurement measurement = {
        .kernels = strcmp(word(1), "head") == 0 ? head : base,
        .metrics = &metrics,
        .backend = backend_find("host"),
        .globs = kernels,
        .glob_count = word_count - 5,
        .samples = 3,
        .timeout = 60,
    };
    OWNED(run) run = measured_session(&measurement, number(word(3)), day);
    OWNED(run) more = measured_session(&measurement, number(word(3)), day);
    for (size_t i = 1; i < whole(word(2)); i++) {
        set_day(&more, day + i);
        run_append(&run, &more);
    }
    const struct acceptance acceptance = {
        .baselines = check.baselines,
        .metrics = &metrics,
        .reason = "made up",
        .names = (char *[]){"made up"},
        .globs = (char *[]){"*"},
        .glob_count = 1,
    };
    OWNED(accepted) accepted;
    cr_assert_eq(baseline_accept(&acceptance, &run, 1, &accepted), EXIT_SAME);
}

static void declare(void)
{
    OWNED_TEXT folder = x_sprintf("%s/host", check.baselines);
    free(scratch_file(folder, "expected.ini", word(1)));
}

/* ---- The check ---- */

static void take_options(size_t first)
{
    struct options *options = &check.options;
    forget_globs();
    options->kernels = head;
    options->save = check.save;
    options->against = NULL;
    options->paired = false;
    options->format = "json";
    for (size_t i = first; i < word_count; i++)
        if (strcmp(word(i), "against") == 0)
            options->against = base;
        else if (strcmp(word(i), "no_library") == 0)
            write_bytes(base, "none", 4);
        else if (strcmp(word(i), "no_file") == 0)
            remove(base);
        else if (strcmp(word(i), "paired") == 0)
            options->paired = true;
        else if (strcmp(word(i), "text") == 0)
            options->format = "text";
        else
            globs[options->glob_count++] = x_strdup(word(i));
    setenv("TURNS_LOG", log_path, 1);
}

static void read_saved(void)
{
    run_release(&saved);
    saved = (struct run){0};
    if (access(check.save, F_OK) == 0)
        cr_expect_eq(run_read(&saved, check.save), 0);
}

static void check_it(void)
{
    take_options(1);
    setenv("TURNS_MARK", mark, 1);
    made_check_run(&check);
    read_saved();
}

static size_t processes_begun(void)
{
    struct stat facts;
    return stat(log_path, &facts) == 0 ? (size_t)facts.st_size : 0;
}

/* Sends SIGINT as soon as so many processes have begun. */
static void interrupt_it(void)
{
    take_options(2);
    capture_begin();
    const pid_t child = fork();
    if (child == 0) {
        made_time_begin();       /* for its own */
        signal(SIGINT, SIG_DFL); /* shells start what is in the background without it */
        _exit(command_check.run(&check.options));
    }
    int status = 0;
    bool sent = false;
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (!sent && processes_begun() >= whole(word(1)))
            sent = kill(child, SIGINT) == 0;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    check.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    check.said = capture_end();
    check.printed = file_text(check.report);
}

/* ---- What must come of it ---- */

static void expect_code(void)
{
    CHECK(check.code == number(word(1)), "exit code %d: %s %s", check.code, check.said, check.printed);
}

/* "HB+4" is HB, four pairs BHHB..., and after another + more processes. */
static void expect_turns(void)
{
    OWNED_TEXT text = x_strdup(word(1));
    char *rest = text, wanted[64] = "";
    for (char *part = strsep(&rest, "+"); part; part = strsep(&rest, "+"))
        for (size_t i = 0, count = *part < 'A' ? 2 * whole(part) : strlen(part); i < count; i++)
            strncat(wanted, *part < 'A' ? &"BHHB"[i % 4] : &part[i], 1);
    OWNED_TEXT turns = file_text(log_path);
    CHECK(strcmp(turns, wanted) == 0, "%s, not %s: %s", turns, wanted, check.said);
}

/* Finds what the report says of a row, or of a kernel where the metric is null, without its quotes. */
static void expect_row(void)
{
    OWNED_TEXT report = x_strdup(check.printed);
    char *to = report;
    for (const char *from = check.printed; *from; from++)
        if (!strchr("\"\\", *from))
            *to++ = *from;
    *to = '\0';
    OWNED_TEXT start = x_sprintf("{kernel: %s, metric: %s,", word(1), word(2));
    OWNED_TEXT verdict = x_sprintf("verdict: %s,", word(3));
    char *const row = strstr(report, start);
    NEED(row, "no row %s: %s %s", start, check.said, check.printed);
    row[strcspn(row, "\n")] = '\0';
    CHECK(strstr(row, verdict) && (word_count < 5 || strstr(row, word(4))), "%s", row);
}

/* How many sessions and pairs a row of the saved run has. */
static void expect_sessions(void)
{
    const struct row *row = made_row(&saved, word(1), "wall_time");
    CHECK(row->session_count == whole(word(2)), "%zu sessions", row->session_count);
    CHECK(word_count < 4 || row->pair_count == whole(word(3)), "%zu pairs", row->pair_count);
}

static void expect_said(void)
{
    OWNED_TEXT all = x_sprintf("%s%s", check.said, check.printed);
    CHECK(strstr(all, word(1)), "it does not say \"%s\": %s", word(1), all);
}

DO(expect_empty(void), CHECK(*check.printed == '\0', "%s", check.printed));

/* From the counts on, since what is before them says that it is a replay. */
static void replay(void)
{
    const int code = check.code;
    OWNED_TEXT printed = check.printed;
    check.printed = NULL;
    check.options.replay = check.save;
    check.options.save = check.options.against = NULL;
    check.options.paired = false;
    made_check_run(&check);
    const char *judged[] = {strstr(printed, "\"counts\""), strstr(check.printed, "\"counts\"")};
    CHECK(check.code == code && judged[0] && judged[1] && strcmp(judged[0], judged[1]) == 0,
          "the saved run replays with %d, not %d: %s", check.code, code, check.printed);
}

Test(check, cases)
{
    static const struct case_command commands[] = {
        {"baseline", put_baseline, false}, {"check", check_it, false},          {"code", expect_code, true},
        {"declare", declare, false},       {"empty", expect_empty, true},       {"interrupt", interrupt_it, false},
        {"metrics", put_metrics, false},   {"replay", replay, false},           {"row", expect_row, true},
        {"says", expect_said, true},       {"sessions", expect_sessions, true}, {"turns", expect_turns, true},
    };
    const struct language language = {commands, ARRAY_SIZE(commands), begin, NULL, end};
    try_cases("tests/unit/gate/check.txt", &language);
}
