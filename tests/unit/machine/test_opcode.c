#include "machine/machine.h"

#include <criterion/criterion.h>

Test(opcode, no_two_rows_match_one_instruction)
{
    const struct opcode *row;
    for (size_t i = 0; (row = opcode_table(i, vector_unit())); i++)
        for (; row->name; row++)
            cr_expect_eq(opcode_find(row->name), row, "%s has another row", row->name);
}

static unsigned traits_of(const char *opcode)
{
    const struct opcode *row = opcode_find(opcode);
    return row ? (unsigned)row->what & ~(CONTROLS - 1u) : 0;
}

Test(opcode, traits_with_and_without_modifiers)
{
    static const struct {
        const char *opcode;
        unsigned traits;
    } rows[] = {
        {"LDG.E.128", TRAIT_LOAD | TRAIT_GLOBAL},
        {"LDG.E.CONSTANT", TRAIT_LOAD | TRAIT_GLOBAL},
        {"LDGSTS.E.BYPASS.128", TRAIT_LOAD | TRAIT_GLOBAL | TRAIT_SHARED | TRAIT_ASYNC_COPY},
        {"LDGDEPBAR", TRAIT_COMMITS},
        {"STG.E", TRAIT_STORE | TRAIT_GLOBAL},
        {"ATOMG.E.ADD.STRONG.GPU", TRAIT_ATOMIC | TRAIT_GLOBAL},
        {"RED.E.ADD.F32.FTZ.RN.STRONG.GPU", TRAIT_ATOMIC | TRAIT_GLOBAL},
        {"REDUX.SUM", 0},
        {"LDS", TRAIT_LOAD | TRAIT_SHARED},
        {"LDSM.16.M88.4", TRAIT_LOAD | TRAIT_SHARED},
        {"ATOMS.CAST.SPIN", TRAIT_ATOMIC | TRAIT_SHARED | TRAIT_SIGNALS | TRAIT_SPINS},
        {"STL.64", TRAIT_STORE | TRAIT_LOCAL},
        {"LD.E.STRONG.GPU", TRAIT_LOAD | TRAIT_GENERIC},
        {"LDC.64", 0},
        {"FFMA", TRAIT_FP32 | TRAIT_FUSED},
        {"FADD.FTZ", TRAIT_FP32},
        {"FSETP.GT.AND", 0},
        {"DMUL", TRAIT_FP64},
        {"HFMA2.MMA", TRAIT_FP16 | TRAIT_FUSED},
        {"MEMBAR.SC.CTA", TRAIT_FENCE | TRAIT_SIGNALS},
        {"MEMBAR.SC.GPU", TRAIT_FENCE},
        {"ATOMS.CAS.64", TRAIT_ATOMIC | TRAIT_SHARED | TRAIT_SIGNALS},
        {"UPLOP3.LUT", TRAIT_NO_IMMEDIATE | TRAIT_SIGNS},
        {"", 0},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        cr_expect_eq(traits_of(rows[i].opcode), rows[i].traits, "%s: %#x", rows[i].opcode, traits_of(rows[i].opcode));
}
