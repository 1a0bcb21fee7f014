/* Words about a program as a whole: what the table of kernels does not show of its row. */
#include "words.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

/* Writes the value of a computed metric of the row: "1.02 KB". False when it has none. */
static bool value_words(const struct report *report, const struct result *program, enum computed_counter counter,
                        double *value, char *text, size_t size)
{
    for (size_t m = 0; m < report->metrics->count; m++) {
        const struct metric *metric = &report->metrics->list[m];
        const struct row *row = computed_counter_of(metric) == counter ? result_find(program, metric->name) : NULL;
        if (!row || row->state != VALUE_MEASURED)
            continue;
        *value = row_value(row);
        metric_format(metric, *value, text, size);
        return true;
    }
    return false;
}

/* Adds "2 copies of memory (1.02 KB)" where there are any. */
static void add_work(FILE *stream, const struct report *report, const struct result *program, const char *what,
                     enum computed_counter counter, enum computed_counter bytes_of)
{
    char count[64], bytes[64];
    double number, ignored;
    if (!value_words(report, program, counter, &number, count, sizeof count) || number == 0 ||
        !value_words(report, program, bytes_of, &ignored, bytes, sizeof bytes))
        return;
    fprintf(stream, "%s%s %s (%s)", ftell(stream) > 0 ? ", " : "", count, what, bytes);
}

static void add_part(FILE *stream, const struct report *report, const struct result *program)
{
    char count[64], time[64], all[64];
    double kernels, ignored;
    if (!value_words(report, program, COMPUTED_FIRST_KERNELS, &kernels, count, sizeof count) || kernels == 0 ||
        !value_words(report, program, COMPUTED_FIRST_TIME, &ignored, time, sizeof time) ||
        !value_words(report, program, COMPUTED_GPU_TIME, &ignored, all, sizeof all))
        return;
    fprintf(stream, "%s%s kernel%s %s launched in its first part only: %s of its GPU time of %s",
            ftell(stream) > 0 ? "; " : "", count, plural((size_t)kernels), kernels == 1 ? "was" : "were", time, all);
}

char *words_program(const struct report *report, const struct result *program)
{
    char *text = NULL, busy[64];
    double ignored;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        BUG("no memory for words about a program");
    add_work(stream, report, program, "copies of memory", COMPUTED_COPIES, COMPUTED_COPY_BYTES);
    add_work(stream, report, program, "memory sets", COMPUTED_FILLS, COMPUTED_FILL_BYTES);
    if (value_words(report, program, COMPUTED_GPU_BUSY, &ignored, busy, sizeof busy))
        fprintf(stream, "%sthe GPU was busy for %s of the time", ftell(stream) > 0 ? "; " : "", busy);
    add_part(stream, report, program);
    fclose(stream);
    if (*text)
        return text;
    free(text);
    return NULL;
}
