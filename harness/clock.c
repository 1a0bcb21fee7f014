/* Alone in its file, so that tests can have a clock of their own: see tests/made_up_clock.c. */
#include "util.h"

#include <time.h>

double now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
