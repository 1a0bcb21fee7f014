/* ini_lines.h - the text of an INI file on its way to inih, line by line. inih's handlers learn neither a line's number
 * nor what is wrong with it; what reads through this knows both. */
#ifndef INI_LINES_H
#define INI_LINES_H

#include <ini.h>
#include <stdbool.h>
#include <stddef.h>

struct ini_text {
    const char *path; /* for messages */
    const char *rest; /* text not read yet */
    int line;         /* that was read last, from 1 */
    bool failed;
};

/* Borrows both. A UTF-8 byte order mark of some editors is passed over. */
void ini_text_init(struct ini_text *text, const char *path, const char *content);

/* error() with file and line; nothing is read after it. Returns -1. */
__attribute__((format(printf, 3, 4))) int ini_text_wrong(struct ini_text *text, int line, const char *format, ...);

/* The same of the present line: unknown class "exat": did you mean exact? There are exact, steady, time, info */
int ini_text_unknown(struct ini_text *text, const char *what, const char *word, const char *const *names, size_t count);

/* The next line, without its end and not terminated, or NULL at the end and after a failure. A line with a control
 * character is one. */
const char *ini_text_next(struct ini_text *text, size_t *length);

/* Copies a line for inih into its buffer of `size` bytes; NULL after ini_text_wrong() when it is too long, with the
 * advice behind it, which may be "". */
char *ini_text_copy(struct ini_text *text, const char *line, size_t length, char *buffer, int size, const char *advice);

/* Has inih read the text: lines come from next_line, and keys go to take_key, each with that data. A line that is
 * neither a key nor a section is an error, which says what form a section has: "[metric_name]". */
void ini_text_parse(struct ini_text *text, ini_reader next_line, ini_handler take_key, void *data, const char *form);

#endif
