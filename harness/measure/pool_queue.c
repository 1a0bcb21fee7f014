/* The queue of what is still to be measured. Variants of a family at one point stay together, since they share inputs
 * and reference. The most expensive items come first, so that no slot begins one when the others have nothing left. */
#include "pool_parts.h"

/* Most kernels that a worker is told of at once. So many fit through the pipe without waiting for the worker. Of
 * launches of a program, which share nothing, as many as it measures together. */
enum { MOST_IN_SHARE = 256, MOST_LAUNCHES = 32 };

/* Returns whether two ids, family/variant[point], differ only in the variant. */
static bool same_family(const char *a, const char *b)
{
    const size_t family = name_length(a);
    return strncmp(a, b, family + 1) == 0 && strcmp(a + point_begin(a), b + point_begin(b)) == 0;
}

/* Returns the slot that measured the kernel in measurement->like; -1: any slot may. */
static int find_home(const struct pool *pool, const char *id)
{
    const struct run *like = pool->measurement->like;
    const struct result *result = like && pool->slot_count > 1 ? run_find(like, id) : NULL;
    const struct session *session =
        result ? run_session(like, &(struct session_samples){.session = result_session(result)}) : NULL;
    for (size_t i = 0; session && i < pool->slot_count; i++)
        if (pool->slots[i].device == session->ordinal)
            return (int)i;
    return -1;
}

/* Returns the seconds that a kernel takes; 0: that is not known. */
static double cost_of(const struct pool *pool, size_t kernel)
{
    const struct run *costs = pool->measurement->costs;
    const struct result *result = costs ? run_find(costs, pool->ids[kernel]) : NULL;
    return result ? result->seconds : 0;
}

/* Returns what a kernel of unknown cost probably costs: the mean of the others. */
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

/* Compares two items for qsort: the one that has to come first is less. */
static int by_cost(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    return a->cost != b->cost ? (a->cost > b->cost ? -1 : 1) : a->first < b->first ? -1 : a->first > b->first;
}

void queue_fill(struct pool *pool)
{
    struct item *item = NULL;
    for (size_t k = 0; k < pool->count; k++) {
        const int home = find_home(pool, pool->ids[k]);
        const size_t most = strchr(pool->ids[k], ID_OF_LAUNCH) ? MOST_LAUNCHES : MOST_IN_SHARE;
        if (!item || pool->measurement->dry || item->end - item->first >= most || item->only_on != home ||
            !same_family(pool->ids[item->first], pool->ids[k])) {
            item = ARRAY_GROW(pool->queue, pool->queued);
            *item = (struct item){.first = k, .only_on = home, .failed_on = -1};
        }
        item->end = k + 1;
    }
    if (pool->slot_count < 2)
        return;
    const double usual = usual_cost(pool);
    for (size_t i = 0; i < pool->queued; i++)
        for (size_t k = pool->queue[i].first; k < pool->queue[i].end; k++)
            pool->queue[i].cost += cost_of(pool, k) > 0 ? cost_of(pool, k) : usual;
    SORT(pool->queue, pool->queued, by_cost);
}

bool queue_take(struct slot *slot)
{
    struct pool *pool = slot->pool;
    for (size_t i = 0; i < pool->queued; i++) {
        const struct item item = pool->queue[i];
        if (item.failed_on == slot->number || (item.only_on >= 0 && item.only_on != slot->number))
            continue;
        memmove(&pool->queue[i], &pool->queue[i + 1], (--pool->queued - i) * sizeof *pool->queue);
        slot->item = item;
        return true;
    }
    return false;
}

void queue_return(struct slot *slot)
{
    if (slot_has_item(slot))
        *ARRAY_INSERT(slot->pool->queue, slot->pool->queued, 0) = slot->item;
    slot->item.end = slot->item.first;
}

void queue_try_elsewhere(struct slot *slot, size_t kernel)
{
    struct pool *pool = slot->pool;
    size_t others = 0;
    for (size_t i = 0; i < pool->slot_count; i++)
        others += &pool->slots[i] != slot && pool->slots[i].state != SLOT_LOST;
    if (others == 0 || pool->measurement->profile || pool->measurement->like)
        return;
    *ARRAY_GROW(pool->queue, pool->queued) =
        (struct item){.first = kernel, .end = kernel + 1, .only_on = -1, .failed_on = slot->number};
}

static const struct known_kernel *find_known(const struct measurement *measurement, const char *id)
{
    return find_by_name(measurement->known, measurement->known_count, sizeof *measurement->known, id);
}

char *queue_text(const struct pool *pool, size_t first, size_t limit)
{
    size_t length = 1;
    for (size_t k = first; k < limit; k++)
        length += strlen(pool->ids[k]) + 2;
    char *text = x_calloc(length, 1), *end = text;
    for (size_t k = first; k < limit; k++) {
        const struct known_kernel *known = find_known(pool->measurement, pool->ids[k]);
        if (known)
            *end++ = known->code_of_others ? ITEM_OF_OTHERS : ITEM_KNOWN;
        end += snprintf(end, length - (size_t)(end - text), "%s\n", pool->ids[k]);
    }
    return text;
}
