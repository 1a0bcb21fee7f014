/* What a warp may not do before it has waited for its warpgroup's products. ptxas mends such code when it sees it, so
 * these are programs in machine code. */
#include "machine/made_program.h"
#include "test.h"

static void expect_end(const char *where, const char *text, const char *words)
{
    const char *said = run_instructions(text, 128);
    OWNED_TEXT end = said ? x_sprintf("%s: %s", made_fault ? "fault" : "unknown", said) : x_strdup("done");
    const char *part = strstr(words, ": ");
    cr_expect(strncmp(end, words, strcspn(words, ":")) == 0 && (!part || strstr(end, part + 2)), "%s: %s", where, end);
    cr_expect_eq(part == NULL, said == NULL, "%s: %s", where, end);
}

TEXTS(warpgroup, programs, "tests/unit/machine/lanes/warpgroup.txt", expect_end)
