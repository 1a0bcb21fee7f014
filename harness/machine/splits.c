/* Splits. Lanes that part become splits, which join only where the code says so. BSSY notes the lanes of a split in a
 * barrier register. BSYNC waits until all of those that are left have come. Each split has a copy of these registers,
 * because two splits may use the same one for different places. Lanes that break out (BREAK) are therefore removed from
 * every copy with the same lanes. */
#include "splits.h"

struct split *split_add(struct warp *warp, const struct split *from, uint32_t lanes, uint32_t pc)
{
    struct split *split = &warp->splits[warp->split_count++];
    if (split != from)
        *split = *from;
    split->lanes = lanes;
    split->pc = pc;
    split->state = SPLIT_READY;
    return split;
}

static void remove_split(struct warp *warp, unsigned index)
{
    if (index != --warp->split_count)
        warp->splits[index] = warp->splits[warp->split_count];
}

/* Joins the splits in `marked` that are at the same place; they continue behind it. Marked splits at another place
 * continue by themselves. */
static void release(struct warp *warp, uint32_t marked)
{
    warp->joined++;
    for (unsigned i = 0; i < warp->split_count; i++) {
        if (!(marked >> i & 1))
            continue;
        struct split *split = &warp->splits[i];
        const bool joins = split->state == SPLIT_JOINING;
        split->state = SPLIT_READY;
        for (unsigned k = i + 1; k < warp->split_count;) {
            if ((marked >> k & 1) && warp->splits[k].pc == split->pc) {
                split->yielders = split->yielders ? split->yielders : warp->splits[k].yielders;
                split->lanes |= warp->splits[k].lanes;
                split->pending |= warp->splits[k].pending;
                const unsigned last = warp->split_count - 1;
                marked = (marked & ~(1u << k)) | ((marked >> last & 1) << k);
                if (k == last)
                    marked &= ~(1u << k);
                else
                    marked &= ~(1u << last);
                remove_split(warp, k);
            } else {
                k++;
            }
        }
        warp->broken &= ~split->lanes;
        warp->follow &= ~split->lanes;
        warp->followers &= ~split->lanes;
        split->held = joins ? (unsigned short)~(1u << split->joins) : 0;
        split->yielders = joins ? split->yielders : 0;
        split->pc++;
    }
}

/* Seen on an H200 in 30 kernels: lanes that came one after the other to a WARPSYNC execute it once more together. The
 * hardware's counters have that, those of instrumented code have not. */
static void note_joined(struct warp *warp, uint32_t marked)
{
    for (uint32_t left = marked; left; left &= left - 1) {
        const struct split *split = &warp->splits[__builtin_ctz(left)];
        bool first = true;
        for (uint32_t others = marked & (left ^ marked); others; others &= others - 1)
            first &= warp->splits[__builtin_ctz(others)].pc != split->pc;
        struct tally *tally = &warp->block->tallies[split->pc];
        tally->again += first;
        tally->again_threads += count_lanes(split->lanes);
    }
}

/* Lets splits continue whose lanes have all come. Returns whether there were any. */
static bool let_some_go(struct warp *warp)
{
    uint32_t waiting = 0; /* lanes that have come to any such place */
    for (unsigned i = 0; i < warp->split_count; i++)
        if (warp->splits[i].state == SPLIT_JOINING || warp->splits[i].state == SPLIT_SYNCING)
            waiting |= warp->splits[i].lanes;
    for (unsigned i = 0; i < warp->split_count; i++) {
        const struct split *split = &warp->splits[i];
        uint32_t marked = 0, there = 0;
        if (split->state == SPLIT_JOINING) {
            const unsigned b = split->joins;
            const uint32_t wanted = split->targets[b];
            if (wanted & warp->alive & ~waiting)
                continue;
            for (unsigned k = 0; k < warp->split_count; k++)
                if (warp->splits[k].state == SPLIT_JOINING && warp->splits[k].joins == b &&
                    warp->splits[k].targets[b] == wanted) {
                    marked |= 1u << k;
                    there |= warp->splits[k].lanes;
                }
            if ((wanted & warp->alive & ~there) == 0) {
                note_gone(warp, split->pc, there, wanted);
                release(warp, marked);
                return true;
            }
        } else if (split->state == SPLIT_SYNCING && !(split->wanted & warp->alive & ~waiting)) {
            for (unsigned k = 0; k < warp->split_count; k++)
                if (warp->splits[k].state == SPLIT_SYNCING) {
                    marked |= 1u << k;
                    there |= warp->splits[k].lanes;
                }
            /* The splits that wait for each other, as far as they are here. */
            uint32_t wanted = split->wanted, together = 0;
            for (unsigned k = 0; k < warp->split_count; k++)
                if ((marked >> k & 1) && (warp->splits[k].lanes & wanted)) {
                    together |= 1u << k;
                    wanted |= warp->splits[k].wanted;
                }
            together |= 1u << i;
            if ((wanted & warp->alive & ~there) == 0) {
                if (together & (together - 1))
                    note_joined(warp, together);
                else
                    note_gone(warp, split->pc, split->lanes, wanted);
                release(warp, together);
                return true;
            }
        }
    }
    return false;
}

void splits_look_again(struct warp *warp)
{
    while (let_some_go(warp))
        continue;
}

void splits_break(struct warp *warp, unsigned barrier, uint32_t mask, uint32_t lanes)
{
    for (unsigned i = 0; i < warp->split_count; i++)
        if (warp->splits[i].targets[barrier] == mask)
            warp->splits[i].targets[barrier] &= ~lanes;
}

void split_part(struct warp *warp, unsigned index, unsigned barrier)
{
    struct split *split = &warp->splits[index];
    splits_break(warp, barrier, split->targets[barrier], split->lanes);
    split->targets[barrier] = split->lanes;
}

void split_leave(struct warp *warp, unsigned index, uint32_t lanes)
{
    struct split *split = &warp->splits[index];
    warp->alive &= ~lanes;
    split->lanes &= ~lanes;
    if (split->lanes) {
        split->pc++;
        return;
    }
    warp->gone_apart |= warp->split_count > 1 ? lanes : 0;
    remove_split(warp, index);
}
