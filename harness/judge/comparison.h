/* comparison.h - the result of a comparison: verdicts of rows, kernels and the whole, and notes. */
#pragma once

#include "base/base.h"
#include "model/model.h"

#include "rule.h"

enum verdict {
    VERDICT_MISSING, /* expected and not measured; it never passes */
    VERDICT_REGRESSED,
    VERDICT_UNEXPECTED, /* declared as a known regression, but it passes, so the declaration must be removed */
    VERDICT_UNSURE,     /* undecided; the judgement's reason says why */
    VERDICT_TRADED,     /* trade-off: worse, in favour of another metric that became better; only a warning */
    VERDICT_EXPECTED,   /* worse, but declared as a known regression */
    VERDICT_NEW,        /* the baseline has no value */
    VERDICT_IMPROVED,
    VERDICT_SAME,
    VERDICT_INFO, /* not judged: class info, or not applicable on both sides */
    VERDICTS      /* the number of verdicts; the worst ones come first */
};

/* Returns "missing", "regressed", "unexpected-pass", "unsure", "trade-off", "expected", "new", "improved", "same" or
 * "info". */
const char *verdict_name(enum verdict verdict);

/* The kernel name in judgements about all kernels together: their common shift. No kernel of a library can have this
 * name. */
#define COMPARISON_SUITE "(suite)"

/* The judgement of one row; or of a whole kernel when metric is NULL (it is missing or new as a whole). */
struct judgement {
    const char *kernel; /* borrowed from run or baseline; or COMPARISON_SUITE */
    const struct metric *metric;
    enum verdict verdict;
    bool has_base, has_now;
    double base, now; /* in the metric's unit; valid where has_base, has_now */
    double change;    /* how far the value moved, now - base; valid when `compared` */
    double limit;     /* the largest change that counts as none; valid when `compared`, but not for info */
    double share;   /* how much of the time its change explains, by the estimate, or in a program as measured: 0 to 1; 0
                       where that is not known */
    unsigned cause; /* accounts for other rows that are worse, so that it is told before them; 0: for none */
    double chance;  /* how far chance may move it: the limit, or more where few sessions say little */
    double drift;   /* the part of the change that is common to all kernels and was subtracted */
    double detectable; /* the smallest change that is caught with probability RULE_POWER; NAN where unknown, 0: any */
    bool compared;     /* both numbers are there and of the same counter */
    bool worse;        /* the change is beyond the limit in the bad direction, whatever the verdict */
    bool far; /* a time that is worse than the baseline or its drift reference by more than RULE_SAME_CODE and the limit
               */
    bool blind;     /* the row passed, but its limit exceeds RULE_BLIND of its value, so it could hardly fail; a limit
                       within the metric's absolute floor does not count */
    bool computed;  /* the run's number was computed by simulation, so one session stands for all */
    bool same_code; /* the same machine code was launched in the same way */
    bool unchanged; /* gated, but not computed or read again since code, launches and inputs are the baseline's; not
                       judged */
    size_t base_sessions, run_sessions, agree; /* agree: how many sessions of the run are beyond the limit */
    /* pairs with a base build, and how many of them are worse; 0 when there were none */
    size_t pairs, pairs_worse;
    enum paired paired;     /* what the pairs with the base build show */
    size_t other_gpus;      /* number of GPUs in the baseline's row, when none of them is the run's; else 0 */
    bool wants_session;     /* one more session would settle it */
    bool wants_pairs;       /* an elapsed time, which pairs alone judge, and they may find something */
    bool unwitnessed;       /* a time that moved as those of all kernels, of which too few have unchanged code */
    bool paid;              /* a trade-off of a kernel that is faster: the kernel counts as improved */
    bool gained;            /* an improved row of a kernel of which another is worse: what that was paid for */
    enum verdict of_kernel; /* the verdict of the kernel */
    char *reason;           /* for missing, unsure and new, and wherever there is something to add; else NULL. Owned */
};

/* Writes the evidence of a verdict into text and returns it: "13 of 14 pairs worse by more than 1 %", "beyond the limit
 * in 2 of 2 sessions (12 in the baseline)", or nothing. */
const char *judgement_evidence(const struct judgement *judgement, char *text, size_t size);

/* Returns what the row's verdict is for its kernel, whose own is the worst of them: what a faster kernel paid counts as
 * improved. */
enum verdict judgement_counts_as(const struct judgement *judgement);

/* Whether the row is worse, and neither excused by the same code nor irrelevant. These rows get lines to blame. */
bool judgement_is_worse(const struct judgement *judgement);

/* Whether the row is worse and measuring again can settle it. That excludes static facts and what pairs have settled.
 * It includes a drift reference that was exceeded in one session only. */
bool judgement_is_suspect(const struct judgement *judgement);

/* Whether a base build should settle that time: it is worse or undecided, or its code differs from the baseline's. (An
 * unsteady clock does not matter between two halves of a pair.) Then pairs judge instead of the limit, since GPUs of
 * one model differ by more than a relevant change of code. */
bool judgement_wants_pairs(const struct judgement *judgement);

/* The common shift of all kernels in one metric of class time. It is caused by the GPU, its clock or its driver, so a
 * run on several GPUs has one for each. */
struct suite {
    const struct metric *metric;
    bool one_of_several; /* the run is on several GPUs; then gpu says which one */
    const char *gpu; /* UUID of the GPU whose kernels shifted, borrowed; NULL: kernels whose GPU has no known UUID */
    double shift;    /* median relative change of the kernels; positive means more */
    size_t kernels;  /* number of kernels that it is from; if below RULE_DRIFT the shift is unknown, set to 0 and not
                        subtracted */
    bool same_code;  /* only kernels with unchanged machine code were used; else the shift is not subtracted */
    bool moved;      /* the shift is beyond RULE_SUITE_SHIFT, by kernels of unchanged code */
};

/* What a computed run computed; of a measured run what is unchanged, and else 0. */
struct computing {
    size_t rows, kernels;  /* counts that were computed and compared, and the number of their kernels */
    size_t unchanged;      /* kernels of which something was not computed or read, since code, launches and inputs
                              are the same */
    size_t unchanged_rows; /* rows of unchanged kernels, which are not judged */
    size_t not_simulated;  /* kernels that the simulator cannot execute */
    size_t declared;       /* how many of them are declared in expected.ini, and so do not fail; not judged */
    size_t absent;         /* gated rows of the baseline that cannot be computed: times, traffic, caches */
    size_t baseless;       /* computed rows that no GPU counts, where the baseline is of a GPU: not judged */
};

struct comparison {
    struct judgement *list; /* worst first; then by what explains most of the time, by change in limits, relative
                               change, name */
    size_t count;
    size_t kernels;                 /* number of judged kernels */
    size_t not_built;               /* number of kernels that are not built and that the baseline lacks: not judged */
    size_t counts[VERDICTS];        /* number of judgements with each verdict */
    size_t kernel_counts[VERDICTS]; /* number of kernels by their worst verdict */
    size_t blind;                   /* number of blind judgements */
    size_t unasked;                 /* rows of the baseline that -m leaves out, so that they are not judged */
    size_t unasked_metrics;         /* metrics that it leaves out and that could be judged */
    size_t gone;                    /* kernels that a program launches no more, which is no fault: see compare.h */
    size_t same_code; /* rows of class time and steady that moved beyond their limit, up or down, with unchanged code */
    struct computing computing;
    struct suite *suites; /* one for each metric of class time that was compared, and each GPU that has some; sorted */
    size_t suite_count;
    /* Packages and libraries that make or hold kernels, as the program loaded them and the baseline's did, where they
     * differ: "triton 3.6.0" and "triton 3.7.0". NULL where none does. Owned */
    char *makers_was, *makers_are;
    char **notes; /* remarks beside the verdicts: "driver 580.1; the baseline has 570.2" */
    size_t note_count;
};

void comparison_release(struct comparison *comparison);

/* Adds a note. Its text may contain words from files; reports cut what is too long. */
__attribute__((format(printf, 2, 3))) void comparison_add_note(struct comparison *comparison, const char *format, ...);

/* The items that a note lists; `= {0}` is empty. comparison_add_items adds the note "WORDS: a, b and 7 more", with the
 * first ten items, and empties the list. It does nothing without items. */
struct note_items {
    char **list;
    size_t count;
};
__attribute__((format(printf, 2, 3))) void note_items_add(struct note_items *items, const char *format, ...);
void comparison_add_items(struct comparison *comparison, struct note_items *items, const char *words);

/* Returns how many judgements are verdicts: not those of class info, nor of kernels that are declared as not computed.
 */
size_t comparison_rows(const struct comparison *comparison);

/* Returns the exit code of the most severe verdict: 5 > 1 > 4 > 3 > 0. A gate never passes when nothing was judged:
 * that is 5, and 4 when every row is new. Rows that are unchanged count as judged. */
enum exit_code comparison_exit_code(const struct comparison *comparison);
