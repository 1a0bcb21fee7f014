#include "tags.h"

#include "base/base.h"

const struct tag tag_same = {.lanes = UINT32_MAX};

bool tag_has_factors(const struct tag *tag)
{
    bool any = tag->floor != 0;
    for (unsigned i = 0; i < tag->count; i++)
        any |= tag->parts[i].by != 0;
    return any;
}

bool tag_moves(const struct tag *tag)
{
    return tag->floor || ANY(i, tag->count, tag->parts[i].by && tag->parts[i].low < tag->parts[i].high);
}

/* Returns the part of an axis, which is added if it is not there; NULL: there are too many. */
static struct tag_part *part_of(struct tag *tag, uint32_t axis)
{
    unsigned at = 0;
    while (at < tag->count && tag->parts[at].axis < axis)
        at++;
    if (at < tag->count && tag->parts[at].axis == axis)
        return &tag->parts[at];
    if (tag->count == TAG_PARTS)
        return NULL;
    memmove(&tag->parts[at + 1], &tag->parts[at], (tag->count++ - at) * sizeof *tag->parts);
    tag->parts[at] = (struct tag_part){.axis = axis, .high = UINT32_MAX};
    return &tag->parts[at];
}

void tag_factors(const struct tag *tag, int64_t *by)
{
    for (unsigned i = 0; i < tag->count; i++)
        by[tag->parts[i].axis] += tag->parts[i].by;
}

bool tag_add_part(struct tag *tag, uint32_t axis, int64_t by)
{
    struct tag_part *part = by ? part_of(tag, axis) : NULL;
    return !by || (part && !__builtin_add_overflow(part->by, by, &part->by));
}

bool tag_add(struct tag *tag, const struct tag *other, int64_t factor)
{
    if (other->ring && factor)
        BUG("an addition that wraps around %u bits", other->ring);
    tag->lanes &= other->lanes;
    if (other->floor)
        return false;
    for (unsigned i = 0; i < other->count; i++) {
        const struct tag_part *from = &other->parts[i];
        struct tag_part *to = part_of(tag, from->axis);
        int64_t more;
        if (!to || __builtin_mul_overflow(from->by, factor, &more) || __builtin_add_overflow(to->by, more, &to->by))
            return false;
        to->low = from->low > to->low ? from->low : to->low;
        to->high = from->high < to->high ? from->high : to->high;
        to->every = from->every > to->every ? from->every : to->every;
    }
    return true;
}

void tag_wrap(struct tag *tag, const struct axis *axes)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < tag->count; i++) {
        struct tag_part part = tag->parts[i];
        part.by = (int32_t)(uint32_t)part.by;
        part.high = part.high < axes[part.axis].most ? part.high : axes[part.axis].most;
        if (part.by || part.low > 0 || part.high < axes[part.axis].most || part.every)
            tag->parts[kept++] = part;
    }
    tag->count = (unsigned char)kept;
}

void tag_same_by(struct tag *tag, unsigned bits)
{
    for (unsigned i = 0; i < tag->count; i++) {
        struct tag_part *part = &tag->parts[i];
        const unsigned zeros = part->by ? (unsigned)__builtin_ctzll((uint64_t)part->by) : bits;
        const unsigned every = zeros < bits ? bits - zeros : 0;
        if (part->every < every)
            part->every = every < EVERY_MOST ? every : EVERY_MOST;
        part->by = 0;
    }
    tag->ring = 0;
}

double tag_share(const struct tag *tag, const struct axis *axes)
{
    double share = 1;
    for (unsigned i = 0; i < tag->count; i++) {
        const struct tag_part *part = &tag->parts[i];
        const uint32_t most = axes[part->axis].most, wide = (part->high < most ? part->high : most) - part->low;
        share *= ((double)(wide >> part->every) + 1) / ((double)most + 1);
    }
    return share;
}

/* How far a part takes the value up, or down, from the executed block. */
static int128 reach(const struct tag_part *part, uint32_t at, bool up)
{
    const bool to_high = (part->by > 0) == up;
    const int128 far = to_high ? part->high - at : at - part->low;
    return far * (part->by > 0 ? part->by : -(int128)part->by);
}

/* Leaves of an axis what keeps the value within that room. */
static void cut_part(struct tag_part *part, uint32_t at, int128 up, int128 down)
{
    const int128 by = part->by > 0 ? part->by : -(int128)part->by;
    const int128 above = (part->by > 0 ? up : down) / by, below = (part->by > 0 ? down : up) / by;
    part->high = above < part->high - at ? at + (uint32_t)above : part->high;
    part->low = below < at - part->low ? at - (uint32_t)below : part->low;
}

/* The axis that takes the value farthest is cut first. If the others leave no room, it is cut to the executed block,
 * and then the next one. */
static void cut(struct tag *tag, const struct axis *axes, int128 up, int128 down)
{
    for (;;) {
        int128 ups = 0, downs = 0, most = 0;
        struct tag_part *far = NULL;
        for (unsigned i = 0; i < tag->count; i++) {
            struct tag_part *part = &tag->parts[i];
            const int128 above = reach(part, axes[part->axis].at, true),
                         below = reach(part, axes[part->axis].at, false);
            ups += above;
            downs += below;
            if (above + below > most) {
                most = above + below;
                far = part;
            }
        }
        if (!far || (ups <= up && downs <= down))
            return;
        const uint32_t at = axes[far->axis].at;
        const int128 room_up = up - (ups - reach(far, at, true)), room_down = down - (downs - reach(far, at, false));
        if (room_up >= 0 && room_down >= 0)
            cut_part(far, at, room_up, room_down);
        else
            far->low = far->high = at;
    }
}

bool tag_limit(struct tag *tag, const struct tag *sum, const struct axis *axes, int64_t up, int64_t down)
{
    struct tag limited = *sum;
    if (sum->ring)
        BUG("a comparison of a value that wraps around %u bits", sum->ring);
    if (!tag_add(&limited, tag, 0))
        return false;
    for (unsigned i = 0; i < limited.count; i++)
        if (limited.parts[i].high > axes[limited.parts[i].axis].most)
            limited.parts[i].high = axes[limited.parts[i].axis].most;
    cut(&limited, axes, up, down);
    return tag_add(tag, &limited, 0);
}

void tag_settle(struct tag *tag, struct floor *floors, const struct axis *axes)
{
    if (!tag->floor)
        return;
    const int sign = tag->floor < 0 ? -1 : 1;
    struct floor *floor = &floors[sign * tag->floor - 1];
    const int128 one = (int128)1 << floor->bits;
    struct tag rest = tag_same;
    bool known = true;
    tag->floor = 0;
    if (floor->bits == 0)
        return;
    floor->settled = true;
    for (uint32_t k = 0; k < AXES_MOST && known; k++) {
        const int128 size = floor->by[k] < 0 ? -(int128)floor->by[k] : floor->by[k];
        const int64_t nearest = (int64_t)((size + one / 2 - 1) >> floor->bits),
                      by = floor->by[k] < 0 ? -nearest : nearest;
        known = tag_add_part(&rest, k, (int64_t)(floor->by[k] - by * one)) &&
                tag_add_part(tag, k, sign * (int64_t)(int32_t)((uint32_t)by << floor->up));
    }
    if (!known || !tag_limit(tag, &rest, axes, (int64_t)(one - 1 - floor->most), (int64_t)floor->least))
        tag->lanes = 0;
    tag_wrap(tag, axes);
}

uint32_t floors_quotient(const struct floor *floors, size_t count, unsigned k, const struct axis *axis,
                         const struct box *box)
{
    uint32_t least = 0;
    for (size_t i = 0; i < count; i++) {
        const int128 one = (int128)1 << floors[i].bits,
                     size = floors[i].by[k] < 0 ? -(int128)floors[i].by[k] : floors[i].by[k];
        const int128 by = size && floors[i].settled ? (one + size / 2) / size : 0;
        if (by >= 2 && by <= axis->most && box->low / by == box->high / by && (!least || by < least))
            least = (uint32_t)by;
    }
    return least;
}

static bool move_alike(const struct tag *one, const struct tag *other)
{
    struct tag apart = *one;
    struct tag plain = *other;
    apart.floor = plain.floor = 0;
    plain.ring = 0;
    if (one->ring != other->ring || one->floor != other->floor || !tag_add(&apart, &plain, -1))
        return false;
    return ALL(i, apart.count, (uint32_t)apart.parts[i].by == 0);
}

void tag_put(struct tag *to, const struct tag *tag, uint32_t lanes)
{
    const uint32_t left = to->lanes & ~lanes, written = tag->lanes & lanes;
    if (left > 0 && !written) {
        to->lanes = left;
    } else if (left > 0 && move_alike(to, tag)) {
        struct tag both = *tag;
        both.lanes = UINT32_MAX;
        to->lanes = UINT32_MAX;
        to->floor = 0;
        if (!tag_add(&both, to, 0)) { /* too many axes: what is new is kept */
            *to = *tag;
            to->lanes = written;
            return;
        }
        *to = both;
        to->lanes = left | written;
    } else {
        *to = *tag;
        to->lanes = written;
    }
}
