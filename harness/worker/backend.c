#include "backend.h"

#include <dlfcn.h>

#define NO_DRIVER "no such file"

/* Loads the driver's library. Returns NULL, or why it does not load: NO_DRIVER when there is none. */
static const char *load_driver(void)
{
    if (dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL))
        return NULL;
    const char *words = dlerror();
    return strstr(words, "No such file") ? NO_DRIVER : words;
}

bool gpu_driver_is_absent(void)
{
    const char *why = load_driver();
    return why && strcmp(why, NO_DRIVER) == 0;
}

const char *gpu_plugin_remedy(void)
{
    return program_is_installed()
               ? "install CUDA toolkit 13 in /usr/local/cuda, or run `sudo cugate-fetch cupti`"
               : "install CUPTI of the CUDA toolkit's version (`ci/install_deps.sh gpu`), and run `make` again";
}

/* Loads a library, which this program's RUNPATH finds, and returns what its entry does; NULL with *problem. */
static const void *load_plugin(const char *library, int how, const char *entry, const char *what, const char *remedy,
                               struct problem *problem)
{
    const void *(*plugin)(void) = NULL;
    void *handle = dlopen(library, how);
    if (handle)
        *(void **)&plugin = dlsym(handle, entry);
    if (plugin)
        return plugin();
    if (handle)
        problem_set(problem, "%s is not cugate's: %s; run `make` again", library, dlerror());
    else
        problem_set(problem, "cannot load %s: %s; %s", what, dlerror(), remedy);
    return NULL;
}

const struct gpu_plugin *gpu_plugin_load(struct problem *problem)
{
    /* The plugin's cu* symbols are undefined until the driver's library is loaded. Without a driver they are never
     * called: count() checks first. */
    const char *why = load_driver();
    if (why && strcmp(why, NO_DRIVER) != 0) {
        problem_set(problem, "cannot load the NVIDIA driver library: %s; reinstall the driver", why);
        return NULL;
    }

    return load_plugin("libcugate_cupti.so", RTLD_LAZY | RTLD_LOCAL, "cugate_gpu_plugin", "CUPTI", gpu_plugin_remedy(),
                       problem);
}

const struct sim_plugin *sim_plugin_load(struct problem *problem)
{
    /* Its symbols must be visible to the kernel library and to whatever that needs. */
    return load_plugin("libcugate_sim.so", RTLD_NOW | RTLD_GLOBAL, "cugate_sim_plugin", "the simulator",
                       "run `make` again", problem);
}
