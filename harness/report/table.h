/* table.h - the columns of a table for people: cells below each other, two blanks between them, none at a line's end.
 */
#ifndef TABLE_H
#define TABLE_H

#include "base/base.h"

struct table_column {
    const char *title;
    bool left; /* else its cells end below each other, as numbers do */
    int width; /* in characters; of a column that is not shown 0. A cell that is wider pushes the others on */
};

/* A line in the making. A cell that is empty and what fills a column up are blanks that wait for the next cell. */
struct table_row {
    const struct text *text;
    bool any; /* something stands in the line already */
    int blanks;
};

/* How wide the columns are side by side, with the blanks between them. */
int table_width(const struct table_column *columns, size_t count);

/* How many of the columns, from the first on, stand in a line of so many characters; all where `width` is 0. */
size_t table_fitting(const struct table_column *columns, size_t count, int width);

/* Names for a column of `width` characters, 0 for any: each as it is, or cut in its middle where that still tells it
 * from the others; else NULL, for it needs a line of its own. Caller frees each and the list. */
char **table_names(const char *const *names, size_t count, int width);

/* Widens the column to what the cell takes. */
void table_fit(struct table_column *column, const char *cell);

/* Print the next cell of a line; a title and the blanks before it are bold. */
void table_cell(struct table_row *row, enum ink ink, const struct table_column *column, const char *cell);
void table_title(struct table_row *row, const struct table_column *column);

#endif
