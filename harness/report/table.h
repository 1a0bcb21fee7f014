/* table.h - prints aligned columns for people, with two blanks between them and none at the end of a line. */
#pragma once

#include "base/base.h"

struct table_column {
    const char *title;
    bool left; /* aligned to the left; else to the right, as numbers are */
    int width; /* in characters; 0 for a column that is not shown. A wider cell moves the following ones */
};

/* A line that is being printed. Blanks of empty cells and of padding are held back until the next cell. */
struct table_row {
    const struct text *text;
    bool any; /* the line has a cell already */
    int blanks;
};

/* Returns the width of columns beside each other, with the blanks between them. */
int table_width(const struct table_column *columns, size_t count);

/* Returns how many columns, from the first on, fit into a line of `width` characters; all where `width` is 0. */
size_t table_fitting(const struct table_column *columns, size_t count, int width);

/* Returns names for a column of `width` characters (0: any width). A name that is too long is cut in its middle. It is
 * NULL where the cut name would be ambiguous, since it needs a line of its own. Caller frees each and the list. */
char **table_names(const char *const *names, size_t count, int width);

/* Widens the column to fit the cell. */
void table_fit(struct table_column *column, const char *cell);

/* Print the next cell of a line; a title and the blanks before it are bold. */
void table_cell(struct table_row *row, enum ink ink, const struct table_column *column, const char *cell);
void table_title(struct table_row *row, const struct table_column *column);
