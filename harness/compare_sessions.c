/* Which sessions stand behind a row of the baseline. A baseline gains sessions kernel by kernel and metric by metric,
 * so that what another kernel or row knows of GPUs and compilers says nothing of this one. */
#include "compare_parts.h"

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
    gpus->count = 0;
    for (size_t i = 0; i < row->session_count; i++) {
        const char *gpu = fact_of(sides, base, row, i, SESSION_GPU_UUID);
        if (!now || !gpu || strcmp(gpu, now) == 0)
            return false;
        gpus->of[i] = gpus->count;
        for (size_t k = 0; k < i && gpus->of[i] == gpus->count; k++)
            if (strcmp(fact_of(sides, base, row, k, SESSION_GPU_UUID), gpu) == 0)
                gpus->of[i] = gpus->of[k];
        gpus->count += gpus->of[i] == gpus->count;
    }
    return true;
}
