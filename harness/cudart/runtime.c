/* The one runtime that the functions of CUDA go by, since they have no argument for it. */
#include "runtime.h"

static struct runtime *current;

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
