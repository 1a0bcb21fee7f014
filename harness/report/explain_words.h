/* explain_words.h - words and numbers that all formats of an explanation share. explain_words.c has them;
 * explain_text.c, explain_roofs.c, explain_lines.c and explain_json.c print. */
#pragma once

#include "report.h"

#define EXPLAIN_CELL 96 /* size of a buffer for a number with its unit */

/* Writes a number scaled, with a unit of units.h; "not known" for NaN. */
const char *explain_number(double number, const char *unit, char text[EXPLAIN_CELL]);

/* Writes "62.5 %"; "-" for NaN. */
const char *explain_percent(double number, char text[EXPLAIN_CELL]);

/* Returns why a row has no number: "not counted", "not in this run". */
const char *explain_state(const struct explanation *explanation, const char *metric);

/* Writes the reason for the gap between theoretical and achieved occupancy, with numbers; "" where there is none or it
 * is not known. */
const char *explain_gap_words(const struct explanation *explanation, char *text, size_t size);

/* Returns why a pattern is not known. */
const char *explain_unknown(const struct explanation *explanation, const struct pattern *pattern);

/* Returns one sentence of advice on a pattern; for stalls it is advice on the most frequent reason. */
const char *explain_advice(const struct explanation *explanation, const struct explained_pattern *explained);

/* Prints a title and, beside it and wrapped, a text about it. */
void explain_part(const struct text *text, const char *title, enum ink ink, const char *words);

/* Print the parts of an explanation about roofs and about source lines. */
void explain_text_roofs(const struct text *text, const struct explanation *explanation, const struct style *style);
void explain_text_lines(const struct text *text, const struct explanation *explanation, const struct style *style);
