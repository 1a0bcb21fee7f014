#include "appeared.h"

/* To add a count that says much when it appears: a row, with the name of its metric. */
static const struct {
    const char *metric, *hint;
} telling[] = {
    {"fp64_arithmetic", "is there a double literal, or a call of a double-precision function?"},
    {"local_memory", "are registers spilled, or is an array indexed by a variable?"},
    {"tensor_instructions", "tensor cores are now used"},
    {"global_atomics", "there are now atomics on global memory"},
};

static int by_kernel(const void *left, const void *right)
{
    const struct appearance *a = left, *b = right;
    const int order = strcmp(a->kernel, b->kernel);
    return order ? order : strcmp(a->judgement->metric->name, b->judgement->metric->name);
}

void appearances_find(struct appearances *appearances, const struct comparison *comparison)
{
    *appearances = (struct appearances){0};
    EACH(const struct judgement, judgement, comparison->list, comparison->count) {
        if (!judgement->metric || !judgement->compared || !(judgement->base <= 0) || !(judgement->now > 0))
            continue;
        for (size_t k = 0; k < ARRAY_SIZE(telling); k++)
            if (strcmp(judgement->metric->name, telling[k].metric) == 0)
                *ARRAY_GROW(appearances->list, appearances->count) =
                    (struct appearance){judgement->kernel, judgement, telling[k].hint};
    }
    SORT(appearances->list, appearances->count, by_kernel);
}

void appearances_release(struct appearances *appearances)
{
    free(appearances->list);
    *appearances = (struct appearances){0};
}

char *appearances_of(const struct appearances *appearances, const char *kernel)
{
    char *words = NULL;
    size_t i = place_of_name(appearances->list, appearances->count, sizeof *appearances->list, kernel);
    for (; i < appearances->count && strcmp(appearances->list[i].kernel, kernel) == 0; i++) {
        const struct judgement *judgement = appearances->list[i].judgement;
        char now[64];
        x_append(&words, "; ", "%s 0 -> %s (%s)", judgement->metric->name,
                 metric_format(judgement->metric, judgement->now, now, sizeof now), appearances->list[i].hint);
    }
    return words;
}
