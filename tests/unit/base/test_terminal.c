#include "test.h"

#define FILE_OF(part) "tests/unit/base/terminal.txt#" part

static void expect_printed(const char *where, const char *text, const char *words)
{
    PRINT(OWNED_TEXT, printed, to, const int columns = text_print(&(struct text){.stream = to}, INK_PLAIN, "%s", text));
    OWNED_TEXT found = x_sprintf("%d %s", columns, printed);
    cr_expect_str_eq(found, words, "%s: %s", where, found);
}

TEXTS(terminal, terminals_get_no_control_characters, FILE_OF("printed"), expect_printed)

Test(terminal, no_line_begins_with_a_command)
{
    struct text text = {0};
    PRINT(OWNED_TEXT, printed, to, text.stream = to;
          text_wrap(&text, INK_PLAIN, 2, 2, "::error::first a::b\n::error::after a newline");
          text_wrap(&text, INK_PLAIN, 110, 2, "123456 ::error::wrapped ::plain ##[error]x # ## [#["));
    cr_expect_str_eq(printed, "?::error::first a::b ::error::after a newline\n"
                              "123456\n  ?::error::wrapped ::plain ?#[error]x # ## [#[\n");
}

Test(terminal, a_newline_of_the_format_is_kept_and_one_of_an_argument_is_not)
{
    struct text text = {0};
    PRINT(OWNED_TEXT, printed, to, text.stream = to;
          text_print(&text, INK_PLAIN, "\n%s\n%*s|%.3s %d\n", "a\n\n::error::b", 3, "\n", "\n\nc\nd", 7);
          text_print(&text, INK_PLAIN, "one\n%s\n", "  ::error::two ##vso[task.complete]##[x]##Not["));
    cr_expect_str_eq(printed, "\na  ::error::b\n   |  c 7\n"
                              "one\n  ?:error::two ?#vso[task.complete]?#[x]##Not[\n");
}

Test(terminal, a_long_text_is_printed_whole)
{
    OWNED_TEXT words = x_sprintf("%05000d", 7);
    PRINT(OWNED_TEXT, printed, to,
          const int columns = text_print(&(struct text){.stream = to}, INK_PLAIN, "%s", words));
    cr_expect_str_eq(printed, words);
    cr_expect_eq(columns, 5000);
}

static void expect_word_of_shell(const char *where, const char *word, const char *expected)
{
    PRINT(OWNED_TEXT, printed, to, text_shell_word(&(struct text){.stream = to}, word));
    cr_expect_str_eq(printed, expected, "%s: %s", where, printed);
}

TEXTS(terminal, shell_words, FILE_OF("words"), expect_word_of_shell)

static void expect_cut(const char *where, const char *text, const char *words)
{
    const size_t most = (size_t)leading_number(&text);
    OWNED_TEXT beginning = text_cut(text + 1, most), *end = text_cut_before(text + 1, most);
    OWNED_TEXT found = x_sprintf("%s|%s", beginning, end);
    cr_expect_str_eq(found, words, "%s: %s", where, found);
}

/* A euro sign is one character. */
TEXTS(terminal, a_cut_says_so, FILE_OF("cuts"), expect_cut)

static void expect_middle(const char *where, const char *text, const char *words)
{
    const size_t most = (size_t)leading_number(&text);
    OWNED_TEXT cut = text_cut_middle(text + 1, most);
    cr_expect_str_eq(cut, words, "%s: %s", where, cut);
}

TEXTS(terminal, a_cut_in_the_middle_keeps_both_ends, FILE_OF("middles"), expect_middle)

static void expect_wrapped(const char *where, const char *text, const char *words)
{
    const int columns = (int)leading_number(&text), column = (int)leading_number(&text);
    PRINT(OWNED_TEXT, printed, to,
          text_wrap(&(struct text){.stream = to, .columns = columns}, INK_PLAIN, column, 2, text + 1));
    cr_expect_str_eq(printed, words, "%s: %s", where, printed);
}

TEXTS(terminal, words_are_wrapped_where_the_terminal_ends, FILE_OF("wrapped"), expect_wrapped)

Test(terminal, what_is_no_terminal_has_the_width_of_wrapped_text)
{
    const struct text text = {.columns = 0}, narrow = {.columns = 80}, wide = {.columns = 200};
    cr_expect_eq(text_width(&text), TEXT_WIDTH);
    cr_expect_eq(text_width(&narrow), 80);
    cr_expect_eq(text_width(&wide), TEXT_WIDTH);
    cr_expect(text_fits(&text, 120) && !text_fits(&text, 121) && text_fits(&wide, 200) && !text_fits(&narrow, 81));
}
