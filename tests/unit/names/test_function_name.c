/* The parts of names as a demangler writes them. */
#include "names/function_name.h"
#include "test.h"

static void expect_part(struct name_part part, const char *wanted, const char *function)
{
    cr_expect(name_part_is_same(part, (struct name_part){wanted, strlen(wanted)}), "of %s it is %.*s", function,
              (int)part.length, part.text);
}

Test(function_name, has_parts)
{
    static const struct {
        const char *function, *name, *template, *parameters;
    } cases[] = {
        {"void tile<32>(float*)", "tile<32>", "tile", "(float*)"},
        {"plain(int)", "plain", "plain", "(int)"},
        {"written_in_c", "written_in_c", "written_in_c", ""},
        {"void of<(int)4>(void (*)(int))", "of<(int)4>", "of", "(void (*)(int))"},
        {"unclosed)", "unclosed)", "unclosed)", ""},
        {"(all)", "", "", "(all)"},
        {"", "", "", ""},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const char *function = cases[i].function;
        expect_part(function_name(function), cases[i].name, function);
        expect_part(function_template(function), cases[i].template, function);
        expect_part(function_parameters(function), cases[i].parameters, function);
    }
}

Test(function_name, architectures_are_forgotten)
{
    static const struct {
        const char *a, *b;
        bool same;
    } cases[] = {
        {"void cub::CUB_300001_SM_800_900::scan<int>()", "void cub::CUB_300001_SM_900::scan<int>()", true},
        {"void cub::CUB_300001_SM_900::scan<int>()", "void cub::CUB_300002_SM_900::scan<int>()", false},
        {"a(int)", "a(int)", true},
        {"a(int)", "a(long)", false},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        cr_expect_eq(function_is_same(cases[i].a, cases[i].b), cases[i].same, "%s, %s", cases[i].a, cases[i].b);
}
