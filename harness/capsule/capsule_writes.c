/* Finds what a launch writes that changed nothing. A program that does the same over and over writes what is there
 * already. Such a launch proves something when the words that it writes are cleared before it. Which these are shows
 * when pages are filled with something else: what is different afterwards was written. */
#include "prove_parts.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

#define SECONDS_MAX 1.0

/* What is being looked for. */
struct search {
    const struct place *places; /* pages that are filled with */
    size_t count;
    int value;            /* this byte, which their words do not have */
    struct memory *after; /* what was there when they were filled */
    struct memory *found; /* bytes that are not 0: the word is written */
};

static bool is_filled_with(const unsigned char *bytes, int value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != (unsigned char)value)
            return false;
    return true;
}

/* Fills the pages from..to, launches, and notes the words that were written to them. */
static int look(struct proving *proving, const struct search *search, size_t from, size_t to)
{
    const struct place *places = search->places + from;
    if (proving_restore(proving) < 0 || proving_fill(proving, places, to - from, search->value) < 0 ||
        proving_launch(proving) < 0 || proving_read(proving, places, to - from, search->after) < 0)
        return -1;
    for (size_t i = 0; i < to - from; i++) {
        const size_t size = place_size(proving, &places[i]);
        const uint64_t at = (uint64_t)places[i].page * CAPSULE_PAGE;
        const unsigned char *after = search->after->ranges[places[i].range] + at;
        if (is_filled_with(after, search->value, size))
            continue;
        for (size_t in = 0; in < size; in += WORD) {
            const size_t word = size - in < WORD ? size - in : WORD;
            if (!is_filled_with(after + in, search->value, word))
                memset(search->found->ranges[places[i].range] + at + in, 0xff, word);
        }
    }
    return 0;
}

/* Looks in ever smaller parts, since a launch without its inputs may write nothing else than what they are filled with.
 */
static int look_everywhere(struct proving *proving, const struct search *search)
{
    proving->launches = 0;
    proving->until = now_seconds() + SECONDS_MAX;
    for (size_t step = search->count; step > 0; step = step > 1 ? (step + 1) / 2 : 0)
        for (size_t from = 0; from < search->count; from += step) {
            if (!proving_may_go_on(proving))
                return 0;
            if (look(proving, search, from, from + step < search->count ? from + step : search->count) < 0)
                return -1;
        }
    return 0;
}

/* Adds the page with the words that were found filled before the launch. */
static int rewrite(struct proving *proving, const struct search *search, const struct place *place)
{
    const size_t size = place_size(proving, place);
    const uint64_t at = (uint64_t)place->page * CAPSULE_PAGE;
    const unsigned char *found = search->found->ranges[place->range] + at;
    if (is_filled_with(found, 0, size))
        return 0;
    struct rewritten page = {.place = *place, .before = x_calloc(1, CAPSULE_PAGE), .after = x_calloc(1, CAPSULE_PAGE)};
    const uint32_t number = proving->capsule->ranges[place->range].before[place->page];
    if (capsules_page(proving->capsules, number, page.after, proving->problem) < 0) {
        free(page.before);
        free(page.after);
        return -1;
    }
    for (size_t i = 0; i < size; i++)
        page.before[i] = found[i] ? (unsigned char)search->value : page.after[i];
    memcpy(proving->first.ranges[place->range] + at, page.after, size);
    *ARRAY_GROW(proving->rewritten, proving->rewritten_count) = page;
    *ARRAY_GROW(proving->changed, proving->changed_count) = *place;
    return 0;
}

static void forget(struct proving *proving)
{
    for (size_t i = 0; i < proving->rewritten_count; i++) {
        free(proving->rewritten[i].before);
        free(proving->rewritten[i].after);
    }
    proving->rewritten_count = 0;
    proving->changed_count = 0;
}

/* Clears what the launch writes to these pages; but nothing, unless the launch then leaves the same as before. */
static int clear(struct proving *proving, const struct place *places, size_t count, int value)
{
    struct memory after = {0}, found = {0};
    memory_make(&after, proving->capsule);
    memory_make(&found, proving->capsule);
    const struct search search = {places, count, value, &after, &found};
    int result = look_everywhere(proving, &search);
    for (size_t i = 0; i < count && result == 0; i++)
        result = rewrite(proving, &search, &places[i]);
    if (result == 0 && proving->changed_count > 0)
        result = proving_restore(proving) < 0 || proving_launch(proving) < 0 ? -1 : proving_is_same(proving);
    if (result <= 0)
        forget(proving);
    memory_release(&after, proving->capsule);
    memory_release(&found, proving->capsule);
    return result < 0 ? -1 : 0;
}

int proving_find_writes(struct proving *proving)
{
    struct place *zeros = NULL;
    size_t count = 0;
    if (clear(proving, proving->filled, proving->filled_count, 0) < 0 || proving->changed_count > 0)
        return proving->changed_count > 0 ? 0 : -1;
    for (size_t i = 0; i < proving->capsule->range_count; i++) {
        const struct memory_range *range = &proving->capsule->ranges[i];
        for (size_t page = 0; page < pages_of(range->size) && range->kind != MEMORY_VARIABLE; page++)
            if (range->before[page] == PAGE_ZERO)
                *ARRAY_GROW(zeros, count) = (struct place){i, page};
    }
    const int result = clear(proving, zeros, count, 0xff);
    free(zeros);
    return result;
}
