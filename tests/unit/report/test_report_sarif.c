#include "report_support.h"
#include "test.h"

#include "report/words.h"

Test(report_sarif, a_row_that_is_worse_is_at_its_line)
{
    AT_END(report_tear_down) struct fixture fixture = report_set_up("worse.json");
    judge(&fixture);
    OWNED_TEXT text = print(&fixture.report, report_sarif);
    json_error_t error;
    json_t *json = json_loads(text, 0, &error);
    cr_assert_not_null(json, "%s", error.text);
    const json_t *results = json_object_get(json_array_get(json_object_get(json, "runs"), 0), "results");
    const size_t count = json_array_size(results);
    cr_expect_geq(count, fixture.comparison.counts[VERDICT_REGRESSED] + 1);
    size_t errors = 0;
    for (size_t i = 0; i < count; i++)
        errors += strcmp(json_string_value(json_object_get(json_array_get(results, i), "level")), "error") == 0;
    cr_expect_eq(errors, fixture.comparison.counts[VERDICT_REGRESSED] + 1, "the verdict is one too");
    json_decref(json);
}

Test(report_sarif, the_place_of_a_failure)
{
    static const struct {
        const char *reason, *file;
        unsigned line;
    } table[] = {
        {"writes 4 bytes at 0x20 in vain at a/b.cu:12 (block 0,0,0)", "a/b.cu", 12},
        {"changed at a.cu:1 and at c:d.cu:7 (block 1,0,0)", "c:d.cu", 7},
        {"it is at kernel+0x40 (block 0,0,0)", NULL, 0},
        {"at a.cu:0", NULL, 0},
        {"look at a.cu:12x", NULL, 0},
        {"nowhere", NULL, 0},
    };
    for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
        unsigned line = 0;
        OWNED_TEXT file = words_failed_at(table[i].reason, &line);
        cr_expect_eq(line, table[i].line, "%s", table[i].reason);
        cr_expect(table[i].file ? file && strcmp(file, table[i].file) == 0 : !file, "%s", table[i].reason);
    }
}
