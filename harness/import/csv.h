/* csv.h - comma-separated values, RFC 4180: a field in quotes may hold commas, newlines and, doubled, quotes. */
#ifndef CSV_H
#define CSV_H

#include <stdbool.h>
#include <stddef.h>

struct csv {
    const char *name; /* for messages */
    char *text;       /* a copy, in which fields are unpacked; owned */
    char *rest;       /* of it, not read yet */
    size_t line;      /* that rest begins with, from 1 */
    char **fields;    /* of the record that was read last, in text */
    size_t count;
};

/* Borrows the name, and copies the text; -1 after error() when it holds a 0 byte. To be released either way. */
int csv_open(struct csv *csv, const char *name, const char *text, size_t length);
void csv_release(struct csv *csv);

/* Whether something is left; what the next line begins with is at csv->rest. */
bool csv_has_more(const struct csv *csv);

/* Reads the next record, or passes over the next line. -1 after error() when a quote is open at the end or followed by
 * something else than a comma. */
int csv_read(struct csv *csv);
void csv_skip_line(struct csv *csv);

#endif
