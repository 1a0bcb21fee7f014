#include "explain/roofline.h"
#include "test.h"

#include <float.h>

/* Numbers from a file may be anything but NaN or negative. */
Test(roofline, numbers_beyond_measure_become_none)
{
    static const double odd[] = {0, DBL_MIN, 5e-324, 0x1p63, DBL_MAX};
    for (size_t time = 0; time < ARRAY_SIZE(odd); time++)
        for (size_t amount = 0; amount < ARRAY_SIZE(odd); amount++)
            for (size_t roof = 0; roof < ARRAY_SIZE(odd); roof++) {
                OWNED(run) run = {0};
                struct roofline roofline;
                struct result *result = run_add(&run, "made/up");
                ARRAY_GROW(run.sessions, run.session_count);
                set_value(result, "time", odd[time]);
                for (enum roof r = 0; r < ROOFS; r++) {
                    run.sessions[0].roofs[r] = odd[roof];
                    for (unsigned k = 0; roofline_metric(r, k); k++)
                        set_value(result, roofline_metric(r, k), odd[amount]);
                }
                roofline_of(&roofline, &run, result);
                const double all[] = {roofline.seconds,         roofline.flops,         roofline.compute,
                                      roofline.intensity,       roofline.balance,       roofline.share,
                                      roofline.roofs[0].amount, roofline.roofs[0].rate, roofline.roofs[0].roof,
                                      roofline.roofs[0].share};
                for (size_t i = 0; i < ARRAY_SIZE(all); i++)
                    cr_expect(!isinf(all[i]) && !(all[i] < 0), "%zu %zu %zu: number %zu is %g", time, amount, roof, i,
                              all[i]);
                if (odd[time] == 0)
                    EXPECT_ALL(isnan(roofline.share), roofline.bound == ROOFLINE_UNKNOWN);
            }
}
