#include "judge/distribution.h"
#include "test.h"

#define EXPECT_NEAR(is, expected) cr_expect_lt(fabs((is) - (expected)), 1e-9 * fabs(expected), "%.12g", is)

/* Of one and two degrees of freedom the tail is a closed formula. */
Test(distribution, tails_of_student)
{
    EXPECT_NEAR(student_above(1, 1), 0.25);
    EXPECT_NEAR(student_above(-1, 1), 0.75);
    EXPECT_NEAR(student_above(0, 7), 0.5);
    EXPECT_NEAR(student_above(3, 2), (1 - 3 / sqrt(11)) / 2);
    EXPECT_NEAR(student_above(1e6, 1), atan(1e-6) / M_PI);
}

Test(distribution, quantiles_are_where_the_tail_is)
{
    EXPECT_NEAR(student_quantile(0.025, 1), tan(M_PI * 0.475));
    EXPECT_NEAR(student_quantile(1e-3, 2), 22.327124770119876);
    static const double freedoms[] = {0.5, 1, 1.5, 9, 250.25}, chances[] = {1e-8, 1e-3, 0.3};
    for (size_t f = 0; f < sizeof freedoms / sizeof *freedoms; f++)
        for (size_t c = 0; c < sizeof chances / sizeof *chances; c++)
            EXPECT_NEAR(student_above(student_quantile(chances[c], freedoms[f]), freedoms[f]), chances[c]);
}

Test(distribution, coins)
{
    EXPECT_NEAR(heads_at_least(0, 5), 1.0);
    EXPECT_NEAR(heads_at_least(5, 5), 1.0 / 32);
    EXPECT_NEAR(heads_at_least(13, 14), 15.0 / 16384);
    cr_expect_eq(heads_at_least(6, 5), 0);
}

Test(distribution, deviations)
{
    EXPECT_NEAR(deviation_about((const double[]){2, 4, 4, 4, 5, 5, 7, 9}, 8, 5), sqrt(32.0 / 7));
    cr_expect_eq(deviation_about((const double[]){3, 3}, 2, 3), 0);
}
