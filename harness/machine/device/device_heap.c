#include "device.h"

/* Pieces are as large as a power of two, from the first size on. A piece that was freed is the next of its size. */
enum { FIRST_BITS = 5, PIECE = 16 };

void heap_close(struct device_heap *heap)
{
    for (unsigned size = 0; size < HEAP_SIZES; size++)
        free(heap->pieces[size].list);
    free(heap->sizes);
    if (heap->kept)
        heap_close(heap->kept);
    free(heap->kept);
}

/* Copies all but what is kept. */
static struct device_heap copy_of(const struct device_heap *heap)
{
    struct device_heap copy = *heap;
    const size_t sizes = (size_t)(heap->end - heap->begin) / PIECE + 1;
    copy.kept = NULL;
    copy.sizes = memcpy(x_calloc(sizes, 1), heap->sizes, sizes);
    for (unsigned size = 0; size < HEAP_SIZES; size++) {
        copy.pieces[size] = (struct pieces){0};
        for (size_t i = 0; i < heap->pieces[size].count; i++)
            *ARRAY_GROW(copy.pieces[size].list, copy.pieces[size].count) = heap->pieces[size].list[i];
    }
    return copy;
}

void heap_keep(struct machine *machine)
{
    struct device_heap *heap = &machine->heap;
    if (!heap->begin)
        return;
    if (heap->kept)
        heap_close(heap->kept);
    else
        heap->kept = x_calloc(1, sizeof *heap->kept);
    *heap->kept = copy_of(heap);
}

void heap_restore(struct machine *machine)
{
    struct device_heap *kept = machine->heap.kept;
    if (!kept)
        return;
    const struct device_heap copy = copy_of(kept);
    machine->heap.kept = NULL;
    heap_close(&machine->heap);
    machine->heap = copy;
    machine->heap.kept = kept;
}

void heap_set_limit(struct machine *machine, size_t bytes)
{
    machine->heap.limit = bytes;
}

bool heap_open(struct machine *machine)
{
    struct device_heap *heap = &machine->heap;
    if (heap->begin)
        return true;
    /* A piece may be twice as large as what is asked for, or as the smallest one. */
    const size_t size = 2 * heap->limit + (1 << FIRST_BITS);
    heap->begin = heap->next = device_allocate(machine, size);
    heap->end = heap->begin + size;
    heap->sizes = heap->begin ? x_calloc(size / PIECE + 1, 1) : NULL;
    return heap->begin != 0;
}

static unsigned size_of(uint64_t bytes)
{
    unsigned size = 0;
    while (size < HEAP_SIZES && UINT64_C(1) << (size + FIRST_BITS) < bytes)
        size++;
    return size;
}

uint64_t heap_allocate(struct machine *machine, uint64_t bytes)
{
    struct device_heap *heap = &machine->heap;
    const unsigned size = size_of(bytes);
    const uint64_t whole = UINT64_C(1) << (size + FIRST_BITS);
    uint64_t address = 0;
    pthread_mutex_lock(&machine->lock);
    if (size < HEAP_SIZES && bytes > 0 && heap->used + bytes <= heap->limit) {
        if (heap->pieces[size].count > 0)
            address = heap->pieces[size].list[--heap->pieces[size].count];
        else if (whole <= heap->end - heap->next)
            address = heap->next;
        heap->next += address == heap->next ? whole : 0;
    }
    if (address) {
        heap->sizes[(address - heap->begin) / PIECE] = (unsigned char)(size + 1);
        heap->used += whole / 2;
    }
    pthread_mutex_unlock(&machine->lock);
    return address;
}

bool heap_free(struct machine *machine, uint64_t address)
{
    struct device_heap *heap = &machine->heap;
    bool found = false;
    pthread_mutex_lock(&machine->lock);
    if (heap->begin && address >= heap->begin && address < heap->next && address % PIECE == 0) {
        unsigned char *size = &heap->sizes[(address - heap->begin) / PIECE];
        found = *size > 0;
        if (found) {
            struct pieces *free_ones = &heap->pieces[*size - 1];
            *ARRAY_GROW(free_ones->list, free_ones->count) = address;
            heap->used -= (UINT64_C(1) << (*size - 1 + FIRST_BITS)) / 2;
        }
        *size = 0;
    }
    pthread_mutex_unlock(&machine->lock);
    return found;
}
