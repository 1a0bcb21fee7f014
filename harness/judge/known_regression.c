#include "known_regression.h"

int known_regression_order(const void *left, const void *right)
{
    const struct known_regression *a = left, *b = right;
    const int order = strcmp(a->kernel, b->kernel);
    return order ? order : strcmp(a->metric, b->metric);
}

const struct known_regression *known_regressions_find(const struct known_regressions *regressions, const char *kernel,
                                                      const char *metric)
{
    const struct known_regression wanted = {.kernel = (char *)kernel, .metric = (char *)metric};
    return regressions->count == 0
               ? NULL
               : bsearch(&wanted, regressions->list, regressions->count, sizeof wanted, known_regression_order);
}

bool known_regression_is_over(const struct known_regression *known, const char *date)
{
    return !date || strncmp(date, known->expires, strlen(known->expires)) > 0;
}
