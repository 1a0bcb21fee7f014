#include "report_support.h"
#include "test.h"

#include "report/words.h"

Test(words_upgrade, a_report_lists_the_first_and_the_last)
{
    static const struct {
        size_t count;
        bool all;
        size_t shown;
    } rows[] = {{UPGRADE_SHOWN, false, UPGRADE_SHOWN}, {1000, false, UPGRADE_SHOWN}, {1000, true, 1000}};
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct upgrade upgrade = {.count = rows[i].count};
        size_t shown = 0;
        for (size_t k = 0; k < rows[i].count; k++)
            shown += words_upgrade_shows(&upgrade, k, rows[i].all);
        cr_expect_eq(shown, rows[i].shown, "row %zu: %zu", i, shown);
        cr_expect(words_upgrade_shows(&upgrade, 0, false) && words_upgrade_shows(&upgrade, rows[i].count - 1, false));
    }
}

/* Makes the kernels of the run other code of another compiler, with pairs by which one is slower. */
static void recompile(struct fixture *fixture)
{
    struct run *const runs[] = {&fixture->base, &fixture->run};
    for (size_t r = 0; r < ARRAY_SIZE(runs); r++) {
        for (size_t s = 0; s < runs[r]->session_count; s++) {
            free(runs[r]->sessions[s].facts[SESSION_COMPILER]);
            runs[r]->sessions[s].facts[SESSION_COMPILER] = strdup(r == 0 ? "nvcc 1" : "nvcc 2");
        }
        for (size_t k = 0; k < runs[r]->result_count; k++)
            for (size_t l = 0; l < runs[r]->results[k].launch_count; l++) {
                struct launch *launch = &runs[r]->results[k].launches[l];
                free(launch->code);
                free(launch->mix);
                launch->code = strdup(r == 0 ? "1" : "2");
                launch->mix = strdup("m");
            }
    }
    struct row *time = result_find(run_find(&fixture->run, "transpose/padded"), "time");
    for (size_t pair = 0; pair < RULE_PAIR_COUNT; pair++)
        row_add_pair(time, 20000, 30000);
}

Test(words_upgrade, every_report_says_what_another_toolchain_did)
{
    AT_END(report_tear_down) struct fixture fixture = report_set_up("worse.json");
    recompile(&fixture);
    judge(&fixture);
    OWNED_TEXT text = print(&fixture.report, report_text), *json = print(&fixture.report, report_json),
               *markdown = print(&fixture.report, report_markdown);
    expect_words(text, "Toolchain: nvcc 1 -> nvcc 2: ", "the same instructions in another order", "time lost",
                 "+10.0 us (+46.7 %)");
    expect_words(json, "\"upgrade\": {", "\"lost\": 10000");
    expect_word(markdown, "| time lost | kernel | what changed |");
    fixture.report.quiet = true;
    OWNED_TEXT quiet = print(&fixture.report, report_text);
    expect_no_word(quiet, "Toolchain: ");
}
