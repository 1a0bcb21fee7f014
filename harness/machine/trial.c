/* What the blocks of all classes do together: whether they meet in memory, how many atomics come to an address, and
 * what is left to do of those that were not executed. */
#include "trial.h"

#include "left.h"

#include "machine/races/races.h"

enum { STEPS_OF_SPOT = 64, SPOTS_MOST = 1 << 22 };
#define HOT_MOST (UINT64_C(1) << 24) /* addresses of atomics, of all blocks */

void trial_place(const struct grid *grid, const struct axis *axes, uint64_t number, uint32_t at[AXES_MOST])
{
    unsigned blocks[GRID_AXES];
    grid_clusters(grid, blocks);
    const unsigned index[GRID_AXES] = {(unsigned)(number % blocks[0]), (unsigned)(number / blocks[0] % blocks[1]),
                                       (unsigned)(number / blocks[0] / blocks[1])};
    axes_place(axes, index, at);
}

static bool has_place(const struct ranges *places, uint64_t begin)
{
    return ANY(i, places->count, places->list[i].begin == begin);
}

void trial_add_place(struct ranges *places, uint64_t begin, uint64_t end)
{
    if (!has_place(places, begin))
        *ARRAY_GROW(places->list, places->count) = (struct range){begin, end};
}

/* Returns by how much a block's accesses are moved from those of the first one of its class. */
static uint64_t distance(const struct trial *trial, const struct class *class, const struct moved_ranges *moved,
                         uint64_t number)
{
    uint32_t at[AXES_MOST];
    uint64_t by = 0;
    trial_place(trial->run->grid, class->axes, number, at);
    for (unsigned k = 0; k < AXES_MOST; k++)
        by += (uint64_t)moved->by[k] * (uint64_t)((int64_t)at[k] - (int64_t) class->at[k]);
    return by;
}

/* The same of each block by itself, where arrays follow each other in one allocation: as if all blocks did what those
 * of all classes do, the first one of an array would meet the last one of the array before. */
static bool each_apart(struct trial *trial, const struct ranges *written, uint64_t whole)
{
    OWNED_MEMORY struct spot *spots = NULL;
    size_t count = 0;
    bool few = true;
    for (uint64_t number = 0; number < trial->count && few; number++) {
        const struct class *class = &trial->classes[trial->class_of[number] - 1];
        EACH(const struct moved_ranges, moved, class->footprint.list, class->footprint.count) {
            const uint64_t by = distance(trial, class, moved, number);
            for (unsigned kind = 0; kind < FOOTPRINT_KINDS; kind++)
                for (size_t r = 0; r < moved->of[kind].count; r++) {
                    const struct range range = {(moved->of[kind].list[r].begin + by) & ~UINT64_C(3),
                                                (moved->of[kind].list[r].end + by + 3) & ~UINT64_C(3)};
                    uint64_t steps = 0;
                    if (kind > 0 || range_overlap(&(struct ranges){(struct range *)&range, 1, 1}, 0, written, &steps))
                        *ARRAY_GROW(spots, count) = (struct spot){range.begin, range.end, number, 1u << kind};
                }
        }
        few = count < SPOTS_MOST && (count * STEPS_OF_SPOT < whole || trial->small);
    }
    const bool apart = few && spots_apart(spots, count);
    return apart;
}

/* Adds what a class accesses to what all do, along the axes that the grid is split into at the end. */
static bool join_class(struct trial *trial, const struct class *class, const struct ranges *written)
{
    struct footprint refined = {.list = x_calloc(class->footprint.count, sizeof *refined.list),
                                .count = class->footprint.count};
    struct box box[AXES_MOST];
    uint32_t at[AXES_MOST];
    for (size_t i = 0; i < refined.count; i++) {
        refined.list[i] = class->footprint.list[i];
        axes_refine(class->axes, trial->axes, class->footprint.list[i].by, refined.list[i].by);
    }
    trial_place(trial->run->grid, trial->axes, class->number, at);
    axes_refine_box(class->axes, trial->axes, class->box, box);
    const bool fits = footprint_join(&trial->all, &refined, at, box, written) &&
                      footprint_fits(&class->footprint, class->at, class->axes);
    free(refined.list);
    return fits;
}

/* Whether no blocks meet in global memory. Whoever looks for meetings also notes one where an allocation is written
 * that a block has read before any had written there; that is none where each block that reads it writes it as well. */
bool trial_apart(struct trial *trial, uint64_t whole)
{
    struct ranges written = {0};
    bool apart = true;
    if (!trial->classes)
        return false;
    EACH(const struct class, class, trial->classes, trial->class_count) {
        for (size_t k = 0; k < class->written.count; k++)
            trial_add_place(&written, class->written.list[k].begin, class->written.list[k].end);
        for (unsigned k = 0; k < 2; k++)
            for (size_t r = 0; r < (k ? class->read : class->written).count; r++)
                trial_add_place(&trial->places, (k ? class->read : class->written).list[r].begin,
                                (k ? class->read : class->written).list[r].end);
    }
    for (size_t i = 0; i < written.count; i++)
        for (size_t c = 0; c < trial->class_count; c++)
            apart &= !has_place(&trial->classes[c].read, written.list[i].begin) ||
                     has_place(&trial->classes[c].written, written.list[i].begin);
    range_sort(&written);
    for (size_t i = 0; i < trial->class_count; i++) /* all are joined, for tests too that go on */
        apart &= join_class(trial, &trial->classes[i], &written);
    apart = apart && ((footprint_apart(&trial->all, FOOTPRINT_WRITES,
                                       FOOTPRINT_READS | FOOTPRINT_WRITES | FOOTPRINT_ADDS, trial->axes) &&
                       footprint_apart(&trial->all, FOOTPRINT_ADDS, FOOTPRINT_READS, trial->axes)) ||
                      each_apart(trial, &written, whole));
    free(written.list);
    return apart;
}

/* Counts the atomics of all blocks at each address. Where no two blocks add to a word, those of one block of each class
 * are enough. Else it is seen of executed blocks, too, that some do. */
bool trial_count_hot(struct trial *trial, uint64_t whole, struct hot_addresses *hot)
{
    const struct grid *grid = trial->run->grid;
    const bool apart = footprint_apart(&trial->all, FOOTPRINT_ADDS, FOOTPRINT_ADDS, trial->axes);
    const uint64_t most = whole / TRIAL_PARTS < HOT_MOST && !trial->small ? whole / TRIAL_PARTS : HOT_MOST;
    uint64_t steps = 0;
    if (!apart && grid->meetings && !meetings_any(grid->meetings))
        return false;
    for (size_t c = 0; c < trial->class_count; c++) {
        const struct class *class = &trial->classes[c];
        EACH(const struct moved_ranges, moved, class->footprint.list, class->footprint.count) {
            struct hot_addresses distances = {0};
            if (moved->hot.count == 0)
                continue;
            if (apart)
                hot_add(&distances, 0, 1, 0);
            else
                steps += trial->count / VISITS_OF_STEP;
            for (uint64_t number = 0; number < trial->count && !apart && steps <= most; number++)
                if (trial->class_of[number] == c + 1)
                    hot_add(&distances, distance(trial, class, moved, number), 1, 0);
            steps += moved->hot.count * distances.count;
            if (steps <= most)
                hot_merge_moved(hot, &moved->hot, &distances);
            hot_release(&distances);
        }
    }
    return steps <= most;
}

static void add_reach(struct ranges *ranges, const struct trial *trial, const struct moved_ranges *moved,
                      unsigned kinds)
{
    struct ranges reach = footprint_reach(moved, kinds, trial->axes);
    for (size_t i = 0; i < reach.count; i++)
        range_add(ranges, reach.list[i].begin, reach.list[i].end);
    free(reach.list);
}

/* Leaves the other blocks out. What those have written that were executed is as their class says. */
void trial_keep(struct trial *trial)
{
    struct left_memory memory = {.touched = trial->places};
    trial->places = (struct ranges){0};
    for (uint64_t number = 0; number < trial->count; number++) {
        if (!trial_has_done(trial, number))
            continue;
        const struct class *class = &trial->classes[trial->class_of[number] - 1];
        EACH(const struct moved_ranges, moved, class->footprint.list, class->footprint.count) {
            const struct ranges *writes = ranges_of(moved, FOOTPRINT_WRITES);
            const uint64_t by = distance(trial, class, moved, number);
            for (size_t r = 0; r < writes->count; r++)
                range_add(&memory.written, writes->list[r].begin + by, writes->list[r].end + by);
        }
    }
    for (size_t i = 0; i < trial->all.count; i++) {
        add_reach(&memory.changed, trial, &trial->all.list[i], FOOTPRINT_WRITES | FOOTPRINT_ADDS);
        add_reach(&memory.added, trial, &trial->all.list[i], FOOTPRINT_ADDS);
    }
    left_keep(trial->run->grid, trial->done, &memory);
}
