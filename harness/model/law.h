/* law.h - laws of metrics: inequalities that each number of a metric satisfies, whatever the kernel and the GPU. Pure
 * text and arithmetic; run_laws.h applies them to runs.
 *
 * A law is `RELATION SUM`; several are separated by commas: `> 0, <= 1.1 * sm_cycles`. RELATION is one of > >= < <=. A
 * SUM is made of numbers and names by + - * and /, without parentheses. A name is a metric's, or LAW_WARPS. */
#pragma once

#include "base/base.h"

#define LAW_WARPS "cugate.warps" /* the number of warps in all launches of a sample, from grid and block */

enum law_relation { LAW_MORE, LAW_AT_LEAST, LAW_LESS, LAW_AT_MAX, LAW_RELATIONS };

/* One product of a law's sum: number * name / name ... */
struct law_product {
    double number;
    struct law_factor {
        char *name;
        bool divides;
    } * factors;
    size_t factor_count;
};

struct law {
    char *text; /* the law as written: "<= 1.1 * sm_cycles" */
    enum law_relation relation;
    struct law_product *products; /* the terms of the law's sum */
    size_t product_count;
};

/* An owned list of laws; `struct laws laws = {0}` is empty and may be released. */
struct laws {
    struct law *list;
    size_t count;
};

/* Parses laws separated by commas and appends them. On failure returns -1, with the reason in problem. */
int laws_parse(struct laws *laws, const char *text, struct problem *problem);
void laws_release(struct laws *laws);

/* The least and the largest value that was read of a metric. */
struct span {
    double low, high;
};

/* How a law gets its values: read() fills in the span of a name, and returns false when nothing was read of it. */
struct law_reader {
    bool (*read)(const void *of, const char *name, struct span *span);
    const void *of;
};

/* Computes the span of the law's sum. Returns false when it has no value: a number was not read, or a divisor is 0. */
bool law_bound(const struct law *law, const struct law_reader *reader, struct span *bound);

/* Whether the numbers satisfy the law. A bound without other metrics has to hold for all of them. A bound with another
 * metric has to hold for one reading of each. The reason: metrics are read in different passes over the kernel, and a
 * kernel may do a little more in one pass than in another. Counts that repeat to the digit leave no such margin. */
bool law_is_kept(const struct law *law, struct span numbers, struct span bound);

/* How many names the law has, and each of them, in the order of its text. */
size_t law_name_count(const struct law *law);
const char *law_name(const struct law *law, size_t place);

/* Whether the law names another metric, and not only numbers and LAW_WARPS. */
bool law_has_metric(const struct law *law);
