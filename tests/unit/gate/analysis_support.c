#include "analysis_support.h"
#include "test.h"

void aa_set_up(struct sessions_fixture *fixture, size_t count, size_t per_gpu, bool days)
{
    *fixture = (struct sessions_fixture){.count = count};
    OWNED_TEXT definitions = file_text("tests/unit/gate/analysis.ini");
    cr_assert_eq(metrics_read_text(&fixture->metrics, "made_up.ini", definitions), 0);
    for (size_t i = 0; i < count; i++) {
        struct run *run = &fixture->runs[i];
        snprintf(fixture->names[i], sizeof fixture->names[i], "s%zu.json", i);
        fixture->name_list[i] = fixture->names[i];
        run->device.name = x_strdup("Test GPU");
        run_note_metrics(run, &fixture->metrics);
        struct session *session = ARRAY_GROW(run->sessions, run->session_count);
        session->facts[SESSION_GPU_UUID] = x_sprintf("GPU-%zu", i / per_gpu);
        session->facts[SESSION_DATE] = x_sprintf("2026-11-%02zuT08:00:%02zu.000Z", days ? i + 1 : 1, i);
        session->facts[SESSION_COLLECTOR] = x_strdup("cupti");
    }
}

void aa_tear_down(struct sessions_fixture *fixture)
{
    analysis_release(&fixture->analysis);
    for (size_t i = 0; i < fixture->count; i++)
        run_release(&fixture->runs[i]);
    metrics_release(&fixture->metrics);
}

void aa_put(struct sessions_fixture *fixture, size_t session, const char *kernel, const char *metric, double value)
{
    row_add_session(result_add(run_add(&fixture->runs[session], kernel), metric), &value, 1);
}

void aa_put_all(struct sessions_fixture *fixture, const char *kernel, const char *metric, double value)
{
    for (size_t i = 0; i < fixture->count; i++)
        aa_put(fixture, i, kernel, metric, value);
}

struct analysis *aa_analyse(struct sessions_fixture *fixture)
{
    analysis_make(&fixture->analysis, fixture->runs, fixture->count, fixture->name_list, &fixture->metrics);
    return &fixture->analysis;
}

const struct exactness *exactness_of(const struct analysis *analysis, const char *metric)
{
    const struct exactness *found = NULL;
    for (size_t i = 0; i < analysis->exactness_count; i++)
        if (strcmp(analysis->exactness[i].metric->name, metric) == 0)
            found = &analysis->exactness[i];
    return found;
}
