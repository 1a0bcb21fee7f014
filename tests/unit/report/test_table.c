#include "report/table.h"
#include "test.h"

#define GREATER                                                                                                        \
    "gr\xc3\xb6\xc3\x9f"                                                                                               \
    "er" /* six characters */

/* Returns a line of these cells in four columns, the third of which is not shown. Caller frees. */
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
        {{"a", "1 ", "x", ""}, false, "a          1"},
        {{"a", "1 ", "x", "b"}, false, "a          1   b"},
        {{"a", "", "x", "b"}, false, "a              b"},
        {{"", "", "x", ""}, false, ""},
        {{GREATER, "12345", "x", "b"}, false, GREATER "  12345  b"},
        {{"too_long_", "1", "x", "b"}, false, "too_long_   1  b"},
        {{"too_long_", "1234567", "x", "b"}, false, "too_long_ 1234567  b"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        OWNED_TEXT line = line_of(rows[i].cells, rows[i].any);
        cr_expect_str_eq(line, rows[i].line, "row %zu: '%s'", i, line);
    }
    OWNED_TEXT titles = line_of(NULL, false);
    cr_expect_str_eq(titles, "name    value  last");
}

Test(table, columns_grow_to_their_cells)
{
    struct table_column column = {.title = "x"};
    table_fit(&column, column.title);
    cr_expect_eq(column.width, 1);
    table_fit(&column, GREATER);
    cr_expect_eq(column.width, 6);
    table_fit(&column, "");
    cr_expect_eq(column.width, 6);
}

Test(table, what_does_not_fit_is_left_for_another_line)
{
    static const struct table_column columns[] = {
        {"a", true, 6}, {"b", false, 5}, {"hidden", false, 0}, {"c", true, 4}};
    cr_expect_eq(table_width(columns, ARRAY_SIZE(columns)), 6 + 2 + 5 + 2 + 4);
    cr_expect_eq(table_width(columns, 0), 0);
    static const struct {
        int width;
        size_t fitting;
    } rows[] = {{0, 4}, {100, 4}, {19, 4}, {18, 3}, {13, 3}, {12, 1}, {6, 1}, {5, 0}};
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        cr_expect_eq(table_fitting(columns, ARRAY_SIZE(columns), rows[i].width), rows[i].fitting, "row %zu", i);
}

/* A name that is cut must not be that of another kernel. */
Test(table, names_are_cut_where_they_stay_apart)
{
    static const char *const names[] = {"short", "reduce/the_first_of_them@256", "reduce/the_other_of_them@256",
                                        "reduce/the_other_of_them@512", "short"};
    static const struct {
        int width;
        const char *shown[5];
    } rows[] = {
        {0, {names[0], names[1], names[2], names[3], names[4]}},
        {28, {names[0], names[1], names[2], names[3], names[4]}},
        {27, {"short", "reduce/the_f...of_them@256", NULL, NULL, "short"}},
        {13, {"short", NULL, NULL, "reduc...m@512", "short"}},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        OWNED_MEMORY char **shown = table_names(names, ARRAY_SIZE(names), rows[i].width);
        for (size_t n = 0; n < ARRAY_SIZE(names); n++) {
            const char *wanted = rows[i].shown[n];
            if (i != 2)
                cr_expect(wanted ? shown[n] && strcmp(shown[n], wanted) == 0 : !shown[n], "row %zu, name %zu: %s", i, n,
                          shown[n] ? shown[n] : "NULL");
            else
                cr_expect(shown[n] && (int)strlen(shown[n]) <= rows[i].width, "row %zu, name %zu", i, n);
            free(shown[n]);
        }
    }
}
