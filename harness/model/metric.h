/* metric.h - metrics as data: the sections of metrics/\*.ini. */
#pragma once

#include "law.h"

enum metric_class {
    METRIC_STATIC, /* a fact of the machine code, read without a GPU: any change in the bad direction is worse */
    METRIC_EXACT,  /* repeats to the digit: any change in the bad direction is worse */
    METRIC_STEADY, /* the value repeats but for noise */
    METRIC_TIME,   /* moves with clocks and neighbours as well as with the code */
    METRIC_INFO,   /* the metric is shown, but never judged */
    METRIC_CLASSES
};

enum metric_better { METRIC_LOWER, METRIC_HIGHER, METRIC_BETTERS };

/* The time of a launch by the GPU, as every chip names it. */
#define COUNTER_TIME "gpu__time_duration.sum"
/* The instructions that warps execute. */
#define COUNTER_INSTRUCTIONS "smsp__inst_executed.sum"

struct metric {
    char *name;     /* section name, [a-z0-9_]+: the key in run files */
    char *title;    /* title for column heads and plots */
    char *headline; /* title of its column in the table of kernels; such a metric also has a plot on each kernel's page.
                       NULL: neither. Time has both without it */
    char *counter;  /* CUPTI metric names separated by spaces: the first one that the chip has is read. Or `cugate.NAME`
                       for what cugate computes: computed_counters.h */
    char *unit;     /* one of metric_units() (units.h): decides how a value is printed */
    enum metric_class class;
    enum metric_better better;
    double floor_absolute; /* in the metric's unit. A change up to the larger of the two floors counts as none */
    double floor_relative; /* the relative floor, as a share of the baseline value: 0.02 is 2 % */
    char *weight;          /* the metric that weighs the launches of one sample; NULL: launches add up. See sample.h */
    double few;            /* for a ratio: below this much of its weight it is not judged; 0: it always is */
    char *clock; /* for a time: the metric (the SM clock) that must be as in the baseline for times to be comparable;
                    else NULL */
    char *trade; /* for a ratio: the metrics that it stands for, separated by spaces. While none of them is worse, its
                    fall is only a trade-off. Else NULL */
    bool never_paid; /* a kernel may not pay with it (`trades = no`): worse fails, whatever else was gained */
    bool follows;    /* but for noise it follows from machine code, launches and inputs (`known = yes`) */
    struct laws laws;
    int laws_line; /* the line of the key `law` in the file */
    char *doc;     /* documentation: what the metric says, and its traps */
    char *file;    /* the file that defines it, for error messages */
    int line;
    bool asked;    /* the user named its set with --metrics +SET, so a missing number is reported */
    bool optional; /* the metric's file says `optional = yes`: it is read only where it is named, and chips may lack its
                      counter */
};

/* An owned list, in the order of file names and of sections in each file. */
struct metrics {
    struct metric *list;
    size_t count;
    bool never_paid; /* as that of each metric */
};

/* Reads every *.ini of a folder except optional ones. Errors are unknown keys, a missing or repeated key, a repeated
 * section, an unknown weight, and a law with an unknown metric. On failure error() says file, line and remedy, -1 is
 * returned and *metrics is empty. */
int metrics_read_folder(struct metrics *metrics, const char *folder);

/* Reads the metrics of a folder and of sets beside it. A set is a folder, a file, or the name of a file in
 * `shipped` ("tensor"). A metric that is defined twice must be defined the same way. */
int metrics_read_sets(struct metrics *metrics, const char *folder, char *const *sets, size_t count,
                      const char *shipped);

/* Parses the text of one file and appends its sections; path is only for messages. The names of other metrics are not
 * checked: call metrics_check at the end. */
int metrics_read_text(struct metrics *metrics, const char *path, const char *text);
int metrics_check(const struct metrics *metrics);
void metrics_cut(struct metrics *metrics, size_t count); /* keeps the first `count` metrics */
void metrics_release(struct metrics *metrics);

/* Returns the metric of that name, or NULL. */
const struct metric *metrics_find(const struct metrics *metrics, const char *name);
/* Iterates over the names in a metric's `trade`: *rest begins as that text, and each name is copied into name. Returns
 * false at the end. */
#define METRIC_HEADLINE 16 /* maximum length of a headline, in characters */
#define METRIC_NAME 64
bool metric_next_trade(const char **rest, char name[METRIC_NAME]);
/* Adds a metric to `chosen`, with the metrics that it is computed from or judged by. Strings stay owned by `all`, so
 * the caller frees chosen->list alone. name may be NULL. */
void metrics_need(struct metrics *chosen, const struct metrics *all, const char *name);
/* Returns the index of a metric in the list. The name must exist. */
size_t metrics_index(const struct metrics *metrics, const char *name);

const char *metric_class_name(enum metric_class class);
const char *metric_better_name(enum metric_better better);
enum metric_class metric_class_of(const char *name);   /* returns METRIC_CLASSES when no class has that name */
enum metric_better metric_better_of(const char *name); /* returns METRIC_BETTERS when no direction has that name */
