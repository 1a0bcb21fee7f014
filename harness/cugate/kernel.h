/* kernel.h - the contract between cugate and a kernel library. It is plain C, usable from CUDA C++; <cugate/kernel.hpp>
 * is a shorter way to write a library in C++.
 *
 * A kernel library is a shared object that exports cugate_library(). It has families: each is a problem with inputs,
 * reference and tolerance. A family has variants: each is a way to solve the problem. A family may exist several times,
 * at different points of its axes (such as sizes and types). A kernel is identified by `family/variant`, or
 * `family/variant[point]`, in run files and baselines. So names must not change once there is a baseline.
 *
 * cugate calls a family from one thread, in this order:
 *
 *     open -> { restore -> launch -> library.synchronize -> verify } for each variant, then for each sample and
 *     counter pass of each variant { restore -> launch -> library.synchronize }, and once more verify -> close
 *
 *   Variants may alternate: a launch may follow that of another variant, but `restore` is always called between them.
 * - Processes: the library is loaded into processes of its own, and each calls `open` again: one for a session, one
 * after each kernel that failed, and others for source lines. So make inputs from fixed seeds, and keep `open` fast.
 * - Stream: use the default stream; restore, launch and verify are in its order. Another stream has to wait for it, and
 *   it for that one. Launches of CUDA graphs cannot be counted.
 * - Device: the L2 has no carve-out for persisting accesses unless `open` sets one. Device-wide settings made by `open`
 *   hold for all launches of the family and for no other family. Those made by `launch` hold until the next sample. No
 *   launch finds in the L2 what another one pinned in a carve-out, but it may find what `restore` pinned.
 * - What counts: counters and time are the sum over all kernels that `launch` launches. Memsets and copies in `launch`
 *   are neither counted nor timed. So use kernels for what belongs to the problem, and `restore` for what only prepares
 *   it. For the kind CUGATE_TRANSFER, the host's clock times all that `launch` does, and nothing else is measured.
 * - Runtime: measuring works with the shared and the static CUDA runtime. `check --simulate` replaces the shared one,
 * so only a library that is linked with `-cudart shared` can be computed without a GPU.
 * - Ownership: the library owns all that the tables point to, as long as it is loaded. The family owns what `open`
 * makes, until `close`.
 * - Errors: every `int` result is 0 for success, CUGATE_WRONG for an output that differs from the reference, or a
 *   positive cudaError_t, which library.error_text() describes. After an error the process ends, without `close`. */
#ifndef CUGATE_KERNEL_H
#define CUGATE_KERNEL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Increases when a struct below changes; cugate refuses a library with another number. 2: points were added, and `open`
 * gets the family that it opens. */
#define CUGATE_KERNEL_ABI 2

#define CUGATE_WRONG (-1)

struct cugate_variant {
    const char *name; /* name of the variant: [a-z0-9_]+ */
    const char *doc;  /* one line: what this variant does, and the counter that it should change */

    /* Enqueues the work on the default stream and does not wait. NULL when the variant is not built. */
    int (*launch)(void *state);

    double bytes; /* bytes that the problem must read and write in device memory */
    double flops; /* floating-point operations that the problem needs; 0 when it is not about arithmetic */

    const char *not_built; /* why launch is NULL, for example "cublas_v2.h was not found"; else NULL */
};

enum cugate_kind {
    CUGATE_KERNELS, /* launches kernels, so hardware counters apply */
    CUGATE_TRANSFER /* only copies memory: timed by the host's clock, kernel counters are not applicable */
};

struct cugate_family {
    const char *name; /* name of the family: [a-z0-9_]+ */
    const char *doc;  /* one line that describes the problem */
    enum cugate_kind kind;

    /* Allocates device memory, makes the inputs from a fixed seed and computes the reference. *state belongs to the
     * family; cugate passes it to every other function and ends it with close. On failure nothing may stay allocated.
     * `self` is this struct, for families that share the function. */
    int (*open)(const struct cugate_family *self, void **state);

    /* Restores every input and overwrites outputs with a pattern that no right answer has. May use copies, memsets and
     * kernels on the default stream. */
    int (*restore)(void *state);

    /* Compares the output of the last launch with the reference. If it differs, returns CUGATE_WRONG and writes one
     * line into why (why_size bytes): where it differs, the expected and the actual value. */
    int (*verify)(void *state, const struct cugate_variant *variant, char *why, size_t why_size);

    void (*close)(void *state);

    const struct cugate_variant *variants; /* variants, in the order in which they are listed and measured */
    size_t variant_count;

    /* The point of this family on its axes, "n=16M" or "n=16M,type=half"; NULL without axes. It is a list of AXIS=VALUE
     * in the alphabetical order of axes. Axes are [a-z][a-z0-9_]*; values have letters, digits and _ . + -. A whole
     * number that 1024 divides is written with K, M or G: 16M, not 16777216 and not 16384K. Two families with the same
     * name have different points. */
    const char *point;

    const void *context; /* for the library's own use: what its `open` needs to know about this point; may be NULL */
};

struct cugate_library {
    int abi;              /* the library's number of the contract: CUGATE_KERNEL_ABI */
    const char *compiler; /* for example "nvcc 13.0.88"; recorded with the results, may be NULL */
    const char *flags;    /* compiler flags, recorded with the results; may be NULL */

    const struct cugate_family *const *families;
    size_t family_count;

    int (*synchronize)(void);            /* waits for the device; returns the first error since the last call */
    const char *(*error_text)(int code); /* describes a positive result; never NULL, owned by the library */
};

/* The only symbol that cugate looks up; it is exported even with -fvisibility=hidden. The result is valid while the
 * library is loaded. */
__attribute__((visibility("default"))) const struct cugate_library *cugate_library(void);

#ifdef __cplusplus
}
#endif

#endif
