#include "tags.h"

#include <string.h>

__extension__ typedef __int128 whole;

const struct tag tag_same = {.lanes = UINT32_MAX};

bool tag_moves(const struct tag *tag)
{
    for (unsigned i = 0; i < tag->count; i++)
        if (tag->parts[i].by)
            return true;
    return false;
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

bool tag_add(struct tag *tag, const struct tag *other, int64_t factor)
{
    tag->lanes &= other->lanes;
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
        if (zeros < bits && part->every < bits - zeros)
            part->every = bits - zeros;
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
static whole reach(const struct tag_part *part, uint32_t at, bool up)
{
    const bool to_high = (part->by > 0) == up;
    const whole far = to_high ? part->high - at : at - part->low;
    return far * (part->by > 0 ? part->by : -(whole)part->by);
}

/* Leaves of an axis what keeps the value within that room. */
static void cut_part(struct tag_part *part, uint32_t at, whole up, whole down)
{
    const whole by = part->by > 0 ? part->by : -(whole)part->by;
    const whole above = (part->by > 0 ? up : down) / by, below = (part->by > 0 ? down : up) / by;
    part->high = above < part->high - at ? at + (uint32_t)above : part->high;
    part->low = below < at - part->low ? at - (uint32_t)below : part->low;
}

/* The axis that takes the value farthest is cut first. If the others leave no room, it is cut to the executed block,
 * and then the next one. */
static void cut(struct tag *tag, const struct axis *axes, whole up, whole down)
{
    for (;;) {
        whole ups = 0, downs = 0, most = 0;
        struct tag_part *far = NULL;
        for (unsigned i = 0; i < tag->count; i++) {
            struct tag_part *part = &tag->parts[i];
            const whole above = reach(part, axes[part->axis].at, true), below = reach(part, axes[part->axis].at, false);
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
        const whole room_up = up - (ups - reach(far, at, true)), room_down = down - (downs - reach(far, at, false));
        if (room_up >= 0 && room_down >= 0)
            cut_part(far, at, room_up, room_down);
        else
            far->low = far->high = at;
    }
}

bool tag_limit(struct tag *tag, const struct tag *sum, const struct axis *axes, int64_t up, int64_t down)
{
    struct tag limited = *sum;
    if (!tag_add(&limited, tag, 0))
        return false;
    for (unsigned i = 0; i < limited.count; i++)
        if (limited.parts[i].high > axes[limited.parts[i].axis].most)
            limited.parts[i].high = axes[limited.parts[i].axis].most;
    cut(&limited, axes, up, down);
    return tag_add(tag, &limited, 0);
}

static bool move_alike(const struct tag *one, const struct tag *other)
{
    struct tag apart = *one;
    if (one->ring != other->ring || !tag_add(&apart, other, -1))
        return false;
    for (unsigned i = 0; i < apart.count; i++)
        if ((uint32_t)apart.parts[i].by)
            return false;
    return true;
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
