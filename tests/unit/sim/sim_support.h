/* Machine code for tests of the simulator, and the runtime with a GPU and that code in it. */
#ifndef SIM_SUPPORT_H
#define SIM_SUPPORT_H

#include <cuda_runtime_api.h>
#include <stddef.h>

/* Compiles device code with nvcc; how is "-cubin" or "-fatbin". Caller frees. Without nvcc the test is skipped. */
unsigned char *sim_compile(const char *source, const char *how, size_t *size);

/* Gives the runtime the GPU of metrics/gpus/nvidia-h200.ini. */
void sim_open_gpu(void);

/* The same, then registers the code as nvcc's host code does; what begin to be its kernels and variables follows. */
void **sim_register(const char *source);
void sim_register_kernel(void **binary, const char *host, const char *name);
void sim_register_variable(void **binary, char *host, const char *name);

#endif
