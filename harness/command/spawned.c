#include "spawned.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define OUTPUT_LIMIT (64u << 20)
#define GRACE 5 /* seconds in which a build may end itself */

/* A group of its own: Ctrl-C of the terminal comes to cugate alone, which ends the whole group, however it was asked
 * to. */
static int start(const struct spawned *spawned, const char *output, pid_t *process)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (spawned->output)
        posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
    else
        posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addchdir_np(&files, spawned->directory);
    fflush(NULL);
    const int failed = posix_spawnp(process, spawned->words[0], &files, &attributes, (char *const *)spawned->words,
                                    environ); /* which it copies */
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    return failed ? error("cannot run %s in %s: %s", spawned->words[0], spawned->directory, strerror(failed)) : 0;
}

static bool is_gone(pid_t process, int *status)
{
    const pid_t gone = waitpid(process, status, WNOHANG);
    return gone == process || (gone < 0 && errno == ECHILD);
}

/* Waits until it ends; false when a signal came first. */
static bool wait_for(const struct spawned *spawned, pid_t process, int *status)
{
    struct signalfd_siginfo taken;
    while (!is_gone(process, status)) {
        struct pollfd event = {.fd = spawned->interrupts ? spawned->interrupts->descriptor : -1, .events = POLLIN};
        if (poll(&event, 1, 10) > 0 && interrupts_take(spawned->interrupts, &taken))
            return false;
    }
    return true;
}

static void end(pid_t process)
{
    int status;
    const double last = now_seconds() + GRACE;
    const struct timespec nap = {.tv_nsec = 10000000};
    kill(-process, SIGTERM);
    while (!is_gone(process, &status) && now_seconds() < last)
        nanosleep(&nap, NULL);
    kill(-process, SIGKILL); /* also what it left behind */
    while (waitpid(process, &status, 0) < 0 && errno == EINTR)
        continue;
}

static char *take_output(const char *path)
{
    char *text;
    size_t length;
    if (file_read(path, OUTPUT_LIMIT, &text, &length) < 0)
        return x_strdup("");
    while (length > 0 && text[length - 1] == '\n')
        text[--length] = '\0';
    return text;
}

int spawned_run(const struct spawned *spawned)
{
    char *scratch = x_sprintf("%s/said", spawned->scratch);
    const char *output = spawned->output ? spawned->output : scratch;
    pid_t process;
    int status = 0, result = SPAWNED_FAILED;
    if (spawned->said)
        *spawned->said = NULL;
    if (start(spawned, output, &process) == 0) {
        if (wait_for(spawned, process, &status)) {
            result = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
            if (spawned->said)
                *spawned->said = take_output(output);
        } else {
            end(process);
            result = SPAWNED_INTERRUPTED;
        }
    }
    unlink(scratch);
    free(scratch);
    return result;
}
