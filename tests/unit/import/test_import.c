#include "import/import.h"
#include "test.h"

#include "import_support.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define DATED(date, name, time)                                                                                        \
    "{\"context\": {\"date\": \"" date "\"}, \"benchmarks\": [{\"run_type\": \"iteration\", \"run_name\": \"" name     \
    "\", \"real_time\": " time ", \"time_unit\": \"ns\"}]}"
#define FIRST DATED("2026-11-21T08:00:00+00:00", "a", "1")

struct trial {
    struct metrics metrics;
    struct run run;
    char *folder;
    char *paths[3];
    size_t count;
    int result;
    char *said;
};

static void begin(struct trial *trial)
{
    *trial = (struct trial){.folder = scratch_make()};
    cr_assert_eq(metrics_read_text(&trial->metrics, "x.ini",
                                   "[wall_time]\ntitle = t\ncounter = cugate.wall_time\nunit = ns\nclass = time\n"
                                   "better = lower\ndoc = d\n"
                                   "[time]\ntitle = t\ncounter = gpu__time_duration.sum\nunit = ns\nclass = time\n"
                                   "better = lower\ndoc = d\n"),
                 0);
}

static void add(struct trial *trial, const char *text)
{
    OWNED_TEXT name = x_sprintf("%zu.json", trial->count);
    trial->paths[trial->count++] = scratch_file(trial->folder, name, text);
}

static void import_all(struct trial *trial, const char *format)
{
    const struct import_request request = {import_format_find(format), &trial->metrics, "GPU"};
    run_release(&trial->run);
    free(trial->said);
    capture_begin();
    trial->result = import_files(&trial->run, &request, trial->paths, trial->count);
    trial->said = capture_end();
}

static void expect_error(struct trial *trial, const char *words)
{
    cr_expect_eq(trial->result, -1, "%s: was taken", words);
    cr_expect(strstr(trial->said, words), "\"%s\" lacks \"%s\"", trial->said, words);
    cr_expect_eq(trial->run.result_count + trial->run.session_count, 0);
}

static void end(struct trial *trial)
{
    for (size_t i = 0; i < trial->count; i++)
        free(trial->paths[i]);
    free(trial->said);
    run_release(&trial->run);
    metrics_release(&trial->metrics);
    scratch_remove(trial->folder);
}

/* A kernel that one file lacks has values from the others, and each value knows its session. */
Test(import, each_file_is_a_session)
{
    AT_END(end) struct trial trial;
    begin(&trial);
    add(&trial, FIRST);
    add(&trial, DATED("2026-11-22T08:00:00+00:00", "b", "2"));
    add(&trial, DATED("2026-11-23T08:00:00+00:00", "a", "3"));
    import_all(&trial, "google-benchmark");
    cr_assert_eq(trial.result, 0, "%s", trial.said);
    cr_assert_eq(trial.run.session_count, 3);
    cr_expect_str_eq(trial.run.sessions[2].facts[SESSION_DATE], "2026-11-23T08:00:00.000Z");
    const struct row *a = result_find(run_find(&trial.run, "a/default"), "wall_time");
    cr_assert_eq(a->session_count, 2);
    cr_expect_eq(a->sessions[0].session, 0);
    cr_expect_eq(a->sessions[1].session, 2);
    cr_expect(row_session_value(a, 1) == 3);
    const struct row *b = result_find(run_find(&trial.run, "b/default"), "wall_time");
    cr_assert_eq(b->session_count, 1);
    cr_expect_eq(b->sessions[0].session, 1);
}

Test(import, what_failed_in_one_file_failed)
{
    AT_END(end) struct trial trial;
    begin(&trial);
    add(&trial, FIRST);
    add(&trial, "{\"context\": {\"date\": \"2026-11-22T08:00:00+00:00\"}, \"benchmarks\": [{\"run_type\": "
                "\"iteration\", \"run_name\": \"a\", \"error_occurred\": true, \"error_message\": \"broken\"}]}");
    import_all(&trial, "google-benchmark");
    cr_assert_eq(trial.result, 0, "%s", trial.said);
    cr_expect_eq(trial.run.results[0].status, RESULT_FAILED);
    cr_expect_str_eq(trial.run.results[0].reason, "broken");
    cr_expect_eq(trial.run.results[0].row_count, 0);
}

Test(import, a_session_counts_once)
{
    AT_END(end) struct trial trial;
    begin(&trial);
    add(&trial, FIRST);
    add(&trial, FIRST);
    import_all(&trial, "google-benchmark");
    expect_error(
        &trial,
        "1.json is of the same session as a file before it (2026-11-21T08:00:00.000Z), and a session counts once");
}

Test(import, files_are_of_one_device)
{
    AT_END(end) struct trial trial;
    begin(&trial);
    for (size_t i = 0; i < 2; i++) {
        OWNED_TEXT text = x_sprintf("\"ID\",\"Kernel Name\",\"CC\",\"gpu__time_duration.sum\"\n\"\",\"\",\"\",\"ns\"\n"
                                    "\"0\",\"a()\",\"%s\",\"1\"\n",
                                    i == 0 ? "9.0" : "8.0");
        add(&trial, text);
    }
    import_all(&trial, "ncu");
    expect_error(&trial, "1.json is of another device than the files before it: compute capability 8.0, not 9.0");
}

Test(import, a_file_without_a_date_has_that_of_its_last_change)
{
    const struct timespec times[2] = {{.tv_sec = 1795248000, .tv_nsec = 7000000},
                                      {.tv_sec = 1795248000, .tv_nsec = 7000000}};
    AT_END(end) struct trial trial;
    begin(&trial);
    add(&trial, DATED("yesterday", "a", "1"));
    cr_assert_eq(utimensat(AT_FDCWD, trial.paths[0], times, 0), 0);
    import_all(&trial, "google-benchmark");
    cr_assert_eq(trial.result, 0, "%s", trial.said);
    cr_expect_str_eq(trial.run.sessions[0].facts[SESSION_DATE], "2026-11-21T08:00:00.007Z");
    cr_expect_str_eq(trial.run.sessions[0].facts[SESSION_CUGATE], CUGATE_VERSION);
    cr_expect_str_eq(trial.run.sessions[0].facts[SESSION_COLLECTOR], "google-benchmark");
}

Test(import, files_that_cannot_be_read_are_named)
{
    AT_END(end) struct trial trial;
    begin(&trial);
    add(&trial, FIRST);
    add(&trial, "");
    import_all(&trial, "google-benchmark");
    expect_error(&trial, "1.json is empty; it should be output of google-benchmark");
    cr_assert_eq(unlink(trial.paths[1]), 0);
    import_all(&trial, "google-benchmark");
    expect_error(&trial, "cannot read");
}

Test(import, formats_are_found_by_their_names)
{
    static const struct {
        const char *name, *words;
    } cases[] = {
        {"nvbnech", "'nvbnech' is not an import format; did you mean nvbench?: name nvbench, google-benchmark, "
                    "ncu, nsys, pytest-benchmark, criterion, github-action-benchmark or bmf"},
        {"csv", "'csv' is not an import format: name nvbench"},
    };
    cr_expect(import_format_find("ncu"));
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        capture_begin();
        cr_expect_null(import_format_find(cases[i].name));
        OWNED_TEXT said = capture_end();
        cr_expect(strstr(said, cases[i].words), "%s", said);
    }
}
