#include "hot_addresses.h"

#include "base/base.h"

enum { FIRST_CAPACITY = 64 };

/* Returns where an address is, or the free place for it. Fibonacci hashing: neighbours are spread. */
static struct hot_address *find(const struct hot_addresses *hot, uint64_t address)
{
    size_t at = (size_t)((address * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (hot->capacity - 1);
    while (hot->list[at].count > 0 && hot->list[at].address != address)
        at = (at + 1) & (hot->capacity - 1);
    return &hot->list[at];
}

static void grow(struct hot_addresses *hot)
{
    const struct hot_addresses old = *hot;
    hot->capacity = old.capacity ? 2 * old.capacity : FIRST_CAPACITY;
    hot->list = x_calloc(hot->capacity, sizeof *hot->list);
    for (size_t i = 0; i < old.capacity; i++)
        if (old.list[i].count > 0)
            *find(hot, old.list[i].address) = old.list[i];
    free(old.list);
}

void hot_add(struct hot_addresses *hot, uint64_t address, uint64_t count, size_t instruction)
{
    if (2 * hot->count >= hot->capacity)
        grow(hot);
    struct hot_address *place = find(hot, address);
    if (place->count == 0) {
        *place = (struct hot_address){address, 0, instruction};
        hot->count++;
    }
    place->count += count;
    place->instruction = instruction < place->instruction ? instruction : place->instruction;
}

void hot_merge(struct hot_addresses *hot, const struct hot_addresses *more)
{
    for (size_t i = 0; i < more->capacity; i++)
        if (more->list[i].count > 0)
            hot_add(hot, more->list[i].address, more->list[i].count, more->list[i].instruction);
}

void hot_merge_moved(struct hot_addresses *hot, const struct hot_addresses *more, const struct hot_addresses *distances)
{
    for (size_t d = 0; d < distances->capacity; d++)
        for (size_t i = 0; i < more->capacity && distances->list[d].count > 0; i++)
            if (more->list[i].count > 0)
                hot_add(hot, more->list[i].address + distances->list[d].address,
                        more->list[i].count * distances->list[d].count, more->list[i].instruction);
}

void hot_release(struct hot_addresses *hot)
{
    free(hot->list);
    *hot = (struct hot_addresses){0};
}

struct hot_address hot_most(const struct hot_addresses *hot)
{
    struct hot_address most = {0};
    EACH(const struct hot_address, one, hot->list, hot->capacity)
        if (one->count > most.count ||
            (one->count > 0 && one->count == most.count && one->instruction < most.instruction))
            most = *one;
    return most;
}
