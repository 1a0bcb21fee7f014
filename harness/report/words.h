/* words.h - texts that several formats share: the numbers of a row, its evidence, the verdict, how to accept. */
#pragma once

#include "report.h"

/* How serious a text is: formats show it by red and yellow, by error and warning, or by failed and skipped. */
enum tone { TONE_PLAIN, TONE_GOOD, TONE_WARN, TONE_FAIL };

enum tone words_verdict_tone(enum verdict verdict);
enum tone words_exit_tone(enum exit_code code);

/* The numbers of a row for people; each is "" where there is none. */
struct cells {
    char base[80], now[80];
    char change[128]; /* the change: "+3.4 us (+18.2 %)" */
    char limit[80];
    char detects[80]; /* the smallest change that would have been caught */
};

void words_cells(const struct judgement *judgement, struct cells *cells);

/* Writes by how much now differs from base: "+1.2 %", "<0.1 %", "17.0 x" from ten times on, "from 0", or nothing when
 * both are 0. */
void words_share(double base, double now, char *text, size_t size);

/* Writes "base 18.7 us, now 22.1 us, change +3.4 us (+18.2 %), limit 0.94 us", as far as there are numbers. */
void words_numbers(const struct judgement *judgement, char *text, size_t size);

/* Returns the verdict on a row for people: "same, wide limit" where it passed but could hardly have failed. */
const char *words_verdict_on(const struct judgement *judgement);

/* Writes the verdict of a row and, where something moved and it is another one, that of its kernel: "trade-off (kernel:
 * improved)". */
const char *words_verdicts(const struct judgement *judgement, char *text, size_t size);

/* Returns the file that the reason of a failure names last, " at FILE:LINE (block 0,0,0)", and its line; NULL: it names
 * none. Caller frees. */
char *words_failed_at(const char *reason, unsigned *line);

/* Returns the evidence of a judgement, the common shift in its change unless that is small, and its reason. An example
 * is "in 2 of 2 sessions (12 in the baseline); the clock was ...". NULL without any of these. Caller frees. */
char *words_why(const struct judgement *judgement);

/* Returns what the table of kernels does not show of a program's row: its copies, how busy the GPU was, what only its
 * first part launched. NULL when nothing of that is known. Caller frees. In words_program.c. */
char *words_program(const struct report *report, const struct result *program);

/* The program's own command, which may stand behind options that chose launches: "./a.out" of "--skip 2 -- ./a.out".
 * words_program_name adds --name where that does not tell by itself what its kernels are called. In
 * words_program.c. */
const char *words_program_command(const char *fact);
void words_program_name(const struct text *words, const char *kernel, const char *command);

/* The program as commands take it, with the options that its rows depend on: "--name mine --skip 2 -- ./a.out". fact is
 * the run's SESSION_PROGRAM. What the kernel (NULL: the run's first) is called is told by --name where the command does
 * not tell it. Caller frees. In words_program.c. */
char *words_program_arguments(const char *fact, const struct run *run, const char *kernel);

/* Returns the command that captures the kernels of a program that are worse, or that make the program slower. NULL
 * where there are none. Caller frees. In words_capture.c. */
char *words_capture(const struct report *report);

/* ---- What another toolchain did: upgrade.h; in words_upgrade.c. Callers free. ---- */

#define UPGRADE_SHOWN 12 /* kernels that a report for people lists, half of them those that lost most */

/* Returns "nvcc 13.0.88 -> nvcc 13.5.37: 41 kernels of other code (12 ...), 20 of the same". */
char *words_upgrade(const struct upgrade *upgrade);

/* Returns where the time was lost: "+1.2 ms in libcublasLt.so.13; -30 us in libtorch.so". NULL where that is not known.
 */
char *words_upgrade_parts(const struct upgrade *upgrade);

/* Returns what it did to one kernel: "other instructions, +2.8 %; registers 18 -> 22". */
char *words_upgraded(const struct upgraded *kernel);

/* Writes how much time the kernel lost, "+1.2 us (+1.4 %)"; "" where that was not measured. */
void words_time_lost(const struct upgraded *kernel, char *text, size_t size);

/* Whether a report for people lists the kernel of that index: all where there are few, else the first and the last. */
bool words_upgrade_shows(const struct upgrade *upgrade, size_t index, bool all);

/* ---- Why a row is worse; in words_why.c. Files, functions and source text are untrusted. Callers free. ---- */

/* Returns at most `max` characters as one harmless line, which ends with "..." if it was cut. */
char *words_cut(const char *untrusted, size_t max);

/* Returns a function's name as printed tables have it: "(anonymous namespace)::sum<256u>(float const*, int)" becomes
 * "sum<256u>", cut as above. (Ids have kernel_short_name.) */
char *words_function(const char *function, size_t max);

/* Returns the place of a line: "kernels/reduce.cu:41", or "sum+0x1a0" without line information. It has at most `max`
 * characters, which are at least 24; WORDS_PLACE where width does not matter. A path that is too long loses its
 * beginning. */
char *words_place(const struct profile_line *line, size_t max);
#define WORDS_PLACE 120

/* Returns who launches a kernel of a program, as it was recorded: "model.py:42 (forward), libcublasLt.so.13". It is
 * untrusted, and borrowed; NULL where that is not known. words_caller() is "launched by ..." for people. */
const char *caller_of(const struct report *report, const char *kernel);
char *words_caller(const struct report *report, const char *kernel);

/* Returns "excess shared wavefronts here 0 -> 6,938,624". */
char *words_amounts(const struct blame *blame, const struct hotspot *hotspot);

/* Returns words_amounts with "(98 % of the kernel's)", and for stalls with the reason. */
char *words_hotspot(const struct blame *blame, const struct hotspot *hotspot);

/* Returns what to do about it, and what is not known. */
char *words_advice(const struct blame *blame);

/* Prints a line each for all of that, with source text, changes of launches and how to accept the row; nothing when
 * there is none. */
void words_body(const struct report *report, const struct judgement *judgement, FILE *stream);

/* Writes a count, "6,938,624", into text and returns it. */
const char *words_count(double count, char *text, size_t size);

/* ---- The whole report ---- */

/* Returns how many kernels the run has. The row of a program as a whole is none. */
size_t words_kernels(const struct run *run);

/* The banner above everything else: its heading, the explanation, and the source of the numbers. words_banner returns
 * false when the run was measured here, which needs none. */
struct banner {
    const char *loud, *words;
    char source[640];
};
bool words_banner(const struct report *report, struct banner *banner);

/* Writes about a computed run: "12 rows of 3 kernels computed here; ...". */
void words_computing(const struct comparison *comparison, char *text, size_t size);

/* The verdict, "regressed: 2 of 480 rows in 1 of 65 kernels", and the rest of the sentence: "; 3 improved (exit 1)".
 * hint follows the number of improved rows. */
struct verdict_words {
    char headline[256];
    char rest[512];
};
void words_verdict(const struct report *report, const char *hint, struct verdict_words *words);
char *words_whole(const struct report *report); /* all of it behind the banner's heading. Caller frees */

/* Returns the exit code that follows from the rows alone. If the report's differs, there is no baseline, or Ctrl-C or a
 * lost GPU ended it. */
enum exit_code words_exit_code_of_rows(const struct report *report);

/* Whether the row says no more than the one before it: another kernel is missing by the same reason. */
bool words_alike(const struct comparison *comparison, size_t row);

/* Returns the size of the other kernel, "[n=1M]" or "@512,128", if it is another size of that kernel; else NULL. */
const char *words_other_size(const char *kernel, const char *other);

/* Lists the rows that `cugate accept` is for, by kernel. Caller frees the list, but not the rows. */
const struct judgement **words_regressed(const struct comparison *comparison, size_t *count);

/* Returns how to get the file for `cugate accept`: " (check --save RUN.json writes the file)"; "" when there is one. */
const char *words_run_file(const struct report *report);

/* Prints the beginning of a command that accepts the run, up to which of its rows. */
void words_put_accept(const struct report *report, FILE *stream);

/* Prints the command that accepts a program's whole run, with a newline, if more than a few of its kernels are in the
 * list. False: nothing was printed, since each kernel is to be accepted by itself. */
bool words_accept_whole(const struct report *report, const struct judgement *const *rows, size_t count, FILE *stream);

/* Prints the command that accepts the rows of the first kernel in such a list, without a newline. Returns how many rows
 * these are. */
size_t words_accept(const struct report *report, const struct judgement *const *rows, size_t count, FILE *stream);

/* Returns such a command with these options, as " -k a/b". Caller frees. */
char *words_accept_with(const struct report *report, const char *options);

/* What a report that is unsure answers, in this order, in words_unsure.c: a title, words, and a command to type or
 * NULL. words_unsure_free frees them. */
enum { ANSWER_WHAT, ANSWER_WHY, ANSWER_SETTLE, ANSWER_ACCEPT, ANSWERS };
struct answer {
    const char *title;
    char *words, *command;
};
struct answer words_fine(const struct report *report); /* nothing fails: what would let the gate detect more, or {0} */
void words_unsure(const struct report *report, struct answer answers[ANSWERS]);
void words_next(const struct report *report, struct answer answers[ANSWERS]); /* these, or what to do next, in [0] */
void words_unsure_free(struct answer answers[ANSWERS]);

/* A command of the run's origin for that kernel, or NULL of it all: see origin_command. NULL for NULL. Caller frees. */
char *words_command(const struct report *report, const char *command, const char *kernel);

/* Prints the commands that make a first baseline, a line each. */
void words_first_baseline(const struct report *report, const char *indent, FILE *stream);

/* Returns the fact, or "unknown" for NULL. */
const char *words_known(const char *fact);

/* Returns a fact of the run's last session; "unknown" when there is none. */
const char *words_fact(const struct run *run, enum session_fact which);
