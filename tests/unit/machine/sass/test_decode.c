/* nvdisasm's text becomes instructions: each kind of operand, whatever the version writes, and what is not understood.
 */
#include "machine/block.h"
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

static bool is_simulated(const char *guard, const char *opcode, const char *operands)
{
    return decoded(guard, opcode, operands)->control != CONTROL_UNKNOWN;
}

static void expect_row(const struct operand *operand, unsigned space, unsigned row)
{
    cr_expect_eq(operand->kind, OPERAND_ROW);
    cr_expect_eq(operand->space, space);
    if (space == SPACE_WARP)
        cr_expect_eq(operand->row, row * ROW_BYTES, "row %u", operand->row / ROW_BYTES);
}

/* The word of an immediate. */
static uint32_t immediate(const struct operand *operand)
{
    expect_row(operand, SPACE_CONSTANTS, 0);
    const struct constant_row *row = &code->constants[operand->row / ROW_BYTES];
    cr_expect(row->immediate);
    return row->value;
}

Test(decode, registers_with_signs_and_parts)
{
    const struct instruction *one = decoded("@!P3", "IADD3", "R4,P0,P1,-R5.reuse,UR6,RZ");
    cr_assert_eq(one->control, CONTROL_NEXT);
    cr_expect_eq(one->guard, 3u * 4);
    cr_expect_eq(one->guard_flip, ALL_LANES);
    cr_expect(one->guarded);
    expect_row(&one->operands[0], SPACE_WARP, 4);
    cr_expect_eq(one->operands[1].kind, OPERAND_PREDICATE);
    expect_row(&one->operands[3], SPACE_WARP, 5);
    cr_expect(one->operands[3].negate);
    expect_row(&one->operands[4], SPACE_WARP, ROW_UNIFORM + 6);
    expect_row(&one->operands[5], SPACE_WARP, ROW_ZERO);
    cr_expect_not(decoded("", "IADD3", "R4,R5,R6,RZ")->guarded);
    cr_expect(decoded("@!PT", "LDS", "RZ,[RZ]")->guarded);
}

Test(decode, what_nobody_reads_goes_to_the_sink)
{
    const struct instruction *one = decoded("", "ISETP.NE.AND", "P0,PT,R4,RZ,PT");
    cr_assert_eq(one->control, CONTROL_NEXT);
    cr_expect_eq(one->operands[0].row, 0);
    cr_expect_eq(one->operands[1].row, MASK_SINK * 4u);
    cr_expect_eq(decoded("", "LOP3.LUT", "RZ,R1,R2,RZ,0xc0,!PT")->operands[0].kind, OPERAND_PREDICATE,
                 "a predicate that the text leaves out is there");
    cr_expect_eq(code->list->operands[1].row, (uint32_t)ROW_SINK * ROW_BYTES);
}

Test(decode, floats_of_the_uniform_path_are_no_work_of_threads)
{
    cr_expect_eq(decoded("", "FFMA", "R4,R5,R6,R7")->traits, (unsigned)(TRAIT_FP32 | TRAIT_FUSED));
    cr_expect_eq(decoded("", "UFFMA", "UR4,UR5,UR6,UR7")->traits, 0u);
}

Test(decode, addresses)
{
    const struct operand *address = &decoded("", "LDG.E.128", "R4,desc[UR4][R2.64+-0x10]")->operands[1];
    cr_assert_eq(address->kind, OPERAND_ADDRESS);
    cr_expect(address->wide);
    cr_expect_eq(address->row, 2u * ROW_BYTES);
    cr_expect_eq(address->value, -16);
    address = &decoded("", "LDS.64", "R4,[R2.X8+UR5+0x20]")->operands[1];
    cr_assert_eq(address->kind, OPERAND_ADDRESS);
    cr_expect_eq(address->scale, 8);
    cr_expect(address->based);
    cr_expect_eq(address->base, (ROW_UNIFORM + 5u) * ROW_BYTES);
    cr_expect_eq(address->value, 0x20);
    cr_expect_not(is_simulated("", "LDG.E", "R4,desc[UR4]"));
    cr_expect_not(is_simulated("", "LDG.E", "R4,[R2.65]"));
    cr_expect_not(is_simulated("", "LDG.E", "R4,[R2.64+"));
}

/* nvdisasm 13.2 leaves the comma out. */
Test(decode, a_comma_that_is_missing)
{
    const struct instruction *one = decoded("", "LDS", "R48[R76+0x1000]");
    cr_assert_eq(one->control, CONTROL_NEXT);
    cr_assert_eq(one->operand_count, 2);
    expect_row(&one->operands[0], SPACE_WARP, 48);
    cr_expect_eq(one->operands[1].kind, OPERAND_ADDRESS);
    cr_expect_eq(one->operands[1].row, 76u * ROW_BYTES);
    cr_expect_eq(one->operands[1].value, 0x1000);
}

Test(decode, constants)
{
    const struct instruction *one = decoded("", "FFMA", "R1,R2,c[0x0][0x210],-c[0x3][0x8]");
    cr_assert_eq(one->control, CONTROL_NEXT);
    expect_row(&one->operands[2], SPACE_CONSTANTS, 0);
    const struct constant_row *row = &code->constants[one->operands[2].row / ROW_BYTES];
    cr_expect_not(row->immediate);
    cr_expect_eq(row->bank, 0u);
    cr_expect_eq(row->value, 0x210u);
    cr_expect(one->operands[3].negate);
    const struct operand *indexed = &decoded("", "LDC", "R1,c[0x3][R13+0x20]")->operands[1];
    cr_expect_eq(indexed->kind, OPERAND_CONSTANT);
    cr_expect_eq(indexed->row, 13u * ROW_BYTES);
    cr_expect_eq(indexed->value, 0x20);
    cr_expect_not(is_simulated("", "LDC", "R1,c[0x9][0x0]"));
    cr_expect_not(is_simulated("", "LDC", "R1,c[0x0][0xfffff]"));
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

Test(decode, places_to_go_to)
{
    const struct instruction *one = decoded("@P0", "BRA", "!P1,0x440");
    cr_expect_eq(one->control, CONTROL_BRANCH);
    cr_expect_eq(one->operands[0].kind, OPERAND_PREDICATE);
    cr_expect_eq(one->operands[1].value, 0x440);
    one = decoded("", "CALL.REL.NOINC", "helper");
    cr_expect_eq(one->control, CONTROL_CALL);
    cr_expect_eq(one->operands[0].kind, OPERAND_TARGET);
    cr_expect_eq(one->operands[0].value, 0x440);
    /* A function may have the name of anything else. */
    one = decoded("", "RET.REL.NODEC", "R10,cupy_divide");
    cr_expect(one->control == CONTROL_RETURN && one->operands[1].value == 0x880);
    one = decoded("", "RET.REL.NODEC", "R10,R2");
    cr_expect(one->operands[1].kind == OPERAND_TARGET && one->operands[1].value == 0x990);
    cr_expect_not(is_simulated("", "RET.REL.NODEC", "R10,c"));
    one = decoded("", "BSSY", "B7,0x440");
    cr_expect_eq(one->control, CONTROL_OPEN);
    cr_expect_eq(one->operands[0].index, 7);
    cr_expect_not(is_simulated("", "BSYNC", "B16"));
    cr_expect_not(is_simulated("", "BSYNC", ""), "a join without its barrier");
}

/* nvdisasm has the first source of P2R where the guard stands. */
Test(decode, P2R_has_its_source_in_the_guard)
{
    const struct instruction *one = decoded("PR", "P2R", "R30,RZ,0x8");
    cr_assert_eq(one->control, CONTROL_NEXT);
    cr_expect_not(one->guarded);
    cr_expect_eq(one->operand_count, 3);
    cr_expect_eq(immediate(&one->operands[2]), 8u);
    cr_expect_not(is_simulated("", "P2R", "R30"));
    one = decoded("PR", "P2R.B1", "R30,@!P6,R3,0x8");
    cr_assert_eq(one->control, CONTROL_NEXT);
    cr_expect(one->guarded && one->guard == 6 * 4u && one->guard_flip == ALL_LANES);
    expect_row(&one->operands[1], SPACE_WARP, 3);
    cr_expect_not(is_simulated("PR", "P2R", "R30,@Q6,R3,0x8"));
}

Test(decode, signs_and_crossed_halves)
{
    const struct instruction *one = decoded("", "PLOP3.LUT", "P3,PT,R9.SIGN,!R0.reuse.SIGN,P1,0x2,0x0");
    cr_assert_eq(one->control, CONTROL_NEXT);
    cr_expect_eq(one->operands[2].kind, OPERAND_SIGN);
    cr_expect_eq(one->operands[2].row, 9 * ROW_BYTES);
    cr_expect(one->operands[3].invert);
    one = decoded("", "HFMA2.BF16_V2", "R2,R3.H1_H1,R4.H0_NH1,R5");
    cr_assert_eq(one->control, CONTROL_NEXT);
    cr_expect_eq(one->operands[2].half, HALF_CROSSED);
    /* Only these instructions were seen to have them. */
    cr_expect_not(is_simulated("", "IADD3", "R4,R5.SIGN,R6,RZ"));
    cr_expect_not(is_simulated("", "PLOP3.LUT", "P3,PT,R9,PT,PT,0x2,0x0"));
    cr_expect_not(is_simulated("", "HSET2.BF.LT.AND", "R2,R3.H0_NH1,R4,PT"));
    cr_expect_not(is_simulated("", "HADD2.F32", "R2,-RZ,R4.H0_NH1"));
}

static void expect_bad(const char *where, const char *text, const char *why)
{
    const char *parts[3];
    split_at(text, "|", parts, ARRAY_SIZE(parts));
    cr_expect_not(is_simulated(parts[0], parts[1], parts[2]), "%s: %s", where, why);
}

Test(decode, what_is_not_understood_is_not_simulated)
{
    each_text("tests/unit/machine/sass/decode.txt#bad", expect_bad);
    cr_expect_str_eq(decoded("", "FROB.64", "R1")->opcode, "FROB.64", "it can be named");
}
