/* Stands where a program that is simulated looks for NVIDIA's driver, and has none of its functions. Only what goes
 * past the simulated runtime looks for it: so that is told the parent, and refused, whatever the program does then. */
#include "worker/worker.h"

#include "base/base.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void refuse(void)
{
    static struct request request;
    if (!link_open(&request))
        return;
    char *words = x_sprintf(
        "process %d (%s) asks for NVIDIA's driver: the CUDA runtime is linked into it, or into a library that it loads "
        "(as cuBLAS and CuPy have it), its RPATH leads to NVIDIA's, or it calls the driver itself. Only the shared "
        "runtime is simulated: link with nvcc -cudart shared, in CMake with CUDA_RUNTIME_LIBRARY Shared",
        (int)getpid(), program_invocation_short_name);
    link_say(MESSAGE_FAILURE, words);
    free(words);
    link_close();
}
