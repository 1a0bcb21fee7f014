#include "explain/roofline.h"
#include "test.h"

#include <float.h>

/* Makes a run of one kernel without rows, on a GPU with simple peaks: 1 TB/s, 1e9 wavefronts/s, 1, 2 and 4 TFLOP/s. */
static struct result *make(struct run *run)
{
    *run = (struct run){0};
    struct session *session = ARRAY_GROW(run->sessions, run->session_count);
    session->roofs[ROOF_DRAM] = 1e12;
    session->roofs[ROOF_SHARED] = 1e9;
    session->roofs[ROOF_FP64] = 1e12;
    session->roofs[ROOF_FP32] = 2e12;
    session->roofs[ROOF_FP16] = 4e12;
    return run_add(run, "made/up");
}

/* The kernel takes 1 us, moves 0.5 of 1 MB, and makes 100 of 1,000 wavefronts. In units of 100,000 operations it does 1
 * + 2 of 10, 1 + 3 of 20, 2 x (1 + 1) of 40. */
static struct result *fill(struct run *run)
{
    struct result *result = make(run);
    result->bytes = 250000;
    result->flops = 500000;
    set_value(result, "time", 1000);
    set_value(result, "dram_bytes_read", 400000);
    set_value(result, "dram_bytes_write", 100000);
    set_value(result, "shared_wavefronts", 100);
    set_value(result, "fp64_arithmetic", 100000);
    set_value(result, "fp64_fused", 200000);
    set_value(result, "fp32_arithmetic", 100000);
    set_value(result, "fp32_fused", 300000);
    set_value(result, "fp16_arithmetic", 100000);
    set_value(result, "fp16_fused", 100000);
    return result;
}

static void expect_near(double found, double expected, const char *what)
{
    cr_expect(isnan(expected) ? isnan(found) : fabs(found - expected) <= 1e-9 * fabs(expected), "%s: %.12g, not %.12g",
              what, found, expected);
}

Test(roofline, the_formulas)
{
    OWNED(run) run;
    struct roofline roofline;
    roofline_of(&roofline, &run, fill(&run));
    expect_near(roofline.seconds, 1e-6, "seconds");
    expect_near(roofline.roofs[ROOF_DRAM].amount, 500000, "bytes");
    expect_near(roofline.roofs[ROOF_DRAM].rate, 5e11, "bytes a second");
    expect_near(roofline.roofs[ROOF_DRAM].share, 0.5, "dram");
    expect_near(roofline.roofs[ROOF_SHARED].share, 0.1, "shared");
    expect_near(roofline.roofs[ROOF_FP64].share, 0.3, "fp64");
    expect_near(roofline.roofs[ROOF_FP32].share, 0.2, "fp32");
    expect_near(roofline.roofs[ROOF_FP16].amount, 400000, "fp16 operations");
    expect_near(roofline.roofs[ROOF_FP16].share, 0.1, "fp16");
    expect_near(roofline.flops, 1100000, "flops");
    expect_near(roofline.compute, 0.6, "compute");
    expect_near(roofline.intensity, 2.2, "intensity");
    expect_near(roofline.stated_intensity, 2, "stated intensity");
    expect_near(roofline.balance, 1100000 / 6e-7 / 1e12, "balance");
    cr_expect_eq(roofline.nearest, ROOFLINE_COMPUTE);
}

/* A kernel with given shares of the peaks. */
struct shares {
    double dram, shared, fp64, issue;
    enum roofline_bound bound, nearest;
};

Test(roofline, the_largest_share_binds_when_it_is_near_its_roof)
{
    static const struct shares cases[] = {
        {0.93, 0.1, 0.1, 0, ROOFLINE_DRAM, ROOFLINE_DRAM},
        {0.61, 0.8, 0.7, 0, ROOFLINE_SHARED, ROOFLINE_SHARED},
        {0.1, 0.1, 1.4, 0, ROOFLINE_COMPUTE, ROOFLINE_COMPUTE},
        {0.59, 0.1, 0.1, 0, ROOFLINE_LATENCY, ROOFLINE_DRAM},
        {0, 0, 0, 0, ROOFLINE_LATENCY, ROOFLINE_DRAM},
        {0.9, NAN, NAN, 0, ROOFLINE_DRAM, ROOFLINE_DRAM}, /* DRAM is near its peak, whatever the unknown shares are */
        {0.3, NAN, 0.1, 0, ROOFLINE_UNKNOWN, ROOFLINE_DRAM},
        {NAN, 0.2, 0.4, 0, ROOFLINE_UNKNOWN, ROOFLINE_COMPUTE},
        {NAN, NAN, NAN, NAN, ROOFLINE_UNKNOWN, ROOFLINE_UNKNOWN},
        {0.3, 0.2, 0.1, 0.9, ROOFLINE_ISSUE, ROOFLINE_ISSUE},
        {0.3, 0.2, 0.1, 0.5, ROOFLINE_LATENCY, ROOFLINE_ISSUE},
        {0.3, 0.2, 0.1, NAN, ROOFLINE_UNKNOWN, ROOFLINE_DRAM},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        OWNED(run) run;
        struct roofline roofline;
        struct result *result = make(&run);
        const double amounts[] = {cases[i].dram * 1e6, cases[i].shared * 1e3, cases[i].fp64 * 1e6, 0, 0};
        set_value(result, "time", 1000);
        run.device.sm_count = 100;
        set_value(result, "sm_cycles", 1000);
        if (!isnan(cases[i].issue))
            set_value(result, "instructions", cases[i].issue * 100 * ROOFLINE_SCHEDULERS * 1000);
        for (enum roof roof = 0; roof < ROOFS; roof++)
            for (unsigned k = 0; !isnan(amounts[roof]) && roofline_metric(roof, k); k++)
                set_value(result, roofline_metric(roof, k), k ? 0 : amounts[roof]);
        roofline_of(&roofline, &run, result);
        cr_expect_eq(roofline.bound, cases[i].bound, "case %zu: %s", i, roofline_bound_name(roofline.bound));
        cr_expect_eq(roofline.nearest, cases[i].nearest, "case %zu: %s", i, roofline_bound_name(roofline.nearest));
        cr_expect_eq(isnan(roofline.share), cases[i].nearest == ROOFLINE_UNKNOWN, "case %zu", i);
    }
}

Test(roofline, what_is_not_known_is_no_number)
{
    OWNED(run) run;
    struct roofline roofline;
    struct result *result = fill(&run);
    result_find(result, "dram_bytes_write")->state = VALUE_NOT_COUNTED;
    row_clear(result_find(result, "fp32_fused"));
    result->bytes = 0;
    roofline_of(&roofline, &run, result);
    cr_expect(isnan(roofline.roofs[ROOF_DRAM].amount));
    cr_expect(isnan(roofline.roofs[ROOF_DRAM].share));
    cr_expect(isnan(roofline.flops));
    cr_expect(isnan(roofline.compute));
    cr_expect(isnan(roofline.intensity));
    cr_expect(isnan(roofline.stated_bytes));
    cr_expect(isnan(roofline.stated_intensity));
    expect_near(roofline.roofs[ROOF_FP64].share, 0.3, "fp64");
}

Test(roofline, a_kind_without_operations_needs_no_roof)
{
    OWNED(run) run;
    struct roofline roofline;
    struct result *result = fill(&run);
    run.sessions[0].roofs[ROOF_FP16] = 0;
    roofline_of(&roofline, &run, result);
    cr_expect(isnan(roofline.compute));
    set_value(result, "fp16_arithmetic", 0);
    set_value(result, "fp16_fused", 0);
    roofline_of(&roofline, &run, result);
    expect_near(roofline.compute, 0.5, "compute");
    expect_near(roofline.flops, 700000, "flops");
}

Test(roofline, a_roof_is_the_most_of_all_sessions)
{
    OWNED(run) run;
    (void)make(&run);
    struct session *more = ARRAY_GROW(run.sessions, run.session_count);
    more->roofs[ROOF_DRAM] = 3e12;
    more->roofs[ROOF_FP64] = 5e11;
    expect_near(roofline_roof(&run, ROOF_DRAM), 3e12, "dram");
    expect_near(roofline_roof(&run, ROOF_FP64), 1e12, "fp64");
    run.sessions[0].roofs[ROOF_SHARED] = 0;
    expect_near(roofline_roof(&run, ROOF_SHARED), NAN, "shared");
}

/* Numbers from a file may be anything but NaN or negative. */
Test(roofline, numbers_beyond_measure_become_none)
{
    static const double odd[] = {0, DBL_MIN, 5e-324, 0x1p63, DBL_MAX};
    for (size_t time = 0; time < ARRAY_SIZE(odd); time++)
        for (size_t amount = 0; amount < ARRAY_SIZE(odd); amount++)
            for (size_t roof = 0; roof < ARRAY_SIZE(odd); roof++) {
                OWNED(run) run;
                struct roofline roofline;
                struct result *result = make(&run);
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
                    cr_expect(isnan(roofline.share) && roofline.bound == ROOFLINE_UNKNOWN);
            }
}
