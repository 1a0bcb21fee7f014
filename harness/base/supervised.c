#include "supervised.h"

#include "processes.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* First of a group of its own: no Ctrl-C of a terminal ends it before its time. Nothing is ever written into the pipe
 * that it reads, whose other end is gone when this process's parent is. */
static void be_the_guard(const void *data)
{
    char none;
    (void)data;
    while (read(STDIN_FILENO, &none, 1) < 0 && errno == EINTR)
        continue;
    kill(-getpid(), SIGKILL);
}

int supervised_start(struct supervised *supervised, const char *const *words, struct problem *problem)
{
    int life[2];
    *supervised = (struct supervised){.program = -1, .guard = -1, .life = -1, .errors = -1};
    supervised->errors = memfd_create("cugate-errors", MFD_CLOEXEC);
    if (supervised->errors < 0 || pipe2(life, O_CLOEXEC) < 0) {
        problem_set(problem, "cannot make a pipe for %s: %s", words[0], strerror(errno));
        supervised_end(supervised);
        return -1;
    }
    supervised->life = life[1];
    supervised->guard = process_start(&(struct process_start){.run = be_the_guard,
                                                              .input = life[0],
                                                              .output = PROCESS_NOTHING,
                                                              .errors = PROCESS_NOTHING,
                                                              .group = PROCESS_OWN_GROUP});
    close(life[0]);
    if (supervised->guard > 0)
        supervised->output = process_start_reading(
            &(struct process_start){
                .words = words, .input = PROCESS_NOTHING, .errors = supervised->errors, .group = supervised->guard},
            &supervised->program);
    if (supervised->output)
        return 0;
    problem_set(problem, "cannot start %s: %s", words[0], strerror(errno));
    supervised_end(supervised);
    return -1;
}

/* Passes on what it said. */
static void pass_on(int errors)
{
    char bytes[4096];
    ssize_t length;
    for (off_t at = 0; (length = pread(errors, bytes, sizeof bytes, at)) > 0; at += length)
        if (write(STDERR_FILENO, bytes, (size_t)length) < 0)
            return;
}

int supervised_end(struct supervised *supervised)
{
    if (supervised->output)
        fclose(supervised->output);
    const int status = supervised->program > 0 ? process_wait(supervised->program) : -1;
    if (supervised->life >= 0)
        close(supervised->life);
    if (supervised->guard > 0)
        process_wait(supervised->guard);
    if (supervised->errors >= 0 && !memory_is_into() && !(status >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0))
        pass_on(supervised->errors);
    if (supervised->errors >= 0)
        close(supervised->errors);
    *supervised = (struct supervised){.program = -1, .guard = -1, .life = -1, .errors = -1};
    return status >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
