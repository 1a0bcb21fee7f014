#include "measure/program.h"
#include "test.h"

static void expect_name(const char *where, const char *text, const char *wanted)
{
    char *arguments[16] = {NULL};
    OWNED_TEXT words = x_strdup(text);
    char *rest = words;
    for (size_t i = 0; rest && *rest != '\0' && i + 1 < ARRAY_SIZE(arguments); i++) {
        const bool is_quoted = *rest == '`';
        rest += is_quoted;
        arguments[i] = strsep(&rest, is_quoted ? "`" : " ");
        rest += is_quoted && *rest == ' ';
    }
    OWNED_TEXT name = program_name(arguments);
    cr_expect_str_eq(name, wanted, "%s: %s", where, name);
    cr_expect_eq(name_length(name), strlen(name), "%s: %s is no family", where, name);
}

TEXTS(program, kernels_are_called_after_what_people_call_the_program, "tests/unit/measure/program.txt", expect_name)
