/* Which sessions stand behind a row of the baseline. A baseline gains sessions kernel by kernel and metric by metric,
 * so that what another kernel or row knows of GPUs and compilers says nothing of this one. */
#include "compare_parts.h"

#include <stdlib.h>
#include <string.h>

/* Whether the metric was accepted of that session. */
static bool gave_metric(const struct session *session, const char *metric)
{
    const char *globs = session->facts[SESSION_METRICS];
    if (!globs)
        return true;
    char *copy = x_strdup(globs), *rest = NULL;
    bool found = false;
    for (char *glob = strtok_r(copy, " ", &rest); glob && !found; glob = strtok_r(NULL, " ", &rest))
        found = glob_any(&glob, 1, metric);
    free(copy);
    return found;
}

/* The sessions of a row, oldest first: the newest that gave its metric, as many as it has. Where fewer are recorded,
 * all of them. Caller frees the list. */
static size_t sessions_of(const struct sides *sides, const struct result *base, const struct row *row,
                          const struct session ***list)
{
    const bool own = base->session_count > 0;
    const struct session *sessions = own ? base->sessions : sides->baseline->sessions;
    size_t left = own ? base->session_count : sides->baseline->session_count;
    size_t count = 0;
    *list = x_calloc(row->session_count, sizeof **list);
    while (left-- > 0 && count < row->session_count)
        if (gave_metric(&sessions[left], row->metric))
            (*list)[count++] = &sessions[left];
    for (size_t i = 0; i < count / 2; i++) {
        const struct session *newer = (*list)[i];
        (*list)[i] = (*list)[count - 1 - i];
        (*list)[count - 1 - i] = newer;
    }
    return count;
}

static const char *newest_fact(const struct run *run, enum session_fact fact)
{
    return run->session_count > 0 ? run->sessions[run->session_count - 1].facts[fact] : NULL;
}

const char *other_compiler(const struct sides *sides, const struct result *base, const struct row *row,
                           const char **was)
{
    const char *now = newest_fact(sides->run, SESSION_COMPILER);
    const struct session **list;
    const size_t count = sessions_of(sides, base, row, &list);
    bool same = false;
    *was = NULL;
    for (size_t i = 0; i < count && now && !same; i++) {
        const char *compiler = list[i]->facts[SESSION_COMPILER];
        same = compiler && strcmp(compiler, now) == 0;
        *was = compiler ? compiler : *was;
    }
    free(list);
    return same || !*was ? NULL : now;
}

bool find_other_gpus(const struct sides *sides, const struct result *base, const struct row *row, struct gpus *gpus)
{
    const char *now = newest_fact(sides->run, SESSION_GPU_UUID);
    const struct session **list;
    const size_t count = sessions_of(sides, base, row, &list);
    bool other = now && count > 0;
    gpus->count = 0;
    for (size_t i = 0; i < row->session_count && other; i++) {
        const char *gpu = list[i < count ? i : count - 1]->facts[SESSION_GPU_UUID];
        other = gpu && strcmp(gpu, now) != 0;
        gpus->of[i] = gpus->count;
        for (size_t k = 0; k < i && k < count && other && gpus->of[i] == gpus->count; k++)
            if (strcmp(list[k]->facts[SESSION_GPU_UUID], gpu) == 0)
                gpus->of[i] = gpus->of[k];
        gpus->count += gpus->of[i] == gpus->count;
    }
    free(list);
    return other;
}
