#include "import/csv.h"
#include "test.h"

/* Returns the records of a text as "a|b;c|d;", or the error message. Caller frees. */
static char *read_all(const char *text)
{
    OWNED(csv) csv;
    char *all = x_strdup("");
    capture_begin();
    int result = csv_open(&csv, "x", text, strlen(text));
    while (result == 0 && csv_has_more(&csv)) {
        result = csv_read(&csv);
        for (size_t i = 0; result == 0 && i < csv.count; i++) {
            char *longer = x_sprintf("%s%s%s", all, csv.fields[i], i + 1 < csv.count ? "|" : ";");
            free(all);
            all = longer;
        }
    }
    char *said = capture_end();
    if (result < 0) {
        free(all);
        return said;
    }
    free(said);
    return all;
}

static void expect_fields(const char *where, const char *text, const char *words)
{
    OWNED_TEXT all = read_all(text);
    cr_expect_str_eq(all, words, "%s: %s", where, all);
}

TEXTS(csv, fields_are_what_stands_between_commas, "tests/unit/import/csv.txt#fields", expect_fields)

static void expect_error(const char *where, const char *text, const char *words)
{
    OWNED_TEXT said = read_all(text);
    cr_expect(strstr(said, words), "%s: %s", where, said);
}

TEXTS(csv, errors_say_in_which_line, "tests/unit/import/csv.txt#errors", expect_error)

Test(csv, lines_are_counted_and_passed_over)
{
    OWNED(csv) csv;
    cr_assert_eq(csv_open(&csv, "x", "a\n\"b\nc\"\nd\ne", 11), 0);
    csv_skip_line(&csv);
    cr_assert_eq(csv_read(&csv), 0);
    cr_expect_str_eq(csv.fields[0], "b\nc");
    cr_expect_eq(csv.line, 4);
    csv_skip_line(&csv);
    cr_expect_eq(csv.line, 5);
    csv_skip_line(&csv);
    cr_expect_not(csv_has_more(&csv));
    cr_expect_eq(csv.line, 5);
}

Test(csv, a_byte_that_is_0_is_no_text)
{
    OWNED(csv) csv;
    HEAR(result, csv_open(&csv, "x", "a\0b", 3));
    cr_expect_eq(result, -1);
    expect_word(said, "x contains a NUL byte");
}
