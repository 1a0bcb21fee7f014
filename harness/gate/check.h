/* check.h - a check: measures, judges, and measures again until every verdict has enough evidence. */
#pragma once

#include "explain/explain.h"
#include "measure/measure.h"

/* What is to be checked. It borrows everything. */
struct check_request {
    struct measurement measurement; /* how to measure; if nothing is measured, it still says which kernels of which
                                       library are meant */
    const struct metrics *metrics;
    bool own_metrics;            /* they are not all cugate's own */
    const struct metrics *asked; /* only these are measured and judged; or NULL */
    const char *baselines;       /* folder */
    const char *replay;          /* run file to judge, or NULL: then a run is made */
    enum origin_name way;        /* how it is made */
    const char *gpu;    /* ORIGIN_CODE: folder name of the baseline; ORIGIN_FILES: a capability, "sm_90"; NULL: the
                         * only one that fits */
    bool all;           /* also counts that follow from machine code, launches and inputs that are the baseline's */
    char *const *files; /* ORIGIN_FILES: programs, libraries, cubins and folders whose functions are judged */
    size_t file_count;
    const char *against; /* base library to settle times with, or NULL */
    bool paired;         /* settle every time with it */
    const char *before;  /* folder with the baselines and metrics of the revision before, or NULL */
    bool unnamed;        /* --kernels was not given, so the library is cugate's own */
    bool stale;          /* judge a kernel library, or a program, that is older than its sources as any other */
    bool lines;          /* ORIGIN_PROGRAM: also collect the counts by source line of all kernels */
    int explain;         /* seconds for finding the source lines of what regressed; -1: as many as it is worth */
};

struct check {
    const struct check_request *request;
    struct run run, baseline, next; /* next: lines that were counted for a second session */
    char *baseline_name;            /* the baseline's file, folder or library; or NULL */
    struct known_regressions known_regressions;
    struct comparison comparison;
    struct diagnosis diagnosis;
    struct note_items newer;     /* sources that are newer than the judged file, unless it may be stale */
    size_t neither;              /* kernels of the baseline that neither the library nor its base build has */
    size_t unchosen;             /* kernels of a program's baseline that -k left out, and are not judged */
    size_t unasked;              /* rows of the baseline that were not asked for, and are not judged */
    double took;                 /* seconds of measuring, before anything was measured again */
    bool is_confirmed;           /* something was measured again */
    int measured;                /* exit code of measuring */
    int read;                    /* exit code of reading the baseline; it is read once, */
    bool is_read;                /* when its device is known */
    bool has_baseline;           /* there is a baseline that fits the run; else there is no comparison */
    bool other_baseline;         /* there is a baseline, but it does not fit */
    bool baseline_is_base_build; /* the whole baseline is the base build, measured now */
};

/* Does everything up to the report. Returns 0, or the exit_code when there is nothing to report, after error().
 * check->run has what was measured in either case. Release *check in any case. */
int check_judge(struct check *check, const struct check_request *request);
void check_release(struct check *check);

/* Adds notes about what the change took away from the gate, if the request has `before`. Returns 0, or EXIT_USAGE. */
int check_note_weakened(struct check *check);

/* For a run that is to be judged elsewhere: counts bank conflicts where a check on this GPU would. That is where the
 * baseline has them and the code changed. Does nothing without a baseline of this GPU and backend. Returns 0, or an
 * exit_code after error(). */
int check_supplement(const struct measurement *measurement, const char *baselines, struct run *run);

/* Returns the exit code of `cugate check`. */
enum exit_code check_exit_code(const struct check *check);
