#include "roofline.h"

static const char *const bound_names[ROOFLINE_BOUNDS] = {
    [ROOFLINE_UNKNOWN] = "unknown", [ROOFLINE_DRAM] = "dram",   [ROOFLINE_SHARED] = "shared",
    [ROOFLINE_COMPUTE] = "compute", [ROOFLINE_ISSUE] = "issue", [ROOFLINE_LATENCY] = "latency",
};

const char *roofline_bound_name(enum roofline_bound bound)
{
    return bound_names[bound];
}

/* Returns NaN for a number that is not finite: a quotient of extreme numbers from a file may be such a one. */
static double known(double number)
{
    return isfinite(number) ? number : NAN;
}

double roofline_value(const struct result *result, const char *metric)
{
    return known(result_value(result, metric));
}

double roofline_roof(const struct run *run, enum roof roof)
{
    double max = 0;
    for (size_t i = 0; i < run->session_count; i++)
        if (run->sessions[i].roofs[roof] > max)
            max = run->sessions[i].roofs[roof];
    return max > 0 ? known(max) : NAN;
}

/* How the amount under each roof is computed: the sum of the rows times the factor. */
static const struct {
    const char *metrics[2];
    double factor;
} amounts[ROOFS] = {
    [ROOF_DRAM] = {{"dram_bytes_read", "dram_bytes_write"}, 1}, [ROOF_SHARED] = {{"shared_wavefronts", NULL}, 1},
    [ROOF_FP64] = {{"fp64_arithmetic", "fp64_fused"}, 1},       [ROOF_FP32] = {{"fp32_arithmetic", "fp32_fused"}, 1},
    [ROOF_FP16] = {{"fp16_arithmetic", "fp16_fused"}, 2},
};

const char *roofline_metric(enum roof roof, unsigned which)
{
    return which < ARRAY_SIZE(amounts[roof].metrics) ? amounts[roof].metrics[which] : NULL;
}

static double amount_of(const struct result *result, enum roof roof)
{
    double amount = 0;
    const char *metric;
    for (unsigned i = 0; (metric = roofline_metric(roof, i)); i++)
        amount += roofline_value(result, metric);
    return known(amount * amounts[roof].factor);
}

static struct roof_share share_of(double amount, double seconds, double roof)
{
    const double rate = known(amount / seconds);
    return (struct roof_share){.amount = amount, .rate = rate, .roof = roof, .share = known(rate / roof)};
}

/* Combines the three kinds of arithmetic. */
static void add_compute(struct roofline *roofline)
{
    double seconds = 0; /* how long the operations would take at their peaks */
    roofline->flops = roofline->compute = 0;
    for (enum roof roof = ROOF_FP64; roof <= ROOF_FP16; roof++) {
        const struct roof_share *kind = &roofline->roofs[roof];
        const bool none = kind->amount == 0;
        roofline->flops += kind->amount;
        roofline->compute += none ? 0 : kind->share;
        seconds += none ? 0 : kind->amount / kind->roof;
    }
    roofline->flops = known(roofline->flops);
    roofline->compute = known(roofline->compute);
    if (isnan(roofline->seconds))
        roofline->compute = NAN;
    roofline->balance = known(roofline->flops / seconds / roofline->roofs[ROOF_DRAM].roof);
}

static void find_bound(struct roofline *roofline)
{
    const struct {
        enum roofline_bound bound;
        double share;
    } all[] = {
        {ROOFLINE_DRAM, roofline->roofs[ROOF_DRAM].share},
        {ROOFLINE_SHARED, roofline->roofs[ROOF_SHARED].share},
        {ROOFLINE_COMPUTE, roofline->compute},
        {ROOFLINE_ISSUE, roofline->issue},
    };
    bool whole = true;
    roofline->nearest = ROOFLINE_UNKNOWN;
    roofline->share = NAN;
    for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
        if (isnan(all[i].share)) {
            whole = false;
        } else if (roofline->nearest == ROOFLINE_UNKNOWN || all[i].share > roofline->share) {
            roofline->nearest = all[i].bound;
            roofline->share = all[i].share;
        }
    }
    roofline->bound = roofline->share >= ROOFLINE_NEAR ? roofline->nearest
                      : whole                          ? ROOFLINE_LATENCY
                                                       : ROOFLINE_UNKNOWN;
}

void roofline_of(struct roofline *roofline, const struct run *run, const struct result *result)
{
    const double seconds = roofline_value(result, "time") * 1e-9;
    *roofline = (struct roofline){
        .seconds = seconds > 0 ? seconds : NAN,
        .stated_bytes = result->bytes > 0 ? known(result->bytes) : NAN,
        .stated_flops = result->flops > 0 ? known(result->flops) : NAN,
    };
    for (enum roof roof = 0; roof < ROOFS; roof++)
        roofline->roofs[roof] = share_of(amount_of(result, roof), roofline->seconds, roofline_roof(run, roof));
    add_compute(roofline);
    const double slots = (double)run->device.sm_count * ROOFLINE_SCHEDULERS * roofline_value(result, "sm_cycles");
    roofline->instructions = roofline_value(result, "instructions");
    roofline->issue = slots > 0 ? known(roofline->instructions / slots) : NAN;
    roofline->intensity = known(roofline->flops / roofline->roofs[ROOF_DRAM].amount);
    roofline->stated_intensity = known(roofline->stated_flops / roofline->stated_bytes);
    find_bound(roofline);
}
