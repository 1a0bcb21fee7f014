#include "progress.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

/* Columns of the numbers; in a line that is longer than the terminal, \r would lead to the wrong place. */
#define PROGRESS_WORDS 40

void progress_erase(const struct progress *progress)
{
    if (progress->drawn)
        fputs("\r\033[K", stderr);
}

void progress_draw(const struct progress *progress, size_t begun, size_t done, size_t count, const char *ids)
{
    if (!progress->drawn)
        return;
    const char *label = progress->label;
    const int columns = terminal_columns(stderr), before = (label ? (int)strlen(label) : 0) + PROGRESS_WORDS;
    char *shown = columns > before + 3 ? text_cut_middle(ids, (size_t)(columns - before)) : x_strdup(ids);
    fprintf(stderr, "\r\033[K%s%s[%zu/%zu] %s", label ? label : "", label ? ": " : "", begun, count, shown);
    free(shown);
    if (done > 0) {
        const double elapsed = now_seconds() - progress->begin;
        fprintf(stderr, "  about %.0f s left", elapsed / (double)done * (double)(count - done));
    }
    fflush(stderr);
}
