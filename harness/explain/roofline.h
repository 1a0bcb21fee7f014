/* roofline.h - how near a kernel came to the peaks of the GPU. Pure.
 *
 * All numbers are of one launch of the variant (all its kernels together), from the values of its rows and the peaks in
 * the run. A number that is not known is NaN, never 0:
 *
 *   seconds            time / 1e9
 *   amounts            dram    dram_bytes_read + dram_bytes_write, bytes
 *                      shared  shared_wavefronts
 *                      fp64    fp64_arithmetic + fp64_fused, operations: a fused multiply-add is two
 *                      fp32    likewise
 *                      fp16    likewise and twice that, since its instructions work on two values
 *   rate               amount / seconds
 *   share              rate / roof: 1 is the peak of the GPU
 *   flops              the operations of fp64, fp32 and fp16 together
 *   compute            the sum of the shares of fp64, fp32 and fp16; one without operations adds 0, even without a roof
 *   intensity          flops / bytes
 *   issue              instructions / (SMs x ROOFLINE_SCHEDULERS x sm_cycles): the share of issue slots that were used
 *   balance            the intensity at which this mix of operations and the device memory take equally long:
 *                      flops / (fp64 / its roof + fp32 / its roof + fp16 / its roof) / roof of dram */
#pragma once

#include "model/model.h"

#define ROOFLINE_NEAR 0.6     /* a kernel is bound by a roof if its share is at least this */
#define ROOFLINE_SCHEDULERS 4 /* warp schedulers of an SM, from Volta on */

enum roofline_bound {
    ROOFLINE_UNKNOWN, /* no known share is near its roof, and at least one share is not known */
    ROOFLINE_DRAM,
    ROOFLINE_SHARED,
    ROOFLINE_COMPUTE,
    ROOFLINE_ISSUE,
    ROOFLINE_LATENCY, /* all shares are known and none is near its roof: warps wait */
    ROOFLINE_BOUNDS
};

const char *roofline_bound_name(enum roofline_bound bound); /* returns "dram", "latency", "unknown", ... */

struct roof_share {
    double amount, rate, roof, share;
};

struct roofline {
    double seconds;
    struct roof_share roofs[ROOFS];
    double flops, compute;
    double instructions, issue;
    double intensity, balance;
    double stated_bytes, stated_flops, stated_intensity; /* what the problem needs, as stated by the kernel library */
    enum roofline_bound bound;
    enum roofline_bound nearest; /* the largest known share among dram, shared, compute and issue; else unknown */
    double share;                /* the share of the nearest roof */
};

void roofline_of(struct roofline *roofline, const struct run *run, const struct result *result);

/* Returns the largest peak that any session of the run measured; NaN when none did. */
double roofline_roof(const struct run *run, enum roof roof);

/* Returns the name of a row that an amount is computed from: the first (which = 0) or the second; NULL where there is
 * none. */
const char *roofline_metric(enum roof roof, unsigned which);

/* Returns the value of a row; NaN when it was not measured. */
double roofline_value(const struct result *result, const char *metric);
