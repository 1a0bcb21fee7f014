/* kernel.h - the contract between cugate and a kernel library. Plain C, usable from CUDA C++.
 *
 * A kernel library is a shared object that exports cugate_library(). It holds families (one problem each: inputs,
 * reference, tolerance) and each family holds variants (one way to solve the problem each). `family/variant` is the
 * identity of a kernel in run files and baselines, so neither name may change once it has a baseline.
 *
 * cugate calls a family from one thread, in this order:
 *
 *     open -> { restore -> launch -> library.synchronize -> verify } for each variant, then for each sample and
 *     counter pass { restore -> launch -> library.synchronize } -> close
 *
 * Every `int` result is 0 for success, CUGATE_WRONG for an output that differs from the reference, or a positive
 * cudaError_t, which library.error_text() puts into words.
 */
#ifndef CUGATE_KERNEL_H
#define CUGATE_KERNEL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when a struct below changes; cugate refuses a library of another number. */
#define CUGATE_KERNEL_ABI 1

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
     */
    int (*open)(void **state);

    /* Puts every input back to its first value and overwrites outputs with a pattern no right answer contains. May use
     * copies, memsets and kernels on the default stream. */
    int (*restore)(void *state);

    /* Reads the output of the launch before and compares it with the reference. When it differs, returns CUGATE_WRONG
     * and writes one line into why (why_size bytes) that says where, what was expected and what was found. */
    int (*verify)(void *state, const struct cugate_variant *variant, char *why, size_t why_size);

    void (*close)(void *state);

    const struct cugate_variant *variants; /* in ladder order */
    size_t variant_count;
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

/* The one symbol that cugate looks up. The result lives as long as the library is loaded. */
const struct cugate_library *cugate_library(void);

#ifdef __cplusplus
}
#endif

#endif
