/* inputs.h - what the kernels of this process are given, as one hash: all that the host does to the GPU's memory, and
 * the launches until now with their code and arguments. What a launch leaves in memory follows from these, so that they
 * tell the same of a process in which nothing is executed. Any thread may call. */
#ifndef INPUTS_H
#define INPUTS_H

#include <stddef.h>
#include <stdint.h>

enum input {
    INPUT_ALLOCATED, /* address, size */
    INPUT_FREED,     /* address */
    INPUT_COPIED,    /* to where, from where on the GPU, 0: from the host; then the bytes follow as rows */
    INPUT_FILLED,    /* where, with what */
    INPUT_ROWS,      /* pitch, width, height, of what comes before */
    INPUT_BYTES,
    INPUT_LAUNCHED, /* blocks, threads, shared memory, cooperative or not */
};

/* Adds what was given, in the order in which it was: numbers, then bytes, either of which may be none. */
void inputs_add(enum input input, const uint64_t *numbers, size_t count, const void *bytes, size_t size);

/* What is given from now on hangs on more than what is added: on results that the host has read, or on memory that it
 * changes without a call. */
void inputs_hide(void);

/* All that was given, in hexadecimal; NULL after inputs_hide(). Caller frees. */
char *inputs_hash(void);

#endif
