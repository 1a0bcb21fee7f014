#include "attended.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* First of a group of its own: no Ctrl-C of a terminal ends it before its time. Nothing is ever written into that pipe,
 * whose other end is gone when this process's parent is. */
__attribute__((noreturn)) static void be_the_guard(int life)
{
    char none;
    setpgid(0, 0);
    dup2(life, STDIN_FILENO);
    close_range(STDIN_FILENO + 1, UINT_MAX, 0);
    while (read(STDIN_FILENO, &none, 1) < 0 && errno == EINTR)
        continue;
    kill(-getpid(), SIGKILL);
    _exit(EXIT_FAILURE);
}

__attribute__((noreturn)) static void be_the_program(pid_t guard, int output, const char *const *words)
{
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (setpgid(0, guard) == 0 && dup2(output, STDOUT_FILENO) >= 0) { /* else the guard is gone already */
        if (nothing >= 0)
            dup2(nothing, STDIN_FILENO);
        execv(words[0], (char *const *)words);
    }
    _exit(127);
}

static void wait_for(pid_t process, int *status)
{
    while (process > 0 && waitpid(process, status, 0) < 0 && errno == EINTR)
        continue;
}

int attended_start(struct attended *attended, const char *const *words, struct problem *problem)
{
    int life[2] = {-1, -1}, output[2] = {-1, -1};
    *attended = (struct attended){.program = -1, .guard = -1, .life = -1};
    if (pipe2(life, O_CLOEXEC) == 0 && pipe2(output, O_CLOEXEC) == 0)
        attended->guard = fork();
    if (attended->guard == 0)
        be_the_guard(life[0]);
    if (attended->guard > 0) {
        setpgid(attended->guard, attended->guard); /* whichever of the two comes first */
        attended->program = fork();
    }
    if (attended->program == 0)
        be_the_program(attended->guard, output[1], words);
    const int reason = errno;
    attended->life = life[1];
    close(life[0]);
    close(output[1]);
    attended->output = attended->program > 0 ? fdopen(output[0], "r") : NULL;
    if (attended->output)
        return 0;
    close(output[0]);
    attended_end(attended);
    return problem_set(problem, "cannot start %s: %s", words[0], strerror(reason));
}

int attended_end(struct attended *attended)
{
    int status = -1;
    if (attended->output)
        fclose(attended->output);
    wait_for(attended->program, &status);
    close(attended->life);
    wait_for(attended->guard, &(int){0});
    *attended = (struct attended){.program = -1, .guard = -1, .life = -1};
    return status >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
