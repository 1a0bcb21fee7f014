/* Finds what a launch writes without changing it. A program that does the same over and over writes what is there
 * already. Such words prove something when they are cleared before the launch. Which these are shows when pages are
 * filled with something else: what is different afterwards was written. */
#include "prove_parts.h"

/* Each of the two steps may take a second, and less if the launch changes memory, which proves something already. */
#define SECONDS_MAX 1.0
#define SECONDS_FURTHER 0.3

enum { PART = 512 /* bytes, which allocators give to one array alone */ };

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
    return ALL(i, size, bytes[i] == (unsigned char)value);
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

static void begin_step(struct proving *proving)
{
    proving->launches = 0;
    proving->until = now_seconds() + (proving->changed_count > 0 ? SECONDS_FURTHER : SECONDS_MAX);
}

/* Whether there is time to look further. If not, some writes may have been missed, which in_part notes. */
static bool goes_on(struct proving *proving)
{
    const bool result = proving_may_go_on(proving);
    proving->in_part |= !result;
    return result;
}

/* Looks in ever smaller parts, since a launch without its inputs may write nothing else than what they are filled with.
 */
static int look_everywhere(struct proving *proving, const struct search *search)
{
    begin_step(proving);
    for (size_t step = search->count; step > 0; step = step > 1 ? (step + 1) / 2 : 0)
        for (size_t from = 0; from < search->count; from += step) {
            if (!goes_on(proving))
                return 0;
            TRY(look(proving, search, from, from + step < search->count ? from + step : search->count));
        }
    return 0;
}

static int look_inside(struct proving *proving, const struct search *search, const struct place *place, size_t from,
                       size_t size)
{
    const uint64_t page = (uint64_t)place->page * CAPSULE_PAGE;
    const unsigned char *after = search->after->ranges[place->range] + page;
    if (proving_restore(proving) < 0 ||
        replay_fill(proving->replay, place->range, page + from, search->value, size, proving->problem) < 0 ||
        proving_launch(proving) < 0 || proving_read(proving, place, 1, search->after) < 0)
        return -1;
    for (size_t in = from; in < from + size; in += WORD) {
        const size_t word = from + size - in < WORD ? from + size - in : WORD;
        if (!is_filled_with(after + in, search->value, word))
            memset(search->found->ranges[place->range] + page + in, 0xff, word);
    }
    return 0;
}

/* Looks in ever smaller parts of each page, since inputs and results may lie in one page. Parts that are filled already
 * show nothing. */
static int look_in_pages(struct proving *proving, const struct search *search)
{
    unsigned char before[CAPSULE_PAGE];
    for (size_t step = CAPSULE_PAGE / 2; step >= PART; step /= 2)
        EACH(const struct place, place, search->places, search->count) {
            const size_t size = place_size(proving, place);
            const uint32_t number = proving->capsule->ranges[place->range].before[place->page];
            TRY(capsules_page(proving->capsules, number, before, proving->problem));
            for (size_t from = 0; from < size; from += step) {
                const size_t length = size - from < step ? size - from : step;
                if (!goes_on(proving))
                    return 0;
                if (!is_filled_with(before + from, search->value, length) &&
                    look_inside(proving, search, place, from, length) < 0)
                    return -1;
            }
        }
    return 0;
}

/* Pages that are candidates for being rewritten. */
struct candidates {
    struct rewritten *list;
    size_t count;
};

static uint32_t page_after(const struct memory_range *range, size_t page)
{
    return range->after[page] == PAGE_SAME ? range->before[page] : range->after[page];
}

/* Adds the page with the words that were found filled before the launch; but not those that the launch changes, which
 * prove something as they are. */
static int add_candidate(const struct proving *proving, const struct search *search, const struct place *place,
                         struct candidates *candidates)
{
    const size_t size = place_size(proving, place);
    const struct memory_range *range = &proving->capsule->ranges[place->range];
    const unsigned char *found = search->found->ranges[place->range] + (uint64_t)place->page * CAPSULE_PAGE;
    if (is_filled_with(found, 0, size))
        return 0;
    struct rewritten page = {.place = *place, .before = x_calloc(1, CAPSULE_PAGE), .after = x_calloc(1, CAPSULE_PAGE)};
    bool any = false;
    int result =
        capsules_page(proving->capsules, range->before[place->page], page.before, proving->problem) < 0 ||
                capsules_page(proving->capsules, page_after(range, place->page), page.after, proving->problem) < 0
            ? -1
            : 0;
    for (size_t in = 0; in < size && result == 0; in += WORD) {
        const size_t word = size - in < WORD ? size - in : WORD;
        if (!found[in] || memcmp(page.before + in, page.after + in, word) != 0)
            continue;
        memset(page.before + in, search->value, word);
        any = true;
    }
    if (any && result == 0) {
        *ARRAY_GROW(candidates->list, candidates->count) = page;
        return 0;
    }
    free(page.before);
    free(page.after);
    return result;
}

/* Rewrites a page, and has it compared. */
static void rewrite(struct proving *proving, const struct rewritten *page)
{
    const struct place *place = &page->place;
    *ARRAY_GROW(proving->rewritten, proving->rewritten_count) = *page;
    if (proving->capsule->ranges[place->range].after[place->page] != PAGE_SAME)
        return; /* it is compared already */
    memcpy(proving->first.ranges[place->range] + (uint64_t)place->page * CAPSULE_PAGE, page->after,
           place_size(proving, place));
    *ARRAY_GROW(proving->changed, proving->changed_count) = *place;
}

/* Rewrites the candidates from..to, unless the launch then leaves something else than before: then each half of them,
 * since a word may be read, too. Of those that are taken the bytes are no longer the candidates'. */
static int rewrite_some(struct proving *proving, struct candidates *candidates, size_t from, size_t to)
{
    const size_t rewritten = proving->rewritten_count, changed = proving->changed_count;
    if (from == to || !goes_on(proving))
        return 0;
    for (size_t i = from; i < to; i++)
        rewrite(proving, &candidates->list[i]);
    const int same = proving_restore(proving) < 0 || proving_launch(proving) < 0 ? -1 : proving_is_same(proving);
    if (same == 1) {
        for (size_t i = from; i < to; i++)
            candidates->list[i].before = candidates->list[i].after = NULL;
        return 0;
    }
    proving->rewritten_count = rewritten;
    proving->changed_count = changed;
    if (same < 0 || to - from == 1)
        return same < 0 ? -1 : 0;
    const size_t middle = from + (to - from) / 2;
    return rewrite_some(proving, candidates, from, middle) < 0 ? -1 : rewrite_some(proving, candidates, middle, to);
}

/* Clears what the launch writes to these pages without changing it, as far as the launch then leaves the same. */
static int clear(struct proving *proving, const struct place *places, size_t count, int value)
{
    struct memory after = {0}, found = {0};
    struct candidates candidates = {0};
    memory_make(&after, proving->capsule);
    memory_make(&found, proving->capsule);
    const struct search search = {places, count, value, &after, &found};
    int result = look_everywhere(proving, &search);
    if (result == 0 && value == 0)
        result = look_in_pages(proving, &search);
    for (size_t i = 0; i < count && result == 0; i++)
        result = add_candidate(proving, &search, &places[i], &candidates);
    begin_step(proving);
    if (result == 0)
        result = rewrite_some(proving, &candidates, 0, candidates.count);
    for (size_t i = 0; i < candidates.count; i++) {
        free(candidates.list[i].before);
        free(candidates.list[i].after);
    }
    free(candidates.list);
    memory_release(&after, proving->capsule);
    memory_release(&found, proving->capsule);
    return result;
}

int proving_find_further_writes(struct proving *proving)
{
    return clear(proving, proving->filled, proving->filled_count, 0);
}

int proving_find_writes(struct proving *proving)
{
    OWNED_MEMORY struct place *zeros = NULL;
    size_t count = 0;
    TRY(clear(proving, proving->filled, proving->filled_count, 0));
    if (proving->changed_count > 0)
        return 0;
    for (size_t i = 0; i < proving->capsule->range_count; i++) {
        const struct memory_range *range = &proving->capsule->ranges[i];
        for (size_t page = 0; page < pages_of(range->size) && range->kind != MEMORY_VARIABLE; page++)
            if (range->before[page] == PAGE_ZERO)
                *ARRAY_GROW(zeros, count) = (struct place){i, page};
    }
    return clear(proving, zeros, count, 0xff);
}
