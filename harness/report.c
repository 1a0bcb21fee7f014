#include "report.h"

#include <string.h>

/* To add a format: a file report_<name>.c, its declaration in report.h, and a row here. */
static const struct reporter reporters[] = {
    {"text", "for people", report_text},
    {"json", "for programs: schema 1, stable order, one judgement a line", report_json},
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
