#include "replay/made_launch.h"
#include "replay/needs.h"
#include "test.h"

Test(replay_needs, an_opcode_decides_the_unit_and_how_long_it_is_held)
{
    const double memory = made_constant("issue_memory"), tensor = made_constant("tensor"), xu = made_constant("xu");
    const struct {
        const char *opcode, *operands;
        enum unit unit;
        double cycles;
        unsigned what;
    } rows[] = {
        {"FFMA", "R4,R4,R4,R4", UNIT_FMA, 1, 0},
        {"F2FP.F16.F32.PACK_AB", "R4,R4,R4", UNIT_ALU, 2, 0}, /* not as F2F */
        {"F2F.F64.F32", "R4,R4", UNIT_XU, xu, 0},
        {"REDUX.SUM", "UR4,R4", UNIT_XU, 16, 0},
        {"DFMA", "R4,R4,R4,R4", UNIT_FP64, 2, 0},
        {"HGMMA.64x256x16.F32", "R24,gdesc[UR4],R24,gsb0", UNIT_NONE, 256 * made_constant("group_product"),
         NEEDS_PRODUCT | NEEDS_PRODUCTS_END},
        {"HGMMA.64x64x16.F32", "R24,gdesc[UR4],R24", UNIT_NONE, 64 * made_constant("group_product"), NEEDS_PRODUCT},
        {"IGMMA.64x8x32.S8.S8", "R24,gdesc[UR4],R24", UNIT_NONE, 18, NEEDS_PRODUCT}, /* what it reads is more */
        {"HGMMA.64x8x16.F32", "R24,R4,gdesc[UR4],R24", UNIT_NONE, 8 * made_constant("group_product"), NEEDS_PRODUCT},
        {"HGMMA.64x8x16.F32", "RZ,gdesc[URZ],RZ,!UPT,gsb0", UNIT_NONE, 0, NEEDS_PRODUCT | NEEDS_PRODUCTS_END},
        {"VIADD", "R4,R4,0x1", UNIT_FMA, 2, 0},
        {"HMMA.16816.F32", "R4,R4,R4,R4", UNIT_TENSOR, tensor, 0},
        {"HMMA.1688.F32", "R4,R4,R4,R4", UNIT_TENSOR, tensor / 2, 0},
        {"SHFL.BFLY", "PT,R4,R4,0x1,0x1f", UNIT_MEMORY, memory, NEEDS_SHUFFLE},
        {"LDG.E.128", "R4,[R2.64]", UNIT_MEMORY, memory, NEEDS_WIDE},
        {"LDG.E.STRONG.CTA", "R4,[R2.64]", UNIT_MEMORY, memory, 0}, /* not past the L1 */
        {"LDGSTS.E.BYPASS.128", "[R4],[R2.64]", UNIT_MEMORY, memory, NEEDS_STRONG | NEEDS_WIDE},
        {"LDGDEPBAR", "", UNIT_NONE, 1, NEEDS_COMMIT}, /* no load */
        {"DEPBAR.LE", "SB0,0x2", UNIT_NONE, 1, NEEDS_GROUPS},
        {"MEMBAR.SC.GPU", "", UNIT_NONE, 1, NEEDS_FENCE},
        {"MEMBAR.ALL.CTA", "", UNIT_NONE, 1, NEEDS_BLOCK_FENCE},
        {"UIADD3", "UR4,UR4,UR4,URZ", UNIT_UNIFORM, 2, 0},
    };
    struct timing timing;
    timing_default(&timing);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct function function = made_function(STEPS({.opcode = rows[i].opcode, .operands = rows[i].operands}));
        OWNED_MEMORY unsigned char *row_of = replay_rows(&function);
        OWNED_MEMORY struct needs *needs = needs_of(&function, &timing, row_of);
        cr_expect_eq(needs->unit, rows[i].unit, "%s: unit %d", rows[i].opcode, needs->unit);
        cr_expect_float_eq(needs->cycles, rows[i].cycles, 1e-9, "%s: %g", rows[i].opcode, needs->cycles);
        cr_expect_eq(needs->what, rows[i].what, "%s: %d", rows[i].opcode, needs->what);
        cr_expect_eq(needs->groups, needs->what & NEEDS_GROUPS ? 2 : 0);
        made_function_free(&function);
    }
}
