#include "made_time.h"

#include "base/base.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* Each test is a process. */
static pid_t tester;             /* whose own time is real; 0: and so is everybody's */
static struct timespec made_now; /* of a process that it forked */

void made_time_begin(void)
{
    tester = getpid();
}

static bool is_made(void)
{
    return tester != 0 && getpid() != tester;
}

/* These two stand in for the C library's, also for the libraries that a test loads. */
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
