/* Tests where errors are found, and what is no document. The types are tested in model/test_run_read.c, with run
 * files. */

#include "test.h"

#include <sys/resource.h>

Test(json_read, an_error_names_the_whole_way)
{
    const struct json_at file = {NULL, "a.json", 0}, list = {&file, "list", 0}, third = {&list, NULL, 2};
    long long number = 7;
    json_t *object = json_pack("{s:i, s:s}", "low", -1, "text", "x");
    capture_begin();
    cr_expect_eq(json_error(&file, "is %s", "odd"), -1);
    cr_expect_eq(json_at_whole_key(&third, object, "low", &number), -1);
    cr_expect_eq(json_at_whole_key(&third, object, "text", &number), -1);
    cr_expect_eq(json_at_whole_key(&third, object, "none", &number), -1);
    OWNED_TEXT said = capture_end();
    cr_expect_str_eq(said, "cugate: error: a.json: is odd\n"
                           "cugate: error: a.json: list/2/low: is -1, but must be between 0 and 9223372036854775807\n"
                           "cugate: error: a.json: list/2/text: must be a whole number, not a text\n"
                           "cugate: error: a.json: list/2/none: is missing; it must be a whole number\n");
    cr_expect_eq(number, 7);
    json_decref(object);
}

Test(json_read, an_unknown_key_has_a_suggestion)
{
    static const char *const keys[] = {"grid", "block"};
    const struct json_at file = {NULL, "a.json", 0};
    json_t *object = json_pack("{s:i}", "blok", 1);
    HEAR(result, json_at_object(&file, object, keys, ARRAY_SIZE(keys)));
    cr_expect_eq(result, -1);
    cr_expect_str_eq(said, "cugate: error: a.json: has an unknown key \"blok\"; did you mean \"block\"?\n");
    json_decref(object);
}

/* Two open documents are valid until each is ended, on a thread that has both and on one that has one. */
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
    OWNED_TEXT text = x_calloc(length + 1, 1);
    memset(text, '[', length);
    capture_begin();
    cr_expect_null(json_at_parse("a.json", text, length));
    cr_expect_null(json_at_parse("b.json", "", 0));
    cr_expect_null(json_at_parse("c.json", "{\"a\": 1, \"a\": 2}", 16));
    OWNED_TEXT said = capture_end();
    expect_words(said, "a.json holds more than", "b.json is empty", "c.json:1:");
}

/* A sanitizer needs much address space, and ends a process that gets no more. */
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
Test(json_read, memory_that_there_is_not_is_said)
{
    const size_t length = 4000001;
    OWNED_TEXT text = x_calloc(length + 1, 1);
    for (size_t i = 1; i + 1 < length; i += 2)
        memcpy(text + i, "1,", 2);
    text[0] = '[';
    text[length - 2] = '1';
    text[length - 1] = ']';
    long pages = 0;
    FILE *stream = fopen("/proc/self/statm", "r");
    cr_assert_not_null(stream);
    cr_assert_eq(fscanf(stream, "%ld", &pages), 1);
    fclose(stream);
    capture_begin();
    const rlim_t limit_bytes = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + (32 << 20);
    struct rlimit before, limit;
    getrlimit(RLIMIT_AS, &before);
    limit = (struct rlimit){.rlim_cur = limit_bytes, .rlim_max = before.rlim_max};
    cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
    cr_expect_null(json_at_parse("a.json", text, length));
    cr_assert_eq(setrlimit(RLIMIT_AS, &before), 0);
    OWNED_TEXT said = capture_end();
    expect_word(said, "not enough memory to read a.json");
    json_t *root = json_at_parse("a.json", text, length);
    cr_expect_eq(json_array_size(root), length / 2, "with memory it is read");
    json_at_end(root);
}
#endif
