/* nvdisasm's text becomes instructions: each kind of operand, whatever the version writes, and what is not understood.
 */
#include "machine/machine.h"
#include "test.h"

static struct code *code;

/* One instruction, by itself. */
static const struct instruction *decoded(const char *guard, const char *opcode, const char *operands)
{
    static struct code_symbol symbols[] = {{"kernel", 0}, {"helper", 0x440}, {"cupy_divide", 0x880}, {"R2", 0x990}};
    const struct function_text function = {
        .name = "kernel", .symbols = symbols, .symbol_count = sizeof symbols / sizeof *symbols};
    json_t *list = json_pack("[{s:s, s:s, s:s}]", "predicate", guard, "opcode", opcode, "operands", operands);
    if (code)
        code_free(code);
    code = code_read(&function, list, opcode_find);
    json_decref(list);
    return code->list;
}

/* The word of an immediate. */
static uint32_t immediate(const struct operand *operand)
{
    cr_assert(operand->kind == OPERAND_ROW && operand->space == SPACE_CONSTANTS);
    const struct constant_row *row = &code->constants[operand->row / ROW_BYTES];
    cr_expect(row->immediate);
    return row->value;
}

static void put_row(FILE *stream, const struct operand *one)
{
    const struct constant_row *row = one->space == SPACE_CONSTANTS ? &code->constants[one->row / ROW_BYTES] : NULL;
    cr_expect(!row || !row->immediate || row->value == (uint32_t)one->value);
    if (!row)
        fprintf(stream, "r%u", one->row / ROW_BYTES);
    else if (row->immediate)
        fprintf(stream, "%#x", row->value);
    else
        fprintf(stream, "c%u[%#x]", row->bank, row->value);
}

/* As decode.txt has them. */
static void put_operand(FILE *stream, const struct operand *one)
{
    static const char *const halves[] = {"", ".low", ".high", ".single", ".crossed"};
    fprintf(stream, " %s%s", one->negate ? "-" : "", one->invert ? "!" : "");
    if (one->kind == OPERAND_ROW)
        put_row(stream, one);
    else if (one->kind == OPERAND_PREDICATE)
        fprintf(stream, "p%u", one->row / 4);
    else if (one->kind == OPERAND_SIGN)
        fprintf(stream, "sign of r%u", one->row / ROW_BYTES);
    else if (one->kind == OPERAND_BARRIER)
        fprintf(stream, "b%u", one->index);
    else if (one->kind == OPERAND_TARGET)
        fprintf(stream, "to %#x", (unsigned)one->value);
    else if (one->kind == OPERAND_CONSTANT)
        fprintf(stream, "c%u[r%u%+d]", one->index, one->row / ROW_BYTES, (int)one->value);
    else if (one->kind == OPERAND_ADDRESS)
        fprintf(stream, "[r%u%s*%u+r%u%+d]", one->row / ROW_BYTES, one->wide ? ".64" : "", one->scale,
                one->based ? one->base / ROW_BYTES : ROW_ZERO, (int)one->value);
    else
        fprintf(stream, "kind %u", one->kind);
    fputs(halves[one->half], stream);
}

static const struct instruction *decoded_of(const char *text)
{
    const char *parts[3];
    split_at(text, "|", parts, ARRAY_SIZE(parts));
    return decoded(parts[0], parts[1], parts[2]);
}

static void expect_understood(const char *where, const char *text, const char *words)
{
    static const char *const controls[CONTROL_UNKNOWN + 1] = {
        [CONTROL_NEXT] = "next",     [CONTROL_BRANCH] = "branch", [CONTROL_CALL] = "call",
        [CONTROL_RETURN] = "return", [CONTROL_OPEN] = "open",
    };
    const struct instruction *one = decoded_of(text);
    const char *const control = controls[one->control];
    PRINT(OWNED_TEXT, is, stream, {
        fputs(control ? control : "another", stream);
        if (one->guarded)
            fprintf(stream, " @%sp%u", one->guard_flip ? "!" : "", one->guard / 4);
        fputc(':', stream);
        for (unsigned i = 0; i < one->operand_count; i++)
            put_operand(stream, &one->operands[i]);
    });
    cr_expect_str_eq(is, words, "%s: %s", where, is);
}

TEXTS(decode, what_is_understood, "tests/unit/machine/sass/decode.txt#understood", expect_understood)

Test(decode, floats_of_the_uniform_path_are_no_work_of_threads)
{
    cr_expect_eq(decoded("", "FFMA", "R4,R5,R6,R7")->traits, (unsigned)(TRAIT_FP32 | TRAIT_FUSED));
    cr_expect_eq(decoded("", "UFFMA", "UR4,UR5,UR6,UR7")->traits, 0u);
}

static void expect_decimal(const char *where, const char *text, const char *words)
{
    const char *const opcode = cut_at(&text, " "), *const operands = cut_at(&text, "; ");
    const uint32_t word = immediate(&decoded("", opcode, operands)->operands[(size_t)leading_number(&text)]);
    cr_expect_eq(word, (uint32_t)leading_number(&words), "%s: 0x%x", where, word);
}

Test(decode, decimals_are_of_the_type_that_the_instruction_has)
{
    each_text("tests/unit/machine/sass/decode.txt#decimals", expect_decimal);
    const struct operand *wide = &decoded("", "DADD", "R2,R4,1.5")->operands[2];
    cr_expect_eq(immediate(wide), 0u);
    cr_expect_eq(code->constants[wide->high / ROW_BYTES].value, 0x3ff80000u);
}

static void expect_bad(const char *where, const char *text, const char *why)
{
    cr_expect_eq(decoded_of(text)->control, CONTROL_UNKNOWN, "%s: %s", where, why);
}

Test(decode, what_is_not_understood_is_not_simulated)
{
    each_text("tests/unit/machine/sass/decode.txt#bad", expect_bad);
    cr_expect_str_eq(decoded("", "FROB.64", "R1")->opcode, "FROB.64", "it can be named");
}
