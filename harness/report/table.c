#include "table.h"

void table_fit(struct table_column *column, const char *cell)
{
    const int width = (int)text_count(cell);
    column->width = width > column->width ? width : column->width;
}

/* `before`: the colour of the blanks. */
static void print_cell(struct table_row *row, enum ink before, enum ink ink, const struct table_column *column,
                       const char *cell)
{
    const int rest = column->width - (int)text_count(cell);
    if (column->width == 0)
        return;
    row->blanks += (row->any ? 2 : 0) + (column->left ? 0 : rest);
    if (*cell) {
        const int blanks = row->blanks < 1 && row->any ? 1 : row->blanks;
        if (before != ink)
            text_print(row->text, before, "%*s", blanks, "");
        text_print(row->text, ink, "%*s%s", before != ink ? 0 : blanks, "", cell);
        row->blanks = 0;
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
