/* Proves that a capsule is whole: replays of it leave what the program's launch left. */
#include "prove_parts.h"

enum {
    REPLAYS = 4,    /* how many are compared with each other */
    PART_VARIES = 8 /* an array varies as a whole where at least such a part of its pages does */
};

/* Lists the pages that the launch changes, and those that are not 0 before. */
static void list_places(struct proving *proving)
{
    for (size_t i = 0; i < proving->capsule->range_count; i++) {
        const struct memory_range *range = &proving->capsule->ranges[i];
        for (size_t page = 0; page < pages_of(range->size); page++) {
            if (range->after[page] != PAGE_SAME)
                *ARRAY_GROW(proving->changed, proving->changed_count) = (struct place){i, page};
            if (range->before[page] != PAGE_ZERO && range->kind != MEMORY_VARIABLE)
                *ARRAY_GROW(proving->filled, proving->filled_count) = (struct place){i, page};
        }
    }
    proving->needless = x_calloc(proving->filled_count + 1, sizeof *proving->needless);
}

/* ---- What varies ---- */

/* Notes the words in which two replays differ. */
static void note_differences(struct proving *proving, const struct memory *other)
{
    const struct capsule *capsule = proving->capsule;
    for (size_t i = 0; i < capsule->range_count; i++) {
        const unsigned char *a = proving->first.ranges[i], *b = other->ranges[i];
        const uint64_t size = capsule->ranges[i].size;
        for (uint64_t at = 0; at < size; at += CAPSULE_PAGE) {
            const size_t length = size - at < CAPSULE_PAGE ? (size_t)(size - at) : CAPSULE_PAGE;
            if (memcmp(a + at, b + at, length) == 0)
                continue;
            proving->has_varied = true;
            for (size_t in = 0; in < length; in += WORD) {
                const size_t word = length - in < WORD ? length - in : WORD;
                if (memcmp(a + at + in, b + at + in, word) != 0)
                    memset(proving->varies.ranges[i] + at + in, 0xff, word);
            }
        }
    }
}

static bool page_varies(const struct proving *proving, const struct place *place)
{
    const unsigned char *mask = proving->varies.ranges[place->range] + (uint64_t)place->page * CAPSULE_PAGE;
    size_t masked = 0;
    for (size_t i = 0; i < place_size(proving, place); i++)
        masked += mask[i] != 0;
    return masked > 0;
}

/* Masks all that the launch changes in a page. */
static int widen(struct proving *proving, const struct place *place)
{
    const size_t length = place_size(proving, place);
    const uint64_t at = (uint64_t)place->page * CAPSULE_PAGE;
    unsigned char *mask = proving->varies.ranges[place->range] + at, before[CAPSULE_PAGE];
    const unsigned char *after = proving->first.ranges[place->range] + at;
    TRY(capsules_page(proving->capsules, proving->capsule->ranges[place->range].before[place->page], before,
                      proving->problem));
    for (size_t i = 0; i < length; i += WORD) {
        const size_t word = length - i < WORD ? length - i : WORD;
        if (memcmp(before + i, after + i, word) != 0)
            memset(mask + i, 0xff, word);
    }
    return 0;
}

/* In a page that varies other words may vary the next time. So may those of changed pages that follow each other, as of
 * an array, if an eighth of them varies: if fewer do, as where a count lies beside a result, the others are compared.
 */
static int widen_all(struct proving *proving)
{
    for (size_t i = 0; i < proving->capsule->range_count; i++) {
        const struct memory_range *range = &proving->capsule->ranges[i];
        for (size_t page = 0, end; page < pages_of(range->size); page = end + 1) {
            size_t varying = 0;
            for (end = page; end < pages_of(range->size); end++) {
                const bool varies = page_varies(proving, &(struct place){i, end});
                if (!varies && range->after[end] == PAGE_SAME)
                    break;
                varying += varies;
            }
            const bool all = varying * PART_VARIES >= end - page;
            for (size_t k = page; varying > 0 && k < end; k++)
                if ((all || page_varies(proving, &(struct place){i, k})) && widen(proving, &(struct place){i, k}) < 0)
                    return -1;
        }
    }
    return 0;
}

/* Finds what varies from replay to replay, in all memory. */
static int find_variation(struct proving *proving)
{
    struct memory other = {0};
    memory_make(&other, proving->capsule);
    int failed = memory_read(&proving->first, proving->replay, proving->capsule, proving->problem);
    for (size_t i = 1; i < REPLAYS && failed == 0; i++) {
        failed = proving_restore(proving) < 0 || proving_launch(proving) < 0 ||
                         memory_read(&other, proving->replay, proving->capsule, proving->problem) < 0
                     ? -1
                     : 0;
        if (failed == 0)
            note_differences(proving, &other);
    }
    memory_release(&other, proving->capsule);
    return failed == 0 && proving->has_varied ? widen_all(proving) : failed;
}

/* Whether further replays leave the same in the changed pages: 1 or 0. */
static int repeats(struct proving *proving)
{
    int same = proving_read(proving, proving->changed, proving->changed_count, &proving->first) < 0 ? -1 : 1;
    for (size_t i = 1; i < REPLAYS && same == 1; i++)
        same = proving_restore(proving) < 0 || proving_launch(proving) < 0 ? -1 : proving_is_same(proving);
    return same;
}

/* Returns 1, and why, when what a replay leaves is not what the program's launch left, but for what varies. */
static int compare(struct proving *proving, char *why, size_t why_size)
{
    char difference[512];
    replay_mask(proving->replay, proving->has_varied ? proving->varies.ranges : NULL);
    const int differs = replay_compare(proving->replay, difference, sizeof difference, proving->problem);
    replay_mask(proving->replay, NULL);
    if (differs > 0)
        snprintf(why, why_size, "a replay does not reproduce the program's launch: %s", difference);
    return differs;
}

static int replay_several(struct proving *proving, char *why, size_t why_size)
{
    if (proving_restore(proving) < 0 || proving_launch(proving) < 0)
        return -1;
    const int differs = compare(proving, why, why_size);
    const int same = differs == 0 ? repeats(proving) : differs;
    if (differs < 0 || same < 0 || (differs == 0 && same == 1))
        return differs < 0 || same < 0 ? -1 : 0;
    return find_variation(proving) < 0 ? -1 : compare(proving, why, why_size);
}

/* ---- The capsule as it was proved ---- */

static uint32_t *copy_of(const uint32_t *pages, size_t count)
{
    uint32_t *copy = x_calloc(count + 1, sizeof *copy);
    memcpy(copy, pages, count * sizeof *copy);
    return copy;
}

/* Makes the ranges of the new capsule, with pages of the old one and without those that it does not need. */
static struct memory_range *new_ranges(const struct proving *proving)
{
    const struct capsule *capsule = proving->capsule;
    struct memory_range *ranges = x_calloc(capsule->range_count + 1, sizeof *ranges);
    for (size_t i = 0; i < capsule->range_count; i++) {
        const size_t pages = pages_of(capsule->ranges[i].size);
        ranges[i] = capsule->ranges[i];
        ranges[i].before = copy_of(capsule->ranges[i].before, pages);
        ranges[i].after = copy_of(capsule->ranges[i].after, pages);
        ranges[i].varies = proving->has_varied ? x_calloc(pages, sizeof *ranges[i].varies) : NULL;
    }
    for (size_t i = 0; i < proving->filled_count; i++)
        if (proving->needless[i])
            ranges[proving->filled[i].range].before[proving->filled[i].page] = PAGE_ZERO;
    return ranges;
}

/* Replaces a page of the old file by the same one of the new. */
static int copy_page(const struct proving *proving, struct capsule_writer *writer, uint32_t *page, size_t size)
{
    unsigned char bytes[CAPSULE_PAGE];
    if (*page == PAGE_ZERO || *page == PAGE_SAME)
        return 0;
    TRY(capsules_page(proving->capsules, *page, bytes, proving->problem));
    *page = capsule_writer_page(writer, bytes, size);
    return 0;
}

static int write_pages(const struct proving *proving, struct capsule_writer *writer, struct memory_range *ranges)
{
    for (size_t i = 0; i < proving->capsule->range_count; i++)
        for (size_t page = 0; page < pages_of(ranges[i].size); page++) {
            const size_t size = place_size(proving, &(struct place){i, page});
            TRY(copy_page(proving, writer, &ranges[i].before[page], size));
            TRY(copy_page(proving, writer, &ranges[i].after[page], size));
            if (ranges[i].varies)
                ranges[i].varies[page] =
                    capsule_writer_page(writer, proving->varies.ranges[i] + (uint64_t)page * CAPSULE_PAGE, size);
        }
    EACH(const struct rewritten, page, proving->rewritten, proving->rewritten_count) {
        struct memory_range *range = &ranges[page->place.range];
        const size_t size = place_size(proving, &page->place);
        range->before[page->place.page] = capsule_writer_page(writer, page->before, size);
        range->after[page->place.page] = capsule_writer_page(writer, page->after, size);
    }
    return 0;
}

static int write_capsule(struct proving *proving, struct capsule_writer *writer)
{
    struct capsule written = *proving->capsule;
    OWNED_MEMORY unsigned char *code = capsules_blob(proving->capsules, &proving->capsule->code, proving->problem);
    if (!code)
        return -1;
    written.proof = proving->has_varied ? PROOF_VARIES : PROOF_IDENTICAL;
    written.code = capsule_writer_blob(writer, code, proving->capsule->code.size);
    written.ranges = new_ranges(proving);
    int failed = write_pages(proving, writer, written.ranges);
    if (failed == 0 && capsule_writer_add(writer, &written) < 0)
        failed = problem_set(proving->problem, "%s", writer->problem.text);
    ranges_release(written.ranges, written.range_count);
    blob_release(&written.code);
    return failed;
}

/* ---- Proving ---- */

/* Takes the bits that varied when it was proved before: they may not vary now. */
static int take_masks(struct proving *proving)
{
    for (size_t i = 0; i < proving->capsule->range_count; i++) {
        const struct memory_range *range = &proving->capsule->ranges[i];
        for (size_t page = 0; range->varies && page < pages_of(range->size); page++) {
            unsigned char bytes[CAPSULE_PAGE];
            if (range->varies[page] == PAGE_ZERO)
                continue;
            TRY(capsules_page(proving->capsules, range->varies[page], bytes, proving->problem));
            memcpy(proving->varies.ranges[i] + (uint64_t)page * CAPSULE_PAGE, bytes,
                   place_size(proving, &(struct place){i, page}));
            proving->has_varied = true;
        }
    }
    return 0;
}

static int prove(struct proving *proving, bool careful, struct capsule_writer *writer, char *why, size_t why_size)
{
    memory_make(&proving->first, proving->capsule);
    memory_make(&proving->varies, proving->capsule);
    list_places(proving);
    TRY(take_masks(proving));
    const int differs = replay_several(proving, why, why_size);
    if (differs != 0)
        return differs;
    if (proving->changed_count == 0 && !careful && proving_find_writes(proving) < 0)
        return -1;
    if (proving->changed_count == 0) {
        snprintf(why, why_size, "the launch changed no memory, so a replay proves nothing");
        return 1;
    }
    if (!careful && proving_drop(proving) < 0)
        return -1;
    return write_capsule(proving, writer);
}

int capsule_prove(struct player *player, const struct capsule *capsule, bool careful, struct capsule_writer *writer,
                  bool *in_part, char *why, size_t why_size, struct problem *problem)
{
    struct proving proving = {.capsules = player->capsules, .capsule = capsule, .problem = problem};
    TRY(replay_open(&proving.replay, player, capsule, problem));
    const int result = prove(&proving, careful, writer, why, why_size);
    *in_part = proving.in_part;
    replay_close(proving.replay);
    memory_release(&proving.first, capsule);
    memory_release(&proving.varies, capsule);
    for (size_t i = 0; i < proving.rewritten_count; i++) {
        free(proving.rewritten[i].before);
        free(proving.rewritten[i].after);
    }
    free(proving.rewritten);
    free(proving.changed);
    free(proving.filled);
    free(proving.needless);
    return result;
}
