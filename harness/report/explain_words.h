/* explain_words.h - what the formats of an explanation share: explain_words.c has the words; explain_text.c,
 * explain_roofs.c, explain_lines.c and explain_json.c print. */
#ifndef EXPLAIN_WORDS_H
#define EXPLAIN_WORDS_H

#include "report.h"

#define EXPLAIN_NAME 256 /* room for a name in one line */
#define EXPLAIN_CELL 96  /* room for a number with its unit */

/* Copies at most `columns` characters of hostile text into one harmless line; "..." ends what is longer. */
const char *explain_cut(const char *from, size_t columns, char *to, size_t size);

/* "(anonymous namespace)::sum<256u>(float const*, int)" -> "sum<256u>". */
const char *explain_function(const char *function, size_t columns, char *to, size_t size);

/* "kernels/reduce.cu:93", or without line information "sum+0x1a0". What is too long loses its beginning. */
const char *explain_place(const struct profile_line *line, size_t columns, char *to, size_t size);

/* A number in a unit of units.h, scaled; "not known" for NaN. */
const char *explain_number(double number, const char *unit, char text[EXPLAIN_CELL]);

/* "62.5 %"; "-" for NaN. */
const char *explain_percent(double number, char text[EXPLAIN_CELL]);

/* Why a row has no number: "not counted", "not in this run". */
const char *explain_state(const struct explanation *explanation, const char *metric);

/* Why the gap is there, with the numbers; "" where there is none or it is not known. */
const char *explain_gap_words(const struct explanation *explanation, char *text, size_t size);

/* Why a pattern is not known. */
const char *explain_unknown(const struct explanation *explanation, const struct pattern *pattern);

/* One sentence on what to do about a pattern, for warps that wait by the reason for which most do. */
const char *explain_advice(const struct explanation *explanation, const struct explained_pattern *explained);

/* Prints a title and, beside it and wrapped, what is said about it. */
void explain_part(const struct text *text, const char *title, enum ink ink, const char *words);

/* The parts of the text about roofs and about source lines. */
void explain_text_roofs(const struct text *text, const struct explanation *explanation,
                        const struct explain_style *style);
void explain_text_lines(const struct text *text, const struct explanation *explanation,
                        const struct explain_style *style);

#endif
