/* What programs of CUDA 12 call that 13 has otherwise, or not at all. */
#include "runtime.h"

#include <dlfcn.h>

bool runtime_lacks_edges(const char *function)
{
    static const char here = 0;
    Dl_info about;
    const bool is_12 = dladdr(&here, &about) && about.dli_fname && strstr(about.dli_fname, "/libcudart.so.12");
    if (is_12)
        runtime_not_simulated("%s of CUDA 12", function);
    return is_12;
}

/* Its structure has some more numbers, which begin at these bytes. */
static const struct {
    size_t at;
    enum cudaDeviceAttr attribute;
} added[] = {
    {348, cudaDevAttrClockRate},
    {384, cudaDevAttrGpuOverlap},
    {392, cudaDevAttrKernelExecTimeout},
    {404, cudaDevAttrComputeMode},
    {416, cudaDevAttrMaxTexture1DLinearWidth},
    {608, cudaDevAttrMemoryClockRate},
    {668, cudaDevAttrSingleToDoublePrecisionPerfRatio},
};

/* Between them are those of 13, which are at other places there. */
static const struct {
    size_t from, to, size;
} moved[] = {{0, 0, 348},     {352, 352, 32}, {384, 388, 4},  {388, 396, 8},  {396, 408, 8},
             {404, 420, 188}, {592, 612, 28}, {624, 640, 28}, {652, 672, 20}, {672, 696, 84}};

enum { SIZE_12 = 1032 };

cudaError_t cudaGetDeviceProperties_v2(void *properties, int device);
cudaError_t cudaGetDeviceProperties_v2(void *properties, int device)
{
    struct cudaDeviceProp now;
    REFUSE(!properties, cudaErrorInvalidValue);
    CUDA_TRY(cudaGetDeviceProperties(&now, device));
    memset(properties, 0, SIZE_12);
    for (size_t i = 0; i < ARRAY_SIZE(moved); i++)
        memcpy((char *)properties + moved[i].to, (const char *)&now + moved[i].from, moved[i].size);
    for (size_t i = 0; i < ARRAY_SIZE(added); i++) {
        int value;
        if (!runtime_attribute(&value, added[i].attribute))
            return cudaErrorNotSupported;
        memcpy((char *)properties + added[i].at, &value, sizeof value);
    }
    return cudaSuccess;
}
