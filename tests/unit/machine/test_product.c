/* Which forms of the instructions that multiply matrices are known, and every other form is refused. What they compute
 * is in tests/sim/recorded.sh, as an H100 has it, and of a warp's own in test_opcode_vectors.c. */
#include "machine/block.h"
#include "machine/product.h"
#include "machine/sass/decode.h"

#include <criterion/criterion.h>

static struct code *code;

static const struct instruction *decoded(const char *opcode, const char *operands)
{
    const struct function_text function = {.name = "kernel"};
    json_t *list = json_pack("[{s:s, s:s, s:s}]", "predicate", "", "opcode", opcode, "operands", operands);
    if (code)
        code_free(code);
    code = code_read(&function, list, opcode_find);
    json_decref(list);
    return code->list;
}

static bool is_known(const char *opcode, const char *operands)
{
    return decoded(opcode, operands)->control != CONTROL_UNKNOWN;
}

struct form {
    const char *opcode, *operands;
};

static const struct form known[] = {
    {"HGMMA.64x8x16.F32", "R24,gdesc[UR8],R24,UP0,gsb0"},
    {"HGMMA.64x256x16.F32", "R24,gdesc[UR8],RZ,!UPT"},
    {"HGMMA.64x256x16.F32.BF16", "R24,gdesc[UR8].negA.negB.tnspA.tnspB,R24"},
    {"HGMMA.64x64x16.F16", "R24,R4,gdesc[UR8].tnspB,R24,gsb0"},
    {"HGMMA.64x16x8.F32.TF32", "R24,-R4,gdesc[UR8].negB,R24,!UP2"},
    {"QGMMA.64x96x32.F32.E4M3.E5M2", "R24,gdesc[UR8],R24"},
    {"QGMMA.64x248x32.F16.E5M2.E5M2", "R24,gdesc[UR8].negB,R24,gsb0"},
    {"IGMMA.64x24x32.S8.U8", "R24,gdesc[UR8],R24,UP0,gsb0"},
    {"IGMMA.64x32x32.U8.U8.SAT", "R24,R4,gdesc[UR8],R24"},
    {"BGMMA.64x8x256.AND.POPC", "R24,gdesc[UR8],R24,UP0,gsb0"},
    {"HMMA.16816.F32", "R4,R8,R12,RZ"},
    {"HMMA.SP.16832.F32.BF16", "R4,R8,R12,R4,R16,0x1"},
    {"HMMA.SP.16816.F32.TF32", "R4,R8,R12,R4,R16,0x0"},
    {"IMMA.SP.16864.S8.U8.SAT", "R4,R8.ROW,R12.COL,R4,R16,0x0"},
    {"HGMMA.SP.64x8x32.F32.BF16", "R24,gdesc[UR8],R24,UP0,R29,0x1,gsb0"},
    {"HGMMA.SP.64x16x16.F32.TF32", "R24,R4,gdesc[UR8],R24,R29,0x0"},
    {"QGMMA.SP.64x8x64.F32.E4M3.E5M2", "R24,gdesc[UR8],R24,R28,gsb0"},
    {"IGMMA.SP.64x8x64.U8.S8.SAT", "R24,gdesc[UR8],R24,!UPT,R28"},
    {"WARPGROUP.ARRIVE", ""},
    {"WARPGROUP.DEPBAR.LE", "gsb0,0x0"},
    {"FENCE.VIEW.ASYNC.S", ""},
    {"USETMAXREG.TRY_ALLOC.CTAPOOL", "UP0,0xe8"},
};

Test(product, forms_that_are_known)
{
    for (size_t i = 0; i < ARRAY_SIZE(known); i++)
        cr_expect(is_known(known[i].opcode, known[i].operands), "%s %s", known[i].opcode, known[i].operands);
    cr_expect(decoded("QGMMA.64x96x32.F32.E4M3.E5M2", "R24,gdesc[UR8],R24")->apart);
    cr_expect(code->multiplies_apart);
    cr_expect_not(decoded("HMMA.16816.F32", "R4,R8,R12,RZ")->apart);
}

Test(product, other_forms_are_refused)
{
    static const struct form others[] = {
        {"HGMMA.64x8x16.F32", "R24,gdesc[UR8],R24,UP0,gsb1"},
        {"HGMMA.64x8x16.F32", "R24,gdesc[UR8],R24,gsb0,UP0"},
        {"HGMMA.64x8x16.F32", "R24,gdesc[UR8].absA,R24"},
        {"HGMMA.64x8x16.F32", "R24,gdesc[UR60],R24"},
        {"HGMMA.64x8x16.F32", "R24,gdesc[R8],R24"},
        {"HGMMA.64x8x16.F32", "R24,R4,gdesc[UR8].negA,R24"},
        {"HGMMA.64x8x16.F32", "R24,R4,gdesc[UR8].tnspA,R24"},
        {"HGMMA.64x8x16.F32", "R24,gdesc[UR8],-R24"},
        {"HGMMA.64x8x16.F32", "R24,UR4,gdesc[UR8],R24"},
        {"HGMMA.64x8x16.F32", "R24,gdesc[UR8]"},
        {"HGMMA.64x8x16.F32", "R24"},
        {"HGMMA.64x8x16.F32", ""},
        {"HGMMA.64x256x16.F32", "R200,gdesc[UR8],R200"},
        {"HGMMA.64x12x16.F32", "R24,gdesc[UR8],R24"},
        {"HGMMA.64x264x16.F32", "R24,gdesc[UR8],R24"},
        {"HGMMA.64x0x16.F32", "R24,gdesc[UR8],R24"},
        {"HGMMA.64x8x32.F32", "R24,gdesc[UR8],R24"},
        {"HGMMA.128x8x16.F32", "R24,gdesc[UR8],R24"},
        {"HGMMA.64x8x16.F32.TF32", "R24,gdesc[UR8],R24"},
        {"HGMMA.64x8x8.F32.TF32", "R24,gdesc[UR8].tnspB,R24"},
        {"HGMMA.64x8x16.F16.BF16", "R24,gdesc[UR8],R24"},
        {"HGMMA.64x8x16.F64", "R24,gdesc[UR8],R24"},
        {"HGMMA.SP.64x8x32.F32", "R24,gdesc[UR8],R24,UP0,R29,0x2,gsb0"},
        {"HGMMA.SP.64x8x32.F32", "R24,gdesc[UR8],R24,UP0,gsb0"},
        {"HGMMA.SP.64x8x16.F32", "R24,gdesc[UR8],R24,UP0,R29,gsb0"},
        {"QGMMA.SP.64x8x64.F32.E4M3.E4M3", "R24,gdesc[UR8],R24,R29,0x1,gsb0"},
        {"BGMMA.SP.64x8x256.AND.POPC", "R24,gdesc[UR8],R24,R29,gsb0"},
        {"QGMMA.64x8x32.F32.E4M3", "R24,gdesc[UR8],R24"},
        {"QGMMA.64x8x32.F32.E4M3.M3", "R24,gdesc[UR8],R24"},
        {"QGMMA.64x8x32.F32.E4M3.E2M1", "R24,gdesc[UR8],R24"},
        {"QGMMA.64x8x32.F32.E4M3.E4M3", "R24,gdesc[UR8].tnspB,R24"},
        {"QGMMA.64x8x32.BF16.E4M3.E4M3", "R24,gdesc[UR8],R24"},
        {"IGMMA.64x8x32.S8.S4", "R24,gdesc[UR8],R24"},
        {"IGMMA.64x8x32.S8.S8.X", "R24,gdesc[UR8],R24"},
        {"IGMMA.64x40x32.S8.S8", "R24,gdesc[UR8],R24"},
        {"IGMMA.64x8x32.S8.S8", "R24,gdesc[UR8].negA,R24"},
        {"IGMMA.64x8x32.S8.S8", "R24,-R4,gdesc[UR8],R24"},
        {"BGMMA.64x8x256.XOR.POPC", "R24,gdesc[UR8],R24"},
        {"BGMMA.64x8x256.AND", "R24,gdesc[UR8],R24"},
        {"HMMA.16816.F32", "R4,-R8,R12,RZ"},
        {"HMMA.16816.F32", "R4,R8,R12,RZ,R16,0x0"},
        {"HMMA.16832.F32", "R4,R8,R12,RZ"},
        {"HMMA.SP.16832.F32", "R4,R8,R12,R4,R16,0x2"},
        {"HMMA.SP.16832.F32", "R4,R8,R12,R4"},
        {"HMMA.SP.16832.F32.TF32", "R4,R8,R12,R4,R16,0x0"},
        {"IMMA.SP.16864.S4.S4", "R4,R8.ROW,R12.COL,R4,R16,0x0"},
        {"IMMA.SP.16832.S8.S8", "R4,R8.ROW,R12.COL,R4,R16,0x0"},
        {"WARPGROUP.DEPBAR.LE", "gsb1,0x0"},
        {"WARPGROUP.DEPBAR", "gsb0,0x0"},
        {"WARPGROUP.LEAVE", ""},
        {"FENCE.VIEW.ASYNC.X", ""},
        {"USETMAXREG.TRY_ALLOC.OTHERPOOL", "UP0,0xe8"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(others); i++)
        cr_expect_not(is_known(others[i].opcode, others[i].operands), "%s %s", others[i].opcode, others[i].operands);
}

/* A modifier more makes another instruction, which is known only if it is named here. */
Test(product, another_modifier_makes_another_instruction)
{
    static const char *const modifiers[] = {"F32", "F16", "BF16", "TF32", "E4M3", "S8", "SAT", "SP", "X", "64x8x16"};
    static const char *const forms[] = {"HGMMA.64x8x16.F32.BF16", "HGMMA.64x256x16.F32.BF16", "HMMA.16816.F32.BF16",
                                        "IGMMA.64x24x32.S8.U8.SAT"};
    for (size_t i = 0; i < ARRAY_SIZE(known); i++)
        for (size_t m = 0; m < ARRAY_SIZE(modifiers); m++) {
            char longer[80];
            bool is_form = false;
            snprintf(longer, sizeof longer, "%s.%s", known[i].opcode, modifiers[m]);
            for (size_t f = 0; f < ARRAY_SIZE(forms); f++)
                is_form |= strcmp(longer, forms[f]) == 0;
            cr_expect_eq(is_known(longer, known[i].operands), is_form, "%s", longer);
        }
}
