#include "model/computed_counters.h"
#include "test.h"

static struct metric metric_of(const char *counter)
{
    return (struct metric){.counter = (char *)(uintptr_t)counter};
}

Test(computed_counters, every_row_is_found_by_its_name)
{
    const char *names[COMPUTED_COUNTERS];
    const size_t count = computed_counter_names(names, ARRAY_SIZE(names));
    cr_assert_eq(count, COMPUTED_COUNTERS - 1);
    for (size_t i = 0; i < count; i++) {
        const struct metric metric = metric_of(names[i]);
        cr_expect_eq((size_t)computed_counter_of(&metric), i + 1);
        cr_expect(strncmp(names[i], "cugate.", 7) == 0, "%s", names[i]);
    }
}

Test(computed_counters, each_is_filled_in_from_one_source)
{
    static const struct {
        const char *counter;
        enum metric_source source;
        bool on_demand;
    } rows[] = {
        {"gpu__time_duration.sum", SOURCE_SAMPLES, false}, {"", SOURCE_SAMPLES, false},
        {"cugate.bandwidth", SOURCE_RUN, false},           {"cugate.registers", SOURCE_CODE, false},
        {"cugate.excess_wavefronts", SOURCE_RUN, true},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct metric metric = metric_of(rows[i].counter);
        cr_expect_eq(metric_source(&metric), rows[i].source, "%s", rows[i].counter);
        cr_expect_eq(metric_is_on_demand(&metric), rows[i].on_demand, "%s", rows[i].counter);
    }
}
