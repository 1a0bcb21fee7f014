#include "report.h"

/* To add a format: a file for each document that has it, their declarations in report.h, and a row here. */
static const struct format formats[] = {
    {"text", "for people", "report.txt", report_text, explain_text, analysis_text},
    {"json", "for programs: schema 1, in a stable order, one judgement per line", "check.json", report_json,
     explain_json, analysis_json},
    {"junit", "for CI servers that show tests: one test case per kernel and metric", "junit.xml", report_junit, NULL,
     NULL},
    {"markdown", "for the summary of a CI step; with -q, as comment", "summary.md", report_markdown, NULL, NULL},
    {"comment", "Markdown that is short enough for a comment", "comment.md", report_comment, NULL, NULL},
    {"github", "for the log of a GitHub workflow: the worst rows as annotations", "annotations.txt", report_github,
     NULL, NULL},
    {"sarif", "for code hosts and editors that mark lines: SARIF 2.1.0", "report.sarif", report_sarif, NULL, NULL},
    {"bmf", "for Bencher: the numbers of each kernel, without verdicts", "bmf.json", report_bmf, NULL, NULL},
    {"github-action-benchmark", "for github-action-benchmark: numbers where smaller is better", "benchmarks.json",
     report_list, NULL, NULL},
};

const struct format *format_list(size_t *count)
{
    *count = ARRAY_SIZE(formats);
    return formats;
}

static bool prints(const struct format *format, enum document document)
{
    switch (document) {
    case DOCUMENT_CHECK:
        return format->check;
    case DOCUMENT_EXPLAIN:
        return format->explain;
    case DOCUMENT_AA:
        return format->aa;
    }
    BUG("no document %d", (int)document);
}

char *format_names(enum document document)
{
    char *names = NULL;
    const char *between = " or ";
    for (size_t i = ARRAY_SIZE(formats); i-- > 0;) { /* backwards, because the last one needs another separator */
        if (!prints(&formats[i], document))
            continue;
        char *longer = names ? x_sprintf("%s%s%s", formats[i].name, between, names) : x_strdup(formats[i].name);
        between = names ? ", " : between;
        free(names);
        names = longer;
    }
    return names;
}

const struct format *format_find(enum document document, const char *name, const char *option)
{
    for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
        if (prints(&formats[i], document) && strcmp(formats[i].name, name) == 0)
            return &formats[i];
    OWNED_TEXT names = format_names(document);
    return FAIL(NULL, "%s needs %s, not '%s'", option, names, name);
}
