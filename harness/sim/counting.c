#include "counting.h"

#include <stdbool.h>
#include <stddef.h>

enum { LANES = 32, BANKS = 32, SECTOR = 5, LINE = 7 };

/* Adds a number unless it is there; returns the new count. The last one first, since neighbours are most often alike. */
static unsigned add_distinct(uint64_t *list, unsigned count, uint64_t number)
{
    for (unsigned i = count; i-- > 0;)
        if (list[i] == number)
            return count;
    list[count] = number;
    return count + 1;
}

struct sectors count_sectors(uint32_t lanes, const uint64_t *addresses, unsigned size)
{
    uint64_t sectors[LANES], places[LANES];
    unsigned touched = 0, distinct = 0;
    for (unsigned l = 0; l < LANES; l++) {
        if (!(lanes >> l & 1))
            continue;
        touched = add_distinct(sectors, touched, addresses[l] >> SECTOR);
        distinct = add_distinct(places, distinct, addresses[l]);
    }
    return (struct sectors){touched, (distinct * size + 31) / 32};
}

/* ---- Shared memory ---- */

/* The most distinct words that one of the banks has, of these lanes. */
static unsigned conflicts(uint32_t lanes, const uint32_t *addresses, unsigned size)
{
    uint32_t words[LANES * 4];
    unsigned count = 0, of_bank[BANKS] = {0}, most = 0;
    const unsigned each = size < 4 ? 1 : size / 4;
    for (unsigned l = 0; l < LANES; l++) {
        if (!(lanes >> l & 1))
            continue;
        for (unsigned k = 0; k < each; k++) {
            const uint32_t word = (addresses[l] >> 2) + k;
            bool seen = false;
            for (unsigned i = count; i-- > 0 && !seen;)
                seen = words[i] == word;
            if (seen)
                continue;
            words[count++] = word;
            const unsigned number = ++of_bank[word % BANKS];
            most = number > most ? number : most;
        }
    }
    return most;
}

/* Whether lanes that are `apart` read the same address, as far as both are there. */
static bool pairs_agree(uint32_t lanes, const uint32_t *addresses, unsigned first, unsigned count, unsigned apart)
{
    for (unsigned l = first; l < first + count; l++) {
        const unsigned other = l ^ apart;
        if ((lanes >> l & 1) && (lanes >> other & 1) && addresses[l] != addresses[other])
            return false;
    }
    return true;
}

static void add_pass(struct wavefronts *sum, uint32_t lanes, const uint32_t *addresses, unsigned size)
{
    const unsigned passes = conflicts(lanes, addresses, size);
    sum->passes += passes;
    sum->ideal += passes > 0;
}

/* Lanes first to first + count take one pass when neighbours share their addresses, else two halves. */
static void add_half(struct wavefronts *sum, uint32_t lanes, const uint32_t *addresses, unsigned size, unsigned first,
                     unsigned count)
{
    const uint32_t all = (count == LANES ? UINT32_MAX : (1u << count) - 1) << first;
    const uint32_t low = ((1u << count / 2) - 1) << first;
    if (pairs_agree(lanes, addresses, first, count, 1) || pairs_agree(lanes, addresses, first, count, 2)) {
        add_pass(sum, lanes & all, addresses, size);
        return;
    }
    add_pass(sum, lanes & low, addresses, size);
    add_pass(sum, lanes & all & ~low, addresses, size);
}

struct wavefronts count_wavefronts(uint32_t lanes, const uint32_t *addresses, unsigned size)
{
    struct wavefronts sum = {0, 0};
    if (size <= 4) {
        add_pass(&sum, lanes, addresses, size);
    } else if (size == 8) {
        add_half(&sum, lanes, addresses, size, 0, LANES);
    } else {
        add_half(&sum, lanes, addresses, size, 0, LANES / 2);
        add_half(&sum, lanes, addresses, size, LANES / 2, LANES / 2);
    }
    return sum;
}

/* ---- Asynchronous copies ---- */

/* Through the L1: each line of the source is a pass of its own, with the conflicts of where its lanes write. */
static struct wavefronts copy_through(uint32_t lanes, const uint64_t *from, const uint32_t *to, unsigned size)
{
    struct wavefronts sum = {0, lanes ? 1 : 0};
    uint32_t left = lanes;
    while (left) {
        const uint64_t line = from[__builtin_ctz(left)] >> LINE;
        uint32_t same = 0;
        for (unsigned l = 0; l < LANES; l++)
            same |= (left >> l & 1) && from[l] >> LINE == line ? 1u << l : 0;
        left &= ~same;
        sum.passes += conflicts(same, to, size);
    }
    return sum;
}

struct sector_pair {
    uint64_t from;
    uint32_t to;
};

/* Past the L1, of a quarter of a warp: what is moved are pairs of a source and a destination sector. */
static void add_bypass(struct copy_counts *counts, uint32_t lanes, const uint64_t *from, const uint32_t *to)
{
    struct sector_pair pairs[LANES];
    unsigned count = 0, targets = 0;
    uint64_t seen[LANES];
    for (unsigned l = 0; l < LANES; l++) {
        if (!(lanes >> l & 1))
            continue;
        const struct sector_pair pair = {from[l] >> SECTOR, to[l] >> SECTOR};
        bool known = false;
        for (unsigned i = 0; i < count && !known; i++)
            known = pairs[i].from == pair.from && pairs[i].to == pair.to;
        if (!known)
            pairs[count++] = pair;
        targets = add_distinct(seen, targets, pair.to);
    }
    counts->lines.touched += count;
    counts->unit += targets;
    uint64_t lines[LANES];
    unsigned line_count = 0;
    for (unsigned i = 0; i < count; i++)
        line_count = add_distinct(lines, line_count, pairs[i].to >> (LINE - SECTOR));
    for (unsigned n = 0; n < line_count; n++) {
        unsigned most = 0;
        for (unsigned i = 0; i < count; i++) {
            if (pairs[i].to >> (LINE - SECTOR) != lines[n])
                continue;
            unsigned same_from = 0, same_to = 0;
            for (unsigned k = 0; k < count; k++) {
                const bool here = pairs[k].to >> (LINE - SECTOR) == lines[n];
                same_from += here && pairs[k].from == pairs[i].from;
                same_to += here && pairs[k].to == pairs[i].to;
            }
            most = same_from > most ? same_from : most;
            most = same_to > most ? same_to : most;
        }
        counts->wavefronts.passes += most;
    }
    counts->wavefronts.ideal += lanes != 0;
}

struct copy_counts count_copy(uint32_t lanes, const uint64_t *from, const uint32_t *to, unsigned size, int bypass)
{
    struct copy_counts counts = {0};
    if (bypass) {
        for (unsigned first = 0; first < LANES; first += 8)
            add_bypass(&counts, lanes & (0xffu << first), from, to);
        counts.lines.ideal = count_sectors(lanes, from, size).ideal;
        return counts;
    }
    counts.lines = count_sectors(lanes, from, size);
    counts.unit = counts.lines.touched;
    counts.wavefronts = copy_through(lanes, from, to, size);
    return counts;
}
