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

bool footprint_add(struct footprint *footprint, const int64_t *by, uint64_t begin, uint64_t end, unsigned kind)
{
    return add(ranges_of(find(footprint, by), kind), begin, end);
}

void footprint_add_hot(struct footprint *footprint, const int64_t *by, uint64_t address, size_t instruction)
{
    hot_add(&find(footprint, by)->hot, address, 1, instruction);
}

void footprint_sort(struct footprint *footprint)
{
    for (size_t i = 0; i < footprint->count; i++)
        for (unsigned kind = 0; kind < FOOTPRINT_KINDS; kind++)
            range_sort(&footprint->list[i].of[kind]);
}

void footprint_release(struct footprint *footprint)
{
    for (size_t i = 0; i < footprint->count; i++) {
        for (unsigned kind = 0; kind < FOOTPRINT_KINDS; kind++)
            free(footprint->list[i].of[kind].list);
        hot_release(&footprint->list[i].hot);
    }
    free(footprint->list);
    *footprint = (struct footprint){0};
}

/* ---- Meetings ---- */

/* Returns ranges of whole words, sorted. Where blocks do not move by words, those of any block. */
static struct ranges words_of(const struct moved_ranges *moved, unsigned kinds)
{
    struct ranges words = {0};
    const bool odd = (moved->by[0] | moved->by[1] | moved->by[2]) & 3;
    for (unsigned kind = 0; kind < FOOTPRINT_KINDS; kind++) {
        const struct ranges *from = &moved->of[kind];
        for (size_t i = 0; kinds >> kind & 1 && i < from->count; i++)
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
        if (ranges_of(&footprint->list[i], FOOTPRINT_WRITES)->count > 0)
            by = footprint->list[i].by;
    return by;
}

bool footprint_join(struct footprint *all, const struct footprint *more, const uint32_t *at, bool alone,
                    const struct ranges *places)
{
    bool fits = true;
    uint64_t steps = 0;
    for (size_t i = 0; i < more->count * FOOTPRINT_KINDS; i++) {
        const unsigned kind = (unsigned)(i % FOOTPRINT_KINDS);
        const struct moved_ranges *from = &more->list[i / FOOTPRINT_KINDS];
        struct moved_ranges *to = find(all, alone && kind < 2 ? written_by(all, from->by) : from->by);
        uint64_t moved = 0;
        for (unsigned k = 0; k < MOVES_MOST; k++)
            moved += (uint64_t)to->by[k] * at[k];
        for (size_t r = 0; r < from->of[kind].count; r++) {
            struct range *range = &from->of[kind].list[r];
            fits &= (kind == 0 && !range_overlap(&(struct ranges){range, 1, 1}, 0, places, &steps)) ||
                    add(&to->of[kind], range->begin - moved, range->end - moved);
        }
    }
    return fits;
}

bool footprint_fits(const struct footprint *footprint, const uint32_t *at, const unsigned *blocks)
{
    bool fits = true;
    for (size_t i = 0; i < footprint->count; i++) {
        const struct moved_ranges *moved = &footprint->list[i];
        double down = 0, up = 0; /* exact up to 2^53, which is beyond all memory */
        for (unsigned k = 0; k < MOVES_MOST; k++) {
            const double before = (double)moved->by[k] * at[k], behind = (double)moved->by[k] * (blocks[k] - 1 - at[k]);
            down += moved->by[k] > 0 ? before : -behind;
            up += moved->by[k] > 0 ? behind : -before;
        }
        for (unsigned kind = 0; kind < FOOTPRINT_KINDS; kind++)
            for (size_t r = 0; r < moved->of[kind].count; r++)
                fits &=
                    (double)moved->of[kind].list[r].begin >= down && (double)moved->of[kind].list[r].end + up < 0x1p63;
    }
    return fits;
}

/* Visits how far apart two different blocks can be whose ranges may overlap at all: those up to `reach` bytes. */
struct pairs {
    const int64_t *by;
    const unsigned *blocks;
    unsigned axes[MOVES_MOST]; /* from the one that moves farthest */
    int64_t reach;
    const struct ranges *some, *all;
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
               !range_overlap(pairs->some, moved, pairs->all, &pairs->steps);
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

static bool group_apart(const struct moved_ranges *moved, unsigned kinds, unsigned others, const unsigned *blocks)
{
    struct ranges some = words_of(moved, kinds), all = {0}, those = {0};
    struct pairs pairs = {.by = moved->by, .blocks = blocks, .axes = {0, 1, 2}, .some = &some, .all = &those};
    for (unsigned i = 0; i < MOVES_MOST; i++)
        for (unsigned k = i + 1; k < MOVES_MOST; k++)
            if (magnitude(moved->by[pairs.axes[k]]) > magnitude(moved->by[pairs.axes[i]])) {
                const unsigned axis = pairs.axes[i];
                pairs.axes[i] = pairs.axes[k];
                pairs.axes[k] = axis;
            }
    bool apart = true;
    if (some.count > 0) {
        all = words_of(moved, kinds | others);
        those = words_of(moved, others);
        pairs.reach = (int64_t)(all.list[all.count - 1].end - all.list[0].begin);
        apart = visit(&pairs, 0, 0, false);
    }
    free(some.list);
    free(all.list);
    free(those.list);
    return apart;
}

struct ranges footprint_spans(const struct moved_ranges *moved, unsigned kinds, const unsigned *blocks)
{
    struct ranges spans = words_of(moved, kinds);
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

bool footprint_apart(struct footprint *footprint, unsigned kinds, unsigned others, const unsigned *blocks)
{
    bool apart = true;
    footprint_sort(footprint);
    for (size_t i = 0; i < footprint->count && apart; i++) {
        apart = group_apart(&footprint->list[i], kinds, others, blocks);
        struct ranges some = footprint_spans(&footprint->list[i], kinds, blocks);
        for (size_t k = 0; k < footprint->count && apart && some.count > 0; k++) {
            struct ranges all = k == i ? (struct ranges){0} : footprint_spans(&footprint->list[k], others, blocks);
            uint64_t steps = 0;
            apart = !range_overlap(&some, 0, &all, &steps);
            free(all.list);
        }
        free(some.list);
    }
    return apart;
}

static int spots_by_begin(const void *left, const void *right)
{
    const struct spot *a = left, *b = right;
    return (a->begin > b->begin) - (a->begin < b->begin);
}

bool spots_apart(struct spot *list, size_t count)
{
    static const unsigned meets[] = {[FOOTPRINT_READS] = FOOTPRINT_WRITES | FOOTPRINT_ADDS,
                                     [FOOTPRINT_WRITES] = FOOTPRINT_READS | FOOTPRINT_WRITES | FOOTPRINT_ADDS,
                                     [FOOTPRINT_ADDS] = FOOTPRINT_READS | FOOTPRINT_WRITES};
    struct spot last[FOOTPRINT_KINDS][2] = {0}; /* of each kind what ends last, and of other blocks */
    bool apart = true;
    if (count > 0)
        qsort(list, count, sizeof *list, spots_by_begin);
    for (size_t i = 0; i < count && apart; i++) {
        struct spot *own = last[__builtin_ctz(list[i].kind)];
        for (unsigned kind = 0; kind < FOOTPRINT_KINDS; kind++)
            for (unsigned k = 0; k < 2 && meets[list[i].kind] >> kind & 1; k++)
                apart &= last[kind][k].end <= list[i].begin || last[kind][k].block == list[i].block;
        if (list[i].end > own[0].end) {
            if (list[i].block != own[0].block)
                own[1] = own[0];
            own[0] = list[i];
        } else if (list[i].block != own[0].block && list[i].end > own[1].end) {
            own[1] = list[i];
        }
    }
    return apart;
}
