#include "model/model.h"
#include "test.h"

static double balance(unsigned blocks, long long sms)
{
    struct launch launch = {.grid = {blocks, 1, 1}, .block = {64, 2, 1}, .times = 1};
    const struct result result = {.launches = &launch, .launch_count = 1};
    return grid_balance(&result, sms);
}

Test(grid_balance, blocks_against_the_sm_that_has_most)
{
    cr_expect_float_eq(balance(64, 132), 100.0 * 64 / 132, 1e-12);
    cr_expect_eq(balance(132, 132), 100);
    cr_expect_float_eq(balance(133, 132), 100.0 * 133 / 264, 1e-12);
    cr_expect_float_eq(balance(1057, 132), 100.0 * 1057 / 1188, 1e-12);
    cr_expect_eq(balance(132 * 32 + 1, 132), 100, "97 % are as good as even");
}

Test(grid_balance, launches_count_by_their_threads)
{
    struct launch launches[] = {{.grid = {8, 1, 1}, .block = {256, 1, 1}, .times = 3},
                                {.grid = {1, 1, 1}, .block = {32, 1, 1}, .times = 1}};
    const struct result result = {.launches = launches, .launch_count = 2};
    const double large = 3 * 8 * 256, small = 32;
    cr_expect_eq(grid_balance(&result, 8), 100 * (large + small) / (large + 8 * small) >= GRID_BALANCE_EVEN
                                               ? 100
                                               : 100 * (large + small) / (large + 8 * small));
    launches[1].times = 100;
    cr_expect_float_eq(grid_balance(&result, 8), 100 * (large + 100 * small) / (large + 800 * small), 1e-9);
}

Test(grid_balance, what_is_not_known_has_none)
{
    struct launch launch = {.times = 1};
    const struct result none = {0}, unknown = {.launches = &launch, .launch_count = 1};
    cr_expect(isnan(grid_balance(&none, 132)));
    cr_expect(isnan(grid_balance(&unknown, 132)));
    cr_expect(isnan(balance(64, 0)));
}
