#include "model/metric.h"
#include "test.h"

static int read_text(const char *text)
{
    OWNED(metrics) metrics = {0};
    cr_assert_eq(metrics_read_text(&metrics, "x.ini", text), 0);
    return metrics_check(&metrics);
}

REFUSED_TEXTS(metric, what_is_named_is_there, "tests/unit/model/metric.txt", read_text)

Test(metric, every_class_and_direction_has_words)
{
    for (enum metric_class class = 0; class < METRIC_CLASSES; class ++)
        cr_expect_not_null(metric_class_name(class));
    for (enum metric_better better = 0; better < METRIC_BETTERS; better++)
        cr_expect_not_null(metric_better_name(better));
}
