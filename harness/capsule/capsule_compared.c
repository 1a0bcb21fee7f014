/* How much of what a launch changes is compared after a replay, and whether two launches are given the same. */
#include "capsule.h"

#include "capsule_record.h"

#include <string.h>

enum { WORD = 8 };

/* Counts the words of a page that the launch changes, and those of them with all changed bits masked. */
static void count_page(struct compared *compared, const unsigned char *before, const unsigned char *after,
                       const unsigned char *varies)
{
    for (size_t at = 0; at < CAPSULE_PAGE; at += WORD) {
        uint64_t was, is, mask;
        memcpy(&was, before + at, sizeof was);
        memcpy(&is, after + at, sizeof is);
        memcpy(&mask, varies + at, sizeof mask);
        compared->changed += was != is;
        compared->masked += was != is && ((was ^ is) & ~mask) == 0;
    }
}

int capsules_compared(const struct capsules *capsules, const struct capsule *capsule, struct compared *compared,
                      struct problem *problem)
{
    unsigned char before[CAPSULE_PAGE], after[CAPSULE_PAGE], varies[CAPSULE_PAGE];
    *compared = (struct compared){0};
    for (size_t i = 0; i < capsule->range_count; i++) {
        const struct memory_range *range = &capsule->ranges[i];
        for (size_t page = 0; page < pages_of(range->size); page++) {
            if (range->after[page] == PAGE_SAME)
                continue;
            if (capsules_page(capsules, range->before[page], before, problem) < 0 ||
                capsules_page(capsules, range->after[page], after, problem) < 0 ||
                capsules_page(capsules, range->varies ? range->varies[page] : PAGE_ZERO, varies, problem) < 0)
                return -1;
            count_page(compared, before, after, varies);
        }
    }
    return 0;
}

static bool same_page(const struct capsules *capsules, uint32_t page, const struct capsules *others, uint32_t other)
{
    if (page == PAGE_ZERO || other == PAGE_ZERO)
        return page == other;
    return memcmp(capsules->pages[page].hash, others->pages[other].hash, HASH_SIZE) == 0;
}

/* Returns the range that an argument points into, and *offset in it; the count of ranges: into none. */
static size_t pointed_range(const struct capsule *capsule, const struct argument *argument, uint64_t *offset)
{
    uint64_t address = 0;
    size_t i = argument->size == sizeof address ? 0 : capsule->range_count;
    if (i == 0)
        memcpy(&address, capsule->bytes + argument->offset, sizeof address);
    for (; i < capsule->range_count; i++) {
        *offset = address - capsule->ranges[i].address;
        if (*offset < capsule->ranges[i].size)
            break;
    }
    return i;
}

static bool same_argument(const struct capsule *capsule, const struct capsule *other, size_t i)
{
    const struct argument *argument = &capsule->arguments[i], *another = &other->arguments[i];
    uint64_t offset = 0, other_offset = 0;
    const size_t range = pointed_range(capsule, argument, &offset);
    if (argument->size != another->size)
        return false;
    return range < capsule->range_count
               ? range == pointed_range(other, another, &other_offset) && offset == other_offset
               : memcmp(capsule->bytes + argument->offset, other->bytes + another->offset, argument->size) == 0;
}

bool capsules_same_inputs(const struct capsules *capsules, const struct capsule *capsule, const struct capsules *others,
                          const struct capsule *other)
{
    bool same = capsule->range_count == other->range_count && capsule->argument_count == other->argument_count;
    for (size_t i = 0; same && i < capsule->argument_count; i++)
        same = same_argument(capsule, other, i);
    for (size_t i = 0; same && i < capsule->range_count; i++) {
        const struct memory_range *range = &capsule->ranges[i], *another = &other->ranges[i];
        same = range->size == another->size;
        for (size_t page = 0; same && page < pages_of(range->size); page++)
            same = same_page(capsules, range->before[page], others, another->before[page]);
    }
    return same;
}
