#include "cache.h"

#include "base/base.h"

#define MIX UINT64_C(0x9e3779b97f4a7c15)
enum { LINE_BYTES = 128 };

void l1_open(struct l1 *l1, size_t bytes)
{
    l1->sets = bytes / LINE_BYTES / L1_WAYS;
    l1->lines = x_calloc(l1->sets * L1_WAYS + 1, sizeof *l1->lines);
}

void l1_close(struct l1 *l1)
{
    free(l1->lines);
}

void l1_empty(struct l1 *l1)
{
    memset(l1->lines, 0, l1->sets * L1_WAYS * sizeof *l1->lines);
}

double *l1_find(struct l1 *l1, uint64_t sector, double now)
{
    if (l1->sets == 0)
        return NULL;
    const uint64_t tag = sector / LINE_SECTORS + 1;
    struct line *set = l1->lines + (tag * MIX >> 20) % l1->sets * L1_WAYS, *line = set;
    for (unsigned way = 0; way < L1_WAYS && line->tag != tag; way++)
        line = set[way].tag == tag || set[way].used < line->used ? &set[way] : line;
    if (line->tag != tag)
        *line = (struct line){.tag = tag};
    line->used = now;
    return &line->since[sector % LINE_SECTORS];
}

static void grow(struct seen *seen)
{
    const struct seen old = *seen;
    seen->capacity = old.capacity ? 2 * old.capacity : 4096;
    seen->list = x_calloc(seen->capacity, sizeof *seen->list);
    for (size_t i = 0; i < old.capacity; i++)
        if (old.list[i].sector) {
            size_t at = (old.list[i].sector * MIX >> 24) % seen->capacity;
            while (seen->list[at].sector)
                at = (at + 1) % seen->capacity;
            seen->list[at] = old.list[i];
        }
    free(old.list);
}

struct seen_sector *seen_find(struct seen *seen, uint64_t sector, bool *is_new)
{
    if (2 * seen->count >= seen->capacity)
        grow(seen);
    size_t at = ((sector + 1) * MIX >> 24) % seen->capacity;
    while (seen->list[at].sector && seen->list[at].sector != sector + 1)
        at = (at + 1) % seen->capacity;
    struct seen_sector *found = &seen->list[at];
    *is_new = found->sector == 0;
    if (*is_new) {
        *found = (struct seen_sector){.sector = sector + 1};
        seen->count++;
    }
    return found;
}

void seen_release(struct seen *seen)
{
    free(seen->list);
    *seen = (struct seen){0};
}
