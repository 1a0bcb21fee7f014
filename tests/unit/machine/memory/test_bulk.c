/* Which forms of Hopper's copies, barriers and clusters are simulated. What each of them does is tested by recordings
 * (tests/sim/recorded.sh). */
#include "machine/made_code.h"
#include "machine/made_program.h"
#include "test.h"

static void expect_form(const char *where, const char *text, const char *words)
{
    static const char *const modifiers[] = {"NEW", "2CTA", "GATHER4", "U", "NOALLOC", "X"};
    const bool is_simulated = strcmp(words, "simulated") == 0;
    cr_expect_eq(made_is_simulated(text), is_simulated, "%s: %s", where, text);
    for (size_t k = 0; is_simulated && k < ARRAY_SIZE(modifiers); k++) {
        const size_t opcode = strcspn(text, " ");
        OWNED_TEXT longer = x_sprintf("%.*s.%s%s", (int)opcode, text, modifiers[k], text + opcode);
        cr_expect(!made_is_simulated(longer), "%s: %s, a modifier that no table has", where, longer);
    }
}

TEXTS(bulk, forms, "tests/unit/machine/memory/bulk_forms.txt", expect_form)

/* cuBLAS has no DEPBAR behind its copies: a later instruction waits for the scoreboard that counts a group. */
Test(bulk, groups_that_scoreboards_count)
{
#define COPIES(second, wait)                                                                                           \
    PROGRAM("S2R R2,SR_TID.X", "IMAD.SHL.U32 R2,R2,0x4,RZ", "ULDC.64 UR10,c[0x0][0x210]", "UMOV UR9,0x8",              \
            "UMOV UR6,0x400", "UBLKCP.G.S [UR10],[UR6],UR9", "UTMACMDFLUSH &counts=3", "UMOV UR6,0x800",               \
            "UBLKCP.G.S [UR10],[UR6],UR9", "UTMACMDFLUSH &counts=" second, "MOV R0,RZ" wait, "STS [R2+0x400],RZ",      \
            "MOV R0,RZ &waits=5")
    static const char early[] = "may still read: no wait for its bulk group comes before";
    const char *waited = run_program(COPIES("5", " &waits=3"), 32);
    cr_expect_null(waited, "%s", waited);
    const char *later = run_program(COPIES("5", " &waits=5"), 32);
    cr_expect_null(later, "groups end in order: %s", later);
    const char *never = run_program(COPIES("5", ""), 32);
    cr_expect(never && made_fault && strstr(never, early), "%s", never);
    const char *other = run_program(COPIES("5", " &waits=2"), 32);
    cr_expect(other && made_fault && strstr(other, early), "%s", other);
}
