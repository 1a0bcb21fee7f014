/* library.h - shared by the files of cugate/machine.h: what its handles are, and how its functions begin and end. */
#pragma once

#include "base/base.h"
#include "cugate/machine.h"
#include "machine/machine.h"

#include <setjmp.h>

struct cugate_kernel {
    cugate_module *module;
    struct function *function;
    char *signature;
    cugate_parameter *parameters;
    struct source_line {
        const char *file;
        unsigned number;
    } * lines; /* of each instruction; NULL: nobody has asked */
};

struct cugate_module {
    cugate_machine *machine;
    struct module *module;
    cugate_kernel *kernels;
    size_t kernel_count;
    cugate_module *next;
};

struct cugate_machine {
    struct machine *machine;
    int capability; /* 0: any */
    cugate_limits limits;
    struct client client;
    cugate_module *modules;
    char **files; /* names of source files, each once */
    size_t file_count;
    uint64_t *allocated; /* addresses by cugate_alloc() that are not freed; variables are none */
    size_t allocated_count;
    bool is_broken; /* there was no memory in the middle of something */
};

/* What a function of the library sets while it runs. */
struct call {
    cugate_machine *machine;
    jmp_buf out, *memory_before;
    struct problem problem, *problem_before;
    struct numeric numeric_before;
};

/* Begins: where this computer has no memory left, setjmp() of what it returns is not 0, as if it failed. */
jmp_buf *call_begin(struct call *call, cugate_machine *machine);
/* Ends, with CUGATE_OK or another status, of which call->problem has the text. */
cugate_status call_end(struct call *call, cugate_status status);
cugate_status call_without_memory(struct call *call);
/* Ends one that was not begun. */
__attribute__((format(printf, 2, 3))) cugate_status call_refused(cugate_status status, const char *format, ...);
/* The status of a problem of the machine: CUGATE_NOT_SIMULATED, or another one. */
cugate_status problem_status(const struct problem *problem, cugate_status other);

static inline void tally_add(cugate_tally *sum, const cugate_tally *more)
{
    for (size_t i = 0; i < sizeof *sum / sizeof(uint64_t); i++)
        ((uint64_t *)sum)[i] += ((const uint64_t *)more)[i];
}

/* Decodes the code of a kernel. */
cugate_status kernel_decode(cugate_kernel *kernel, struct problem *problem);
