#include "footprint.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

enum { RANGES_MOST = 1 << 21, MERGED_BEYOND = 1 << 12, STEPS_MOST = 1 << 25 };

/* ---- Ranges ---- */

static int by_begin(const void *a, const void *b)
{
    const struct range *one = a, *other = b;
    return one->begin < other->begin ? -1 : one->begin > other->begin;
}

void range_sort(struct ranges *ranges)
{
    size_t kept = 0;
    if (ranges->sorted == ranges->count)
        return;
    qsort(ranges->list, ranges->count, sizeof *ranges->list, by_begin);
    for (size_t i = 0; i < ranges->count; i++) {
        struct range *last = kept ? &ranges->list[kept - 1] : NULL;
        if (last && ranges->list[i].begin <= last->end)
            last->end = ranges->list[i].end > last->end ? ranges->list[i].end : last->end;
        else
            ranges->list[kept++] = ranges->list[i];
    }
    ranges->count = ranges->sorted = kept;
}

void range_add(struct ranges *ranges, uint64_t begin, uint64_t end)
{
    const struct range *last = ranges->count ? &ranges->list[ranges->count - 1] : NULL;
    if (last && begin >= last->begin && end <= last->end)
        return;
    *ARRAY_GROW(ranges->list, ranges->count) = (struct range){begin, end};
    if (ranges->count > 2 * ranges->sorted + MERGED_BEYOND)
        range_sort(ranges);
}

static bool add(struct ranges *ranges, uint64_t begin, uint64_t end)
{
    range_add(ranges, begin, end);
    return ranges->count < RANGES_MOST;
}

static struct moved_ranges *find(struct footprint *footprint, const int64_t *by)
{
    for (size_t i = 0; i < footprint->count; i++)
        if (memcmp(footprint->list[i].by, by, sizeof footprint->list[i].by) == 0)
            return &footprint->list[i];
    struct moved_ranges *moved = ARRAY_GROW(footprint->list, footprint->count);
    *moved = (struct moved_ranges){0};
    memcpy(moved->by, by, sizeof moved->by);
    return moved;
}

bool footprint_add(struct footprint *footprint, const int64_t *by, uint64_t begin, uint64_t end, bool writes)
{
    struct moved_ranges *moved = find(footprint, by);
    return add(writes ? &moved->writes : &moved->reads, begin, end);
}

void footprint_sort(struct footprint *footprint)
{
    for (size_t i = 0; i < footprint->count; i++) {
        range_sort(&footprint->list[i].reads);
        range_sort(&footprint->list[i].writes);
    }
}

void footprint_release(struct footprint *footprint)
{
    for (size_t i = 0; i < footprint->count; i++) {
        free(footprint->list[i].reads.list);
        free(footprint->list[i].writes.list);
    }
    free(footprint->list);
    *footprint = (struct footprint){0};
}

/* ---- Meetings ---- */

/* Returns ranges of whole words, sorted. Where blocks do not move by words, those of any block. */
static struct ranges words_of(const struct ranges *some, const struct ranges *more, const int64_t *by)
{
    struct ranges words = {0};
    const bool odd = (by[0] | by[1] | by[2]) & 3;
    for (unsigned k = 0; k < 2; k++) {
        const struct ranges *from = k ? more : some;
        for (size_t i = 0; from && i < from->count; i++)
            *ARRAY_GROW(words.list, words.count) = (struct range){(from->list[i].begin - (odd ? 3 : 0)) & ~UINT64_C(3),
                                                                  (from->list[i].end + (odd ? 6 : 3)) & ~UINT64_C(3)};
    }
    range_sort(&words);
    return words;
}

bool range_overlap(const struct ranges *few, int64_t moved, const struct ranges *many, uint64_t *steps)
{
    for (size_t i = 0; i < few->count; i++) {
        const uint64_t begin = few->list[i].begin + (uint64_t)moved, end = few->list[i].end + (uint64_t)moved;
        size_t first = 0, last = many->count; /* the first that ends behind `begin` */
        while (first < last) {
            const size_t middle = first + (last - first) / 2;
            if (many->list[middle].end <= begin)
                first = middle + 1;
            else
                last = middle;
            ++*steps;
        }
        if (first < many->count && many->list[first].begin < end)
            return true;
    }
    return false;
}

/* Returns by how much the first ranges move that are written and do; else `by`. */
static const int64_t *written_by(const struct footprint *footprint, const int64_t *by)
{
    for (size_t i = 0; i < footprint->count && (by[0] | by[1] | by[2]) == 0; i++)
        if (footprint->list[i].writes.count > 0)
            by = footprint->list[i].by;
    return by;
}

bool footprint_join(struct footprint *all, const struct footprint *more, const uint32_t *at, bool alone,
                    const struct ranges *places)
{
    bool fits = true;
    uint64_t steps = 0;
    for (size_t i = 0; i < more->count; i++) {
        const struct moved_ranges *from = &more->list[i];
        struct moved_ranges *to = find(all, alone ? written_by(all, from->by) : from->by);
        uint64_t moved = 0;
        for (unsigned k = 0; k < MOVES_MOST; k++)
            moved += (uint64_t)to->by[k] * at[k];
        for (size_t r = 0; r < from->reads.count; r++)
            fits &= !range_overlap(&(struct ranges){&from->reads.list[r], 1, 1}, 0, places, &steps) ||
                    add(&to->reads, from->reads.list[r].begin - moved, from->reads.list[r].end - moved);
        for (size_t r = 0; r < from->writes.count; r++)
            fits &= add(&to->writes, from->writes.list[r].begin - moved, from->writes.list[r].end - moved);
    }
    return fits;
}

/* Visits how far apart two different blocks can be whose ranges may overlap at all: those up to `reach` bytes. */
struct pairs {
    const int64_t *by;
    const unsigned *blocks;
    unsigned axes[MOVES_MOST]; /* from the one that moves farthest */
    int64_t reach;
    const struct ranges *writes, *all;
    uint64_t steps;
};

static int64_t magnitude(int64_t value)
{
    return value < 0 ? -value : value;
}

/* False: two blocks overlap, or that takes too long to find out. */
static bool visit(struct pairs *pairs, unsigned depth, int64_t moved, bool different)
{
    if (depth == MOVES_MOST)
        return !different || (magnitude(moved) > pairs->reach) ||
               !range_overlap(pairs->writes, moved, pairs->all, &pairs->steps);
    const unsigned axis = pairs->axes[depth];
    const int64_t far = (int64_t)pairs->blocks[axis] - 1, by = pairs->by[axis];
    int64_t rest = pairs->reach;
    for (unsigned k = depth + 1; k < MOVES_MOST; k++)
        rest += magnitude(pairs->by[pairs->axes[k]]) * ((int64_t)pairs->blocks[pairs->axes[k]] - 1);
    int64_t from = -far, to = far;
    if (by) {
        const int64_t size = magnitude(by), middle = (by > 0 ? -moved : moved) / size, wide = rest / size + 1;
        from = middle - wide > from ? middle - wide : from;
        to = middle + wide < to ? middle + wide : to;
    }
    for (int64_t n = from; n <= to; n++)
        if (++pairs->steps > STEPS_MOST || !visit(pairs, depth + 1, moved + n * by, different || n != 0))
            return false;
    return true;
}

static bool group_apart(const struct moved_ranges *moved, const unsigned *blocks)
{
    struct ranges writes = words_of(&moved->writes, NULL, moved->by);
    struct ranges all = words_of(&moved->writes, &moved->reads, moved->by);
    struct pairs pairs = {.by = moved->by, .blocks = blocks, .axes = {0, 1, 2}, .writes = &writes, .all = &all};
    for (unsigned i = 0; i < MOVES_MOST; i++)
        for (unsigned k = i + 1; k < MOVES_MOST; k++)
            if (magnitude(moved->by[pairs.axes[k]]) > magnitude(moved->by[pairs.axes[i]])) {
                const unsigned axis = pairs.axes[i];
                pairs.axes[i] = pairs.axes[k];
                pairs.axes[k] = axis;
            }
    bool apart = true;
    if (writes.count > 0) {
        pairs.reach = (int64_t)(all.list[all.count - 1].end - all.list[0].begin);
        apart = visit(&pairs, 0, 0, false);
    }
    free(writes.list);
    free(all.list);
    return apart;
}

struct ranges footprint_spans(const struct moved_ranges *moved, bool writes_only, const unsigned *blocks)
{
    struct ranges spans = words_of(&moved->writes, writes_only ? NULL : &moved->reads, moved->by);
    uint64_t below = 0, above = 0;
    for (unsigned k = 0; k < MOVES_MOST; k++)
        *(moved->by[k] < 0 ? &below : &above) += (uint64_t)magnitude(moved->by[k]) * (blocks[k] - 1);
    for (size_t i = 0; i < spans.count; i++) {
        spans.list[i].begin -= below;
        spans.list[i].end += above;
    }
    spans.sorted = 0;
    range_sort(&spans);
    return spans;
}

bool footprint_apart(struct footprint *footprint, const unsigned *blocks)
{
    bool apart = true;
    footprint_sort(footprint);
    for (size_t i = 0; i < footprint->count && apart; i++) {
        apart = group_apart(&footprint->list[i], blocks);
        struct ranges writes = footprint_spans(&footprint->list[i], true, blocks);
        for (size_t k = 0; k < footprint->count && apart && writes.count > 0; k++) {
            struct ranges all = k == i ? (struct ranges){0} : footprint_spans(&footprint->list[k], false, blocks);
            uint64_t steps = 0;
            apart = !range_overlap(&writes, 0, &all, &steps);
            free(all.list);
        }
        free(writes.list);
    }
    return apart;
}
