#include "plugin_support.h"
#include "test.h"

#include <dlfcn.h>

#ifdef __SANITIZE_ADDRESS__
/* CUPTI opens one of its libraries with RTLD_DEEPBIND, and AddressSanitizer ends the program for that. */
void *dlopen(const char *file, int mode)
{
    void *(*next)(const char *, int) = NULL;
    *(void **)&next = dlsym(RTLD_NEXT, "dlopen");
    return next(file, mode & ~RTLD_DEEPBIND);
}
#endif

const struct gpu_plugin *plugin(void)
{
    struct problem problem = {0};
    const struct gpu_plugin *gpu = gpu_plugin_load(&problem);
    cr_assert_not_null(gpu, "%s", problem.text);
    return gpu;
}
