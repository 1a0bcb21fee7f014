#include "command/command.h"
#include "test.h"

static const struct options asked = {
    .kernels = "lib.so", .collector = "host", .devices = {{2}, 1, false}, .samples = 5, .timeout = 7, .quiet = true};

Test(options_measurement, a_command_line_says_how_to_measure)
{
    const struct metrics metrics = {0};
    struct measurement measurement;
    cr_assert_eq(options_measurement(&measurement, &asked, &metrics), 0);
    cr_expect_eq(measurement.backend, backend_find("host"));
    cr_expect_eq(measurement.metrics, &metrics);
    cr_expect_str_eq(measurement.kernels, "lib.so");
    cr_assert_eq(measurement.devices.count, 1);
    cr_expect_eq(measurement.devices.list[0], 2);
    cr_expect_eq(measurement.samples, 5);
    cr_expect_eq(measurement.timeout, 7);
    cr_expect_not(measurement.progress);
    cr_expect_eq(measurement.profile, 0);
}
