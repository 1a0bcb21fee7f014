#include "test.h"

Test(terminal, terminals_get_no_control_characters)
{
    static const struct {
        const char *words, *printed;
        int columns;
    } rows[] = {
        {"plain", "plain", 5},
        {"two\nlines\n", "two lines ", 10},
        {"\u200edirections\u200f\u061c", "?directions??", 13},
        {"\033[31m\r\b\t\x7f", "?[31m????", 9},
        {"\xc2\x9b"
         "2J",
         "?2J", 3}, /* CSI is a control sequence in one character */
        {"\xe2\x80\xae"
         "desrever",
         "?desrever", 9},
        {"5 \xc2\xb5s", "5 \xc2\xb5s", 4},
        {"bad \xff\xc3", "bad ??", 6},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        PRINT(OWNED_TEXT, printed, to,
              const int columns = text_print(&(struct text){.stream = to}, INK_PLAIN, "%s", rows[i].words));
        cr_expect_str_eq(printed, rows[i].printed);
        cr_expect_eq(columns, rows[i].columns, "%s", rows[i].printed);
    }
}

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

Test(terminal, shell_words)
{
    static const struct {
        const char *word, *printed;
    } rows[] = {
        {"run.json", "run.json"},
        {"", "''"},
        {"two words", "'two words'"},
        {"it's", "'it'\\''s'"},
        {"$(reboot)`", "'$(reboot)`'"},
        {"gr\xc3\xb6\xc3\x9f"
         "e",
         "'gr\xc3\xb6\xc3\x9f"
         "e'"},
        {"\033[2J", "'?[2J'"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        PRINT(OWNED_TEXT, printed, to, text_shell_word(&(struct text){.stream = to}, rows[i].word));
        cr_expect_str_eq(printed, rows[i].printed);
    }
}

/* A euro sign is one character. */
#define EURO "\xe2\x82\xac"

Test(terminal, a_cut_says_so)
{
    static const struct {
        const char *text;
        size_t max;
        const char *beginning, *end;
    } rows[] = {
        {"", 5, "", ""},
        {"12345", 5, "12345", "12345"},
        {"123456", 5, "12...", "...56"},
        {EURO EURO EURO EURO EURO, 4, EURO "...", "..." EURO},
        {EURO EURO, 2, EURO EURO, EURO EURO},
        {"1234", 3, "...", "..."},
        {"1234", 0, "...", "..."},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        OWNED_TEXT beginning = text_cut(rows[i].text, rows[i].max), *end = text_cut_before(rows[i].text, rows[i].max);
        cr_expect_str_eq(beginning, rows[i].beginning);
        cr_expect_str_eq(end, rows[i].end);
    }
}

Test(terminal, a_cut_in_the_middle_keeps_both_ends)
{
    static const struct {
        const char *text;
        size_t max;
        const char *cut;
    } rows[] = {
        {"12345", 5, "12345"},
        {"1234567", 6, "12...7"},
        {"12345678", 7, "12...78"},
        {EURO "1234567" EURO, 7, EURO "1...7" EURO},
        {"12345", 4, "1..."},
        {"12345", 3, "..."},
        {"sgemm/tiled[n=8K,type=half]", 26, "sgemm/t...[n=8K,type=half]"},
        {"app/f<float>@4096,256", 18, "app/f<...@4096,256"},
        {"app/f<float>@4096x96,32x16,49152", 18, "app/f<fl...6,49152"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        OWNED_TEXT cut = text_cut_middle(rows[i].text, rows[i].max);
        cr_expect_str_eq(cut, rows[i].cut, "row %zu: %s", i, cut);
    }
}

Test(terminal, words_are_wrapped_where_the_terminal_ends)
{
    static const struct {
        int columns, column;
        const char *words, *printed;
    } rows[] = {
        {0, 0, "one two", "one two\n"},
        {40, 0, "1234567890 1234567890 1234567890 abcdef x", "1234567890 1234567890 1234567890 abcdef\n  x\n"},
        {40, 0, "1234567890 1234567890 1234567890 ab 86 %", "1234567890 1234567890 1234567890 ab 86 %\n"},
        {40, 0, "1234567890 1234567890 1234567890 abc 86 %", "1234567890 1234567890 1234567890 abc\n  86 %\n"},
        {40, 0, "123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890",
         "1234567890123456789012345678901234567890\n  12345678901234567890123456789012345678\n  901234567890\n"},
        {40, 30, "12345678901", "\n  12345678901\n"},
        {40, 30, "1234567890", "1234567890\n"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        PRINT(OWNED_TEXT, printed, to,
              text_wrap(&(struct text){.stream = to, .columns = rows[i].columns}, INK_PLAIN, rows[i].column, 2,
                        rows[i].words));
        cr_expect_str_eq(printed, rows[i].printed, "row %zu: %s", i, printed);
    }
}

Test(terminal, what_is_no_terminal_has_the_width_of_wrapped_text)
{
    const struct text text = {.columns = 0}, narrow = {.columns = 80}, wide = {.columns = 200};
    cr_expect_eq(text_width(&text), TEXT_WIDTH);
    cr_expect_eq(text_width(&narrow), 80);
    cr_expect_eq(text_width(&wide), TEXT_WIDTH);
    cr_expect(text_fits(&text, 120) && !text_fits(&text, 121) && text_fits(&wide, 200) && !text_fits(&narrow, 81));
}
