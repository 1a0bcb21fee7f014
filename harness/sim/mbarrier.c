/* Barriers in shared memory (mbarrier), and the copies that arrive at them.
 *
 * A barrier has 64 bits, which the code itself initialises. From bit 1 are the arrivals of a phase, and from bit 43
 * those that are still missing; both count up to 2^20. Bit 63 says which phase it is. From bit 21 are the bytes that
 * are still to be copied. On an H200 none of it counts as an access to memory. A warp that has to wait does so within
 * the instruction, which is executed once. */
#include "device_memory.h"
#include "meetings.h"
#include "memory.h"
#include "memory_access.h"

#include <string.h>

enum { ARRIVALS_AT = 1, BYTES_AT = 21, LEFT_AT = 43, ARRIVAL_BITS = 20, BYTES_BITS = 22, COPY_UNIT = 16 };
enum { FLAG_ARRIVALS, FLAG_BYTES }; /* how the number of arrivals and of bytes is given */
enum { NONE, ONE, BY_REGISTER };

static uint64_t field(uint64_t state, unsigned at, unsigned bits)
{
    return state >> at & ((UINT64_C(1) << bits) - 1);
}

static uint64_t with_field(uint64_t state, unsigned at, unsigned bits, uint64_t value)
{
    const uint64_t mask = ((UINT64_C(1) << bits) - 1) << at;
    return (state & ~mask) | (value << at & mask);
}

/* Notes arrivals, and bytes that are to come or (below 0) were copied. Returns what the barrier was before. */
static uint64_t arrive_at(unsigned char *place, uint64_t arrivals, int64_t bytes)
{
    uint64_t state;
    memcpy(&state, place, sizeof state);
    const uint64_t before = state;
    state = with_field(state, LEFT_AT, ARRIVAL_BITS, field(state, LEFT_AT, ARRIVAL_BITS) + arrivals);
    state = with_field(state, BYTES_AT, BYTES_BITS, field(state, BYTES_AT, BYTES_BITS) + (uint64_t)bytes);
    if (field(state, LEFT_AT, ARRIVAL_BITS) == 0 && field(state, BYTES_AT, BYTES_BITS) == 0) {
        state ^= UINT64_C(1) << 63;
        state = with_field(state, LEFT_AT, ARRIVAL_BITS, field(state, ARRIVALS_AT, ARRIVAL_BITS));
    }
    memcpy(place, &state, sizeof state);
    return before;
}

/* Operands d, [address], value: initialises a barrier. One thread does so. */
static void exchange(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    uint32_t addresses[LANES], *low = ROW(0), *high = HIGH(0);
    const uint32_t *value = ROW(2), *above = HIGH(2);
    shared_access(warp, code, 1, lanes, sizeof(uint64_t), true, addresses);
    const unsigned lane = (unsigned)__builtin_ctz(lanes);
    const uint64_t fresh = value[lane] | (uint64_t)above[lane] << 32;
    uint64_t old;
    memcpy(&old, warp->block->shared + addresses[lane], sizeof old);
    memcpy(warp->block->shared + addresses[lane], &fresh, sizeof fresh);
    for (unsigned l = 0; l < LANES; l++)
        if (lanes >> l & 1) {
            low[l] = (uint32_t)old;
            high[l] = (uint32_t)(old >> 32);
        }
}

/* Operands d, [address], how many: each thread arrives. */
static void arrive(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    uint32_t addresses[LANES], *low = ROW(0), *high = HIGH(0), values[LANES];
    memcpy(values, ROW(2), sizeof values);
    shared_access(warp, code, 1, lanes, sizeof(uint64_t), true, addresses);
    for (unsigned l = 0; l < LANES; l++) {
        if (!(lanes >> l & 1))
            continue;
        const uint64_t arrivals = code->flags[FLAG_ARRIVALS] == BY_REGISTER ? values[l] : code->flags[FLAG_ARRIVALS];
        const int64_t bytes = code->flags[FLAG_BYTES] == BY_REGISTER ? (int64_t)values[l] : 0;
        const uint64_t before = arrive_at(warp->block->shared + addresses[l], arrivals, bytes);
        low[l] = (uint32_t)before;
        high[l] = (uint32_t)(before >> 32);
    }
}

/* Operands p, [address], phase: returns whether that phase, which is bit 31, is over in all lanes. */
bool phase_is_over(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    uint32_t addresses[LANES];
    const uint32_t *phase = ROW(2);
    bool over = true;
    shared_access(warp, code, 1, lanes, sizeof(uint64_t), false, addresses);
    for (unsigned l = 0; l < LANES; l++) {
        uint64_t state;
        if (!(lanes >> l & 1))
            continue;
        memcpy(&state, warp->block->shared + addresses[l], sizeof state);
        over &= (state >> 63 & 1) != phase[l] >> 31;
    }
    if (over)
        predicate_set(warp, &code->operands[0], lanes, ALL_LANES);
    return over;
}

/* Operands [destination, followed by the barrier], [source], units: copies at once. */
static void bulk_copy(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    struct block *block = warp->block;
    const struct operand *to = &code->operands[0], *from = &code->operands[1];
    const uint32_t units = row_at(warp, code->operands[2].space, code->operands[2].row)[0];
    const uint32_t bytes = (units < UINT32_MAX / COPY_UNIT ? units : UINT32_MAX / COPY_UNIT) * COPY_UNIT;
    const uint32_t there[LANES] = {row_at(warp, SPACE_WARP, to->base)[0]};
    const uint32_t barrier[LANES] = {row_at(warp, SPACE_WARP, to->base_high)[0]};
    const uint64_t here[LANES] = {row_at(warp, SPACE_WARP, from->base)[0] |
                                  (uint64_t)row_at(warp, SPACE_WARP, from->base_high)[0] << 32};
    struct memo memo = {0};
    (void)lanes;
    if (bytes == 0)
        return;
    memory_check(block, &memo, 1, here, bytes, false);
    if (here[0] % COPY_UNIT)
        memory_misaligned(block, 1, here, COPY_UNIT);
    if (there[0] < SHARED_RESERVED || (uint64_t)there[0] + bytes > block->shared_size)
        shared_outside(block, 1, there, bytes);
    if (barrier[0] < SHARED_RESERVED || (uint64_t)barrier[0] + sizeof(uint64_t) > block->shared_size)
        shared_outside(block, 1, barrier, sizeof(uint64_t));
    if (block->watched)
        meetings_visit_range(warp, code, here[0], bytes);
    memcpy(block->shared + there[0], device_bytes(here[0]), bytes);
    arrive_at(block->shared + barrier[0], 0, -(int64_t)bytes);
}

static bool has_address(const struct instruction *code)
{
    return code->operand_count == 3 && code->operands[1].kind == OPERAND_ADDRESS &&
           code->operands[2].kind == OPERAND_ROW;
}

/* Reads the modifiers of an arrival. A1T0 is one arrival without bytes; R is as many as the register says. */
static bool prepare_arrive(struct instruction *code)
{
    static const struct {
        const char *name;
        unsigned char arrivals, bytes;
    } kinds[] = {
        {"A1T0", ONE, NONE}, {"ART0", BY_REGISTER, NONE}, {"A0TR", NONE, BY_REGISTER}, {"A1TR", ONE, BY_REGISTER}};
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        if (has_modifier(code, kinds[i].name)) {
            code->flags[FLAG_ARRIVALS] = kinds[i].arrivals;
            code->flags[FLAG_BYTES] = kinds[i].bytes;
            return has_address(code);
        }
    return false;
}

static bool prepare_exchange(struct instruction *code)
{
    return has_address(code);
}

/* Prepares a wait. Without TRYWAIT it only looks, and what it finds depends on timing. */
static bool prepare_wait(struct instruction *code)
{
    return has_modifier(code, "TRYWAIT") && has_address(code);
}

static bool prepare_bulk_copy(struct instruction *code)
{
    return code->operand_count == 3 && code->operands[0].kind == OPERAND_ADDRESS && code->operands[0].based &&
           code->operands[1].kind == OPERAND_ADDRESS && code->operands[1].based &&
           code->operands[2].kind == OPERAND_ROW;
}

/* clang-format off */
const struct opcode mbarrier_opcodes[] = {
    {"SYNCS.EXCH.64",          exchange,  CONTROL_NEXT,       prepare_exchange,  "d", ""},
    {"SYNCS.ARRIVE.TRANS64",   arrive,    CONTROL_NEXT,       prepare_arrive,    "d", "A1T0 ART0 A0TR A1TR RED"},
    {"SYNCS.PHASECHK.TRANS64", NULL,      CONTROL_WAIT_PHASE, prepare_wait,      "p", "TRYWAIT"},
    {"UBLKCP.S.G",             bulk_copy, CONTROL_NEXT,       prepare_bulk_copy, "",  ""},
    {NULL, NULL, CONTROL_NEXT, NULL, NULL, NULL},
};
/* clang-format on */
