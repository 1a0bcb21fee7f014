#include "table.h"

int table_width(const struct table_column *columns, size_t count)
{
    int width = 0;
    for (size_t i = 0; i < count; i++)
        width += columns[i].width > 0 ? columns[i].width + (width > 0 ? 2 : 0) : 0;
    return width;
}

size_t table_fitting(const struct table_column *columns, size_t count, int width)
{
    size_t fitting = count;
    while (width > 0 && fitting > 0 && table_width(columns, fitting) > width)
        fitting--;
    return fitting;
}

char **table_names(const char *const *names, size_t count, int width)
{
    char **shown = x_calloc(count, sizeof *shown);
    for (size_t i = 0; i < count; i++)
        shown[i] = width > 0 ? text_cut_middle(names[i], (size_t)width) : x_strdup(names[i]);
    OWNED_MEMORY size_t *first = first_of_equals(shown, count, sizeof *shown, by_text);
    OWNED_MEMORY bool *ambiguous = x_calloc(count, sizeof *ambiguous);
    for (size_t i = 0; i < count; i++)
        if (first[i] != i && strcmp(names[i], names[first[i]]) != 0)
            ambiguous[first[i]] = true;
    for (size_t i = 0; i < count; i++)
        if (strcmp(shown[i], names[i]) != 0 && (ambiguous[first[i]] || (int)text_count(shown[i]) > width)) {
            free(shown[i]);
            shown[i] = NULL;
        }
    return shown;
}

void table_fit(struct table_column *column, const char *cell)
{
    const int width = (int)text_count(cell);
    column->width = width > column->width ? width : column->width;
}

/* Prints a cell; `before` is the colour of the blanks before it. */
static void print_cell(struct table_row *row, enum ink before, enum ink ink, const struct table_column *column,
                       const char *cell)
{
    const int rest = column->width - (int)text_count(cell);
    int length = (int)strlen(cell);
    while (length > 0 && cell[length - 1] == ' ') /* which are held back as well */
        length--;
    if (column->width == 0)
        return;
    row->blanks += (row->any ? 2 : 0) + (column->left ? 0 : rest);
    if (length > 0) {
        const int blanks = row->blanks < 1 && row->any ? 1 : row->blanks;
        if (before != ink)
            text_print(row->text, before, "%*s", blanks, "");
        text_print(row->text, ink, "%*s%.*s", before != ink ? 0 : blanks, "", length, cell);
        row->blanks = (int)strlen(cell) - length;
    }
    row->blanks += column->left ? rest : 0;
    row->any = true;
}

void table_cell(struct table_row *row, enum ink ink, const struct table_column *column, const char *cell)
{
    print_cell(row, INK_PLAIN, ink, column, cell);
}

void table_title(struct table_row *row, const struct table_column *column)
{
    print_cell(row, INK_BOLD, INK_BOLD, column, column->title);
}
