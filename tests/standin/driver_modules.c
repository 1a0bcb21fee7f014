#include "driver.h"
#include "machine/elf/elf.h"

#include <stdatomic.h>

static unsigned last_module;

/* ---- Machine code ---- */

static struct CUfunc_st *find_function(struct CUmod_st *module, const char *name)
{
    for (size_t i = 0; i < module->function_count; i++)
        if (strcmp(module->functions[i].name, name) == 0)
            return &module->functions[i];
    return NULL;
}

/* By cugate's own reader, which may change the bytes that it reads. */
static void read_image(struct CUmod_st *module)
{
    struct image image;
    char *bytes = malloc(module->size);
    if (image_read(&image, "an image", 0, memcpy(bytes, module->image, module->size), module->size) == 0)
        module->functions = calloc(image.kernel_count, sizeof *module->functions);
    for (size_t i = 0; module->functions && i < image.kernel_count; i++) {
        const struct cubin_function *facts = &image.kernels[i].facts;
        const char *name = image.sections[image.kernels[i].section].name + strlen(".text.");
        module->functions[module->function_count++] = (struct CUfunc_st){.handle = FUNCTION,
                                                                         .name = strdup(name),
                                                                         .module = module,
                                                                         .work = kernel_work(name),
                                                                         .registers = (int)facts->registers,
                                                                         .shared = (int)facts->shared_bytes,
                                                                         .local = (int)facts->local_bytes};
    }
    image_release(&image);
    free(bytes);
}

/* The last module that was unloaded: the next one gets its handle, as it may from the real driver. */
static _Atomic(struct CUmod_st *) gone;

/* Loads a module, which owns the image from then on. */
static struct CUmod_st *load(unsigned char *image, size_t size)
{
    struct CUmod_st *module = atomic_exchange(&gone, NULL);
    module = module ? module : memory_new(sizeof *module);
    module->id = __atomic_add_fetch(&last_module, 1, __ATOMIC_RELAXED);
    module->context = context_current();
    module->image = image;
    module->size = size;
    read_image(module);
    TELL(module, module->context, module->id, image, size, true);
    return module;
}

static void unload(struct CUmod_st *module)
{
    TELL(module, module->context, module->id, module->image, module->size, false);
    for (size_t i = 0; i < module->function_count; i++)
        free(module->functions[i].name);
    free(module->functions);
    free(module->image);
    *module = (struct CUmod_st){0};
    module = atomic_exchange(&gone, module);
    if (module)
        memory_free(module);
}

/* Returns the first ELF image in a container of several, as nvcc -fatbin writes it. Other images are returned as they
 * are. */
static const void *first_of_container(const void *image)
{
    const uint32_t mark = 0xba55ed50;
    const uint64_t *words = image;
    if (!image || (uint32_t)words[0] != mark)
        return image;
    const size_t count = words[1] / sizeof *words; /* behind the head, which has two words */
    for (size_t i = 2; i < 2 + count; i++)
        if (memcmp(&words[i], ELFMAG, SELFMAG) == 0)
            return &words[i];
    return image;
}

/* Returns a copy of the image. NULL: it is no ELF image. PTX is not read here. */
static unsigned char *copy_image(const void *image, size_t *size)
{
    image = first_of_container(image);
    *size = image && memcmp(image, ELFMAG, SELFMAG) == 0 ? image_length(image) : 0;
    unsigned char *copy = *size > 0 ? malloc(*size) : NULL;
    return copy ? memcpy(copy, image, *size) : NULL;
}

/* ---- Modules ---- */

static CUresult load_module(CUmodule *module, const void *image)
{
    READY();
    REFUSE(!context_current(), CUDA_ERROR_INVALID_CONTEXT);
    size_t size;
    unsigned char *copy = copy_image(image, &size);
    REFUSE(!copy, CUDA_ERROR_INVALID_IMAGE);
    *module = load(copy, size);
    return CUDA_SUCCESS;
}

SEEN(cuModuleLoadData, (CUmodule * module, const void *image), load_module(module, image), module, image)

static CUresult unload_module(CUmodule module)
{
    READY();
    REFUSE(!module, CUDA_ERROR_INVALID_HANDLE);
    unload(module);
    return CUDA_SUCCESS;
}

SEEN(cuModuleUnload, (CUmodule hmod), unload_module(hmod), hmod)

CUresult CUDAAPI cuModuleGetFunction(CUfunction *hfunc, CUmodule hmod, const char *name)
{
    READY();
    REFUSE(!hmod, CUDA_ERROR_INVALID_HANDLE);
    *hfunc = find_function(hmod, name);
    return *hfunc ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

/* An answer about a function or a kernel. As the real one: a CUkernel that is passed in place of a function is
 * recognised. */
#define OF_HANDLE(of, is, answer) ((of) && (of)->handle == (is) ? (answer) : CUDA_ERROR_INVALID_HANDLE)

ANSWER(cuFuncGetModule, (CUmodule * hmod, CUfunction hfunc), OF_HANDLE(hfunc, FUNCTION, SET(hmod, hfunc->module)))
ANSWER(cuFuncGetName, (const char **name, CUfunction hfunc), OF_HANDLE(hfunc, FUNCTION, SET(name, hfunc->name)))

static CUresult attribute_of(int *value, CUfunction_attribute attribute, const struct CUfunc_st *function)
{
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
        return SET(value, function->registers);
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        return SET(value, function->shared);
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        return SET(value, function->local);
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        return SET(value, 1024);
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        return SET(value, 90);
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

ANSWER(cuFuncGetAttribute, (int *pi, CUfunction_attribute attrib, CUfunction hfunc),
       OF_HANDLE(hfunc, FUNCTION, attribute_of(pi, attrib, hfunc)))

/* ---- Libraries ---- */

CUresult CUDAAPI cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jitOptions,
                                   void **jitOptionsValues, unsigned numJitOptions, CUlibraryOption *libraryOptions,
                                   void **libraryOptionValues, unsigned numLibraryOptions)
{
    const cuLibraryLoadData_params params = {
        library,       code,           jitOptions,          jitOptionsValues,
        numJitOptions, libraryOptions, libraryOptionValues, numLibraryOptions,
    };
    struct standin_call call = CALL(cuLibraryLoadData, &params, NULL);
    driver_enter(&call);
    const CUresult ready = driver_ready();
    if (ready != CUDA_SUCCESS)
        return driver_exit(&call, ready);
    struct CUlib_st *opened = memory_new(sizeof *opened);
    opened->image = copy_image(code, &opened->size);
    if (!opened->image) {
        memory_free(opened);
        return driver_exit(&call, CUDA_ERROR_INVALID_IMAGE);
    }
    /* This reads only names. The profiler is told of a module when it is loaded into a context. */
    struct CUmod_st names = {.image = opened->image, .size = opened->size};
    read_image(&names);
    opened->kernels = calloc(names.function_count, sizeof *opened->kernels);
    opened->kernel_count = opened->kernels ? names.function_count : 0;
    /* Kernels are made in another order each time, so that another kernel gets the handle of one that is gone. */
    static atomic_size_t turns;
    const size_t turn = atomic_fetch_add(&turns, 1);
    for (size_t i = 0; i < opened->kernel_count; i++)
        opened->kernels[(i + turn) % opened->kernel_count] =
            (struct CUkern_st){KERNEL, names.functions[i].name, opened};
    free(names.functions);
    *library = opened;
    return driver_exit(&call, CUDA_SUCCESS);
}

static CUresult unload_library(CUlibrary library)
{
    REFUSE(!library, CUDA_ERROR_INVALID_HANDLE);
    for (struct CUmod_st *module = library->modules, *next; module; module = next) {
        next = module->next;
        unload(module);
    }
    for (size_t i = 0; i < library->kernel_count; i++)
        free(library->kernels[i].name);
    free(library->kernels);
    free(library->image);
    memory_free(library);
    return CUDA_SUCCESS;
}

SEEN(cuLibraryUnload, (CUlibrary library), unload_library(library), library)

CUresult CUDAAPI cuLibraryGetKernel(CUkernel *pKernel, CUlibrary library, const char *name)
{
    REFUSE(!library, CUDA_ERROR_INVALID_HANDLE);
    for (size_t i = 0; i < library->kernel_count; i++)
        if (strcmp(library->kernels[i].name, name) == 0)
            return SET(pKernel, &library->kernels[i]);
    return CUDA_ERROR_NOT_FOUND;
}

/* As the real one: the machine code of a library is loaded late. So the profiler is told of the module within the
 * launch or question that needs it. The module's handle is one that no program has. */
static struct CUfunc_st *function_of(struct CUkern_st *kernel)
{
    struct CUlib_st *library = kernel->library;
    CUcontext context = context_current();
    pthread_mutex_lock(&driver_lock);
    struct CUmod_st *module = library->modules;
    while (module && module->context != context)
        module = module->next;
    pthread_mutex_unlock(&driver_lock);
    if (!module) {
        size_t size;
        module = load(copy_image(library->image, &size), library->size);
        pthread_mutex_lock(&driver_lock);
        module->next = library->modules;
        library->modules = module;
        pthread_mutex_unlock(&driver_lock);
    }
    return find_function(module, kernel->name);
}

struct CUfunc_st *module_function(CUfunction handle)
{
    if (handle && handle->handle == KERNEL)
        return function_of((struct CUkern_st *)(void *)handle);
    return handle && handle->handle == FUNCTION ? handle : NULL;
}

const char *module_name_of(CUfunction handle)
{
    if (handle && handle->handle == KERNEL)
        return ((struct CUkern_st *)(void *)handle)->name;
    return handle && handle->handle == FUNCTION ? handle->name : NULL;
}

static CUresult get_function(CUfunction *pFunc, CUkernel kernel)
{
    READY();
    REFUSE(!kernel || kernel->handle != KERNEL, CUDA_ERROR_INVALID_HANDLE);
    REFUSE(!context_current(), CUDA_ERROR_INVALID_CONTEXT);
    return SET(pFunc, function_of(kernel));
}

SEEN(cuKernelGetFunction, (CUfunction * pFunc, CUkernel kernel), get_function(pFunc, kernel), pFunc, kernel)

/* In the current context, into which it may have to be loaded. */
CUresult CUDAAPI cuLibraryGetModule(CUmodule *pMod, CUlibrary library)
{
    REFUSE(!library || library->kernel_count == 0, CUDA_ERROR_INVALID_HANDLE);
    REFUSE(!context_current(), CUDA_ERROR_INVALID_CONTEXT);
    return SET(pMod, function_of(&library->kernels[0])->module);
}

ANSWER(cuKernelGetName, (const char **name, CUkernel hfunc), OF_HANDLE(hfunc, KERNEL, SET(name, hfunc->name)))

static CUresult kernel_attribute(int *value, CUfunction_attribute attribute, CUkernel kernel)
{
    CUfunction function;
    TRY(get_function(&function, kernel));
    return attribute_of(value, attribute, function);
}

SEEN(cuKernelGetAttribute, (int *pi, CUfunction_attribute attrib, CUkernel kernel, CUdevice dev),
     kernel_attribute(pi, attrib, kernel), pi, attrib, kernel, dev)

/* All kernels of kernels.cu have the same parameters. */
static CUresult parameter(size_t index, size_t *offset, size_t *size)
{
    static const size_t offsets[] = {0, 8, 12}, sizes[] = {8, 4, 4};
    REFUSE(index >= PARAMETERS, CUDA_ERROR_INVALID_VALUE);
    *offset = offsets[index];
    *size = sizes[index];
    return CUDA_SUCCESS;
}

ANSWER(cuFuncGetParamInfo, (CUfunction func, size_t index, size_t *offset, size_t *size),
       OF_HANDLE(func, FUNCTION, parameter(index, offset, size)))
ANSWER(cuKernelGetParamInfo, (CUkernel kernel, size_t index, size_t *offset, size_t *size),
       OF_HANDLE(kernel, KERNEL, parameter(index, offset, size)))

/* No module of kernels.cu has a variable. */
ANSWER(cuModuleGetGlobal_v2, (CUdeviceptr * dptr, size_t *bytes, CUmodule hmod, const char *name),
       ((void)dptr, (void)bytes, (void)name, hmod ? CUDA_ERROR_NOT_FOUND : CUDA_ERROR_INVALID_HANDLE))

ANSWER(cuFuncSetAttribute, (CUfunction hfunc, CUfunction_attribute attrib, int value),
       ((void)attrib, hfunc && hfunc->handle == FUNCTION && value >= 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE))
