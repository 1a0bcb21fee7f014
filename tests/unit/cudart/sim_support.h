/* sim_support.h - makes machine code for tests of the simulator, and puts a GPU and that code into the CUDA runtime. */
#pragma once

#include <cuda_runtime_api.h>
#include <stddef.h>

/* Compiles device code with nvcc; `how` is "-cubin" or "-fatbin". Caller frees. Without nvcc the test is skipped. */
unsigned char *sim_compile(const char *source, const char *how, size_t *size);

/* Puts the GPU of metrics/gpus/nvidia-h200.ini into the CUDA runtime. */
void sim_open_gpu(void);

/* Does the same as sim_open_gpu(), then registers the code as nvcc's host code does. The test then registers kernels
 * and variables. */
void **sim_register(const char *source);
void sim_register_kernel(void **binary, const char *host, const char *name);
void sim_register_variable(void **binary, char *host, const char *name);
