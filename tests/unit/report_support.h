/* report_support.h - what the tests of the reports share: a report of made-up files, printing, looking for words. */
#ifndef REPORT_SUPPORT_H
#define REPORT_SUPPORT_H

#include "report/report.h"

#define MADE_UP "tests/cli/made_up/" /* tests run in the repository's root */

/* A report of two of the files made up for tests, and all that it borrows from. */
struct fixture {
    struct metrics metrics;
    struct run base, run;
    struct comparison comparison;
    struct diagnosis diagnosis;
    struct report report;
};

/* The runs that before.json is compared with. */
extern const char *const fixture_runs[];
extern const size_t fixture_run_count;

void report_set_up(struct fixture *fixture, const char *run);
void judge(struct fixture *fixture);                      /* the report is of both */
void alone(struct fixture *fixture, enum exit_code code); /* of the run alone */
void report_tear_down(struct fixture *fixture);

/* Adds a judgement to the comparison, behind the others. A reason is copied. The names must outlive it. */
struct judgement *invent(struct fixture *fixture, const char *kernel, const char *metric, enum verdict verdict,
                         const char *reason);

/* What a judgement of that comparison is blamed on. */
struct blame *blame_of(struct fixture *fixture, const struct judgement *judgement);

/* Blames 98 % of 6,938,624 excess wavefronts on line 41 of that file, or without one on instruction 0x1a0 of that
 * function. source may be NULL. It is the run's only line. */
void invent_blame(struct fixture *fixture, struct judgement *judgement, const char *file, const char *function,
                  const char *source);

/* Regressed times in place of the judgements there are: so many that no place holds them all. */
void invent_many(struct fixture *fixture, size_t count, const char *reason);

/* Makes an empty comparison the report's, for invent(). */
void forget_judgements(struct fixture *fixture);

/* What the reporter prints. Caller frees. */
char *print(const struct report *report, int (*reporter)(const struct report *, FILE *));

void expect_word(const char *text, const char *word);
void expect_no_word(const char *text, const char *word);
bool is_utf8(const char *text);
size_t count_words(const char *text, const char *word);

#endif
