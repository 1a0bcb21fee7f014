/* The one runtime that the functions of CUDA go by, since they have no argument for it. */
#include "runtime.h"

#include <dlfcn.h>
#include <link.h>

static struct runtime *current;

/* Whether the program or a library of it names a function that makes streams, branches of a graph, or launches that
 * overlap: what is done before may race, too. The simulated runtime and driver name them all. */
static bool makes_streams(void)
{
    static const char *const words[] = {"StreamCreate", "GraphAdd", "LaunchKernelEx"};
    Dl_info own = {0};
    bool makes = false;
    dladdr(&current, &own);
    for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
        uintptr_t names = 0;
        size_t size = 0;
        for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
            names = entry->d_tag == DT_STRTAB ? entry->d_un.d_ptr : names;
            size = entry->d_tag == DT_STRSZ ? entry->d_un.d_val : size;
        }
        names += names < map->l_addr ? map->l_addr : 0; /* of the vDSO */
        const char *table = (const char *)names;        /* NOLINT(performance-no-int-to-ptr) */
        if (!table || strstr(map->l_name, "/libcuda.so") ||
            (void *)map->l_addr == own.dli_fbase) /* NOLINT(*-no-int-to-ptr) */
            continue;
        for (size_t i = 0; i < ARRAY_SIZE(words); i++)
            makes |= memmem(table, size, words[i], strlen(words[i])) != NULL;
    }
    return makes;
}

struct runtime *runtime_open(void)
{
    struct problem problem;
    struct runtime *runtime = x_calloc(1, sizeof *runtime);
    *runtime = (struct runtime){
        .machine = machine_open(&problem),
        .default_pool.reuse = {1, 1, 1},
        .current_pool = &runtime->default_pool,
        .limits = {[cudaLimitStackSize] = MODULE_CALL_STACK,
                   [cudaLimitPrintfFifoSize] = 1 << 20,
                   [cudaLimitMallocHeapSize] = HEAP_LIMIT,
                   [cudaLimitDevRuntimeSyncDepth] = 2,
                   [cudaLimitDevRuntimePendingLaunchCount] = 2048,
                   [cudaLimitMaxL2FetchGranularity] = 64,
                   [cudaLimitPersistingL2CacheSize] = 0},
    };
    if (!runtime->machine)
        die(EXIT_USAGE, "%s", problem.text);
    runtime->machine->stream_races->on = makes_streams();
    pthread_mutex_init(&runtime->lock, NULL);
    pthread_mutex_init(&runtime->launching, NULL);
    return runtime;
}

void runtime_use(struct runtime *runtime)
{
    current = runtime;
}

struct runtime *runtime_now(void)
{
    if (!current)
        runtime_use(runtime_open());
    return current;
}

#define COUNTS(name, counter)                                                                                          \
    void name(void)                                                                                                    \
    {                                                                                                                  \
        atomic_fetch_add(&runtime_now()->work.counter, 1);                                                             \
    }
COUNTS(runtime_waits, synchronizations)
COUNTS(runtime_calls, calls)
COUNTS(runtime_allocates, allocations)

void runtime_memory_begin(struct runtime *runtime)
{
    pthread_mutex_lock(&runtime->launching);
    pthread_mutex_lock(&runtime->lock);
}

void runtime_memory_end(struct runtime *runtime)
{
    pthread_mutex_unlock(&runtime->lock);
    pthread_mutex_unlock(&runtime->launching);
}

bool runtime_find(uint64_t address, struct allocation *allocation)
{
    struct runtime *runtime = runtime_now();
    pthread_mutex_lock(&runtime->lock);
    const bool found = device_find(runtime->machine, address, allocation);
    pthread_mutex_unlock(&runtime->lock);
    return found;
}
