/* fuzz_decode - any text as the output of nvdisasm of instructions, a line each: GUARD;OPCODE;OPERANDS, and its bytes
 * as the machine code. No crash, no read outside, and operands that lie where a warp has rows, masks and barriers, or
 * an instruction that is not simulated. */
#include "machine/block/block.h"
#include "machine/machine.h"

#include "fuzz.h"

static void check_operand(const struct code *code, const struct operand *operand)
{
    const uint32_t end =
        operand->space == SPACE_CONSTANTS ? (uint32_t)code->constant_count * ROW_BYTES : ROWS * ROW_BYTES;
    switch ((enum operand_kind)operand->kind) {
    case OPERAND_ROW:
    case OPERAND_CONSTANT:
        require(operand->row % ROW_BYTES == 0 && operand->row < end, "a row that there is not");
        require(operand->high % ROW_BYTES == 0 && operand->high < end, "an upper row that there is not");
        break;
    case OPERAND_ADDRESS:
        require(operand->row < end && operand->high < end && operand->base < end && operand->base_high < end,
                "an address out of rows that there are not");
        break;
    case OPERAND_DESCRIPTOR:
        require(operand->row % ROW_BYTES == 0 && operand->row + 4 * ROW_BYTES <= ROWS * ROW_BYTES,
                "a descriptor out of rows that there are not");
        break;
    case OPERAND_PREDICATE:
        require(operand->row % 4 == 0 && operand->row < MASKS * 4, "a mask that there is not");
        break;
    case OPERAND_BARRIER:
        require(operand->index < BARRIERS, "a barrier that there is not");
        break;
    case OPERAND_SPECIAL:
    case OPERAND_WORD:
        require(operand->word != NULL, "a word without text");
        break;
    default:
        break;
    }
}

static void check_instruction(const struct code *code, const struct instruction *one)
{
    bool has_barrier = false;
    require(one->opcode != NULL && one->modifier_count <= MODIFIERS, "an opcode without a name");
    if (one->control == CONTROL_UNKNOWN)
        return;
    require(one->operand_count <= OPERANDS && one->guard < MASKS * 4, "an instruction with too much");
    for (unsigned i = 0; i < one->operand_count; i++) {
        check_operand(code, &one->operands[i]);
        has_barrier |= one->operands[i].kind == OPERAND_BARRIER;
    }
    require(has_barrier || (one->control != CONTROL_OPEN && one->control != CONTROL_JOIN),
            "a join without its barrier");
}

static json_t *read_lines(char *text)
{
    json_t *list = json_array();
    for (char *line = text, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        const char *words[3];
        for (size_t i = 0; i < ARRAY_SIZE(words); i++)
            words[i] = strsep(&line, ";");
        static const char *const keys[] = {"predicate", "opcode", "operands"};
        json_t *one = json_object();
        for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
            if (words[i] && *words[i])
                json_object_set_new(one, keys[i], json_string(words[i]));
        json_array_append_new(list, one);
    }
    return list;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct code_symbol symbol = {"f", 0};
    struct problem problem;
    const struct function_text function = {
        .name = "f", .bytes = data, .size = size, .symbols = &symbol, .symbol_count = 1};
    OWNED_TEXT text = x_calloc(size + 1, 1);
    memcpy(text, data, size);
    json_t *list = read_lines(text);
    struct code *code = code_read(&function, list, opcode_find);
    require(code->count == json_array_size(list), "an instruction is lost");
    for (size_t i = 0; i < code->count; i++)
        check_instruction(code, &code->list[i]);
    encoding_check(&function, code, &problem);
    code_free(code);
    json_decref(list);
    return 0;
}
