/* run_place.h - typed reading of JSON whose errors say where: "run.json: kernels/access/coalesced/bytes: is
 * missing; ...".
 *
 * Each function returns 0, or -1 after error(). One that takes a key reads that member of the object at *above. */
#ifndef RUN_PLACE_H
#define RUN_PLACE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Where the reader is: a chain on the stack, from the file's name down to a key or an index. */
struct place {
    const struct place *above;
    const char *key; /* NULL: an element of a list */
    size_t index;
};

/* Parses a document; name is for messages. NULL after error(); the caller ends the result with json_decref. */
json_t *place_parse(const char *name, const char *text, size_t length);

__attribute__((format(printf, 2, 3))) int place_wrong(const struct place *place, const char *format, ...);

/* The value is of that type; words name the type: "a list". */
int place_expect(const struct place *place, const json_t *value, json_type type, const char *words);

/* The value is an object that has no keys but these. */
int place_object(const struct place *place, json_t *value, const char *const *keys, size_t count);

/* Numbers are never negative; whole ones lie between least and most. */
int place_whole(const struct place *place, json_t *value, long long least, long long most, long long *number);
int place_number(const struct place *place, json_t *value, double *number);

int place_whole_key(const struct place *above, json_t *object, const char *key, long long *number);
int place_unsigned_key(const struct place *above, json_t *object, const char *key, unsigned *number);
int place_number_key(const struct place *above, json_t *object, const char *key, double *number);
int place_flag(const struct place *above, json_t *object, const char *key, bool *flag);

/* A copy for the caller to free; *text stays as it is when the key is absent and not required. */
int place_text(const struct place *above, json_t *object, const char *key, bool required, char **text);

#endif
