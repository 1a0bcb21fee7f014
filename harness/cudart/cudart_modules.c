/* Machine code as nvcc's host code registers it before main(). First comes a wrapper around a container of images
 * (cubin/cubin.c). Then come kernels and variables, by the addresses of what stands for them on the host. An image is
 * read when one of them is first needed. */
#include "runtime.h"

#include "cubin/cubin.h"

#include "inputs.h"
#include "ptx.h"

#include <elf.h>

#define WRAPPER_MAGIC 0x466243b1
#define EM_GPU 190 /* EM_CUDA, which some versions of elf.h lack */
static const unsigned char container_magic[] = {0x50, 0xed, 0x55, 0xba};

/* The wrapper, as fatbinary_section.h describes it. */
struct wrapper {
    int magic, version;
    const unsigned char *data;
    void *more;
};

/* The machine code of one source file, or of a library whose device code was linked. */
struct binary {
    const unsigned char *container;
    const unsigned char *image; /* or one image, or PTX, while it is loaded */
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
        runtime_not_simulated("the program reads attribute %d of the GPU, which is not in the description of the GPU",
                              (int)attribute);
        return false;
    }
    *value = gpu->attributes[attribute];
    return true;
}

/* ---- Images ---- */

struct choice {
    int capability;       /* compute capability of the GPU */
    int best;             /* compute capability of the best image so far */
    unsigned char *bytes; /* a copy of it; owned */
    size_t size;
    int newest;   /* the highest compute capability of all images */
    int best_ptx; /* the same of PTX, which is for this GPU or an older one */
    char *ptx;
};

static void consider_ptx(struct choice *choice, const unsigned char *bytes, size_t size)
{
    char *text = x_sprintf("%.*s", (int)size, (const char *)bytes);
    const int capability = ptx_is(text) ? ptx_capability(text) : 0;
    if (capability <= choice->best_ptx || capability > choice->capability) {
        free(text);
        return;
    }
    choice->best_ptx = capability;
    free(choice->ptx);
    choice->ptx = text;
}

/* Takes the image that the driver would load. It has the same major number as the GPU, and the highest minor number
 * that is not above the GPU's. */
static int consider(void *data, const unsigned char *bytes, size_t size)
{
    struct choice *choice = data;
    struct image image;
    if (size < SELFMAG || memcmp(bytes, ELFMAG, SELFMAG) != 0) {
        if (runtime_now()->has_clock)
            consider_ptx(choice, bytes, size);
        return 0;
    }
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
    choice->newest = read && image.capability > choice->newest ? image.capability : choice->newest;
    image_release(&image);
    free(copy);
    return 0;
}

static void open_binary(struct binary *binary)
{
    size_t unknown = 0;
    struct choice choice = {.capability = gpu_capability(runtime_gpu())};
    binary->was_opened = true;
    const int failed = binary->image
                           ? consider(&choice, binary->image, image_length(binary->image))
                           : cubin_each_image_of("the kernel library", binary->container, &unknown, consider, &choice);
    /* As a GPU's driver does, where there is no machine code for it. */
    if (!choice.bytes && choice.ptx)
        choice.bytes = ptx_compile(choice.ptx, choice.capability, false, &choice.size, &binary->problem);
    if (failed < 0)
        problem_set(&binary->problem, "the machine code cannot be read, see the error above");
    else if (choice.bytes)
        binary->module = module_open(runtime_now()->machine, choice.bytes, choice.size, &binary->problem);
    else if (unknown > 0 && !choice.ptx)
        problem_set(&binary->problem,
                    "the machine code has an unknown format: build it with nvcc --compress-mode=none");
    else if (!choice.ptx) {
        OWNED_TEXT newest =
            choice.newest ? x_sprintf(" (the newest is for %d.%d)", choice.newest / 10, choice.newest % 10) : NULL;
        problem_set(&binary->problem,
                    "there is no machine code for compute capability %d.%d%s: build with nvcc -arch=sm_%d, or with "
                    "CMAKE_CUDA_ARCHITECTURES=%d, set before project() in a new build folder since CMake caches it",
                    choice.capability / 10, choice.capability % 10, newest ? newest : "", choice.capability,
                    choice.capability);
    }
    binary->lacks_code = failed == 0 && !choice.bytes && !choice.ptx && unknown == 0;
    free(choice.bytes);
    free(choice.ptx);
}

/* Returns the module of a binary; NULL after runtime_not_simulated(). */
static struct module *module_of(struct binary *binary, const char *name)
{
    if (!runtime_gpu()) {
        runtime_not_simulated("%s was called before the GPU was opened", name);
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
        if (function && (runtime->kernels[i]->host == function || runtime->kernels[i] == function) &&
            !runtime->kernels[i]->binary->removed)
            return runtime->kernels[i];
    return NULL;
}

cudaError_t runtime_kernel(struct device_kernel **found, const void *function)
{
    CUDA_TRY(runtime_lost());
    struct device_kernel *kernel = find_kernel(function);
    REFUSE(!kernel, cudaErrorInvalidDeviceFunction);
    if (!kernel->function) {
        struct module *module = module_of(kernel->binary, kernel->name);
        if (!module)
            return cudaErrorNotSupported;
        kernel->function = module_function(module, kernel->name);
        REFUSE(!kernel->function, cudaErrorInvalidDeviceFunction);
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
    CUDA_TRY(runtime_lost());
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

/* ---- What the driver is given ---- */

cudaError_t runtime_load(struct binary **loaded, const void *code)
{
    runtime_calls();
    const cudaError_t error = runtime_lost();
    const struct wrapper *wrapper = code;
    if (error != cudaSuccess)
        return error;
    REFUSE(!loaded || !code, cudaErrorInvalidValue);
    const unsigned char *bytes = wrapper->magic == WRAPPER_MAGIC ? wrapper->data : code;
    struct binary *binary = x_calloc(1, sizeof *binary);
    if (memcmp(bytes, container_magic, sizeof container_magic) == 0)
        binary->container = bytes;
    else if (memcmp(bytes, ELFMAG, SELFMAG) == 0 ? bytes[offsetof(Elf64_Ehdr, e_machine)] == EM_GPU
                                                 : ptx_is((const char *)bytes))
        binary->image = bytes;
    struct module *module =
        binary->image || binary->container ? module_of(binary, "the module that the program loads") : NULL;
    const bool is_ptx = binary->image && memcmp(bytes, ELFMAG, SELFMAG) != 0;
    binary->image = binary->container = NULL; /* the program may free it */
    if (!module) {
        const bool lacks_code = binary->lacks_code, was_opened = binary->was_opened;
        free(binary);
        return runtime_return(!was_opened  ? cudaErrorInvalidKernelImage
                              : lacks_code ? cudaErrorNoKernelImageForDevice
                              : is_ptx     ? cudaErrorInvalidPtx
                                           : cudaErrorNotSupported);
    }
    struct runtime *runtime = runtime_now();
    pthread_mutex_lock(&runtime->lock);
    *ARRAY_GROW(runtime->binaries, runtime->binary_count) = binary;
    pthread_mutex_unlock(&runtime->lock);
    *loaded = binary;
    return cudaSuccess;
}

/* Returns whether a program has it from runtime_load(), and has not unloaded it. */
static bool is_loaded(const struct binary *binary)
{
    const struct runtime *runtime = runtime_now();
    for (size_t i = 0; i < runtime->binary_count; i++)
        if (runtime->binaries[i] == binary)
            return !binary->removed;
    return false;
}

/* Its code and variables stay, since blocks that were left out may need them. */
cudaError_t runtime_unload(struct binary *binary)
{
    REFUSE(!is_loaded(binary), cudaErrorInvalidResourceHandle);
    binary->removed = true;
    return runtime_lost();
}

cudaError_t runtime_loaded_kernel(struct device_kernel **found, struct binary *binary, const char *name)
{
    struct runtime *runtime = runtime_now();
    if (!found || !name || !is_loaded(binary))
        return runtime_return(found && name ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
    struct function *function = module_function(binary->module, name);
    REFUSE(!function, cudaErrorSymbolNotFound);
    pthread_mutex_lock(&runtime->lock);
    const size_t place = FIRST(i, runtime->kernel_count, runtime->kernels[i]->function == function);
    *found = place < runtime->kernel_count ? runtime->kernels[place] : NULL;
    if (!*found) {
        *found = x_calloc(1, sizeof **found);
        **found = (struct device_kernel){.binary = binary, .name = function->text.name, .function = function};
        *ARRAY_GROW(runtime->kernels, runtime->kernel_count) = *found;
    }
    pthread_mutex_unlock(&runtime->lock);
    return runtime_lost();
}

cudaError_t runtime_loaded_variable(struct variable **found, struct binary *binary, const char *name)
{
    if (!name || !is_loaded(binary))
        return runtime_return(name ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
    *found = module_variable(binary->module, name);
    return *found ? runtime_lost() : runtime_return(cudaErrorSymbolNotFound);
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
        problem_set(&binary->problem, "the machine code is registered in an unknown format: build it with nvcc 13");
    }
    *ARRAY_GROW(runtime_now()->binaries, runtime_now()->binary_count) = binary;
    runtime_now()->in_use = true;
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
            runtime_memory_begin(runtime);
            device_host_shares(runtime->machine, variable->address, variable->size, HOME_MANAGED);
            runtime_memory_end(runtime);
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
    return SET(handle, (cudaKernel_t)kernel, kernel ? cudaSuccess : runtime_return(cudaErrorInvalidDeviceFunction));
}

RUNTIME(cudaGetKernel, (cudaKernel_t * handle, const void *host), __cudaGetKernel(handle, host))

/* ---- Variables ---- */

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol)
{
    struct variable *variable = NULL;
    CUDA_TRY(runtime_variable(&variable, symbol));
    if (variable)
        *size = variable->size;
    return cudaSuccess;
}
