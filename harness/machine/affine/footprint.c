#include "footprint.h"

#include "base/base.h"

enum { RANGES_MOST = 1 << 21, MERGED_BEYOND = 1 << 12, STEPS_MOST = 1 << 25, GROUPS_MOST = 64 };

/* ---- Ranges ---- */

ORDER_BY(by_begin, struct range, begin)

void range_sort(struct ranges *ranges)
{
    size_t kept = 0;
    if (ranges->sorted == ranges->count)
        return;
    SORT(ranges->list, ranges->count, by_begin);
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

static int64_t all_bits(const int64_t *by)
{
    int64_t bits = 0;
    for (unsigned k = 0; k < AXES_MOST; k++)
        bits |= by[k];
    return bits;
}

/* Returns the ranges in whole words, sorted. If blocks move by parts of a word, they are wide enough for any block. */
static struct ranges words_of(const struct moved_ranges *moved, unsigned kinds)
{
    struct ranges words = {0};
    const bool odd = all_bits(moved->by) & 3;
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
    for (size_t i = 0; i < footprint->count && all_bits(by) == 0; i++)
        if (ranges_of(&footprint->list[i], FOOTPRINT_WRITES)->count > 0)
            by = footprint->list[i].by;
    return by;
}

static bool is_alone(const struct box *box)
{
    return ALL(k, AXES_MOST, box[k].low == box[k].high);
}

static double blocks_of(const struct box *box)
{
    double blocks = 1;
    for (unsigned k = 0; k < AXES_MOST; k++)
        blocks *= (double)(box[k].high - box[k].low) + 1;
    return blocks;
}

/* Finds ranges with such factors, of blocks that with another box are a box (`any`: or are not), or adds them. The box
 * is added to theirs. */
static struct moved_ranges *find_near(struct footprint *footprint, const int64_t *by, const struct box *box, bool any)
{
    struct box both[AXES_MOST];
    EACH(struct moved_ranges, moved, footprint->list, footprint->count) {
        for (unsigned k = 0; k < AXES_MOST; k++) {
            both[k].low = box[k].low < moved->box[k].low ? box[k].low : moved->box[k].low;
            both[k].high = box[k].high > moved->box[k].high ? box[k].high : moved->box[k].high;
        }
        if (memcmp(moved->by, by, sizeof moved->by) == 0 &&
            (any || blocks_of(both) <= blocks_of(box) + blocks_of(moved->box))) {
            memcpy(moved->box, both, sizeof both);
            return moved;
        }
    }
    struct moved_ranges made = {0};
    memcpy(made.by, by, sizeof made.by); /* which may be of the list */
    memcpy(made.box, box, sizeof made.box);
    struct moved_ranges *moved = ARRAY_GROW(footprint->list, footprint->count);
    *moved = made;
    return moved;
}

bool footprint_join(struct footprint *all, const struct footprint *more, const uint32_t *at, const struct box *box,
                    const struct ranges *places)
{
    bool fits = true;
    const bool alone = is_alone(box);
    uint64_t steps = 0;
    for (size_t i = 0; i < more->count * FOOTPRINT_KINDS; i++) {
        const unsigned kind = (unsigned)(i % FOOTPRINT_KINDS);
        const struct moved_ranges *from = &more->list[i / FOOTPRINT_KINDS];
        if (from->of[kind].count == 0)
            continue;
        struct moved_ranges *to =
            find_near(all, alone && kind < 2 ? written_by(all, from->by) : from->by, box, all->count >= GROUPS_MOST);
        uint64_t moved = 0;
        for (unsigned k = 0; k < AXES_MOST; k++)
            moved += (uint64_t)to->by[k] * at[k];
        for (size_t r = 0; r < from->of[kind].count; r++) {
            struct range *range = &from->of[kind].list[r];
            fits &= (kind == 0 && !range_overlap(&(struct ranges){range, 1, 1}, 0, places, &steps)) ||
                    add(&to->of[kind], range->begin - moved, range->end - moved);
        }
    }
    return fits;
}

bool footprint_fits(const struct footprint *footprint, const uint32_t *at, const struct axis *axes)
{
    bool fits = true;
    EACH(const struct moved_ranges, moved, footprint->list, footprint->count) {
        int128 least, most;
        axes_reach(axes, at, NULL, moved->by, &least, &most);
        for (unsigned kind = 0; kind < FOOTPRINT_KINDS; kind++)
            for (size_t r = 0; r < moved->of[kind].count; r++)
                fits &= moved->of[kind].list[r].begin + least >= 0 && moved->of[kind].list[r].end + most < (int128)1
                                                                                                               << 63;
    }
    return fits;
}

/* Visits how far apart two different blocks can be whose ranges may overlap at all: those up to `reach` bytes. */
struct pairs {
    const int64_t *by;
    int64_t from[AXES_MOST], to[AXES_MOST]; /* how far the blocks are from each other */
    unsigned axes[AXES_MOST];               /* from the one that moves farthest */
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
    if (depth == AXES_MOST)
        return !different || (magnitude(moved) > pairs->reach) ||
               !range_overlap(pairs->some, moved, pairs->all, &pairs->steps);
    const unsigned axis = pairs->axes[depth];
    const int64_t by = pairs->by[axis];
    int64_t rest = pairs->reach;
    for (unsigned k = depth + 1; k < AXES_MOST; k++)
        rest += magnitude(pairs->by[pairs->axes[k]]) * pairs->to[pairs->axes[k]];
    int64_t from = pairs->from[axis], to = pairs->to[axis];
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

static bool group_apart(const struct moved_ranges *moved, unsigned kinds, unsigned others)
{
    struct ranges some = words_of(moved, kinds), all = {0}, those = {0};
    struct pairs pairs = {.by = moved->by, .axes = {0, 1, 2, 3, 4, 5}, .some = &some, .all = &those};
    for (unsigned i = 0; i < AXES_MOST; i++)
        for (unsigned k = i + 1; k < AXES_MOST; k++)
            if (magnitude(moved->by[pairs.axes[k]]) > magnitude(moved->by[pairs.axes[i]])) {
                const unsigned axis = pairs.axes[i];
                pairs.axes[i] = pairs.axes[k];
                pairs.axes[k] = axis;
            }
    for (unsigned k = 0; k < AXES_MOST; k++) {
        pairs.to[k] = (int64_t)moved->box[k].high - moved->box[k].low;
        pairs.from[k] = -pairs.to[k];
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

struct ranges footprint_reach(const struct moved_ranges *moved, unsigned kinds, const struct axis *axes)
{
    static const uint32_t first[AXES_MOST] = {0};
    struct ranges spans = words_of(moved, kinds);
    int128 least, most;
    axes_reach(axes, first, moved->box, moved->by, &least, &most);
    for (size_t i = 0; i < spans.count; i++) {
        spans.list[i].begin += (uint64_t)least;
        spans.list[i].end += (uint64_t)most;
    }
    spans.sorted = 0;
    range_sort(&spans);
    return spans;
}

bool footprint_apart(struct footprint *footprint, unsigned kinds, unsigned others, const struct axis *axes)
{
    bool apart = true;
    footprint_sort(footprint);
    for (size_t i = 0; i < footprint->count && apart; i++) {
        apart = group_apart(&footprint->list[i], kinds, others);
        struct ranges some = footprint_reach(&footprint->list[i], kinds, axes);
        for (size_t k = 0; k < footprint->count && apart && some.count > 0; k++) {
            struct ranges all = k == i ? (struct ranges){0} : footprint_reach(&footprint->list[k], others, axes);
            uint64_t steps = 0;
            apart = !range_overlap(&some, 0, &all, &steps);
            free(all.list);
        }
        free(some.list);
    }
    return apart;
}

ORDER_BY(spots_by_begin, struct spot, begin)

bool spots_apart(struct spot *list, size_t count)
{
    static const unsigned meets[] = {[FOOTPRINT_READS] = FOOTPRINT_WRITES | FOOTPRINT_ADDS,
                                     [FOOTPRINT_WRITES] = FOOTPRINT_READS | FOOTPRINT_WRITES | FOOTPRINT_ADDS,
                                     [FOOTPRINT_ADDS] = FOOTPRINT_READS | FOOTPRINT_WRITES};
    struct spot last[FOOTPRINT_KINDS][2] = {0}; /* of each kind what ends last, and of other blocks */
    bool apart = true;
    SORT(list, count, spots_by_begin);
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
