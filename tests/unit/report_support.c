#include "report_support.h"
#include "test.h"

const char *const fixture_runs[] = {"same.json",   "worse.json",  "worse_lines.json",
                                    "unsure.json", "broken.json", "unknown_metric.json"};
const size_t fixture_run_count = ARRAY_SIZE(fixture_runs);

struct fixture report_set_up(const char *run)
{
    char path[256];
    struct fixture fixture = {0};
    snprintf(path, sizeof path, MADE_UP "%s", run);
    cr_assert_eq(metrics_read_folder(&fixture.metrics, MADE_UP "metrics"), 0);
    cr_assert_eq(run_read(&fixture.base, MADE_UP "before.json"), 0);
    cr_assert_eq(run_read(&fixture.run, path), 0);
    return fixture;
}

static void make_report(struct fixture *fixture)
{
    fixture->report = (struct report){
        .metrics = &fixture->metrics,
        .run = &fixture->run,
        .baseline = &fixture->base,
        .comparison = &fixture->comparison,
        .diagnosis = &fixture->diagnosis,
        .run_name = "run.json",
        .baseline_name = "base.json",
        .exit_code = comparison_exit_code(&fixture->comparison),
    };
}

void judge(struct fixture *fixture)
{
    compare_runs(&fixture->comparison, &fixture->base, &fixture->run, &fixture->metrics, NULL);
    note_differences(&fixture->comparison, &fixture->base, &fixture->run, &fixture->metrics);
    diagnosis_make(&fixture->diagnosis, &fixture->comparison, &fixture->base, &fixture->run);
    make_report(fixture);
}

void alone(struct fixture *fixture, enum exit_code code)
{
    fixture->report =
        (struct report){.metrics = &fixture->metrics, .run = &fixture->run, .run_name = "run.json", .exit_code = code};
}

void report_tear_down(struct fixture *fixture)
{
    diagnosis_release(&fixture->diagnosis);
    comparison_release(&fixture->comparison);
    run_release(&fixture->base);
    run_release(&fixture->run);
    metrics_release(&fixture->metrics);
}

void forget_judgements(struct fixture *fixture)
{
    diagnosis_release(&fixture->diagnosis);
    comparison_release(&fixture->comparison);
    fixture->diagnosis.comparison = &fixture->comparison;
    make_report(fixture);
}

struct judgement *invent(struct fixture *fixture, const char *kernel, const char *metric, enum verdict verdict,
                         const char *reason)
{
    struct comparison *comparison = &fixture->comparison;
    struct judgement *judgement = ARRAY_GROW(comparison->list, comparison->count);
    *judgement = (struct judgement){
        .kernel = kernel,
        .metric = metric ? metrics_find(&fixture->metrics, metric) : NULL,
        .verdict = verdict,
        .of_kernel = verdict,
        .detectable = NAN,
        .reason = x_strdup(reason),
    };
    cr_assert(!metric || judgement->metric, "%s", metric);
    comparison->counts[verdict]++;
    comparison->kernel_counts[verdict]++;
    comparison->kernels++;
    fixture->report.exit_code = comparison_exit_code(comparison);
    return judgement;
}

struct blame *blame_of(struct fixture *fixture, const struct judgement *judgement)
{
    struct diagnosis *diagnosis = &fixture->diagnosis;
    const size_t index = (size_t)(judgement - fixture->comparison.list);
    while (diagnosis->count <= index)
        ARRAY_GROW(diagnosis->list, diagnosis->count);
    return &diagnosis->list[index];
}

void invent_blame(struct fixture *fixture, struct judgement *judgement, const char *file, const char *function,
                  const char *source)
{
    size_t count;
    struct profile *profile = &fixture->run.results[0].profile;
    profile_release(profile);
    struct profile_line *line = profile_add(profile, function, file, 41, 416);
    line->text = x_strdup(source);
    line->counts[LINE_SHARED] = 6938624;
    const struct pattern *patterns = pattern_list(&count);
    size_t i = 0;
    while (strcmp(patterns[i].name, "excess_wavefronts") != 0)
        i++;
    struct blame *blame = blame_of(fixture, judgement);
    blame->pattern = &patterns[i];
    blame->hotspots[0] = (struct hotspot){.line = line, .amount = 6938624, .share = 0.98, .has_base = true};
    blame->count = 1;
    blame->against_base = true;
}

char *print(const struct report *report, void (*reporter)(const struct report *, FILE *))
{
    PRINT(char *, text, stream, reporter(report, stream));
    return text;
}

size_t count_words(const char *text, const char *word)
{
    size_t count = 0;
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
        count++;
    return count;
}

bool is_utf8(const char *text)
{
    json_t *string = json_string(text);
    json_decref(string);
    return string != NULL;
}

void invent_many(struct fixture *fixture, size_t count, const char *reason)
{
    forget_judgements(fixture);
    for (size_t i = 0; i < count; i++) {
        struct judgement *judgement =
            invent(fixture, i % 2 ? "reduce/tree" : "copy/plain", "time", VERDICT_REGRESSED, reason);
        judgement->has_base = judgement->has_now = judgement->compared = true;
        judgement->base = 1000;
        judgement->now = (double)(2000 + i);
        judgement->change = (double)(1000 + i);
    }
}
