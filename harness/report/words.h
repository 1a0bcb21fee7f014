/* words.h - what the formats say in the same words: the numbers of a row, what stands behind it, the verdict of
 * the whole, how to accept. */
#ifndef WORDS_H
#define WORDS_H

#include "report.h"

/* How loudly something is said: in red and yellow, as error and warning, as failed and skipped. */
enum tone { TONE_PLAIN, TONE_GOOD, TONE_WARN, TONE_FAIL };

enum tone words_verdict_tone(enum verdict verdict);
enum tone words_exit_tone(enum exit_code code);

/* Numbers as people read them; each is "" where there is none. */
struct cells {
    char base[80], now[80];
    char change[128]; /* "+3.4 us (+18.2 %)" */
    char limit[80];
    char detects[80]; /* the smallest change that would have been caught */
};

void words_cells(const struct judgement *judgement, struct cells *cells);

/* Writes by how much now differs from base: "+1.2 %", "<0.1 %", "17.0 x" from ten times on, "from 0", or nothing when
 * they are both 0. */
void words_share(double base, double now, char *text, size_t size);

/* "base 18.7 us, now 22.1 us, change +3.4 us (+18.2 %), limit 0.94 us", as far as there are numbers. */
void words_numbers(const struct judgement *judgement, char *text, size_t size);

/* The verdict on a row as people read it: "same, blind" where it passed by a limit that can hardly fail it. */
const char *words_verdict_on(const struct judgement *judgement);

/* What stands behind a judgement: the evidence and the suite's part of the change unless it is plain, and the reason.
 * "2 of 2 sessions against 12; the clock was ...". NULL when there is none of them. Caller frees. */
char *words_why(const struct judgement *judgement);

/* ---- Why a row is worse; in words_why.c. Files, functions and source text are hostile. Callers free. ---- */

/* "kernels/reduce.cu:41"; "sum(float*) +0x1a0" where there is no line information. In `most` characters, at least 30;
 * WORDS_PLACE where there is no width to keep. */
char *words_place(const struct profile_line *line, size_t max);
#define WORDS_PLACE 120

/* "excess shared wavefronts 0 -> 6,938,624". */
char *words_amounts(const struct blame *blame, const struct hotspot *hotspot);

/* The same with "(98 % of the kernel's)", and for stalls the reason. */
char *words_hotspot(const struct blame *blame, const struct hotspot *hotspot);

/* What to do about it, and what is not known. */
char *words_advice(const struct blame *blame);

/* All of it, with the source text and what changed in the launches, a line each; nothing when there is none. */
void words_blame(const struct blame *blame, FILE *stream);

/* "6,938,624". Returns text. */
const char *words_count(double count, char *text, size_t size);

/* ---- */

/* "time -0.3 % (median of 62 kernels), taken off". */
void words_suite(const struct suite *suite, char *text, size_t size);

/* The notes as a report for people has them, from index 0 on: each cut where it is too long, the first of them, and at
 * last how many more there are. NULL after the last. Caller frees. */
char *words_note(const struct comparison *comparison, size_t index);

/* What stands above everything else: the loud words, those that explain them, and where the numbers are from. False
 * when the run was measured here. */
struct banner {
    const char *loud, *words;
    char source[640];
};
bool words_banner(const struct report *report, struct banner *banner);

/* Of a computed run: "12 rows of 3 kernels computed here; ...". */
void words_computing(const struct comparison *comparison, char *text, size_t size);

/* "regressed: 2 of 480 rows in 1 of 65 kernels", and the rest of the sentence: "; 3 improved (exit 1)". hint follows
 * the number of improved rows. */
struct verdict_words {
    char headline[256];
    char rest[512];
};
void words_verdict(const struct report *report, const char *hint, struct verdict_words *words);

/* The exit code that the rows alone explain: another one means no baseline, Ctrl-C, or a GPU that was lost halfway. */
enum exit_code words_exit_code_of_rows(const struct report *report);

/* The rows that `cugate accept` is for, by kernel. Caller frees the list, not what it points to. */
const struct judgement **words_regressed(const struct comparison *comparison, size_t *count);

/* Where the file comes from that `cugate accept` is to be given: " (check --save RUN.json writes the file)"; "" when
 * there is one. */
const char *words_run_file(const struct report *report);

/* Prints the command that accepts the rows of the first kernel of such a list, without a newline at its end. Returns
 * how many rows that were. */
size_t words_accept(const struct report *report, const struct judgement *const *rows, size_t count, FILE *stream);

/* Prints the commands that make a first baseline, a line each. */
void words_first_baseline(const struct report *report, const char *indent, FILE *stream);

/* The fact, or "unknown" for NULL. */
const char *words_known(const char *fact);

/* A fact of the run's last session; "unknown" when there is none. */
const char *words_fact(const struct run *run, enum session_fact which);

#endif
