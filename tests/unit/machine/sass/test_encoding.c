/* Text and the 16 bytes that it is of: what of an immediate only these say, and whether both say the same. */
#include "machine/machine.h"

#include "test.h"

static struct code *code;
static struct problem problem;

enum { IMMEDIATE_LAST = 2, IMMEDIATE = 4, CONSTANT = 5, REGISTERS = 1, ALWAYS = 7 };

/* Whether one instruction is that of an encoding with such a form, predicate and second word. */
static bool agrees(const char *guard, const char *opcode, const char *operands, unsigned form, unsigned predicate,
                   uint32_t word)
{
    const uint32_t words[INSTRUCTION_BYTES / 4] = {predicate << 12 | form << 9, word};
    const struct function_text function = {
        .name = "kernel", .bytes = (const unsigned char *)words, .size = sizeof words};
    json_t *list = json_pack("[{s:s, s:s, s:s}]", "predicate", guard, "opcode", opcode, "operands", operands);
    if (code)
        code_free(code);
    code = code_read(&function, list, opcode_find);
    json_decref(list);
    cr_assert_neq(code->list->control, CONTROL_UNKNOWN, "%s %s", opcode, operands);
    problem.text[0] = '\0';
    return encoding_check(&function, code, &problem) == 0;
}

static uint32_t immediate_at(uint32_t row)
{
    cr_assert(code->constants[row / ROW_BYTES].immediate);
    return code->constants[row / ROW_BYTES].value;
}

static void expect_immediate(const char *where, const char *text, const char *words)
{
    const char *const opcode = cut_at(&text, " "), *const operands = cut_at(&text, "; ");
    const size_t n = (size_t)leading_number(&text);
    cr_expect(agrees("", opcode, operands, IMMEDIATE, ALWAYS, (uint32_t)leading_number(&text)), "%s", problem.text);
    const struct operand *operand = &code->list->operands[n];
    const uint32_t low = (uint32_t)leading_number(&words), high = (uint32_t)leading_number(&words);
    cr_expect(immediate_at(operand->row) == low && immediate_at(operand->high) == high, "%s", where);
}

TEXTS(encoding, an_immediate_has_the_bits_of_the_encoding, "tests/unit/machine/sass/encoding.txt#immediates",
      expect_immediate)

static void expect_another(const char *where, const char *text, const char *words)
{
    const char *const opcode = cut_at(&text, " ");
    const uint32_t word = (uint32_t)leading_number(&words);
    cr_expect_not(agrees("", opcode, text, IMMEDIATE_LAST, ALWAYS, word), "%s", where);
    cr_expect_eq(strncmp(problem.text, "not simulated: nvdisasm's text of kernel+0x0, ", 46), 0, "%s", problem.text);
}

TEXTS(encoding, another_number_is_not_simulated, "tests/unit/machine/sass/encoding.txt#others", expect_another)

Test(encoding, predicates_and_constants_are_compared_as_well)
{
    cr_expect(agrees("@!P3", "MOV", "R1,R2", REGISTERS, 0xb, 0));
    cr_expect(agrees("@UP1", "UMOV", "UR4,0x7", IMMEDIATE, 1, 7));
    cr_expect(agrees("PR", "P2R", "R30,RZ,0x8", IMMEDIATE, ALWAYS, 8));
    cr_expect_not(agrees("@P3", "MOV", "R1,R2", REGISTERS, 0xb, 0));
    cr_expect_not(agrees("@!P2", "MOV", "R1,R2", REGISTERS, 0xb, 0));
    cr_expect_not(agrees("", "MOV", "R1,R2", REGISTERS, 0xf, 0));
    cr_expect(agrees("", "LDC", "R1,c[0x0][0x28]", CONSTANT, ALWAYS, 0x28 << 6));
    cr_expect(agrees("", "ULDC", "UR6,c[0x3][UR6+0x10]", CONSTANT, ALWAYS, 3u << 22 | 0x10 << 6));
    cr_expect_not(agrees("", "LDC", "R1,c[0x0][0x28]", CONSTANT, ALWAYS, 0x2c << 6));
    cr_expect_not(agrees("", "LDC", "R1,c[0x3][0x28]", CONSTANT, ALWAYS, 0x28 << 6));
    cr_expect_not(agrees("", "MOV", "R1,c[0x0][0x28]", REGISTERS, ALWAYS, 0x28 << 6));
}

/* Places to go to, tables and shifts lie elsewhere. */
Test(encoding, other_numbers_are_none_of_its_business)
{
    cr_expect(agrees("@P0", "BRA", "0x440", IMMEDIATE, 0, 0x123));
    cr_expect(agrees("", "BSSY", "B0,0x440", IMMEDIATE, ALWAYS, 0x123));
    cr_expect(agrees("", "LDG.E", "R4,desc[UR4][R2.64+0x10]", IMMEDIATE, ALWAYS, 0x1000));
    cr_expect(agrees("", "LEA", "R4,R2,R3,0x4", REGISTERS, ALWAYS, 3));
    cr_expect(agrees("", "PLOP3.LUT", "P0,P1,P2,P3,PT,0x80,0x8", IMMEDIATE, ALWAYS, 0));
    cr_expect(agrees("", "SHFL.BFLY", "PT,R1,R2,0x10,0x1f", IMMEDIATE, ALWAYS, 0x0e001f00));
}

/* As nvcc 13.0 makes them: a load whose answer scoreboard 2 counts, and an addition that waits for that one. As cuBLAS
 * has it: a group of copies that scoreboard 3 counts. */
Test(encoding, loads_and_what_waits_for_them_name_a_scoreboard)
{
    static const struct {
        const char *opcode, *operands;
        uint64_t upper;
        unsigned waits, counts;
    } cases[] = {
        {"LDG.E", "R2,desc[UR4][R4.64]", UINT64_C(2) << 46 | UINT64_C(7) << 49, 0, 1 << 2},
        {"LDG.E", "R2,desc[UR4][R4.64]", UINT64_C(7) << 46 | UINT64_C(0x21) << 52, 0x21, 0},
        {"LDS", "R2,[R4]", UINT64_C(2) << 46, 0, 0},
        {"UTMACMDFLUSH", "", UINT64_C(7) << 46 | UINT64_C(3) << 49, 0, 1 << 3 << SCOREBOARDS},
        {"IADD3", "R2,R3,R4,R5", UINT64_C(7) << 46 | UINT64_C(4) << 52 | UINT64_C(15) << 58, 4, 0},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const uint64_t words[] = {0, cases[i].upper};
        const struct function_text function = {
            .name = "kernel", .bytes = (const unsigned char *)words, .size = sizeof words};
        (void)agrees("", cases[i].opcode, cases[i].operands, REGISTERS, ALWAYS, 0);
        encoding_scoreboards(&function, code);
        cr_expect_eq(code->list->waits_for, cases[i].waits | cases[i].waits << SCOREBOARDS, "%s", cases[i].opcode);
        cr_expect_eq(code->list->counted_by, cases[i].counts, "%s", cases[i].opcode);
    }
}
