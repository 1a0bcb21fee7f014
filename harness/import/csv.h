/* csv.h - parses comma-separated values as in RFC 4180: a quoted field may contain commas, newlines, doubled quotes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct csv {
    const char *name; /* name of the file, for messages */
    char *text;       /* copy of the text, in which fields are unpacked; owned */
    char *rest;       /* the part of text that was not read yet */
    size_t line;      /* line number of the beginning of rest, from 1 */
    char **fields;    /* fields of the record that was read last; they point into text */
    size_t count;
};

/* Starts reading: copies the text and borrows the name. -1 after error() when the text contains a 0 byte. Release csv
 * in any case. */
int csv_open(struct csv *csv, const char *name, const char *text, size_t length);
void csv_release(struct csv *csv);

/* Whether something is left to read. csv->rest is the beginning of the next line. */
bool csv_has_more(const struct csv *csv);

/* csv_read reads the next record; csv_skip_line skips the next line. -1 after error() when a quote is not closed, or
 * something else than a comma follows it. */
int csv_read(struct csv *csv);
void csv_skip_line(struct csv *csv);
