/* A kernel library for tests of several GPUs. What goes wrong does so in the first process that runs it, on whatever
 * GPU that is: a file of the kernel's name in the folder that GPUS_MARK names tells the others. */
#include "answer.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static bool leave_mark(const char *name)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", getenv("GPUS_MARK"), name);
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (file >= 0)
        close(file);
    return file >= 0;
}

static bool has_mark(const char *name)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", getenv("GPUS_MARK"), name);
    return access(path, F_OK) == 0;
}

static int launch_crashes_first(void *state)
{
    if (leave_mark("crashes_first")) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        signal(SIGSEGV, SIG_DFL);
        raise(SIGSEGV);
    }
    return launch_good(state);
}

LAUNCH(fails_first, leave_mark("fails_first") ? MADE_UP_ERROR : launch_good(state))

static int launch_wrong_first(void *state)
{
    *(double *)state = leave_mark("wrong_first") ? 41 : 42;
    return 0;
}

/* Wrong where another process failed. */
static int launch_fails_then_wrong(void *state)
{
    *(double *)state = 41;
    return leave_mark("fails_then_wrong") ? MADE_UP_ERROR : 0;
}

LAUNCH(fails, MADE_UP_ERROR)

/* Each ends when both have begun: they take two processes at a time. */
static int meet(void *state, const char *own, const char *other)
{
    leave_mark(own);
    while (!has_mark(other))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return launch_good(state);
}

LAUNCH(left, meet(state, "left", "right"))
LAUNCH(right, meet(state, "right", "left"))

static const struct cugate_variant here_variants[] = {VARIANT(left), VARIANT(good)};
static const struct cugate_variant there_variants[] = {VARIANT(right), VARIANT(good)};
static const struct cugate_variant once_variants[] = {VARIANT(crashes_first), VARIANT(good), VARIANT(fails_first)};
static const struct cugate_variant bad_variants[] = {VARIANT(wrong_first), VARIANT(fails_then_wrong), VARIANT(fails)};

FAMILY(here, CUGATE_KERNELS);
FAMILY(there, CUGATE_KERNELS);
FAMILY(once, CUGATE_KERNELS);
FAMILY(bad, CUGATE_KERNELS);
LIBRARY(&here, &there, &once, &bad)
