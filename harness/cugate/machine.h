/* cugate/machine.h - executes machine code of NVIDIA's GPUs on the CPU, counts what each instruction does, and finds
 * faults. It needs no GPU and no CUDA. Code is decoded by NVIDIA's nvdisasm 13.2 or later: that beside the library,
 * which cugate-fetch gets, the one that the variable CUGATE_NVDISASM names, or that on the PATH. C11 and C++11. Link
 * with: pkg-config --cflags --libs cugate_machine
 *
 *     cugate_machine *machine;
 *     cugate_module *module;
 *     cugate_kernel *kernel;
 *     uint64_t x;
 *     if (cugate_open("h200", &machine) || cugate_load_file(machine, "a.cubin", &module) ||
 *         cugate_find_kernel(module, "twice", &kernel) || cugate_alloc(machine, 1024, &x))
 *         return fail(cugate_error());
 *     const void *arguments[] = {&x};
 *     const cugate_launch launch = {{1, 1, 1}, {256, 1, 1}, {0, 0, 0}, 0, 0, arguments, 1};
 *     if (cugate_run(kernel, &launch, NULL)) ...
 *     cugate_close(machine);
 *
 * Errors: a function that can fail returns a cugate_status, and CUGATE_OK is 0. Nothing is printed, and no error ends
 * the process. Ownership: cugate_close() frees a machine with all that it has handed out: modules, kernels, memory,
 * texts. What a caller passes is copied or only used during the call. Threads: a machine is used by one thread at a
 * time; only cugate_stop() may be called at any time. Machines share nothing; a process may have ten. Sizes are bytes.
 * Addresses of global memory are the GPU's. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CUGATE_MACHINE_INTERFACE 0 /* the number behind the library's .so: another one is not compatible */
const char *cugate_version(void);  /* of the library: "0.1.0" */

typedef enum cugate_status {
    CUGATE_OK,
    CUGATE_BAD_ARGUMENT,  /* NULL, an address or a size that is not allocated, a launch that a driver would refuse */
    CUGATE_BAD_FILE,      /* it cannot be read, is not a cubin, or is for another GPU */
    CUGATE_NOT_FOUND,     /* there is nothing of that name */
    CUGATE_NO_MEMORY,     /* beyond limits.bytes, or of this computer */
    CUGATE_NOT_SIMULATED, /* a GPU may execute it, and this library cannot; or nvdisasm is missing */
    CUGATE_FAULT,         /* the kernel did what is not allowed: cugate_last_fault() */
    CUGATE_LIMIT,         /* limits.steps or limits.seconds */
    CUGATE_STOPPED        /* cugate_stop() */
} cugate_status;
const char *cugate_status_name(cugate_status status); /* "out of memory" */
/* What the last call in this thread that failed has to say, in a sentence, until the next call there. */
const char *cugate_error(void);

typedef struct cugate_machine cugate_machine; /* a GPU and its memory */
typedef struct cugate_module cugate_module;   /* a cubin that it has loaded */
typedef struct cugate_kernel cugate_kernel;

/* ---- A machine, code, memory ---- */

/* gpu: "a100", "rtx3090", "rtx4090", "h100", "h200", "b200" or "rtx5090": code for another one is refused, as its
 * driver does. NULL: any code. */
cugate_status cugate_open(const char *gpu, cugate_machine **machine);
void cugate_close(cugate_machine *machine); /* NULL: does nothing */

typedef struct cugate_limits {
    uint64_t steps; /* instructions of warps that a launch may execute, to the next 256 of each; 0: any number */
    double seconds; /* that a launch may take; 0: any number */
    uint64_t bytes; /* that allocations, variables and the blocks of a launch may take; 0: this computer's memory */
} cugate_limits;
cugate_status cugate_set_limits(cugate_machine *machine, const cugate_limits *limits); /* for all that comes */

/* Ends the launch that is executed, or else the next one, which returns CUGATE_STOPPED. Any thread, signal handler and
 * hook may call it. */
void cugate_stop(cugate_machine *machine);

/* Loads machine code as `nvcc -cubin` writes it. */
cugate_status cugate_load(cugate_machine *machine, const void *bytes, size_t size, cugate_module **module);
cugate_status cugate_load_file(cugate_machine *machine, const char *path, cugate_module **module);

/* By the name in the source, "ns::saxpy" or "saxpy<float>" where it is the only one, or in the machine code. */
cugate_status cugate_find_kernel(cugate_module *module, const char *name, cugate_kernel **kernel);
cugate_kernel *cugate_kernel_at(cugate_module *module, size_t index); /* NULL: there are fewer */
/* A __device__ or __constant__ variable, by its name in the machine code. */
cugate_status cugate_find_variable(cugate_module *module, const char *name, uint64_t *address, size_t *size);

typedef struct cugate_parameter {
    size_t offset, size;
} cugate_parameter;
typedef struct cugate_kernel_info {
    const char *name;      /* in the machine code: "_Z5saxpyPKfPffi" */
    const char *signature; /* "saxpy(float const*, float*, float, int)"; of extern "C" the name */
    const cugate_parameter *parameters;
    size_t parameter_count;
    unsigned registers;    /* of a thread */
    unsigned shared_bytes; /* static, of a block */
    unsigned local_bytes;  /* of a thread */
    unsigned max_threads;  /* of a block, by __launch_bounds__; 0: it has none */
    size_t instruction_count;
} cugate_kernel_info;
cugate_status cugate_describe_kernel(const cugate_kernel *kernel, cugate_kernel_info *info);

/* Global memory. What is allocated is zeros. */
cugate_status cugate_alloc(cugate_machine *machine, size_t size, uint64_t *address);
cugate_status cugate_free(cugate_machine *machine, uint64_t address);
cugate_status cugate_write(cugate_machine *machine, uint64_t address, const void *bytes, size_t size);
cugate_status cugate_read(cugate_machine *machine, uint64_t address, void *bytes, size_t size);
/* The same bytes in this process, until they are freed; NULL: they are not in one allocation. */
void *cugate_host_pointer(cugate_machine *machine, uint64_t address, size_t size);

/* ---- Launches ---- */

typedef struct cugate_launch {
    unsigned grid[3];             /* blocks */
    unsigned block[3];            /* threads */
    unsigned cluster[3];          /* blocks; zeros: what the kernel was compiled for */
    unsigned shared;              /* dynamic shared memory in bytes; no attribute has to be set for more than 48 KiB */
    int cooperative;              /* it may wait for all blocks; whether all fit the GPU at once is not checked */
    const void *const *arguments; /* a pointer to the value of each, as cuLaunchKernel() has it */
    size_t argument_count;
} cugate_launch;

/* What one instruction did. A warp of which some threads are elsewhere executes an instruction several times. */
typedef struct cugate_tally {
    uint64_t executed;                     /* by warps */
    uint64_t threads, predicated_on;       /* of these warps; those whose predicate is true */
    uint64_t uniform, divergent;           /* branches that all threads take in one way, or not */
    uint64_t accesses;                     /* to memory */
    uint64_t sectors, ideal_sectors;       /* 32 bytes of global and local memory; if accesses were coalesced */
    uint64_t wavefronts, ideal_wavefronts; /* passes through shared memory; without bank conflicts */
    uint64_t atomics;                      /* on global memory, of each thread */
} cugate_tally;

/* Executes a launch to its end. tallies: NULL, or one for each instruction, to which is added. Races between warps
 * of a block and deadlocks are faults; races between blocks are not looked for. What kernels print goes to standard
 * output. After a fault memory is as it was left, and the machine may be used on; after CUGATE_NO_MEMORY of this
 * computer it may only be closed. */
cugate_status cugate_run(cugate_kernel *kernel, const cugate_launch *launch, cugate_tally *tallies);

typedef enum cugate_fault_kind {
    CUGATE_FAULT_OTHER, /* a race, a deadlock, a trap: the text says what */
    CUGATE_FAULT_ADDRESS,
    CUGATE_FAULT_MISALIGNED,
    CUGATE_FAULT_CLUSTER, /* shared memory of a block that the cluster lacks */
    CUGATE_FAULT_ASSERT
} cugate_fault_kind;
typedef struct cugate_fault {
    cugate_fault_kind kind;
    cugate_kernel *kernel;
    size_t instruction;
    unsigned block[3];
    const char *text; /* until the next launch */
} cugate_fault;
cugate_status cugate_last_fault(cugate_machine *machine, cugate_fault *fault); /* of the last launch */

typedef enum cugate_access { CUGATE_READS = 1, CUGATE_WRITES = 2 } cugate_access; /* an atomic is both */
typedef enum cugate_space {
    CUGATE_GLOBAL = 1,
    CUGATE_SHARED = 2,
    CUGATE_LOCAL = 4,
    CUGATE_CLUSTER = 8 /* shared memory of another block of the cluster */
} cugate_space;

typedef struct cugate_instruction {
    const char *opcode; /* "LDG.E.128" */
    const char *file;   /* NULL: compile with -lineinfo */
    unsigned line;
    unsigned access, spaces; /* bits of these; a generic address may be in several spaces */
} cugate_instruction;
cugate_status cugate_describe_instruction(cugate_kernel *kernel, size_t index, cugate_instruction *instruction);

typedef struct cugate_line {
    const char *file; /* NULL: what no line is known of */
    unsigned line;
    cugate_tally tally;
} cugate_line;
/* Adds up tallies by line, in the order of the code. Sets *count, and `most` lines at most. */
cugate_status cugate_tally_lines(cugate_kernel *kernel, const cugate_tally *tallies, cugate_line *lines, size_t most,
                                 size_t *count);

/* ---- Hooks ---- */

typedef enum cugate_hook_kind {
    CUGATE_HOOK_INSTRUCTION, /* a warp is about to execute one */
    CUGATE_HOOK_ACCESS,      /* to global or shared memory; it is done */
    CUGATE_HOOK_BARRIER,     /* warps of a block have met */
    CUGATE_HOOK_FAULT,
    CUGATE_HOOK_KINDS
} cugate_hook_kind;

typedef struct cugate_event {
    cugate_hook_kind kind;
    cugate_kernel *kernel;
    size_t instruction; /* its index; of a barrier 0 */
    unsigned block[3], warp;
    uint32_t lanes; /* that do it, a bit each: threads whose predicate is true */
    uint32_t warps; /* that have met at a barrier, a bit each */
    /* Of an access. Copies by the hardware (TMA), products of matrices and accesses to the cluster are told as lane
     * 0's, of any size. Not told: local memory, textures, surfaces, and
     * what barriers in memory count. */
    unsigned access;             /* CUGATE_READS, CUGATE_WRITES */
    cugate_space space;          /* one of them */
    uint64_t bytes;              /* of each lane */
    const uint64_t *addresses;   /* of 32 lanes; of shared memory as the code has them: from 1,024 on since 9.0 */
    const unsigned char *values; /* what is there now, of lane l from l * bytes on */
    const cugate_fault *fault;   /* of a fault */
    const void *state;           /* of the warp, for the functions below */
} cugate_event;
/* What it points to is there during the call. The function may read and write memory, stop the machine and describe
 * instructions; it may not launch, load, allocate or free. */
typedef void cugate_hook_function(const cugate_event *event, void *user);
/* One function for each kind; NULL removes it. With any, one thread executes a launch, in the same order each time. */
cugate_status cugate_hook(cugate_machine *machine, cugate_hook_kind kind, cugate_hook_function *function, void *user);

/* For a hook: R0 to R255, UR0 to UR63, P0 to P7 (a bit for each lane) of the warp. At an access they are as the
 * instruction has left them. */
cugate_status cugate_register(const cugate_event *event, unsigned number, unsigned lane, uint32_t *value);
cugate_status cugate_uniform_register(const cugate_event *event, unsigned number, uint32_t *value);
cugate_status cugate_predicate(const cugate_event *event, unsigned number, uint32_t *lanes);

#ifdef __cplusplus
}
#endif
