/* Which forms of Hopper's copies, barriers and clusters are simulated. What each of them does is tested by recordings
 * (tests/sim/recorded.sh). */
#include "made_program.h"
#include "test.h"

#include "machine/block.h"
#include "machine/sass/sass.h"

/* Forms as nvcc 13.0 makes them. */
static const struct form {
    const char *opcode, *operands;
} forms[] = {
    {"SYNCS.ARRIVE.TRANS64.TMASK.ART0", "R6,[R4+URZ],R17"},
    {"UBLKCP.S.G", "[UR6],[UR10],UR9"},
    {"UBLKCP.S.G", "[UR6],[UR10],UR9,desc[UR4]"},
    {"UBLKCP.S.G.MULTICAST", "[UR6],[UR10],UR8"},
    {"UBLKCP.S.S", "[UR4],[UR6],UR9"},
    {"UBLKCP.G.S", "[UR10],[UR6],UR9"},
    {"UBLKRED.G.S.ADD", "[UR10],[UR6],UR9"},
    {"UBLKRED.G.S.MAX.S64", "[UR10],[UR6],UR9"},
    {"UBLKRED.G.S.ADD.BF16.RN", "[UR10],[UR6],UR9"},
    {"UBLKRED.S.S.XOR", "[UR4],[UR6],UR9"},
    {"UBLKPF.L2", "[UR10],UR9"},
    {"UTMALDG.1D", "[UR8],[UR18]"},
    {"UTMALDG.5D", "[UR8],[UR18],desc[UR4]"},
    {"UTMALDG.2D.MULTICAST", "[UR8],[UR18],UR4,desc[UR6]"},
    {"UTMALDG.4D.IM2COL", "[UR8],[UR18],UR6"},
    {"UTMALDG.5D.IM2COL.MULTICAST", "[UR8],[UR18],UR4"},
    {"UTMASTG.3D", "[UR24],[UR6]"},
    {"UTMASTG.3D.IM2COL", "[UR24],[UR6]"},
    {"UTMAREDG.2D.ADD", "[UR8],[UR6]"},
    {"UTMAPF.L2.2D", "[UR4],[UR6]"},
    {"UTMAPF.L2.4D.IM2COL", "[UR12],[UR6],UR10"},
    {"UTMACCTL.PF", "[UR18]"},
    {"UTMACCTL.IV", "[UR8]"},
    {"UTMACMDFLUSH", ""},
    {"DEPBAR.LE", "SB0,0x0"},
    {"DEPBAR", "{5,4,3,2,1,0}"},
    {"FENCE.VIEW.ASYNC.S", ""},
    {"FENCE.VIEW.ASYNC.G", ""},
    {"SYNCS.EXCH.64", "URZ,[UR4],UR6"},
    {"SYNCS.ARRIVE.TRANS64", "RZ,[UR9],R0"},
    {"SYNCS.ARRIVE.TRANS64.RED.A1T0", "RZ,[UR5],RZ"},
    {"SYNCS.ARRIVE.TRANS64.OPTOUT.ART0", "RZ,[R11+URZ],R0"},
    {"SYNCS.ARRIVE.TRANS64.RED.A0TX", "RZ,[UR5],R0"},
    {"SYNCS.PHASECHK.TRANS64.TRYWAIT", "P0,[UR6],R0"},
    {"SYNCS.PHASECHK.TRANS64", "P0,[R19+URZ],R0"},
    {"SYNCS.CCTL.IV", "[UR4]"},
    {"ARRIVES.LDGSTSBAR.64.TRANSCNT", "[UR4]"},
    {"NANOSLEEP.SYNCS", "0x3e8"},
    {"STAS.128", "[R12.64],R4"},
    {"REDAS.MAX.S32", "[R12.64],R14"},
    {"UCGABAR_ARV", ""},
    {"UCGABAR_WAIT", ""},
    {"QSPC.E.D", "P0,RZ,[RZ.U32+UR4]"},
};

/* Forms that no table describes: of other GPUs, and such that were not seen. */
static const struct form others[] = {
    {"UTMALDG", "[UR8],[UR18]"},
    {"UTMALDG.2D.2CTA", "[UR8],[UR18]"},
    {"UTMALDG.2D.GATHER4", "[UR8],[UR18]"},
    {"UTMALDG.3D.IM2COL.W", "[UR8],[UR18],UR6"},
    {"UTMASTG.2D.SCATTER4", "[UR24],[UR6]"},
    {"UTMASTG.2D.MULTICAST", "[UR24],[UR6]"},
    {"UTMAREDG.2D", "[UR8],[UR6]"},
    {"UTMAREDG.2D.EXCH", "[UR8],[UR6]"},
    {"UTMALDG.2D", "[R8],[UR18]"},
    {"UTMALDG.2D", "[UR8+0x10],[UR18]"},
    {"UTMALDG.2D", "[UR60],[UR18]"},
    {"UBLKCP.S.G", "[UR6],[UR10]"},
    {"UBLKCP.S.G.CP_MASK", "[UR6],[UR10],UR9"},
    {"UBLKRED.G.S", "[UR10],[UR6],UR9"},
    {"UBLKRED.S.S.ADD.F32.RN", "[UR4],[UR6],UR9"},
    {"SYNCS.PHASECHK.TRANS64.EX", "P0,[UR6],R0"},
    {"ARRIVES.LDGSTSBAR.64", "[UR4]"},
    {"STAS.U8", "[R12.64],R4"},
    {"REDAS.MAX.64", "[R12.64],R14"},
    {"REDAS", "[R12.64],R14"},
    {"UCGABAR_GET", "UR4"},
};

static bool is_simulated(const char *opcode, const char *operands)
{
    static const struct function_text function = {.name = "kernel"};
    json_t *list = json_pack("[{s:s, s:s, s:s}]", "predicate", "", "opcode", opcode, "operands", operands);
    struct code *code = code_read(&function, list, opcode_find);
    const bool simulated = code->list[0].control != CONTROL_UNKNOWN;
    code_free(code);
    json_decref(list);
    return simulated;
}

Test(bulk, forms_that_nvcc_makes_are_simulated)
{
    for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
        cr_expect(is_simulated(forms[i].opcode, forms[i].operands), "%s %s", forms[i].opcode, forms[i].operands);
}

Test(bulk, a_modifier_that_no_table_has_is_refused)
{
    static const char *const modifiers[] = {"NEW", "2CTA", "GATHER4", "U", "NOALLOC", "X"};
    for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
        for (size_t k = 0; k < ARRAY_SIZE(modifiers); k++) {
            OWNED_TEXT opcode = x_sprintf("%s.%s", forms[i].opcode, modifiers[k]);
            cr_expect(!is_simulated(opcode, forms[i].operands), "%s", opcode);
        }
}

Test(bulk, other_forms_are_refused)
{
    for (size_t i = 0; i < ARRAY_SIZE(others); i++)
        cr_expect(!is_simulated(others[i].opcode, others[i].operands), "%s %s", others[i].opcode, others[i].operands);
}

/* cuBLAS has no DEPBAR behind its copies: a later instruction waits for the scoreboard that counts a group. */
Test(bulk, groups_that_scoreboards_count)
{
#define COPIES(second, wait)                                                                                           \
    PROGRAM("S2R R2,SR_TID.X", "IMAD.SHL.U32 R2,R2,0x4,RZ", "ULDC.64 UR10,c[0x0][0x210]", "UMOV UR9,0x8",              \
            "UMOV UR6,0x400", "UBLKCP.G.S [UR10],[UR6],UR9", "UTMACMDFLUSH &counts=3", "UMOV UR6,0x800",               \
            "UBLKCP.G.S [UR10],[UR6],UR9", "UTMACMDFLUSH &counts=" second, "MOV R0,RZ" wait, "STS [R2+0x400],RZ")
    static const char early[] = "may still read: its group was not waited for";
    const char *waited = run_program(COPIES("5", " &waits=3"), 32);
    cr_expect_null(waited, "%s", waited);
    const char *later = run_program(COPIES("5", " &waits=5"), 32);
    cr_expect_null(later, "groups end in order: %s", later);
    const char *never = run_program(COPIES("5", ""), 32);
    cr_expect(never && made_fault && strstr(never, early), "%s", never);
    const char *other = run_program(COPIES("5", " &waits=2"), 32);
    cr_expect(other && made_fault && strstr(other, early), "%s", other);
}
