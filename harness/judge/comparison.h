/* comparison.h - verdicts: of each row, of the kernels, of the suite, and what there is to say beside them. */
#ifndef COMPARISON_H
#define COMPARISON_H

#include "base/base.h"
#include "model/model.h"

#include "rule.h"

enum verdict {
    VERDICT_MISSING, /* expected, not measured: never a pass */
    VERDICT_REGRESSED,
    VERDICT_UNEXPECTED, /* declared as a known regression, and passes: the declaration must go */
    VERDICT_UNSURE,     /* has a reason */
    VERDICT_TRADED,     /* worse, for a metric that became better by it: warns */
    VERDICT_EXPECTED,   /* a known regression */
    VERDICT_NEW,        /* no baseline */
    VERDICT_IMPROVED,
    VERDICT_SAME,
    VERDICT_INFO, /* not gated: class info, or not applicable on both sides */
    VERDICTS      /* in this order, worst first */
};

/* "missing", "regressed", "unexpected-pass", "unsure", "trade-off", "expected", "new", "improved", "same", "info". */
const char *verdict_name(enum verdict verdict);

/* The kernel of judgements that are about the whole suite: its shift. No kernel of a library can have this name. */
#define COMPARISON_SUITE "(suite)"

/* One (kernel, metric), or a whole kernel when metric is NULL (missing or new as a whole). */
struct judgement {
    const char *kernel; /* borrowed from run or baseline; or COMPARISON_SUITE */
    const struct metric *metric;
    enum verdict verdict;
    bool has_base, has_now;
    double base, now;  /* in the metric's unit, where has_... says so */
    double change;     /* now - base; meaningful when `compared` */
    double limit;      /* the largest change that is none, when `compared`; not for info */
    double drift;      /* part of the change that the whole suite made and that was not held against the row */
    double detectable; /* smallest change that is caught with RULE_POWER; NAN where unknown, 0: any */
    bool compared;     /* both numbers are of one counter */
    bool worse;        /* beyond the limit in the bad direction, whatever the verdict */
    bool far;      /* a time worse than the baseline or its drift reference by more than RULE_SAME_CODE and the limit */
    bool blind;    /* it passed, by a limit beyond RULE_BLIND of its value; so small an amount that the metric file lets
                    * it be is not blind */
    bool computed; /* the number of the run is, by executing: one session stands for as many as it takes */
    bool same_code; /* the same machine code was launched in the same way */
    bool unchanged; /* gated, and not computed again: it is the baseline's by code, launches and inputs. Not judged */
    size_t base_sessions, run_sessions, agree; /* agree: sessions of the run beyond the limit */
    size_t pairs, pairs_worse;                 /* against a base library; 0 when there were none */
    enum paired paired;                        /* what they say */
    size_t other_gpus;  /* behind the row of the baseline, when none is that of the run; else 0 */
    bool wants_session; /* one more session would settle it */
    char *reason;       /* for missing, unsure and new, and wherever there is something to add; else NULL. Owned */
};

/* What stands behind a verdict: "13 of 14 pairs slower by more than 1 %", "2 of 2 sessions against 12", or nothing.
 * Returns text. */
const char *judgement_evidence(const struct judgement *judgement, char *text, size_t size);

/* Worse, and neither explained by the same code nor beside the point: the rows that lines are blamed for. */
bool judgement_is_worse(const struct judgement *judgement);

/* Worse, and of a kind that measuring again can settle: static facts are not, nor what pairs have settled; but what one
 * session says of the drift reference beside them is. */
bool judgement_is_suspect(const struct judgement *judgement);

/* Whether a base library is to settle that time: it is worse or undecided (an unsteady clock, say, is no matter between
 * two halves of a pair), or it is of other code than the baseline's. Then the pairs judge, and not the limit: GPUs of
 * one model differ by more than a change of code that matters. */
bool judgement_wants_pairs(const struct judgement *judgement);

/* The suite's shift in one metric of class time. A run on several GPUs has one for each: it is what a GPU, its clock or
 * its driver did, so what one of them did says nothing of the kernels that ran on another. */
struct suite {
    const struct metric *metric;
    bool one_of_several; /* GPUs of the run, and then */
    const char *gpu;     /* it is of the kernels that were measured on this one, borrowed; NULL: on those that have no
                            known UUID */
    double shift;        /* median relative change, positive is more */
    size_t kernels;      /* of which; when fewer than RULE_DRIFT, the shift is not known, 0 and not taken off */
    bool same_code;      /* only kernels whose machine code is the same were asked */
    bool moved;          /* by more than RULE_SUITE_SHIFT */
};

/* What came of computing, where the run is computed; else all 0. */
struct computing {
    size_t rows, kernels;  /* counts that were computed and compared, and of how many kernels */
    size_t unchanged;      /* kernels that stand by the same code, launches and inputs, so that nothing was computed */
    size_t unchanged_rows; /* of them, not judged */
    size_t not_simulated;  /* kernels that the simulator cannot execute */
    size_t absent;         /* gated rows of the baseline that computing cannot know: times, traffic, caches */
};

struct comparison {
    struct judgement *list; /* worst first; then by how many limits it moved, by its share; then by name */
    size_t count;
    size_t kernels;                 /* kernels judged */
    size_t counts[VERDICTS];        /* judgements */
    size_t kernel_counts[VERDICTS]; /* kernels, each by its worst judgement */
    size_t blind;                   /* judgements that are */
    size_t same_code; /* time and steady rows beyond their limit in either direction by the same code: A/A samples */
    struct computing computing;
    struct suite *suites; /* a row for each metric of class time that was compared, and GPU that has some; sorted */
    size_t suite_count;
    char **notes; /* what there is to say beside the verdicts: "driver 580.1; the baseline has 570.2" */
    size_t note_count;
};

void comparison_release(struct comparison *comparison);

/* Adds a note. Its words may come from files; reports cut what is too long. */
__attribute__((format(printf, 2, 3))) void comparison_add_note(struct comparison *comparison, const char *format, ...);

/* What a note enumerates; `= {0}` is empty. comparison_add_items adds the note "WORDS: a, b and 7 more", with the first
 * ten of them, unless there is none, and empties the list. */
struct note_items {
    char **list;
    size_t count;
};
__attribute__((format(printf, 2, 3))) void note_items_add(struct note_items *items, const char *format, ...);
void comparison_add_items(struct comparison *comparison, struct note_items *items, const char *words);

/* 5 > 1 > 4 > 3 > 0. A gate never passes on nothing: nothing judged at all is 5, and 4 that every row is new; but what
 * is unchanged is something. */
enum exit_code comparison_exit_code(const struct comparison *comparison);

/* EXIT_NOT_MEASURED when a kernel that was built is not ok or has a row that is not counted, or there is no kernel at
 * all; EXIT_UNSURE when one failed on a GPU and was measured on another; else 0. For runs that have nothing to be
 * compared with. */
enum exit_code run_exit_code(const struct run *run);

#endif
