#include "needs.h"
#include "replay.h"

/* By the beginning of opcodes; the first row that fits counts. cycles: for which one holds the unit; 0: as many as
 * `of` says. Half-rate units take two cycles for a warp, quarter-rate ones four. */
enum of {
    OF_NONE,
    OF_SINGLE,
    OF_XU,
    OF_DOUBLE,
    OF_TENSOR,
    OF_MEMORY,
    OF_SHUFFLE,
    OF_SPECIAL,
    OF_CONSTANT,
    OF_GROUP,
    OF_SYNC
};
/* clang-format off */
static const struct unit_row {
    const char *begins;
    unsigned char unit, cycles, of;
    unsigned short what;
} rows[] = {
    {"FFMA", UNIT_FMA, 0, OF_SINGLE, 0}, {"FADD", UNIT_FMA, 0, OF_SINGLE, 0}, {"FMUL", UNIT_FMA, 0, OF_SINGLE, 0},
    {"HFMA2", UNIT_FMA, 1, 0, 0}, {"HADD2", UNIT_FMA, 1, 0, 0}, {"HMUL2", UNIT_FMA, 1, 0, 0},
    {"VIADD", UNIT_FMA, 2, 0, 0},
    {"IMAD.WIDE", UNIT_FMA, 4, 0, 0}, {"IMAD", UNIT_FMA, 2, 0, 0}, {"IDP", UNIT_FMA, 2, 0, 0},
    {"HGMMA", UNIT_NONE, 1, OF_GROUP, NEEDS_PRODUCT}, {"IGMMA", UNIT_NONE, 1, OF_GROUP, NEEDS_PRODUCT},
    {"QGMMA", UNIT_NONE, 1, OF_GROUP, NEEDS_PRODUCT}, {"BGMMA", UNIT_NONE, 1, OF_GROUP, NEEDS_PRODUCT}, {"WARPGROUP.DEPBAR", UNIT_NONE, 1, 0, NEEDS_PRODUCTS}, {"WARPGROUP", UNIT_NONE, 1, 0, 0},
    {"HMMA", UNIT_TENSOR, 0, OF_TENSOR, 0}, {"IMMA", UNIT_TENSOR, 0, OF_TENSOR, 0}, {"DMMA", UNIT_TENSOR, 0, OF_TENSOR, 0},
    {"DADD", UNIT_FP64, 0, OF_DOUBLE, 0}, {"DMUL", UNIT_FP64, 0, OF_DOUBLE, 0}, {"DFMA", UNIT_FP64, 0, OF_DOUBLE, 0},
    {"DSETP", UNIT_FP64, 0, OF_DOUBLE, 0}, {"DMNMX", UNIT_FP64, 0, OF_DOUBLE, 0},
    {"I2FP", UNIT_ALU, 2, 0, 0}, {"F2FP", UNIT_ALU, 2, 0, 0},
    {"MUFU", UNIT_XU, 0, OF_XU, 0}, {"POPC", UNIT_XU, 0, OF_XU, 0}, {"F2I", UNIT_XU, 0, OF_XU, 0}, {"I2F", UNIT_XU, 0, OF_XU, 0},
    {"F2F", UNIT_XU, 0, OF_XU, 0}, {"FRND", UNIT_XU, 0, OF_XU, 0}, {"FLO", UNIT_XU, 0, OF_XU, 0}, {"BREV", UNIT_XU, 0, OF_XU, 0},
    {"REDUX", UNIT_XU, 16, OF_XU, 0}, {"MATCH", UNIT_XU, 16, OF_XU, 0}, {"CREDUX", UNIT_XU, 16, OF_XU, 0},
    {"SHFL", UNIT_MEMORY, 0, OF_SHUFFLE, NEEDS_SHUFFLE},
    {"LDC", UNIT_NONE, 1, OF_CONSTANT, 0}, {"ULDC", UNIT_NONE, 1, OF_CONSTANT, 0},
    {"LDGDEPBAR", UNIT_NONE, 1, 0, NEEDS_COMMIT}, {"UTMACMDFLUSH", UNIT_NONE, 1, 0, NEEDS_COMMIT},
    {"UBLK", UNIT_NONE, 1, 0, 0}, {"UTMA", UNIT_NONE, 1, 0, 0}, {"SYNCS", UNIT_MEMORY, 0, OF_SYNC, 0}, {"LD", UNIT_MEMORY, 0, OF_MEMORY, 0}, {"ST", UNIT_MEMORY, 0, OF_MEMORY, 0}, {"ATOM", UNIT_MEMORY, 0, OF_MEMORY, 0},
    {"RED.", UNIT_MEMORY, 0, OF_MEMORY, 0},
    {"S2R", UNIT_NONE, 1, OF_SPECIAL, 0}, {"CS2R", UNIT_NONE, 1, OF_SPECIAL, 0}, {"S2UR", UNIT_NONE, 1, OF_SPECIAL, 0},
    {"BSSY", UNIT_BRANCH, 2, 0, 0},
    {"BRA", UNIT_BRANCH, 2, 0, NEEDS_BRANCH}, {"BSYNC", UNIT_BRANCH, 2, 0, NEEDS_BRANCH}, {"BREAK", UNIT_BRANCH, 2, 0, NEEDS_BRANCH},
    {"CALL", UNIT_BRANCH, 2, 0, NEEDS_BRANCH}, {"RET", UNIT_BRANCH, 2, 0, NEEDS_BRANCH}, {"BRX", UNIT_BRANCH, 2, 0, NEEDS_BRANCH},
    {"WARPSYNC", UNIT_BRANCH, 2, 0, NEEDS_BRANCH},
    {"EXIT", UNIT_NONE, 1, 0, NEEDS_END}, {"NOP", UNIT_NONE, 1, 0, 0}, {"DEPBAR", UNIT_NONE, 1, 0, NEEDS_GROUPS}, {"YIELD", UNIT_NONE, 1, 0, 0},
    {"BAR.ARV", UNIT_NONE, 1, 0, NEEDS_ARRIVAL}, {"BAR", UNIT_NONE, 1, 0, 0}, {"NANOSLEEP", UNIT_NONE, 1, 0, 0},
    {"MEMBAR", UNIT_NONE, 1, 0, NEEDS_FENCE}, {"ERRBAR", UNIT_NONE, 1, 0, 0},
    {"CCTL.E.PF2", UNIT_MEMORY, 0, OF_MEMORY, NEEDS_PREFETCH | NEEDS_STRONG},
    {"CCTL.E.PF1", UNIT_MEMORY, 0, OF_MEMORY, NEEDS_PREFETCH}, {"CCTL", UNIT_NONE, 1, 0, NEEDS_EMPTY_L1},
    {"R2UR", UNIT_UNIFORM, 2, 0, 0}, {"U", UNIT_UNIFORM, 2, 0, 0},
    {"", UNIT_ALU, 2, 0, 0},
};
/* clang-format on */

static const struct unit_row *find_row(const char *opcode)
{
    const struct unit_row *row = rows;
    while (strncmp(opcode, row->begins, strlen(row->begins)) != 0)
        row++;
    return row;
}

/* Cycles for which a product of matrices holds the tensor cores of a scheduler, against one of 16 x 8 x 16 halves. */
static double product_size(const char *opcode)
{
    return strstr(opcode, "DMMA")                              ? 2
           : strstr(opcode, "16816.F32.TF32")                  ? 2
           : strstr(opcode, "1688.F32.TF32")                   ? 1
           : strstr(opcode, "1688")                            ? 0.5
           : strstr(opcode, "16816") && strstr(opcode, "IMMA") ? 0.5
                                                               : 1;
}

/* Cycles for which a product of a warpgroup holds the tensor cores of its schedulers: by its columns, and by what it
 * reads of shared memory, 128 bytes in a cycle. */
static double group_cycles(const char *opcode, bool left_from_memory, const struct timing *timing)
{
    enum { LEFT_ROWS = 64 };
    const char *columns = strstr(opcode, "64x");
    const double count = columns ? strtod(columns + 3, NULL) : LEFT_ROWS;
    const double read = (count + (left_from_memory ? LEFT_ROWS : 0)) / 4, products = timing->group_product * count;
    return read > products ? read : products;
}

static void set_times(struct needs *needs, const struct unit_row *row, const char *opcode, bool left_from_memory,
                      const struct timing *timing)
{
    enum {
        COMPUTES = 14
    }; /* cycles until an answer is there that a scoreboard counts, of a unit that has none as a rule */
    needs->latency = COMPUTES;
    needs->cycles = row->cycles;
    switch ((enum of)row->of) {
    case OF_XU:
        needs->cycles = row->cycles ? row->cycles : timing->xu;
        needs->latency = row->cycles ? 2.5 * row->cycles : timing->xu_latency;
        break;
    case OF_SINGLE:
        needs->cycles = timing->single;
        break;
    case OF_DOUBLE:
        needs->cycles = timing->double_precision;
        needs->latency = timing->double_latency;
        break;
    case OF_TENSOR:
        needs->cycles = timing->tensor * product_size(opcode);
        needs->latency = timing->tensor_latency;
        break;
    case OF_MEMORY:
    case OF_SHUFFLE:
        needs->cycles = timing->issue_memory;
        needs->latency = timing->shuffle_latency;
        break;
    case OF_GROUP:
        needs->cycles = group_cycles(opcode, left_from_memory, timing);
        needs->latency = timing->group_latency;
        break;
    case OF_SYNC:
        needs->cycles = timing->issue_memory;
        needs->latency = timing->shared_latency;
        break;
    case OF_SPECIAL:
        needs->latency = timing->special_latency;
        break;
    case OF_CONSTANT:
        needs->latency = timing->constant_latency;
        break;
    case OF_NONE:
        break;
    }
}

unsigned char *replay_rows(const struct function *function)
{
    const struct code *code = function->code;
    unsigned char *list = x_calloc(code->count + 1, sizeof *list);
    for (size_t i = 0; i < code->count; i++)
        list[i] = (unsigned char)(find_row(code->list[i].opcode) - rows);
    return list;
}

static bool ends_group(const struct instruction *code)
{
    return code->operand_count && code->operands[code->operand_count - 1].kind == OPERAND_SPECIAL;
}

/* Into RZ nothing is computed. */
static bool only_ends_group(const struct instruction *code)
{
    return code->apart && code->operands[0].kind == OPERAND_ROW && code->operands[0].row == ROW_SINK * ROW_BYTES;
}

struct needs *needs_of(const struct function *function, const struct timing *timing, const unsigned char *row_of)
{
    const struct code *code = function->code;
    struct needs *list = x_calloc(code->count + 1, sizeof *list);
    for (size_t i = 0; i < code->count; i++) {
        const struct instruction *one = &code->list[i];
        const struct unit_row *row = &rows[row_of[i]];
        const struct control_bits bits = encoding_control(&function->text, i);
        struct needs *needs = &list[i];
        needs->unit = row->unit;
        needs->what = row->what;
        needs->stall = bits.stall > 1 ? bits.stall : 1;
        needs->write_barrier = bits.write_barrier;
        needs->read_barrier = bits.read_barrier;
        needs->waits = bits.waits;
        needs->groups =
            one->operand_count == 2 && one->operands[1].immediate ? (unsigned char)one->operands[1].value : 0;
        set_times(needs, row, one->opcode, one->operand_count > 1 && one->operands[1].kind == OPERAND_DESCRIPTOR,
                  timing);
        needs->what |= needs->what & NEEDS_PRODUCT && ends_group(one) ? NEEDS_PRODUCTS_END : 0;
        if (only_ends_group(one))
            needs->cycles = 0;
        if (has_modifier(one, "CTA") && needs->what & NEEDS_FENCE)
            needs->what = NEEDS_BLOCK_FENCE;
        if (needs->what & NEEDS_FENCE)
            needs->latency = has_modifier(one, "SYS") ? timing->fence_system : timing->fence;
        needs->what |=
            has_modifier(one, "STRONG") && (has_modifier(one, "GPU") || has_modifier(one, "SYS")) ? NEEDS_STRONG : 0;
        needs->what |= has_modifier(one, "BYPASS") ? NEEDS_STRONG : 0;
        needs->what |= has_modifier(one, "128") ? NEEDS_WIDE : 0;
    }
    return list;
}

/* What the blocks of a launch execute: the one that executes most, and the mean; how many warps they have. */
#define UNEVEN 3
struct work {
    double busiest, mean;
    uint64_t warps;
};

/* Whether the answer of an atomic in global memory may decide which ways warps go, so that those of other blocks do.
 * Where each warp asks once, and no block does much more than the others, what differs is a place in memory, or which
 * block is the last. */
static bool may_steer(const struct instruction *code, const struct tally *tally, const struct work *work)
{
    const bool answered =
        code->traits & TRAIT_ATOMIC && code->traits & (TRAIT_GLOBAL | TRAIT_GENERIC) && code->output_count > 0;
    return answered && (IS_OF(code, CAS) || tally->executed > work->warps || work->busiest > UNEVEN * work->mean);
}

static const char *why_refused(const struct instruction *code, const struct tally *tally, const struct work *work)
{
    if (depends_on_timing(tally) || code->polls || code->traits & TRAIT_SPINS)
        return "its warps wait for other warps in a loop";
    if (tally->home_bytes[HOME_HOST] || tally->home_bytes[HOME_MANAGED])
        return "accesses to host or managed memory have no calibrated times";
    if (may_steer(code, tally, work))
        return "its branches may depend on an atomic's result";
    if (code->apart && has_modifier(code, "SP"))
        return "sparse matrix products have no calibrated times";
    const bool looks = strncmp(code->opcode, "SYNCS.PHASECHK", 14) == 0 && code->control != CONTROL_WAIT_PHASE;
    if (looks || has_modifier(code, "OPTOUT"))
        return "its warps may do other work while waiting";
    if (code->control == CONTROL_WAIT_CLUSTER)
        return "clusters have no calibrated times";
    if (code->rule == RULE_TEXTURE >> RULE_SHIFT || strncmp(code->opcode, "SU", 2) == 0)
        return "textures and surfaces have no calibrated times";
    if (strncmp(code->opcode, "UTMAPF", 6) == 0)
        return "prefetches of tiles have no calibrated times";
    return NULL;
}

const char *replay_refused(const struct grid *grid, const struct tally *tallies, size_t *where)
{
    const struct code *code = grid->function->code;
    const uint64_t blocks = grid_blocks(grid);
    const uint64_t warps = blocks * ((grid->threads[0] * grid->threads[1] * grid->threads[2] + LANES - 1) / LANES);
    struct work work = {.busiest = (double)tallies->busiest_block, .warps = warps};
    const char *why = NULL;
    for (size_t i = 0; i < code->count; i++)
        work.mean += (double)tallies[i].executed / (double)blocks;
    *where = 0;
    if (code->count > RECORDED_INDEX_MOST)
        return "its code has more instructions than can be recorded";
    for (size_t i = 0; i < code->count && !why; i++) {
        why = tallies[i].executed ? why_refused(&code->list[i], &tallies[i], &work) : NULL;
        *where = i;
    }
    return why;
}
