/* runtime.h - shared by the files cudart_*.c: the state of the CUDA runtime that this library stands in for. Where a
 * program can see it, the rules are those of CUDA. But all work is done when a call returns.
 *
 * A runtime is one GPU, with what a program has put on it. The functions of CUDA have no argument for it, so they go by
 * the one that is used now. What CUDA keeps for each thread is the thread's, whatever runtime that is: its last error,
 * what stands in <<<>>>, how it captures. */
#pragma once

#include "gpu/gpu.h"

#include <cuda_runtime_api.h>

#include <pthread.h>
#include <stdatomic.h>
#include <xxhash.h>

/* A pool keeps nothing that was freed, but counts what one of a GPU does. */
struct CUmemPoolHandle_st {
    int reuse[3];       /* three attributes that say which memory may be used again: it makes no difference */
    uint64_t threshold; /* so many bytes it keeps when the host waits, */
    uint64_t kept;      /* and so many it has from the driver, */
    size_t waits;       /* since the host waited so often */
    uint64_t used, most;
};

/* Executes a launch in place of grid_run(). */
typedef int run_launch(void *data, const struct grid *grid, enum fault *fault, struct problem *problem);

enum { RUNTIME_LIMITS = cudaLimitPersistingL2CacheSize + 1 };

struct runtime {
    struct machine *machine;
    struct gpu gpu; /* without a name: it is not set yet */
    bool in_use;    /* by functions of the runtime, or with code for it: the driver has its context then */
    pthread_mutex_t lock;

    /* runtime_error.c. The first error is kept, because it explains all that follow. */
    cudaError_t lost;
    struct problem fault, missing;
    void (*tell)(const char *words); /* is told of it at once, as the program may not live until it is asked; or NULL */

    /* cudart_copy.c: what was copied to or from memory of the GPU, and set there */
    struct {
        atomic_size_t copies, copy_bytes, fills, fill_bytes, synchronizations, allocations;
        atomic_size_t host_copy_bytes, pageable_copy_bytes, longest_chain, calls, stream_calls;
        atomic_size_t refused;                 /* launches that returned an error, */
        atomic_size_t programmatic, copy_rows; /* that may begin early; rows of copies beyond the first of each */
    } work;

    /* runtime_clock.c */
    bool has_clock; /* false: it is of a kernel library: no time passes, and PTX is no machine code */
    atomic_ullong clock_ns;

    /* cudart_memory.c, cudart_device.c */
    struct memory_block *blocks;
    size_t block_count, used;
    bool watched; /* a thread looks whether this machine has the memory (runtime_memory.c) */
    struct CUmemPoolHandle_st default_pool;
    cudaMemPool_t current_pool;
    size_t limits[RUNTIME_LIMITS];

    /* cudart_modules.c. Each binary is allocated by itself, because the program keeps pointers to binaries and kernels
     * as handles. */
    struct binary **binaries;
    size_t binary_count;
    struct device_kernel **kernels;
    size_t kernel_count;
    struct symbol *symbols;
    size_t symbol_count;
    struct managed *managed;
    size_t managed_count;

    /* cudart_stream.c */
    struct capture **captures;
    size_t capture_count;
    unsigned long long last_stream;

    /* function_launch.c: who executes launches, NULL: nobody counts them; one does so at a time */
    run_launch *run_by;
    void *run_data;
    pthread_mutex_t launching;

    /* inputs.c */
    XXH3_state_t *inputs;
    bool inputs_hidden, inputs_alone;
};

/* It lives as long as the process, as what programs have of it does. Ends the process where there is no place for one.
 */
struct runtime *runtime_open(void);
/* Has the functions of CUDA go by another runtime. */
void runtime_use(struct runtime *runtime);
/* Returns the one they go by. The first call opens it: that is made while a library is loaded, by one thread. */
struct runtime *runtime_now(void);

/* ---- Errors: runtime_error.c ---- */

/* Notes an error for cudaGetLastError, and returns it. cudaSuccess is not noted. */
cudaError_t runtime_return(cudaError_t error);
/* Begins and ends what this thread does for a function of the driver: no error of it is noted for cudaGetLastError, and
 * it is no use of the runtime. */
void runtime_for_driver(bool begins);

/* Returns cudaSuccess; after a fault of a kernel, the error that every call returns from then on. */
cudaError_t runtime_lost(void);

/* Sets what a function answers by a pointer, and ends with `error`. One that has no place for it is an error. */
#define SET(answer, value, error)                                                                                      \
    ((answer) ? (*(answer) = (value), (cudaError_t)(error)) : runtime_return(cudaErrorInvalidValue))

/* A function that is one expression: its name, its parameters, and what it returns. */
#define RUNTIME(name, parameters, error)                                                                               \
    cudaError_t name parameters                                                                                        \
    {                                                                                                                  \
        return error;                                                                                                  \
    }

/* Return from the function: with the error of a call; with `error`, which is noted, where the condition holds. */
#define CUDA_TRY(call)                                                                                                 \
    do {                                                                                                               \
        const cudaError_t error_ = (call);                                                                             \
        if (error_ != cudaSuccess)                                                                                     \
            return error_;                                                                                             \
    } while (0)
#define REFUSE(condition, error)                                                                                       \
    do {                                                                                                               \
        if (condition)                                                                                                 \
            return runtime_return(error);                                                                              \
    } while (0)

/* Notes that a kernel failed, with the words for the report. Nothing works from then on, as on a GPU. */
cudaError_t runtime_fault(enum fault fault, const char *words);

/* Notes that something was asked for that cannot be simulated; only the first is kept. Returns cudaErrorNotSupported.
 */
__attribute__((format(printf, 1, 2))) cudaError_t runtime_not_simulated(const char *format, ...);

/* Returns why the numbers of this process cannot be trusted, or why its calls fail: the words of runtime_fault(), such
 * as "kernels/x.cu:12: ...", or "not simulated: cudaGraphLaunch". NULL: nothing of that kind happened. */
const char *runtime_reason(void);

/* ---- The clock that events read: runtime_clock.c ---- */

/* Lets time pass, by an estimate and never by this machine's clock: a launch of so many nanoseconds, or a copy or fill
 * of so many bytes. Any thread may call. Both take 1 us at least, so that a program ends that repeats its work until
 * enough time has passed. */
void runtime_pass_launch(double ns);
void runtime_pass_bytes(size_t bytes);

/* ---- Programs of CUDA 12: cudart_12.c ---- */

/* Whether the program is of CUDA 12, of whose function of this name the arguments are others: edges of a graph came
 * with
 * 13. Then it is not simulated. */
bool runtime_lacks_edges(const char *function);

/* ---- Modules: cudart_modules.c ---- */

/* A kernel of the GPU, and the host function that stands for it. */
struct device_kernel {
    const void *host;
    struct binary *binary;
    const char *name;
    struct function *function; /* NULL until it is first used */
    bool has_dynamic_limit;
    bool large_cluster;     /* the program allows clusters of more than 8 blocks */
    unsigned dynamic_limit; /* most dynamic shared memory of a launch, if the program set it */
    unsigned carve_out;     /* as struct launch has it */
};

/* Finds the kernel for a host function, or for a handle of cudaGetKernel, with its machine code. Otherwise notes and
 * returns the error that a call with a wrong one gives, or after runtime_lost(). */
cudaError_t runtime_kernel(struct device_kernel **kernel, const void *function);

/* Returns how much dynamic shared memory the kernel may be launched with, in bytes. */
unsigned kernel_dynamic_limit(const struct device_kernel *kernel);

/* Finds the variable of the GPU that a variable of the host stands for, in the same way. */
cudaError_t runtime_variable(struct variable **variable, const void *symbol);
/* Returns whether it points to a __managed__ variable that the host has used. */
bool runtime_is_managed(const void *pointer);

/* Sets all variables and constants as at load, but those that are __managed__: an H200 leaves these (CUDA 13.0,
 * 2026-11-29). */
void runtime_reset_variables(void);

/* Loads machine code that a program has in memory as the driver is given it: an image, a container of images, or the
 * wrapper of one. The bytes are copied. Notes and returns the error where it cannot be loaded. */
cudaError_t runtime_load(struct binary **loaded, const void *code);
/* Nothing of it is found from then on. */
cudaError_t runtime_unload(struct binary *binary);
/* Find by its name what was loaded so. The kernel is its handle as well. */
cudaError_t runtime_loaded_kernel(struct device_kernel **kernel, struct binary *binary, const char *name);
cudaError_t runtime_loaded_variable(struct variable **variable, struct binary *binary, const char *name);

/* ---- Operations of streams: operation.c ---- */

/* Begins one of this thread, behind others; then it is one of them. */
void operation_begin(uint32_t stream, struct passed *passed);
const struct operation *stream_operation(void); /* which one it has begun last, */
struct passed operation_passed(void);           /* and what is done once that is */
/* Notes that the host knows what is done; NULL: all is. operation_seen(): what this thread has begun last. */
void stream_seen(const struct passed *passed);
void operation_seen(void);
void operation_overlaps(void);                /* It may begin before others of its stream are done. */
void operation_waited(struct passed *passed); /* adds what it knows */
/* Notes what an operation of this thread, of that name, does to bytes: a fault, if it races. */
bool operation_races(const void *memory, size_t width, bool writes, const void *others, const char *name);
/* Copies bytes. Those to pinned memory arrive when the host may know of it. */
void operation_copies(void *to, const void *from, size_t width);
/* Has copies to pinned memory arrive there that are among operations which are done. Copies from there end then, too,
 * unless they are `kept`; or a kernel may have changed what they read. Or those at some bytes. */
void copies_arrive(const struct passed *passed, bool kept);
void copies_arrive_at(const unsigned char *bytes, size_t size);
void copies_forget_sources(void);

/* ---- Streams: cudart_stream.c ---- */

/* As runtime_lost(); an error too if a program has no such stream. */
cudaError_t stream_lost(cudaStream_t stream);
/* Returns the graph that a stream is captured into; NULL: what is put into the stream is done at once. */
cudaGraph_t stream_graph(cudaStream_t stream);
/* Puts launches into a stream, of which so many come one behind the other. */
void stream_chain(cudaStream_t stream, size_t launches);
void stream_copies(cudaStream_t stream); /* and a copy, which is done as long as they are */
/* Counts a call, if it has no error, that put anything but a launch, copy or fill into a stream. In a capture it makes
 * a node, which graph_capture() counts, or edges. Returns error. */
cudaError_t stream_puts(cudaStream_t stream, cudaError_t error);
/* Begins an operation of a stream that is not captured. */
void stream_begins(cudaStream_t stream);
/* Whether some stream is captured into that graph still. */
bool stream_captures(cudaGraph_t graph);

/* ---- Memory: runtime.c, runtime_memory.c, cudart_memory.c, cudart_stream.c ---- */

/* Between these the calling thread may allocate and free memory of the GPU: nothing is launched. */
void runtime_memory_begin(struct runtime *runtime);
void runtime_memory_end(struct runtime *runtime);

/* Begins to look whether the machine has the memory, once a program has allocated so many bytes that it may not:
 * runtime_memory.c. */
void runtime_watch_memory(struct runtime *runtime, uint64_t bytes);
/* As device_find(), while other threads may allocate. */
bool runtime_find(uint64_t address, struct allocation *allocation);

/* Allocates memory of a node of a graph. It is there from now on, at the address that each launch of the graph has. */
cudaError_t runtime_allocate_of_graph(void **memory, size_t size);

/* ---- What the program's row counts: runtime.c ---- */

/* Counts a copy of that kind that returns when it is done. Within the GPU it returns before. Returns error. */
cudaError_t runtime_waited(cudaError_t error, enum cudaMemcpyKind kind);
void runtime_waits(void);     /* counts another call that waits for the GPU */
void runtime_calls(void);     /* counts a call that launches, or makes or frees what is launched with */
void runtime_allocates(void); /* counts an allocation, which is not in the order of a stream */

/* ---- Copies: cudart_copy.c ---- */

cudaError_t runtime_copy(const struct cudaMemcpy3DParms *copy);
/* Copies, or adds the copy to the graph that the stream is captured into. */
cudaError_t runtime_copy_in(cudaStream_t stream, const struct cudaMemcpy3DParms *copy);
/* The same for a fill, of elements of 1, 2 or 4 bytes. Rows have so many of these. */
cudaError_t runtime_fill_in(cudaStream_t stream, const struct cudaMemsetParams *fill);
/* A copy of a range of bytes. */
struct cudaMemcpy3DParms runtime_copy_of(void *to, const void *from, size_t size, enum cudaMemcpyKind kind);
/* Finds the place of some bytes in a variable. */
cudaError_t runtime_place(void **place, const void *symbol, size_t size, size_t offset);

/* ---- The GPU: gpu.h; NULL before it is set ---- */

/* Takes a copy. */
void runtime_set_gpu(const struct gpu *gpu);
const struct gpu *runtime_gpu(void);

static inline struct machine *runtime_machine(void)
{
    return runtime_now()->machine;
}

/* An address of the GPU as a program has it, and the bytes at a pointer of a program's, which may be one. */
static inline void *runtime_pointer(uint64_t address)
{
    return (void *)(uintptr_t)address; /* NOLINT(performance-no-int-to-ptr) */
}
static inline unsigned char *runtime_bytes(const void *pointer)
{
    return device_bytes(runtime_machine(), (uintptr_t)pointer);
}

/* Sets *value to an attribute of the GPU. False, after runtime_not_simulated(), if its description lacks the attribute.
 */
bool runtime_attribute(int *value, enum cudaDeviceAttr attribute);
