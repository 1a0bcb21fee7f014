#include "report_support.h"
#include "test.h"

Test(report_json, json_says_what_was_judged)
{
    for (size_t i = 0; i < fixture_run_count; i++) {
        AT_END(report_tear_down) struct fixture fixture = report_set_up(fixture_runs[i]);
        judge(&fixture);
        OWNED_TEXT text = print(&fixture.report, report_json);
        json_error_t where;
        json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &where);
        cr_assert_not_null(root, "%s: line %d: %s", fixture_runs[i], where.line, where.text);
        cr_expect_eq(json_integer_value(json_object_get(root, "schema")), 1);
        cr_expect_eq(json_integer_value(json_object_get(root, "exit_code")), (json_int_t)fixture.report.exit_code);
        cr_expect(json_is_null(json_object_get(root, "replay")));

        const struct comparison *comparison = &fixture.comparison;
        const json_t *list = json_object_get(root, "judgements");
        cr_assert_eq(json_array_size(list), comparison->count);
        for (size_t j = 0; j < comparison->count; j++) {
            const struct judgement *judgement = &comparison->list[j];
            const json_t *object = json_array_get(list, j);
            const json_t *base = json_object_get(object, "base"), *now = json_object_get(object, "now");
            cr_expect_eq(json_object_size(object), 27u);
            cr_expect_str_eq(json_string_value(json_object_get(object, "kernel")), judgement->kernel);
            cr_expect_str_eq(json_string_value(json_object_get(object, "verdict")), verdict_name(judgement->verdict));
            cr_expect_eq(json_is_null(base), !judgement->has_base, "what has no value is null, never 0");
            cr_expect_eq(json_is_null(now), !judgement->has_now);
            if (judgement->has_now)
                cr_expect_eq(json_number_value(now), judgement->now);
        }
        const json_t *counts = json_object_get(root, "counts");
        for (int v = 0; v < VERDICTS; v++)
            cr_expect_eq(json_integer_value(json_object_get(counts, verdict_name((enum verdict)v))),
                         (json_int_t)comparison->counts[v]);
        json_decref(root);
    }
}

Test(report_json, json_without_a_baseline)
{
    AT_END(report_tear_down) struct fixture fixture = report_set_up("broken.json");
    alone(&fixture, EXIT_NOT_MEASURED);
    fixture.report.replay = true;
    OWNED_TEXT text = print(&fixture.report, report_json);
    json_t *root = json_loads(text, 0, NULL);
    cr_assert_not_null(root);
    cr_expect_str_eq(json_string_value(json_object_get(root, "verdict")), "not measured");
    cr_expect_str_eq(json_string_value(json_object_get(root, "replay")), "run.json");
    cr_expect(json_is_null(json_object_get(root, "counts")));
    cr_expect_eq(json_array_size(json_object_get(root, "judgements")), 0u);
    cr_expect_eq(json_array_size(json_object_get(root, "failures")), 4u);
    json_decref(root);
}

Test(report_json, json_ties_a_report_to_the_sessions_of_its_run)
{
    AT_END(report_tear_down) struct fixture fixture = report_set_up("same.json");
    run_add_session(&fixture.run, &(struct session){.facts = {[SESSION_GPU_UUID] = (char[]){"\"\x1b\xff"}}});
    judge(&fixture);
    OWNED_TEXT text = print(&fixture.report, report_json);
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    const json_t *list = json_object_get(root, "sessions");
    cr_assert_eq(json_array_size(list), fixture.run.session_count);
    for (size_t i = 0; i < fixture.run.session_count; i++)
        for (enum session_fact fact = 0; fact < SESSION_FACTS; fact++) {
            const json_t *value = json_object_get(json_array_get(list, i), session_fact_name(fact));
            const char *known = fixture.run.sessions[i].facts[fact];
            if (known && is_utf8(known))
                cr_expect_str_eq(json_string_value(value), known);
            else
                cr_expect(known ? json_is_string(value) : json_is_null(value), "%s", session_fact_name(fact));
        }
    json_decref(root);
}
