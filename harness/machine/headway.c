#include "headway.h"

#include "base/base.h"

#define SECONDS_BETWEEN 0.2 /* far less than any time limit, and little work */

void headway_begin(struct headway *headway, uint64_t count)
{
    headway->done = headway->before = 0;
    headway->count = count;
    headway->since = 0;
}

void headway_all(struct headway *headway, uint64_t done)
{
    headway->done = headway->before = done;
    headway->since = now_seconds();
}

void headway_add(struct headway *headway, uint64_t blocks)
{
    const uint64_t done = __atomic_add_fetch(&headway->done, blocks, __ATOMIC_RELAXED);
    if (!headway->tell)
        return;
    const double now = now_seconds();
    if (__atomic_exchange_n(&headway->tells, true, __ATOMIC_ACQUIRE))
        return;
    if (now - headway->told >= SECONDS_BETWEEN) {
        const double own = (double)(done - headway->before);
        headway->told = now;
        headway->tell(headway->self, done, headway->count,
                      headway->since > 0 ? (now - headway->since) / own * (double)(headway->count - done) : -1);
    }
    __atomic_store_n(&headway->tells, false, __ATOMIC_RELEASE);
}
