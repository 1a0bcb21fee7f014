#include "report/explain_words.h"
#include "report_support.h"
#include "test.h"

#include <float.h>

/* ---- The explanation ---- */

/* A run of one kernel on a GPU of 100 SMs, with 8 blocks of 256 threads for each SM. */
static struct {
    struct run run;
    struct result *result;
    struct explanation explanation;
} made; /* each test has a process of its own */

static void make(unsigned blocks)
{
    explain_release(&made.explanation);
    run_release(&made.run);
    made.run = (struct run){.device = {.compute_capability = x_strdup("9.0"), .sm_count = 100}};
    made.result = run_add(&made.run, "made/up");
    made.result->status = RESULT_OK;
    struct launch *launch = ARRAY_GROW(made.result->launches, made.result->launch_count);
    *launch = (struct launch){
        .function = x_strdup("sum(int)"),
        .grid = {blocks, 1, 1},
        .block = {256, 1, 1},
        .times = 1,
        .has_machine = true,
        .machine = {.registers = 32},
    };
}

static void explain(void)
{
    explain_release(&made.explanation);
    explain_make(&made.explanation, &made.run, made.result);
}

static void forget(void)
{
    explain_release(&made.explanation);
    run_release(&made.run);
}

DO(make_ten(void), make(10));

TestSuite(explain, .init = make_ten, .fini = forget);

Test(explain, the_gap_has_a_likely_hotspot)
{
    static const struct {
        unsigned blocks;
        double achieved, time; /* measured values; NAN: not measured */
        enum explained_gap gap;
        const char *words;
    } cases[] = {
        {8000, 96, 1e5, GAP_NONE, ""},
        {8000, 101, 1e5, GAP_NONE, ""},
        {66, 12.5, 1e5, GAP_FEW_BLOCKS, "only 66 for 100 SMs x 8 blocks"},
        {1200, 70, 1e5, GAP_TAIL, "1,200 blocks are 1.50 waves of 100 SMs x 8 blocks, and the last wave is 50 % full"},
        {8000, 70, 4000, GAP_SHORT_KERNEL, "of 4.00 us a launch"},
        {80000, 80, 200000, GAP_SHORT_BLOCKS, "a wave of 100 SMs x 8 blocks takes 2.00 us"},
        {8000, 70, 1e6, GAP_IMBALANCE, "the launch does not explain it"},
        {8000, 70, NAN, GAP_UNKNOWN, ""},
        {8000, NAN, 1e5, GAP_UNKNOWN, ""},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char words[512];
        make(cases[i].blocks);
        if (!isnan(cases[i].achieved))
            set_value(made.result, "achieved_occupancy", cases[i].achieved);
        if (!isnan(cases[i].time))
            set_value(made.result, "time", cases[i].time);
        explain();
        cr_expect_eq(made.explanation.gap, cases[i].gap, "case %zu: %s", i, explained_gap_name(made.explanation.gap));
        explain_gap_words(&made.explanation, words, sizeof words);
        cr_expect(strstr(words, cases[i].words), "case %zu: %s", i, words);
    }
}

Test(explain, launches_of_one_kind_are_told_once)
{
    static const struct launch more[] = {
        {.grid = {99999, 1, 1}, .block = {256, 1, 1}, .times = 1, .has_machine = true, .machine = {.registers = 32}},
        {.grid = {10, 1, 1}, .block = {256, 1, 1}, .times = 1, .has_machine = true, .machine = {.registers = 72}},
        {.grid = {10, 1, 1}, .block = {256, 1, 1}, .times = 1},
        {.grid = {11, 1, 1}, .block = {256, 1, 1}, .times = 1, .has_machine = true, .machine = {.registers = 72}},
    };
    static const size_t same_as[] = {0, 0, 2, 3, 2};
    for (size_t i = 0; i < ARRAY_SIZE(more); i++) {
        struct launch *launch = ARRAY_GROW(made.result->launches, made.result->launch_count);
        *launch = more[i];
        launch->function = x_strdup("sum(int)");
    }
    explain();
    for (size_t i = 0; i < ARRAY_SIZE(same_as); i++)
        cr_expect_eq(made.explanation.launches[i].same_as, same_as[i], "launch %zu", i);
    cr_expect_eq(made.explanation.largest, &made.explanation.launches[1]);
    cr_expect_not(made.explanation.launches[3].known);
    const struct explained_launch *limited = &made.explanation.launches[2];
    cr_expect_eq(limited->occupancy.limits, OCCUPANCY_REGISTERS);
    cr_assert_eq(limited->step_count, 2u);
    cr_expect(limited->steps[0].resource == OCCUPANCY_REGISTERS && limited->steps[0].to == 64);
    cr_expect(limited->steps[1].resource == OCCUPANCY_THREADS && limited->steps[1].to == 224);
}

static void count(struct profile *profile, unsigned number, const double counts[LINE_COUNTERS])
{
    struct profile_line *line = profile_add(profile, "sum(int)", "sum.cu", number, 16 * number);
    memcpy(line->counts, counts, sizeof line->counts);
}

/* Half of the wavefronts are in excess, a quarter of the threads idle; stores and local memory were not counted. */
static void add_lines(void)
{
    struct profile *profile = &made.result->profile;
    profile->counted = 1u << LINE_INSTRUCTIONS | 1u << LINE_WORKING_THREADS | 1u << LINE_SHARED |
                       1u << LINE_SHARED_IDEAL | 1u << LINE_DIVERGENT | 1u << LINE_UNIFORM | 1u << LINE_LOAD_SECTORS |
                       1u << LINE_LOAD_IDEAL;
    profile->period = 64;
    profile->launches = 2;
    count(profile, 1,
          (const double[LINE_COUNTERS]){[LINE_INSTRUCTIONS] = 100,
                                        [LINE_WORKING_THREADS] = 2400,
                                        [LINE_SHARED] = 150,
                                        [LINE_SHARED_IDEAL] = 50,
                                        [LINE_UNIFORM] = 999,
                                        [LINE_DIVERGENT] = 1});
    count(profile, 2,
          (const double[LINE_COUNTERS]){[LINE_INSTRUCTIONS] = 100,
                                        [LINE_WORKING_THREADS] = 2400,
                                        [LINE_SHARED] = 50,
                                        [LINE_SHARED_IDEAL] = 50,
                                        [LINE_LOAD_SECTORS] = 8,
                                        [LINE_LOAD_IDEAL] = 8});
    profile_line_add_stall(&profile->list[0], "barrier", 30);
    profile_line_add_stall(&profile->list[0], "wait", 10);
    profile_line_add_stall(&profile->list[1], "wait", 60);
}

Test(explain, patterns_stand_by_how_much_they_matter)
{
    static const struct {
        const char *name;
        enum explained_kind kind;
        double total, part; /* expected numbers; NAN: not known */
        size_t hotspots;
    } expected[] = {
        {"stalls", EXPLAINED_TIME, 3200, NAN, 2},
        {"excess_wavefronts", EXPLAINED_FAULT, 100, 0.5, 1},
        {"idle_threads", EXPLAINED_FAULT, 1600, 0.25, 2},
        {"divergent_branches", EXPLAINED_FAULT, 1, 0.001, 1},
        {"excess_load_sectors", EXPLAINED_FAULT, 0, 0, 0},
        {"local_sectors", EXPLAINED_FAULT, NAN, NAN, 0},
        {"excess_store_sectors", EXPLAINED_FAULT, NAN, NAN, 0},
        {"instructions", EXPLAINED_TIME, 200, NAN, 2},
    };
    add_lines();
    explain();
    size_t all;
    (void)pattern_list(&all);
    cr_assert_eq(made.explanation.pattern_count, all - 1, "what was sampled is not estimated");
    for (size_t i = 0; i < all - 1; i++) {
        const struct explained_pattern *explained = &made.explanation.patterns[i];
        if (i >= ARRAY_SIZE(expected)) {
            cr_expect_eq(explained->kind, EXPLAINED_PLAIN, "%s", explained->pattern->name);
            continue;
        }
        cr_expect_str_eq(explained->pattern->name, expected[i].name);
        cr_expect_eq(explained->kind, expected[i].kind, "%s", expected[i].name);
        cr_expect_eq(explained->known, !isnan(expected[i].total), "%s", expected[i].name);
        cr_expect(explained->known ? fabs(explained->total - expected[i].total) < 1e-9 : isnan(explained->total),
                  "%s: %g", expected[i].name, explained->total);
        cr_expect(isnan(expected[i].part) ? isnan(explained->part) : fabs(explained->part - expected[i].part) < 1e-9,
                  "%s: %g", expected[i].name, explained->part);
        cr_expect_eq(explained->hotspot_count, expected[i].hotspots, "%s: %zu", expected[i].name,
                     explained->hotspot_count);
    }
    cr_assert_eq(made.explanation.stall_count, 2u);
    cr_expect_str_eq(made.explanation.stalls[0].reason, "wait");
    cr_expect_float_eq(made.explanation.stalls[0].share, 0.7, 1e-9);
}

/* ---- Printing ---- */

static char *printed(bool verbose, int (*print_it)(const struct explanation *, const struct explain_style *, FILE *))
{
    PRINT(char *, text, to,
          cr_assert_eq(print_it(&made.explanation, &(struct explain_style){.verbose = verbose}, to), 0));
    return text;
}

Test(explain, what_is_little_none_or_unknown_takes_a_line_each)
{
    add_lines();
    explain();
    OWNED_TEXT text = printed(false, explain_text), *verbose = printed(true, explain_text);
    expect_words(text, "Excess shared wavefronts  100, 50.0 % of 200 shared wavefronts\n",
                 "little: 1 divergent branches\n", "none: excess load sectors\n",
                 "not counted: local memory sectors, excess store sectors (not among the counters that were",
                 "all lines: wait 70.0 %, barrier 30.0 %", "barrier 75.0 %: waiting for other warps at a barrier",
                 "independent instructions", "source text not readable where this was measured: sum.cu\n");
    expect_no_word(text, "-lineinfo");
    expect_words(verbose, "\nDivergent branches  1, 0.1 % of 1,000 branches\n", "\nShared wavefronts  200\n");
    expect_no_word(verbose, "little: ");
}

Test(explain, a_run_without_anything_says_so)
{
    made.result->launches[0].has_machine = false;
    explain();
    made.explanation.replay = true;
    OWNED_TEXT text = printed(false, explain_text);
    expect_words(text, "time      not known: not in this run",
                 "theoretical   not known: the run lacks the resources of the machine code",
                 "achieved      not known: not in this run", "bound by      unknown: no share of a roof is known",
                 "not measured", "`cugate run --lines`");
    made.result->launches[0].has_machine = true;
    set_text(&made.run.device.compute_capability, "3.5");
    explain();
    OWNED_TEXT old = printed(false, explain_text);
    expect_word(old, "theoretical   not known: of this GPU");
}

static size_t longest_line(const char *text)
{
    size_t max = 0;
    for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
        const size_t length = strcspn(text, "\n");
        max = length > max ? length : max;
    }
    return max;
}

/* Anybody can make a file. */
Test(explain, hostile_names_and_numbers_stay_harmless)
{
    static const char evil[] = "::error::\n::error::\033[31m\xe2\x80\xae##[group]x";
    add_lines();
    struct launch *launch = made.result->launches;
    set_text(&launch->function, evil);
    for (size_t i = 0; i < 3; i++)
        launch->grid[i] = launch->block[i] = UINT_MAX;
    launch->times = launch->shared = UINT_MAX;
    launch->machine = (struct code_facts){UINT_MAX, UINT_MAX, UINT_MAX, UINT_MAX, UINT_MAX, TENSOR_USED, UINT_MAX};
    made.run.device.sm_count = INT64_MAX;
    made.run.device.name = x_strdup(evil);
    struct profile_line *line = &made.result->profile.list[0];
    line->file = realloc(line->file, sizeof evil);
    memcpy(line->file, evil, sizeof evil);
    line->text = x_strdup(evil);
    for (size_t c = 0; c < LINE_COUNTERS; c++)
        line->counts[c] = DBL_MAX;
    profile_line_add_stall(line, "a_reason", DBL_MAX);
    profile_line_add_stall(line, "barrier", DBL_MAX);
    set_value(made.result, "time", 5e-324);
    set_value(made.result, "achieved_occupancy", DBL_MAX);
    set_value(made.result, "dram_bytes_read", DBL_MAX);
    explain();
    for (int verbose = 0; verbose < 2; verbose++) {
        OWNED_TEXT text = printed(verbose, explain_text);
        expect_no_words(text, "\033", "\xe2\x80\xae", "\n::", " ::error::\n", "##[", "inf");
        for (const char *at = text; (at = strchr(at, '\n')); at++)
            cr_expect(strncmp(at + 1 + strspn(at + 1, " "), "::", 2) != 0, "%.40s", at);
    }
    OWNED_TEXT json = printed(false, explain_json);
    json_t *root = json_loads(json, 0, NULL);
    cr_expect_not_null(root, "%s", json);
    for (const char *c = json; *c; c++)
        cr_expect(*c == '\n' || (*c >= ' ' && *c < 0x7f), "byte %d", *c);
    json_decref(root);
}

Test(explain, no_line_is_wider_than_the_page)
{
    add_lines();
    for (size_t i = 0; i < 2; i++) {
        struct profile_line *line = &made.result->profile.list[i];
        free(line->file);
        line->file = x_sprintf("%0100d.cu", 7);
        line->text = x_sprintf("%0300d", 7);
    }
    made.result->launches[0].machine.registers = 72;
    set_value(made.result, "achieved_occupancy", 20);
    set_value(made.result, "time", 1e5);
    explain();
    OWNED_TEXT text = printed(true, explain_text);
    cr_expect_leq(longest_line(text), (size_t)TEXT_WIDTH, "%s", text);
}

/* The time is proportional to the number of launches and reasons, however many. */
Test(explain, a_large_file_is_explained_in_time)
{
    limit_processor(20);
    for (unsigned i = 0; i < 100000; i++) {
        struct launch *launch = ARRAY_GROW(made.result->launches, made.result->launch_count);
        *launch = (struct launch){.grid = {1, 1, 1}, .block = {1 + i % 1024, 1, 1}, .times = 1, .has_machine = true};
        launch->machine.registers = i;
        launch->function = x_sprintf("f%u", i);
    }
    add_lines();
    struct profile_line *line = &made.result->profile.list[0];
    for (unsigned i = 0; i < 200000; i++) {
        struct stall *stall = ARRAY_GROW(line->stalls, line->stall_count);
        *stall = (struct stall){x_sprintf("z%06u", i), 1};
    }
    explain();
    OWNED_TEXT text = printed(false, explain_text);
    expect_word(text, "and 99993 more; -v shows all");
}

Test(explain, json_has_null_for_what_is_not_known)
{
    made.result->launches[0].has_machine = false;
    explain();
    made.explanation.run_name = "run.json";
    OWNED_TEXT text = printed(false, explain_json);
    json_t *root = json_loads(text, 0, NULL);
    cr_assert_not_null(root, "%s", text);
    cr_expect_eq(json_integer_value(json_object_get(root, "schema")), 1);
    static const char *const nulls[] = {"replay", "stalls", "stories"};
    for (size_t i = 0; i < ARRAY_SIZE(nulls); i++)
        cr_expect(json_is_null(json_object_get(root, nulls[i])), "%s", nulls[i]);
    json_t *launch = json_array_get(json_object_get(root, "launches"), 0);
    cr_expect(json_is_null(json_object_get(launch, "registers")));
    cr_expect(json_is_null(json_object_get(launch, "theoretical_occupancy")));
    json_t *roofline = json_object_get(root, "roofline");
    cr_expect(json_is_null(json_object_get(roofline, "seconds")));
    cr_expect_str_eq(json_string_value(json_object_get(roofline, "bound")), "unknown");
    json_decref(root);
    made.explanation.replay = true;
    OWNED_TEXT replayed = printed(false, explain_json);
    expect_word(replayed, "\"replay\": \"run.json\"");
}
