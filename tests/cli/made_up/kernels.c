/* A kernel library made up for the tests of the command line: its "kernels" run on the host, one of them well and the
 * others each with a fault of its own. */
#include "../../libraries/answer.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#ifndef MILLISECONDS
#define MILLISECONDS 1 /* that a kernel takes */
#endif

static int launch_fine(void *state)
{
    nanosleep(&(struct timespec){.tv_nsec = MILLISECONDS * 1000000}, NULL);
    return launch_good(state);
}

static int launch_wrong(void *state)
{
    *(double *)state = 41;
    return 0;
}

static int launch_failed(void *state)
{
    (void)state;
    return MADE_UP_ERROR;
}

static int launch_crash(void *state)
{
    (void)state;
    return raise(SIGKILL);
}

/* Leaves a file that says so, for whoever waits for it. */
static int launch_hang(void *state)
{
    (void)state;
    FILE *file = fopen("hanging", "w");
    if (file)
        fclose(file);
    return pause();
}

static const struct cugate_variant fine_variants[] = {
    {.name = "one", .doc = "sleeps", .launch = launch_fine, .bytes = 8},
    {.name = "two", .doc = "sleeps as well", .launch = launch_fine, .bytes = 8},
};

static const struct cugate_variant faults_variants[] = {
    {.name = "wrong", .doc = "writes 41", .launch = launch_wrong},
    {.name = "failed", .doc = "returns an error", .launch = launch_failed},
    {.name = "crash", .doc = "is killed", .launch = launch_crash},
    {.name = "hang", .doc = "never ends", .launch = launch_hang},
    {.name = "absent", .doc = "has no code", .not_built = "made_up.h was not found"},
};

FAMILY(fine, CUGATE_TRANSFER);
FAMILY(faults, CUGATE_TRANSFER);
LIBRARY(&fine, &faults)
