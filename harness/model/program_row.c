#include "program_row.h"

#include "base/base.h"

#include "computed_counters.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#define PROGRAM_VARIANT "/program"

enum { RANGE_LENGTH = 100 /* characters of a range in its row's id */ };

char *program_row_id(const char *family)
{
    return x_sprintf("%s" PROGRAM_VARIANT, family);
}

char *program_range_id(const char *family, const char *range)
{
    char *id = x_sprintf("%s" PROGRAM_VARIANT ":%.*s", family, RANGE_LENGTH, range);
    for (char *c = id + strlen(family) + strlen(PROGRAM_VARIANT ":"); *c; c++)
        *c = isalnum((unsigned char)*c) || strchr("-.", *c) ? *c : '_';
    return id;
}

bool is_program_row(const char *id)
{
    const char *variant = strchr(id, '/');
    const size_t length = strlen(PROGRAM_VARIANT);
    return variant && strncmp(variant, PROGRAM_VARIANT, length) == 0 &&
           (variant[length] == '\0' || variant[length] == ':');
}

bool is_metric_of_program(const struct metric *metric)
{
    return metric_source(metric) == SOURCE_PROGRAM;
}

static bool is_time(const struct metric *metric)
{
    return strcmp(metric->counter, COUNTER_TIME) == 0;
}

static bool is_launches(const struct metric *metric)
{
    return computed_counter_of(metric) == COMPUTED_LAUNCHES;
}

/* Returns the value of the first such metric that has one, which *found is set to; else NAN. */
static double find_value(const struct metrics *metrics, const struct result *result, bool (*is)(const struct metric *),
                         const struct metric **found)
{
    for (size_t m = 0; m < metrics->count; m++) {
        const struct row *row = is(&metrics->list[m]) ? result_find(result, metrics->list[m].name) : NULL;
        if (row && row->state == VALUE_MEASURED) {
            *found = &metrics->list[m];
            return row_value(row);
        }
    }
    *found = NULL;
    return NAN;
}

double program_launches(const struct metrics *metrics, const struct result *result)
{
    const struct metric *ignored;
    return find_value(metrics, result, is_launches, &ignored);
}

static bool is_gpu_time(const struct metric *metric)
{
    return computed_counter_of(metric) == COMPUTED_GPU_TIME;
}

bool program_is_seldom(double part, double all)
{
    return 100 * part < all;
}

static bool is_first_part(const struct metric *metric)
{
    return computed_counter_of(metric) == COMPUTED_FIRST_PART;
}

bool program_is_of_first_part(const struct metrics *metrics, const struct result *result)
{
    const struct metric *ignored;
    return find_value(metrics, result, is_first_part, &ignored) == 1;
}

bool program_is_timed(const struct metrics *metrics, const struct result *result)
{
    const struct metric *time;
    (void)find_value(metrics, result, is_gpu_time, &time);
    return time;
}

double program_time(const struct metrics *metrics, const struct result *result, const struct metric **time)
{
    const double whole = find_value(metrics, result, is_gpu_time, time);
    if (*time)
        return whole;
    const double one = find_value(metrics, result, is_time, time);
    return is_program_row(result->id) ? one : one * program_launches(metrics, result);
}
