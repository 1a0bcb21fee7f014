/* json_write.h - JSON onto a stream, value by value, in a layout that is the same each time. Nothing is kept of what
 * was written, so that a file of any size takes no memory, and nothing fails: who owns the stream asks it at the end.
 *
 *     struct json_writer json = {.stream = stream, .indent = 2};
 *     json_open(&json, NULL, '{', JSON_LINES);
 *     json_put_text(&json, "name", name);
 *     json_open(&json, "sizes", '[', JSON_IN_LINE);
 *     json_put_count(&json, NULL, 7);
 *     json_close(&json);
 *     json_close(&json);
 *
 * A key is the name of a member of an object, and NULL in a list. */
#ifndef JSON_WRITE_H
#define JSON_WRITE_H

#include <stdbool.h>
#include <stdio.h>

#define JSON_DEPTH 10 /* objects and lists that are open at once, at most */

enum json_layout {
    JSON_IN_LINE, /* one value behind the other */
    JSON_LINES,   /* a line each, indented */
};

/* Where it writes, and the look of it; the rest of the fields are its own, 0 at first. */
struct json_writer {
    FILE *stream;
    int indent;    /* blanks for each level of JSON_LINES */
    bool one_line; /* no newline at all, whatever the layout */
    bool tight;    /* brackets stand beside what they hold, but those of a list at its beginning */
    bool ascii;    /* what is no plain ASCII goes as \u, and what is no UTF-8 as U+FFFD; else the latter as '?' */
    bool spelled;  /* like Jansson: \n and \u00E9, not \u000a and \u00e9; 1e-7 and 2e20, not 1e-07 and 2e+20 */
    int digits;    /* of a number that is not whole; 0: as few, from 9 on, as read back the same */

    int depth;
    struct json_level {
        char bracket; /* that opened it */
        bool lines, any;
    } levels[JSON_DEPTH];
};

void json_open(struct json_writer *json, const char *key, char bracket, enum json_layout layout);
void json_close(struct json_writer *json);

void json_put_text(struct json_writer *json, const char *key, const char *text); /* NULL: null */
void json_put_number(struct json_writer *json, const char *key, double number);  /* not finite: null */
void json_put_real(struct json_writer *json, const char *key, double number);    /* 2.0, not 2, where spelled */
void json_put_count(struct json_writer *json, const char *key, unsigned long long count);
void json_put_flag(struct json_writer *json, const char *key, bool flag);
void json_put_null(struct json_writer *json, const char *key);

/* A number or, where it is not known, null. */
void json_put_known(struct json_writer *json, const char *key, bool known, double number);

/* A member only where there is a text. */
void json_put_if(struct json_writer *json, const char *key, const char *text);

#endif
