#include "made_time.h"

#include "base/base.h"

#include <sys/syscall.h>
#include <time.h>

/* Each test is a process of its own. */
static pid_t tester;             /* the process with real time; 0: all have it */
static struct timespec made_now; /* the time of a process that the tester forked */

void made_time_begin(void)
{
    tester = getpid();
}

static bool is_made(void)
{
    return tester != 0 && getpid() != tester;
}

/* These two replace the C library's functions, also in libraries that a test loads. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
    if (!is_made())
        return (int)syscall(SYS_clock_gettime, clock, now);
    *now = made_now;
    return 0;
}

int nanosleep(const struct timespec *wanted, struct timespec *left)
{
    if (!is_made()) {
        errno = clock_nanosleep(CLOCK_MONOTONIC, 0, wanted, left);
        return errno == 0 ? 0 : -1;
    }
    made_now.tv_sec += wanted->tv_sec;
    made_now.tv_nsec += wanted->tv_nsec;
    if (made_now.tv_nsec >= 1000000000) {
        made_now.tv_sec++;
        made_now.tv_nsec -= 1000000000;
    }
    return 0;
}
