/* module.h - an image of machine code as a program has loaded it: its functions, constants and variables. */
#pragma once

#include "architecture.h"

#include "machine/elf/elf.h"
#include "machine/sass/sass.h"

struct machine;

struct function {
    struct function_text text;
    struct module *module;
    struct entry entry;    /* arguments begin where its architecture says, or behind it */
    unsigned registers;    /* for each thread */
    unsigned stack_bytes;  /* local memory of a thread, without what the runtime keeps for calls */
    bool calls;            /* it has functions to call: the machine code does not tell how deep they call themselves */
    unsigned shared_bytes; /* static shared memory of a block, without what the system keeps */
    unsigned max_threads;  /* threads of the largest block; 0: not stated */
    struct code *code;     /* decoded at the first launch; NULL before that */
    unsigned char *bytes;  /* of linked code; NULL: the image's are */
};

/* A device variable, or a __constant__ one. */
struct variable {
    const char *name; /* borrowed from the image */
    uint64_t address;
    size_t size;
};

struct module {
    struct machine *machine; /* that has loaded it */
    struct image image;      /* of `bytes` */
    const struct architecture *architecture;
    unsigned char *bytes;
    size_t size;
    struct function *functions;
    size_t function_count;
    struct variable *variables;
    size_t variable_count;
    uint64_t *places;     /* the address of each section that is in memory; 0: it is not */
    unsigned char *bank3; /* __constant__ variables, as cudaMemcpyToSymbol leaves them; NULL: none */
    size_t bank3_size;
    unsigned char *bank4; /* addresses of variables; NULL: none */
    size_t bank4_size;
    struct line_table lines; /* opened when it is first needed */
    bool has_lines;
};

/* Reads a copy of an ELF image for a GPU. The module lives as long as its machine. NULL with *problem. */
struct module *module_open(struct machine *machine, const unsigned char *bytes, size_t size, struct problem *problem);
void module_release(struct module *module);
/* Sets its variables and constants as when it was opened. */
void module_reset(struct module *module);
/* Returns a module of the same image that the machine has; NULL: there is none. */
struct module *module_loaded(const struct machine *machine, const unsigned char *bytes, size_t size);
struct function *module_function(struct module *module, const char *name); /* NULL: there is none */
struct variable *module_variable(struct module *module, const char *name); /* NULL: there is none */

/* Sets the blocks of the clusters that a kernel was compiled for. False: it was compiled for none. */
bool module_cluster(const struct function *function, unsigned blocks[3]);

/* Returns the local memory of a thread, in bytes. Where a function has others to call, it includes what the runtime
 * keeps for them, cudaLimitStackSize, which module_set_call_stack sets. */
unsigned module_stack(const struct function *function);
void module_set_call_stack(struct machine *machine, size_t bytes);
#define MODULE_CALL_STACK 1024 /* before it is set */

/* Stands for the address of something that has none: functions, printf. No memory is at it. */
#define NOWHERE 0xfffe000000000000u
static inline uint64_t address_of_symbol(size_t number)
{
    return NOWHERE + ((uint64_t)number << 4);
}
static inline uint64_t symbol_at(uint64_t address)
{
    return address >= NOWHERE ? (address - NOWHERE) >> 4 : UINT64_MAX;
}

/* Returns the address of a variable or constant; 0: it has none. */
uint64_t module_address(const struct module *module, const GElf_Sym *symbol);
const char *module_symbol(const struct module *module, size_t number);
/* Links a function with those that it calls in other sections, if all that they refer to is known. In module_link.c. */
void module_link(struct function *function);
/* Finds the instruction at an address that code has of linked code. False: it is elsewhere. In module_link.c. */
bool module_place(const struct function *function, uint64_t address, uint32_t *index);
/* Returns the file and line of an instruction, as line_table_line(). */
char *module_line(const struct function *function, size_t index, unsigned *number);

/* Returns the place of an instruction, "kernels/a.cu:12" or "kernel(int)+0x40". Caller frees. */
char *code_place(const struct function *function, size_t index);

/* Returns the name of a function outside of the machine code, such as "__assertfail", that has this address in the
 * constants. NULL: there is none. */
const char *module_outside(const struct module *module, uint64_t address);
/* Returns what a function has that a linker of machine code put into it, of which most is not simulated, in words;
 * NULL: it has nothing of the kind. Caller frees. */
char *module_linked(const struct function *function);
/* Returns whether the machine code calls a function of that name outside of it. */
bool module_calls(const struct module *module, const char *name);

/* Returns the facts of cubin.h on a function, such as barriers and name. Their code is NULL before module_code(). */
const struct cubin_function *module_facts(const struct function *function);

/* Returns the hash of a function's machine code in hexadecimal, which the module owns. NULL after error(). */
const char *module_code(const struct function *function);

/* Returns the line information, which is read when it is first needed. */
const struct line_table *module_lines(struct module *module);
