#include "device_heap.h"

#include "device_memory.h"

#include "base/base.h"

#include <pthread.h>

/* Pieces are as large as a power of two, from the first size on. A piece that was freed is the next of its size. */
enum { FIRST_BITS = 5, SIZES = 40, PIECE = 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t limit = 8 << 20; /* CUDA's, before a program sets it */
static size_t used;
static uint64_t begin, next, end; /* of the heap; of what was never allocated */
static unsigned char *sizes;      /* 1 + the size of the piece that begins at each unit; 0: none does */
static struct pieces {
    uint64_t *list;
    size_t count;
} pieces[SIZES];

void heap_set_limit(size_t bytes)
{
    limit = bytes;
}

bool heap_open(void)
{
    if (begin)
        return true;
    /* A piece may be twice as large as what is asked for, or as the smallest one. */
    const size_t size = 2 * limit + (1 << FIRST_BITS);
    begin = next = (uint64_t)(uintptr_t)device_allocate(size);
    end = begin + size;
    sizes = begin ? x_calloc(size / PIECE + 1, 1) : NULL;
    return begin != 0;
}

static unsigned size_of(uint64_t bytes)
{
    unsigned size = 0;
    while (size < SIZES && UINT64_C(1) << (size + FIRST_BITS) < bytes)
        size++;
    return size;
}

uint64_t heap_allocate(uint64_t bytes)
{
    const unsigned size = size_of(bytes);
    const uint64_t whole = UINT64_C(1) << (size + FIRST_BITS);
    uint64_t address = 0;
    pthread_mutex_lock(&lock);
    if (size < SIZES && bytes > 0 && used + bytes <= limit) {
        if (pieces[size].count > 0)
            address = pieces[size].list[--pieces[size].count];
        else if (whole <= end - next)
            address = next;
        next += address == next ? whole : 0;
    }
    if (address) {
        sizes[(address - begin) / PIECE] = (unsigned char)(size + 1);
        used += whole / 2;
    }
    pthread_mutex_unlock(&lock);
    return address;
}

bool heap_free(uint64_t address)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    if (begin && address >= begin && address < next && address % PIECE == 0) {
        unsigned char *size = &sizes[(address - begin) / PIECE];
        found = *size > 0;
        if (found) {
            struct pieces *free_ones = &pieces[*size - 1];
            *ARRAY_GROW(free_ones->list, free_ones->count) = address;
            used -= (UINT64_C(1) << (*size - 1 + FIRST_BITS)) / 2;
        }
        *size = 0;
    }
    pthread_mutex_unlock(&lock);
    return found;
}
