/* kernel.h - the contract between cugate and a kernel library. Plain C, usable from CUDA C++; <cugate/kernel.hpp> is a
 * shorter way to write a library in C++.
 *
 * A kernel library is a shared object that exports cugate_library(). It holds families (one problem each: inputs,
 * reference, tolerance) and each family holds variants (one way to solve the problem each). A family may be there
 * several times, each time at another point of its axes, such as sizes and types. `family/variant`, or
 * `family/variant[point]`, is the identity of a kernel in run files and baselines, so none of the names may change once
 * it has a baseline.
 *
 * cugate calls a family from one thread, in this order:
 *
 *     open -> { restore -> launch -> library.synchronize -> verify } for each variant, then for each sample and
 *     counter pass of each variant { restore -> launch -> library.synchronize }, and once more verify -> close
 *
 *   Variants may take turns: a launch follows that of another variant, but never without `restore` between them.
 * - Processes: the library is loaded into processes of its own, and `open` runs anew in each: one a session, one after
 *   each kernel that failed, and others for source lines. So inputs have to come from fixed seeds, and what `open`
 *   makes is worth making fast.
 * - Stream: everything goes to the default stream, in whose order restore, launch and verify follow each other. Another
 *   stream has to wait for it, and it for that. Launches of CUDA graphs cannot be counted.
 * - Device: the L2 has no carve-out for persisting accesses, unless `open` sets one. What `open` sets for the whole
 *   device is there in each launch of the family, and in no other's; what `launch` sets, until the next sample. No
 *   launch finds in the L2 what another one pinned in a carve-out; but it may find what `restore` pinned.
 * - What counts: all kernels that `launch` launches, as a sum; its time is that of these kernels. Memsets and copies in
 *   `launch` are not counted and take no time that is measured, so what belongs to the problem has to be done by
 * kernels there, and what only prepares it belongs into `restore`. In a family of kind CUGATE_TRANSFER the clock of the
 * host sees all that `launch` does until it is done, and nothing else is measured.
 * - Runtime: measuring works with either runtime of CUDA. `check --simulate` stands in for the shared one, so only a
 *   library that is linked with `-cudart shared` can be computed without a GPU.
 * - Ownership: all that the tables point to is the library's and lives as long as it is loaded. What `open` makes is
 *   the family's, until `close`.
 * - Errors: every `int` result is 0 for success, CUGATE_WRONG for an output that differs from the reference, or a
 *   positive cudaError_t, which library.error_text() puts into words. After an error the process ends, without `close`.
 */
#ifndef CUGATE_KERNEL_H
#define CUGATE_KERNEL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when a struct below changes; cugate refuses a library of another number. 2: points, and `open` is told which
 * family it is to open. */
#define CUGATE_KERNEL_ABI 2

#define CUGATE_WRONG (-1)

struct cugate_variant {
    const char *name; /* [a-z0-9_]+ */
    const char *doc;  /* one line: what this variant does, and the counter that it should move */

    /* Enqueues the work on the default stream; does not wait. NULL when the variant is not built. */
    int (*launch)(void *state);

    double bytes; /* bytes that the problem must move through device memory, read + written */
    double flops; /* floating-point operations that the problem needs; 0 when it is not about arithmetic */

    const char *not_built; /* why launch is NULL, for example "cublas_v2.h was not found"; else NULL */
};

enum cugate_kind {
    CUGATE_KERNELS, /* launches kernels: device counters apply */
    CUGATE_TRANSFER /* only copies memory: timed by the host's clock, kernel counters are not applicable */
};

struct cugate_family {
    const char *name; /* [a-z0-9_]+ */
    const char *doc;  /* one line: the problem */
    enum cugate_kind kind;

    /* Allocates device memory, builds the inputs from a fixed seed and computes the reference. *state is the family's
     * own; the caller hands it back to every other function and ends it with close. On failure nothing stays allocated.
     * `self` is this struct, for families that share the function. */
    int (*open)(const struct cugate_family *self, void **state);

    /* Puts every input back to its first value and overwrites outputs with a pattern no right answer contains. May use
     * copies, memsets and kernels on the default stream. */
    int (*restore)(void *state);

    /* Reads the output of the launch before and compares it with the reference. When it differs, returns CUGATE_WRONG
     * and writes one line into why (why_size bytes) that says where, what was expected and what was found. */
    int (*verify)(void *state, const struct cugate_variant *variant, char *why, size_t why_size);

    void (*close)(void *state);

    const struct cugate_variant *variants; /* in ladder order */
    size_t variant_count;

    /* NULL, or where on its axes this family is: "n=16M" or "n=16M,type=half". AXIS=VALUE, the axes [a-z][a-z0-9_]* and
     * in alphabetical order, the values of letters, digits and _ . + -. A whole number that 1024 divides is written
     * with K, M or G: 16M, not 16777216 and not 16384K. No two families have the same name and the same point. */
    const char *point;

    const void *context; /* the library's own: what its `open` has to know of this point; may be NULL */
};

struct cugate_library {
    int abi;              /* CUGATE_KERNEL_ABI */
    const char *compiler; /* for example "nvcc 13.0.88"; recorded beside the results, may be NULL */
    const char *flags;    /* compiler flags, may be NULL */

    const struct cugate_family *const *families;
    size_t family_count;

    int (*synchronize)(void);            /* waits for the device; returns the first error since the last call */
    const char *(*error_text)(int code); /* words for a positive result, never NULL, owned by the library */
};

/* The one symbol that cugate looks up, exported in spite of -fvisibility=hidden. The result lives as long as the
 * library is loaded. */
__attribute__((visibility("default"))) const struct cugate_library *cugate_library(void);

#ifdef __cplusplus
}
#endif

#endif
