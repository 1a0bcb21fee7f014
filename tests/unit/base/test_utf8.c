#include "test.h"

Test(utf8, characters_are_read_and_written)
{
    static const struct {
        const char *bytes;
        unsigned character;
        size_t length;
    } rows[] = {
        {"a", 'a', 1},
        {"\x7f", 0x7f, 1},
        {"\xc3\xa9", 0xe9, 2},
        {"\xe2\x82\xac", 0x20ac, 3},
        {"\xef\xbf\xbd", 0xfffd, 3},
        {"\xf0\x9f\x98\x80", 0x1f600, 4},
        {"\xf4\x8f\xbf\xbf", 0x10ffff, 4},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const char *at = rows[i].bytes;
        char bytes[5];
        cr_expect_eq(text_next(&at), rows[i].character, "row %zu", i);
        cr_expect_eq((size_t)(at - rows[i].bytes), rows[i].length, "row %zu", i);
        cr_expect_str_eq(text_utf8(rows[i].character, bytes), rows[i].bytes);
    }
}

/* Each byte that is no UTF-8 is replaced by itself, so that the rest is still read, and never beyond the end. */
Test(utf8, what_is_no_utf8_is_replaced)
{
    static const char *const rows[] = {
        "\x80",             /* a continuation byte without a first one */
        "\xff",             /* never a byte of UTF-8 */
        "\xf5\x80\x80\x80", /* beyond the last character of Unicode */
        "\xf4\x90\x80\x80", /* beyond the last character of Unicode */
        "\xc0\xaf",         /* an overlong form */
        "\xe0\x80\xaf",     /* an overlong form */
        "\xf0\x80\x80\xaf", /* an overlong form */
        "\xed\xa0\x80",     /* half of a surrogate pair */
        "\xe2\x82",         /* a character whose last byte is missing */
        "\xc3(",            /* a character whose second byte is missing */
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const char *at = rows[i];
        cr_expect_eq(text_next(&at), TEXT_REPLACEMENT, "row %zu", i);
        cr_expect_eq(at, rows[i] + 1, "row %zu", i);
    }
}

Test(utf8, characters_are_counted)
{
    cr_expect_eq(text_count(""), 0);
    cr_expect_eq(text_count("\xe2\x82\xac"
                            "a\xff"),
                 3);
}
