#include "explain/pattern.h"
#include "explain/stall.h"
#include "test.h"

#include "line_support.h"

#include <float.h>

static const struct pattern *pattern_named(const char *name)
{
    size_t count, i = 0;
    const struct pattern *list = pattern_list(&count);
    while (i < count && strcmp(list[i].name, name) != 0)
        i++;
    cr_assert(i < count, "%s", name);
    return &list[i];
}

/* ---- The table ---- */

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
        "achieved_occupancy", "theoretical_occupancy", "wall_time",  "grid_balance", "kernel_launches", "barriers",
        "sleep_time",         "sectors_past_l1",       "host_bytes", "managed_bytes"};
    OWNED(metrics) metrics = {0};
    size_t count;
    const struct pattern *list = pattern_list(&count);
    cr_assert_eq(metrics_read_folder(&metrics, "metrics"), 0);
    for (size_t i = 0; i < metrics.count; i++) {
        const struct metric *metric = &metrics.list[i];
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
    const struct pattern *pattern = pattern_named("excess_wavefronts");
    cr_expect(pattern_explains(pattern, "shared_wavefronts"));
    cr_expect(pattern_explains(pattern, "excess_wavefronts"));
    static const char *const others[] = {
        "", " ", "wavefronts", "shared", "excess_wavefront", "time", "xcess_wavefronts"};
    for (size_t i = 0; i < ARRAY_SIZE(others); i++)
        cr_expect_not(pattern_explains(pattern, others[i]), "\"%s\"", others[i]);
}

/* ---- Amounts ---- */

Test(pattern, an_amount_is_the_sum_of_its_terms)
{
    static const struct {
        const char *pattern;
        double counts[LINE_COUNTERS], amount;
    } rows[] = {
        {"divergent_branches", {[LINE_DIVERGENT] = 3, [LINE_UNIFORM] = 9}, 3},
        {"branches", {[LINE_DIVERGENT] = 3, [LINE_UNIFORM] = 9}, 12},
        {"idle_threads", {[LINE_INSTRUCTIONS] = 2, [LINE_WORKING_THREADS] = 40, [LINE_ACTIVE_THREADS] = 64}, 24},
        {"excess_wavefronts", {[LINE_SHARED] = 10, [LINE_SHARED_IDEAL] = 4}, 6},
        {"excess_wavefronts", {[LINE_SHARED] = 4, [LINE_SHARED_IDEAL] = 10}, 0}, /* an excess is never negative */
        {"shared_wavefronts", {[LINE_SHARED] = 10, [LINE_SHARED_IDEAL] = 4}, 10},
        {"local_sectors", {[LINE_LOCAL_SECTORS] = 5}, 5},
        {"excess_load_sectors", {[LINE_LOAD_SECTORS] = 32, [LINE_LOAD_IDEAL] = 4}, 28},
        {"load_sectors", {[LINE_LOAD_SECTORS] = 32, [LINE_LOAD_IDEAL] = 4}, 32},
        {"excess_store_sectors", {[LINE_STORE_SECTORS] = 32, [LINE_STORE_IDEAL] = 4}, 28},
        {"store_sectors", {[LINE_STORE_SECTORS] = 32}, 32},
        {"global_loads", {[LINE_GLOBAL_LOADS] = 2}, 2},
        {"global_stores", {[LINE_GLOBAL_STORES] = 2}, 2},
        {"instructions", {[LINE_INSTRUCTIONS] = 7}, 7},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        OWNED(profile) profile = {0};
        const struct pattern *pattern = pattern_named(rows[i].pattern);
        memcpy(profile_add(&profile, "f", NULL, 0, 0)->counts, rows[i].counts, sizeof rows[i].counts);
        cr_expect_not(pattern_is_known(pattern, &profile), "%s", rows[i].pattern);
        profile.counted = ~0u;
        cr_expect(pattern_is_known(pattern, &profile), "%s", rows[i].pattern);
        cr_expect_eq(pattern_amount(pattern, &profile, &profile.list[0]), rows[i].amount, "%s", rows[i].pattern);
        cr_expect_eq(pattern_total(pattern, &profile), rows[i].amount, "%s", rows[i].pattern);
    }
}

Test(pattern, stalls_count_cycles_of_one_launch)
{
    const struct pattern *pattern = pattern_named("stalls");
    OWNED(profile) profile = {.counted = ~0u};
    struct profile_line *line = profile_add(&profile, "f", NULL, 0, 0);
    profile_line_add_stall(line, "barrier", 2);
    profile_line_add_stall(line, "long_scoreboard", 9);
    profile_line_add_stall(line, "made_up", 1);
    cr_expect_not(pattern_is_known(pattern, &profile));
    cr_expect_eq(pattern_amount(pattern, &profile, line), 0); /* the amount is 0 if no launch was sampled */
    profile.period = 1024;
    cr_expect(pattern_is_known(pattern, &profile));
    cr_expect_eq(pattern_amount(pattern, &profile, line), 0);
    profile.launches = 3;
    cr_expect_eq(pattern_amount(pattern, &profile, line), 4096);
}

Test(pattern, estimated_stalls_are_ns_and_never_sampled)
{
    const struct pattern *sampled = pattern_named("stalls"), *estimated = pattern_named("estimated_stalls");
    OWNED(profile) profile = {.counted = 1u << LINE_INSTRUCTIONS, .estimated = true}, base, measured;
    struct profile_line *line = profile_add(&profile, "f", "f.cu", 1, 0);
    line->counts[LINE_INSTRUCTIONS] = 2;
    profile_line_add_stall(line, "barrier", 700.5);
    cr_expect(pattern_is_known(estimated, &profile) && !pattern_is_known(sampled, &profile));
    cr_expect_eq(pattern_total(estimated, &profile), 700.5);
    cr_expect_eq(pattern_of_metric("estimated_time", &profile, NULL), estimated);
    cr_expect_str_eq(pattern_of_metric("time", &profile, NULL)->name, "instructions");
    profile_copy(&base, &profile);
    base.list[0].stalls[0].samples = 500;
    cr_expect_eq(pattern_of_metric("estimated_time", &profile, &base), estimated);
    cr_expect_str_eq(stall_grown(&profile, line, &base, &base.list[0]), "barrier");
    profile_copy(&measured, &base);
    measured.estimated = false;
    measured.period = measured.launches = 1;
    cr_expect_null(pattern_of_metric("estimated_time", &profile, &measured));
    cr_expect_null(pattern_of_metric("time", &profile, &measured));
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

/* ---- Hotspots ---- */

Test(pattern, lines_that_grew_most_come_first)
{
    const struct pattern *pattern = pattern_named("instructions");
    OWNED(profile)
    now = made_lines(LINE_INSTRUCTIONS, (struct made_line[]){LINE_WITH(11, "large", 1000),
                                                             LINE_WITH(12, "grown", 300),
                                                             LINE_WITH(13, "new", 50),
                                                             LINE_WITH(14, "fallen", 5),
                                                             LINE_WITH(15, "doubled", 200),
                                                             {0}});
    OWNED(profile)
    base = made_lines(LINE_INSTRUCTIONS, (struct made_line[]){LINE_WITH(1, "large", 1000),
                                                              LINE_WITH(2, "grown", 100),
                                                              LINE_WITH(3, "fallen", 50),
                                                              LINE_WITH(4, "doubled", 100),
                                                              {0}});
    struct hotspot hotspots[8];
    cr_assert_eq(pattern_hotspots(pattern, &now, &base, hotspots, ARRAY_SIZE(hotspots)), 3);
    cr_expect_str_eq(hotspots[0].line->text, "grown");
    cr_expect_eq(hotspots[0].base->number, 2);
    cr_expect_eq(hotspots[0].amount, 300);
    cr_expect_eq(hotspots[0].base_amount, 100);
    cr_expect(hotspots[0].has_base);
    cr_expect_float_eq(hotspots[0].share, 300.0 / 1555, 1e-12);
    cr_expect_str_eq(hotspots[1].line->text, "doubled");
    cr_expect_str_eq(hotspots[2].line->text, "new");
    cr_expect(!hotspots[2].base && hotspots[2].has_base && hotspots[2].base_amount == 0);
    cr_expect_eq(pattern_hotspots(pattern, &now, &base, hotspots, 2), 2);
    cr_expect_str_eq(hotspots[1].line->text, "doubled");
    cr_expect_eq(pattern_hotspots(pattern, &now, &base, hotspots, 0), 0);
    cr_expect_eq(pattern_hotspots(pattern, &now, &now, hotspots, ARRAY_SIZE(hotspots)), 0);

    cr_expect_eq(pattern_hotspots(pattern, &now, NULL, hotspots, ARRAY_SIZE(hotspots)), 5);
    cr_expect_str_eq(hotspots[0].line->text, "large");
    cr_expect(!hotspots[0].base && !hotspots[0].has_base);
}

/* Otherwise the whole amount of an edited line would seem new, and exceed what really grew. */
Test(pattern, an_edited_line_is_blamed_for_what_it_added_only)
{
    struct profile now = made_lines(LINE_INSTRUCTIONS, (struct made_line[]){LINE_WITH(1, "int i = 0;", 10),
                                                                            LINE_WITH(2, "sum += a[i] * 1.0;", 1010),
                                                                            LINE_WITH(3, "out[i] = sum;", 600),
                                                                            {0}});
    struct profile base = made_lines(LINE_INSTRUCTIONS, (struct made_line[]){LINE_WITH(1, "int i = 0;", 10),
                                                                             LINE_WITH(2, "sum += a[i];", 1000),
                                                                             LINE_WITH(3, "out[i] = sum;", 100),
                                                                             {0}});
    struct hotspot hotspots[3];
    cr_assert_eq(pattern_hotspots(pattern_named("instructions"), &now, &base, hotspots, 3), 2);
    cr_expect_eq(hotspots[0].line->number, 3);
    cr_expect_eq(hotspots[1].line->number, 2);
    cr_expect_eq(hotspots[1].base_amount, 1000);
    profile_release(&base);
    profile_release(&now);
}

/* Compilers put the end of a loop or of a function on its brace, which tells nobody what to change. */
Test(pattern, a_bracket_is_told_as_the_nearest_statement)
{
    struct profile now =
        made_lines(LINE_INSTRUCTIONS, (struct made_line[]){{.number = 3, .text = "{", .count = 7, .file = "k/b.cu"},
                                                           LINE_WITH(10, "{", 1),
                                                           LINE_WITH(11, "for (int i = 0; i < n; i++) {", 100),
                                                           LINE_WITH(12, "sum += a[i];", 20),
                                                           LINE_WITH(13, "}", 300),
                                                           LINE_WITH(20, "});", 4),
                                                           LINE_WITH(21, "out[0] = sum;", 50),
                                                           {0}});
    const struct {
        unsigned number; /* expected line */
        double amount;
    } told[] = {
        {12, 320}, /* of the brace below and its own */
        {11, 101}, /* of the brace above, which has no statement before it */
        {21, 54},  /* nearer than the one before */
        {3, 7},    /* its file has no other line */
    };
    struct hotspot hotspots[8];
    size_t count = pattern_hotspots(pattern_named("instructions"), &now, NULL, hotspots, ARRAY_SIZE(hotspots));
    cr_assert_eq(count, 7, "as they were counted");
    cr_expect_str_eq(hotspots[0].line->text, "}");
    count = pattern_tell_statements(hotspots, count, &now);
    cr_assert_eq(count, ARRAY_SIZE(told));
    for (size_t i = 0; i < count; i++) {
        cr_expect_eq(hotspots[i].line->number, told[i].number, "%zu: line %u", i, hotspots[i].line->number);
        cr_expect_eq(hotspots[i].amount, told[i].amount, "%zu", i);
        cr_expect_float_eq(hotspots[i].share, told[i].amount / 482, 1e-12, "%zu", i);
    }
    profile_release(&now);
}

/* If the code changed, the former amount of an instruction is not known, unless the kernel had none at all. */
Test(pattern, an_unknown_past_is_not_said_to_be_0)
{
    struct profile now =
        made_lines(LINE_INSTRUCTIONS, (struct made_line[]){{.function = "f", .offset = 48, .count = 9}, {0}});
    struct profile base =
        made_lines(LINE_INSTRUCTIONS, (struct made_line[]){{.function = "f", .offset = 32, .count = 5}, {0}});
    struct hotspot hotspot;
    cr_assert_eq(pattern_hotspots(pattern_named("instructions"), &now, &base, &hotspot, 1), 1);
    cr_expect(!hotspot.has_base && !hotspot.base);
    base.list[0].counts[LINE_INSTRUCTIONS] = 0;
    cr_assert_eq(pattern_hotspots(pattern_named("instructions"), &now, &base, &hotspot, 1), 1);
    cr_expect(hotspot.has_base);
    profile_release(&base);
    profile_release(&now);
}

/* ---- Choosing a pattern ---- */

#define EVERY (~0u)

#define SHARED(passes, ideal) FIELDS([LINE_SHARED] = (passes), [LINE_SHARED_IDEAL] = (ideal))
#define LOADS(sectors, ideal) FIELDS([LINE_LOAD_SECTORS] = (sectors), [LINE_LOAD_IDEAL] = (ideal))
#define THREADS(at_work, branches)                                                                                     \
    FIELDS([LINE_INSTRUCTIONS] = 1000, [LINE_WORKING_THREADS] = (at_work), [LINE_DIVERGENT] = (branches))
#define EXECUTED(count) FIELDS([LINE_INSTRUCTIONS] = (count))

static const struct {
    const char *what, *metric, *pattern;
    double now[LINE_COUNTERS], base[LINE_COUNTERS];
    double now_samples, base_samples;
} choices[] = {
    {"conflicts before passes", "shared_wavefronts", "excess_wavefronts", SHARED(900, 100), SHARED(100, 100), 0, 0},
    {"passes where conflicts did not grow", "shared_wavefronts", "shared_wavefronts", SHARED(900, 800),
     SHARED(200, 100), 0, 0},
    {"passes where conflicts grew by next to nothing", "shared_wavefronts", "shared_wavefronts", SHARED(901, 900),
     SHARED(200, 200), 0, 0},
    {"one conflict more is the story of one pass more", "shared_wavefronts", "excess_wavefronts", SHARED(100001, 50000),
     SHARED(100000, 50000), 0, 0},
    {"a pass over memory more, which coalesces", "dram_bytes_read", "load_sectors", LOADS(2000, 1990), LOADS(1000, 995),
     0, 0},
    {"a stride", "global_load_sectors", "excess_load_sectors", LOADS(8000, 1000), LOADS(1000, 1000), 0, 0},
    {"spilled registers",
     "dram_bytes_write",
     "local_sectors",
     {[LINE_LOCAL_SECTORS] = 500, [LINE_STORE_SECTORS] = 100, [LINE_STORE_IDEAL] = 100},
     {[LINE_STORE_SECTORS] = 100, [LINE_STORE_IDEAL] = 100},
     0,
     0},
    {"predication, which no branch shows", "threads_per_instruction", "idle_threads", THREADS(16000, 100000),
     THREADS(32000, 99999), 0, 0},
    {"a few divergent branches switch off few threads", "threads_per_instruction", "idle_threads", THREADS(16000, 100),
     THREADS(32000, 0), 0, 0},
    {"time is where warps stand", "time", "stalls", EXECUTED(2000), EXECUTED(1000), 200, 100},
    {"time, where fewer warps stand about", "time", "instructions", EXECUTED(2000), EXECUTED(1000), 90, 100},
    {"nothing grew", "instructions", NULL, {0}, EXECUTED(1), 0, 0},
    {"no line says how many warps fit", "achieved_occupancy", NULL, {0}, {0}, 9, 0},
    {"nobody knows that metric", "made_up", NULL, EXECUTED(1), {0}, 0, 0},
};

static struct profile one_line(const double *counts, double samples)
{
    struct profile profile = {.counted = EVERY, .period = 1024, .launches = 1};
    struct profile_line *line = profile_add(&profile, "f", "a.cu", 1, 0);
    memcpy(line->counts, counts, sizeof line->counts);
    profile_line_add_stall(line, "wait", samples);
    return profile;
}

Test(pattern, the_pattern_of_a_metric_is_the_telling_one)
{
    for (size_t i = 0; i < ARRAY_SIZE(choices); i++) {
        OWNED(profile) now = one_line(choices[i].now, choices[i].now_samples);
        OWNED(profile) base = one_line(choices[i].base, choices[i].base_samples);
        const struct pattern *pattern = pattern_of_metric(choices[i].metric, &now, &base);
        cr_expect_str_eq(pattern ? pattern->name : "none", choices[i].pattern ? choices[i].pattern : "none", "%s",
                         choices[i].what);
    }
}

Test(pattern, what_was_not_counted_on_both_sides_tells_nothing)
{
    OWNED(profile) now = one_line((double[LINE_COUNTERS]){[LINE_INSTRUCTIONS] = 9}, 9);
    OWNED(profile) base = one_line((double[LINE_COUNTERS]){0}, 0);
    cr_expect_str_eq(pattern_of_metric("time", &now, &base)->name, "stalls");
    base.period = 0;
    cr_expect_str_eq(pattern_of_metric("time", &now, &base)->name, "instructions");
    base.counted = 0;
    cr_expect_null(pattern_of_metric("time", &now, &base));
    cr_expect_str_eq(pattern_of_metric("time", &now, NULL)->name, "stalls");
    now.period = 0;
    cr_expect_str_eq(pattern_of_metric("time", &now, NULL)->name, "instructions");
    now.counted = 0;
    cr_expect_null(pattern_of_metric("time", &now, NULL));
}
