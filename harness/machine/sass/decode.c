/* From nvdisasm's text to struct instruction. What is not understood becomes an instruction that is not simulated,
 * which matters only to a kernel that executes it. */
#include "decode.h"

#include "decode_parts.h"
#include "disassembly.h"
#include "encoding.h"

enum { TOKENS = 16 };

/* ---- Outputs ---- */

static bool insert(struct instruction *code, unsigned at, struct operand operand)
{
    if (code->operand_count == OPERANDS)
        return false;
    for (unsigned i = code->operand_count; i > at; i--)
        code->operands[i] = code->operands[i - 1];
    code->operands[at] = operand;
    code->operand_count++;
    return true;
}

/* Puts outputs that the text leaves out into their places. An output to RZ or PT goes to a row or mask that nobody
 * reads. */
static bool place_outputs(struct instruction *code, const char *outputs)
{
    const struct operand no_row = {
        .kind = OPERAND_ROW, .row = ROW_SINK * ROW_BYTES, .high = (ROW_SINK + 1) * ROW_BYTES};
    const struct operand no_mask = {.kind = OPERAND_PREDICATE, .row = MASK_SINK * 4};
    for (unsigned i = 0; outputs[i]; i++) {
        struct operand *here = i < code->operand_count ? &code->operands[i] : NULL;
        const bool row = here && here->kind == OPERAND_ROW && here->space == SPACE_WARP;
        const bool mask = here && here->kind == OPERAND_PREDICATE && !here->invert;
        if (outputs[i] == 'p') {
            if (!mask && !insert(code, i, no_mask))
                return false;
            if (mask && here->index == MASK_TRUE)
                here->row = MASK_SINK * 4;
            code->uniform |= mask && here->uniform;
            continue;
        }
        if (outputs[i] == 'D' && !row && !insert(code, i, no_row))
            return false;
        if (outputs[i] == 'd' && !row)
            return false;
        if (row) {
            const bool zero = here->index == (here->uniform ? 63 : 255);
            code->uniform |= here->uniform;
            if (zero)
                *here = no_row;
        }
    }
    return true;
}

/* ---- Instructions ---- */

static size_t split_operands(char *text, char **tokens)
{
    size_t count = 0;
    int depth = 0;
    char *start = text;
    for (char *at = text;; at++) {
        /* In R48[R76+0x1000] a comma is missing, and in [R7][R2.64]. */
        const bool glued = *at == '[' && depth == 0 && at > start && at[-1] != 'c' &&
                           (at[-1] != ']' || *start == '[') && at[-1] != 'x' &&
                           !(at - start == 4 && starts(start, "desc"));
        if (glued && count < TOKENS) {
            /* Here the token of the bracket begins. The register's token needs an end of its own. */
            memmove(at + 1, at, strlen(at) + 1);
            *at = ',';
        }
        depth += *at == '[' || *at == '{';
        depth -= *at == ']' || *at == '}';
        if (*at && (*at != ',' || depth > 0))
            continue;
        const bool last = !*at;
        *at = '\0';
        char *end = at;
        while (end > start && end[-1] == ' ')
            *--end = '\0';
        while (*start == ' ')
            start++;
        if (*start && count < TOKENS)
            tokens[count++] = start;
        if (last)
            return count;
        start = at + 1;
    }
}

/* Reads an opcode and its modifiers. False: there are more modifiers than fit. */
static bool read_opcode(struct decoder *decoder, struct instruction *code, const char *opcode)
{
    code->opcode = keep_text(decoder, opcode, strlen(opcode));
    for (const char *at = strchr(opcode, '.'); at;) {
        const size_t length = strcspn(at + 1, ".");
        if (code->modifier_count == MODIFIERS)
            return false;
        code->modifiers[code->modifier_count++] = keep_text(decoder, at + 1, length);
        at = at[1 + length] ? at + 1 + length : NULL;
    }
    modifiers_note(code);
    pace_set(code);
    return true;
}

/* Reads the guard of an instruction: "" or "@!P0". For P2R the text is PR, its first source, and the guard is among the
 * operands. False: the text is something else. */
static bool read_guard(struct instruction *code, const char *predicate)
{
    struct operand guard;
    code->guard = MASK_TRUE * 4;
    if (predicate[0] == '\0' || strcmp(predicate, "PR") == 0)
        return true;
    if (predicate[0] != '@' || !read_predicate(predicate + 1, &guard))
        return false;
    code->guard = guard.row;
    code->guard_flip = guard.invert ? ALL_LANES : 0;
    code->guarded = guard.index != MASK_TRUE || guard.invert;
    return true;
}

/* Reads the symbol that CALL or RET names last, as its offset. A function may have the name of anything else, such as
 * R2 or nan. */
static bool read_symbol(const struct function_text *function, const struct instruction *code, const char *text,
                        struct operand *operand)
{
    if (code->control != CONTROL_CALL && code->control != CONTROL_CALL_OUTSIDE && code->control != CONTROL_RETURN)
        return false;
    for (size_t s = 0; s < function->symbol_count; s++)
        if (strcmp(function->symbols[s].name, text) == 0) {
            const int64_t value = (int64_t)function->symbols[s].offset;
            *operand = (struct operand){.kind = OPERAND_TARGET, .scale = 1, .value = value};
            return true;
        }
    return false;
}

/* Returns whether the instruction has the operands that the loop which executes a warp takes for granted. */
static bool has_its_barrier(const struct instruction *code)
{
    bool found = code->control != CONTROL_OPEN && code->control != CONTROL_JOIN && code->control != CONTROL_BREAK;
    for (unsigned i = 0; i < code->operand_count; i++)
        found |= code->operands[i].kind == OPERAND_BARRIER;
    return found && (code->control != CONTROL_BRANCH_INDEXED || code->operand_count > 0);
}

static bool read_instruction(struct decoder *decoder, struct instruction *code, const char *opcode,
                             const char *predicate, const char *operands)
{
    const size_t length = strlen(operands);
    char *text = x_calloc(length + TOKENS + 1, 1), *tokens[TOKENS];
    memcpy(text, operands, length + 1);
    const bool named = read_opcode(decoder, code, opcode);
    const struct opcode *row = decoder->find(code->opcode);
    code->traits = row ? (unsigned)row->what & ~(CONTROLS - 1u) : 0;
    code->rule = row ? (unsigned char)(row->what >> RULE_SHIFT) : 0;
    if (code->opcode[0] == 'U') /* a float of the uniform path is in no counter of the threads' */
        code->traits &= ~(unsigned)(TRAIT_FP16 | TRAIT_FP32 | TRAIT_FP64 | TRAIT_FUSED);
    code->control = row ? row->what % CONTROLS : CONTROL_UNKNOWN;
    const size_t count = split_operands(text, tokens);
    bool good = named && count <= OPERANDS && read_guard(code, predicate);
    for (size_t i = 0; i < count && good; i++) {
        struct operand *operand = &code->operands[code->operand_count];
        if (tokens[i][0] == '@') {
            good = read_guard(code, tokens[i]);
            continue;
        }
        good = (i + 1 == count && read_symbol(decoder->function, code, tokens[i], operand)) ||
               (read_operand(decoder, code, tokens[i], operand) && operand->kind != OPERAND_WORD);
        code->operand_count++;
    }
    if (good)
        place_decimals(decoder, code);
    free(text);
    if (!good || !row || !modifiers_allowed(code, row))
        return false;
    code->run = row->run;
    const char *const outputs = row->outputs ? row->outputs : "d";
    if (!has_its_barrier(code) || !place_outputs(code, outputs))
        return false;
    code->output_count = (unsigned char)strlen(outputs);
    return !row->prepare || row->prepare(code);
}

static void read_tables(struct code *code, const struct function_text *function)
{
    if (!function->tables)
        return;
    code->bank2_size = function->tables_size;
    code->bank2 = x_calloc(code->bank2_size + 8, 1);
    memcpy(code->bank2, function->tables, code->bank2_size);
}

static size_t text_needed(const json_t *list)
{
    size_t size = 1;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        size += 2 * json_string_length(json_object_get(one, "opcode")) +
                json_string_length(json_object_get(one, "operands")) + (size_t)2 * (MODIFIERS + TOKENS);
    }
    return size;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* Returns whether warps of a block may tell each other by this instruction that something is written. That can be a
 * flag in shared memory, or a barrier that only some of them reach. */
static bool tells_others(const struct instruction *code)
{
    return code->traits & TRAIT_SIGNALS ||
           (code->traits & TRAIT_SIGNALS_SOME && (code->operand_count > 1 || !code->operands[0].immediate));
}

static bool has_fence(const struct instruction *code)
{
    return code->traits & TRAIT_FENCE || (code->traits & TRAIT_LOAD && has_modifier(code, "STRONG"));
}

static bool converts(const struct instruction *code)
{
    const bool is_zero = code->operands[1].row == ROW_ZERO * ROW_BYTES,
               sets = code->traits & TRAIT_FUSED && code->operands[2].row == ROW_ZERO * ROW_BYTES;
    return code->traits & TRAIT_FP16 && is_zero && (IS(F32) || sets);
}

/* Places in the code are counted from the beginning of a section. */
static void shift_target(const struct function_text *function, struct instruction *code)
{
    const bool jumps = code->control == CONTROL_BRANCH || code->control == CONTROL_BRANCH_DIVERGENT ||
                       code->control == CONTROL_BRANCH_ANY || code->control == CONTROL_CALL ||
                       code->control == CONTROL_OPEN;
    size_t begin = 0;
    for (size_t i = 0; i < function->part_count; i++)
        if ((size_t)code->index * INSTRUCTION_BYTES >= function->parts[i].begin)
            begin = function->parts[i].begin;
    for (unsigned i = 0; jumps && i < code->operand_count; i++)
        if (code->operands[i].kind == OPERAND_ROW && code->operands[i].immediate)
            code->operands[i].value += (int64_t)begin;
}

struct code *code_read(const struct function_text *function, const json_t *list, find_opcode *find)
{
    struct decoder decoder = {.function = function, .find = find, .code = x_calloc(1, sizeof *decoder.code)};
    struct code *code = decoder.code;
    code->count = json_array_size(list);
    code->list = x_aligned(_Alignof(struct instruction), (code->count + 1) * sizeof *code->list);
    decoder.text_size = text_needed(list);
    decoder.text = code->texts = x_calloc(decoder.text_size, 1);
    for (size_t i = 0; i < code->count; i++) {
        const json_t *one = json_array_get(list, i);
        struct instruction *instruction = &code->list[i];
        instruction->index = (unsigned)i;
        if (!read_instruction(&decoder, instruction, text_of(one, "opcode"), text_of(one, "predicate"),
                              text_of(one, "operands")))
            instruction->control = CONTROL_UNKNOWN;
        shift_target(function, instruction);
    }
    for (size_t i = 0; i < code->count; i++) {
        const struct operand *asked = operand_of(&code->list[i], OPERAND_SPECIAL);
        code->list[i].converts = converts(&code->list[i]);
        code->tells_others |= tells_others(&code->list[i]);
        code->has_flags |= (code->list[i].traits & TRAIT_SIGNALS) != 0;
        code->multiplies_apart |= code->list[i].apart;
        code->has_spins |= (code->list[i].traits & TRAIT_SPINS) != 0;
        code->has_copies |= (code->list[i].traits & TRAIT_ASYNC_COPY) != 0;
        code->has_fences |= has_fence(&code->list[i]);
        code->uses_window |= asked && strcmp(asked->word, "SR_SWINHI") == 0;
    }
    read_tables(code, function);
    return code;
}

void code_free(struct code *code)
{
    free(code->list);
    free(code->constants);
    free(code->bank2);
    free(code->texts);
    free(code);
}

/* The instructions of all parts. Caller releases the list. */
static json_t *all_parts(const struct function_text *function, const unsigned char *image, size_t size,
                         struct disassembler *disassembler, struct problem *problem)
{
    const struct code_part alone = {.name = function->name, .symbol = function->symbol};
    json_t *all = json_array();
    for (size_t i = 0; i < function->part_count + (function->part_count == 0); i++) {
        const struct code_part *part = function->part_count > 0 ? &function->parts[i] : &alone;
        json_t *whole, *one;
        size_t k;
        const json_t *list = disassemble(disassembler, &whole, image, size, part->name, part->symbol, problem);
        if (!list) {
            json_decref(all);
            return NULL;
        }
        json_array_foreach((json_t *)list, k, one) json_array_append(all, one);
        json_decref(whole);
    }
    return all;
}

struct code *code_open(const struct function_text *function, const unsigned char *image, size_t size,
                       struct disassembler *disassembler, find_opcode *find, struct problem *problem)
{
    json_t *list = all_parts(function, image, size, disassembler, problem);
    if (!list)
        return NULL;
    const size_t count = json_array_size(list), wanted = function->size / INSTRUCTION_BYTES;
    struct code *code = count == wanted ? code_read(function, list, find) : NULL;
    if (!code)
        problem_set(problem, "nvdisasm prints %zu instructions of %s, which has %zu", count, function->name, wanted);
    json_decref(list);
    if (code && encoding_check(function, code, problem) < 0) {
        code_free(code);
        return NULL;
    }
    if (code)
        encoding_scoreboards(function, code);
    return code;
}
