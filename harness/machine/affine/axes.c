#include "axes.h"

#include "base/base.h"

void axes_of(struct axis *axes, const unsigned *blocks)
{
    for (unsigned k = 0; k < AXES_MOST; k++)
        axes[k] = k < GRID_AXES ? (struct axis){0, blocks[k] - 1, blocks[k] - 1, 1, k, NULL}
                                : (struct axis){.unit = 1, .of = GRID_AXES - 1};
}

static bool is_outer(const struct axis *axes, unsigned k)
{
    return k == 0 || axes[k - 1].of != axes[k].of;
}

bool axes_split(struct axis *axes, unsigned *count, unsigned k, uint32_t by)
{
    const struct axis axis = axes[k];
    if (*count == AXES_MOST || by < 2 || by > axis.most || (!is_outer(axes, k) && (axis.most + 1) % by != 0))
        return false;
    memmove(&axes[k + 1], &axes[k], (AXES_MOST - 1 - k) * sizeof *axes);
    axes[k] = (struct axis){0, axis.most / by, axis.last / by, axis.unit * by, axis.of, axis.order};
    axes[k + 1] = (struct axis){0, by - 1, axis.last % by, axis.unit, axis.of, axis.order};
    ++*count;
    return true;
}

void axes_place(const struct axis *axes, const unsigned *index, uint32_t *at)
{
    for (unsigned k = 0; k < AXES_MOST; k++)
        at[k] =
            (axes[k].order ? axes[k].order[index[axes[k].of]] : index[axes[k].of]) / axes[k].unit % (axes[k].most + 1);
}

/* Finds which axis one that it was split into is of. */
static unsigned whole_of(const struct axis *from, const struct axis *part)
{
    unsigned k = 0;
    while (from[k].of != part->of || from[k].unit > part->unit)
        k++;
    return k;
}

void axes_refine(const struct axis *from, const struct axis *to, const int64_t *by, int64_t *by_to)
{
    for (unsigned k = 0; k < AXES_MOST; k++) {
        const unsigned whole = whole_of(from, &to[k]);
        by_to[k] = to[k].most > 0 ? by[whole] * (to[k].unit / from[whole].unit) : 0;
    }
}

void axes_refine_box(const struct axis *from, const struct axis *to, const struct box *box, struct box *box_to)
{
    bool last = true; /* along the axes around this one there is the last place only */
    for (unsigned k = 0; k < AXES_MOST; k++) {
        const unsigned whole = whole_of(from, &to[k]);
        const uint32_t by = to[k].unit / from[whole].unit, low = box[whole].low / by, high = box[whole].high / by;
        const uint32_t least = low % (to[k].most + 1), most = high % (to[k].most + 1);
        box_to[k] = (struct box){0, to[k].most, 0};
        if (high - low <= to[k].most && least <= most)
            box_to[k] = (struct box){least, most, 0};
        last |= is_outer(to, k);
        if (last && box_to[k].high > to[k].last)
            box_to[k].high = to[k].last;
        last &= box_to[k].low == to[k].last;
    }
}

/* Adds what it is from one place along an axis to another one, and then along those within. */
static void widen(int128 *range, bool *any, int128 from, int128 to, const int128 *within)
{
    const int128 least = (from < to ? from : to) + within[0], most = (from < to ? to : from) + within[1];
    range[0] = *any && range[0] < least ? range[0] : least;
    range[1] = *any && range[1] > most ? range[1] : most;
    *any = true;
}

void axes_reach(const struct axis *axes, const uint32_t *at, const struct box *box, const int64_t *by, int128 *least,
                int128 *most)
{
    /* Along the axes within this one: of all places, and of those that are not behind the last. */
    int128 all[2] = {0}, here[2] = {0};
    bool some = true;
    *least = *most = 0;
    for (unsigned k = AXES_MOST; k-- > 0;) {
        const int64_t low = box ? box[k].low : 0, high = box ? box[k].high : axes[k].most, last = axes[k].last;
        const int128 factor = by[k], from = factor * (low - at[k]);
        int128 next[2] = {0}, every[2] = {0};
        bool any = false, anywhere = false;
        if (low < last)
            widen(next, &any, from, factor * ((high < last ? high : last - 1) - at[k]), all);
        if (some && low <= last && last <= high)
            widen(next, &any, factor * (last - at[k]), factor * (last - at[k]), here);
        widen(every, &anywhere, from, factor * (high - at[k]), all);
        memcpy(here, next, sizeof here);
        memcpy(all, every, sizeof all);
        some = any;
        if (is_outer(axes, k)) {
            *least += here[0];
            *most += here[1];
            memset(all, 0, sizeof all);
            memset(here, 0, sizeof here);
            some = true;
        }
    }
}

uint64_t axes_places(const struct axis *axes, unsigned of, const uint32_t *at, const struct box *box, uint32_t **places,
                     size_t *count)
{
    unsigned first = 0, end;
    while (axes[first].of != of)
        first++;
    for (end = first; end < AXES_MOST && axes[end].of == of; end++)
        continue;
    uint64_t last = 0;
    for (unsigned k = first; k < end; k++)
        last += (uint64_t)axes[k].last * axes[k].unit;
    const uint64_t begin = (uint64_t)box[first].low * axes[first].unit;
    uint64_t behind = (box[first].high + UINT64_C(1)) * axes[first].unit;
    behind = behind <= last ? behind : last + 1;
    *places = x_calloc(behind - begin, sizeof **places);
    *count = 0;
    for (uint64_t i = begin; i < behind; i++) {
        bool within = true;
        for (unsigned k = first; k < end && within; k++) {
            const uint32_t here = (uint32_t)(i / axes[k].unit % (axes[k].most + UINT64_C(1))), far = here - at[k];
            within = here >= box[k].low && here <= box[k].high && (far & ((UINT32_C(1) << box[k].every) - 1)) == 0;
        }
        (*places)[*count] = axes[first].order ? axes[first].order[last + 1 + i] : (uint32_t)i;
        *count += within;
    }
    return behind - begin;
}
