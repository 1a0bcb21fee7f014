/* How much of what a launch changes is compared after a replay, and whether two launches are given the same. */
#include "capsule.h"

#include "capsule_record.h"

enum { WORD = 8 };

/* Counts the words of a page that the launch changes, and those of them with all changed bits masked, and
 * those of a value that may be off: no mask of bits has other bytes than 0 and 0xff. */
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
        const bool is_bits = ALL(i, WORD, varies[at + i] == 0 || varies[at + i] == 0xff);
        compared->loose += was != is && !is_bits;
    }
}

int capsules_compared(const struct capsules *capsules, const struct capsule *capsule, struct compared *compared,
                      struct problem *problem)
{
    unsigned char before[CAPSULE_PAGE], after[CAPSULE_PAGE], varies[CAPSULE_PAGE];
    *compared = (struct compared){0};
    EACH(const struct memory_range, range, capsule->ranges, capsule->range_count) {
        for (size_t page = 0; page < pages_of(range->size); page++) {
            if (range->after[page] == PAGE_SAME)
                continue;
            TRY(capsules_page(capsules, range->before[page], before, problem));
            TRY(capsules_page(capsules, range->after[page], after, problem));
            TRY(capsules_page(capsules, range->varies ? range->varies[page] : PAGE_ZERO, varies, problem));
            count_page(compared, before, after, varies);
        }
    }
    return 0;
}

unsigned capsule_argument_before(const struct capsule *capsule, const struct memory_range *range, uint64_t address)
{
    uint64_t nearest = 0, pointer = 0;
    unsigned number = 0;
    for (unsigned i = 0; i < capsule->argument_count; i++) {
        if (capsule->arguments[i].size != sizeof pointer)
            continue;
        memcpy(&pointer, capsule->bytes + capsule->arguments[i].offset, sizeof pointer);
        if (pointer >= range->address && pointer <= address && pointer >= nearest) {
            nearest = pointer;
            number = i + 1;
        }
    }
    return number;
}

int capsules_masked(const struct capsules *capsules, size_t first, size_t count, uint64_t *words, unsigned *argument,
                    struct problem *problem)
{
    const struct capsule *capsule = &capsules->list[first];
    *words = *argument = 0;
    for (size_t i = 0; count > 0 && i < capsule->range_count; i++)
        for (size_t page = 0; page < pages_of(capsule->ranges[i].size); page++) {
            unsigned char all[CAPSULE_PAGE], one[CAPSULE_PAGE];
            memset(all, 0xff, sizeof all);
            for (size_t k = first; k < first + count; k++) {
                const uint32_t *varies = capsules->list[k].ranges[i].varies;
                TRY(capsules_page(capsules, varies ? varies[page] : PAGE_ZERO, one, problem));
                for (size_t at = 0; at < CAPSULE_PAGE; at++)
                    all[at] &= one[at];
            }
            for (size_t at = 0; at < CAPSULE_PAGE; at += WORD) {
                const bool masked = memchr(all + at, 0xff, WORD) != NULL;
                if (masked && *words == 0)
                    *argument = capsule_argument_before(capsule, &capsule->ranges[i],
                                                        capsule->ranges[i].address + page * CAPSULE_PAGE + at);
                *words += masked;
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
