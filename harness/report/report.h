/* report.h - writes a run, a comparison, an explanation or an A/A analysis as a document, in several formats. */
#pragma once

#include "explain/explain.h"
#include "gate/gate.h"
#include "judge/judge.h"

/* What a referee was asked, and what came of it. */
struct referee_report {
    const struct referee_request *request;
    const struct referee_result *refereed; /* NULL: it was not judged */
    const char *reason;                    /* why not, or NULL */
    const char *task_hash, *code_hash;     /* XXH3 of both files in hexadecimal, or NULL */
};

struct report {
    const struct metrics *metrics;
    const struct run *run;
    const struct run *baseline;             /* NULL when there is nothing to compare with */
    const struct comparison *comparison;    /* likewise */
    const struct diagnosis *diagnosis;      /* of it, likewise */
    const struct certificate *certificates; /* of a referee; or NULL */
    size_t certificate_count;
    const struct referee_report *referee; /* or NULL */
    const char *candidate;                /* of several: its file. JSON is then one line; or NULL */
    const char *run_name;                 /* file that holds the run, or NULL when it is in none */
    const char *baseline_name;            /* file or folder, or NULL */
    const char *baselines;                /* folder that accept must be told of, or NULL for its default */
    const char *said;         /* options that a command of the same kind needs, " --kernels LIB.so"; or NULL */
    const char *against;      /* the base build that was asked for, or NULL */
    const char *metrics_said; /* those of them that say which metrics there are; or NULL */
    const char *gpu;          /* "=NAME" behind --simulate, or NULL when it need not be named */
    const char *config;       /* cugate.ini and the options it gave, or NULL when it gave none */
    bool baseless;            /* no folder of baselines is of the run's GPU */
    bool other_baseline;      /* the folder has one that does not fit the run, which needs another folder */
    enum exit_code exit_code; /* what the command is going to exit with */
    bool replay;              /* the run was read from run_name; nothing was measured here: said loudly */
    int columns;              /* of the terminal that the text goes to; 0: it goes to none */
    bool color;
    bool quiet;   /* leave out rows that are the same */
    bool verbose; /* show every row */
    bool each;    /* of a run that is compared with nothing: show each metric that was measured */
    bool power;   /* show every judged row with the smallest change that would have been caught */
};

void report_text(const struct report *report, FILE *stream);
void report_json(const struct report *report, FILE *stream);
void report_junit(const struct report *report, FILE *stream);
void report_markdown(const struct report *report, FILE *stream);
void report_comment(const struct report *report, FILE *stream);
void report_github(const struct report *report, FILE *stream);
void report_sarif(const struct report *report, FILE *stream);
void report_bmf(const struct report *report, FILE *stream);
void report_list(const struct report *report, FILE *stream); /* in report_bmf.c */

/* ---- An explanation, and an A/A analysis ---- */

struct style {
    int columns; /* width of the terminal, as in struct report */
    bool color, quiet, verbose;
    bool follows;             /* another explanation precedes it in the stream */
    enum exit_code exit_code; /* of an analysis: what the command will end with */
};
void explain_text(const struct explanation *explanation, const struct style *style, FILE *stream);
void explain_json(const struct explanation *explanation, const struct style *style, FILE *stream);
void analysis_text(const struct analysis *analysis, const struct style *style, FILE *stream);
void analysis_json(const struct analysis *analysis, const struct style *style, FILE *stream);

/* ---- The formats ---- */

enum document { DOCUMENT_CHECK, DOCUMENT_EXPLAIN, DOCUMENT_AA };

/* A format, with a function for each document that it can print; NULL where it cannot. Who opened the stream sees
 * whether it failed. */
struct format {
    const char *name;
    const char *doc;
    const char *file; /* what `cugate check --out DIR` calls it in DIR */
    void (*check)(const struct report *report, FILE *stream);
    void (*explain)(const struct explanation *explanation, const struct style *style, FILE *stream);
    void (*aa)(const struct analysis *analysis, const struct style *style, FILE *stream);
};

/* Returns the table, which is in report.c. Its names are the values of --format and --report. */
const struct format *format_list(size_t *count);

/* Returns the formats of a document: "text or json". Caller frees. */
char *format_names(enum document document);

/* Returns the format of that name; NULL after error(), which lists the formats, when the document has no such format.
 * option is the option that named it. */
const struct format *format_find(enum document document, const char *name, const char *option);

/* Prints what a word of the glossary means, or all: NULL. False: it has no such word. */
bool report_words(const struct text *text, const char *word);
