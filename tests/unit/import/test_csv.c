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

Test(csv, fields_are_what_stands_between_commas)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"a,b\nc\n", "a|b;c;"},
        {"a,b", "a|b;"},
        {"a\r\nb\r\n", "a;b;"},
        {",\n", "|;"},
        {"\n\n", ";;"},
        {"\"a,b\",\"c\"\n", "a,b|c;"},
        {"\"a\nb\",c\nd\n", "a\nb|c;d;"},
        {"\"\",\"\"\"\",\"a\"\"b\"\n", "|\"|a\"b;"},
        {"\"a\"", "a;"},
        {"a\"b,c\n", "a\"b|c;"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        OWNED_TEXT all = read_all(cases[i].text);
        cr_expect_str_eq(all, cases[i].want, "case %zu: %s", i, all);
    }
}

Test(csv, errors_say_in_which_line)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"a\n\"b\nc", "x:2: a quote is not closed"},
        {"\"", "x:1: a quote is not closed"},
        {"a\n\"b\n\"c\n", "x:3: a quote ends in the middle of a field"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        OWNED_TEXT said = read_all(cases[i].text);
        cr_expect(strstr(said, cases[i].words), "\"%s\" lacks \"%s\"", said, cases[i].words);
    }
}

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
    expect_word(said, "x contains a zero byte");
}
