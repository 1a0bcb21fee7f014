/* check.h - a check: measure, judge, and measure again until every verdict stands on what it needs. */
#ifndef CHECK_H
#define CHECK_H

#include "explain/explain.h"
#include "judge/judge.h"
#include "measure/measure.h"

/* What is to be checked; borrows everything. */
struct check_request {
    struct measurement measurement; /* how to measure; without measuring, which kernels of which library are meant */
    const struct metrics *metrics;
    const char *baselines; /* directory */
    const char *replay;    /* run file to judge in place of measuring, or NULL */
    bool static_only;      /* judge the facts of the machine code only, in place of measuring */
    const char *gpu;       /* for it: directory name of the baseline, or NULL for the only one that fits */
    bool computed; /* the backend computes, and needs no GPU: kernels whose launches and inputs are the baseline's are
                      not */
    bool all;      /* computed; with this they are */
    char *const *files;  /* for it: programs, libraries, cubins and folders whose functions are judged, in place of */
    size_t file_count;   /* the kernels of a library; then gpu is a capability, "sm_90" */
    const char *against; /* base library to settle times with, or NULL */
    bool paired;         /* settle every time with it */
    const char *before;  /* directory with the baselines and metrics of the revision before, or NULL */
    int explain;         /* seconds for finding the source lines of what regressed */
};

struct check {
    const struct check_request *request;
    struct run run, baseline;
    char *baseline_name; /* file, directory or library; or NULL */
    struct known_regressions known_regressions;
    struct comparison comparison;
    struct diagnosis diagnosis;
    int measured;                /* the exit code of measuring */
    bool has_baseline;           /* and it fits the run: else there is no comparison */
    bool other_baseline;         /* there is one, but it does not */
    bool baseline_is_base_build; /* the whole baseline is of the base library, measured now */
};

/* Everything up to the report. 0, or the exit_code when there is nothing to report, after error(). What was measured is
 * in check->run either way; to be released either way. */
int check_judge(struct check *check, const struct check_request *request);
void check_release(struct check *check);

/* Adds notes of what the change took away from its own judge, where the request has `before`. 0, or EXIT_USAGE. */
int check_note_weakened(struct check *check);

/* For a run that is to be judged elsewhere: counts what a check on this GPU counts beside measuring, because the
 * baseline has it and the code is another: bank conflicts. Nothing where no baseline of this GPU and backend is there.
 * 0, or an exit_code after error(). */
int check_supplement(const struct measurement *measurement, const char *baselines, struct run *run);

/* What `cugate check` exits with. */
enum exit_code check_exit_code(const struct check *check);

#endif
