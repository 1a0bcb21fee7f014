/* Counts how much of what a launch changes is compared after a replay. */
#include "capsule.h"

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
