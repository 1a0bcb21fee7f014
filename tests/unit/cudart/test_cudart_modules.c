#include "cudart/inputs.h"
#include "cudart/runtime.h"

#include <criterion/criterion.h>

#include "sim_support.h"

static const char source[] = "__managed__ int counter = 3;\n__global__ void add(int *out) { *out += counter; }\n";

void **__cudaRegisterFatBinary(void *container);
void __cudaUnregisterFatBinary(void **handle);
char __cudaInitModule(void **handle);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int ext, size_t size,
                              int constant, int global);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host);

Test(cudart_modules, kernels_are_found_by_what_stands_for_them)
{
    static const char host = 0, absent = 0;
    struct device_kernel *kernel;
    cudaKernel_t handle;
    cr_expect_not(runtime_now()->in_use);
    void **binary = sim_register(source);
    cr_expect(runtime_now()->in_use);
    sim_register_kernel(binary, &host, "_Z3addPi");
    sim_register_kernel(binary, &absent, "_Z4gonev");
    cr_assert_eq(runtime_kernel(&kernel, &host), cudaSuccess);
    cr_expect_str_eq(kernel->function->text.name, "_Z3addPi");
    cr_assert_eq(__cudaGetKernel(&handle, &host), cudaSuccess);
    struct device_kernel *again = NULL;
    cr_expect_eq(runtime_kernel(&again, handle), cudaSuccess);
    cr_expect_eq(again, kernel);
    cr_expect_eq(runtime_kernel(&again, &absent), cudaErrorInvalidDeviceFunction);
    cr_expect_eq(runtime_kernel(&again, &source), cudaErrorInvalidDeviceFunction);
    cr_expect_null(runtime_reason());
    __cudaUnregisterFatBinary(binary);
    cr_expect_eq(runtime_kernel(&again, &host), cudaErrorInvalidDeviceFunction, "its library was closed");
}

Test(cudart_modules, managed_variables_are_the_hosts_as_well)
{
    static int *pointer;
    void **binary = sim_register(source);
    __cudaRegisterManagedVar(binary, (void **)&pointer, NULL, "counter", 0, 4, 0, 0);
    cr_expect_not(device_has_shared(runtime_machine()));
    cr_expect(__cudaInitModule(binary));
    cr_assert_not_null(pointer);
    cr_expect_null(inputs_hash(), "what the host writes there is in no hash");
    void *pinned;
    cr_assert_eq(cudaMallocHost(&pinned, 16), cudaSuccess);
    cr_assert_eq(cudaFreeHost(pinned), cudaSuccess);
    cr_expect(device_has_shared(runtime_machine()), "all that it may read there is written");
    cr_expect_eq(*pointer, 3);
    struct cudaPointerAttributes attributes;
    cr_assert_eq(cudaPointerGetAttributes(&attributes, pointer), cudaSuccess);
    cr_expect_eq(attributes.type, cudaMemoryTypeManaged);
    cr_assert_eq(cudaPointerGetAttributes(&attributes, pointer + 1), cudaSuccess);
    cr_expect_eq(attributes.type, cudaMemoryTypeDevice, "what lies behind it");
}

Test(cudart_modules, a_reset_sets_variables_anew)
{
    static int *managed, *memory;
    static char host[4];
    int found[3] = {0}, *pointer = NULL;
    const int other = 9;
    void **binary = sim_register(
        "__managed__ int managed = 3; __device__ int first = 4, zero; __constant__ int constant = 5;__device__ int "
        "*points = &first;__global__ void sum(int *out) { *out = managed + *points + zero + constant; }");
    __cudaRegisterManagedVar(binary, (void **)&managed, NULL, "managed", 0, 4, 0, 0);
    static const char *const names[] = {"first", "zero", "constant", "points"};
    for (size_t i = 0; i < 4; i++)
        sim_register_variable(binary, &host[i], names[i]);
    sim_register_kernel(binary, host, "_Z3sumPi");
    cr_expect(__cudaInitModule(binary));
    cr_expect_eq(cudaMalloc((void **)&memory, 16), cudaSuccess);
    for (size_t i = 0; i < 3; i++)
        cr_expect_eq(cudaMemcpyToSymbol(&host[i], &other, sizeof other, 0, cudaMemcpyHostToDevice), cudaSuccess);
    cudaMemset(memory, 0, 16);
    cr_expect_eq(cudaMemcpyToSymbol(&host[3], &memory, sizeof memory, 0, cudaMemcpyHostToDevice), cudaSuccess);
    *managed = 7;
    cr_expect_eq(cudaDeviceReset(), cudaSuccess);
    cr_expect_eq(cudaFree(memory), cudaErrorInvalidValue, "memory is free");
    for (size_t i = 0; i < 3; i++)
        cudaMemcpyFromSymbol(&found[i], &host[i], sizeof other, 0, cudaMemcpyDeviceToHost);
    cr_expect_eq(found[0], 4);
    cr_expect_eq(found[1], 0);
    cr_expect_eq(found[2], 5);
    cudaMemcpyFromSymbol(&pointer, &host[3], sizeof pointer, 0, cudaMemcpyDeviceToHost);
    void *address = NULL;
    cudaGetSymbolAddress(&address, &host[0]);
    cr_expect_eq((void *)pointer, address, "it points to the other again");
    cr_expect_eq(*managed, 7, "a GPU leaves these");
    cudaMalloc((void **)&memory, 16);
    cr_expect_eq(cudaLaunchKernel(host, (dim3){1, 1, 1}, (dim3){1, 1, 1}, (void *[]){&memory}, 0, NULL), cudaSuccess);
    cudaMemcpy(found, memory, sizeof *found, cudaMemcpyDeviceToHost);
    cr_expect_eq(found[0], 7 + 4 + 0 + 5, "a kernel sees them so");
    cr_expect_null(runtime_reason());
}

Test(cudart_modules, code_for_other_gpus_is_not_simulated)
{
    static const char host = 0;
    struct device_kernel *kernel;
    /* A container without an image. */
    static const unsigned char empty[] = {0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    struct {
        int magic, version;
        const unsigned char *data;
        void *more;
    } wrapper = {0x466243b1, 1, empty, NULL};
    sim_open_gpu();
    sim_register_kernel(__cudaRegisterFatBinary(&wrapper), &host, "_Z3addPi");
    cr_expect_eq(runtime_kernel(&kernel, &host), cudaErrorNotSupported);
    cr_expect_str_eq(
        runtime_reason(),
        "not simulated: there is no machine code for compute capability 9.0: build with nvcc -arch=sm_90, or with "
        "CMAKE_CUDA_ARCHITECTURES=90, set before project() in a new build folder since CMake caches it");
}

Test(cudart_modules, another_form_of_registering_is_said)
{
    static const char host = 0;
    struct device_kernel *kernel;
    static struct {
        int magic, version;
        const void *data;
        void *more;
    } wrapper = {1234, 1, NULL, NULL};
    sim_open_gpu();
    sim_register_kernel(__cudaRegisterFatBinary(&wrapper), &host, "k");
    cr_expect_eq(runtime_kernel(&kernel, &host), cudaErrorNotSupported);
    cr_expect(strstr(runtime_reason(), "build it with nvcc 13"), "%s", runtime_reason());
}
