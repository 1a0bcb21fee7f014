/* runtime.h - shared by the files cudart_*.c: the state of the CUDA runtime that this library stands in for. Where a
 * program can see it, the rules are those of CUDA. But all work is done when a call returns. */
#ifndef RUNTIME_H
#define RUNTIME_H

#include "base/base.h"
#include "machine/machine.h"

#include <cuda_runtime_api.h>

#include <stdbool.h>
#include <stddef.h>

/* ---- Errors: runtime_error.c ---- */

/* Notes an error for cudaGetLastError, and returns it. cudaSuccess is not noted. */
cudaError_t runtime_return(cudaError_t error);

/* Returns cudaSuccess; after a fault of a kernel, the error that every call returns from then on. */
cudaError_t runtime_lost(void);

/* Notes that a kernel failed, with the words for the report. Nothing works from then on, as on a GPU. */
cudaError_t runtime_fault(const char *words);

/* Notes that something was asked for that cannot be simulated; only the first is kept. Returns cudaErrorNotSupported.
 */
__attribute__((format(printf, 1, 2))) cudaError_t runtime_not_simulated(const char *format, ...);

/* Returns why the numbers of this process cannot be trusted, or why its calls fail: the words of runtime_fault(), such
 * as "kernels/x.cu:12: ...", or "not simulated: cudaGraphLaunch". NULL: nothing of that kind happened. */
const char *runtime_reason(void);

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
 * returns the error that a call with a wrong one gives. */
cudaError_t runtime_kernel(struct device_kernel **kernel, const void *function);

/* Returns how much dynamic shared memory the kernel may be launched with, in bytes. */
unsigned kernel_dynamic_limit(const struct device_kernel *kernel);

/* Finds the variable of the GPU that a variable of the host stands for, in the same way. */
cudaError_t runtime_variable(struct variable **variable, const void *symbol);

/* Returns whether any machine code was registered. */
bool runtime_has_code(void);

/* ---- Streams: cudart_stream.c ---- */

/* Returns the graph that a stream is captured into; NULL: what is put into the stream is done at once. */
cudaGraph_t stream_graph(cudaStream_t stream);
/* Whether some stream is captured into that graph still. */
bool stream_captures(cudaGraph_t graph);

/* ---- Copies: cudart_copy.c ---- */

cudaError_t runtime_copy(const struct cudaMemcpy3DParms *copy);
/* Copies, or adds the copy to the graph that the stream is captured into. */
cudaError_t runtime_copy_in(cudaStream_t stream, const struct cudaMemcpy3DParms *copy);

/* ---- The GPU: gpu.h; NULL before it is set ---- */

struct gpu;
void runtime_set_gpu(const struct gpu *gpu);
const struct gpu *runtime_gpu(void);

/* The machine that is the GPU. */
struct machine *runtime_machine(void);

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

/* Gives a function a second name, which programs call that were compiled for a default stream for each thread. */
#define ALSO(name, suffix) extern __typeof(name) name##suffix __attribute__((alias(#name)))

#endif
