#include "selftest.h"

#include <gsl/gsl_cdf.h>
#include <stdarg.h>

#define SEED 20261121
#define TAIL 0.001 /* so rarely may chance alone fail a bar that is just met */

/* To add a part: a row here, and its function in a bars_*.c file. --only and tests/selftest/mutations.txt use the
 * names. */
static const struct part {
    const char *name;
    part_fn *check;
} parts[] = {
    {"Q1-pairs", q1_pairs},           {"Q1-one-more", q1_one_more},
    {"Q2-simulated", q2_simulated},   {"Q2-distribution", q2_distribution},
    {"Q2-recorded", q2_recorded},     {"Q3-screen", q3_screen},
    {"Q3-caution", q3_caution},       {"Q4-judge", q4_judge},
    {"Q4-recorded", q4_recorded},     {"Q4-early", q4_early},
    {"Q5-noise", q5_noise},           {"Q5-clean", q5_clean},
    {"Q5-planted", q5_planted},       {"Q5-hiccup", q5_hiccup},
    {"Q5-recorded", q5_recorded},     {"Q6-simulated", q6_simulated},
    {"Q6-recorded", q6_recorded},     {"Q6-clock", q6_clock},
    {"Q8-repetition", q8_repetition}, {"Q10-unchanged", q10_unchanged},
    {"Q10-slower", q10_slower},
};

static const char plain_metrics[] = "[steady]\ntitle = Steady\ncounter = made_up_steady.sum\nunit = count\n"
                                    "class = steady\nbetter = lower\ndoc = Without a floor.\n"
                                    "[time]\ntitle = Time\ncounter = made_up_time.sum\nunit = ns\n"
                                    "class = time\nbetter = lower\ndoc = Without a floor.\n";

/* How much of the name of a part is the number of its bar. */
static int id_width(const struct selftest *selftest)
{
    return (int)strcspn(selftest->part, "-");
}

static void row(struct selftest *selftest, const char *words, size_t count, size_t trials, bool passed)
{
    char figure[64];
    snprintf(figure, sizeof figure, "%zu of %zu", count, trials);
    printf("%.*s  %-82s %18s  %s\n", id_width(selftest), selftest->part, words, figure, passed ? "pass" : "FAIL");
    selftest->passed += passed;
    selftest->failed += !passed;
    if (!passed && selftest->until_failed)
        exit(1);
}

void expect_at_most(struct selftest *selftest, size_t count, size_t trials, double rate, const char *words)
{
    row(selftest, words, count, trials,
        trials > 0 && (count == 0 || gsl_cdf_binomial_Q((unsigned)count - 1, rate, (unsigned)trials) >= TAIL));
}

void expect_at_least(struct selftest *selftest, size_t count, size_t trials, double rate, const char *words)
{
    row(selftest, words, count, trials,
        trials > 0 && gsl_cdf_binomial_P((unsigned)count, rate, (unsigned)trials) >= TAIL);
}

void expect_alike(struct selftest *selftest, size_t up, size_t down, const char *words)
{
    const size_t more = up > down ? up : down;
    row(selftest, words, up, up + down,
        more > 0 && 2 * gsl_cdf_binomial_Q((unsigned)more - 1, 0.5, (unsigned)(up + down)) >= TAIL);
}

void expect_none(struct selftest *selftest, size_t count, size_t trials, const char *words)
{
    row(selftest, words, count, trials, trials > 0 && count == 0);
}

void expect_all(struct selftest *selftest, size_t count, size_t trials, const char *words)
{
    row(selftest, words, count, trials, trials > 0 && count == trials);
}

void tell(const struct selftest *selftest, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    printf("%.*s  ", id_width(selftest), selftest->part);
    vprintf(format, list);
    putchar('\n');
    va_end(list);
}

const struct judgement *judgement_of(const struct comparison *comparison, const char *kernel, const char *metric)
{
    EACH(const struct judgement, judgement, comparison->list, comparison->count) {
        const bool same_metric =
            metric && judgement->metric ? strcmp(judgement->metric->name, metric) == 0 : !metric && !judgement->metric;
        if (same_metric && strcmp(judgement->kernel, kernel) == 0)
            return judgement;
    }
    return NULL;
}

struct row *put_row(struct run *run, const char *kernel, const char *metric, double value, size_t sessions)
{
    struct row *row = result_add(run_add(run, kernel), metric);
    for (size_t i = 0; i < sessions; i++)
        row_add_session(row, &value, 1);
    return row;
}

void put_launch(struct result *result, const char *code)
{
    *ARRAY_GROW(result->launches, result->launch_count) = (struct launch){
        .function = x_strdup("made_up()"), .code = x_strdup(code), .grid = {1, 1, 1}, .block = {32, 1, 1}, .times = 1};
}

struct flags count_flags(const struct comparison *comparison, enum metric_class class)
{
    struct flags flags = {0};
    EACH(const struct judgement, judgement, comparison->list, comparison->count) {
        if (!judgement->compared || judgement->metric->class != class)
            continue;
        flags.judged++;
        flags.worse += judgement->worse;
        flags.improved += judgement->verdict == VERDICT_IMPROVED;
    }
    return flags;
}

struct arguments {
    const char *metrics, *only, *sessions;
    bool until_failed;
};

static int read_arguments(struct arguments *arguments, int count, char **list)
{
    *arguments = (struct arguments){.metrics = "metrics"};
    for (int i = 1; i < count; i++) {
        const char **value = strcmp(list[i], "--metrics") == 0 ? &arguments->metrics
                             : strcmp(list[i], "--only") == 0  ? &arguments->only
                                                               : NULL;
        if (value && i + 1 < count)
            *value = list[++i];
        else if (strcmp(list[i], "--until-failed") == 0)
            arguments->until_failed = true;
        else if (!value && !arguments->sessions)
            arguments->sessions = list[i];
        else
            return error("cannot use the argument %s", list[i]);
    }
    return arguments->sessions ? 0 : error("no folder of recorded sessions");
}

/* -1 when no part has that name. */
static int check_parts(struct selftest *selftest, const char *only)
{
    bool any = false;
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
        if (only && strcmp(only, parts[i].name) != 0)
            continue;
        any = true;
        selftest->part = parts[i].name;
        gsl_rng_set(selftest->rng, SEED);
        parts[i].check(selftest);
        fflush(stdout);
    }
    return any ? 0 : error("no part is called %s; the table is in selftest.c", only);
}

int main(int count, char **list)
{
    struct arguments arguments;
    struct selftest selftest = {0};
    if (read_arguments(&arguments, count, list) < 0)
        die(EXIT_USAGE, "usage: selftest [--metrics FOLDER] [--only PART] [--until-failed] FOLDER");
    if (metrics_read_folder(&selftest.metrics, arguments.metrics) < 0 ||
        metrics_read_text(&selftest.plain, "plain.ini", plain_metrics) < 0 ||
        sessions_read(&selftest, arguments.sessions) < 0)
        return EXIT_USAGE;
    selftest.until_failed = arguments.until_failed;
    selftest.rng = gsl_rng_alloc(gsl_rng_mt19937);
    if (!selftest.rng)
        die(EXIT_USAGE, "cannot allocate memory for random numbers");

    printf("id  %-82s %18s\n", "bar", "figure of trials");
    const int checked = check_parts(&selftest, arguments.only);
    printf("%zu passed, %zu failed\n", selftest.passed, selftest.failed);

    for (size_t i = 0; i < selftest.session_count; i++) {
        run_release(&selftest.sessions[i].run);
        free(selftest.sessions[i].path);
    }
    free(selftest.sessions);
    gsl_rng_free(selftest.rng);
    metrics_release(&selftest.metrics);
    metrics_release(&selftest.plain);
    return checked < 0 ? EXIT_USAGE : selftest.failed > 0;
}
