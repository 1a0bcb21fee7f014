/* json_fields.h - structs in JSON by tables, one for both ways: a row says of a member of an object where the struct
 * has it, as what, and when it is absent. Objects are written in the order of their rows. What
 * is read may have any order.
 *
 *     static const struct json_field fields[] = {
 *         {"name", FIELD_TEXT, .offset = offsetof(struct gpu, name), .optional = true},
 *         {"sm_count", FIELD_UNSIGNED, .offset = offsetof(struct gpu, sm_count), .least = 1},
 *     };
 *     static const struct json_table table = {fields, ARRAY_SIZE(fields), .size = sizeof(struct gpu)};
 *     json_put_fields(&json, "gpu", &table, &gpu);
 *     if (json_at_fields(&at, json_object_get(root, "gpu"), &table, NULL, &gpu) < 0)
 *
 * What writes needs no Jansson, and so no file that defines a table does: libraries that only write are loaded into
 * other programs. */
#pragma once

#include "json_read.h"
#include "json_write.h"

enum field_kind {
    FIELD_TEXT,     /* char *, owned; optional: NULL */
    FIELD_FLAG,     /* bool */
    FIELD_UNSIGNED, /* unsigned; optional: 0, as for all numbers */
    FIELD_SIZE,     /* size_t, uint64_t or long long */
    FIELD_NUMBER,   /* double, not negative; optional: also if it is not finite */
    FIELD_PERCENT,  /* unsigned, one more than the file has; optional: 0 */
    FIELD_MAYBE,    /* an enum in place of a flag; optional: 0 for not known, 1 for false, 2 for true */
    FIELD_CHOICE,   /* an enum by its names; optional: as many as there are names */
    FIELD_NAMED,    /* double for each of the names, an object: those that are 0 are absent */
    FIELD_BYTES,    /* unsigned char *, owned, and how many: a string of hexadecimal digits, of `most` bytes at most */
    FIELD_EXTENTS,  /* unsigned[3], a list, none of them 0; optional: the first is 0 */
    FIELD_STRUCT,   /* a struct with a table */
    FIELD_OWNED,    /* a pointer to one; optional: NULL */
    FIELD_LIST, /* a pointer to several and how many they are: optional to read; of fewer than `least` it is not written
                 */
    FIELD_MAP,  /* the same, sorted by name, which is their first member: an object in which it is the key */
    FIELD_OTHER /* by functions of one's own */
};

struct json_field {
    const char *key;
    enum field_kind kind;
    size_t offset;
    bool optional;
    size_t when, unless;   /* offset of a bool that says whether it is there or absent; 0: there is none */
    long long least, most; /* of a whole number; most 0: what fits */
    size_t count;          /* of FIELD_LIST and FIELD_MAP: offset of their number, a size_t */
    const struct json_table *table;
    const char *(*name)(unsigned); /* of FIELD_CHOICE and FIELD_NAMED */
    unsigned names;
    const char *what; /* that the name is, for messages: "status of a kernel" */
    /* Writes the member. It may be there for each kind. */
    void (*put)(struct json_writer *json, const struct json_field *field, const void *of);
    unsigned take; /* of FIELD_OTHER: place in struct json_takes */
};

struct json_table {
    const struct json_field *fields;
    size_t count;
    size_t size;             /* of the struct */
    enum json_layout layout; /* of an object */
    /* Whether an optional struct is there. NULL: always. */
    bool (*is_there)(const void *of);
    /* Checks the name in a FIELD_MAP, and what was read. NULL: all is right. -1 after error(). */
    int (*check_name)(const struct json_at *list, const char *name);
    int (*check)(const struct json_at *at, void *of);
};

#define JSON_FIELDS_MAX 32 /* most rows of a table */

void json_put_reading(struct json_writer *json, const char *key,
                      double number); /* one that no counter reads is a BUG */
void json_put_fields(struct json_writer *json, const char *key, const struct json_table *table, const void *of);

/* Functions that read the members of FIELD_OTHER. All others, and those of later rows, were read before. They are also
 * called for what is missing, and say what it must be. */
struct json_takes;
typedef int json_take(const struct json_at *at, json_t *value, void *of, const struct json_field *field,
                      const struct json_takes *takes);
struct json_takes {
    json_take *const *list;
    const void *about; /* for these functions */
};

/* Reads a struct, which is zeroed but for what is absent otherwise. 0, or -1 after error(), and then part was read. */
int json_at_fields(const struct json_at *at, json_t *value, const struct json_table *table,
                   const struct json_takes *takes, void *of);
