/* device_heap.h - the memory that kernels allocate by malloc() and new. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct machine;

enum { HEAP_LIMIT = 8 << 20, HEAP_SIZES = 40 }; /* the limit is CUDA's, before a program sets it */

/* A part of a machine. */
struct device_heap {
    size_t limit, used;        /* in bytes */
    uint64_t begin, next, end; /* of the heap; of what was never allocated */
    unsigned char *sizes;      /* 1 + the size of the piece that begins at each unit; 0: none does */
    struct pieces {
        uint64_t *list;
        size_t count;
    } pieces[HEAP_SIZES]; /* that were freed, by size */
    struct device_heap *kept;
};
void heap_close(struct device_heap *heap);

/* Sets how many bytes kernels may allocate, cudaLimitMallocHeapSize. It counts before the heap is opened. */
void heap_set_limit(struct machine *machine, size_t bytes);

/* Makes the heap, where there is none yet. False: there is no memory. Nothing may be launched meanwhile. */
bool heap_open(struct machine *machine);

/* Keeps which pieces are allocated, and has it so again: for launches that are executed several times. */
void heap_keep(struct machine *machine);
void heap_restore(struct machine *machine);

/* Returns the address of memory of the GPU, a multiple of 16; 0: there is none left. Any thread may call it. */
uint64_t heap_allocate(struct machine *machine, uint64_t bytes);
/* False: heap_allocate() did not return that address, or it is free already. */
bool heap_free(struct machine *machine, uint64_t address);
