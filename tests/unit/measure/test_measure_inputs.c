#include "compare_support.h"
#include "measure/measure.h"
#include "test.h"

static struct result *add(struct run *run, const char *id, const char *code, const char *inputs)
{
    put_code(run, id, code);
    struct result *result = run_find(run, id);
    result->inputs = x_strdup(inputs);
    return result;
}

Test(measure_inputs, are_those_of_a_dry_run_with_the_same_launches_on_the_same_gpu)
{
    static const struct {
        const char *gpu, *code, *dry; /* of the dry run */
        const char *expected;
    } rows[] = {
        {"NVIDIA H200", "f00d", "cafe", "cafe"}, {"NVIDIA H200", "f00d", NULL, NULL},
        {"NVIDIA H200", "beef", "cafe", NULL},   {"NVIDIA H200", NULL, "cafe", NULL},
        {"NVIDIA H100", "f00d", "cafe", NULL},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(run_release) struct run run = {.device.name = x_strdup("NVIDIA H200")};
        AT_END(run_release) struct run dry = {.device.name = x_strdup(rows[i].gpu)};
        const struct result *result = add(&run, "a/b", "f00d", NULL);
        add(&dry, "a/b", rows[i].code, rows[i].dry);
        inputs_take(&run, &dry);
        cr_expect_eq(order_of_texts(result->inputs, rows[i].expected), 0, "row %zu: %s", i, result->inputs);
    }
}

/* It is beside a measurement, which says itself what is wrong. */
Test(measure_inputs, of_a_library_that_cannot_be_used_are_unknown_without_a_word)
{
    AT_END(metrics_release) struct metrics metrics = {0};
    const struct measurement measurement = {
        .kernels = "/nonexistent.so", .metrics = &metrics, .backend = backend_find("host"), .timeout = 60};
    struct run dry;
    HEAR(result, measure_inputs(&measurement, &dry));
    cr_expect_eq(result, EXIT_SAME);
    cr_expect_str_empty(said);
    cr_expect_eq(dry.result_count, 0);
}
