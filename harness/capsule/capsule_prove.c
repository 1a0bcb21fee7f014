/* Proves that a capsule is whole: replays of it leave what the program's launch left. What then is not needed for that
 * is dropped: allocations are far larger than the arrays in them. */
#include "capsule.h"

#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    REPLAYS = 4, /* how many are compared with each other */
    WORD = 8,    /* bytes; what varies is masked in whole words */
    LAUNCHES_MAX = 400,
};

#define SECONDS_MAX 1.0 /* for dropping pages */

/* A page of a range. */
struct place {
    size_t range, page;
};

/* The memory of all ranges after a launch. */
struct memory {
    unsigned char **ranges;
};

struct proving {
    struct replay *replay;
    const struct capsules *capsules;
    const struct capsule *capsule;
    struct problem *problem;
    struct memory first;  /* after the first replay */
    struct memory varies; /* bits that differed between replays */
    bool has_varied;
    struct place *changed; /* pages that the launch changes */
    size_t changed_count;
    struct memory blank; /* bits that are cleared before the launch, since it writes there what is there already */
    bool has_blank;
    struct place *filled; /* pages that are not all 0 before the launch, */
    bool *needless;       /* and whether the result is the same without */
    size_t filled_count;
    size_t launches;
    double until;
};

static void memory_release(struct memory *memory, size_t count)
{
    for (size_t i = 0; memory->ranges && i < count; i++)
        free(memory->ranges[i]);
    free(memory->ranges);
    memory->ranges = NULL;
}

static void memory_make(struct memory *memory, const struct capsule *capsule)
{
    memory->ranges = x_calloc(capsule->range_count + 1, sizeof *memory->ranges);
    for (size_t i = 0; i < capsule->range_count; i++)
        memory->ranges[i] = x_calloc(capsule->ranges[i].size, 1);
}

static size_t page_size(const struct memory_range *range, size_t page)
{
    const uint64_t left = range->size - (uint64_t)page * CAPSULE_PAGE;
    return left < CAPSULE_PAGE ? (size_t)left : CAPSULE_PAGE;
}

static int launch(struct proving *proving)
{
    proving->launches++;
    return replay_launch(proving->replay, proving->problem) < 0 || replay_wait(proving->replay, proving->problem) < 0
               ? -1
               : 0;
}

/* Reads a page as it is before the launch. */
static int page_before(const struct proving *proving, const struct place *place, unsigned char bytes[CAPSULE_PAGE])
{
    const struct memory_range *range = &proving->capsule->ranges[place->range];
    if (capsules_page(proving->capsules, range->before[place->page], bytes, proving->problem) < 0)
        return -1;
    const unsigned char *blank =
        proving->has_blank ? proving->blank.ranges[place->range] + (size_t)place->page * CAPSULE_PAGE : NULL;
    for (size_t i = 0; blank && i < page_size(range, place->page); i++)
        bytes[i] &= (unsigned char)~blank[i];
    return 0;
}

static int write_page(struct proving *proving, const struct place *place, const unsigned char *bytes)
{
    return replay_write(proving->replay, place->range, (uint64_t)place->page * CAPSULE_PAGE, bytes,
                        page_size(&proving->capsule->ranges[place->range], place->page), proving->problem);
}

static int zero(struct proving *proving, const struct place *place)
{
    static const unsigned char zeros[CAPSULE_PAGE];
    return write_page(proving, place, zeros);
}

/* Makes memory as it is before the launch. */
static int restore(struct proving *proving)
{
    unsigned char bytes[CAPSULE_PAGE];
    if (replay_restore(proving->replay, proving->problem) < 0)
        return -1;
    for (size_t i = 0; proving->has_blank && i < proving->changed_count; i++)
        if (page_before(proving, &proving->changed[i], bytes) < 0 ||
            write_page(proving, &proving->changed[i], bytes) < 0)
            return -1;
    return 0;
}

static int restore_and_launch(struct proving *proving)
{
    return restore(proving) < 0 ? -1 : launch(proving);
}

/* ---- Whether it is whole ---- */

static int read_all(struct proving *proving, const struct memory *memory)
{
    const struct capsule *capsule = proving->capsule;
    for (size_t i = 0; i < capsule->range_count; i++)
        if (replay_read(proving->replay, i, 0, memory->ranges[i], capsule->ranges[i].size, proving->problem) < 0)
            return -1;
    return 0;
}

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

/* In a page that varies, other words may vary the next time: all that the launch changes there are masked. */
static int widen(struct proving *proving, size_t range, size_t page)
{
    const struct memory_range *of = &proving->capsule->ranges[range];
    const size_t length = page_size(of, page);
    unsigned char *mask = proving->varies.ranges[range] + (size_t)page * CAPSULE_PAGE;
    const unsigned char *after = proving->first.ranges[range] + (size_t)page * CAPSULE_PAGE;
    unsigned char before[CAPSULE_PAGE];
    size_t masked = 0;
    for (size_t in = 0; in < length; in++)
        masked += mask[in] != 0;
    if (masked == 0)
        return 0;
    if (capsules_page(proving->capsules, of->before[page], before, proving->problem) < 0)
        return -1;
    for (size_t in = 0; in < length; in += WORD) {
        const size_t word = length - in < WORD ? length - in : WORD;
        if (memcmp(before + in, after + in, word) != 0)
            memset(mask + in, 0xff, word);
    }
    return 0;
}

static int widen_all(struct proving *proving)
{
    for (size_t i = 0; i < proving->capsule->range_count; i++)
        for (size_t page = 0; page < pages_of(proving->capsule->ranges[i].size); page++)
            if (widen(proving, i, page) < 0)
                return -1;
    return 0;
}

/* Replays it several times, and finds what varies. */
static int replay_several(struct proving *proving)
{
    struct memory other = {0};
    memory_make(&proving->first, proving->capsule);
    memory_make(&proving->varies, proving->capsule);
    memory_make(&other, proving->capsule);
    int failed = restore_and_launch(proving) < 0 || read_all(proving, &proving->first) < 0 ? -1 : 0;
    for (size_t i = 1; i < REPLAYS && failed == 0; i++) {
        failed = restore_and_launch(proving) < 0 || read_all(proving, &other) < 0 ? -1 : 0;
        if (failed == 0)
            note_differences(proving, &other);
    }
    memory_release(&other, proving->capsule->range_count);
    return failed == 0 && proving->has_varied ? widen_all(proving) : failed;
}

/* Compares the last replay with the program's launch, but for what varies. */
static int compare(struct proving *proving, char *why, size_t why_size)
{
    struct problem *problem = proving->problem;
    replay_mask(proving->replay, proving->has_varied ? proving->varies.ranges : NULL);
    const int differs = replay_compare(proving->replay, why, why_size, problem);
    replay_mask(proving->replay, NULL);
    return differs;
}

/* ---- Pages that the result needs ---- */

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

/* Whether a page is, but for what varies, as after the first replay. -1 with the problem. */
static int is_as_before(struct proving *proving, const struct place *place)
{
    unsigned char now[CAPSULE_PAGE];
    const uint64_t at = (uint64_t)place->page * CAPSULE_PAGE;
    const size_t length = page_size(&proving->capsule->ranges[place->range], place->page);
    const unsigned char *first = proving->first.ranges[place->range] + at,
                        *mask = proving->varies.ranges[place->range] + at;
    if (replay_read(proving->replay, place->range, at, now, length, proving->problem) < 0)
        return -1;
    if (!proving->has_varied)
        return memcmp(now, first, length) == 0;
    for (size_t i = 0; i < length; i++)
        if ((now[i] ^ first[i]) & (unsigned char)~mask[i])
            return 0;
    return 1;
}

/* Whether the result is the same without the pages from..to, and without those that are known to be needless. -1 with
 * the problem. */
static int is_same_without(struct proving *proving, size_t from, size_t to)
{
    if (restore(proving) < 0)
        return -1;
    for (size_t i = 0; i < proving->filled_count; i++)
        if ((proving->needless[i] || (i >= from && i < to)) && zero(proving, &proving->filled[i]) < 0)
            return -1;
    if (launch(proving) < 0)
        return -1;
    for (size_t i = 0; i < proving->changed_count; i++) {
        const int same = is_as_before(proving, &proving->changed[i]);
        if (same <= 0)
            return same;
    }
    return 1;
}

/* Drops what it can of the pages from..to: all, or else of each half. */
static int drop(struct proving *proving, size_t from, size_t to)
{
    if (from == to || proving->launches >= LAUNCHES_MAX || now_seconds() > proving->until)
        return 0;
    const int same = is_same_without(proving, from, to);
    if (same < 0)
        return -1;
    if (same) {
        for (size_t i = from; i < to; i++)
            proving->needless[i] = true;
        return 0;
    }
    const size_t middle = from + (to - from) / 2;
    if (to - from == 1)
        return 0;
    return drop(proving, from, middle) < 0 ? -1 : drop(proving, middle, to);
}

static int drop_pages(struct proving *proving)
{
    proving->launches = 0;
    proving->until = now_seconds() + SECONDS_MAX;
    return proving->changed_count > 0 ? drop(proving, 0, proving->filled_count) : 0;
}

/* ---- A launch that changes nothing ----
 *
 * A program that does the same over and over writes what is there already. Such a launch proves something when the
 * words that it writes are cleared before it. Which these are shows when pages are: what is not 0 afterwards was
 * written. */

/* Clears the pages from..to, launches, and notes the words that were written to them. */
static int look_for_writes(struct proving *proving, size_t from, size_t to)
{
    unsigned char now[CAPSULE_PAGE];
    if (replay_restore(proving->replay, proving->problem) < 0)
        return -1;
    for (size_t i = from; i < to; i++)
        if (zero(proving, &proving->filled[i]) < 0)
            return -1;
    if (launch(proving) < 0)
        return -1;
    for (size_t i = from; i < to; i++) {
        const struct place *place = &proving->filled[i];
        const uint64_t at = (uint64_t)place->page * CAPSULE_PAGE;
        const size_t length = page_size(&proving->capsule->ranges[place->range], place->page);
        if (replay_read(proving->replay, place->range, at, now, length, proving->problem) < 0)
            return -1;
        unsigned char *blank = proving->blank.ranges[place->range] + at;
        for (size_t in = 0; in < length; in += WORD) {
            static const unsigned char zeros[WORD];
            const size_t word = length - in < WORD ? length - in : WORD;
            if (memcmp(now + in, zeros, word) != 0)
                memset(blank + in, 0xff, word);
        }
    }
    return 0;
}

static bool is_blank(const struct proving *proving, const struct place *place)
{
    const unsigned char *blank = proving->blank.ranges[place->range] + (size_t)place->page * CAPSULE_PAGE;
    for (size_t i = 0; i < page_size(&proving->capsule->ranges[place->range], place->page); i++)
        if (blank[i])
            return true;
    return false;
}

/* Looks in ever smaller parts, since a launch whose inputs are 0 may write zeros. */
static int find_writes(struct proving *proving)
{
    proving->launches = 0;
    proving->until = now_seconds() + SECONDS_MAX;
    for (size_t step = (proving->filled_count + 1) / 2; step > 0; step = step > 1 ? (step + 1) / 2 : 0)
        for (size_t from = 0; from < proving->filled_count; from += step) {
            const size_t to = from + step < proving->filled_count ? from + step : proving->filled_count;
            if (proving->launches >= LAUNCHES_MAX || now_seconds() > proving->until)
                return 0;
            if (look_for_writes(proving, from, to) < 0)
                return -1;
        }
    return 0;
}

/* Clears what the launch writes. Nothing is cleared unless the launch then leaves the same as before. */
static int clear_what_it_writes(struct proving *proving)
{
    memory_make(&proving->blank, proving->capsule);
    if (find_writes(proving) < 0)
        return -1;
    for (size_t i = 0; i < proving->filled_count; i++)
        if (is_blank(proving, &proving->filled[i]))
            *ARRAY_GROW(proving->changed, proving->changed_count) = proving->filled[i];
    proving->has_blank = proving->changed_count > 0;
    if (!proving->has_blank || restore_and_launch(proving) < 0)
        return proving->has_blank ? -1 : 0;
    for (size_t i = 0; i < proving->changed_count; i++) {
        const int same = is_as_before(proving, &proving->changed[i]);
        if (same < 0)
            return -1;
        if (!same)
            proving->has_blank = false;
    }
    if (!proving->has_blank)
        proving->changed_count = 0;
    return 0;
}

/* ---- The capsule without them ---- */

static bool is_needless(const struct proving *proving, size_t range, size_t page, size_t *next)
{
    /* Both are in the same order. */
    while (*next < proving->filled_count &&
           (proving->filled[*next].range < range ||
            (proving->filled[*next].range == range && proving->filled[*next].page < page)))
        ++*next;
    return *next < proving->filled_count && proving->filled[*next].range == range &&
           proving->filled[*next].page == page && proving->needless[*next];
}

/* Writes the page before the launch and the one after it, where a launch that changed nothing now changes it. */
static int write_blank(struct proving *proving, struct capsule_writer *writer, const struct place *place,
                       struct memory_range *written)
{
    unsigned char bytes[CAPSULE_PAGE];
    const size_t size = page_size(&proving->capsule->ranges[place->range], place->page);
    if (page_before(proving, place, bytes) < 0)
        return -1;
    if (written->before[place->page] != PAGE_ZERO)
        written->before[place->page] = capsule_writer_page(writer, bytes, size);
    written->after[place->page] =
        capsule_writer_page(writer, proving->first.ranges[place->range] + (size_t)place->page * CAPSULE_PAGE, size);
    return 0;
}

/* Copies a page of the source to the writer; PAGE_ZERO and PAGE_SAME are themselves. */
static int copy_page(const struct proving *proving, struct capsule_writer *writer, uint32_t page, size_t size,
                     uint32_t *copied)
{
    unsigned char bytes[CAPSULE_PAGE];
    *copied = page;
    if (page == PAGE_ZERO || page == PAGE_SAME)
        return 0;
    if (capsules_page(proving->capsules, page, bytes, proving->problem) < 0)
        return -1;
    *copied = capsule_writer_page(writer, bytes, size);
    return 0;
}

static int write_range(struct proving *proving, struct capsule_writer *writer, size_t number,
                       struct memory_range *written, size_t *next)
{
    const struct memory_range *range = &proving->capsule->ranges[number];
    const size_t pages = pages_of(range->size);
    *written = *range;
    written->before = x_calloc(pages, sizeof *written->before);
    written->after = x_calloc(pages, sizeof *written->after);
    written->varies = proving->has_varied ? x_calloc(pages, sizeof *written->varies) : NULL;
    for (size_t page = 0; page < pages; page++) {
        const size_t size = page_size(range, page);
        const uint32_t before = is_needless(proving, number, page, next) ? PAGE_ZERO : range->before[page];
        if (copy_page(proving, writer, before, size, &written->before[page]) < 0 ||
            copy_page(proving, writer, range->after[page], size, &written->after[page]) < 0)
            return -1;
        const struct place place = {number, page};
        if (proving->has_blank && is_blank(proving, &place) && write_blank(proving, writer, &place, written) < 0)
            return -1;
        if (written->varies)
            written->varies[page] =
                capsule_writer_page(writer, proving->varies.ranges[number] + (size_t)page * CAPSULE_PAGE, size);
    }
    return 0;
}

static int write_capsule(struct proving *proving, struct capsule_writer *writer)
{
    struct capsule written = *proving->capsule;
    size_t next = 0;
    int failed = 0;
    written.proof = proving->has_varied ? PROOF_VARIES : PROOF_IDENTICAL;
    written.ranges = x_calloc(written.range_count + 1, sizeof *written.ranges);
    unsigned char *code = capsules_blob(proving->capsules, &proving->capsule->code, proving->problem);
    if (code)
        written.code = capsule_writer_blob(writer, code, proving->capsule->code.size);
    else
        failed = -1;
    for (size_t i = 0; i < written.range_count && failed == 0; i++)
        failed = write_range(proving, writer, i, &written.ranges[i], &next);
    if (failed == 0 && capsule_writer_add(writer, &written) < 0)
        failed = problem_set(proving->problem, "%s", writer->problem.text);
    for (size_t i = 0; i < written.range_count; i++) {
        free(written.ranges[i].before);
        free(written.ranges[i].after);
        free(written.ranges[i].varies);
    }
    free(written.ranges);
    if (code)
        free(written.code.pages);
    free(code);
    return failed;
}

/* ---- Proving ---- */

static int prove(struct proving *proving, bool careful, struct capsule_writer *writer, char *why, size_t why_size)
{
    char difference[512];
    list_places(proving);
    if (replay_several(proving) < 0)
        return -1;
    const int differs = compare(proving, difference, sizeof difference);
    if (differs < 0)
        return -1;
    if (differs > 0) {
        snprintf(why, why_size, "a replay does not leave what the program's launch left: %s", difference);
        return 1;
    }
    if (proving->changed_count == 0 && !careful && clear_what_it_writes(proving) < 0)
        return -1;
    if (proving->changed_count == 0) {
        snprintf(why, why_size, "the launch changed nothing that could be found, which proves nothing");
        return 1;
    }
    if (!careful && drop_pages(proving) < 0)
        return -1;
    return write_capsule(proving, writer);
}

int capsule_prove(struct player *player, const struct capsule *capsule, bool careful, struct capsule_writer *writer,
                  char *why, size_t why_size, struct problem *problem)
{
    struct proving proving = {.capsules = player->capsules, .capsule = capsule, .problem = problem};
    if (replay_open(&proving.replay, player, capsule, problem) < 0)
        return -1;
    const int result = prove(&proving, careful, writer, why, why_size);
    replay_close(proving.replay);
    memory_release(&proving.first, capsule->range_count);
    memory_release(&proving.varies, capsule->range_count);
    memory_release(&proving.blank, capsule->range_count);
    free(proving.changed);
    free(proving.filled);
    free(proving.needless);
    return result;
}
