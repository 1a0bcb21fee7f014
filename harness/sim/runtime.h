/* runtime.h - what the files cudart_*.c share: the state of the runtime of CUDA that this library stands in for. Its
 * rules are those of CUDA's runtime where a program can see them; but all work is done when a call returns. */
#ifndef RUNTIME_H
#define RUNTIME_H

#include "module.h"

#include "base/base.h"

#include <cuda_runtime_api.h>

#include <stdbool.h>
#include <stddef.h>

/* ---- Errors: runtime_error.c ---- */

/* Notes an error for cudaGetLastError, and returns it; cudaSuccess is none. */
cudaError_t runtime_return(cudaError_t error);

/* cudaSuccess; or after a fault of a kernel what every call returns from then on. */
cudaError_t runtime_lost(void);

/* A kernel broke off, with the words for people: nothing works from now on, as on a GPU. */
cudaError_t runtime_fault(const char *words);

/* Something was asked for that cannot be simulated. Only the first is kept. Returns cudaErrorNotSupported. */
__attribute__((format(printf, 1, 2))) cudaError_t runtime_not_simulated(const char *format, ...);

/* Why the numbers of this process cannot be trusted, or its calls fail: words of runtime_fault ("kernels/x.cu:12: ...")
 * or "not simulated: cudaGraphLaunch"; NULL: nothing of that kind happened. */
const char *runtime_reason(void);

/* ---- Modules: cudart_modules.c ---- */

/* A function of the host that stands for one of the GPU. */
struct device_kernel {
    const void *host;
    struct binary *binary;
    const char *name;
    struct function *function; /* once it was asked for */
    bool has_dynamic_limit;
    unsigned dynamic_limit; /* most dynamic shared memory of a launch, where the program set it */
};

/* The kernel for a function of the host, or for what cudaGetKernel gave, with its machine code; the error of a call
 * that takes one otherwise, which is noted. */
cudaError_t runtime_kernel(struct device_kernel **kernel, const void *function);

/* Most dynamic shared memory that it may be launched with. */
unsigned kernel_dynamic_limit(const struct device_kernel *kernel);

/* A variable of the host that stands for one of the GPU, likewise. */
cudaError_t runtime_variable(struct variable **variable, const void *symbol);

/* Whether any machine code was registered. */
bool runtime_has_code(void);

/* ---- The GPU: gpu.h; NULL before it is set ---- */

struct gpu;
void runtime_set_gpu(const struct gpu *gpu);
const struct gpu *runtime_gpu(void);

/* The value of an attribute of the GPU; false after runtime_not_simulated() where its description lacks it. */
bool runtime_attribute(int *value, enum cudaDeviceAttr attribute);

/* Gives a name to the same function that programs use which were compiled for a default stream a thread. */
#define ALSO(name, suffix) extern __typeof(name) name##suffix __attribute__((alias(#name)))

#endif
