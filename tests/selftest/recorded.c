#include "selftest.h"

#include <dirent.h>
#include <gsl/gsl_statistics_double.h>

static int is_session(const struct dirent *entry)
{
    const char *end = strrchr(entry->d_name, '.');
    return end && strcmp(end, ".json") == 0;
}

int sessions_read(struct selftest *selftest, const char *folder)
{
    struct dirent **entries;
    const int count = scandir(folder, &entries, is_session, alphasort);
    if (count < 0)
        return error("cannot read the folder %s", folder);
    int result = 0;
    for (int i = 0; i < count; i++) {
        struct recording *session = ARRAY_GROW(selftest->sessions, selftest->session_count);
        session->path = x_sprintf("%s/%s", folder, entries[i]->d_name);
        free(entries[i]);
        if (run_read(&session->run, session->path) < 0)
            result = -1;
        else if (session->run.session_count != 1)
            result = error("%s has %zu sessions; record one a file", session->path, session->run.session_count);
    }
    free(entries);
    return result < 0 || selftest->session_count >= 3 ? result : error("%s has fewer than 3 recorded sessions", folder);
}

const char *session_gpu(const struct run *session)
{
    const char *uuid = session->sessions[0].facts[SESSION_GPU_UUID];
    return uuid ? uuid : "";
}

static void merge_result(struct result *to, const struct result *from)
{
    if (to->launch_count == 0)
        result_copy_facts(to, from);
    EACH(const struct row, row, from->rows, from->row_count) {
        struct row *merged = result_add(to, row->metric);
        if (row->state != VALUE_MEASURED) {
            merged->state = row->state;
            continue;
        }
        for (size_t k = 0; k < row->session_count; k++)
            row_add_session(merged, row->sessions[k].samples, row->sessions[k].count);
    }
}

void merge_sessions(struct run *baseline, const struct selftest *selftest, const bool *wanted)
{
    *baseline = (struct run){0};
    for (size_t s = 0; s < selftest->session_count; s++) {
        const struct run *session = &selftest->sessions[s].run;
        if (!wanted[s])
            continue;
        run_add_session(baseline, &session->sessions[0]);
        for (size_t i = 0; i < session->note_count; i++)
            run_set_note(baseline, &session->notes[i]);
        for (size_t i = 0; i < session->result_count; i++)
            if (session->results[i].status == RESULT_OK)
                merge_result(run_add(baseline, session->results[i].id), &session->results[i]);
    }
}

static const struct row *measured_row(const struct run *session, const char *kernel, const char *metric)
{
    const struct result *result = run_find(session, kernel);
    const struct row *row = result ? result_find(result, metric) : NULL;
    return row && row->state == VALUE_MEASURED ? row : NULL;
}

/* By how much the times of a session stand above those of the first. */
static double session_shift(const struct selftest *selftest, const struct run *session)
{
    const struct run *first = &selftest->sessions[0].run;
    OWNED_MEMORY double *changes = NULL;
    size_t count = 0;
    for (size_t i = 0; i < first->result_count; i++) {
        const struct row *was = measured_row(first, first->results[i].id, "time");
        const struct row *is = measured_row(session, first->results[i].id, "time");
        if (was && is)
            *ARRAY_GROW(changes, count) = row_value(is) / row_value(was) - 1;
    }
    const double shift = count > 0 ? median(changes, count) : 0;
    return shift;
}

/* Sessions of one GPU. */
struct group {
    const char *gpu;
    double *values;
    size_t count;
};

static struct group *group_of(struct group **groups, size_t *count, const char *gpu)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp((*groups)[i].gpu, gpu) == 0)
            return &(*groups)[i];
    struct group *group = ARRAY_GROW(*groups, *count);
    group->gpu = gpu;
    return group;
}

/* Components of variance, one-way: the means of the groups spread by the GPU and a share of the sessions' spread, and
 * sessions by themselves and their samples. */
static void find_components(struct noise *noise, const struct group *groups, size_t count, double of_samples)
{
    OWNED_MEMORY double *means = x_calloc(count, sizeof *means);
    double within = 0, inverse = 0;
    size_t freedom = 0;
    for (size_t g = 0; g < count; g++) {
        means[g] = gsl_stats_mean(groups[g].values, 1, groups[g].count);
        within += gsl_stats_tss_m(groups[g].values, 1, groups[g].count, means[g]);
        freedom += groups[g].count - 1;
        inverse += 1 / (double)groups[g].count / (double)count;
    }
    const double variance = freedom > 0 ? within / (double)freedom : 0;
    noise->mean = gsl_stats_mean(means, 1, count);
    noise->session = sqrt(fmax(0, variance - of_samples));
    noise->gpu = count > 1 ? sqrt(fmax(0, gsl_stats_variance_m(means, 1, count, noise->mean) - variance * inverse)) : 0;
}

bool noise_find(struct noise *noise, const struct selftest *selftest, const char *kernel, const char *metric)
{
    const bool is_time = strcmp(metric, "time") == 0;
    OWNED_MEMORY struct group *groups = NULL;
    size_t count = 0;
    double samples = 0, medians = 0; /* variances; that of a median of n is pi / 2 n */
    bool whole = true;
    *noise = (struct noise){0};
    for (size_t s = 0; s < selftest->session_count && whole; s++) {
        const struct run *session = &selftest->sessions[s].run;
        const struct row *row = measured_row(session, kernel, metric);
        whole = row != NULL;
        if (!row)
            continue;
        struct group *group = group_of(&groups, &count, session_gpu(session));
        *ARRAY_GROW(group->values, group->count) =
            row_value(row) / (is_time ? 1 + session_shift(selftest, session) : 1);
        const double variance = gsl_stats_variance(row->sessions[0].samples, 1, row->sessions[0].count);
        samples += variance / (double)selftest->session_count;
        medians += M_PI_2 * variance / (double)row->sessions[0].count / (double)selftest->session_count;
    }
    if (whole)
        find_components(noise, groups, count, medians);
    noise->sample = sqrt(samples);
    for (size_t g = 0; g < count; g++)
        free(groups[g].values);
    return whole;
}
