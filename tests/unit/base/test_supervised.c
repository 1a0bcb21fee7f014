#include "test.h"

#include <sys/wait.h>
#include <time.h>

#define PATIENCE 60 /* seconds, more than any machine should take */

static void start(struct supervised *supervised, const char *script, const char *argument)
{
    struct problem problem = {0};
    cr_assert_eq(supervised_start(supervised, (const char *const[]){"/bin/sh", "-c", script, argument, NULL}, &problem),
                 0, "%s", problem.text);
}

/* One that is dead and that nobody has waited for is gone, too. */
static bool is_gone(long process)
{
    char *path = x_sprintf("/proc/%ld/stat", process), line[512] = "";
    FILE *stream = fopen(path, "r");
    const bool read = stream && fgets(line, sizeof line, stream);
    if (stream)
        fclose(stream);
    free(path);
    return !read || strstr(line, ") Z ");
}

static void expect_gone(long process)
{
    const double last = now_seconds() + PATIENCE;
    const struct timespec nap = {.tv_nsec = 10000000};
    cr_assert_gt(process, 1);
    while (!is_gone(process) && now_seconds() < last)
        nanosleep(&nap, NULL);
    cr_expect(is_gone(process), "%ld", process);
}

Test(supervised, what_it_says_and_how_it_ends)
{
    struct supervised supervised;
    char line[64] = "";
    start(&supervised, "cat; echo \"$0\"; exit 7", "said");
    cr_expect(fgets(line, sizeof line, supervised.output) && strcmp(line, "said\n") == 0, "%s", line);
    cr_expect_null(fgets(line, sizeof line, supervised.output));
    cr_expect_eq(supervised_end(&supervised), 7);
    start(&supervised, "kill -9 $$", "");
    cr_expect_eq(supervised_end(&supervised), -1);
    struct problem problem;
    cr_expect_eq(supervised_start(&supervised, (const char *const[]){"/no/such", NULL}, &problem), -1);
    cr_expect_str_eq(problem.text, "cannot start /no/such: No such file or directory");
}

Test(supervised, what_it_left_behind_ends_with_it)
{
    struct supervised supervised;
    long left = 0;
    start(&supervised, "sleep 1000 >/dev/null & echo $!", "");
    cr_expect_eq(fscanf(supervised.output, "%ld", &left), 1);
    cr_expect_eq(supervised_end(&supervised), 0);
    expect_gone(left);
}

/* As a worker is killed, whose time is over. */
Test(supervised, it_ends_with_this_process_and_so_does_what_it_started)
{
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    const pid_t worker = fork();
    if (worker == 0) {
        struct supervised supervised;
        long processes[2] = {0};
        start(&supervised, "trap '' TERM INT HUP; sleep 1000 & echo $$ $!; wait", "");
        if (fscanf(supervised.output, "%ld %ld", &processes[0], &processes[1]) != 2 ||
            write(ends[1], processes, sizeof processes) != sizeof processes)
            _exit(EXIT_FAILURE);
        supervised_end(&supervised);
        _exit(EXIT_SUCCESS);
    }
    long processes[2] = {0};
    cr_assert_eq(read(ends[0], processes, sizeof processes), sizeof processes);
    cr_expect(!is_gone(processes[0]) && !is_gone(processes[1]));
    cr_assert_eq(kill(worker, SIGKILL), 0);
    cr_assert_eq(waitpid(worker, NULL, 0), worker);
    expect_gone(processes[0]);
    expect_gone(processes[1]);
}
