/* device_heap.h - the memory that kernels allocate by malloc() and new. */
#ifndef DEVICE_HEAP_H
#define DEVICE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sets how many bytes kernels may allocate, cudaLimitMallocHeapSize. It counts before the heap is opened. */
void heap_set_limit(size_t bytes);

/* Makes the heap, where there is none yet. False: there is no memory. Nothing may be launched meanwhile. */
bool heap_open(void);

/* Returns the address of memory of the GPU, a multiple of 16; 0: there is none left. Any thread may call it. */
uint64_t heap_allocate(uint64_t bytes);
/* False: heap_allocate() did not return that address, or it is free already. */
bool heap_free(uint64_t address);

#endif
