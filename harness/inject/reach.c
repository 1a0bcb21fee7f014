/* Finds the memory that a launch can reach: from its arguments, through pointers in memory. Any word of 8 bytes that is
 * an address of the GPU's may be a pointer. A false one only takes memory along that is not needed.
 *
 * Where allocations were made is noted when they are, so that most words are told apart without asking the driver. What
 * is there now, the driver says. It does not for memory that is mapped (cuMemMap), of which it names the whole
 * reservation, so that is followed. */
#include "driver_calls.h"

#include "keep.h"

enum { MISSES = 1 << 12 };

struct extent {
    uint64_t begin, end;
};

/* Where there ever was an allocation: sorted, apart from each other. */
static struct extent *noted;
static size_t noted_count;
/* What is mapped now: sorted. */
static struct extent *mapped;
static size_t mapped_count;

/* ---- Calls of the driver ---- */

/* Returns how many extents begin at or below that address. */
static size_t extents_below(const struct extent *extents, size_t count, uint64_t address)
{
    BISECT(first, count, i, extents[i].begin <= address);
    return first;
}

static const struct extent *extent_at(const struct extent *extents, size_t count, uint64_t address)
{
    const size_t at = extents_below(extents, count, address);
    return at > 0 && address < extents[at - 1].end ? &extents[at - 1] : NULL;
}

/* Joins those that overlap or touch. */
static void note(uint64_t begin, uint64_t size)
{
    struct extent extent = {begin, begin + size};
    size_t first = extents_below(noted, noted_count, begin), last = first;
    if (first > 0 && noted[first - 1].end >= begin)
        first--;
    while (last < noted_count && noted[last].begin <= extent.end)
        last++;
    if (first < last) {
        extent.begin = noted[first].begin < extent.begin ? noted[first].begin : extent.begin;
        extent.end = noted[last - 1].end > extent.end ? noted[last - 1].end : extent.end;
        memmove(&noted[first + 1], &noted[last], (noted_count - last) * sizeof *noted);
        noted_count -= last - first - 1;
    } else {
        (void)ARRAY_GROW(noted, noted_count);
        memmove(&noted[first + 1], &noted[first], (noted_count - 1 - first) * sizeof *noted);
    }
    noted[first] = extent;
}

static void note_map(uint64_t begin, uint64_t size)
{
    const size_t at = extents_below(mapped, mapped_count, begin);
    (void)ARRAY_GROW(mapped, mapped_count);
    memmove(&mapped[at + 1], &mapped[at], (mapped_count - 1 - at) * sizeof *mapped);
    mapped[at] = (struct extent){begin, begin + size};
    note(begin, size);
}

static void note_unmap(uint64_t begin, uint64_t size)
{
    size_t left = 0;
    for (size_t i = 0; i < mapped_count; i++)
        if (mapped[i].begin < begin || mapped[i].end > begin + size)
            mapped[left++] = mapped[i];
    mapped_count = left;
}

#define CALL(name) CUPTI_DRIVER_TRACE_CBID_##name

const CUpti_CallbackId reach_calls[] = {
    CALL(cuMemAlloc_v2),
    CALL(cuMemAllocPitch_v2),
    CALL(cuMemAllocManaged),
    CALL(cuMemAllocHost_v2),
    CALL(cuMemHostAlloc),
    CALL(cuMemHostRegister_v2),
    CALL(cuMemAllocAsync),
    CALL(cuMemAllocAsync_ptsz),
    CALL(cuMemAllocFromPoolAsync),
    CALL(cuMemAllocFromPoolAsync_ptsz),
    CALL(cuMemMap),
    CALL(cuMemUnmap),
    CALL(cuIpcOpenMemHandle_v2),
};
const size_t reach_call_count = ARRAY_SIZE(reach_calls);

void reach_take(CUpti_CallbackId id, const CUpti_CallbackData *call)
{
    const void *params = call->functionParams;
    if (call->callbackSite != CUPTI_API_EXIT || *(const CUresult *)call->functionReturnValue != CUDA_SUCCESS)
        return;
    if (id == CALL(cuMemAllocPitch_v2)) {
        const cuMemAllocPitch_v2_params *pitch = params;
        note(*pitch->dptr, *pitch->pPitch * pitch->Height);
    } else if (id == CALL(cuMemHostRegister_v2)) {
        const cuMemHostRegister_v2_params *host = params;
        note((uint64_t)(uintptr_t)host->p, host->bytesize);
    } else if (id == CALL(cuMemMap)) {
        const cuMemMap_params *map = params;
        note_map(map->ptr, map->size);
    } else if (id == CALL(cuMemUnmap)) {
        const cuMemUnmap_params *map = params;
        note_unmap(map->ptr, map->size);
    } else if (id == CALL(cuIpcOpenMemHandle_v2)) {
        CUdeviceptr base;
        size_t size;
        if (cuMemGetAddressRange_v2(&base, &size, *((const cuIpcOpenMemHandle_v2_params *)params)->pdptr) ==
            CUDA_SUCCESS)
            note(base, size);
    } else {
        /* The parameters of all others begin with the place of the address, and the size. */
        const cuMemAlloc_v2_params *memory = params;
        note(*memory->dptr, memory->bytesize);
    }
}

/* ---- What is there ---- */

/* Returns the mapped memory around that address: pieces that touch, since an array may lie in several. */
static struct extent mapped_around(const struct extent *piece)
{
    const struct extent *first = piece, *last = piece;
    while (first > mapped && first[-1].end == first->begin)
        first--;
    while (last + 1 < mapped + mapped_count && last[1].begin == last->end)
        last++;
    return (struct extent){first->begin, last->end};
}

/* Asks the driver for the allocation at that address. False: there is none. */
static bool ask(uint64_t address, struct reached *found)
{
    unsigned type = 0, managed = 0;
    int device = -1;
    CUdeviceptr begin = 0;
    size_t size = 0;
    CUpointer_attribute kinds[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                   CU_POINTER_ATTRIBUTE_RANGE_SIZE, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                   CU_POINTER_ATTRIBUTE_IS_MANAGED};
    void *values[] = {&type, &begin, &size, &device, &managed};
    if (cuPointerGetAttributes(ARRAY_SIZE(kinds), kinds, values, address) != CUDA_SUCCESS || type == 0)
        return false;
    const struct extent *piece = extent_at(mapped, mapped_count, address);
    const struct extent extent = piece ? mapped_around(piece) : (struct extent){begin, begin + size};
    if (extent.begin == 0 || extent.end <= extent.begin || address < extent.begin || address >= extent.end)
        return false;
    *found = (struct reached){
        .address = extent.begin,
        .size = extent.end - extent.begin,
        .kind = type == CU_MEMORYTYPE_HOST && !managed ? MEMORY_HOST : MEMORY_DEVICE,
        .device = type == CU_MEMORYTYPE_HOST ? -1 : device,
    };
    return true;
}

static bool is_in(const struct reach *reach, uint64_t address)
{
    return ANY(i, reach->count,
               address >= reach->list[i].address && address - reach->list[i].address < reach->list[i].size);
}

/* Takes a word that may be a pointer. A doubtful one may mean other memory, and is none to that of another GPU. */
static void follow(struct reach *reach, uint64_t word, bool is_doubtful)
{
    struct reached found;
    if (!reach->misses)
        reach->misses = x_calloc(MISSES, sizeof *reach->misses);
    uint64_t *miss = &reach->misses[(word >> 3) % MISSES];
    if (*miss == word || !extent_at(noted, noted_count, word) || is_in(reach, word))
        return;
    const bool is_there = ask(word, &found);
    if (is_there && is_doubtful && found.device >= 0 && found.device != reach->device)
        return;
    if (is_there)
        *ARRAY_GROW(reach->list, reach->count) = found;
    else
        *miss = word;
}

void reach_follow(struct reach *reach, const unsigned char *bytes, size_t size, size_t step)
{
    if (noted_count == 0)
        return;
    const uint64_t lowest = noted[0].begin, width = noted[noted_count - 1].end - lowest;
    for (size_t at = 0; at + sizeof(uint64_t) <= size; at += step) {
        uint64_t word;
        memcpy(&word, bytes + at, sizeof word);
        if (word - lowest > width)
            continue;
        follow(reach, word, false);
        follow(reach, word - 1, is_in(reach, word)); /* it may point right behind an array */
    }
}

void reach_release(struct reach *reach)
{
    for (size_t i = 0; i < reach->count; i++)
        free(reach->list[i].variable);
    free(reach->list);
    free(reach->misses);
    *reach = (struct reach){0};
}
