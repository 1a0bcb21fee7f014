/* roofline.h - how near a kernel came to the most that the GPU can do. Pure.
 *
 * All of it is of one launch of the variant (of all its kernels together), from the values of its rows and the roofs of
 * the run. What is not known is NaN, never 0:
 *
 *   seconds            time / 1e9
 *   amounts            dram    dram_bytes_read + dram_bytes_write, bytes
 *                      shared  shared_wavefronts
 *                      fp64    fp64_arithmetic + fp64_fused, operations: a fused multiply-add is two
 *                      fp32    likewise
 *                      fp16    likewise and twice that, since its instructions work on two values
 *   rate               amount / seconds
 *   share              rate / roof: 1 is all that the GPU can do
 *   flops              the operations of fp64, fp32 and fp16 together
 *   compute            the sum of the shares of fp64, fp32 and fp16; one without operations adds 0, roof or not
 *   intensity          flops / bytes
 *   issue              instructions / (SMs x ROOFLINE_SCHEDULERS x sm_cycles): of the slots in which an instruction can
 *                      be issued, those in which one was
 *   balance            the intensity at which this mix of operations and the device memory take equally long:
 *                      flops / (fp64 / its roof + fp32 / its roof + fp16 / its roof) / roof of dram
 */
#ifndef ROOFLINE_H
#define ROOFLINE_H

#include "model/model.h"

#define ROOFLINE_NEAR 0.6     /* from this share of a roof on, that roof is what holds the kernel */
#define ROOFLINE_SCHEDULERS 4 /* of an SM, from Volta on */

enum roofline_bound {
    ROOFLINE_UNKNOWN, /* no known share is near its roof, and one is not known */
    ROOFLINE_DRAM,
    ROOFLINE_SHARED,
    ROOFLINE_COMPUTE,
    ROOFLINE_ISSUE,
    ROOFLINE_LATENCY, /* nothing is near its roof: warps wait */
    ROOFLINE_BOUNDS
};

const char *roofline_bound_name(enum roofline_bound bound); /* "dram", "latency", "unknown", ... */

struct roof_share {
    double amount, rate, roof, share;
};

struct roofline {
    double seconds;
    struct roof_share roofs[ROOFS];
    double flops, compute;
    double instructions, issue;
    double intensity, balance;
    double stated_bytes, stated_flops, stated_intensity; /* what the kernel says that its problem needs */
    enum roofline_bound bound;
    enum roofline_bound nearest; /* the largest share that is known, of dram, shared, compute, issue; else unknown */
    double share;                /* that one */
};

void roofline_of(struct roofline *roofline, const struct run *run, const struct result *result);

/* The most that any session of the run showed; NaN when none measured it. */
double roofline_roof(const struct run *run, enum roof roof);

/* The rows that an amount is made of: the first or the second, NULL where there is none. */
const char *roofline_metric(enum roof roof, unsigned which);

/* The value of a row, NaN when it was not measured. */
double roofline_value(const struct result *result, const char *metric);

#endif
