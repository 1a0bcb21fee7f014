/* The clock of the tests, in place of harness/clock.c: that of the machine, until a kernel of a made-up library says how
 * long it took. From then on what such kernels take is all that passes, in that process: however busy the machine is. */
#include "util.h"

#include <time.h>

static double passed;

/* Called by libraries/turns.c, which finds it by its name. */
void made_up_time_passes(double seconds);
void made_up_time_passes(double seconds)
{
    passed += seconds;
}

double now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return passed > 0 ? passed : (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
