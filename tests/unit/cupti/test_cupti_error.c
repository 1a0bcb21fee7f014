#include "plugin_support.h"
#include "test.h"

static void expect_remedy(const char *where, const char *code, const char *words)
{
    const char *remedy = plugin()->remedy((int)leading_number(&code));
    cr_expect(remedy && strstr(remedy, words), "%s: %s", where, remedy);
}

Test(cupti_error, remedies_name_the_setting)
{
    each_text("tests/unit/cupti/cupti_error.txt", expect_remedy);
    cr_expect_null(plugin()->remedy(0));
    cr_expect_null(plugin()->remedy(999));
}

/* Checks that each message is one line, and short enough for the buffers of callers. */
Test(cupti_error, remedies_are_one_line)
{
    for (int code = 0; code < 1000; code++) {
        const char *remedy = plugin()->remedy(code);
        if (remedy)
            cr_expect(strlen(remedy) < 800 && !strchr(remedy, '\n'), "%d: %s", code, remedy);
    }
}
