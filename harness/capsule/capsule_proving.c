/* What the files that prove capsules share: memory and its pages, and a launch. */
#include "prove_parts.h"

enum { LAUNCHES_MAX = 400 };

void memory_make(struct memory *memory, const struct capsule *capsule)
{
    memory->ranges = x_calloc(capsule->range_count + 1, sizeof *memory->ranges);
    for (size_t i = 0; i < capsule->range_count; i++)
        memory->ranges[i] = x_calloc(capsule->ranges[i].size, 1);
}

void memory_release(struct memory *memory, const struct capsule *capsule)
{
    for (size_t i = 0; memory->ranges && i < capsule->range_count; i++)
        free(memory->ranges[i]);
    free(memory->ranges);
    memory->ranges = NULL;
}

int memory_read(const struct memory *memory, struct replay *replay, const struct capsule *capsule,
                struct problem *problem)
{
    for (size_t i = 0; i < capsule->range_count; i++)
        if (capsule->ranges[i].kind != MEMORY_SCRATCH &&
            replay_read(replay, i, 0, memory->ranges[i], (size_t)capsule->ranges[i].size, problem) < 0)
            return -1;
    return 0;
}

void ranges_release(struct memory_range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(ranges[i].before);
        free(ranges[i].after);
        free(ranges[i].varies);
    }
    free(ranges);
}

size_t place_size(const struct proving *proving, const struct place *place)
{
    const uint64_t left = proving->capsule->ranges[place->range].size - (uint64_t)place->page * CAPSULE_PAGE;
    return left < CAPSULE_PAGE ? (size_t)left : CAPSULE_PAGE;
}

/* Returns how many places from `at` on, `count` at most, follow each other in one range. */
static size_t places_in_row(const struct place *places, size_t at, size_t count)
{
    size_t row = 1;
    while (row < count && places[at + row].range == places[at].range && places[at + row].page == places[at].page + row)
        row++;
    return row;
}

static uint64_t row_size(const struct proving *proving, const struct place *places, size_t count)
{
    return (uint64_t)(count - 1) * CAPSULE_PAGE + place_size(proving, &places[count - 1]);
}

int proving_restore(struct proving *proving)
{
    if (replay_restore(proving->replay, proving->problem) < 0 ||
        replay_clear_around(proving->replay, proving->problem) < 0)
        return -1;
    EACH(const struct rewritten, page, proving->rewritten, proving->rewritten_count)
        if (replay_write(proving->replay, page->place.range, (uint64_t)page->place.page * CAPSULE_PAGE, page->before,
                         place_size(proving, &page->place), proving->problem) < 0)
            return -1;
    return 0;
}

int proving_launch(struct proving *proving)
{
    proving->launches++;
    return replay_launch(proving->replay, proving->problem) < 0 || replay_wait(proving->replay, proving->problem) < 0
               ? -1
               : 0;
}

bool proving_may_go_on(const struct proving *proving)
{
    return proving->launches < LAUNCHES_MAX && now_seconds() < proving->until;
}

int proving_fill(struct proving *proving, const struct place *places, size_t count, int value)
{
    for (size_t i = 0, row; i < count; i += row) {
        row = places_in_row(places, i, count - i);
        if (replay_fill(proving->replay, places[i].range, (uint64_t)places[i].page * CAPSULE_PAGE, value,
                        row_size(proving, &places[i], row), proving->problem) < 0)
            return -1;
    }
    return 0;
}

int proving_read(struct proving *proving, const struct place *places, size_t count, const struct memory *memory)
{
    for (size_t i = 0, row; i < count; i += row) {
        const uint64_t at = (uint64_t)places[i].page * CAPSULE_PAGE;
        row = places_in_row(places, i, count - i);
        if (replay_read(proving->replay, places[i].range, at, memory->ranges[places[i].range] + at,
                        (size_t)row_size(proving, &places[i], row), proving->problem) < 0)
            return -1;
    }
    return 0;
}

/* Whether bytes are the same but for those of a mask. */
static bool is_same_but_for(const unsigned char *a, const unsigned char *b, const unsigned char *mask, size_t size)
{
    return ALL(i, size, ((a[i] ^ b[i]) & (unsigned char)~mask[i]) == 0);
}

int proving_is_same(struct proving *proving)
{
    enum { AT_ONCE = 64 }; /* pages */
    OWNED_MEMORY unsigned char *now = x_calloc(AT_ONCE, CAPSULE_PAGE);
    int same = 1;
    for (size_t i = 0, row; i < proving->changed_count && same == 1; i += row) {
        const struct place *place = &proving->changed[i];
        const uint64_t at = (uint64_t)place->page * CAPSULE_PAGE;
        const size_t left = proving->changed_count - i;
        row = places_in_row(proving->changed, i, left < AT_ONCE ? left : AT_ONCE);
        const size_t size = (size_t)row_size(proving, place, row);
        const unsigned char *first = proving->first.ranges[place->range] + at;
        if (replay_read(proving->replay, place->range, at, now, size, proving->problem) < 0)
            same = -1;
        else if (memcmp(now, first, size) != 0)
            same = proving->has_varied && is_same_but_for(now, first, proving->varies.ranges[place->range] + at, size);
    }
    return same;
}
