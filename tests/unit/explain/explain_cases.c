/* Tests explanations by the cases of explain.txt, which says what their words mean. */
#include "cases.h"
#include "explain/pattern.h"
#include "explain/stall.h"
#include "line_support.h"
#include "report/explain_words.h"

/* The kernel of the case, its lines in the base, and what was found. */
static struct run made;
static struct result *result;
static struct profile base;
static bool has_base;
static struct explanation explanation;
static char *page;

static struct profile *side(size_t i)
{
    const bool is_base = strcmp(word(i), "base") == 0;
    NEED(is_base || strcmp(word(i), "now") == 0, "%s is no side", word(i));
    has_base |= is_base;
    return is_base ? &base : &result->profile;
}

static enum line_counter counter_named(const char *text)
{
    enum line_counter counter = 0;
    PLACE_OF(counter, line_counter_name, LINE_COUNTERS);
}

static const struct pattern *pattern_named(const char *name)
{
    size_t count, i = 0;
    const struct pattern *list = pattern_list(&count);
    while (i < count && strcmp(list[i].name, name) != 0)
        i++;
    NEED(i < count, "there is no pattern %s", name);
    return &list[i];
}

/* ---- What there is ---- */

static void set_counted(void)
{
    struct profile *profile = side(1);
    profile->counted = 0;
    for (size_t i = 2; i < word_count; i++)
        profile->counted |= strcmp(word(i), "all") == 0 ? ~0u : 1u << counter_named(word(i));
}

static void set_sampled(void)
{
    struct profile *profile = side(1);
    profile->period = (unsigned)whole(word(2));
    profile->launches = (unsigned)whole(word(3));
    profile->estimated = word_count > 4;
}

/* Without a number it is an instruction, at an offset. */
static void put_line(void)
{
    const char *function = "sum(int)", *file = "k/a.cu", *source = NULL;
    size_t at = 0;
    double counts[LINE_COUNTERS] = {0};
    struct member members[LINE_COUNTERS + 4] = {
        {"function", .text = &function}, {"file", .text = &file}, {"text", .text = &source}, {"offset", .count = &at}};
    for (enum line_counter counter = 0; counter < LINE_COUNTERS; counter++)
        members[4 + counter] = (struct member){line_counter_name(counter), .number = &counts[counter]};
    put_members(members, ARRAY_SIZE(members), 3);
    const unsigned line_number = (unsigned)whole(word(2));
    struct profile_line *line = profile_add(side(1), function, line_number ? file : NULL, line_number, (unsigned)at);
    memcpy(line->counts, counts, sizeof counts);
    set_text(&line->text, source);
}

static void put_stalls(void)
{
    struct profile_line *line = line_at(side(1), (unsigned)whole(word(2)));
    for (size_t i = 3; i < word_count; i++) {
        const double samples = number(value_of(word(i)));
        profile_line_add_stall(line, word(i), samples);
    }
}

static void put_values_of_result(void)
{
    for (size_t i = 1; i < word_count; i++) {
        char *const value = value_of(word(i));
        if (*value)
            set_value(result, word(i), number(value));
    }
}

static void put_launch(void)
{
    size_t blocks = 1, threads = 256, registers = 32, times = 1;
    bool known_code = true;
    const struct member members[] = {{"blocks", .count = &blocks},
                                     {"threads", .count = &threads},
                                     {"registers", .count = &registers},
                                     {"times", .count = &times},
                                     {"known", .flag = &known_code}};
    put_members(members, ARRAY_SIZE(members), 1);
    *ARRAY_GROW(result->launches, result->launch_count) = (struct launch){
        .function = x_strdup("sum(int)"),
        .grid = {(unsigned)blocks, 1, 1},
        .block = {(unsigned)threads, 1, 1},
        .times = (unsigned)times,
        .has_machine = known_code,
        .machine = {.registers = (unsigned)registers},
    };
}

static void set_run(void)
{
    const char *capability = made.device.compute_capability;
    double processors = (double)made.device.sm_count;
    const struct member members[] = {{"capability", .text = &capability},
                                     {"processors", .number = &processors},
                                     {"bytes", .number = &result->bytes},
                                     {"flops", .number = &result->flops}};
    put_members(members, ARRAY_SIZE(members), 1);
    set_text(&made.device.compute_capability, capability);
    made.device.sm_count = (int64_t)processors;
}

static void put_session(void)
{
    struct session *session = ARRAY_GROW(made.sessions, made.session_count);
    double *const roofs = session->roofs;
    const struct member members[] = {{"dram", .number = &roofs[ROOF_DRAM]},
                                     {"shared", .number = &roofs[ROOF_SHARED]},
                                     {"fp64", .number = &roofs[ROOF_FP64]},
                                     {"fp32", .number = &roofs[ROOF_FP32]},
                                     {"fp16", .number = &roofs[ROOF_FP16]}};
    put_members(members, ARRAY_SIZE(members), 1);
}

DO(clear_value(void), row_clear(result_find(result, word(1))));

/* ---- What must come of it ---- */

static const struct explanation *explained(void)
{
    if (!explanation.result)
        explain_make(&explanation, &made, result);
    return &explanation;
}

static void expect_known(void)
{
    const bool is_known = pattern_is_known(pattern_named(word(1)), &result->profile);
    CHECK(is_known == (whole(word(2)) != 0), "%s: %d", word(1), is_known);
}

/* Of the first line, and of all. */
static void expect_amount(void)
{
    const struct pattern *pattern = pattern_named(word(1));
    const double amount = pattern_amount(pattern, &result->profile, result->profile.list);
    CHECK(amount == number(word(2)), "%s: %g", word(1), amount);
    CHECK(result->profile.count > 1 || pattern_total(pattern, &result->profile) == amount, "%s: another sum", word(1));
}

static void expect_pattern(void)
{
    const struct pattern *pattern = pattern_of_metric(word(1), &result->profile, has_base ? &base : NULL);
    CHECK(strcmp(pattern ? pattern->name : "none", word(2)) == 0, "%s: %s", word(1), pattern ? pattern->name : "none");
}

static void expect_lines(void)
{
    struct hotspot hotspots[8];
    const size_t count =
        pattern_hotspots(pattern_named(word(1)), &result->profile, has_base ? &base : NULL, hotspots, whole(word(2)));
    expect_hotspots(hotspots, count, 3);
}

static void expect_statements(void)
{
    struct hotspot hotspots[8];
    size_t count = pattern_hotspots(pattern_named(word(1)), &result->profile, NULL, hotspots, ARRAY_SIZE(hotspots));
    double shares = 0;
    count = pattern_tell_statements(hotspots, count, &result->profile);
    expect_hotspots(hotspots, count, 2);
    for (size_t i = 0; i < count; i++)
        shares += hotspots[i].share;
    CHECK(fabs(shares - 1) < 1e-12, "the shares add up to %g", shares);
}

/* The most frequent reason of the first line, and the one that grew against the base. */
static void expect_stall(void)
{
    const struct profile_line *line = &result->profile.list[0];
    const char *most = stall_commonest(line),
               *grown = stall_grown(&result->profile, line, has_base ? &base : NULL, has_base ? base.list : NULL);
    CHECK(strcmp(most ? most : "none", word(1)) == 0, "commonest: %s", most ? most : "none");
    CHECK(strcmp(grown ? grown : "none", word(2)) == 0, "grown: %s", grown ? grown : "none");
}

static void expect_roofline(void)
{
    const struct roofline *is = &explained()->roofline;
    const struct named_number numbers[] = {
        {"seconds", is->seconds},
        {"bytes", is->roofs[ROOF_DRAM].amount},
        {"rate", is->roofs[ROOF_DRAM].rate},
        {"dram", is->roofs[ROOF_DRAM].share},
        {"shared", is->roofs[ROOF_SHARED].share},
        {"fp64", is->roofs[ROOF_FP64].share},
        {"fp32", is->roofs[ROOF_FP32].share},
        {"fp16", is->roofs[ROOF_FP16].share},
        {"fp16_operations", is->roofs[ROOF_FP16].amount},
        {"flops", is->flops},
        {"compute", is->compute},
        {"intensity", is->intensity},
        {"stated_bytes", is->stated_bytes},
        {"stated_intensity", is->stated_intensity},
        {"balance", is->balance},
        {"share", is->share},
        {"dram_roof", roofline_roof(&made, ROOF_DRAM)},
        {"fp64_roof", roofline_roof(&made, ROOF_FP64)},
        {"shared_roof", roofline_roof(&made, ROOF_SHARED)},
    };
    expect_numbers(numbers, ARRAY_SIZE(numbers), 1);
}

static void expect_bound(void)
{
    const struct roofline *is = &explained()->roofline;
    CHECK(strcmp(roofline_bound_name(is->bound), word(1)) == 0, "bound by %s", roofline_bound_name(is->bound));
    CHECK(strcmp(roofline_bound_name(is->nearest), word(2)) == 0, "nearest: %s", roofline_bound_name(is->nearest));
    CHECK(isnan(is->share) == (is->nearest == ROOFLINE_UNKNOWN), "share %g", is->share);
}

static void expect_gap(void)
{
    char words[512];
    const char *gap = explained_gap_name(explained()->gap);
    explain_gap_words(&explanation, words, sizeof words);
    CHECK(strcmp(gap, word(1)) == 0 && strstr(words, word(2)), "%s: %s", gap, words);
}

/* Launches as which others are told, from 0 on. */
static void expect_same_as(void)
{
    NEED(explained()->launch_count == word_count - 1, "%zu launches", explanation.launch_count);
    for (size_t i = 1; i < word_count; i++)
        CHECK(explanation.launches[i - 1].same_as == whole(word(i)), "launch %zu", i - 1);
}

/* Writes patterns as NAME:TOTAL:PART:LINES, with a hyphen for what is not known. */
static void expect_patterns(void)
{
    for (size_t i = 1; i < word_count; i++) {
        const struct explained_pattern *one = &explained()->patterns[i - 1];
        OWNED_TEXT total = one->known ? x_sprintf("%g", one->total) : x_strdup("-"),
                   *part = isnan(one->part) ? x_strdup("-") : x_sprintf("%g", one->part);
        OWNED_TEXT is = x_sprintf("%s:%s:%s:%zu", one->pattern->name, total, part, one->hotspot_count);
        CHECK(strcmp(is, word(i)) == 0, "%s, not %s", is, word(i));
    }
    for (size_t i = word_count - 1; i < explained()->pattern_count; i++)
        CHECK(explanation.patterns[i].kind == EXPLAINED_PLAIN, "%s", explanation.patterns[i].pattern->name);
}

static void print_it(void)
{
    const bool is_json = strcmp(word(1), "json") == 0;
    const struct style style = {.verbose = strcmp(word(1), "verbose") == 0};
    explained();
    explanation.run_name = "run.json";
    explanation.replay = word_count > 2;
    PRINT(OWNED_TEXT, printed, stream, (is_json ? explain_json : explain_text)(&explanation, &style, stream));
    set_text(&page, printed);
}

DO(expect_said(void), expect_text_says(page));
DO(expect_not_said(void), expect_text_lacks(page));

static void forget(void)
{
    explain_release(&explanation);
    explanation = (struct explanation){0};
}

static void begin(void)
{
    made = (struct run){.device = {.compute_capability = x_strdup("9.0"), .sm_count = 100}};
    result = run_add(&made, "made/up");
    has_base = false;
}

static void end(void)
{
    forget();
    set_text(&page, NULL);
    run_release(&made);
    profile_release(&base);
    base = (struct profile){0};
}

static const struct case_command commands[] = {
    {"amount", expect_amount, true},
    {"blame", expect_pattern, true},
    {"bound", expect_bound, true},
    {"clear", clear_value, false},
    {"counted", set_counted, false},
    {"gap", expect_gap, true},
    {"known", expect_known, true},
    {"lacks", expect_not_said, true},
    {"launch", put_launch, false},
    {"line", put_line, false},
    {"lines", expect_lines, true},
    {"patterns", expect_patterns, true},
    {"print", print_it, true},
    {"roofline", expect_roofline, true},
    {"run", set_run, false},
    {"same_as", expect_same_as, true},
    {"sampled", set_sampled, false},
    {"says", expect_said, true},
    {"session", put_session, false},
    {"stall", expect_stall, true},
    {"stalls", put_stalls, false},
    {"statements", expect_statements, true},
    {"values", put_values_of_result, false},
};

Test(explain_cases, cases)
{
    static const struct language language = {commands, ARRAY_SIZE(commands), begin, forget, end};
    try_cases("tests/unit/explain/explain.txt", &language);
}
