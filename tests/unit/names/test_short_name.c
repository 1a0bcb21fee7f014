#include "names/short_name.h"
#include "test.h"

static void expect_name(const char *where, const char *whole, const char *name)
{
    OWNED_TEXT found = kernel_short_name(whole);
    cr_expect_str_eq(found, name, "%s: %s is %s, not %s", where, whole, found, name);
}

static bool is_same(const char *a, const char *b)
{
    OWNED_TEXT left = kernel_short_name(a), *right = kernel_short_name(b);
    const bool same = strcmp(left, right) == 0;
    return same;
}

TEXTS(short_name, names_are_short_and_say_what_it_is, "tests/unit/names/short_name.txt#names", expect_name)

Test(short_name, what_is_cut_off_shows_in_the_digits)
{
    cr_expect_not(is_same("void k<thing_of_a_longish_name<1>, another_thing_with_a_longish_name, int>()",
                          "void k<thing_of_a_longish_name<1>, another_thing_with_a_longish_name, long>()"));
    cr_expect_not(is_same("cub::long_enough_to_be_cut<thing_of_a_longish_name, another_thing_with_one>(int)",
                          "cub::long_enough_to_be_cut<thing_of_a_longish_name, another_thing_with_one>(long)"));
}

DO(expect_same(const char *where, const char *one, const char *other), cr_expect(is_same(one, other), "%s", where));

Test(short_name, checkout_architecture_and_demangler_have_no_say)
{
    each_text("tests/unit/names/short_name.txt#same", expect_same);
    cr_expect_not(
        is_same("void cub::CUB_a::k<thing_of_a_longish_name<1>, another_thing_with_a_longish_name, int>(int)",
                "void cub::CUB_b::k<thing_of_a_longish_name<1>, another_thing_with_a_longish_name, int>(int)"));
}

Test(short_name, names_that_look_alike_have_digits_and_others_none)
{
    static const char *const wholes[] = {"void a::scale<int>(int)", "void b::scale<int>(int)",
                                         "void a::scale<long>(int)", "void a::scale<int>(int)", "copy"};
    char *found[ARRAY_SIZE(wholes)];
    kernel_unique_names(wholes, ARRAY_SIZE(wholes), found);
    cr_expect_eq(strlen(found[0]), strlen("scale<int>~0000"), "%s", found[0]);
    cr_expect_eq(strncmp(found[0], "scale<int>~", 11), 0);
    cr_expect_eq(strncmp(found[1], "scale<int>~", 11), 0);
    cr_expect_str_neq(found[0], found[1]);
    cr_expect_str_eq(found[2], "scale<long>");
    cr_expect_str_eq(found[3], found[0]);
    cr_expect_str_eq(found[4], "copy");
    for (size_t i = 0; i < ARRAY_SIZE(wholes); i++)
        free(found[i]);
    kernel_unique_names(NULL, 0, NULL);
}

/* Of a thousand names some share four digits; these get eight. */
Test(short_name, there_are_digits_enough)
{
    enum { COUNT = 3000 };
    char *wholes[COUNT], *found[COUNT];
    size_t longer = 0;
    for (size_t i = 0; i < COUNT; i++)
        wholes[i] = x_sprintf("void n%zu::scale<int>(int)", i);
    kernel_unique_names((const char *const *)wholes, COUNT, found);
    for (size_t i = 0; i < COUNT; i++)
        longer += strlen(found[i]) == strlen("scale<int>~00000000");
    cr_expect(longer > 0 && longer < COUNT / 2, "%zu have eight", longer);
    SORT(found, COUNT, by_text);
    for (size_t i = 1; i < COUNT; i++)
        cr_expect_str_neq(found[i - 1], found[i]);
    for (size_t i = 0; i < COUNT; i++) {
        free(wholes[i]);
        free(found[i]);
    }
}

static void expect_legal(const char *whole)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    OWNED_TEXT name = kernel_short_name(whole);
    cr_expect(strspn(name, letters) > 0, "%.100s gives %s", whole, name);
    cr_expect_eq(name[strspn(name + 1, "<>,.~-ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") + 1],
                 '\0', "%.100s gives %s", whole, name);
    cr_expect_leq(strlen(name), SHORT_NAME_LENGTH_MAX);
}

/* Names that no demangler prints, but that machine code may contain. */
Test(short_name, any_text_gives_a_name)
{
    static const char *const parts[] = {
        "<",        "(", "{", "[", "*", "f<(", "::", "operator", "(anonymous namespace)", "$",
        "\xc3\xa9", ">", ")", "}", "-", "->",  " ",  ",",        "unsigned long "};
    expect_legal("");
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
        expect_legal(parts[i]);
        OWNED_TEXT many = x_calloc(5000, strlen(parts[i]) + 1);
        for (size_t k = 0; k < 5000; k++)
            memcpy(many + k * strlen(parts[i]), parts[i], strlen(parts[i]));
        expect_legal(many);
        for (size_t k = 0; k < ARRAY_SIZE(parts); k++) {
            OWNED_TEXT pair = x_sprintf("a%s%sb%s", parts[i], parts[k], parts[i]);
            expect_legal(pair);
        }
    }
}

static void expect_file(const char *where, const char *path, const char *expected)
{
    OWNED_TEXT name = file_short_name(path);
    cr_expect_str_eq(name, expected, "%s: %s", where, name);
}

Test(short_name, a_file_is_called_by_its_name)
{
    each_text("tests/unit/names/short_name.txt#files", expect_file);
    OWNED_TEXT name = x_sprintf("%0200d", 7), *cut = file_short_name(name);
    cr_expect_eq(strlen(cut), SHORT_NAME_LENGTH);
}
