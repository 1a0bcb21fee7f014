#include "model/run.h"
#include "test.h"

static const char definitions[] =
    "[n]\ntitle = N\ncounter = n.sum\nunit = count\nclass = exact\nbetter = lower\ndoc = N.\n"
    "[share]\ntitle = S\ncounter = s.pct\nunit = %\nclass = exact\nbetter = higher\nweight = n\ndoc = S.\n"
    "[waits]\ntitle = W\ncounter = w.sum\nunit = count\nclass = exact\nbetter = lower\ndoc = W.\n";

static void put(struct result *result, const char *metric, const double *samples, size_t count)
{
    row_add_session(result_add(result, metric), samples, count);
}

static double sample(const struct result *result, const char *metric, size_t i)
{
    return result_find(result, metric)->sessions[0].samples[i];
}

Test(result_sums, launches_add_up_and_ratios_are_weighed)
{
    OWNED(metrics) metrics = {0};
    cr_assert_eq(metrics_read_text(&metrics, "test.ini", definitions), 0);
    OWNED(result) sum = {0}, light = {0}, heavy = {0};
    put(&light, "n", (double[]){10}, 1);
    put(&light, "share", (double[]){100}, 1);
    put(&heavy, "n", (double[]){1000, 990, 1010}, 3); /* between bounds */
    put(&heavy, "share", (double[]){50}, 1);
    cr_expect(result_counts_alike(&light, &light));
    cr_expect_not(result_counts_alike(&light, &heavy));
    for (size_t i = 0; i < 98; i++)
        result_add_up(&sum, &heavy, &metrics);
    for (size_t i = 0; i < 2; i++)
        result_add_up(&sum, &light, &metrics);
    cr_expect_eq(sample(&sum, "n", 0), 98020);
    cr_expect_eq(sample(&sum, "n", 1), 97040);
    cr_expect_eq(sample(&sum, "n", 2), 99000);
    result_divide(&sum, &metrics, 100);
    cr_expect_eq(sample(&sum, "n", 0), 980.2);
    cr_expect_float_eq(sample(&sum, "share", 0), 50 + 50 * 20 / 98020., 1e-6);
}

/* Where one launch waits and the other does not, all of the other is outside of waits. */
Test(result_sums, a_launch_without_waits_is_outside_of_them)
{
    OWNED(metrics) metrics = {0};
    static const char counts[] =
        "[i]\ntitle = I\ncounter = smsp__inst_executed.sum\nunit = count\nclass = exact\nbetter = lower\ndoc = I.\n"
        "[o]\ntitle = O\ncounter = cugate.instructions_outside_waits\nunit = count\nclass = exact\nbetter = lower\n"
        "doc = O.\n";
    cr_assert_eq(metrics_read_text(&metrics, "test.ini", counts), 0);
    for (int first = 0; first < 2; first++) {
        OWNED(result) sum = {0}, waits = {0}, other = {0};
        put(&waits, "i", (double[]){100}, 1);
        put(&waits, "o", (double[]){60}, 1);
        put(&other, "i", (double[]){30}, 1);
        result_add_up(&sum, first ? &other : &waits, &metrics);
        result_add_up(&sum, first ? &waits : &other, &metrics);
        EXPECT_ALL(sample(&sum, "i", 0) == 130, sample(&sum, "o", 0) == 90);
    }
}

/* What one launch did not count, or only one has, is not counted in all. */
Test(result_sums, what_is_open_in_one_launch_is_open_in_all)
{
    OWNED(metrics) metrics = {0};
    cr_assert_eq(metrics_read_text(&metrics, "test.ini", definitions), 0);
    OWNED(result) sum = {0}, counted = {0}, open = {0};
    put(&counted, "n", (double[]){10}, 1);
    put(&counted, "waits", (double[]){1}, 1);
    struct row *row = result_add(&open, "n");
    row->state = VALUE_NOT_COUNTED;
    row->reason = x_strdup("made up");
    for (int i = 0; i < 2; i++) {
        result_add_up(&sum, i == 0 ? &counted : &open, &metrics);
        cr_expect_eq(result_find(&sum, "n")->state, i == 0 ? VALUE_MEASURED : VALUE_NOT_COUNTED);
    }
    cr_expect_str_eq(result_find(&sum, "n")->reason, "made up");
    cr_expect_eq(result_find(&sum, "waits")->state, VALUE_NOT_COUNTED);
}
