/* A made program that is not linked with the driver. It opens the driver when it runs, and asks cuGetProcAddress for
 * all functions. The CUDA runtime does the same, even where it is linked statically. The program launches a kernel 20
 * times. */
#include <cudaTypedefs.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

extern const char _binary_kernels_cubin_start[];

static PFN_cuGetProcAddress_v12000 find;

static void must(int result, const char *what)
{
    if (result == 0)
        return;
    fprintf(stderr, "late: %s: error %d\n", what, result);
    exit(1);
}

#define FIND(function, name) must(find(name, (void **)&(function), CUDA_VERSION, 0, NULL), name)

int main(void)
{
    enum { NUMBERS = 256 };
    PFN_cuInit_v2000 init;
    PFN_cuDevicePrimaryCtxRetain_v7000 retain;
    PFN_cuCtxSetCurrent_v4000 set_current;
    PFN_cuModuleLoadData_v2000 load;
    PFN_cuModuleGetFunction_v2000 get_function;
    PFN_cuMemAlloc_v3020 allocate;
    PFN_cuMemFree_v3020 free_memory;
    PFN_cuMemcpyDtoH_v3020 copy;
    PFN_cuLaunchKernel_v4000 launch;
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (driver)
        *(void **)&find = dlsym(driver, "cuGetProcAddress_v2");
    if (!find) {
        fprintf(stderr, "late: %s\n", dlerror());
        return 1;
    }
    FIND(init, "cuInit");
    FIND(retain, "cuDevicePrimaryCtxRetain");
    FIND(set_current, "cuCtxSetCurrent");
    FIND(load, "cuModuleLoadData");
    FIND(get_function, "cuModuleGetFunction");
    FIND(allocate, "cuMemAlloc");
    FIND(free_memory, "cuMemFree");
    FIND(copy, "cuMemcpyDtoH");
    FIND(launch, "cuLaunchKernel");

    CUcontext context;
    CUmodule module;
    CUfunction function;
    CUdeviceptr numbers;
    int count = NUMBERS, value = 0, out[NUMBERS] = {0}, sum = 0;
    void *parameters[] = {&numbers, &count, &value};
    must((int)init(0), "cuInit");
    must((int)retain(&context, 0), "cuDevicePrimaryCtxRetain");
    must((int)set_current(context), "cuCtxSetCurrent");
    must((int)load(&module, _binary_kernels_cubin_start), "cuModuleLoadData");
    must((int)get_function(&function, module, "add_one"), "cuModuleGetFunction");
    must((int)allocate(&numbers, sizeof out), "cuMemAlloc");
    must((int)copy(out, numbers, sizeof out), "cuMemcpyDtoH");
    sum -= out[0];
    for (int i = 0; i < 20; i++)
        must((int)launch(function, 64, 1, 1, 256, 1, 1, 0, NULL, parameters, NULL), "cuLaunchKernel");
    must((int)copy(out, numbers, sizeof out), "cuMemcpyDtoH");
    sum += out[0];
    must((int)free_memory(numbers), "cuMemFree");
    printf("late: 20 launches, sum %d\n", sum);
    return 0;
}
