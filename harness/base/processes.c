#include "processes.h"

#include "error.h"
#include "numbers.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static bool parent_ignores_ends;

void processes_know_ends(void)
{
    parent_ignores_ends = signal(SIGCHLD, SIG_DFL) == SIG_IGN;
}

/* ---- In the new process ---- */

static bool place(int descriptor, int at, int mode)
{
    if (descriptor == 0)
        return true;
    const int from = descriptor == PROCESS_NOTHING ? open("/dev/null", mode | O_CLOEXEC) : descriptor;
    return dup2(from, at) >= 0;
}

static bool dies_with(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    return getppid() == parent; /* else it died before prctl */
}

static bool prepare(const struct process_start *start, pid_t parent)
{
    if (start->mask)
        sigprocmask(SIG_SETMASK, start->mask, NULL);
    return (!start->dies_with_us || dies_with(parent)) &&
           (!start->group || setpgid(0, start->group == PROCESS_OWN_GROUP ? 0 : start->group) == 0) &&
           place(start->input, STDIN_FILENO, O_RDONLY) && place(start->output, STDOUT_FILENO, O_WRONLY) &&
           place(start->errors, STDERR_FILENO, O_WRONLY) && (!start->folder || chdir(start->folder) == 0);
}

/* What is open already, as reports and run files are: what runs in the copy must not find it. */
static void close_others(int keep)
{
    if (keep <= STDERR_FILENO)
        keep = STDERR_FILENO;
    else if (keep > STDERR_FILENO + 1)
        close_range(STDERR_FILENO + 1, (unsigned)keep - 1, 0);
    close_range((unsigned)keep + 1, UINT_MAX, 0);
}

__attribute__((noreturn)) static void be_the_process(const struct process_start *start, pid_t parent, int failed)
{
    const bool ready = prepare(start, parent);
    if (parent_ignores_ends && start->words)
        signal(SIGCHLD, SIG_IGN);
    if (ready && start->words)
        execvp(start->words[0], (char *const *)start->words);
    if (ready && !start->words) {
        close_others(start->keep);
        start->run(start->data);
        /* Not exit(): the parent's buffers were copied with it and are the parent's to write. */
        _exit(EXIT_SUCCESS);
    }
    const int number = errno;
    _exit(failed >= 0 && write(failed, &number, sizeof number) == sizeof number ? 127 : 126);
}

/* ---- In this one ---- */

/* The error of a program that does not run; 0: it does. A program that runs has closed the pipe. */
static int read_failure(int pipe)
{
    int number = 0;
    ssize_t got;
    do
        got = read(pipe, &number, sizeof number);
    while (got < 0 && errno == EINTR);
    return got == sizeof number ? number : 0;
}

pid_t process_start(const struct process_start *start)
{
    int ends[2] = {-1, -1};
    if (start->words && pipe2(ends, O_CLOEXEC) < 0)
        return -1;
    fflush(NULL);
    const pid_t parent = getpid();
    pid_t process = fork();
    if (process == 0)
        be_the_process(start, parent, ends[1]);
    int number = process < 0 ? errno : 0;
    if (process > 0 && start->group) /* whichever of the two comes first */
        setpgid(process, start->group == PROCESS_OWN_GROUP ? process : start->group);
    if (start->words) {
        close(ends[1]);
        if (number == 0 && (number = read_failure(ends[0])) != 0)
            process_wait(process);
        close(ends[0]);
    }
    errno = number;
    return number == 0 ? process : -1;
}

FILE *process_start_reading(const struct process_start *start, pid_t *process)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return NULL;
    struct process_start with_output = *start;
    with_output.output = ends[1];
    *process = process_start(&with_output);
    const int number = errno;
    close(ends[1]);
    FILE *stream = *process > 0 ? fdopen(ends[0], "r") : NULL;
    if (!stream) {
        close(ends[0]);
        errno = number;
    }
    return stream;
}

int process_wait(pid_t process)
{
    int status = 0;
    pid_t gone;
    do
        gone = waitpid(process, &status, 0);
    while (gone < 0 && errno == EINTR);
    return gone < 0 ? -1 : status;
}

bool process_ends_within(pid_t process, double seconds, int *status)
{
    const struct timespec nap = {.tv_nsec = 5000000};
    const double end = now_seconds() + seconds;
    for (;;) {
        const pid_t gone = waitpid(process, status, WNOHANG);
        if (gone < 0 && errno == ECHILD)
            *status = -1;
        if (gone == process || (gone < 0 && errno == ECHILD))
            return true;
        if (now_seconds() >= end)
            return false;
        nanosleep(&nap, NULL);
    }
}

int process_exit_code(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
