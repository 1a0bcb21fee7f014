/* timing.h - what a chip takes how long for: the constants of the replay. A file of metrics/gpus has those that were
 * measured on its chip, a line `timing NAME = VALUE` each; what it does not have is as on a chip of compute capability
 * 9.0. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Name, value on an H200, the factor by which it may be wrong, and what it is. All factors make a launch longer. Cycles
 * are of the SM's clock. Rates are of one SM. Those of barriers, fences, atomics, tensor cores, copies of the hardware,
 * of how blocks begin, and the latencies of the L2, DRAM, ATOMS and MUFU are near what tests/gpu/calibrate.sh measured
 * on an H200 (GPU-5fafa3c2, driver 580.159.04, CUDA 13.0, 2026-11-29); the others were fitted to times of 108 kernels
 * on H100s and H200s (2026-11), from latencies that were published for Hopper. */
/* clang-format off */
#define TIMINGS(T) \
    T(launch_ns,         2000,  1.1,  "ns from the start of an empty launch to its end") \
    T(first,             700,   1.2,  "cycles until the first instruction of a launch") \
    T(block,             150,    1.3,  "cycles between two blocks that begin on an SM, ") \
    T(warp,              1.6,    1.3,  "and for each warp of the first") \
    T(branch,            6.5,   1.5,  "cycles of a jump, in addition to its own") \
    T(fetch,             40,    1.5,  "cycles until code that no warp of the SM has had yet is there") \
    T(single,            1,     1.1,  "cycles for which FFMA and like hold their unit, ") \
    T(double_precision,  2,     1.1,  "DFMA and like, ") \
    T(xu,                8,     1.1,  "and MUFU and like") \
    T(xu_latency,        16,    1.2,  "cycles until their answer is there; likewise below") \
    T(double_latency,    18,    1.2,  "of double precision on chips that count it by a scoreboard") \
    T(tensor,            7,     1.2,  "cycles for which a product of 16 x 8 x 16 halves holds the tensor cores") \
    T(tensor_latency,    33,    1.2,  "of tensor cores") \
    T(group_product,     0.57,  1.2,  "cycles for each column of a warpgroup's product of 64 rows and 32 bytes of depth") \
    T(group_latency,     47,    1.2,  "cycles until its sums are there behind it") \
    T(bulk,              50,    1.3,  "cycles that a copy of the hardware takes to begin") \
    T(phase,             46,    1.3,  "cycles from the end of a phase until who waits for it goes on") \
    T(special_latency,   30,    1.2,  "of S2R") \
    T(shuffle_latency,   25,    1.2,  "of SHFL") \
    T(shared_latency,    25.5,  1.2,  "of LDS") \
    T(shared_atomic,     33,    1.2,  "of ATOMS") \
    T(constant_latency,  40,    1.2,  "of LDC") \
    T(constant_turn,     2,     1.2,  "cycles of the SM for each address of an LDC behind its first, ") \
    T(constant_wait,     11,    1.3,  "and of its warp") \
    T(barrier,           13,    1.3,  "cycles from the last warp at a barrier until all go on, ") \
    T(barrier_warp,      2,     1.2,  "and that each warp takes to arrive, one after the other") \
    T(fence,             540,   1.5,  "cycles of a MEMBAR.GPU, ") \
    T(fence_system,      1550,  1.5,  "and of a MEMBAR.SYS") \
    T(issue_memory,      2,     1.2,  "cycles for which an access to memory holds its scheduler's unit") \
    T(tags,              3.4,   0.77,  "lines that the L1 finds in a cycle") \
    T(l1_latency,        32,    1.2,  "of a load that the L1 has") \
    T(l1_fill,           1,     1.3,  "cycles of the L1 for a line that comes") \
    T(l2_latency,        260,   1.2,  "of a load that the L2 has") \
    T(l2_line,           1.59,  1.2,  "cycles of an SM's way to the L2 for a line, ") \
    T(l2_sector,         0.318, 1.2,  "and for each of its sectors") \
    T(l2_strong,         1.8,   1.2,  "factor of both for loads that pass by the L1") \
    T(store_line,        0.61,  1.2,  "the same of a line that is stored, ") \
    T(store_sector,      1.68,  1.2,  "and for each of its sectors, ") \
    T(store_scattered,   3.8,  1.3,  "and for each of a store that scatters more than 16") \
    T(l2_mib,            30,    0.77,  "MiB of loads behind which the L2 does not have them any more") \
    T(dram_latency,      740,   1.2,  "of a load that comes from DRAM") \
    T(dram_share,        0.93,  0.91,  "of the theoretical bandwidth of DRAM") \
    T(dram_stored,       0.3,   1.5,  "of a sector that is stored, against one that is loaded, while the L2 has room, ") \
    T(dram_written,      1.15,  1.15, "and when it has none, ") \
    T(dram_partial,      2.5,   1.3,  "and if it is not stored whole") \
    T(atomic_latency,    320,   1.2,  "of an atomic in global memory") \
    T(atomic_sector,     2.7,   1.3,  "cycles of an SM for each sector of one, ") \
    T(atomic_meeting,    4.1,   1.3,  "and for each lane that meets others at an address") \
    T(atomic_ns,         0.13,  1.5,  "ns of the GPU for an atomic of those that come to few addresses, ") \
    T(atomic_met,        4.6,   1.5,  "atomics that one is like which meets another of its warp") \
    T(hottest_ns,        0.86,  1.3,  "ns of the GPU for each atomic at one address, ") \
    T(crowded_ns,        0.95,  1.3,  "and for each sector of those at one line")
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
