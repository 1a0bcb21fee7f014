/* made_program.h - the made programs. They are one binary, linked with libcuda.so.1 and nothing else of CUDA, whose
 * first argument says what it does. Each prints a line by which a test can tell that it ran as it would alone. Without
 * a GPU it runs with the stand-in (standin.h). It asks nothing of the driver that a real one lacks. */
#pragma once

#include <cuda.h>

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Machine code of kernels.cu, of its OTHER build, and the first without its lines. */
extern const char _binary_kernels_cubin_start[];
extern const char _binary_other_cubin_start[];
extern const char _binary_unlined_cubin_start[];

enum { NUMBERS = 256 }; /* numbers that kernels work on */

/* A context that is current, a module, and NUMBERS numbers in device memory. */
struct gpu {
    CUcontext context;
    CUmodule module;
    CUdeviceptr numbers;
};

/* These are in gpu.c, which the tests use too. must() ends the program with exit code 1 when a call of the driver
 * failed. */
void must(CUresult result, const char *what);
#define MUST(call) must(call, #call)

void gpu_open(struct gpu *gpu, int device);
void gpu_use(struct gpu *gpu, CUcontext context, const char *cubin); /* the context has to be current */
void gpu_close(struct gpu *gpu);
int gpu_sum(const struct gpu *gpu); /* returns the sum of the numbers */

/* Launches a kernel on the numbers with so many blocks and threads. */
CUresult try_launch(const struct gpu *gpu, const char *kernel, unsigned blocks, unsigned threads, CUstream stream);
void launch(const struct gpu *gpu, const char *kernel, unsigned blocks, unsigned threads);
void launch_on(const struct gpu *gpu, const char *kernel, unsigned blocks, unsigned threads, CUstream stream);
void launch_value(const struct gpu *gpu, const char *kernel, unsigned blocks, unsigned threads, int value);
/* Launches one block of NUMBERS threads, with another count and value than is usual. */
CUresult launch_numbers(const struct gpu *gpu, const char *kernel, int count, int value);
/* Opens a GPU, makes launches, and prints a line that is there however the program ends. */
void launch_first(struct gpu *gpu, int argc, char **argv, const char *name);
/* Makes launch i of a fixed sequence: eight groups of six kernels, 2 to 324 us. Two of the kernels have one name, in
 * two shapes. */
void launch_mixed(const struct gpu *gpu, int i);
void launch_some(const struct gpu *gpu, int count); /* makes the first `count` launches of that sequence */

/* A row of a table of programs. To add one: a function and a row in one of the files made_*.c. A program has one of
 * four functions. run gets the arguments behind the name, and returns the exit code; on_gpu a GPU besides. launches
 * gets a GPU and a number, the first argument or `count`, and returns how many launches it made, which are said. end
 * gets a GPU on which launch_first() was. */
struct program {
    const char *name;
    const char *doc;
    int (*run)(int argc, char **argv);
    int (*on_gpu)(struct gpu *gpu, int argc, char **argv);
    int (*launches)(struct gpu *gpu, int count);
    int count;
    void (*end)(struct gpu *gpu);
};

extern const struct program programs_of_launches[], programs_of_graphs[], programs_of_ends[], programs_of_processes[],
    programs_of_strangers[], programs_of_memory[];

/* Returns the i-th argument as a number; `otherwise` if there is none. */
int argument(int argc, char **argv, int i, int otherwise);
int echo(int argc, char **argv);
