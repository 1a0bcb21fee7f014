/* Which forms of the instructions that multiply matrices are known, and every other form is refused. What they compute
 * is in tests/sim/recorded.sh, as an H100 has it, and of a warp's own in test_opcode_vectors.c. */
#include "machine/made_code.h"
#include "test.h"

Test(product, what_multiplies_apart)
{
    struct code *code = made_code("QGMMA.64x96x32.F32.E4M3.E5M2 R24,gdesc[UR8],R24");
    cr_expect(code->list->apart && code->multiplies_apart);
    code_free(code);
    code = made_code("HMMA.16816.F32 R4,R8,R12,RZ");
    cr_expect_not(code->list->apart);
    code_free(code);
}

/* A modifier more makes another instruction, which is known only if it is named here. */
static void expect_form(const char *where, const char *text, const char *words)
{
    static const char *const modifiers[] = {"F32", "F16", "BF16", "TF32", "E4M3", "S8", "SAT", "SP", "X", "64x8x16"};
    static const char *const forms[] = {"HGMMA.64x8x16.F32.BF16", "HGMMA.64x256x16.F32.BF16", "HMMA.16816.F32.BF16",
                                        "IGMMA.64x24x32.S8.U8.SAT"};
    const bool is_simulated = strcmp(words, "simulated") == 0;
    cr_expect_eq(made_is_simulated(text), is_simulated, "%s: %s", where, text);
    for (size_t m = 0; is_simulated && m < ARRAY_SIZE(modifiers); m++) {
        const size_t opcode = strcspn(text, " ");
        OWNED_TEXT longer = x_sprintf("%.*s.%s", (int)opcode, text, modifiers[m]);
        OWNED_TEXT whole = x_sprintf("%s%s", longer, text + opcode);
        cr_expect_eq(made_is_simulated(whole), name_index(longer, forms, ARRAY_SIZE(forms)) < ARRAY_SIZE(forms),
                     "%s: %s", where, longer);
    }
}

TEXTS(product, forms, "tests/unit/machine/lanes/product_forms.txt", expect_form)
