#include "test.h"

#include "import_support.h"

#define DATED(date, name, time)                                                                                        \
    "{\"context\": {\"date\": \"" date "\"}, \"benchmarks\": [{\"run_type\": \"iteration\", \"run_name\": \"" name     \
    "\", \"real_time\": " time ", \"time_unit\": \"ns\"}]}"
#define FIRST_DAY DATED("2026-11-21T08:00:00+00:00", "a", "1")

/* Each test has a process of its own, and so these of its own. */
static struct metrics metrics;
static struct run run;
static char *paths[3], *said;
static size_t count;
static int result;

static void begin(void)
{
    scratch_begin();
    cr_assert_eq(metrics_read_text(&metrics, "x.ini",
                                   "[wall_time]\ntitle = t\ncounter = cugate.wall_time\nunit = ns\nclass = time\n"
                                   "better = lower\ndoc = d\n"
                                   "[time]\ntitle = t\ncounter = gpu__time_duration.sum\nunit = ns\nclass = time\n"
                                   "better = lower\ndoc = d\n"),
                 0);
}

static void end(void)
{
    for (size_t i = 0; i < count; i++)
        free(paths[i]);
    free(said);
    run_release(&run);
    metrics_release(&metrics);
    scratch_leave();
}

TestSuite(import, .init = begin, .fini = end);

/* Imports all files that there are, and one of each text. */
static void import_all(const char *format, const char *const *texts)
{
    const struct import_request request = {import_format_find(format), &metrics, "GPU"};
    for (; *texts; texts++) {
        OWNED_TEXT name = x_sprintf("%zu.json", count);
        paths[count++] = scratch_file(scratch, name, *texts);
    }
    run_release(&run);
    free(said);
    capture_begin();
    result = import_files(&run, &request, paths, count);
    said = capture_end();
}
#define IMPORT(format, ...) import_all(format, (const char *const[]){__VA_ARGS__, NULL})

static void expect_error(const char *words)
{
    cr_expect_eq(result, -1, "%s: was taken", words);
    expect_word(said, words);
    cr_expect_eq(run.result_count + run.session_count, 0);
}

/* A kernel that one file lacks has values from the others, and each value knows its session. */
Test(import, each_file_is_a_session)
{
    IMPORT("google-benchmark", FIRST_DAY, DATED("2026-11-22T08:00:00+00:00", "b", "2"),
           DATED("2026-11-23T08:00:00+00:00", "a", "3"));
    cr_assert_eq(result, 0, "%s", said);
    cr_assert_eq(run.session_count, 3);
    cr_expect_str_eq(run.sessions[2].facts[SESSION_DATE], "2026-11-23T08:00:00.000Z");
    const struct row *a = result_find(run_find(&run, "a/default"), "wall_time");
    cr_assert_eq(a->session_count, 2);
    cr_expect_eq(a->sessions[0].session, 0);
    cr_expect_eq(a->sessions[1].session, 2);
    cr_expect(row_session_value(a, 1) == 3);
    const struct row *b = result_find(run_find(&run, "b/default"), "wall_time");
    cr_assert_eq(b->session_count, 1);
    cr_expect_eq(b->sessions[0].session, 1);
}

Test(import, what_failed_in_one_file_failed)
{
    IMPORT("google-benchmark", FIRST_DAY,
           "{\"context\": {\"date\": \"2026-11-22T08:00:00+00:00\"}, \"benchmarks\": [{\"run_type\": "
           "\"iteration\", \"run_name\": \"a\", \"error_occurred\": true, \"error_message\": \"broken\"}]}");
    cr_assert_eq(result, 0, "%s", said);
    cr_expect_eq(run.results[0].status, RESULT_FAILED);
    cr_expect_str_eq(run.results[0].reason, "broken");
    cr_expect_eq(run.results[0].row_count, 0);
}

Test(import, a_session_counts_once)
{
    IMPORT("google-benchmark", FIRST_DAY, FIRST_DAY);
    expect_error("1.json and an earlier file are the same session (2026-11-21T08:00:00.000Z), which counts once");
}

Test(import, files_are_of_one_device)
{
#define OF_CC(capability)                                                                                              \
    "\"ID\",\"Kernel Name\",\"CC\",\"gpu__time_duration.sum\"\n\"\",\"\",\"\",\"ns\"\n\"0\",\"a()\",\"" capability     \
    "\",\"1\"\n"
    IMPORT("ncu", OF_CC("9.0"), OF_CC("8.0"));
    expect_error("1.json is from a different device than the files before it: compute capability 8.0, not 9.0");
}

Test(import, a_file_without_a_date_has_that_of_its_last_change)
{
    const struct timespec times[2] = {{.tv_sec = 1795248000, .tv_nsec = 7000000},
                                      {.tv_sec = 1795248000, .tv_nsec = 7000000}};
    IMPORT("google-benchmark", DATED("yesterday", "a", "1"));
    cr_assert_eq(utimensat(AT_FDCWD, paths[0], times, 0), 0);
    import_all("google-benchmark", (const char *const[]){NULL});
    cr_assert_eq(result, 0, "%s", said);
    cr_expect_str_eq(run.sessions[0].facts[SESSION_DATE], "2026-11-21T08:00:00.007Z");
    cr_expect_str_eq(run.sessions[0].facts[SESSION_CUGATE], CUGATE_VERSION);
    cr_expect_str_eq(run.sessions[0].facts[SESSION_COLLECTOR], "google-benchmark");
}

Test(import, files_that_cannot_be_read_are_named)
{
    IMPORT("google-benchmark", FIRST_DAY, "");
    expect_error("1.json is empty, but should be the output of google-benchmark");
    cr_assert_eq(unlink(paths[1]), 0);
    import_all("google-benchmark", (const char *const[]){NULL});
    expect_error("cannot read");
}

Test(import, formats_are_found_by_their_names)
{
    static const struct {
        const char *name, *words;
    } cases[] = {
        {"nvbnech", "unknown import format 'nvbnech'; did you mean nvbench?; known are nvbench, google-benchmark, "
                    "ncu, nsys, pytest-benchmark, criterion, github-action-benchmark or bmf"},
        {"csv", "unknown import format 'csv'; known are nvbench"},
    };
    cr_expect(import_format_find("ncu"));
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        free(said);
        capture_begin();
        cr_expect_null(import_format_find(cases[i].name));
        said = capture_end();
        cr_expect(strstr(said, cases[i].words), "%s", said);
    }
}
