/* Where an error was found, and what is no document; the types are in model/test_run_read.c, with the file's. */
#include "base/base.h"
#include "support.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

Test(json_read, an_error_names_the_whole_way)
{
    struct capture capture;
    const struct json_at file = {NULL, "a.json", 0}, list = {&file, "list", 0}, third = {&list, NULL, 2};
    unsigned number = 7;
    json_t *object = json_pack("{s:i, s:s}", "low", -1, "text", "x");
    capture_begin(&capture);
    cr_expect_eq(json_error(&file, "is %s", "odd"), -1);
    cr_expect_eq(json_at_unsigned_key(&third, object, "low", &number), -1);
    cr_expect_eq(json_at_unsigned_key(&third, object, "text", &number), -1);
    cr_expect_eq(json_at_unsigned_key(&third, object, "none", &number), -1);
    char *said = capture_end(&capture);
    cr_expect_str_eq(said, "cugate: error: a.json: is odd\n"
                           "cugate: error: a.json: list/2/low: is -1, but must lie between 0 and 4294967295\n"
                           "cugate: error: a.json: list/2/text: must be a whole number, not a text\n"
                           "cugate: error: a.json: list/2/none: is missing; it must be a whole number\n");
    cr_expect_eq(number, 7);
    free(said);
    json_decref(object);
}

Test(json_read, an_unknown_key_has_a_suggestion)
{
    static const char *const keys[] = {"grid", "block"};
    struct capture capture;
    const struct json_at file = {NULL, "a.json", 0};
    json_t *object = json_pack("{s:i}", "blok", 1);
    capture_begin(&capture);
    cr_expect_eq(json_at_object(&file, object, keys, ARRAY_SIZE(keys)), -1);
    char *said = capture_end(&capture);
    cr_expect_str_eq(said, "cugate: error: a.json: has an unknown key \"blok\"; did you mean \"block\"?\n");
    free(said);
    json_decref(object);
}

/* Each of two open documents is whole until it is ended, on this thread and beside one that has none. */
Test(json_read, a_document_lasts_until_its_end)
{
    const char text[] = "{\"list\": [1, 2.5, \"three\"]}";
    json_t *alone = json_pack("[i]", 7);
    json_t *first = json_at_parse("a.json", text, strlen(text)), *second = json_at_parse("b.json", text, strlen(text));
    json_at_end(first);
    cr_expect_null(json_at_parse("c.json", "[1, ", 4));
    const json_t *list = json_object_get(second, "list");
    cr_expect_eq(json_array_size(list), 3);
    cr_expect_str_eq(json_string_value(json_array_get(list, 2)), "three");
    json_at_end(second);
    json_at_end(NULL);
    cr_expect_eq(json_integer_value(json_array_get(alone, 0)), 7);
    json_decref(alone);
}

Test(json_read, what_is_too_much_is_refused_unread)
{
    const size_t length = 4000000;
    struct capture capture;
    char *text = x_calloc(length + 1, 1);
    memset(text, '[', length);
    capture_begin(&capture);
    cr_expect_null(json_at_parse("a.json", text, length));
    cr_expect_null(json_at_parse("b.json", "", 0));
    cr_expect_null(json_at_parse("c.json", "{\"a\": 1, \"a\": 2}", 16));
    char *said = capture_end(&capture);
    cr_expect(strstr(said, "a.json holds more than") && strstr(said, "b.json is empty") && strstr(said, "c.json:1:"),
              "%s", said);
    free(said);
    free(text);
}
