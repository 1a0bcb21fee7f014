#include "gate/check_parts.h"
#include "test.h"

struct side {
    unsigned registers, shared, bound;
};

static void make(struct run *run, const struct side *of)
{
    run->device = (struct device){.name = x_strdup("sm"), .compute_capability = x_strdup("9.0")};
    ARRAY_GROW(run->sessions, run->session_count)->facts[SESSION_COLLECTOR] =
        x_strdup(origin_of(ORIGIN_FILES)->collector);
    struct result *result = run_add(run, "a/b");
    *ARRAY_GROW(result->launches, result->launch_count) =
        (struct launch){.function = x_strdup("f"),
                        .has_machine = true,
                        .machine = {.registers = of->registers, .shared_bytes = of->shared, .max_threads = of->bound}};
    result_add(result, "theoretical_occupancy")->state = VALUE_NOT_APPLICABLE;
}

static struct side side_of(const char **text)
{
    const unsigned registers = (unsigned)leading_number(text), shared = (unsigned)leading_number(text);
    return (struct side){registers, shared, (unsigned)leading_number(text)};
}

static void expect_blocks(const char *where, const char *text, const char *words)
{
    const struct side was = side_of(&text), is = side_of(&text);
    OWNED(metrics) metrics;
    cr_assert_eq(metrics_read_folder(&metrics, "metrics"), 0);
    OWNED(run) base = {0}, now = {0};
    OWNED(comparison) comparison = {0};
    make(&base, &was);
    make(&now, &is);
    check_settle_blocks(&base, &now, &metrics, true);
    compare_runs(&comparison, &base, &now, &metrics, NULL);
    check_settle_blocks(&base, &now, &metrics, false);
    cr_assert_eq(comparison.count, 1, "%s", where);
    const struct judgement *row = comparison.list;
    OWNED_TEXT said = x_sprintf("%s %s", verdict_name(row->verdict), row->reason ? row->reason : "");
    cr_expect(strncmp(said, words, strcspn(words, " ")) == 0 && strstr(said, words + strcspn(words, " ")), "%s: %s",
              where, said);
    cr_expect_eq(now.results[0].rows[0].state, VALUE_NOT_APPLICABLE, "%s: no file may have it", where);
}

TEXTS(check_blocks, occupancy_is_judged_for_what_the_code_allows, "tests/unit/gate/check_blocks.txt", expect_blocks)
