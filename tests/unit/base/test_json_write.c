#include "test.h"

/* Returns what `write` writes in the style of `json`. Caller frees. */
static char *written(struct json_writer json, void (*write)(struct json_writer *json))
{
    char *text = NULL;
    size_t length;
    json.stream = open_memstream(&text, &length);
    write(&json);
    fclose(json.stream);
    cr_expect_eq(json.depth, 0);
    json_t *read = json_loadb(text, length, JSON_DECODE_ANY, NULL);
    cr_expect(read, "no JSON: %s", text);
    json_decref(read);
    return text;
}

static void expect(struct json_writer json, void (*write)(struct json_writer *json), const char *wanted)
{
    OWNED_TEXT text = written(json, write);
    cr_expect_str_eq(text, wanted);
}

static void write_tree(struct json_writer *json)
{
    json_open(json, NULL, '{', JSON_LINES);
    json_put_text(json, "name", "a \"b\"");
    json_put_if(json, "absent", NULL);
    json_open(json, "list", '[', JSON_LINES);
    json_open(json, NULL, '{', JSON_IN_LINE);
    json_put_flag(json, "yes", true);
    json_put_null(json, "none");
    json_close(json);
    json_put_count(json, NULL, 9223372036854775807);
    json_close(json);
    json_open(json, "empty", '[', JSON_LINES);
    json_close(json);
    json_put_number(json, "unknown", NAN);
    json_close(json);
}

Test(json_write, layouts)
{
    expect((struct json_writer){.indent = 2}, write_tree,
           "{\n  \"name\": \"a \\\"b\\\"\",\n  \"list\": [\n    {\"yes\": true, \"none\": null},\n"
           "    9223372036854775807\n  ],\n  \"empty\": [],\n  \"unknown\": null\n}");
    expect((struct json_writer){.one_line = true}, write_tree,
           "{\"name\": \"a \\\"b\\\"\",\"list\": [{\"yes\": true, \"none\": null},9223372036854775807],\"empty\": [],"
           "\"unknown\": null}");
}

static void write_text(struct json_writer *json)
{
    json_put_text(json, NULL, "\x01\t/\x7f caf\xc3\xa9 \xf0\x9f\x90\xa2 \xef\xbf\xbd \xff\xc3");
}

Test(json_write, texts)
{
    expect((struct json_writer){0}, write_text,
           "\"\\u0001\\u0009/\\u007f caf\xc3\xa9 \xf0\x9f\x90\xa2 \xef\xbf\xbd ?\?\"");
    expect((struct json_writer){.ascii = true}, write_text,
           "\"\\u0001\\u0009/\\u007f caf\\u00e9 \\ud83d\\udc22 \\ufffd \\ufffd\\ufffd\"");
}

static const double numbers[] = {0, -0.0, -7, 1.0 / 3, 0.1, 1e-7, 0x1p53 - 1, 0x1p53, 3e20, NAN, -INFINITY};

static void write_numbers(struct json_writer *json)
{
    json_open(json, NULL, '[', JSON_IN_LINE);
    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
        json_put_number(json, NULL, numbers[i]);
    json_put_number(json, NULL, 2);
    json_close(json);
}

Test(json_write, numbers)
{
    expect((struct json_writer){0}, write_numbers,
           "[0, 0, -7, 0.3333333333333333, 0.1, 1e-07, 9007199254740991, 9007199254740992, 3e+20, null, null, 2]");
    expect((struct json_writer){.digits = 15}, write_numbers,
           "[0, 0, -7, 0.333333333333333, 0.1, 1e-07, 9007199254740991, 9.00719925474099e+15, 3e+20, null, null, 2]");
}
