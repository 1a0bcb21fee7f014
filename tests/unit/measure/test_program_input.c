#include "measure/program_parts.h"
#include "test.h"

#include <sys/wait.h>

/* Standard input is the descriptor from now on. */
static void give(int descriptor)
{
    cr_assert_eq(dup2(descriptor, STDIN_FILENO), STDIN_FILENO);
    close(descriptor);
}

static void give_file(const char *folder, const char *text, off_t offset)
{
    OWNED_TEXT path = x_sprintf("%s/input", folder);
    const int file = open(path, O_RDWR | O_CREAT, 0600);
    cr_assert_geq(file, 0);
    cr_assert_eq(write(file, text, strlen(text)), (ssize_t)strlen(text));
    cr_assert_eq(lseek(file, offset, SEEK_SET), offset);
    give(file);
}

/* A process that writes so many times the text, and no more is to come; with a signal for a broken pipe. */
static pid_t give_pipe(const char *text, int times)
{
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    const pid_t writer = fork();
    if (writer == 0) {
        close(ends[0]);
        for (int i = 0; i < times; i++)
            if (write(ends[1], text, strlen(text)) < 0)
                _exit(1);
        _exit(0);
    }
    close(ends[1]);
    give(ends[0]);
    return writer;
}

/* What a run reads: of most bytes, as a program that reads no more then. It is read in a process of its own, as it
 * would be. How many bytes it got. */
static size_t run(struct program_input *input, size_t most)
{
    int answer[2];
    cr_assert_eq(pipe(answer), 0);
    const int from = program_input_begin(input);
    fflush(NULL);
    const pid_t reader = fork();
    if (reader == 0) {
        char buffer[1000];
        size_t total = 0;
        close(answer[0]);
        if (input->sink >= 0)
            close(input->sink); /* as exec does */
        for (ssize_t got; total < most && (got = read(from >= 0 ? from : STDIN_FILENO, buffer, sizeof buffer)) > 0;)
            total += (size_t)got;
        _exit(write(answer[1], &total, sizeof total) == sizeof total ? 0 : 1);
    }
    close(answer[1]);
    if (from >= 0)
        close(from);
    size_t total = 0;
    for (struct pollfd events[2];;) {
        events[0] = program_input_event(input);
        events[1] = (struct pollfd){.fd = answer[0], .events = POLLIN};
        cr_assert_gt(poll(events, 2, 10000), 0);
        if (events[0].revents)
            program_input_pass(input, &events[0]);
        if (events[1].revents)
            break;
    }
    cr_assert_eq(read(answer[0], &total, sizeof total), (ssize_t)sizeof total);
    close(answer[0]);
    waitpid(reader, NULL, 0);
    program_input_end(input);
    return total;
}

/* 1 MB: more than a pipe holds. */
Test(program_input, each_run_reads_all_that_comes_through_a_pipe)
{
    char text[1001];
    AT_END(program_input_close) struct program_input input;
    memset(text, 'x', 1000);
    text[1000] = '\0';
    const pid_t writer = give_pipe(text, 1000);
    program_input_open(&input, true);
    for (int i = 0; i < 3; i++)
        cr_expect_eq(run(&input, SIZE_MAX), 1000000, "run %d", i);
    waitpid(writer, NULL, 0);
}

/* Each measuring reads the same, be it a file or what came through a pipe. */
Test(program_input, a_program_that_is_measured_again_reads_it_all_again, .init = scratch_begin, .fini = scratch_leave)
{
    struct program_input input;
    give_file(scratch, "0123456789", 3);
    for (int i = 0; i < 2; i++) {
        program_input_open(&input, true);
        for (int again = 0; again < 3; again++)
            cr_expect_eq(run(&input, SIZE_MAX), 7);
        program_input_rewind(&input);
        program_input_close(&input);
    }
    const pid_t writer = give_pipe("text", 1);
    for (int i = 0; i < 2; i++) {
        program_input_open(&input, true);
        if (i > 0) /* a measuring that ends before the program begins */
            program_input_rewind(&input);
        cr_expect_eq(run(&input, SIZE_MAX), 4);
        program_input_rewind(&input);
        program_input_close(&input);
    }
    waitpid(writer, NULL, 0);
}

/* The signal of a broken pipe is not for us: program_run() ignores it. */
Test(program_input, a_run_that_reads_little_is_not_waited_for)
{
    char text[1001];
    AT_END(program_input_close) struct program_input input;
    signal(SIGPIPE, SIG_IGN);
    memset(text, 'x', 1000);
    text[1000] = '\0';
    const pid_t writer = give_pipe(text, 1000);
    program_input_open(&input, true);
    for (int i = 0; i < 2; i++) {
        const size_t got = run(&input, 2000);
        cr_expect(got >= 2000 && got < 3000, "run %d: %zu bytes", i, got);
    }
    give(open("/dev/null", O_RDONLY)); /* else the writer waits for us */
    waitpid(writer, NULL, 0);
}

Test(program_input, nothing_is_kept_for_one_run_nor_of_a_terminal)
{
    struct program_input input;
    const pid_t writer = give_pipe("text", 1);
    program_input_open(&input, false);
    cr_expect_eq(program_input_begin(&input), -1);
    cr_expect_eq(run(&input, SIZE_MAX), 4); /* its own */
    program_input_close(&input);
    waitpid(writer, NULL, 0);

    give(open("/dev/null", O_RDONLY));
    program_input_open(&input, true);
    cr_expect_eq(program_input_begin(&input), -1);
    program_input_close(&input);
}

Test(program_input, a_program_without_input_gets_none)
{
    AT_END(program_input_close) struct program_input input;
    close(STDIN_FILENO);
    program_input_open(&input, true);
    cr_expect_eq(program_input_begin(&input), -1);
    cr_expect_lt(program_input_event(&input).fd, 0);
}
