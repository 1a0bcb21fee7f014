/* Gives kernels of one name the numbers that another run gave to the same code. */

#include "run.h"

/* Whether ids differ in nothing but their number: "f@1,32" and "f@1,32#2". */
static bool are_namesakes(const char *a, const char *b)
{
    const size_t length = strcspn(a, "#");
    return strcspn(b, "#") == length && strncmp(a, b, length) == 0;
}

static bool has_place(const struct result *now, const struct run *like)
{
    const struct result *base = run_find(like, now->id);
    return base && same_code(base, now);
}

/* Exchanges all of two results but their ids. */
static void exchange(struct result *a, struct result *b)
{
    const struct result kept = *a;
    char *const id = b->id;
    *a = *b;
    *b = kept;
    a->id = kept.id;
    b->id = id;
}

void run_number_like(struct run *run, const struct run *like)
{
    for (size_t i = 0, begin = 0; i < run->result_count; i++) {
        struct result *now = &run->results[i];
        const struct result *base = run_find(like, now->id);
        begin = are_namesakes(run->results[begin].id, now->id) ? begin : i;
        if (!base || same_code(base, now))
            continue;
        for (size_t k = begin; k < run->result_count && are_namesakes(run->results[k].id, now->id); k++)
            if (same_code(base, &run->results[k]) && !has_place(&run->results[k], like)) {
                exchange(now, &run->results[k]);
                break;
            }
    }
}
