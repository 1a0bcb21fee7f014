/* Prints what another toolchain did to the kernels, in the text report: the most lost time first. */
#include "report_text.h"
#include "table.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMN_LOST, COLUMN_KERNEL, COLUMN_CHANGE, COLUMNS };

struct upgrade_table {
    struct table_column columns[COLUMNS];
    bool timed, all;
};

static bool is_timed(const struct upgrade *upgrade)
{
    bool timed = false;
    for (size_t i = 0; i < upgrade->count; i++)
        timed |= upgrade->list[i].time != NULL;
    return timed;
}

static void fit(struct upgrade_table *table, const struct upgrade *upgrade)
{
    for (size_t c = 0; c < COLUMNS; c++)
        if (c != COLUMN_LOST || table->timed)
            table_fit(&table->columns[c], table->columns[c].title);
    for (size_t i = 0; i < upgrade->count; i++) {
        char lost[128];
        if (!words_upgrade_shows(upgrade, i, table->all))
            continue;
        words_time_lost(&upgrade->list[i], lost, sizeof lost);
        table_fit(&table->columns[COLUMN_LOST], table->timed ? lost : "");
        table_fit(&table->columns[COLUMN_KERNEL], upgrade->list[i].kernel);
    }
}

static void print_kernel(const struct text *text, const struct upgrade_table *table, const struct upgraded *kernel)
{
    char lost[128], *change = words_upgraded(kernel);
    const enum tone tone = kernel->time ? words_verdict_tone(kernel->time->verdict) : TONE_PLAIN;
    struct table_row row = {.text = text, .any = true};
    words_time_lost(kernel, lost, sizeof lost);
    table_cell(&row, tone_ink(tone), &table->columns[COLUMN_LOST], lost);
    table_cell(&row, INK_PLAIN, &table->columns[COLUMN_KERNEL], kernel->kernel);
    table_cell(&row, INK_PLAIN, &table->columns[COLUMN_CHANGE], change);
    text_print(text, INK_PLAIN, "\n");
    free(change);
}

static void print_kernels(const struct text *text, const struct upgrade_table *table, const struct upgrade *upgrade)
{
    struct table_row head = {.text = text, .any = true};
    for (size_t c = 0; c < COLUMNS; c++)
        table_title(&head, &table->columns[c]);
    text_print(text, INK_PLAIN, "\n");
    for (size_t i = 0; i < upgrade->count; i++) {
        if (words_upgrade_shows(upgrade, i, table->all))
            print_kernel(text, table, &upgrade->list[i]);
        else if (i == UPGRADE_SHOWN / 2)
            text_print(text, INK_PLAIN, "  (%zu kernels between; -v lists them)\n", upgrade->count - UPGRADE_SHOWN);
    }
    text_print(text, INK_PLAIN, "\n");
}

void text_upgrade(const struct text *text, const struct report *report)
{
    struct upgrade upgrade;
    upgrade_make(&upgrade, report->comparison, report->baseline, report->run);
    if (upgrade.count > 0) {
        struct upgrade_table table = {
            .columns = {{"time lost", false, 0}, {"kernel", true, 0}, {"what changed", true, 0}},
            .timed = is_timed(&upgrade),
            .all = report->verbose};
        char *words = words_upgrade(&upgrade), *parts = words_upgrade_parts(&upgrade);
        fit(&table, &upgrade);
        text_wrap(text, INK_PLAIN, text_print(text, INK_BOLD, "Toolchain: "), 2, words);
        if (parts)
            text_wrap(text, INK_PLAIN, text_print(text, INK_PLAIN, "  time lost: "), 4, parts);
        print_kernels(text, &table, &upgrade);
        free(parts);
        free(words);
    }
    upgrade_release(&upgrade);
}
