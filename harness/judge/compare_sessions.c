/* Which sessions stand behind a row of the baseline. A baseline gains sessions kernel by kernel and metric by metric,
 * so that what another kernel or row knows of GPUs and compilers says nothing of this one. */
#include "compare_parts.h"

#include <stdlib.h>
#include <string.h>

/* A fact of the session that a value of the row is from; NULL where it is not known. */
static const char *fact_of(const struct sides *sides, const struct result *base, const struct row *row, size_t value,
                           enum session_fact fact)
{
    const bool own = base->session_count > 0;
    const struct session *sessions = own ? base->sessions : sides->baseline->sessions;
    const size_t count = own ? base->session_count : sides->baseline->session_count;
    const size_t place = row->sessions[value].session;
    return place < count ? sessions[place].facts[fact] : count > 0 ? sessions[count - 1].facts[fact] : NULL;
}

static const char *newest_fact(const struct run *run, enum session_fact fact)
{
    return run->session_count > 0 ? run->sessions[run->session_count - 1].facts[fact] : NULL;
}

const char *other_compiler(const struct sides *sides, const struct result *base, const struct row *row,
                           const char **was)
{
    const char *now = newest_fact(sides->run, SESSION_COMPILER);
    *was = NULL;
    for (size_t i = 0; i < row->session_count && now; i++) {
        const char *compiler = fact_of(sides, base, row, i, SESSION_COMPILER);
        if (compiler && strcmp(compiler, now) == 0)
            return NULL;
        *was = compiler ? compiler : *was;
    }
    return *was ? now : NULL;
}

bool find_other_gpus(const struct sides *sides, const struct result *base, const struct row *row, struct gpus *gpus)
{
    const char *now = newest_fact(sides->run, SESSION_GPU_UUID);
    const char **uuids = x_calloc(row->session_count, sizeof *uuids);
    bool other = now;
    gpus->count = 0;
    for (size_t i = 0; i < row->session_count && other; i++) {
        uuids[i] = fact_of(sides, base, row, i, SESSION_GPU_UUID);
        other = uuids[i] && strcmp(uuids[i], now) != 0;
    }
    size_t *first = other ? first_of_equals(uuids, row->session_count, sizeof *uuids, by_text) : NULL;
    for (size_t i = 0; i < row->session_count && other; i++)
        gpus->of[i] = first[i] == i ? gpus->count++ : gpus->of[first[i]];
    free(first);
    free(uuids);
    return other;
}
