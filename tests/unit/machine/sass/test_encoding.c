/* Text and the 16 bytes that it is of: what of an immediate only these say, and whether both say the same. */
#include "machine/block.h"

#include <criterion/criterion.h>

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

Test(encoding, an_immediate_has_the_bits_of_the_encoding)
{
    static const struct {
        const char *opcode, *operands;
        unsigned n;
        uint32_t word, low, high;
    } cases[] = {
        {"FSEL", "R9,R5,+QNAN ,!P0", 2, 0x7ff00000, 0x7ff00000, 0},
        {"FSEL", "R9,R5,-QNAN ,!P0", 2, 0xfff00001, 0xfff00001, 0},
        {"FADD", "R3,R2,+SNAN ", 2, 0x7f800001, 0x7f800001, 0},
        {"FADD", "R3,R2,0.10000000149011611938", 2, 0x3dcccccd, 0x3dcccccd, 0},
        {"FSEL", "R7,R6,-4.2038953929744512128e-45,!P0", 2, 0x80000003, 0x80000003, 0},
        {"DADD", "R4,R2,0.099999964237213134766", 2, 0x3fb99999, 0, 0x3fb99999},
        {"DMUL", "R4,R2,+INF ", 2, 0x7ff00000, 0, 0x7ff00000},
        {"DMUL", "R4,R2,+QNAN ", 2, 0x7ff00001, 0, 0x7ff00001},
        {"MUFU.RCP64H", "R1,+QNAN ", 1, 0x7ff12345, 0x7ff12345, 0},
        {"HFMA2.MMA", "R9,R2,+SNAN ,5.9604644775390625e-08,-RZ", 2, 0x7c010001, 0x7c010001, 0},
        {"HFMA2.MMA", "R11,R2,R2,-INF ,+QNAN ", 3, 0xfc007e00, 0xfc007e00, 0},
        {"HFMA2.MMA.BF16_V2", "R9,R2,+QNAN ,+SNAN ,-RZ", 2, 0x7fc07f81, 0x7fc07f81, 0},
        {"HADD2.BF16_V2", "R7,R2,9.183549615799121156e-41,0.10009765625", 2, 0x00013dcd, 0x00013dcd, 0},
        {"VHMNMX", "R7,R2,R3,1,-65504,PT", 3, 0x3c00fbff, 0x3c00fbff, 0},
        {"MUFU.EX2.F16", "R1,-2", 1, 0xc000, 0xc000, 0},
        {"F2I.U64.F64.CEIL", "R4,1.5", 1, 0x3ff80000, 0, 0x3ff80000},
        {"F2I.U64.F16.CEIL", "R8,65504", 1, 0x7bff, 0x7bff, 0},
        {"I2F.U64.RP", "R5,0x80000000", 1, 0x80000000, 0, 0x80000000},
        {"I2F.F64.S64.RM", "R8,-0x40000000", 1, 0xc0000000, 0, 0xc0000000},
        {"I2F.F64.U32", "R8,0x40000000", 1, 0x40000000, 0x40000000, 0},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        cr_expect(agrees("", cases[i].opcode, cases[i].operands, IMMEDIATE, ALWAYS, cases[i].word), "%s", problem.text);
        const struct operand *operand = &code->list->operands[cases[i].n];
        cr_expect_eq(immediate_at(operand->row), cases[i].low, "%s %s", cases[i].opcode, cases[i].operands);
        cr_expect_eq(immediate_at(operand->high), cases[i].high, "%s %s", cases[i].opcode, cases[i].operands);
    }
}

Test(encoding, another_number_is_not_simulated)
{
    static const struct {
        const char *opcode, *operands;
        uint32_t word;
    } cases[] = {
        {"FADD", "R3,R2,1.5", 0x3fc00001},
        {"FADD", "R3,R2,0", 0x80000000},
        {"FSEL", "R9,R5,+QNAN ,!P0", 0xfff00000},
        {"FSEL", "R9,R5,+QNAN ,!P0", 0x7f800000},
        {"FSEL", "R9,R5,+INF ,!P0", 0x7f800001},
        {"DADD", "R4,R2,1.5", 0x3fc00000},
        {"HADD2", "R7,R2,1,2", 0x40003c00},
        {"HADD2", "R7,R2,+QNAN ,2", 0x7c004000},
        {"IADD3", "R4,R2,0x10,RZ", 0x11},
        {"IMAD.MOV.U32", "R4,RZ,RZ,-0x1", 1},
        {"LOP3.LUT", "R4,R2,0xff,RZ,0xc0,!PT", 0xfe},
        {"I2F.U64.RP", "R5,0x80000000", 0x40000000},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        cr_expect_not(agrees("", cases[i].opcode, cases[i].operands, IMMEDIATE_LAST, ALWAYS, cases[i].word), "%s %s",
                      cases[i].opcode, cases[i].operands);
        cr_expect_eq(strncmp(problem.text, "not simulated: nvdisasm's text of kernel+0x0, ", 46), 0, "%s",
                     problem.text);
    }
}

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
