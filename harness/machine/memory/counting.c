#include "counting.h"

enum { LANES = 32, BANKS = 32, SECTOR = 5, LINE = 7 };

/* Adds a number to the list unless it is there, and returns the new count. The last one is compared first, since
 * neighbours are most often alike. */
static unsigned add_distinct(uint64_t *list, unsigned count, uint64_t number)
{
    for (unsigned i = count; i-- > 0;)
        if (list[i] == number)
            return count;
    list[count] = number;
    return count + 1;
}

/* Returns the fewest units of `bytes` that lanes move if none share their bytes. */
static unsigned least(uint32_t lanes, unsigned size, unsigned bytes)
{
    return ((unsigned)__builtin_popcount(lanes) * size + bytes - 1) / bytes;
}

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

struct sectors count_sectors(uint32_t lanes, const uint64_t *addresses, unsigned size)
{
    uint64_t sectors[LANES], seen = 0; /* bit n: there is one whose number ends in n */
    unsigned touched = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const uint64_t sector = addresses[__builtin_ctz(left)] >> SECTOR, bit = UINT64_C(1) << sector % 64;
        if (seen & bit)
            touched = add_distinct(sectors, touched, sector);
        else
            sectors[touched++] = sector;
        seen |= bit;
    }
    return (struct sectors){touched, smaller(touched, least(lanes, size, 1 << SECTOR))};
}

/* ---- Shared memory ---- */

/* Returns how many distinct words the busiest bank has, of these lanes. A lane's words of 8 or 16 bytes are in
 * neighbouring banks, which are as busy as each other. In each pass a bank takes the first word that is left. */
static unsigned conflicts(uint32_t lanes, const uint32_t *addresses, unsigned size)
{
    const unsigned shift = size <= 4 ? 2 : (unsigned)__builtin_ctz(size), groups = BANKS * 4 >> shift;
    uint32_t taken[BANKS] = {0};
    unsigned passes = 0;
    for (uint32_t left = lanes, later; left; left = later, passes++) {
        uint32_t busy = later = 0;
        for (; left; left &= left - 1) {
            const uint32_t unit = addresses[__builtin_ctz(left)] >> shift, group = unit & (groups - 1);
            if (!(busy >> group & 1))
                taken[group] = unit;
            later |= taken[group] != unit ? left & -left : 0;
            busy |= 1u << group;
        }
    }
    return passes;
}

/* Returns whether lanes that are `apart` from each other read the same address, as far as both are active. */
static bool pairs_agree(uint32_t lanes, const uint32_t *addresses, unsigned first, unsigned count, unsigned apart)
{
    for (unsigned l = first; l < first + count; l++) {
        const unsigned other = l ^ apart;
        if ((lanes >> l & 1) && (lanes >> other & 1) && addresses[l] != addresses[other])
            return false;
    }
    return true;
}

static uint32_t lanes_from(unsigned first, unsigned count)
{
    return (count == LANES ? UINT32_MAX : (1u << count) - 1) << first;
}

/* Returns the passes of lanes first to first + count. They go as two halves, one after the other. Loads go as one when
 * neighbours share their addresses and no bank is asked for two words. */
static unsigned passes_of(uint32_t lanes, const uint32_t *addresses, unsigned size, unsigned first, unsigned count,
                          bool writes)
{
    const uint32_t all = lanes & lanes_from(first, count), low = lanes & lanes_from(first, count / 2);
    if (!writes && (pairs_agree(lanes, addresses, first, count, 1) || pairs_agree(lanes, addresses, first, count, 2)) &&
        conflicts(all, addresses, size) <= 1)
        return all != 0;
    return conflicts(low, addresses, size) + conflicts(all & ~low, addresses, size);
}

/* Returns whether consecutive lanes are equally far apart. */
static bool is_regular(uint32_t lanes, const uint32_t *addresses)
{
    int64_t step = 0;
    unsigned last = LANES, seen = 0;
    for (unsigned l = 0; l < LANES; l++) {
        if (!(lanes >> l & 1))
            continue;
        if (last < LANES && l != last + 1)
            return false;
        const int64_t apart = last < LANES ? (int64_t)addresses[l] - addresses[last] : 0;
        if (seen > 1 && apart != step)
            return false;
        step = apart;
        last = l;
        seen++;
    }
    return true;
}

struct wavefronts count_wavefronts(uint32_t lanes, const uint32_t *addresses, unsigned size, bool writes)
{
    unsigned passes;
    if (size <= 4)
        passes = conflicts(lanes, addresses, size);
    else if (size == 8)
        passes = passes_of(lanes, addresses, size, 0, LANES, writes);
    else
        passes = passes_of(lanes, addresses, size, 0, LANES / 2, writes) +
                 passes_of(lanes, addresses, size, LANES / 2, LANES / 2, writes);
    /* This is for loads of 16 bytes by only some lanes, scattered. 359 of 378 patterns are right, the others wrong by
     * one or two. */
    const unsigned margin = size == 16 && !writes && lanes != UINT32_MAX && !is_regular(lanes, addresses) ? 2 : 0;
    return (struct wavefronts){passes, smaller(passes, least(lanes, size, BANKS * 4)), margin};
}

struct wavefronts count_matrices(uint32_t lanes, const uint32_t *addresses, unsigned matrices)
{
    struct wavefronts sum = {0};
    for (unsigned m = 0; m < matrices; m++) {
        const unsigned passes = conflicts(lanes & lanes_from(m * 8, 8), addresses, 16);
        sum.passes += passes;
        sum.ideal += passes > 0;
    }
    return sum;
}

struct wavefronts count_atomic(uint32_t lanes, const uint32_t *addresses, unsigned size, enum atomic_kind kind)
{
    unsigned of_bank[BANKS] = {0}, most = 0;
    for (unsigned l = 0; l < LANES; l++)
        for (unsigned k = 0; k < size / 4 && (lanes >> l & 1); k++) {
            const unsigned number = ++of_bank[((addresses[l] >> 2) + k) % BANKS];
            most = number > most ? number : most;
        }
    /* One lane of a bank swaps; the words of the others are not fetched. */
    const unsigned passes = kind == ATOMIC_ONE_SWAPS ? smaller(conflicts(lanes, addresses, size), size / 4)
                            : kind == ATOMIC_COUNTS  ? conflicts(lanes, addresses, size)
                                                     : most;
    const unsigned twice = kind == ATOMIC_CHANGES || kind == ATOMIC_COUNTS ? 1 : 2;
    return (struct wavefronts){twice * passes, twice * smaller(passes, least(lanes, size, BANKS * 4)),
                               kind == ATOMIC_ONE_SWAPS && size == 8 ? twice * passes : 0};
}

/* ---- Asynchronous copies ---- */

/* Returns the passes of an asynchronous copy through the L1, for lanes that go at once. One pass takes of these lanes,
 * in their order, those that share no bank, neither where they read nor where they write. That the hardware chooses so
 * is a guess: 92 of 100 scattered patterns agree with it, and all regular ones. */
static unsigned copy_passes(uint32_t lanes, const uint64_t *from, const uint32_t *to, unsigned size)
{
    unsigned passes = 0;
    while (lanes) {
        uint32_t read = 0, written = 0;
        for (unsigned l = 0; l < LANES; l++) {
            if (!(lanes >> l & 1))
                continue;
            uint32_t reads = 0, writes = 0;
            for (unsigned k = 0; k < size / 4; k++) {
                reads |= 1u << ((from[l] >> 2) + k) % BANKS;
                writes |= 1u << ((to[l] >> 2) + k) % BANKS;
            }
            if ((reads & read) || (writes & written))
                continue;
            read |= reads;
            written |= writes;
            lanes &= ~(1u << l);
        }
        passes++;
    }
    return passes;
}

static struct wavefronts copy_through(uint32_t lanes, const uint64_t *from, const uint32_t *to, unsigned size)
{
    const unsigned at_once = LANES * 4 / size;
    unsigned passes = 0;
    uint32_t low[LANES];
    for (unsigned l = 0; l < LANES; l++)
        low[l] = (uint32_t)from[l];
    for (unsigned first = 0; first < LANES; first += at_once)
        passes += copy_passes(lanes & lanes_from(first, at_once), from, to, size);
    return (struct wavefronts){passes, smaller(passes, least(lanes, size, BANKS * 4)),
                               is_regular(lanes, to) && is_regular(lanes, low) ? 0 : passes};
}

/* Bytes that a copy moves from a sector to another one; `turned`: from a half of one to the other half of the other.
 * parts: from which halves, a bit each. */
struct sector_pair {
    uint64_t from;
    uint32_t to;
    unsigned turned, parts;
};

/* Returns whether two pairs go in the same pass unless they share a sector. */
static bool are_together(const struct sector_pair *a, const struct sector_pair *b)
{
    return a->from >> (LINE - SECTOR) == b->from >> (LINE - SECTOR) &&
           a->to >> (LINE - SECTOR) == b->to >> (LINE - SECTOR) && a->turned == b->turned && a->parts == b->parts &&
           ((a->to - a->from) & 1) == ((b->to - b->from) & 1);
}

/* Returns the passes of those pairs that go together with pair n; 0: that was said of a pair before it. */
static unsigned passes_with(const struct sector_pair *pairs, unsigned count, unsigned n)
{
    unsigned most = 0;
    for (unsigned i = 0; i < count; i++) {
        unsigned same_from = 0, same_to = 0;
        if (!are_together(&pairs[i], &pairs[n]))
            continue;
        if (i < n)
            return 0;
        for (unsigned k = 0; k < count; k++) {
            const bool here = are_together(&pairs[k], &pairs[n]);
            same_from += here && pairs[k].from == pairs[i].from;
            same_to += here && pairs[k].to == pairs[i].to;
        }
        most = same_from > most ? same_from : most;
        most = same_to > most ? same_to : most;
    }
    return most;
}

/* Counts a copy past the L1, which moves pairs of a source and a destination sector. A pass takes pairs of one source
 * line and one destination line, an odd or an even number of sectors apart, whole sectors or the same parts of them,
 * and of each sector one pair. That was found in 128 cases of 4 rows on an H100 (tests/sim/forms.cu), and holds in all,
 * and in kernels of Triton, whose rows lie in another order. */
static void add_bypass(struct copy_counts *counts, uint32_t lanes, const uint64_t *from, const uint32_t *to)
{
    enum { HALF = SECTOR - 1 };
    struct sector_pair pairs[LANES];
    unsigned count = 0, units = 0;
    uint64_t seen[LANES];
    for (unsigned l = 0; l < LANES; l++) {
        if (!(lanes >> l & 1))
            continue;
        const struct sector_pair pair = {from[l] >> SECTOR, to[l] >> SECTOR, (from[l] ^ to[l]) >> HALF & 1, 0};
        unsigned i = 0;
        while (i < count && (pairs[i].from != pair.from || pairs[i].to != pair.to || pairs[i].turned != pair.turned))
            i++;
        if (i == count)
            pairs[count++] = pair;
        pairs[i].parts |= 1u << (from[l] >> HALF & 1);
        units = add_distinct(seen, units, from[l] >> LINE << 32 | to[l] >> SECTOR);
    }
    counts->lines.touched = count;
    counts->unit = units;
    for (unsigned n = 0; n < count; n++)
        counts->wavefronts.passes += passes_with(pairs, count, n);
    counts->wavefronts.margin = 1;
}

/* Returns whether each quarter of a warp copies 128 consecutive bytes, to wherever they go, or whole sectors to a line
 * in an order by exclusive or. The rule was made from such copies. Of 128 that scatter, by all lanes, it is wrong in
 * one, by one pass. */
static bool rows_are_regular(uint32_t lanes, const uint64_t *from, const uint32_t *to)
{
    for (unsigned first = 0; first < LANES; first += 8) {
        const uint32_t quarter = lanes >> first & 0xff;
        bool row = true, line = true;
        for (unsigned l = first + 1; l < first + 8; l++) {
            row &= from[l] - from[l - 1] == 16 && to[l] - to[l - 1] == 16;
            line &= (l % 2 == 0 || from[l] - from[l - 1] == 16) && to[l] == (to[first] ^ (l - first) * 16);
        }
        if (quarter && (quarter != 0xff || !(row || line)))
            return false;
    }
    return true;
}

struct copy_counts count_copy(uint32_t lanes, const uint64_t *from, const uint32_t *to, unsigned size, int bypass)
{
    struct copy_counts counts = {0};
    if (bypass) {
        add_bypass(&counts, lanes, from, to);
        counts.lines.ideal = smaller(counts.lines.touched, least(lanes, size, 1 << SECTOR));
        counts.wavefronts.ideal = smaller(counts.wavefronts.passes, least(lanes, size, BANKS * 4));
        if (rows_are_regular(lanes, from, to))
            counts.wavefronts.margin = 0;
        return counts;
    }
    counts.lines = count_sectors(lanes, from, size);
    counts.unit = counts.lines.touched;
    counts.wavefronts = copy_through(lanes, from, to, size);
    return counts;
}
