#include "report/table.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* Four columns, the third of which is not shown, and a line of these cells. Caller frees. */
static char *line_of(const char *const cells[4], bool any)
{
    const struct table_column columns[] = {
        {"name", true, 6}, {"value", false, 5}, {"hidden", false, 0}, {"last", true, 4}};
    char *line = NULL;
    size_t length;
    const struct text text = {.stream = open_memstream(&line, &length)};
    struct table_row row = {.text = &text, .any = any};
    for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
        if (cells)
            table_cell(&row, INK_RED, &columns[i], cells[i]);
        else
            table_title(&row, &columns[i]);
    fclose(text.stream);
    return line;
}

Test(table, blanks_stand_between_cells_and_at_no_end)
{
    static const struct {
        const char *cells[4];
        bool any;
        const char *line;
    } rows[] = {
        {{"a", "1", "x", "b"}, false, "a           1  b"},
        {{"a", "1", "x", "b"}, true, "  a           1  b"},
        {{"a", "1", "x", ""}, false, "a           1"},
        {{"a", "", "x", "b"}, false, "a              b"},
        {{"", "", "x", ""}, false, ""},
        {{"gr\xc3\xb6\xc3\x9f"
          "er",
          "12345", "x", "b"},
         false,
         "gr\xc3\xb6\xc3\x9f"
         "er  12345  b"},
        {{"too_long_", "1", "x", "b"}, false, "too_long_   1  b"},
        {{"too_long_", "1234567", "x", "b"}, false, "too_long_ 1234567  b"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char *line = line_of(rows[i].cells, rows[i].any);
        cr_expect_str_eq(line, rows[i].line, "row %zu: '%s'", i, line);
        free(line);
    }
    char *titles = line_of(NULL, false);
    cr_expect_str_eq(titles, "name    value  last");
    free(titles);
}

Test(table, columns_grow_to_their_cells)
{
    struct table_column column = {.title = "x"};
    table_fit(&column, column.title);
    cr_expect_eq(column.width, 1);
    table_fit(&column, "gr\xc3\xb6\xc3\x9f"
                       "er");
    cr_expect_eq(column.width, 6);
    table_fit(&column, "");
    cr_expect_eq(column.width, 6);
}
