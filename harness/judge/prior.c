#include "prior.h"

enum kind { LIBRARY, PROGRAM };

/* Fitted on two days, whose sessions tests/selftest does not judge by it:
 *
 *   libraries: 65 sessions of 63 kernels on 11 H200s and an H100, 2026-11-22 and 23: tests/data/second-day-*,
 * third-day-*, all-kernels-*, sessions-nvidia-h100-* programs:  11 sessions of a training in PyTorch on 4 H200s,
 * 2026-11-22: tests/data/exec-nvidia-h200
 *
 * all by driver 580.159.04 and CUDA 13.0. Each row of a GPU gives a variance of its sessions; a time is first cleared
 * of its session's common shift. Mean and variance of ln(s^2) give deviation and freedom, as limma's squeezeVar does,
 * but spreads below a thirtieth of the floor count as that, since the floor hides them. (A tenth and a twentieth were
 * tried; how often sessions of 2026-11-21 crossed the limits was looked at before the choice.) The freedom of times is
 * common to all durations. In points, where four spreads of five are nothing, the quantiles 0.9 and 0.99 give both.
 * Traffic and ratios of a program depend on what ran before: nothing is said of them.
 *
 * To add a band: a row, above those of longer times. */
static const struct {
    enum kind kind;
    enum metric_class class;
    const char *unit;
    double below; /* values up to this; for times in ns */
    double share; /* the deviation, as a share of the value; in points for % */
    double freedom;
} table[] = {
    {LIBRARY, METRIC_TIME, "ns", 10e3, 0.0040, 3.2},      {LIBRARY, METRIC_TIME, "ns", 100e3, 0.0032, 3.2},
    {LIBRARY, METRIC_TIME, "ns", 1e6, 0.0014, 3.2},       {LIBRARY, METRIC_TIME, "ns", HUGE_VAL, 0.0009, 3.2},
    {LIBRARY, METRIC_STEADY, "B", HUGE_VAL, 0.0003, 2.3}, {LIBRARY, METRIC_STEADY, "count", HUGE_VAL, 0.0010, 0.9},
    {LIBRARY, METRIC_STEADY, "%", HUGE_VAL, 0.035, 1.7},  {PROGRAM, METRIC_TIME, "ns", 10e3, 0.0072, 2.3},
    {PROGRAM, METRIC_TIME, "ns", HUGE_VAL, 0.0041, 2.3},
};

/* Whether a GPU's clock takes the time. Copies by the host's clock differed by 48 % between sessions. */
static bool is_by_host(const struct metric *metric)
{
    return metric->class == METRIC_TIME && !metric->clock && computed_counter_of(metric) != COMPUTED_GPU_TIME &&
           computed_counter_of(metric) != COMPUTED_BUSY_TIME && computed_counter_of(metric) != COMPUTED_COMPUTING;
}

struct prior prior_of(const struct metric *metric, double value, bool program)
{
    const enum kind kind = program ? PROGRAM : LIBRARY;
    for (size_t i = 0; i < ARRAY_SIZE(table) && !is_by_host(metric); i++)
        if (table[i].kind == kind && table[i].class == metric->class && strcmp(table[i].unit, metric->unit) == 0 &&
            fabs(value) < table[i].below)
            return (struct prior){table[i].share * (strcmp(metric->unit, "%") == 0 ? 1 : fabs(value)),
                                  table[i].freedom};
    return (struct prior){0, 0};
}
