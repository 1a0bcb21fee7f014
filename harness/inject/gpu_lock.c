/* The counters of a GPU belong to one process at a time. There are two lock files for each GPU. The holder of the
 * counters locks one. A process that waits for them locks the other, the queue, so that the holder notices. */
#include "ranges.h"

#include <fcntl.h>
#include <sys/file.h>
#include <time.h>

#define LOCK_SECONDS 10 /* A program may not be held up for ever: two of its processes may wait for each other. */

static int held = -1, queue = -1; /* descriptors of the two lock files; -1: not open */

static int open_lock(const char *folder, const char *gpu, const char *kind)
{
    OWNED_TEXT path = x_sprintf("%s/%s.%s", folder, gpu, kind);
    return descriptor_put_away(open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600));
}

static bool flock_within(int file, double seconds)
{
    const struct timespec nap = {.tv_nsec = 2000000};
    const double end = now_seconds() + seconds;
    while (flock(file, LOCK_EX | LOCK_NB) != 0) {
        if (now_seconds() > end)
            return false;
        nanosleep(&nap, NULL);
    }
    return true;
}

int gpu_lock_take(const char *folder, CUdevice device, struct problem *problem)
{
    CUuuid uuid;
    TRY(cuda_check("identifying the GPU", cuDeviceGetUuid(&uuid, device), problem));
    char gpu[2 * sizeof uuid.bytes + 1];
    for (size_t i = 0; i < sizeof uuid.bytes; i++)
        snprintf(gpu + 2 * i, 3, "%02x", (unsigned char)uuid.bytes[i]);
    if (held < 0)
        held = open_lock(folder, gpu, "lock");
    if (queue < 0)
        queue = open_lock(folder, gpu, "queue");
    if (held < 0 || queue < 0)
        return problem_set(problem, "cannot open the lock of the GPU's counters in %s", folder);
    const bool taken = flock_within(queue, LOCK_SECONDS) && flock_within(held, LOCK_SECONDS);
    flock(queue, LOCK_UN);
    if (!taken)
        return problem_set(problem, "another measured process kept the GPU's counters for %d s", LOCK_SECONDS);
    return 0;
}

void gpu_lock_leave(void)
{
    if (held >= 0)
        close(held);
    if (queue >= 0)
        close(queue);
    held = queue = -1;
}

void gpu_lock_release(void)
{
    /* Closing the file would not unlock it where a process has just been forked, which has the descriptor as well. */
    if (held >= 0)
        flock(held, LOCK_UN);
    gpu_lock_leave(); /* the next lock may be for another GPU */
}

bool gpu_lock_is_waited_for(void)
{
    if (queue < 0)
        return false;
    if (flock(queue, LOCK_EX | LOCK_NB) != 0)
        return true;
    flock(queue, LOCK_UN);
    return false;
}
