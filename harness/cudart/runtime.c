/* The one runtime that the functions of CUDA go by, since they have no argument for it. */
#include "runtime.h"

#include <link.h>

static struct runtime *current;

/* Whether the program names a function that makes streams, or launches that overlap: what it does before may race, too.
 */
static bool makes_streams(void)
{
    const char *names = "";
    size_t size = 0;
    for (const ElfW(Dyn) *entry = _r_debug.r_map->l_ld; entry->d_tag != DT_NULL; entry++) {
        names =
            entry->d_tag == DT_STRTAB ? (const char *)entry->d_un.d_ptr : names; /* NOLINT(performance-no-int-to-ptr) */
        size = entry->d_tag == DT_STRSZ ? entry->d_un.d_val : size;
    }
    return memmem(names, size, "StreamCreate", strlen("StreamCreate")) || memmem(names, size, "LaunchKernelEx", 14);
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

void runtime_waits(void)
{
    atomic_fetch_add(&runtime_now()->work.synchronizations, 1);
}

void runtime_calls(void)
{
    atomic_fetch_add(&runtime_now()->work.calls, 1);
}

cudaError_t runtime_puts(cudaError_t error)
{
    atomic_fetch_add(&runtime_now()->work.stream_calls, error == cudaSuccess);
    return error;
}

void runtime_allocates(void)
{
    atomic_fetch_add(&runtime_now()->work.allocations, 1);
}

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
