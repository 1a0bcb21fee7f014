#include "model/counter_name.h"
#include "test.h"

static void expect_split(const char *where, const char *text, const char *words)
{
    const struct counter_name name = counter_split(text);
    OWNED_TEXT found = x_sprintf("%zu %zu %s", name.length, name.base, name.instrumented ? "instrumented" : "no");
    cr_expect_eq(name.text, text);
    cr_expect_str_eq(found, words, "%s: %s", where, found);
}

TEXTS(counter_name, a_name_is_split, "tests/unit/model/counter_name.txt", expect_split)

Test(counter_name, names_of_a_metric_are_divided_by_blanks_of_any_kind)
{
    static const char *const expected[] = {"a__b.sum", "c__d.avg", "e"};
    const char *rest = " a__b.sum  c__d.avg\t e ";
    struct counter_name name;
    for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
        cr_assert(counter_next(&rest, &name));
        cr_expect(name.length == strlen(expected[i]) && strncmp(name.text, expected[i], name.length) == 0, "%s",
                  name.text);
    }
    cr_expect_not(counter_next(&rest, &name));
}
