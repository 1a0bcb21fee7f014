/* report_support.h - for tests of reports: makes a report from made-up files, prints it, and searches it for words. */
#pragma once

#include "report/report.h"

#define MADE_UP "tests/cli/made_up/" /* tests run in the repository's root */

/* A report on two of the made-up files, and all that it borrows from. */
struct fixture {
    struct metrics metrics;
    struct run base, run;
    struct comparison comparison;
    struct diagnosis diagnosis;
    struct report report;
};

/* The names of the runs that before.json is compared with. */
extern const char *const fixture_runs[];
extern const size_t fixture_run_count;

struct fixture report_set_up(const char *run);

void judge(struct fixture *fixture);                      /* the report is of both */
void alone(struct fixture *fixture, enum exit_code code); /* of the run alone */
void report_tear_down(struct fixture *fixture);

/* Appends a judgement to the comparison. reason is copied; the names must outlive the fixture. */
struct judgement *invent(struct fixture *fixture, const char *kernel, const char *metric, enum verdict verdict,
                         const char *reason);

/* Returns the blame of a judgement of that comparison. */
struct blame *blame_of(struct fixture *fixture, const struct judgement *judgement);

/* Blames a judgement for 98 % of 6,938,624 excess wavefronts on line 41 of that file, or without a file on instruction
 * 0x1a0 of that function. It is the run's only line. source may be NULL. */
void invent_blame(struct fixture *fixture, struct judgement *judgement, const char *file, const char *function,
                  const char *source);

/* Replaces all judgements by `count` regressed times, more than any format takes. */
void invent_many(struct fixture *fixture, size_t count, const char *reason);

/* Gives the report an empty comparison, to be filled by invent(). */
void forget_judgements(struct fixture *fixture);

/* Returns what the reporter prints. Caller frees. */
char *print(const struct report *report, void (*reporter)(const struct report *, FILE *));

bool is_utf8(const char *text);
size_t count_words(const char *text, const char *word);
