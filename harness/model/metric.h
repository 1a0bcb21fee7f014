/* metric.h - metrics as data: the sections of metrics/\*.ini. */
#ifndef METRIC_H
#define METRIC_H

#include "law.h"

#include <stdbool.h>
#include <stddef.h>

enum metric_class {
    METRIC_STATIC, /* a fact of the machine code, read without a GPU: any change in the bad direction is worse */
    METRIC_EXACT,  /* repeats to the digit: any change in the bad direction is worse */
    METRIC_STEADY, /* repeats within its floor */
    METRIC_TIME,   /* moves with clocks and neighbours as well as with the code */
    METRIC_INFO,   /* shown, never gated */
    METRIC_CLASSES
};

enum metric_better { METRIC_LOWER, METRIC_HIGHER, METRIC_BETTERS };

/* The time of a launch by the GPU, as every chip names it. */
#define COUNTER_TIME "gpu__time_duration.sum"

struct metric {
    char *name;     /* section name, [a-z0-9_]+: the key in run files */
    char *title;    /* for column heads and plots */
    char *headline; /* its column in the table of kernels has this title, and it has a plot on each kernel's page; NULL:
                     * it has neither. Time has both without */
    char *counter;  /* CUPTI metric names separated by spaces, of which the first that the chip has counts; or
                     * `cugate.NAME` for what cugate works out itself: computed_counters.h */
    char *unit;     /* one of metric_units() (units.h): decides how a value is printed */
    enum metric_class class;
    enum metric_better better;
    double floor_absolute; /* in the metric's unit; a change up to the larger of the two floors is no change */
    double floor_relative; /* share of the baseline value: 0.02 is 2 % */
    char *weight;          /* metric that weighs the launches of one sample; NULL: launches add up. See sample.h */
    double few;            /* a ratio of less of its weight than this says nothing; 0: it always does */
    char *clock; /* time: metric that must not have moved for this one to be comparable, the SM clock; else NULL */
    char *trade; /* what a ratio stands for, names separated by spaces: while none of them got worse, its own fall is a
                  * trade-off; else NULL */
    struct laws laws;
    int laws_line; /* where they stand in the file */
    char *doc;     /* what it says, and its traps */
    char *file;    /* where it was defined, for errors */
    int line;
    bool asked;    /* named beside the catalogue, --metrics +SET: whoever asks for it is not to miss it unsaid */
    bool optional; /* its file says so: it is read only where it is named, and chips may lack its counter */
};

/* Owned list in the order of the files' names and their sections. */
struct metrics {
    struct metric *list;
    size_t count;
};

/* Reads every *.ini of a directory but those that are optional. On failure says file, line and remedy, returns -1, and
 * *metrics is empty. Unknown keys, a missing or doubled key, a doubled section, an unknown weight and a law of unknown
 * metrics are errors. */
int metrics_read_directory(struct metrics *metrics, const char *directory);

/* The same of a directory and of sets beside it: each a directory, a file, or the name of one in `shipped`, "tensor". A
 * metric that is there already has to be the same. */
int metrics_read_sets(struct metrics *metrics, const char *directory, char *const *sets, size_t count,
                      const char *shipped);

/* Every metric of a directory, also the optional ones: to look something up. */
int metrics_read_whole(struct metrics *metrics, const char *directory);

/* Reads one file's text (path only for messages) and adds its sections. Does not check the names of other metrics: call
 * metrics_check. */
int metrics_read_text(struct metrics *metrics, const char *path, const char *text);
int metrics_check(const struct metrics *metrics);
void metrics_cut(struct metrics *metrics, size_t count); /* leaves so many, the first ones */
void metrics_release(struct metrics *metrics);

/* The metric of that name, or NULL. */
const struct metric *metrics_find(const struct metrics *metrics, const char *name);
/* The next of the names in `trade`, for which *rest begins as that text: copies it into name. False at the end. */
#define METRIC_HEADLINE 16 /* characters, at most */
#define METRIC_NAME 64
bool metric_next_trade(const char **rest, char name[METRIC_NAME]);
/* Adds to `chosen`, whose strings are those of `all`, a metric and those that it is worked out from or judged by. name
 * may be NULL; chosen->list alone is the caller's to free. */
void metrics_need(struct metrics *chosen, const struct metrics *all, const char *name);
/* Its place in the list; only for names that exist. */
size_t metrics_index(const struct metrics *metrics, const char *name);

const char *metric_class_name(enum metric_class class);
const char *metric_better_name(enum metric_better better);
enum metric_class metric_class_of(const char *name);   /* METRIC_CLASSES when there is none */
enum metric_better metric_better_of(const char *name); /* METRIC_BETTERS likewise */

#endif
