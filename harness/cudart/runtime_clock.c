/* The clock of a simulated GPU. It is virtual: the same calls let the same time pass on every machine, at any load.
 * What events read of it is an estimate, and no measurement. All work is done one after the other, so copies do not
 * overlap with kernels. */
#include "runtime.h"

#define LEAST_NS 1000.0

static void pass(double ns)
{
    if (runtime_now()->has_clock)
        atomic_fetch_add(&runtime_now()->clock_ns, (unsigned long long)(ns > LEAST_NS ? ns : LEAST_NS));
}

void runtime_pass_launch(double ns)
{
    pass(ns);
}

/* How fast a host's memory is reached is not known, so every copy is as fast as the GPU's own memory: each byte of a
 * copy is taken to cross its bus once. */
void runtime_pass_bytes(size_t bytes)
{
    NUMERIC_DEFAULT;
    const struct gpu *gpu = runtime_gpu();
    const double rate = gpu ? gpu_dram_bytes_per_ns(gpu) : 0;
    pass(rate > 0 ? (double)bytes / rate : 0);
}
