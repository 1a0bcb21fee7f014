#include "report_support.h"
#include "test.h"

Test(report_markdown, markdown_stays_below_its_limit_and_says_what_it_cut)
{
    char reason[301];
    memset(reason, '|', 300);
    reason[300] = '\0';
    static const size_t limits[] = {1u << 20, 63u << 10};
    for (int quiet = 0; quiet < 2; quiet++) {
        AT_END(report_tear_down) struct fixture fixture = report_set_up("same.json");
        invent_many(&fixture, 3000, reason);
        fixture.report.quiet = quiet;
        OWNED_TEXT text = print(&fixture.report, report_markdown);
        const size_t rows = count_words(text, "| **regressed** |");
        char words[64];
        cr_expect_lt(strlen(text), limits[quiet]);
        cr_expect_gt(strlen(text), limits[quiet] - limits[quiet] / 10, "space is used");
        cr_expect_gt(rows, 25u);
        snprintf(words, sizeof words, "\n%zu rows are left out", 3000 - rows);
        expect_words(text, words, quiet ? " to stay below 63 KiB;" : " to stay below 1024 KiB;", "\n</details>\n");
        cr_expect_eq(count_words(text, "\n```"), 2u);
    }
}

Test(report_markdown, a_comment_is_quiet_markdown)
{
    AT_END(report_tear_down) struct fixture fixture = report_set_up("worse.json");
    judge(&fixture);
    fixture.report.verbose = true;
    OWNED_TEXT comment = print(&fixture.report, report_comment), *markdown = print(&fixture.report, report_markdown);
    fixture.report.quiet = true;
    OWNED_TEXT quiet = print(&fixture.report, report_markdown);
    cr_expect_str_eq(comment, quiet);
    cr_expect_str_neq(comment, markdown);
}

Test(report_markdown, markdown_cuts_commands_too)
{
    AT_END(report_tear_down) struct fixture fixture = report_set_up("same.json");
    forget_judgements(&fixture);
    char name[4001];
    memset(name, 'n', 4000);
    name[4000] = '\0';
    char kernels[100][32];
    for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
        snprintf(kernels[i], sizeof kernels[i], "family/kernel_%02zu", i);
        invent(&fixture, kernels[i], "time", VERDICT_REGRESSED, NULL);
    }
    fixture.report.run_name = name;
    fixture.report.quiet = true;
    OWNED_TEXT text = print(&fixture.report, report_markdown);
    const size_t shown = count_words(text, "cugate accept ");
    char words[64];
    snprintf(words, sizeof words, "\n# and %zu more rows\n```\n", ARRAY_SIZE(kernels) - shown);
    cr_expect_gt(shown, 0u);
    expect_word(text, words);
    cr_expect_lt(strlen(text), 1u << 16);
    cr_expect_eq(count_words(text, "| **regressed** |"), ARRAY_SIZE(kernels), "rows come before commands");
}
