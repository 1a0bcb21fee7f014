#include "report.h"

#include <string.h>

/* To add a format: a file report_<name>.c, its declaration in report.h, and a row here. */
static const struct reporter reporters[] = {
    {"text", "for people", report_text},
    {"json", "for programs: schema 1, stable order, one judgement a line", report_json},
    {"junit", "for CI servers that show tests: a test case a kernel and metric", report_junit},
    {"markdown", "for a step's summary; with -q, as comment", report_markdown},
    {"comment", "Markdown short enough for a comment", report_comment},
    {"github", "for the log of a GitHub workflow: the worst rows as annotations", report_github},
};

const struct reporter *reporter_find(const char *name)
{
    for (size_t i = 0; i < ROWS(reporters); i++)
        if (strcmp(reporters[i].name, name) == 0)
            return &reporters[i];
    return NULL;
}

const struct reporter *reporter_list(size_t *count)
{
    *count = ROWS(reporters);
    return reporters;
}
