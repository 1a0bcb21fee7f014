/* standin.h - what two stand-ins tell each other: libcuda.so.1, the driver (driver_*.c), and libcupti.so.13, the
 * profiler (profiler_*.c). With both, a machine without a GPU can run the programs of made_program.c under
 * `cugate run -- PROGRAM`. cugate's own libraries are the real ones, not changed for it:
 *
 *   LD_LIBRARY_PATH=build/tests/standin LD_PRELOAD=build/tests/standin/libcupti.so.13 build/tests/standin/program ...
 *
 * Kernel libraries can as well, by CUPTI's collector: library.c is one.
 *
 * (Preloaded, because libraries that were linked with a run path find the toolkit's CUPTI first.)
 *
 * The GPU is the processor: a kernel is a C function that driver_kernels.c finds by the kernel's name. Its machine code
 * is real (kernels.cu), so that it can be hashed and its registers read. Counters are made up by a rule that tests can
 * work out (profiler_metrics.c, profiler_sass.c, profiler_sampling.c). Where CUPTI answers something else than its
 * documentation says, so does the stand-in; each such place is commented "As the real one". What was seen on an H200
 * with driver 580 and CUPTI 13.0 is the model; what was never seen is refused or answers as documented.
 *
 * Variables of the environment, all optional:
 *   STANDIN_DIR=FOLDER       a locked file there keeps other processes from the counters; without it each process has
 *                            counters of its own
 *   STANDIN_DEVICES=N        so many GPUs (1); 0 is a driver that finds none. CUDA_VISIBLE_DEVICES chooses of them, by
 *                            ordinals. To clear a large buffer takes 0.25 s, in which none does the work of all
 *   STANDIN_WAIT=N           the rank that waits in a collective (RANK=0) does so N times as long
 *   STANDIN_JITTER=PERCENT   times of kernels vary by up to that much, differently in each process
 *   STANDIN_OVERLAP=1        every second kernel begins with the one before, by their records
 *   STANDIN_LOADING=NS       how long the GPU waits before each of the first eight kernels, which the driver loads
 *   STANDIN_IDLE=PERCENT     how long the GPU waits for the host after a kernel, as a part of its time (25)
 *   STANDIN_SLOW_START=MS     to begin counting takes so long
 *   STANDIN_FEWER_PASSES=1   the profiler says that it is done before the last pass of each configuration
 *   STANDIN_LOSE_RANGES=N    the first N ranges of a process get lost without an error
 *   STANDIN_LOG=FILE         gets "process 77" for each process that initializes the profiler, and "pass 0: 20 of 40"
 *                            for each Stop: the ranges that there were, and that could be */
#pragma once

#include <cuda.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Sets what a function answers with, and is its success. */
#define SET(place, value) (*(place) = (value), CUDA_SUCCESS)

/* Returns the error from the function where the condition holds. */
#define REFUSE(condition, error)                                                                                       \
    do {                                                                                                               \
        if (condition)                                                                                                 \
            return error;                                                                                              \
    } while (0)

/* Returns the GPU that a process sees as number `device`, by CUDA_VISIBLE_DEVICES. -1: it sees fewer. An empty list
 * hides none. */
static inline int standin_gpu(int device)
{
    const char *next = getenv("CUDA_VISIBLE_DEVICES");
    if (!next || !*next)
        return device;
    for (char *end; *next; next = *end ? end + 1 : end, device--) {
        const long gpu = strtol(next, &end, 10);
        if (end == next || (*end && *end != ','))
            return -1;
        if (device == 0)
            return (int)gpu;
    }
    return -1;
}

/* A kernel that ran, or that is in a graph. */
struct standin_kernel {
    CUcontext context;
    const char *name;  /* as in the machine code; lives as long as its module */
    const void *image; /* its module's */
    size_t image_size;
    unsigned grid[3];
    unsigned block[3];
    unsigned shared;        /* dynamic shared memory of a block, in bytes */
    unsigned static_shared; /* in bytes of a block */
    double time_ns;
    /* How often it reads the bytes that it reads from DRAM with an empty L2. It is 0 if lines of these were pinned, and
     * 2 if the carve-out is larger than usual. */
    double reads;
    double instructions; /* instructions that the data causes, beyond those of the launch alone */
};

/* A call of a driver function that CUPTI knows. */
struct standin_call {
    unsigned cbid;
    const char *function;
    const void *params;
    const char *symbol; /* for a launch, the name of the kernel */
    CUcontext context;
    unsigned context_id;
    unsigned correlation;
    uint64_t data; /* what a callback keeps from ENTER to EXIT */
    CUresult result;
};

/* Functions of the profiler that the driver calls. It holds no lock of its own then. */
struct standin_watcher {
    void (*call)(struct standin_call *call, bool is_exit);
    void (*context)(CUcontext context, bool is_created);
    void (*module)(CUcontext context, unsigned id, const void *image, size_t size, bool is_loaded);
    void (*instantiated)(CUcontext context, CUgraph graph, CUgraphExec exec);
    void (*ran)(const struct standin_kernel *kernel);
    void (*captured)(CUcontext context); /* a launch became a node of a graph */
    void (*graph_ran)(CUcontext context, const struct standin_kernel *kernels, size_t count);
    void (*moved)(size_t bytes, bool is_copy); /* memory was copied, or else set */
};

/* Functions of the driver that the profiler calls. libcuda.so.1 exports one such struct, `standin_driver`. */
struct standin_driver {
    void (*attach)(const struct standin_watcher *watcher); /* there is no way to undo it */
    bool (*subscribe)(void);                               /* false: the process has a subscriber already */
    void (*unsubscribe)(void);
    bool (*is_usable)(void); /* the driver is initialized, and this is no child that was forked afterwards */
    bool (*has_context)(void);
    CUcontext (*current)(void);
    unsigned (*id_of)(CUcontext context);
    int (*device_of)(CUcontext context);
    bool (*has_failed)(CUcontext context); /* there was an illegal address, so that every further call fails */
    void (*wait)(CUcontext context);       /* waits until the context's kernels have ended, which may be for ever */
    bool (*is_capturing)(void);
    void (*spoil_captures)(void);
};
