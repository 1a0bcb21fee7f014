/* The functions that the CUDA driver and NVTX call when they load the library. */
#include "activity.h"
#include "callers.h"
#include "keep.h"
#include "launch.h"
#include "process.h"

#include <dlfcn.h>

/* The CUDA driver calls this one in cuInit. */
__attribute__((visibility("default"))) int InitializeInjection(void);
int InitializeInjection(void)
{
    struct problem problem;
    if (!link_open(&process.request)) {
        atomic_store(&process.off, true);
        return 1;
    }
    process.began = now_seconds();
    bounds_begin(&process.request.part);
    keep_open(process.request.folder);
    if (!program_part_is_all(&process.request.part))
        busy_off();
    callers_begin();
    python_begin();
    atexit(ending_at_exit);
    at_quick_exit(ending_at_exit);
    if (callbacks_subscribe(&problem) < 0)
        process_give_up(&problem);
    else
        ending_watch();
    return 1;
}

/* NVTX calls this one. It accepts a single tool, and that is CUPTI, which calls us back. */
__attribute__((visibility("default"))) int InitializeInjectionNvtx2(void *table);
int InitializeInjectionNvtx2(void *table)
{
    int (*initialize)(void *) = NULL;
    void *cupti = dlopen("libcupti.so.13", RTLD_NOW | RTLD_NOLOAD);
    if (cupti)
        *(void **)&initialize = dlsym(cupti, "InitializeInjectionNvtx2");
    return initialize ? initialize(table) : 0;
}
