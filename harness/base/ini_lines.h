/* ini_lines.h - feeds the text of an INI file to inih, line by line. It keeps line numbers and error messages, which
 * inih does not give to its handlers. */
#pragma once

#include <ini.h>
#include <stdbool.h>
#include <stddef.h>

struct ini_text {
    const char *path; /* of the file, for messages */
    const char *rest; /* the text that was not read yet */
    int line;         /* number of the line that was read last, from 1 */
    bool failed;
};

/* Starts reading; path and content are borrowed. Skips the UTF-8 byte order mark that some editors write. */
void ini_text_init(struct ini_text *text, const char *path, const char *content);

/* Calls error() with file and line; nothing is read afterwards. Returns -1. */
__attribute__((format(printf, 3, 4))) int ini_text_wrong(struct ini_text *text, int line, const char *format, ...);

/* Calls ini_text_wrong for a word of the present line: unknown class "exat": did you mean exact? There are exact,
 * steady, time, info */
int ini_text_unknown(struct ini_text *text, const char *what, const char *word, const char *const *names, size_t count);

/* Returns the next line, without a newline or NUL at its end. NULL at the end of the text and after a failure. A
 * control character in the line is a failure. */
const char *ini_text_next(struct ini_text *text, size_t *length);

/* Copies a line into inih's buffer of `size` bytes. NULL after ini_text_wrong() when it is too long; the message ends
 * with advice, which may be "". */
char *ini_text_copy(struct ini_text *text, const char *line, size_t length, char *buffer, int size, const char *advice);

/* Lets inih parse the text: it gets lines from next_line and passes keys to take_key, each called with data. A line
 * that is neither a key nor a section is an error; its message says what a section looks like: form,
 * "[metric_name]". */
void ini_text_parse(struct ini_text *text, ini_reader next_line, ini_handler take_key, void *data, const char *form);
