#include "grid_balance.h"

double grid_balance(const struct result *result, long long sm_count)
{
    const double sms = (double)sm_count;
    double threads = 0, most = 0;
    EACH(const struct launch, launch, result->launches, result->launch_count) {
        const double blocks = (double)launch->grid[0] * launch->grid[1] * launch->grid[2];
        const double weight = (double)launch->block[0] * launch->block[1] * launch->block[2] * (double)launch->times;
        if (blocks <= 0 || weight <= 0)
            return NAN; /* nobody says how large the launch is */
        threads += weight * blocks;
        most += sms > 0 ? weight * sms * ceil(blocks / sms) : 0;
    }
    const double percent = most > 0 ? 100 * threads / most : NAN;
    return percent >= GRID_BALANCE_EVEN ? 100 : percent;
}
