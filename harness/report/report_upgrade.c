/* Prints what another toolchain did to the kernels, in the text report: the most lost time first. */
#include "report_text.h"
#include "table.h"

enum { COLUMN_LOST, COLUMN_KERNEL, COLUMN_CHANGE, COLUMNS };

struct upgrade_table {
    struct table_column columns[COLUMNS];
    char **names; /* of the kernels, in half a line; NULL where that would be ambiguous. Owned */
    bool timed, all;
};

static bool is_timed(const struct upgrade *upgrade)
{
    return ANY(i, upgrade->count, upgrade->list[i].time != NULL);
}

static void fit(const struct text *text, struct upgrade_table *table, const struct upgrade *upgrade)
{
    OWNED_MEMORY const char **ids = x_calloc(upgrade->count, sizeof *ids);
    for (size_t i = 0; i < upgrade->count; i++)
        ids[i] = upgrade->list[i].kernel;
    table->names = table_names(ids, upgrade->count, text_room(text) / 2);
    for (size_t c = 0; c < COLUMNS; c++)
        if (c != COLUMN_LOST || table->timed)
            table_fit(&table->columns[c], table->columns[c].title);
    for (size_t i = 0; i < upgrade->count; i++) {
        char lost[128];
        if (!words_upgrade_shows(upgrade, i, table->all))
            continue;
        words_time_lost(&upgrade->list[i], lost, sizeof lost);
        table_fit(&table->columns[COLUMN_LOST], table->timed ? lost : "");
        table_fit(&table->columns[COLUMN_KERNEL], table->names[i] ? table->names[i] : "");
    }
}

static void print_kernel(const struct text *text, const struct upgrade_table *table, const struct upgraded *kernel,
                         const char *name)
{
    char lost[128], *change = words_upgraded(kernel);
    const enum tone tone = kernel->time ? words_verdict_tone(kernel->time->verdict) : TONE_PLAIN;
    struct table_row row = {.text = text, .any = true};
    const int indent = table_width(table->columns, COLUMN_CHANGE) + 4;
    if (!name)
        text_wrap(text, INK_PLAIN, text_print(text, INK_PLAIN, "  "), 4, kernel->kernel);
    words_time_lost(kernel, lost, sizeof lost);
    table_cell(&row, tone_ink(tone), &table->columns[COLUMN_LOST], lost);
    table_cell(&row, INK_PLAIN, &table->columns[COLUMN_KERNEL], name ? name : "");
    text_print(text, INK_PLAIN, "%*s", *change ? row.blanks + 2 : 0, "");
    text_wrap(text, INK_PLAIN, indent, indent, change);
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
            print_kernel(text, table, &upgrade->list[i], table->names[i]);
        else if (i == UPGRADE_SHOWN / 2)
            text_print(text, INK_PLAIN, "  (%zu kernels between; shown by -v)\n", upgrade->count - UPGRADE_SHOWN);
    }
    text_print(text, INK_PLAIN, "\n");
}

void text_upgrade(const struct text *text, const struct report *report)
{
    OWNED(upgrade) upgrade = {0};
    upgrade_make(&upgrade, report->comparison, report->baseline, report->run);
    if (upgrade.count > 0) {
        struct upgrade_table table = {
            .columns = {{"time lost", false, 0}, {"kernel", true, 0}, {"what changed", true, 0}},
            .timed = is_timed(&upgrade),
            .all = report->verbose};
        OWNED_TEXT words = words_upgrade(&upgrade), *parts = words_upgrade_parts(&upgrade);
        fit(text, &table, &upgrade);
        text_wrap(text, INK_PLAIN, text_print(text, INK_BOLD, "Toolchain: "), 2, words);
        if (parts)
            text_wrap(text, INK_PLAIN, text_print(text, INK_PLAIN, "  time lost: "), 4, parts);
        print_kernels(text, &table, &upgrade);
        free_texts(table.names, upgrade.count);
    }
}
