/* What is still to be measured. A family at one point, whose inputs and reference its variants share, stays whole; the
 * most costly ones come first, so that no seat begins one when the others have nothing left. */
#include "pool_parts.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

/* A worker is told of so many kernels at once, so that a share goes through the pipe without waiting for it. */
enum { MOST_IN_SHARE = 256 };

/* family/variant[point]: all but the variant is the same. */
static bool same_family(const char *a, const char *b)
{
    const size_t family = name_length(a);
    return strncmp(a, b, family + 1) == 0 && strcmp(a + point_begin(a), b + point_begin(b)) == 0;
}

/* The seat that measured the kernel in the run that is to be alike; -1 where that is no matter. */
static int find_home(const struct pool *pool, const char *id)
{
    const struct run *like = pool->measurement->like;
    const struct result *result = like && pool->seat_count > 1 ? run_find(like, id) : NULL;
    const struct session *session =
        result ? run_session(like, &(struct session_samples){.session = result_session(result)}) : NULL;
    for (size_t i = 0; session && i < pool->seat_count; i++)
        if (pool->seats[i].device == session->ordinal)
            return (int)i;
    return -1;
}

/* In seconds; 0 where it is not known. */
static double cost_of(const struct pool *pool, size_t kernel)
{
    const struct run *costs = pool->measurement->costs;
    const struct result *result = costs ? run_find(costs, pool->ids[kernel]) : NULL;
    return result ? result->seconds : 0;
}

/* What a kernel of unknown cost is taken to cost: the mean of the others. */
static double usual_cost(const struct pool *pool)
{
    double sum = 0;
    size_t known = 0;
    for (size_t k = 0; k < pool->count; k++) {
        sum += cost_of(pool, k);
        known += cost_of(pool, k) > 0;
    }
    return known > 0 ? sum / (double)known : 1;
}

/* What comes first; -1 and 1 as for qsort. */
static int by_cost(const void *left, const void *right)
{
    const struct share *a = left, *b = right;
    return a->cost != b->cost ? (a->cost > b->cost ? -1 : 1) : a->first < b->first ? -1 : a->first > b->first;
}

void queue_fill(struct pool *pool)
{
    struct share *share = NULL;
    for (size_t k = 0; k < pool->count; k++) {
        const int home = find_home(pool, pool->ids[k]);
        if (!share || share->end - share->first == MOST_IN_SHARE || share->only_on != home ||
            !same_family(pool->ids[share->first], pool->ids[k])) {
            share = ARRAY_GROW(pool->queue, pool->queued);
            *share = (struct share){.first = k, .only_on = home, .failed_on = -1};
        }
        share->end = k + 1;
    }
    if (pool->seat_count < 2)
        return;
    const double usual = usual_cost(pool);
    for (size_t i = 0; i < pool->queued; i++)
        for (size_t k = pool->queue[i].first; k < pool->queue[i].end; k++)
            pool->queue[i].cost += cost_of(pool, k) > 0 ? cost_of(pool, k) : usual;
    if (pool->queued > 0)
        qsort(pool->queue, pool->queued, sizeof *pool->queue, by_cost);
}

bool queue_take(struct seat *seat)
{
    struct pool *pool = seat->pool;
    for (size_t i = 0; i < pool->queued; i++) {
        const struct share share = pool->queue[i];
        if (share.failed_on == seat->number || (share.only_on >= 0 && share.only_on != seat->number))
            continue;
        memmove(&pool->queue[i], &pool->queue[i + 1], (--pool->queued - i) * sizeof *pool->queue);
        seat->share = share;
        seat->has_share = true;
        return true;
    }
    return false;
}

void queue_return(struct seat *seat)
{
    if (seat->has_share)
        *ARRAY_INSERT(seat->pool->queue, seat->pool->queued, 0) = seat->share;
    seat->has_share = false;
}

void queue_try_elsewhere(struct seat *seat, size_t kernel)
{
    struct pool *pool = seat->pool;
    size_t others = 0;
    for (size_t i = 0; i < pool->seat_count; i++)
        others += &pool->seats[i] != seat && !pool->seats[i].is_lost;
    if (others == 0 || pool->measurement->profile || pool->measurement->like)
        return;
    *ARRAY_GROW(pool->queue, pool->queued) =
        (struct share){.first = kernel, .end = kernel + 1, .only_on = -1, .failed_on = seat->number};
}

char *queue_text(const struct pool *pool, size_t first, size_t limit)
{
    size_t length = 1;
    for (size_t k = first; k < limit; k++)
        length += strlen(pool->ids[k]) + 1;
    char *text = x_calloc(length, 1), *end = text;
    for (size_t k = first; k < limit; k++)
        end += snprintf(end, length - (size_t)(end - text), "%s\n", pool->ids[k]);
    return text;
}
