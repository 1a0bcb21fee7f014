/* cases.h - tests by cases of text files: what there is, line by line, and what must come of it.
 *
 * A case begins with `case` and its name. Behind its lines it may have rows, whose cells take the places of $1 to $9:
 * then it is tried once a row. A line behind ?3 is for rows whose third cell is not empty, and one behind !3 for the
 * others. A line `let NAME=TEXT...` gives names values, which take the places of $NAME, and a row may give them others:
 * by cells of NAME=TEXT... only. There are ?NAME and !NAME, too. Words are separated by blanks; a part of one, or all
 * of it, may be in quotes, with \n, \xHH and \". Remarks follow a # among blanks. The first word is a command of the
 * language. */
#pragma once

#include "model/model.h"
#include "test.h"

struct case_command {
    const char *name;
    void (*run)(void);
    bool looks; /* and changes nothing */
};

struct language {
    const struct case_command *commands;
    size_t count;
    void (*begin)(void);  /* of a case, or of one of its rows */
    void (*change)(void); /* before a command that does not only look; NULL: nothing */
    void (*end)(void);
};

/* Tries each case of a file. */
void try_cases(const char *path, const struct language *language);

/* ---- For commands ---- */

/* Words of the line; the first one is the command. */
extern size_t word_count;
char *word(size_t i);

/* Which file, line, row and case it is. */
const char *where(void);
#define CHECK(condition, format, ...) cr_expect(condition, "%s: " format, where(), __VA_ARGS__)
#define NEED(condition, format, ...) cr_assert(condition, "%s: " format, where(), __VA_ARGS__)

double number(const char *text);
size_t whole(const char *text);
const char *known(const char *text); /* NULL: it is empty or a hyphen */
char *value_of(char *key);           /* cuts a word in two at its =, and returns what is behind */

/* Returns a copy that lives up to the end of the case; NULL for NULL, an empty text or a hyphen. */
const char *kept_text(const char *text);

/* A number, a count, a flag or a text, which is kept, that has that name in cases. */
struct member {
    const char *name;
    double *number;
    size_t *count;
    bool *flag;
    const char **text;
};

/* Gives members the values that the words NAME=VALUE from that one on have for them. */
void put_members(const struct member *members, size_t count, size_t first);

/* Checks a number that has that name; NAN: it is not known. */
struct named_number {
    const char *name;
    double value;
};
void expect_number(const struct named_number *numbers, size_t count, const char *key, double expected);
/* The same of each word NAME=NUMBER from that one on. */
void expect_numbers(const struct named_number *numbers, size_t count, size_t first);

/* Whether a text has each word of the line but the first, or none of them. */
void expect_text_says(const char *text);
void expect_text_lacks(const char *text);

enum session_fact fact_named(const char *text);

/* Adds to a row: samples 7 or 7,8,7, and *3 behind for three such sessions, with / between sessions; or it has a state
 * and its reason, `not counted: why`. An empty text is nothing. */
void put_values(struct result *result, const char *metric, char *text);

/* Returns the place of a text among names, which must have it. */
#define PLACE_OF(place, name_of, names)                                                                                \
    while ((place) < (names) && strcmp(name_of(place), text) != 0)                                                     \
        (place)++;                                                                                                     \
    NEED((place) < (names), "there is no %s", text);                                                                   \
    return place
