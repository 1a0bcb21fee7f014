#include "cudart/runtime.h"

#include <criterion/criterion.h>

#include "sim_support.h"

static char *allocate(size_t size)
{
    void *memory;
    sim_open_gpu();
    cr_assert_eq(cudaMalloc(&memory, size), cudaSuccess);
    cr_assert_eq(cudaMemset(memory, 0, size), cudaSuccess);
    return memory;
}

Test(cudart_memory, copies_go_both_ways_and_stay_inside)
{
    char *device = allocate(64), host[64];
    cr_expect_eq(cudaMemcpy(device + 60, "abcd", 4, cudaMemcpyHostToDevice), cudaSuccess);
    cr_expect_eq(cudaMemcpyAsync(host, device, 64, cudaMemcpyDefault, NULL), cudaSuccess);
    cr_expect_eq(memcmp(host + 60, "abcd", 4), 0);
    cr_expect_eq(cudaMemcpy(device + 61, "abcd", 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue, "a byte beyond");
    cr_expect_eq(cudaMemcpy(host, device + 1, 64, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    cr_expect_eq(cudaMemcpy(host, "abcd", 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue, "not from the device");
    cr_expect_eq(cudaMemcpy(host, device, 4, (enum cudaMemcpyKind)9), cudaErrorInvalidMemcpyDirection);
    cr_expect_eq(cudaMemset(device, 1, 65), cudaErrorInvalidValue);
    cr_expect_eq(cudaMemcpy(device, host, 0, cudaMemcpyHostToDevice), cudaSuccess);
    cr_expect_eq(cudaMemcpyPeer(device, 0, device + 32, 1, 4), cudaErrorInvalidDevice);
}

Test(cudart_memory, fresh_memory_of_a_program_is_not_zero)
{
    void *small, *large;
    unsigned char host[4];
    allocate(4);
    cudaMalloc(&small, 4);
    cr_expect_eq(cudaMemcpy(host, small, 4, cudaMemcpyDeviceToHost), cudaSuccess);
    cr_expect_eq(host[3], 0, "of a kernel library it is");
    runtime_now()->has_clock = true;
    cudaMalloc(&small, 4);
    cudaMalloc(&large, 64 << 20);
    cr_expect_eq(cudaMemcpy(host, small, 4, cudaMemcpyDeviceToHost), cudaSuccess);
    cr_expect_eq(host[3], 0x4b);
    cr_expect_eq(cudaMemcpy(host, large, 4, cudaMemcpyDeviceToHost), cudaSuccess);
    cr_expect_eq(host[3], 0);
}

Test(cudart_memory, rectangles)
{
    char *device = allocate(4 * 16), host[4 * 3];
    cr_expect_eq(cudaMemset2D(device + 1, 16, 'x', 3, 4), cudaSuccess);
    cr_expect_eq(cudaMemcpy2D(host, 3, device + 1, 16, 3, 4, cudaMemcpyDeviceToHost), cudaSuccess);
    cr_expect_eq(memcmp(host, "xxxxxxxxxxxx", sizeof host), 0);
    cr_expect_eq(device[0], 0);
    cr_expect_eq(device[4], 0);
    cr_expect_eq(cudaMemcpy2D(host, 2, device, 16, 3, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidPitchValue);
    cr_expect_eq(cudaMemset2D(device + 14, 16, 0, 3, 4), cudaErrorInvalidValue, "the last row ends beyond");
    cr_expect_eq(cudaMemset2D(device, (size_t)1 << 63, 0, 3, 3), cudaErrorInvalidValue, "and likewise by 2^64");
}

Test(cudart_memory, what_was_allocated_is_freed_once)
{
    size_t before, between, after, total;
    char *memory = allocate(1000);
    cudaMemGetInfo(&between, &total);
    cr_expect_eq(cudaFree(memory + 1), cudaErrorInvalidValue);
    cr_expect_eq(cudaFree(memory), cudaSuccess);
    cr_expect_eq(cudaFree(memory), cudaErrorInvalidValue);
    cr_expect_eq(cudaFree(NULL), cudaSuccess);
    cudaMemGetInfo(&after, &total);
    cr_expect_eq(after, between + 1000);
    cr_expect_eq(total, 150109880320u);
    void *none = memory;
    cr_expect_eq(cudaMalloc(&none, 0), cudaSuccess);
    cr_expect_null(none);
    cudaMemGetInfo(&before, &total);
    cr_expect_eq(cudaMalloc(&none, before + 1), cudaErrorMemoryAllocation, "more than the GPU has");
    cr_expect_null(none);
}

Test(cudart_memory, kinds_of_memory_are_told_apart)
{
    struct cudaPointerAttributes attributes;
    void *managed, *pinned, *mapped;
    char *device = allocate(16), host;
    cr_assert_eq(cudaMallocManaged(&managed, 16, cudaMemAttachGlobal), cudaSuccess);
    cr_assert_eq(cudaMallocHost(&pinned, 16), cudaSuccess);
    const struct {
        void *pointer;
        enum cudaMemoryType type;
    } rows[] = {
        {device + 15, cudaMemoryTypeDevice},
        {managed, cudaMemoryTypeManaged},
        {pinned, cudaMemoryTypeHost},
        {&host, cudaMemoryTypeUnregistered},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        cr_expect_eq(cudaPointerGetAttributes(&attributes, rows[i].pointer), cudaSuccess);
        cr_expect_eq(attributes.type, rows[i].type, "row %zu", i);
    }
    cr_expect_eq(cudaHostGetDevicePointer(&mapped, pinned, 0), cudaSuccess);
    cr_expect_eq(mapped, pinned);
    cr_expect_eq(cudaFreeHost(pinned), cudaSuccess);
}

Test(cudart_memory, rows_of_pitched_memory_begin_where_they_do_on_the_gpu)
{
    void *memory;
    size_t pitch;
    sim_open_gpu();
    cr_expect_eq(cudaMallocPitch(&memory, &pitch, 513, 2), cudaSuccess);
    cr_expect_eq(pitch, 1024);
    cr_expect_eq(cudaMemset(memory, 0, 2048), cudaSuccess);
    cr_expect_eq(cudaMallocPitch(&memory, &pitch, SIZE_MAX, 2), cudaErrorInvalidValue);
}

Test(cudart_memory, variables_are_copied_by_their_symbols)
{
    static char table, counter, stranger;
    int numbers[2];
    void **binary = sim_register("__constant__ int table[4] = {1, 2, 3, 4};\n__device__ int counter = 7;\n"
                                 "__global__ void k(int *out) { out[counter] = table[*out]; }\n");
    sim_register_variable(binary, &table, "table");
    sim_register_variable(binary, &counter, "counter");
    cr_expect_eq(cudaMemcpyToSymbol(&table, &(int){30}, 4, 8, cudaMemcpyHostToDevice), cudaSuccess);
    cr_expect_eq(cudaMemcpyFromSymbol(numbers, &table, 8, 8, cudaMemcpyDeviceToHost), cudaSuccess);
    cr_expect(numbers[0] == 30 && numbers[1] == 4);
    cr_expect_eq(cudaMemcpyToSymbol(&table, numbers, 8, 12, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    cr_expect_eq(cudaMemcpyToSymbol(&stranger, numbers, 4, 0, cudaMemcpyHostToDevice), cudaErrorInvalidSymbol);
    void *address;
    size_t size;
    cr_expect_eq(cudaGetSymbolAddress(&address, &counter), cudaSuccess);
    cr_expect_eq(cudaGetSymbolSize(&size, &table), cudaSuccess);
    cr_expect_eq(size, 16);
    cr_expect_eq(cudaMemcpy(numbers, address, 4, cudaMemcpyDeviceToHost), cudaSuccess);
    cr_expect_eq(numbers[0], 7);
}

Test(cudart_memory, memory_of_the_program_is_accessed_once_it_is_registered)
{
    char own[64] = "abc", other[64];
    void *device = NULL;
    struct cudaPointerAttributes attributes;
    char *memory = allocate(64);
    cr_expect_eq(cudaHostGetDevicePointer(&device, own, 0), cudaErrorInvalidValue);
    cr_expect_eq(cudaHostRegister(own, sizeof own, cudaHostRegisterDefault), cudaSuccess);
    cr_expect_eq(cudaHostRegister(own + 10, 4, 0), cudaErrorHostMemoryAlreadyRegistered);
    cr_expect_eq(cudaHostRegister(memory, 4, 0), cudaErrorHostMemoryAlreadyRegistered);
    cr_expect_eq(cudaHostGetDevicePointer(&device, own, 0), cudaSuccess);
    cr_expect_eq(device, own);
    cr_expect_eq(cudaPointerGetAttributes(&attributes, own + 1), cudaSuccess);
    cr_expect_eq(attributes.type, cudaMemoryTypeHost);
    cr_expect_eq(cudaMemcpy(memory, own, 64, cudaMemcpyDeviceToDevice), cudaSuccess);
    cr_expect_eq(cudaFree(own), cudaErrorInvalidValue);
    cr_expect_eq(cudaHostUnregister(own + 1), cudaErrorHostMemoryNotRegistered);
    cr_expect_eq(cudaHostUnregister(own), cudaSuccess);
    cr_expect_eq(cudaHostUnregister(own), cudaErrorHostMemoryNotRegistered);
    cr_expect_eq(cudaMemcpy(other, own, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
}

Test(cudart_memory, a_pool_counts_what_is_from_it)
{
    cudaMemPool_t pool, made;
    void *first, *second;
    uint64_t bytes = 1;
    int reuse = -1;
    const struct cudaMemPoolProps properties = {.allocType = cudaMemAllocationTypePinned,
                                                .location = {.type = cudaMemLocationTypeDevice}};
    sim_open_gpu();
    cr_assert_eq(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
    cr_expect_eq(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &reuse), cudaSuccess);
    cr_expect_eq(reuse, 1);
    cr_expect_eq(cudaMallocAsync(&first, 1000, NULL), cudaSuccess);
    cr_expect_eq(cudaMallocFromPoolAsync(&second, 500, pool, NULL), cudaSuccess);
    cr_expect_eq(cudaFreeAsync(first, NULL), cudaSuccess);
    cr_expect_eq(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &bytes), cudaSuccess);
    cr_expect_eq(bytes, 500);
    cr_expect_eq(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &bytes), cudaSuccess);
    cr_expect_eq(bytes, 1500);
    cr_expect_eq(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &bytes), cudaErrorInvalidValue);
    bytes = 0;
    cr_expect_eq(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &bytes), cudaSuccess);
    cr_expect_eq(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &bytes), cudaSuccess);
    cr_expect_eq(bytes, 500);
    cr_expect_eq(cudaMemPoolCreate(&made, &properties), cudaSuccess);
    cr_expect_eq(cudaDeviceSetMemPool(0, made), cudaSuccess);
    cr_expect_eq(cudaMallocAsync(&first, 10, NULL), cudaSuccess);
    cr_expect_eq(cudaMemPoolDestroy(made), cudaSuccess);
    cr_expect_eq(cudaFree(first), cudaSuccess);
    cr_expect_eq(cudaMemPoolDestroy(pool), cudaErrorInvalidValue);
}
