/* The made programs: one binary, linked with libcuda.so.1 and nothing else of CUDA, whose first argument says what it
 * does. Each prints a line by which a test can tell that it ran as it would alone. Without a GPU it runs with the
 * stand-in (standin.h); it asks nothing of the driver that a real one lacks. */
#pragma once

#include <cuda.h>

#include <stddef.h>

/* Machine code of kernels.cu, and of its OTHER build. */
extern const char _binary_kernels_cubin_start[];
extern const char _binary_other_cubin_start[];

enum { NUMBERS = 256 }; /* that kernels work on */

/* A context that is current, a module, and 256 numbers in device memory. */
struct gpu {
    CUcontext context;
    CUmodule module;
    CUdeviceptr numbers;
};

/* gpu.c, which the tests use too.
 * Ends the program, exit code 1, when the call of the driver failed. */
void must(CUresult result, const char *what);
#define MUST(call) must(call, #call)

void gpu_open(struct gpu *gpu, int device);
void gpu_use(struct gpu *gpu, CUcontext context, const char *cubin); /* of a context that is current */
void gpu_close(struct gpu *gpu);
int gpu_sum(const struct gpu *gpu); /* of the numbers */

/* Launches a kernel on so many numbers. */
CUresult try_launch(const struct gpu *gpu, const char *kernel, unsigned blocks, unsigned threads, CUstream stream);
void launch(const struct gpu *gpu, const char *kernel, unsigned blocks, unsigned threads);
void launch_on(const struct gpu *gpu, const char *kernel, unsigned blocks, unsigned threads, CUstream stream);
void launch_value(const struct gpu *gpu, const char *kernel, unsigned blocks, unsigned threads, int value);
/* The i-th of a fixed sequence: eight groups of six kernels, 2 to 324 us, two of them of one name in two shapes. */
void launch_mixed(const struct gpu *gpu, int i);
void launch_some(const struct gpu *gpu, int count); /* of that sequence, from its beginning */

/* A row of a table of programs. To add one: a function and a row in one of the files made_*.c. */
struct program {
    const char *name;
    const char *doc;
    int (*run)(int argc, char **argv); /* arguments behind the name; returns the exit code */
};

extern const struct program programs_of_launches[], programs_of_graphs[], programs_of_ends[], programs_of_processes[],
    programs_of_strangers[];

/* The i-th argument as a number. */
int argument(int argc, char **argv, int i, int otherwise);
int echo(int argc, char **argv);
