/* json_read.h - reads typed values from JSON. Error messages say where: "run.json: kernels/access/coalesced/bytes: is
 * missing; ...".
 *
 * Each function returns 0, or -1 after error(). A function with a key reads that member of the object at *above. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Where in a document the reader is: a chain on the stack, from the file's name down to a key or an index. */
struct json_at {
    const struct json_at *above;
    const char *key; /* name of the member; NULL for an element of a list */
    size_t index;
};

/* Parses a document; name is for messages. NULL after error(). The same thread must end the result with json_at_end,
 * which frees all that was parsed or created with Jansson in between. */
json_t *json_at_parse(const char *name, const char *text, size_t length);
void json_at_end(const json_t *root); /* json_at_end(NULL) does nothing */

__attribute__((format(printf, 2, 3))) int json_error(const struct json_at *at, const char *format, ...);

/* Checks that the value has that type. words name the type in the message: "a list". */
int json_at_expect(const struct json_at *at, const json_t *value, json_type type, const char *words);

/* Checks that the value is an object with no other keys than these. */
int json_at_object(const struct json_at *at, json_t *value, const char *const *keys, size_t count);

/* Read a number, which must not be negative. A whole number must be between min and max. */
int json_at_whole(const struct json_at *at, json_t *value, long long min, long long max, long long *number);
int json_at_number(const struct json_at *at, json_t *value, double *number);

int json_at_whole_key(const struct json_at *above, json_t *object, const char *key, long long *number);
int json_at_number_key(const struct json_at *above, json_t *object, const char *key, double *number);
int json_at_flag(const struct json_at *above, json_t *object, const char *key, bool *flag);

/* Copies a text; the caller frees it. *text is unchanged when the key is missing and not required. */
int json_at_text(const struct json_at *above, json_t *object, const char *key, bool required, char **text);
