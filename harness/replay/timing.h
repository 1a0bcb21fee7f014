/* timing.h - what a chip takes how long for: the constants of the replay. A file of metrics/gpus has those that were
 * measured on its chip, a line `timing NAME = VALUE` each; what it does not have is as on a chip of compute capability
 * 9.0. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Name, value on an H200, the factor by which it may be wrong, and what it is. All factors make a launch longer. Cycles
 * are of the SM's clock. Rates are of one SM. Those of barriers, fences, atomics, tensor cores, copies of the hardware,
 * of how blocks begin, and the latencies of the L2, DRAM, ATOMS and MUFU are near what da8e4bc7:tests/gpu/calibrate.sh
 * measured on an H200 (GPU-5fafa3c2, driver 580.159.04, CUDA 13.0, 2026-11-29); the others were fitted to times of 108
 * kernels on H100s and H200s (2026-11), from latencies that were published for Hopper. */
/* clang-format off */
#define TIMINGS(T) \
    T(launch_ns,         2000,  1.1,  "ns from the start of an empty launch to its end") \
    T(first,             700,   1.2,  "cycles until the first instruction of a launch") \
    T(block,             150,    1.3,  "cycles between the starts of two blocks on an SM") \
    T(warp,              1.6,    1.3,  "cycles added per warp of the first block") \
    T(branch,            6.5,   1.5,  "extra cycles of a taken branch") \
    T(fetch,             40,    1.5,  "cycles to fetch code that is new to the SM") \
    T(single,            1,     1.1,  "cycles for which FFMA and similar occupy their unit") \
    T(double_precision,  2,     1.1,  "the same for DFMA and similar") \
    T(xu,                8,     1.1,  "the same for MUFU and similar") \
    T(xu_latency,        16,    1.2,  "latency of MUFU and similar; all latencies are in cycles") \
    T(double_latency,    18,    1.2,  "latency of double precision on chips that use a scoreboard for it") \
    T(tensor,            7,     1.2,  "cycles for which a 16 x 8 x 16 product of halves occupies the tensor cores") \
    T(tensor_latency,    33,    1.2,  "latency of tensor cores") \
    T(group_product,     0.57,  1.2,  "cycles per column of a warpgroup's product, 64 rows and 32 bytes deep") \
    T(group_latency,     47,    1.2,  "cycles from the end of a warpgroup's product until its sums are available") \
    T(bulk,              50,    1.3,  "cycles until a bulk copy starts") \
    T(phase,             46,    1.3,  "cycles from the end of a phase until its waiters continue") \
    T(special_latency,   30,    1.2,  "latency of S2R") \
    T(shuffle_latency,   25,    1.2,  "latency of SHFL") \
    T(shared_latency,    25.5,  1.2,  "latency of LDS") \
    T(shared_atomic,     33,    1.2,  "latency of ATOMS") \
    T(constant_latency,  40,    1.2,  "latency of LDC") \
    T(constant_turn,     2,     1.2,  "cycles of the SM for each further address of an LDC") \
    T(constant_wait,     11,    1.3,  "cycles of the warp for each further address of an LDC") \
    T(barrier,           13,    1.3,  "cycles from the last warp at a barrier until all continue") \
    T(barrier_warp,      2,     1.2,  "cycles for each warp's arrival at a barrier, one after another") \
    T(fence,             540,   1.5,  "cycles of a MEMBAR.GPU") \
    T(fence_system,      1550,  1.5,  "cycles of a MEMBAR.SYS") \
    T(issue_memory,      2,     1.2,  "cycles for which a memory access occupies its scheduler's unit") \
    T(tags,              3.4,   0.77,  "lines that the L1 looks up per cycle") \
    T(l1_latency,        32,    1.2,  "latency of a hit in the L1") \
    T(l1_fill,           1,     1.3,  "cycles of the L1 to fill a line") \
    T(l2_latency,        260,   1.2,  "latency of a hit in the L2") \
    T(l2_line,           1.59,  1.2,  "cycles of an SM's path to the L2 per line") \
    T(l2_sector,         0.318, 1.2,  "cycles of the path to the L2 per sector") \
    T(l2_strong,         1.8,   1.2,  "factor of the two path costs for loads that bypass the L1") \
    T(store_line,        0.61,  1.2,  "cycles of the path to the L2 per stored line") \
    T(store_sector,      1.68,  1.2,  "cycles of the path to the L2 per stored sector") \
    T(store_scattered,   3.8,  1.3,  "cycles of the path to the L2 per sector of a store to more than 16 sectors") \
    T(l2_mib,            30,    0.77,  "MiB of loads after which the L2 has evicted a line") \
    T(dram_latency,      740,   1.2,  "latency of a load from DRAM") \
    T(dram_share,        0.93,  0.91,  "share of the theoretical bandwidth of DRAM") \
    T(dram_stored,       0.3,   1.5,  "cost of a stored sector relative to a loaded one, while the L2 has room") \
    T(dram_written,      1.15,  1.15, "cost of a stored sector relative to a loaded one, when the L2 is full") \
    T(dram_partial,      2.5,   1.3,  "cost of a partly stored sector relative to a loaded one") \
    T(atomic_latency,    320,   1.2,  "latency of an atomic in global memory") \
    T(atomic_sector,     2.7,   1.3,  "cycles of an SM per sector of a global atomic") \
    T(atomic_meeting,    4.1,   1.3,  "cycles per lane of an atomic that shares its address") \
    T(atomic_ns,         0.13,  1.5,  "ns of the GPU per atomic on few addresses") \
    T(atomic_met,        4.6,   1.5,  "how many atomics one counts as that shares its address within a warp") \
    T(hottest_ns,        0.86,  1.3,  "ns of the GPU per atomic on one address") \
    T(crowded_ns,        0.95,  1.3,  "ns of the GPU per sector of atomics on one line")
/* clang-format on */

struct timing {
#define TIMING_FIELD(name, value, error, what) double name;
    TIMINGS(TIMING_FIELD)
#undef TIMING_FIELD
};

/* A chip, as the replay knows it. */
struct chip {
    struct timing timing;
    unsigned sms;
    double clock;                    /* cycles of an SM in a ns */
    double dram;                     /* sectors that DRAM moves for one SM in a cycle, in theory */
    unsigned l1_bytes, shared_bytes; /* of an SM's L1 and shared memory together; that can be shared memory */
    bool foreign;                    /* its constants were not measured */
};

/* Returns a hash of all that the replay knows of a chip. */
unsigned chip_hash(const struct chip *chip);

/* The constants of an H200. */
void timing_default(struct timing *timing);

/* A constant: its place in a struct timing, its name, and the factor by which it may be wrong. Returns false where
 * there is none of that number. */
struct timing_row {
    size_t offset;
    const char *name, *what;
    double error;
};
bool timing_row(size_t number, struct timing_row *row);

static inline double *timing_place(struct timing *timing, const struct timing_row *row)
{
    return (double *)(void *)((char *)timing + row->offset);
}
