#include "base/base.h"
#include "worker/backend.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
/* CUPTI opens a library of its own with RTLD_DEEPBIND, for which AddressSanitizer ends the program. */
void *dlopen(const char *file, int mode)
{
    void *(*next)(const char *, int) = NULL;
    *(void **)&next = dlsym(RTLD_NEXT, "dlopen");
    return next(file, mode & ~RTLD_DEEPBIND);
}
#endif

/* The plugin needs CUPTI, but what is tested here needs no GPU. */
static const struct gpu_plugin *plugin(void)
{
    struct problem problem = {0};
    const struct gpu_plugin *gpu = gpu_plugin_load(&problem);
    cr_assert_not_null(gpu, "%s", problem.text);
    return gpu;
}

/* Which counter a chip has for each metric. */
struct answer {
    struct metrics metrics;
    const char **chosen;
    char *memory;
    size_t passes;
    int result;
    struct problem problem;
};

static void ask(struct answer *answer, const char *chip)
{
    answer->chosen = x_calloc(answer->metrics.count, sizeof *answer->chosen);
    answer->memory = NULL;
    answer->result = plugin()->chip_counters(chip, &answer->metrics, answer->chosen, &answer->memory, &answer->passes,
                                             &answer->problem);
}

static void forget(struct answer *answer)
{
    free(answer->chosen);
    free(answer->memory);
    metrics_release(&answer->metrics);
}

/* Makes metrics m0, m1, ... of these counters. */
static void made_up_metrics(struct metrics *metrics, const char *const *counters, size_t count)
{
    *metrics = (struct metrics){0};
    for (size_t i = 0; i < count; i++) {
        char *text = x_sprintf("[m%zu]\ntitle = T\ncounter = %s\nunit = count\nclass = info\nbetter = lower\ndoc = d\n",
                               i, counters[i]);
        cr_assert_eq(metrics_read_text(metrics, "x.ini", text), 0);
        free(text);
    }
}

Test(backend, every_metric_has_a_counter_on_every_chip)
{
    static const struct {
        const char *chip;
        size_t most_passes;
    } chips[] = {
        {"GV100", 6}, {"TU102", 3}, {"GA100", 3}, {"GA102", 3}, {"AD102", 3}, {"GH100", 3}, {"GB100", 3}, {"GB202", 3},
    };
    for (size_t i = 0; i < ROWS(chips); i++) {
        struct answer answer = {0};
        cr_assert_eq(metrics_read_folder(&answer.metrics, "metrics"), 0);
        ask(&answer, chips[i].chip);
        cr_assert_eq(answer.result, 0, "%s: %s", chips[i].chip, answer.problem.text);
        for (size_t m = 0; m < answer.metrics.count; m++) {
            const struct metric *metric = &answer.metrics.list[m];
            if (computed_counter_of(metric) != COMPUTED_NONE)
                cr_expect_null(answer.chosen[m], "%s: %s", chips[i].chip, metric->name);
            else
                cr_expect(answer.chosen[m] && strstr(metric->counter, answer.chosen[m]), "%s has no %s", chips[i].chip,
                          metric->counter);
        }
        cr_expect(answer.passes > 0 && answer.passes <= chips[i].most_passes, "%s: %zu passes", chips[i].chip,
                  answer.passes);
        forget(&answer);
    }
}

Test(backend, the_first_alternative_that_a_chip_has_is_chosen)
{
    static const char *const counters[] = {
        "dram__bytes_read.sum dram__bytes_op_read.sum",
        "dram__bytes_op_read.sum dram__bytes_read.sum",
        "no__such.sum gpu__time_duration.sum sm__cycles_active.avg",
        "gpu__time_duration.sum no__such.sum",
    };
    static const struct {
        const char *chip;
        const char *chosen[ROWS(counters)];
    } cases[] = {
        {"GH100", {"dram__bytes_read.sum", "dram__bytes_read.sum", "gpu__time_duration.sum", "gpu__time_duration.sum"}},
        {"GB202",
         {"dram__bytes_op_read.sum", "dram__bytes_op_read.sum", "gpu__time_duration.sum", "gpu__time_duration.sum"}},
    };
    for (size_t i = 0; i < ROWS(cases); i++) {
        struct answer answer = {0};
        made_up_metrics(&answer.metrics, counters, ROWS(counters));
        ask(&answer, cases[i].chip);
        cr_assert_eq(answer.result, 0, "%s: %s", cases[i].chip, answer.problem.text);
        for (size_t m = 0; m < ROWS(counters); m++) {
            cr_expect(answer.chosen[m] && strcmp(answer.chosen[m], cases[i].chosen[m]) == 0, "%s: %s, not %s",
                      cases[i].chip, answer.chosen[m], cases[i].chosen[m]);
        }
        forget(&answer);
    }
}

Test(backend, an_unknown_counter_costs_itself_only)
{
    static const char *const counters[] = {
        "sm__cycles_active.avg",   "no__such.sum",      "cugate.wall_time", "sm__cycles_active.frobnicated",
        "smsp__inst_executed.sum", "sm__cycles_active",
    };
    static const bool there[] = {true, false, false, false, true, false};
    struct answer answer = {0};
    made_up_metrics(&answer.metrics, counters, ROWS(counters));
    ask(&answer, "GH100");
    cr_assert_eq(answer.result, 0, "%s", answer.problem.text);
    for (size_t m = 0; m < ROWS(counters); m++) {
        if (there[m])
            cr_expect_str_eq(answer.chosen[m], counters[m]);
        else
            cr_expect_null(answer.chosen[m], "%s", counters[m]);
    }
    cr_expect_eq(answer.passes, 1);
    forget(&answer);
}

Test(backend, a_chip_without_any_of_the_counters_is_an_error)
{
    static const char *const counters[] = {"no__such.sum", "no__other.sum nor__this.sum"};
    struct answer answer = {0};
    made_up_metrics(&answer.metrics, counters, ROWS(counters));
    ask(&answer, "GH100");
    cr_expect_eq(answer.result, -1);
    cr_expect_str_eq(answer.problem.text, "chip GH100 has none of the counters in the metric files");
    cr_expect_null(answer.memory);
    forget(&answer);
}

Test(backend, an_unknown_chip_is_an_error_with_the_way_out)
{
    static const char *const chips[] = {"", "GH10", "gh100", "frobnicator"};
    for (size_t i = 0; i < ROWS(chips); i++) {
        struct answer answer = {0};
        made_up_metrics(&answer.metrics, &(const char *){"gpu__time_duration.sum"}, 1);
        ask(&answer, chips[i]);
        cr_expect_eq(answer.result, -1, "%s", chips[i]);
        cr_expect(strstr(answer.problem.text, "--chip help"), "%s: %s", chips[i], answer.problem.text);
        forget(&answer);
    }
}

Test(backend, the_chips_are_listed)
{
    static const char *const wanted[] = {"GV100", "TU102", "GA100", "GA102", "AD102", "GH100", "GB100", "GB202"};
    const char *const *names;
    size_t count;
    struct problem problem = {0};
    cr_assert_eq(plugin()->chips(&names, &count, &problem), 0, "%s", problem.text);
    for (size_t i = 0; i < ROWS(wanted); i++) {
        size_t n = 0;
        while (n < count && strcmp(names[n], wanted[i]) != 0)
            n++;
        cr_expect_lt(n, count, "%s is not listed", wanted[i]);
    }
}

Test(backend, remedies_name_the_setting)
{
    static const struct {
        int code; /* of CUptiResult, whose numbers stay */
        const char *words;
    } cases[] = {
        {14 /* NOT_COMPATIBLE */, "update the driver"},
        {26 /* HARDWARE_BUSY */, "another profiler holds the counters"},
        {26 /* HARDWARE_BUSY */, "dcgmi profile --pause"},
        {33 /* VIRTUALIZED_DEVICE_NOT_SUPPORTED */, "vGPU"},
        {35 /* INSUFFICIENT_PRIVILEGES */, "NVreg_RestrictProfilingToAdminUsers=0"},
        {35 /* INSUFFICIENT_PRIVILEGES */, "/etc/modprobe.d/"},
        {35 /* INSUFFICIENT_PRIVILEGES */, "--cap-add=SYS_ADMIN"},
        {39 /* MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED */, "another profiler is attached"},
        {40 /* VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES */, "enable_profiling=1"},
        {41 /* CONFIDENTIAL_COMPUTING_NOT_SUPPORTED */, "confidential-computing"},
        {43 /* MIG_DEVICE_NOT_SUPPORTED */, "MIG disabled"},
        {46 /* INVALID_CHIP_NAME */, "--chip help"},
    };
    for (size_t i = 0; i < ROWS(cases); i++) {
        const char *remedy = plugin()->remedy(cases[i].code);
        cr_expect(remedy && strstr(remedy, cases[i].words), "%d: \"%s\" lacks \"%s\"", cases[i].code, remedy,
                  cases[i].words);
    }
    cr_expect_null(plugin()->remedy(0));
    cr_expect_null(plugin()->remedy(999));
}

/* Every message is one line, and short enough for the room that callers give. */
Test(backend, remedies_are_one_line)
{
    for (int code = 0; code < 1000; code++) {
        const char *remedy = plugin()->remedy(code);
        if (remedy)
            cr_expect(strlen(remedy) < 800 && !strchr(remedy, '\n'), "%d: %s", code, remedy);
    }
}

Test(backend, without_a_gpu_there_are_none_and_it_says_why)
{
    struct problem problem = {0};
    const int count = plugin()->count(&problem);
    if (count > 0)
        cr_skip_test("there is a GPU");
    cr_expect_eq(count, 0, "%s", problem.text);
    cr_expect(strstr(problem.text, "driver"), "%s", problem.text);
    struct device device = {0};
    struct session session = {0};
    problem.text[0] = '\0';
    cr_expect_eq(plugin()->describe(0, &device, &session, &problem), -1);
    cr_expect(strstr(problem.text, "driver"), "%s", problem.text);
    cr_expect_null(device.name);
}

Test(backend, the_plugin_is_loaded_once)
{
    cr_expect_eq(plugin(), plugin());
}
