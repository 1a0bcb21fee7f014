/* inputs.h - the hash of everything that the kernels of this process are given. It covers what the host does to the
 * GPU's memory, and all launches with their code and arguments. What a launch leaves in memory follows from these, so
 * the hash is the same in a process that executes nothing. Any thread may call. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum input {
    INPUT_ALLOCATED, /* numbers: address, size */
    INPUT_FREED,     /* numbers: address */
    INPUT_COPIED,    /* numbers: destination, source on the GPU or 0 for the host; then INPUT_ROWS follows */
    INPUT_FILLED,    /* numbers: destination, value, size of an element */
    INPUT_ROWS,      /* numbers: pitch, width, height of the copy or fill before */
    INPUT_BYTES,
    INPUT_LAUNCHED, /* numbers: blocks, threads, shared memory, whether it is cooperative */
};

/* Adds an input to the hash: numbers, then bytes. Either may be empty. The order of calls matters. */
void inputs_add(enum input input, const uint64_t *numbers, size_t count, const void *bytes, size_t size);

/* Notes that inputs are unknown from now on. They depend on results that the host has read, or on memory that it
 * changes without a call. */
void inputs_hide(void);

/* Says that launches are not executed from now on. Then large fills, and large copies within the GPU's memory, are not
 * made either. A program that reads back what they leave sees other bytes, but its inputs are unknown then in any case.
 */
void inputs_alone(void);

/* Whether such a copy or fill of that many bytes is not made. */
bool inputs_suffice(size_t bytes);

/* Returns the hash of all inputs so far, in hexadecimal; NULL after inputs_hide(). Caller frees. */
char *inputs_hash(void);
