#include "attended.h"

#include "processes.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
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

int attended_start(struct attended *attended, const char *const *words, struct problem *problem)
{
    int life[2];
    *attended = (struct attended){.program = -1, .guard = -1, .life = -1};
    if (pipe2(life, O_CLOEXEC) < 0)
        return problem_set(problem, "cannot make a pipe for %s: %s", words[0], strerror(errno));
    attended->life = life[1];
    attended->guard = process_start(&(struct process_start){.run = be_the_guard,
                                                            .input = life[0],
                                                            .output = PROCESS_NOTHING,
                                                            .errors = PROCESS_NOTHING,
                                                            .group = PROCESS_OWN_GROUP});
    close(life[0]);
    if (attended->guard > 0)
        attended->output = process_start_reading(
            &(struct process_start){.words = words, .input = PROCESS_NOTHING, .group = attended->guard},
            &attended->program);
    if (attended->output)
        return 0;
    problem_set(problem, "cannot start %s: %s", words[0], strerror(errno));
    attended_end(attended);
    return -1;
}

int attended_end(struct attended *attended)
{
    if (attended->output)
        fclose(attended->output);
    const int status = attended->program > 0 ? process_wait(attended->program) : -1;
    close(attended->life);
    if (attended->guard > 0)
        process_wait(attended->guard);
    *attended = (struct attended){.program = -1, .guard = -1, .life = -1};
    return status >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
