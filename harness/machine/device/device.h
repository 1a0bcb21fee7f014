/* device.h - the public header of a room that has one GPU as it stands: its memory, the images that it has loaded, its
 * textures, and what a workload left in memory. It executes nothing. */
#pragma once

#include "device_heap.h"
#include "device_memory.h"
#include "module.h"
#include "outcomes.h"
#include "texture.h"

#include <pthread.h>
#include <stdatomic.h>

struct machine {
    struct device_memory memory;
    struct device_heap heap;
    struct disassembler *disassembler;
    struct module **modules;
    size_t module_count;
    size_t call_stack;               /* of each thread of a function that has others to call, in bytes */
    const struct texture **textures; /* NULL: it was removed. The handle of a texture is its index + 1. */
    size_t texture_count;
    struct printed *printed;
    size_t printed_count;
    bool allows_outside; /* outside_allow() */
    const char **noted;
    size_t noted_count;
    uint64_t ns; /* of the clock when the launch begins, for %globaltimer */
    struct outcomes outcomes;
    struct touches *touched; /* NULL: nothing was asked yet */
    struct stream_races *stream_races;
    atomic_ullong changes; /* of memory by the host, and of what it sees without a call */
    struct headway *headway;
    struct left *left;    /* blocks of the last launch that were left out; NULL: none ever were */
    pthread_mutex_t lock; /* of what the threads of a launch change: the heap, what is printed, lines that are read, */
    pthread_mutex_t doubts;   /* and of what is told of a launch that does what it should not, */
    pthread_mutex_t changing; /* and of what memory held before it is written: outcomes */
};

/* Returns the bytes at an address of the GPU, or of the host. */
static inline unsigned char *device_bytes(const struct machine *machine, uint64_t address)
{
    const uint64_t apart = address - DEVICE_FIRST < DEVICE_SPAN ? machine->memory.apart : 0;
    return (unsigned char *)(uintptr_t)(address + apart); /* NOLINT(performance-no-int-to-ptr) */
}
