/* mufu_tables.h - the tables of the special function unit, which MUFU reads.
 *
 * A function is cut into parts by the upper bits of its argument. Within a part it is a polynomial of second degree of
 * the lower bits, in fixed point, as Oberman and Siu describe ("A High-Performance Area-Efficient Multifunction
 * Interpolator", ARITH 2005). What is not in their paper was found from results of an H100 (driver 580.159.04, CUDA
 * 13.0, 2026-11-26) for all arguments, which da8e4bc7:tests/gpu/mufu.sh prints: the parts, the square that lacks its
 * lowest columns, and these coefficients. Other coefficients may give the same results; these are the least that do. */
#pragma once

#include <stdint.h>

/* c0 + c1 * x + c2 * square(x), where x has 17 bits and square(x) is about x^2 / 2^19, is the value of a function in
 * units of 2^-17 of its last place. */
struct quadratic {
    int64_t c0;
    int32_t c1, c2;
};

/* The last place is 2^-24 for rcp, rsq, sin and tanh, and 2^-23 for sqrt, ex2 and lg2. From rcp, rsq, sqrt and ex2 the
 * least value of the binade of results is taken away: what remains is a fraction of a float. */
extern const struct quadratic mufu_rcp[128], mufu_rsq[128], mufu_sqrt[128], mufu_ex2[64], mufu_lg2[64], mufu_sin[64],
    mufu_tanh[51];
