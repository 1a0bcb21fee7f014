/* Finds the pages that a launch's result does not need: allocations are far larger than the arrays in them. */
#include "prove_parts.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

#define SECONDS_MAX 1.0

/* Whether the result is the same without the pages from..to, and without those that are known to be needless: 1 or 0.
 */
static int is_same_without(struct proving *proving, size_t from, size_t to)
{
    if (proving_restore(proving) < 0)
        return -1;
    for (size_t i = 0, end; i < proving->filled_count; i = end + 1) {
        end = i;
        while (end < proving->filled_count && (proving->needless[end] || (end >= from && end < to)))
            end++;
        if (end > i && proving_fill(proving, proving->filled + i, end - i, 0) < 0)
            return -1;
    }
    return proving_launch(proving) < 0 ? -1 : proving_is_same(proving);
}

/* Drops what it can of the pages from..to: all, or else of each half. */
static int drop(struct proving *proving, size_t from, size_t to)
{
    if (from == to || !proving_may_go_on(proving))
        return 0;
    const int same = is_same_without(proving, from, to);
    if (same < 0)
        return -1;
    for (size_t i = from; i < to && same; i++)
        proving->needless[i] = true;
    const size_t middle = from + (to - from) / 2;
    if (same || to - from == 1)
        return 0;
    return drop(proving, from, middle) < 0 ? -1 : drop(proving, middle, to);
}

static bool is_changed(const struct proving *proving, const struct place *place)
{
    for (size_t i = 0; i < proving->changed_count; i++)
        if (proving->changed[i].range == place->range && proving->changed[i].page == place->page)
            return true;
    return false;
}

/* A page may be needless and written: with what was there before, so that nobody saw that it was. What the launch
 * leaves in it is another then. */
static int take_written(struct proving *proving)
{
    static const unsigned char zeros[CAPSULE_PAGE];
    struct memory after = {0};
    memory_make(&after, proving->capsule);
    int result = is_same_without(proving, 0, 0) < 0 ? -1 : 0;
    for (size_t i = 0; i < proving->filled_count && result == 0; i++) {
        const struct place *place = &proving->filled[i];
        if (!proving->needless[i])
            continue;
        const size_t size = place_size(proving, place);
        unsigned char *bytes = after.ranges[place->range] + (uint64_t)place->page * CAPSULE_PAGE;
        result = proving_read(proving, place, 1, &after);
        if (result < 0 || memcmp(bytes, zeros, size) == 0 || is_changed(proving, place))
            continue;
        struct rewritten page = {*place, x_calloc(1, CAPSULE_PAGE), x_calloc(1, CAPSULE_PAGE)};
        memcpy(page.after, bytes, size);
        *ARRAY_GROW(proving->rewritten, proving->rewritten_count) = page;
    }
    memory_release(&after, proving->capsule);
    return result;
}

int proving_drop(struct proving *proving)
{
    proving->launches = 0;
    proving->until = now_seconds() + SECONDS_MAX;
    return drop(proving, 0, proving->filled_count) < 0 ? -1 : take_written(proving);
}
