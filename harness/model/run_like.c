/* What one run has, added to another: appended and sorted once, since room for each in its place, one after the other,
 * means moving half of a long list each time. */
#include "base/base.h"

#include "run.h"

#include <stdlib.h>

void run_add_like(struct run *run, const struct run *from, char *const *globs, size_t glob_count)
{
    const char **missing = NULL;
    size_t count = 0;
    for (size_t i = 0; i < from->result_count; i++)
        if (glob_any(globs, glob_count, from->results[i].id) && !run_find(run, from->results[i].id))
            *ARRAY_ADD(missing, count) = from->results[i].id;
    for (size_t i = 0; i < count; i++)
        ARRAY_ADD(run->results, run->result_count)->id = x_strdup(missing[i]);
    if (count > 0)
        qsort(run->results, run->result_count, sizeof *run->results, by_text);
    free(missing);
}

void result_add_like(struct result *result, const struct result *from, char *const *globs, size_t glob_count)
{
    const char **missing = NULL;
    size_t count = 0;
    for (size_t i = 0; i < from->row_count; i++)
        if (glob_any(globs, glob_count, from->rows[i].metric) && !result_find(result, from->rows[i].metric))
            *ARRAY_ADD(missing, count) = from->rows[i].metric;
    for (size_t i = 0; i < count; i++)
        *ARRAY_ADD(result->rows, result->row_count) =
            (struct row){.metric = x_strdup(missing[i]), .state = VALUE_NOT_COUNTED};
    if (count > 0)
        qsort(result->rows, result->row_count, sizeof *result->rows, by_text);
    free(missing);
}
