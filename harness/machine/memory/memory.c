/* The rare cases of memory accesses: a new shape, an address outside of an array. */
#include "memo.h"

/* ---- Shapes ---- */

/* They are the same words for all instructions, which the CPU's caches then have once. */
#define FOUR(l, size) (l) * (size), ((l) + 1) * (size), ((l) + 2) * (size), ((l) + 3) * (size)
#define ROW_OF(size)                                                                                                   \
    {                                                                                                                  \
        FOUR(0, size), FOUR(4, size), FOUR(8, size), FOUR(12, size), FOUR(16, size), FOUR(20, size), FOUR(24, size),   \
            FOUR(28, size)                                                                                             \
    }
const uint32_t distances_in_order[][LANES] = {ROW_OF(0), ROW_OF(1), ROW_OF(2), ROW_OF(4), ROW_OF(8), ROW_OF(16)};

void memo_settle(struct memo *memo, struct tally *tally)
{
    const uint64_t times = memo->times;
    memo->times = 0;
    tally->accesses += times;
    if (memo->shared) {
        tally->shared_accesses += times;
        tally->wavefronts += times * memo->wavefronts;
        tally->ideal_wavefronts += times * memo->ideal_wavefronts;
        tally->loose_wavefronts += times * memo->margin;
    } else {
        tally->global_accesses += times;
        tally->sectors += times * memo->sectors;
        tally->ideal_sectors += times * memo->ideal_sectors;
        tally->unit_sectors += times * memo->sectors;
        tally->home_bytes[memo->home] += times * memo->sectors * SECTOR_BYTES;
    }
}

/* ---- Faults ---- */

static void global_outside(struct block *block, unsigned lane, uint64_t address, unsigned size, bool writes,
                           bool spares)
{
    enum { NEAR = 1 << 20 };
    struct allocation near;
    char where[120] = "outside every allocation";
    const bool known =
        device_find(block->machine, address, &near) || device_find_near(block->machine, address, NEAR, &near);
    const bool before = known && address < near.begin;
    if (known)
        snprintf(where, sizeof where, "%llu bytes %s an allocation of %llu bytes",
                 (unsigned long long)(before ? near.begin - address : address + size - near.end),
                 before ? "before" : "beyond the end of", (unsigned long long)(near.end - near.begin));
    static const char format[] = "lane %u %s %u bytes at 0x%llx, %s";
    const char *does = writes ? "writes" : "reads";
    if (!spares)
        block_fault_of(block, FAULT_ADDRESS, format, lane, does, size, (unsigned long long)address, where);
    block_doubt_of(block, DOUBT_OUTSIDE, format, lane, does, size, (unsigned long long)address, where);
}

static bool holds(const struct allocation *allocation, uint64_t address, unsigned size)
{
    return address >= allocation->begin && address < allocation->end && size <= allocation->end - address;
}

/* Takes what lies elsewhere off the bytes that the access adds where its first lane's lie. */
static void count_elsewhere(const struct block *block, struct tally *tally, const struct memo *memo,
                            const uint32_t *lanes, const uint64_t *addresses, unsigned size)
{
    for (enum home home = 0; home < HOMES && block->counts; home++) {
        const uint64_t bytes =
            home == memo->home ? 0 : count_sectors(lanes[home], addresses, size).touched * SECTOR_BYTES;
        tally->home_bytes[home] += bytes;
        tally->home_bytes[memo->home] -= bytes;
    }
}

uint32_t memory_inside(struct block *block, struct memo *memo, struct tally *tally, uint32_t lanes,
                       const uint64_t *addresses, unsigned size, bool writes, bool spares)
{
    struct allocation found = {0, 0};
    enum home home = HOME_DEVICE;
    uint32_t inside = lanes, of[HOMES] = {0};
    const uint64_t first = addresses[__builtin_ctz(lanes)];
    EACH_BIT(l, lanes) {
        if (!holds(&found, addresses[l], size)) {
            if (!device_find(block->machine, addresses[l], &found) || !holds(&found, addresses[l], size)) {
                global_outside(block, l, addresses[l], size, writes, spares);
                inside &= ~(1u << l);
                found.end = 0;
                continue;
            }
            home = device_home(block->machine, addresses[l], &found);
        }
        of[home] |= 1u << l;
    }
    if (!device_find(block->machine, first, &found))
        found = (struct allocation){0, 0};
    memo->home = (unsigned char)device_home(block->machine, first, &found);
    memo->begin = found.begin;
    memo->end = found.end;
    if (of[memo->home] != inside)
        count_elsewhere(block, tally, memo, of, addresses, size);
    return inside;
}

void memory_misaligned(struct block *block, uint32_t lanes, const uint64_t *addresses, unsigned size)
{
    for (unsigned l = 0; l < LANES; l++)
        if ((lanes >> l & 1) && addresses[l] & (size - 1))
            block_fault_of(block, FAULT_MISALIGNED,
                           "lane %u accesses %u bytes at 0x%llx, which is not a multiple of %u", l, size,
                           (unsigned long long)addresses[l], size);
    block_fault_of(block, FAULT_MISALIGNED, "misaligned access");
}

/* Code that allocates tensor memory (tcgen05) notes that in the part of shared memory that the system keeps. */
static const char *tensor_memory(const struct block *block)
{
    for (size_t i = 0; i < block->code->count; i++)
        if (strncmp(block->code->list[i].opcode, "UTC", 3) == 0)
            return block->code->list[i].opcode;
    return NULL;
}

void shared_outside(struct block *block, uint32_t lanes, const uint32_t *addresses, unsigned size)
{
    const char *allocates = tensor_memory(block);
    for (unsigned l = 0; l < LANES && allocates; l++)
        if ((lanes >> l & 1) && addresses[l] < block->reserved)
            block_not_simulated(block, "%s", allocates);
    for (unsigned l = 0; l < LANES; l++) {
        const uint64_t end = (uint64_t)addresses[l] + size;
        if ((lanes >> l & 1) && (addresses[l] < block->reserved || end > block->shared_size))
            block_fault_of(block, FAULT_ADDRESS,
                           "lane %u accesses bytes %lld to %lld of the block's %llu bytes of shared memory", l,
                           (long long)(int32_t)addresses[l] - block->reserved, (long long)end - 1 - block->reserved,
                           (unsigned long long)(block->shared_size - block->reserved));
    }
    block_fault_of(block, FAULT_ADDRESS, "an access beyond shared memory");
}

void shared_misaligned(struct block *block, uint32_t lanes, const uint32_t *addresses, unsigned size)
{
    for (unsigned l = 0; l < LANES; l++)
        if ((lanes >> l & 1) && addresses[l] & (size - 1))
            block_fault_of(block, FAULT_MISALIGNED,
                           "lane %u accesses %u bytes at byte %lld of shared memory, which is not a multiple of %u", l,
                           size, (long long)addresses[l] - block->reserved, size);
    block_fault_of(block, FAULT_MISALIGNED, "misaligned access to shared memory");
}

/* ---- Local memory ---- */

void local_check(struct block *block, uint32_t lanes, const uint32_t *addresses, unsigned size)
{
    EACH_BIT(l, lanes) {
        if ((uint64_t)addresses[l] + size > block->local_bytes)
            block_fault_of(block, FAULT_ADDRESS, "lane %u accesses byte %lld of its %u bytes of local memory", l,
                           (long long)(int32_t)addresses[l], block->local_bytes);
        if (addresses[l] & (size - 1))
            block_fault_of(block, FAULT_ADDRESS,
                           "lane %u accesses %u bytes at byte %u of local memory, which is not a multiple of %u", l,
                           size, addresses[l], size);
    }
}

unsigned local_sectors(uint32_t lanes, const uint32_t *addresses, unsigned size)
{
    uint64_t words[LANES];
    unsigned sectors = 0;
    for (unsigned k = 0; k < (size < 4 ? 1 : size / 4); k++) {
        for (unsigned l = 0; l < LANES; l++)
            words[l] = ((uint64_t)addresses[l] / 4 + k) * LANES * 4 + (uint64_t)l * 4;
        sectors += count_sectors(lanes, words, 4).touched;
    }
    return sectors;
}

void local_move(struct warp *warp, unsigned lane, uint32_t address, unsigned char *bytes, unsigned size, bool writes)
{
    for (unsigned done = 0; done < size;) {
        const unsigned in_word = (address + done) & 3, part = size - done < 4 - in_word ? size - done : 4 - in_word;
        unsigned char *place = warp->local + ((size_t)(address + done) / 4 * LANES + lane) * 4 + in_word;
        if (writes)
            memcpy(place, bytes + done, part);
        else
            memcpy(bytes + done, place, part);
        done += part;
    }
}

/* ---- For operations that are not loads and stores ---- */

void shared_access(struct warp *warp, const struct instruction *code, unsigned n, uint32_t lanes, unsigned bytes,
                   bool writes, uint32_t addresses[LANES])
{
    const struct operand *operand = &code->operands[n];
    struct block *block = warp->block;
    const uint32_t *row = row_at(warp, SPACE_WARP, operand->row);
    const uint32_t base = operand->based ? row_at(warp, SPACE_WARP, operand->base)[0] : 0;
    for (unsigned l = 0; l < LANES; l++) {
        addresses[l] = row[l] * operand->scale + base + (uint32_t)operand->value - (block->rank << RANK_SHIFT);
        if (!(lanes >> l & 1))
            continue;
        if (addresses[l] < block->reserved || (uint64_t)addresses[l] + bytes > block->shared_size)
            shared_outside(block, lanes & 1u << l, addresses, bytes);
        if (addresses[l] & (bytes - 1))
            shared_misaligned(block, lanes & 1u << l, addresses, bytes);
    }
    watch_lanes(warp, code, lanes, addresses, bytes, writes ? ACCESS_WRITES : ACCESS_READS);
}

void shared_counted(struct tally *tally, const struct wavefronts *cost)
{
    tally->accesses++;
    tally->shared_accesses++;
    tally->wavefronts += cost->passes;
    tally->ideal_wavefronts += cost->ideal;
    tally->loose_wavefronts += cost->margin;
}
