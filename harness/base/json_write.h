/* json_write.h - writes JSON to a stream, value by value, in a fixed layout. It keeps nothing of what was written, so a
 * file of any size needs no memory. No function fails: the owner of the stream checks it at the end.
 *
 *     struct json_writer json = {.stream = stream, .indent = 2};
 *     json_open(&json, NULL, '{', JSON_LINES);
 *     json_put(&json, JSON_TEXT("name", name), JSON_COUNT("kernels", kernels));
 *     json_open(&json, "sizes", '[', JSON_IN_LINE);
 *     json_put_count(&json, NULL, 7);
 *     json_close(&json);
 *     json_close(&json);
 *
 * A key is the name of a member of an object, and NULL in a list. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#define JSON_DEPTH 10 /* limit of objects and lists that are open at once */

enum json_layout {
    JSON_IN_LINE, /* puts all values of an object or list on one line */
    JSON_LINES,   /* puts each value of an object or list on a line, indented */
};

/* Documents are for programs that may read ASCII alone; their numbers have the digits that a measurement can have. */
#define JSON_DOCUMENT .indent = 1, .ascii = true, .digits = 15

/* The stream and the style. All other members are private and start as 0. */
struct json_writer {
    FILE *stream;
    int indent;    /* blanks for each level of JSON_LINES */
    bool one_line; /* writes no newline at all, whatever the layout */
    bool ascii;    /* writes non-ASCII characters as \u, and bytes that are not UTF-8 as U+FFFD; else those as '?' */
    int digits;    /* digits of a number that is not whole; 0: as few (at least 9) as read back unchanged */

    int depth;
    struct json_level {
        char bracket; /* the bracket that opened it */
        bool lines, any;
    } levels[JSON_DEPTH];
};

void json_open(struct json_writer *json, const char *key, char bracket, enum json_layout layout);
void json_close(struct json_writer *json);

/* a text that is NULL is written as null */
void json_put_text(struct json_writer *json, const char *key, const char *text);
/* a number that is not finite is written as null */
void json_put_number(struct json_writer *json, const char *key, double number);
void json_put_count(struct json_writer *json, const char *key, unsigned long long count);
void json_put_flag(struct json_writer *json, const char *key, bool flag);
void json_put_null(struct json_writer *json, const char *key);

/* Writes the member only if text is not NULL. */
void json_put_if(struct json_writer *json, const char *key, const char *text);

/* Several members at once, or an object that has no others:
 * json_put_object(&json, "task", JSON_IN_LINE, JSON_TEXT("path", path), JSON_COUNT("bytes", size)); */
struct json_member {
    const char *key;
    char kind; /* t, n, c or f: a text, number, count or flag */
    const char *text;
    double number;
    unsigned long long count;
};
#define JSON_TEXT(name, value) ((struct json_member){.key = (name), .kind = 't', .text = (value)})
#define JSON_NUMBER(name, value) ((struct json_member){.key = (name), .kind = 'n', .number = (value)})
#define JSON_KNOWN(name, known, value) JSON_NUMBER(name, (known) ? (value) : (double)NAN)
#define JSON_COUNT(name, value) ((struct json_member){.key = (name), .kind = 'c', .count = (value)})
#define JSON_FLAG(name, value) ((struct json_member){.key = (name), .kind = 'f', .count = (value)})
#define JSON_MEMBERS(...)                                                                                              \
    (const struct json_member[]){__VA_ARGS__},                                                                         \
        sizeof((const struct json_member[]){__VA_ARGS__}) / sizeof(struct json_member)
#define json_put(json, ...) json_put_members((json), JSON_MEMBERS(__VA_ARGS__))
#define json_put_object(json, key, layout, ...)                                                                        \
    (json_open((json), (key), '{', (layout)), json_put(json, __VA_ARGS__), json_close(json))
void json_put_members(struct json_writer *json, const struct json_member *members, size_t count);
