/* Machine code as nvcc's host code registers it before main(). First comes a wrapper around a container of images
 * (cubin/cubin.c). Then come kernels and variables, by the addresses of what stands for them on the host. An image is
 * read when one of them is first needed. */
#include "runtime.h"

#include "base/base.h"
#include "cubin/cubin.h"
#include "machine/machine.h"
#include "model/model.h"

#include "inputs.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define WRAPPER_MAGIC 0x466243b1

/* The wrapper, as fatbinary_section.h describes it. */
struct wrapper {
    int magic, version;
    const unsigned char *data;
    void *more;
};

/* The machine code of one source file, or of a library whose device code was linked. */
struct binary {
    const unsigned char *container;
    struct module *module;
    bool was_opened;
    struct problem problem; /* why it has no module */
    bool lacks_code;        /* because it has none for this GPU */
    bool removed;
};

struct symbol {
    const void *host;
    struct binary *binary;
    const char *name;
};

struct managed {
    void **pointer; /* the variable of the host */
    struct binary *binary;
    const char *name;
    size_t size;
};

void runtime_set_gpu(const struct gpu *described)
{
    runtime_now()->gpu = *described;
}

const struct gpu *runtime_gpu(void)
{
    return *runtime_now()->gpu.name ? &runtime_now()->gpu : NULL;
}

bool runtime_attribute(int *value, enum cudaDeviceAttr attribute)
{
    const struct gpu *gpu = runtime_gpu();
    if ((int)attribute < 1 || (int)attribute >= GPU_ATTRIBUTES || !gpu || !gpu->known[attribute]) {
        runtime_not_simulated("the program asks for attribute %d of the GPU, which its description lacks",
                              (int)attribute);
        return false;
    }
    *value = gpu->attributes[attribute];
    return true;
}

bool runtime_has_code(void)
{
    return runtime_now()->binary_count > 0;
}

/* ---- Images ---- */

struct choice {
    int capability;       /* compute capability of the GPU */
    int best;             /* compute capability of the best image so far */
    unsigned char *bytes; /* a copy of it; owned */
    size_t size;
};

/* Takes the image that the driver would load. It has the same major number as the GPU, and the highest minor number
 * that is not above the GPU's. */
static int consider(void *data, const unsigned char *bytes, size_t size)
{
    struct choice *choice = data;
    struct image image;
    char *copy = x_calloc(size, 1);
    memcpy(copy, bytes, size);
    const bool read = image_read(&image, "the machine code of the kernel library", 0, copy, size) == 0;
    if (read && image.capability / 10 == choice->capability / 10 && image.capability <= choice->capability &&
        image.capability > choice->best) {
        choice->best = image.capability;
        free(choice->bytes);
        choice->bytes = x_calloc(size, 1);
        choice->size = size;
        memcpy(choice->bytes, bytes, size);
    }
    image_release(&image);
    free(copy);
    return 0;
}

static void open_binary(struct binary *binary)
{
    size_t unknown = 0;
    struct choice choice = {.capability = gpu_capability(runtime_gpu())};
    binary->was_opened = true;
    if (cubin_each_image_of("the kernel library", binary->container, &unknown, consider, &choice) < 0)
        problem_set(&binary->problem, "its machine code cannot be read, see the error above");
    else if (choice.bytes)
        binary->module = module_open(runtime_now()->machine, choice.bytes, choice.size, &binary->problem);
    else if (unknown > 0)
        problem_set(&binary->problem,
                    "its machine code is in a form that is not known here: build it with nvcc --compress-mode=none");
    else
        problem_set(&binary->problem,
                    "there is no machine code for compute capability %d.%d: build with nvcc -arch=sm_%d, or in CMake "
                    "with CMAKE_CUDA_ARCHITECTURES=%d",
                    choice.capability / 10, choice.capability % 10, choice.capability, choice.capability);
    binary->lacks_code = !choice.bytes && unknown == 0;
    free(choice.bytes);
}

/* Returns the module of a binary; NULL after runtime_not_simulated(). */
static struct module *module_of(struct binary *binary, const char *name)
{
    if (!runtime_gpu()) {
        runtime_not_simulated("%s was asked for before the GPU was opened", name);
        return NULL;
    }
    struct runtime *runtime = runtime_now();
    runtime_memory_begin(runtime);
    if (!binary->was_opened)
        open_binary(binary);
    runtime_memory_end(runtime);
    static const char prefix[] = "not simulated: ";
    const char *words = binary->problem.text;
    if (!binary->module && binary->lacks_code) { /* so do all others, and one cause is told in the same words */
        runtime_not_simulated("%s", words);
    } else if (!binary->module) {
        char *plain = x_strdup(name);
        demangle((char **[]){&plain}, 1);
        runtime_not_simulated("%s: %s", plain,
                              strncmp(words, prefix, strlen(prefix)) == 0 ? words + strlen(prefix) : words);
        free(plain);
    }
    return binary->module;
}

/* ---- Kernels and variables ---- */

static struct device_kernel *find_kernel(const void *function)
{
    struct runtime *runtime = runtime_now();
    for (size_t i = 0; i < runtime->kernel_count; i++)
        if ((runtime->kernels[i]->host == function || runtime->kernels[i] == function) &&
            !runtime->kernels[i]->binary->removed)
            return runtime->kernels[i];
    return NULL;
}

cudaError_t runtime_kernel(struct device_kernel **found, const void *function)
{
    struct device_kernel *kernel = find_kernel(function);
    if (!kernel)
        return runtime_return(cudaErrorInvalidDeviceFunction);
    if (!kernel->function) {
        struct module *module = module_of(kernel->binary, kernel->name);
        if (!module)
            return cudaErrorNotSupported;
        kernel->function = module_function(module, kernel->name);
        if (!kernel->function)
            return runtime_return(cudaErrorInvalidDeviceFunction);
    }
    *found = kernel;
    return cudaSuccess;
}

unsigned kernel_dynamic_limit(const struct device_kernel *kernel)
{
    const unsigned block = (unsigned)runtime_gpu()->attributes[cudaDevAttrMaxSharedMemoryPerBlock];
    if (kernel->has_dynamic_limit)
        return kernel->dynamic_limit;
    return kernel->function->shared_bytes < block ? block - kernel->function->shared_bytes : 0;
}

cudaError_t runtime_variable(struct variable **variable, const void *host)
{
    struct runtime *runtime = runtime_now();
    for (size_t i = 0; i < runtime->symbol_count; i++) {
        if (runtime->symbols[i].host != host || runtime->symbols[i].binary->removed)
            continue;
        struct module *module = module_of(runtime->symbols[i].binary, runtime->symbols[i].name);
        if (!module)
            return cudaErrorNotSupported;
        *variable = module_variable(module, runtime->symbols[i].name);
        if (*variable)
            return cudaSuccess;
    }
    return runtime_return(cudaErrorInvalidSymbol);
}

bool runtime_is_managed(const void *pointer)
{
    const struct runtime *runtime = runtime_now();
    bool found = false;
    for (size_t i = 0; i < runtime->managed_count; i++) {
        const uintptr_t begin = (uintptr_t)*runtime->managed[i].pointer, at = (uintptr_t)pointer;
        found |= begin && at >= begin && at - begin < runtime->managed[i].size;
    }
    return found;
}

static void reset_module(const struct binary *binary)
{
    const struct runtime *runtime = runtime_now();
    unsigned char **kept = x_calloc(runtime->managed_count + 1, sizeof *kept);
    for (int after = 0; after < 2; after++) {
        for (size_t i = 0; i < runtime->managed_count; i++) {
            const struct managed *managed = &runtime->managed[i];
            struct variable *variable =
                managed->binary == binary ? module_variable(binary->module, managed->name) : NULL;
            unsigned char *bytes = variable ? device_bytes(runtime->machine, variable->address) : NULL;
            if (bytes && after)
                memcpy(bytes, kept[i], variable->size);
            else if (bytes)
                kept[i] = memcpy(x_calloc(variable->size, 1), bytes, variable->size);
        }
        if (!after)
            module_reset(binary->module);
    }
    for (size_t i = 0; i < runtime->managed_count; i++)
        free(kept[i]);
    free(kept);
}

void runtime_reset_variables(void)
{
    static const char word[] = "reset";
    const struct runtime *runtime = runtime_now();
    for (size_t i = 0; i < runtime->binary_count; i++)
        if (runtime->binaries[i]->module)
            reset_module(runtime->binaries[i]);
    inputs_add(INPUT_BYTES, NULL, 0, word, sizeof word);
}

/* ---- What nvcc's host code calls ---- */

void **__cudaRegisterFatBinary(void *container);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
char __cudaInitModule(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int threads, uint3 *thread,
                            uint3 *block, dim3 *block_size, dim3 *grid_size, int *warp);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t size, int constant,
                       int global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int ext, size_t size,
                              int constant, int global);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host);

void **__cudaRegisterFatBinary(void *container)
{
    const struct wrapper *wrapper = container;
    struct binary *binary = x_calloc(1, sizeof *binary);
    if (wrapper->magic == WRAPPER_MAGIC) {
        binary->container = wrapper->data;
    } else {
        binary->was_opened = true;
        problem_set(&binary->problem, "the form in which its machine code is registered is not known here: build it "
                                      "with nvcc 13");
    }
    *ARRAY_GROW(runtime_now()->binaries, runtime_now()->binary_count) = binary;
    return (void **)binary;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

/* Called when a library is closed: what it registered may be gone. */
void __cudaUnregisterFatBinary(void **handle)
{
    ((struct binary *)handle)->removed = true;
}

/* Called before the host first uses a __managed__ variable. */
char __cudaInitModule(void **handle)
{
    struct runtime *runtime = runtime_now();
    bool whole = true;
    for (size_t i = 0; i < runtime->managed_count; i++) {
        if (runtime->managed[i].binary != (struct binary *)handle)
            continue;
        struct module *module = module_of(runtime->managed[i].binary, runtime->managed[i].name);
        const struct variable *variable = module ? module_variable(module, runtime->managed[i].name) : NULL;
        if (variable) {
            *runtime->managed[i].pointer = runtime_pointer(variable->address);
            inputs_hide(); /* the host reads and changes it without a call */
            grid_host_shares(runtime->machine, variable->address, variable->size);
        }
        whole &= variable != NULL;
    }
    return whole;
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int threads, uint3 *thread,
                            uint3 *block, dim3 *block_size, dim3 *grid_size, int *warp)
{
    (void)device, (void)threads, (void)thread, (void)block, (void)block_size, (void)grid_size, (void)warp;
    struct device_kernel *kernel = x_calloc(1, sizeof *kernel);
    *kernel = (struct device_kernel){.host = host, .binary = (struct binary *)handle, .name = name};
    *ARRAY_GROW(runtime_now()->kernels, runtime_now()->kernel_count) = kernel;
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t size, int constant,
                       int global)
{
    (void)device, (void)ext, (void)size, (void)constant, (void)global;
    *ARRAY_GROW(runtime_now()->symbols, runtime_now()->symbol_count) =
        (struct symbol){host, (struct binary *)handle, name};
}

void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int ext, size_t size,
                              int constant, int global)
{
    struct runtime *runtime = runtime_now();
    (void)device, (void)ext, (void)constant, (void)global;
    *ARRAY_GROW(runtime->managed, runtime->managed_count) = (struct managed){host, (struct binary *)handle, name, size};
    *ARRAY_GROW(runtime->symbols, runtime->symbol_count) = (struct symbol){host, (struct binary *)handle, name};
}

cudaError_t __cudaGetKernel(cudaKernel_t *handle, const void *host)
{
    struct device_kernel *kernel = find_kernel(host);
    *handle = (cudaKernel_t)kernel;
    return kernel ? cudaSuccess : runtime_return(cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaGetKernel(cudaKernel_t *handle, const void *host)
{
    return __cudaGetKernel(handle, host);
}

/* ---- Variables ---- */

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol)
{
    struct variable *variable = NULL;
    cudaError_t error = runtime_lost();
    if (error == cudaSuccess)
        error = runtime_variable(&variable, symbol);
    if (error == cudaSuccess && variable)
        *size = variable->size;
    return error;
}
