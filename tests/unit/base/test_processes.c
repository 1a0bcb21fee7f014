/* Processes of every kind: programs and functions, with the descriptors, folder and group that were asked for. */
#include "test.h"

/* What a shell with that script says, up to the first newline. */
static void ask(struct process_start start, const char *script, char line[256])
{
    const char *const words[] = {"sh", "-c", script, NULL};
    pid_t process;
    start.words = words;
    line[0] = '\0';
    FILE *stream = process_start_reading(&start, &process);
    cr_assert_not_null(stream, "%s", strerror(errno));
    cr_expect_not_null(fgets(line, 256, stream));
    line[strcspn(line, "\n")] = '\0';
    fclose(stream);
    cr_expect_eq(process_exit_code(process_wait(process)), 0);
}

Test(processes, a_program_has_what_was_asked_for)
{
    char line[256];
    ask((struct process_start){.input = PROCESS_NOTHING}, "cat; echo end", line);
    cr_expect_str_eq(line, "end");
    ask((struct process_start){.errors = PROCESS_NOTHING}, "readlink /proc/self/fd/2", line);
    cr_expect_str_eq(line, "/dev/null");
    ask((struct process_start){.folder = "/usr"}, "pwd", line);
    cr_expect_str_eq(line, "/usr");
    ask((struct process_start){.group = PROCESS_OWN_GROUP},
        "read -r pid name state parent group rest </proc/$$/stat; [ \"$group\" = $$ ] && echo own", line);
    cr_expect_str_eq(line, "own");
}

Test(processes, what_cannot_run_says_why)
{
    static const struct {
        const char *word, *folder;
        int error;
    } cases[] = {{"no-such-program", NULL, ENOENT}, {"/", NULL, EACCES}, {"sh", "/no/such/folder", ENOENT}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const char *const words[] = {cases[i].word, NULL};
        errno = 0;
        cr_expect_eq(process_start(&(struct process_start){.words = words, .folder = cases[i].folder}), -1);
        cr_expect_eq(errno, cases[i].error, "%s: %s", cases[i].word, strerror(errno));
    }
}

static void tell_open(const void *data)
{
    int open = 0;
    for (int i = 3; i < 100; i++)
        open += fcntl(i, F_GETFD) >= 0 ? i : 0;
    dprintf(STDOUT_FILENO, "%s %d\n", (const char *)data, open);
}

Test(processes, a_function_has_one_descriptor_beside_the_standard_ones)
{
    char line[256] = "", wanted[256];
    pid_t process;
    const int kept = open("/dev/null", O_RDONLY), lost = open("/dev/null", O_RDONLY);
    FILE *stream = process_start_reading(
        &(struct process_start){.run = tell_open, .data = "only", .keep = kept, .dies_with_us = true}, &process);
    cr_assert_not_null(stream);
    cr_expect_not_null(fgets(line, sizeof line, stream));
    snprintf(wanted, sizeof wanted, "only %d\n", kept);
    cr_expect_str_eq(line, wanted);
    fclose(stream);
    cr_expect_eq(process_wait(process), 0);
    close(kept);
    close(lost);
}

Test(processes, ends_are_waited_for_and_are_those_of_a_shell)
{
    const char *const sleeps[] = {"sleep", "1000", NULL}, *const fails[] = {"sh", "-c", "exit 7", NULL};
    int status = 0;
    const pid_t process = process_start(&(struct process_start){.words = sleeps});
    cr_expect(!process_ends_within(process, 0.01, &status));
    kill(process, SIGKILL);
    cr_expect(process_ends_within(process, 60, &status));
    cr_expect_eq(process_exit_code(status), 128 + SIGKILL);
    cr_expect_eq(process_exit_code(process_wait(process_start(&(struct process_start){.words = fails}))), 7);
}

/* A parent that ignores SIGCHLD, as some supervisors do, hides how processes end. */
Test(processes, an_end_that_nobody_knows_is_no_success)
{
    const char *const nothing[] = {"true", NULL};
    int status = 0;
    signal(SIGCHLD, SIG_IGN);
    cr_expect_eq(process_exit_code(process_wait(process_start(&(struct process_start){.words = nothing}))), 255);
    cr_expect(process_ends_within(process_start(&(struct process_start){.words = nothing}), 60, &status));
    cr_expect_eq(process_exit_code(status), 255);
    processes_know_ends();
    cr_expect_eq(process_exit_code(process_wait(process_start(&(struct process_start){.words = nothing}))), 0);

    const char *const looks[] = {"grep", "-q", "SigIgn:.*[13579bdf]....$", "/proc/self/status", NULL};
    cr_expect_eq(process_exit_code(process_wait(process_start(&(struct process_start){.words = looks}))), 0,
                 "what is started ignores it no more");
}
