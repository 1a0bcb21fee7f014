/* Finds the machine code of a launched function. The function's name does not tell, because Triton gives one name to
 * many functions. The driver's handle of its module tells, if the module was loaded by cuModuleLoad*, since its code
 * was seen meanwhile. Kernels of the CUDA runtime and of cuBLAS are loaded when they are first used: their code is seen
 * within a launch, or within a question about them (JAX on an H200: 127 of 128 modules). Others are loaded by calls
 * that nobody watches: such a module is the only image without a handle that has the function. */
#include "modules.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

struct known_module {
    CUmodule handle;
    char name[MODULE_NAME];
};

/* An image of machine code that was loaded. */
struct image {
    char name[MODULE_NAME];
    bool named; /* its module's handle is known */
};

static struct known_module *known;
static size_t known_count;
static struct image *images;
static size_t image_count;
static const char *images_folder; /* where they are kept */
static _Thread_local char last[MODULE_NAME];

static void note_image(bool named)
{
    struct image *image = FIND(one, images, image_count, strcmp(one->name, last) == 0);
    if (!image) {
        image = ARRAY_GROW(images, image_count);
        memcpy(image->name, last, sizeof last);
    }
    image->named = named;
}

void modules_take(const char *folder, const void *image, size_t size)
{
    images_folder = folder;
    link_say_module(folder, image, size, last);
    note_image(false);
}

void modules_expect(void)
{
    last[0] = '\0';
}

bool modules_has_one(void)
{
    return last[0] != '\0';
}

void modules_name(CUmodule handle)
{
    if (!modules_has_one() || !handle)
        return;
    struct known_module *module = FIND(one, known, known_count, one->handle == handle || !one->handle);
    if (!module)
        module = ARRAY_GROW(known, known_count);
    module->handle = handle;
    memcpy(module->name, last, sizeof last);
    note_image(true);
    modules_expect();
}

static _Thread_local bool asked;

bool modules_are_asked(void)
{
    return asked;
}

CUmodule module_of_library(CUlibrary library)
{
    CUmodule handle = NULL;
    asked = true;
    const bool found = cuLibraryGetModule(&handle, library) == CUDA_SUCCESS;
    asked = false;
    return found ? handle : NULL;
}

CUmodule module_of_function(CUfunction function)
{
    CUmodule handle = NULL;
    CUfunction loaded = function;
    asked = true;
    const bool found = cuFuncGetModule(&handle, function) == CUDA_SUCCESS ||
                       (cuKernelGetFunction(&loaded, (CUkernel)function) == CUDA_SUCCESS &&
                        cuFuncGetModule(&handle, loaded) == CUDA_SUCCESS);
    asked = false;
    return found ? handle : NULL;
}

/* Whether the image has a section of that name, as a kernel has one. */
static bool has_section(const char *image, const char *section, size_t length)
{
    OWNED_TEXT path = x_sprintf("%s/%s.cubin", images_folder, image);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat about = {0};
    void *bytes = file >= 0 && fstat(file, &about) == 0 && about.st_size > 0
                      ? mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0)
                      : MAP_FAILED;
    const bool has = bytes != MAP_FAILED && memmem(bytes, (size_t)about.st_size, section, length);
    if (bytes != MAP_FAILED)
        munmap(bytes, (size_t)about.st_size);
    if (file >= 0)
        close(file);
    return has;
}

/* Sets last to the only image without a handle that has the function. */
static void find_unnamed(const char *function)
{
    OWNED_TEXT section = x_sprintf(".text.%s", function);
    const size_t length = strlen(section) + 1; /* with the 0 at its end */
    const struct image *found = NULL;
    size_t count = 0;
    for (size_t i = 0; i < image_count; i++)
        if (!images[i].named && has_section(images[i].name, section, length)) {
            found = &images[i];
            count++;
        }
    if (count == 1)
        memcpy(last, found->name, sizeof last);
}

static const char *name_of(CUmodule handle)
{
    for (size_t i = 0; i < known_count; i++)
        if (known[i].handle == handle)
            return known[i].name;
    return NULL;
}

void modules_of_function(CUfunction function, const char *function_name, char name[MODULE_NAME])
{
    modules_expect();
    CUmodule handle = module_of_function(function);
    modules_name(handle);
    if (handle && !name_of(handle)) {
        find_unnamed(function_name);
        modules_name(handle);
    }
    const char *found = handle ? name_of(handle) : NULL;
    snprintf(name, MODULE_NAME, "%s", found ? found : "");
}

void modules_forget(CUmodule handle)
{
    for (size_t i = 0; i < known_count && handle; i++)
        if (known[i].handle == handle)
            known[i].handle = NULL; /* no module has this handle */
}
