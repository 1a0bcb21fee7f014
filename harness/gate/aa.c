#include "aa_parts.h"

void analysis_make(struct analysis *analysis, struct run *runs, size_t count, char *const *names,
                   const struct metrics *metrics)
{
    *analysis = (struct analysis){0};
    struct sessions sessions;
    sessions_open(&sessions, analysis, runs, count, names, metrics);
    analyse_alarms(analysis, &sessions);
    analyse_spread(analysis, &sessions);
    analyse_exactness(analysis, &sessions);
    analyse_detectable(analysis, &sessions);
    sessions_close(&sessions);
}

void analysis_release(struct analysis *analysis)
{
    for (size_t i = 0; i < analysis->left_out_count; i++) {
        free(analysis->left_out[i].kernel);
        free(analysis->left_out[i].why);
    }
    for (size_t i = 0; i < analysis->exactness_count; i++)
        free(analysis->exactness[i].nonrepeating);
    free(analysis->left_out);
    free(analysis->exactness);
    free(analysis->noisy_rows);
    free(analysis->spreads);
    free(analysis->detectables);
    *analysis = (struct analysis){0};
}

enum exit_code analysis_exit_code(const struct analysis *analysis)
{
    bool failed = false, alarm = false;
    for (size_t i = 0; i < analysis->left_out_count; i++)
        failed |= analysis->left_out[i].failed;
    for (size_t i = 0; i < VIEWS; i++) {
        failed |= analysis->views[i].exits[EXIT_NOT_MEASURED] > 0;
        alarm |= analysis->views[i].exits[EXIT_REGRESSED] > 0;
    }
    return failed ? EXIT_NOT_MEASURED : alarm ? EXIT_REGRESSED : EXIT_SAME;
}
