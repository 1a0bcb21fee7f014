#include "test.h"

Test(ini_lines, lines_come_one_by_one_without_a_byte_order_mark)
{
    static const char *const lines[] = {"[a]\r", "", "\tb = 1", "c"};
    struct ini_text text;
    size_t length;
    ini_text_init(&text, "x.ini",
                  "\xef\xbb\xbf"
                  "[a]\r\n\n\tb = 1\nc");
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
        const char *line = ini_text_next(&text, &length);
        cr_assert(line);
        cr_expect(length == strlen(lines[i]) && strncmp(line, lines[i], length) == 0, "line %zu", i);
        cr_expect_eq(text.line, (int)i + 1);
    }
    cr_expect_null(ini_text_next(&text, &length));
    cr_expect(!text.failed);
}

Test(ini_lines, a_failure_says_where_and_ends_the_file)
{
    static const struct {
        const char *content, *words;
    } rows[] = {
        {"a\nb\x01\nc", "x.ini:2: column 2 has the control character 1: remove it"},
        {"a\rb\nc", "x.ini:1: column 2 has the control character 13: remove it"},
        {"a\n123456789\nc", "x.ini:2: the line has 9 characters, but at most 8 are allowed: split it"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct ini_text text;
        size_t length;
        char buffer[10];
        ini_text_init(&text, "x.ini", rows[i].content);
        capture_begin();
        for (const char *line; (line = ini_text_next(&text, &length));)
            (void)ini_text_copy(&text, line, length, buffer, sizeof buffer, ": split it");
        OWNED_TEXT said = capture_end();
        cr_expect(text.failed && strstr(said, rows[i].words), "%s", said);
    }
}
