/* law.h - laws of metrics: what every number of a metric keeps, whatever the kernel and the GPU. Pure text and
 * arithmetic; run_laws.h holds runs against them.
 *
 * A law is `RELATION SUM`; several are separated by commas: `> 0, <= 1.1 * sm_cycles`. RELATION is one of > >= < <=. A
 * SUM is made of numbers and names by + - * and /, without parentheses; a name is a metric's, or LAW_WARPS. */
#ifndef LAW_H
#define LAW_H

#include "base/base.h"

#include <stdbool.h>
#include <stddef.h>

#define LAW_WARPS "cugate.warps" /* warps of all launches of a sample, by grid and block */

enum law_relation { LAW_MORE, LAW_AT_LEAST, LAW_LESS, LAW_AT_MAX, LAW_RELATIONS };

/* number * name / name ... */
struct law_product {
    double number;
    struct law_factor {
        char *name;
        bool divides;
    } * factors;
    size_t factor_count;
};

struct law {
    char *text; /* "<= 1.1 * sm_cycles" */
    enum law_relation relation;
    struct law_product *products; /* added up */
    size_t product_count;
};

/* An owned list; `struct laws laws = {0}` is empty and may be released. */
struct laws {
    struct law *list;
    size_t count;
};

/* Reads laws separated by commas and adds them. On failure returns -1, with what is wrong in problem. */
int laws_parse(struct laws *laws, const char *text, struct problem *problem);
void laws_release(struct laws *laws);

/* The least and the most that was read of something. */
struct span {
    double low, high;
};

/* Tells the span of a name; false when nothing was read of it. */
struct law_reader {
    bool (*read)(const void *of, const char *name, struct span *span);
    const void *of;
};

/* The span of a law's sum. False when the law cannot be asked: something of it was not read, or divides by 0. */
bool law_bound(const struct law *law, const struct law_reader *reader, struct span *bound);

/* Whether numbers keep the law. All of them have to keep a bound that is a number. A bound that has another metric in
 * it is kept as long as one reading of each keeps it: metrics are read in different passes over the kernel, and a
 * kernel may do a little more in one pass than in another. Counts that repeat to the digit leave no such room. */
bool law_is_kept(const struct law *law, struct span numbers, struct span bound);

/* The names in the law, in their order. */
size_t law_name_count(const struct law *law);
const char *law_name(const struct law *law, size_t place);

/* Whether another metric is in the law. */
bool law_has_metric(const struct law *law);

#endif
