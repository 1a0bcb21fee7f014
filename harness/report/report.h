/* report.h - what a run or a comparison says, a format each. */
#ifndef REPORT_H
#define REPORT_H

#include "explain/explain.h"
#include "gate/gate.h"
#include "judge/judge.h"

#include <stdio.h>

struct report {
    const struct metrics *metrics;
    const struct run *run;
    const struct run *baseline;          /* NULL when there is nothing to compare with */
    const struct comparison *comparison; /* likewise */
    const struct diagnosis *diagnosis;   /* of it, likewise */
    const char *run_name;                /* file that holds the run, or NULL when it is in none */
    const char *baseline_name;           /* file or directory, or NULL */
    const char *baselines;               /* directory that accept must be told of, or NULL for its default */
    const char *config;                  /* cugate.ini and the options it gave, or NULL when it gave none */
    bool other_baseline;                 /* one that does not fit the run is there: the run's needs another directory */
    enum exit_code exit_code;            /* what the command is going to exit with: run_exit_code without comparison */
    bool replay;                         /* the run was read from run_name; nothing was measured here: said loudly */
    bool static_only;                    /* only machine code was read: no kernel ran and no GPU was asked; likewise */
    int columns;                         /* of the terminal that the text goes to; 0: it goes to none */
    bool color;
    bool quiet;   /* only what is not same */
    bool verbose; /* every row */
    bool power;   /* every row that was judged, with the smallest change that would have been caught */
};

int report_text(const struct report *report, FILE *stream);
int report_json(const struct report *report, FILE *stream);
int report_junit(const struct report *report, FILE *stream);
int report_markdown(const struct report *report, FILE *stream);
int report_comment(const struct report *report, FILE *stream);
int report_github(const struct report *report, FILE *stream);

/* ---- An explanation ---- */

struct explain_style {
    int columns; /* as in struct report */
    bool color, quiet, verbose;
    bool follows; /* another one stands before it in the stream */
};
int explain_text(const struct explanation *explanation, const struct explain_style *style, FILE *stream);
int explain_json(const struct explanation *explanation, const struct explain_style *style, FILE *stream);

/* ---- An A/A analysis ---- */

/* Prints all of it; exit_code is what the command is going to end with. -1 when the stream failed. */
struct analysis_style {
    enum exit_code exit_code;
    int columns;                /* as in struct report */
    bool color, quiet, verbose; /* text only: quiet leaves out what is no alarm, verbose shows every row */
};
int analysis_text(const struct analysis *analysis, const struct analysis_style *style, FILE *stream);
int analysis_json(const struct analysis *analysis, const struct analysis_style *style, FILE *stream);

/* ---- The formats ---- */

enum document { DOCUMENT_CHECK, DOCUMENT_EXPLAIN, DOCUMENT_AA };

/* What prints each document: NULL where it has no such format; -1 when the stream failed. */
struct format {
    const char *name;
    const char *doc;
    int (*check)(const struct report *report, FILE *stream);
    int (*explain)(const struct explanation *explanation, const struct explain_style *style, FILE *stream);
    int (*aa)(const struct analysis *analysis, const struct analysis_style *style, FILE *stream);
};

/* The table is in report.c; its names are the values of --format and --report. */
const struct format *format_list(size_t *count);

/* "text or json": the formats of a document. Caller frees. */
char *format_names(enum document document);

/* NULL after error() that lists them, when the document has no format of that name. option: who asked for it. */
const struct format *format_find(enum document document, const char *name, const char *option);

#endif
