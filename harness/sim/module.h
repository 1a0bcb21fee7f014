/* module.h - one image of machine code as a program has it loaded: its functions, its constants, its variables. */
#ifndef MODULE_H
#define MODULE_H

#include "base/base.h"
#include "cubin/cubin.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code;

/* Where an argument of a launch goes: byte offset from the first parameter, and size. */
struct parameter {
    unsigned offset, size;
};

/* A symbol inside a function's section: what CALL names. */
struct code_symbol {
    const char *name; /* the image's */
    uint64_t offset;  /* bytes from the start of the section */
};

struct function {
    const char *name; /* as the machine code has it; the image's */
    struct module *module;
    const unsigned char *bytes; /* of its section: instructions of 16 bytes, with those of helpers that it calls */
    size_t size;
    struct parameter *parameters; /* in the order of the arguments */
    size_t parameter_count;
    unsigned parameter_base;  /* where they begin in constant bank 0: 0x210 or behind it */
    unsigned parameter_bytes; /* of all */
    unsigned registers;       /* a thread */
    unsigned stack_bytes;     /* local memory of a thread; with what the runtime keeps for calls, where it makes some */
    unsigned shared_bytes;    /* static shared memory of a block, without what the system keeps */
    unsigned max_threads;     /* largest block, 0: not said */
    struct code_symbol *symbols; /* all functions in its section */
    size_t symbol_count;
    struct code *code; /* decoded at the first launch; NULL before */
};

/* A device variable, or one of __constant__. */
struct variable {
    const char *name; /* the image's */
    unsigned char *address;
    size_t size;
};

struct module {
    struct image image; /* of bytes */
    unsigned char *bytes;
    size_t size;
    struct function *functions;
    size_t function_count;
    struct variable *variables;
    size_t variable_count;
    unsigned char *globals; /* .nv.global.init and .nv.global, in device memory */
    unsigned char *bank3;   /* __constant__ variables, as cudaMemcpyToSymbol leaves them; NULL: none */
    size_t bank3_size;
    unsigned char *bank4; /* addresses of variables; NULL: none */
    size_t bank4_size;
    struct line_table lines; /* opened when it is first asked for */
    bool has_lines;
};

/* Reads a copy of an ELF image for a GPU. NULL with *problem. Lives as long as the process. */
struct module *module_open(const unsigned char *bytes, size_t size, struct problem *problem);
struct function *module_function(struct module *module, const char *name); /* NULL: none */
struct variable *module_variable(struct module *module, const char *name); /* NULL: none */

/* The name of the function that is none of the machine code's and has this address in the constants: "__assertfail".
 * NULL: there is none. */
const char *module_outside(const struct module *module, uint64_t address);

/* What cubin.h says of a function: barriers, name. Its code is NULL before module_code(). */
const struct cubin_function *module_facts(const struct function *function);

/* The hash of its machine code, in hexadecimal; the module's. NULL after error(). */
const char *module_code(const struct function *function);

/* The line information, which is read when it is first asked for. */
const struct line_table *module_lines(struct module *module);

#endif
