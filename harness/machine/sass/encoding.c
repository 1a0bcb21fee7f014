/* In every instruction, bits 12 to 15 are the predicate and the bits from 9 on the form. The form says what the second
 * word is. In forms 2 and 4 it is an immediate. In forms 3 and 5 it is a constant: its offset in bytes begins at bit 6,
 * its bank at bit 22. That held in 220,000 instructions of nvcc 13.0 for compute capability 9.0. LDCU, which came
 * with 10.0, has its offset from bit 5 on. MOV.64 of 12.0 has an immediate of 64 bits, which begins in the first word.
 */
#include "encoding.h"

bool encoding_word(const struct function_text *function, size_t index, uint32_t *word)
{
    if (!function->bytes || index >= function->size / INSTRUCTION_BYTES)
        return false;
    memcpy(word, function->bytes + index * INSTRUCTION_BYTES + sizeof *word, sizeof *word);
    return true;
}

/* Returns whether the second word is an immediate among the operands. It is none where it is a branch target or an
 * address, nor in some opcodes. */
static bool has_immediate(const struct instruction *code)
{
    for (unsigned i = 0; i < code->operand_count; i++)
        if (code->operands[i].kind == OPERAND_ADDRESS)
            return false;
    return code->control == CONTROL_NEXT && !(code->traits & TRAIT_NO_IMMEDIATE);
}

static bool is_same(const struct instruction *code, uint32_t first, uint32_t word)
{
    const unsigned form = first >> 9 & 7, predicate = first >> 12 & 15;
    const unsigned offset_from = code->traits & TRAIT_LOW_OFFSET ? 5 : 6;
    const unsigned number_from = code->traits & TRAIT_LOW_IMMEDIATE ? 24 : 32;
    bool numbers = false, found = false;
    if ((code->guard / 4 & 7) != (predicate & 7) || (code->guard_flip != 0) != (predicate >> 3))
        return false;
    for (unsigned i = 0; i < code->operand_count; i++) {
        const struct operand *operand = &code->operands[i];
        const bool row = operand->kind == OPERAND_ROW && operand->space == SPACE_CONSTANTS;
        if (row && operand->immediate) {
            numbers = true;
            found |= (((uint64_t)word << 32 | first) >> number_from & UINT32_MAX) == (uint32_t)operand->value;
        } else if ((row || operand->kind == OPERAND_CONSTANT) &&
                   ((form != 3 && form != 5) || (word >> offset_from & 0xffff) != ((uint32_t)operand->value & 0xffff) ||
                    (word >> 22 & 31) != operand->index)) {
            return false;
        }
    }
    return found || !numbers || (form != 2 && form != 4) || !has_immediate(code);
}

int encoding_check(const struct function_text *function, const struct code *code, struct problem *problem)
{
    for (size_t i = 0; i < code->count; i++) {
        uint32_t first, word;
        if (!encoding_word(function, i, &word))
            return problem_set(problem, "not simulated: %s has fewer instructions than its text", function->name);
        memcpy(&first, function->bytes + i * INSTRUCTION_BYTES, sizeof first);
        if (code->list[i].control != CONTROL_UNKNOWN && !is_same(&code->list[i], first, word))
            return problem_set(problem,
                               "not simulated: nvdisasm's text of %s+0x%zx, %s, does not match the machine code: "
                               "remove its copy in ~/.cache/cugate",
                               function->name, i * INSTRUCTION_BYTES, code->list[i].opcode);
    }
    return 0;
}

/* Returns whether the answer comes from global memory, as far as the opcode says. */
static bool answers_from_global(unsigned traits)
{
    return traits & (TRAIT_GLOBAL | TRAIT_GENERIC) && traits & (TRAIT_LOAD | TRAIT_ATOMIC) &&
           !(traits & TRAIT_ASYNC_COPY);
}

/* From bit 105 on there are four bits for the cycles until the warp's next instruction, one that lets others go first,
 * three for the scoreboard that counts the answer (7: none), three for the one that counts reads of the operands, and
 * six more, one for each scoreboard that the instruction waits for. So it is since Volta: Jia et al., "Dissecting the
 * NVIDIA Volta GPU Architecture via Microbenchmarking", 2018, section 2.1. The second counts groups of copies from
 * shared memory, too: nvcc has DEPBAR wait for it, and kernels of cuBLAS 13 the instruction that needs it. */
struct control_bits encoding_control(const struct function_text *function, size_t index)
{
    enum { UPPER = 8, STALL = 105 - 64, ANSWERS = 110 - 64, READS = 113 - 64, WAITS = 116 - 64 };
    struct control_bits bits = {.write_barrier = SCOREBOARD_NONE, .read_barrier = SCOREBOARD_NONE};
    uint64_t word;
    if (!function->bytes || index >= function->size / INSTRUCTION_BYTES)
        return bits;
    memcpy(&word, function->bytes + index * INSTRUCTION_BYTES + UPPER, sizeof word);
    bits.stall = word >> STALL & 15;
    bits.write_barrier = word >> ANSWERS & 7;
    bits.read_barrier = word >> READS & 7;
    bits.waits = word >> WAITS & 0x3f;
    return bits;
}

void encoding_scoreboards(const struct function_text *function, struct code *code)
{
    for (size_t i = 0; i < code->count; i++) {
        struct instruction *one = &code->list[i];
        const struct control_bits bits = encoding_control(function, i);
        one->waits_for = (unsigned short)(bits.waits | bits.waits << SCOREBOARDS);
        if (bits.write_barrier < SCOREBOARDS && answers_from_global(one->traits))
            one->counted_by = (unsigned short)(1u << bits.write_barrier);
        const unsigned groups = bits.read_barrier < SCOREBOARDS ? bits.read_barrier : bits.write_barrier;
        if (groups < SCOREBOARDS && one->traits & TRAIT_COMMITS)
            one->counted_by = (unsigned short)(1u << groups << SCOREBOARDS);
    }
}
