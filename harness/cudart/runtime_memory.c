/* The GPU's memory is backed when it is touched, by kernels, copies or the host. A program that touches more than this
 * machine has is ended with words, before the kernel of the machine kills what it likes. */
#include "runtime.h"

static void end(void *of)
{
    struct runtime *runtime = of;
    OWNED_TEXT words = x_sprintf("out of memory on this machine: the program and its simulated GPU memory take %.1f "
                                 "GB; use less data, or a machine with more memory",
                                 memory_taken() / 1e9);
    runtime->tell(words);
    _exit(EXIT_NOT_MEASURED);
}

void runtime_watch_memory(struct runtime *runtime, uint64_t bytes)
{
    if (!runtime->tell || runtime->watched || bytes < memory_left() / 4)
        return;
    runtime->watched = true;
    memory_watch(end, runtime);
}
