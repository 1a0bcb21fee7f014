#include "explain/pattern.h"
#include "test.h"

#include <float.h>

Test(pattern, every_row_is_whole)
{
    size_t count;
    const struct pattern *list = pattern_list(&count);
    cr_assert_gt(count, 0);
    for (size_t i = 0; i < count; i++) {
        const struct pattern *pattern = &list[i];
        cr_expect_eq(strspn(pattern->name, "abcdefghijklmnopqrstuvwxyz_"), strlen(pattern->name), "%s", pattern->name);
        cr_expect(*pattern->name && *pattern->title && *pattern->unit, "%s", pattern->name);
        cr_expect_leq(strlen(pattern->title), 30, "%s", pattern->name);
        cr_expect_gt(strlen(pattern->advice), 20, "%s", pattern->name);
        cr_expect_neq(pattern->advice[strlen(pattern->advice) - 1], '.', "%s", pattern->name);
        cr_expect_leq(pattern->sum.count, ARRAY_SIZE(pattern->sum.terms), "%s", pattern->name);
        for (size_t t = 0; t < pattern->sum.count; t++)
            cr_expect(pattern->sum.terms[t].counter < LINE_COUNTERS && pattern->sum.terms[t].factor != 0, "%s",
                      pattern->name);
        cr_expect_eq(pattern->whole.count > 0, pattern->kind == EXPLAINED_FAULT, "%s", pattern->name);
        cr_expect_eq(pattern->of != NULL, pattern->kind == EXPLAINED_FAULT, "%s", pattern->name);
        for (size_t k = 0; k < i; k++) {
            cr_expect_str_neq(pattern->name, list[k].name);
            cr_expect_str_neq(pattern->title, list[k].title);
            cr_expect_str_neq(pattern->advice, list[k].advice);
        }
    }
}

Test(pattern, every_metric_of_a_pattern_exists)
{
    OWNED(metrics) metrics = {0};
    size_t count;
    const struct pattern *list = pattern_list(&count);
    cr_assert_eq(metrics_read_folder(&metrics, "metrics"), 0);
    for (size_t i = 0; i < count; i++) {
        const char *text = list[i].metrics;
        cr_expect(text[0] == ' ' && text[strlen(text) - 1] == ' ' && !strstr(text, "  "), "%s", list[i].name);
        OWNED_TEXT words = x_strdup(text);
        char *rest = words;
        for (char *word = strtok_r(rest, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
            cr_expect(metrics_find(&metrics, word) || strcmp(word, "excess_wavefronts") == 0 ||
                          strcmp(word, "estimated_time") == 0,
                      "%s of %s", word, list[i].name);
            cr_expect(pattern_explains(&list[i], word), "%s of %s", word, list[i].name);
        }
    }
}

/* Metrics without a pattern are explained by launches and machine code. */
Test(pattern, every_gated_metric_has_a_pattern)
{
    static const char *const without[] = {
        "achieved_occupancy", "theoretical_occupancy", "wall_time",  "grid_balance", "kernel_launches",
        "sleep_time",         "sectors_past_l1",       "host_bytes", "managed_bytes"};
    OWNED(metrics) metrics = {0};
    size_t count;
    const struct pattern *list = pattern_list(&count);
    cr_assert_eq(metrics_read_folder(&metrics, "metrics"), 0);
    EACH(const struct metric, metric, metrics.list, metrics.count) {
        bool has = metric->class == METRIC_INFO || is_metric_of_program(metric);
        for (size_t k = 0; k < ARRAY_SIZE(without); k++)
            has |= strcmp(metric->name, without[k]) == 0;
        for (size_t k = 0; k < count; k++)
            has |= pattern_explains(&list[k], metric->name);
        cr_expect(has, "%s", metric->name);
    }
}

Test(pattern, only_whole_names_are_explained)
{
    size_t count;
    const struct pattern *pattern = pattern_list(&count);
    while (strcmp(pattern->name, "excess_wavefronts") != 0)
        pattern++;
    cr_expect(pattern_explains(pattern, "shared_wavefronts"));
    cr_expect(pattern_explains(pattern, "excess_wavefronts"));
    static const char *const others[] = {
        "", " ", "wavefronts", "shared", "excess_wavefront", "time", "xcess_wavefronts"};
    for (size_t i = 0; i < ARRAY_SIZE(others); i++)
        cr_expect_not(pattern_explains(pattern, others[i]), "\"%s\"", others[i]);
}

Test(pattern, no_number_of_a_file_makes_a_nonsense)
{
    static const double numbers[] = {0, 1, 0x1p53, 1e300, DBL_MAX};
    size_t count;
    const struct pattern *list = pattern_list(&count);
    for (size_t i = 0; i < ARRAY_SIZE(numbers) * ARRAY_SIZE(numbers) * count; i++) {
        const struct pattern *pattern = &list[i % count];
        struct profile sides[2];
        for (size_t side = 0; side < 2; side++) {
            const double number = numbers[(side ? i / count / ARRAY_SIZE(numbers) : i / count) % ARRAY_SIZE(numbers)];
            sides[side] = (struct profile){.counted = ~0u, .period = UINT32_MAX, .launches = 1};
            for (unsigned k = 0; k < 3; k++) {
                struct profile_line *line = profile_add(&sides[side], "f", "a.cu", k + 1, 0);
                line->text = x_sprintf("%u", k);
                for (size_t c = 0; c < LINE_COUNTERS; c++)
                    line->counts[c] = c % 2 ? number / (k + 1) : number;
                profile_line_add_stall(line, "wait", number);
                profile_line_add_stall(line, "barrier", number);
            }
        }
        struct hotspot hotspots[2];
        const size_t found = pattern_hotspots(pattern, &sides[0], &sides[1], hotspots, ARRAY_SIZE(hotspots));
        cr_expect_leq(found, ARRAY_SIZE(hotspots));
        for (size_t k = 0; k < found; k++) {
            cr_expect(isfinite(hotspots[k].amount) && isfinite(hotspots[k].base_amount), "%s", pattern->name);
            cr_expect(hotspots[k].share >= 0 && hotspots[k].share <= 1, "%s %g", pattern->name, hotspots[k].share);
            cr_expect_gt(hotspots[k].amount, hotspots[k].base_amount);
        }
        cr_expect(isfinite(pattern_total(pattern, &sides[0])));
        (void)pattern_of_metric("time", &sides[0], &sides[1]);
        profile_release(&sides[0]);
        profile_release(&sides[1]);
    }
}
