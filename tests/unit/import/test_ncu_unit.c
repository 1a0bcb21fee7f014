#include "import/ncu_unit.h"
#include "test.h"

static void expect_number(const char *where, const char *text, const char *words)
{
    const char *as = strstr(text, " as ");
    OWNED_TEXT unit = x_sprintf("%.*s", as ? (int)(as - text) : 0, text);
    double number;
    const bool is = as ? ncu_unit(unit, as + strlen(" as "), &number) : ncu_number(text, &number);
    cr_expect_eq(is, strcmp(words, "none") != 0, "%s: %s", where, text);
    cr_expect(!is || number == strtod(words, NULL), "%s: %s is %g", where, text, number);
}

TEXTS(ncu_unit, units_become_those_of_metrics_and_numbers_have_commas, "tests/unit/import/ncu_unit.txt", expect_number)
