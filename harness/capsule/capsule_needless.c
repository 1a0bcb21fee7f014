/* Finds the pages that a launch's result does not need: allocations are far larger than the arrays in them. */
#include "prove_parts.h"

#define SECONDS_MAX 1.0

/* Whether the result is the same when each byte of the pages from..to, and of those that are known to be needless, is
 * that value: 1 or 0. */
static int is_same_with(struct proving *proving, size_t from, size_t to, int value)
{
    TRY(proving_restore(proving));
    for (size_t i = 0, end; i < proving->filled_count; i = end + 1) {
        end = i;
        while (end < proving->filled_count && (proving->needless[end] || (end >= from && end < to)))
            end++;
        if (end > i && proving_fill(proving, proving->filled + i, end - i, value) < 0)
            return -1;
    }
    return proving_launch(proving) < 0 ? -1 : proving_is_same(proving);
}

/* Whether the result is the same without these pages. A page that is read may be of no account for the result, but for
 * the time: indices into equal numbers. So other bytes than zeros have to do as well: as indices and sizes these are
 * far outside, and what fails by them is proved again carefully. */
static int is_same_without(struct proving *proving, size_t from, size_t to)
{
    const int same = is_same_with(proving, from, to, 0);
    return same == 1 ? is_same_with(proving, from, to, 0x7f) : same;
}

/* Drops what it can of the pages from..to: all, or else of each half. */
static int drop(struct proving *proving, size_t from, size_t to)
{
    if (from == to || !proving_may_go_on(proving))
        return 0;
    const int same = is_same_without(proving, from, to);
    TRY(same);
    for (size_t i = from; i < to && same; i++)
        proving->needless[i] = true;
    const size_t middle = from + (to - from) / 2;
    if (same || to - from == 1)
        return 0;
    return drop(proving, from, middle) < 0 ? -1 : drop(proving, middle, to);
}

static bool is_changed(const struct proving *proving, const struct place *place)
{
    return ANY(i, proving->changed_count,
               proving->changed[i].range == place->range && proving->changed[i].page == place->page);
}

/* Whether all that a launch wrote to a page of zeros is what the program's launch left there. */
static bool is_as_it_was(const unsigned char *was, const unsigned char *bytes, size_t size)
{
    static const unsigned char zeros[WORD];
    for (size_t in = 0; in < size; in += WORD) {
        const size_t word = size - in < WORD ? size - in : WORD;
        if (memcmp(bytes + in, zeros, word) != 0 && memcmp(bytes + in, was + in, word) != 0)
            return false;
    }
    return true;
}

/* Rewrites a needless page that is written. Returns 1; 0 when what is written there is not what the program left, so
 * that pages were dropped which are needed. */
static int rewrite(struct proving *proving, const struct place *place, const unsigned char *bytes)
{
    const uint32_t number = proving->capsule->ranges[place->range].before[place->page];
    const size_t size = place_size(proving, place);
    struct rewritten page = {*place, x_calloc(1, CAPSULE_PAGE), x_calloc(1, CAPSULE_PAGE)};
    int result = capsules_page(proving->capsules, number, page.after, proving->problem) < 0 ? -1
                 : is_as_it_was(page.after, bytes, size)                                    ? 1
                                                                                            : 0;
    memcpy(page.after, bytes, size);
    if (result == 1) {
        *ARRAY_GROW(proving->rewritten, proving->rewritten_count) = page;
        return 1;
    }
    free(page.before);
    free(page.after);
    return result;
}

/* Forgets what was rewritten last, and that any page is needless. */
static void keep_all(struct proving *proving, size_t rewritten)
{
    for (size_t i = rewritten; i < proving->rewritten_count; i++) {
        free(proving->rewritten[i].before);
        free(proving->rewritten[i].after);
    }
    proving->rewritten_count = rewritten;
    memset(proving->needless, 0, proving->filled_count * sizeof *proving->needless);
}

/* The launch may also write a dropped page with the value that it had, which a comparison cannot see. Clears the page,
 * and takes what the launch leaves there. */
static int take_written(struct proving *proving)
{
    static const unsigned char zeros[CAPSULE_PAGE];
    const size_t rewritten = proving->rewritten_count;
    struct memory after = {0};
    memory_make(&after, proving->capsule);
    int result = is_same_with(proving, 0, 0, 0) < 0 ? -1 : 1;
    for (size_t i = 0; i < proving->filled_count && result == 1; i++) {
        const struct place *place = &proving->filled[i];
        if (!proving->needless[i])
            continue;
        const size_t size = place_size(proving, place);
        unsigned char *bytes = after.ranges[place->range] + (uint64_t)place->page * CAPSULE_PAGE;
        if (proving_read(proving, place, 1, &after) < 0)
            result = -1;
        else if (memcmp(bytes, zeros, size) != 0 && !is_changed(proving, place))
            result = rewrite(proving, place, bytes);
    }
    if (result == 0)
        keep_all(proving, rewritten);
    memory_release(&after, proving->capsule);
    return result < 0 ? -1 : 0;
}

int proving_drop(struct proving *proving)
{
    if (proving->rewritten_count == 0 && proving_find_further_writes(proving) < 0)
        return -1;
    if (proving->has_varied)
        return 0;
    proving->launches = 0;
    proving->until = now_seconds() + SECONDS_MAX;
    return drop(proving, 0, proving->filled_count) < 0 ? -1 : take_written(proving);
}
