/* alone.c - runs a program on the simulated GPU as it is, without a kernel library. Loaded before it (LD_PRELOAD),
 * beside libcugate_sim.so as its CUDA runtime. CUGATE_GPU names the description of the GPU. What could not be
 * simulated, or how a kernel failed, is told on stderr when the program ends, however it ends. Then its exit code is
 * 77, or 78 for a fault. */
#include "worker/worker.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NOT_SIMULATED = 77, FAULT = 78 };

/* Returns the exit code for what happened, after it was told; 0: nothing did. */
static int tell(void)
{
    struct problem problem = {0};
    cugate_sim_plugin()->collector->explain(NULL, &problem);
    if (!*problem.text)
        return 0;
    dprintf(STDERR_FILENO, "ALONE: %s\n", problem.text);
    return strncmp(problem.text, "not simulated: ", 15) == 0 ? NOT_SIMULATED : FAULT;
}

static void at_end(void)
{
    const int code = tell();
    fflush(NULL);
    if (code != 0)
        _exit(code);
}

static void at_signal(int number)
{
    const int code = tell();
    _exit(code != 0 ? code : 128 + number);
}

__attribute__((constructor)) static void begin(void)
{
    static const int signals[] = {SIGABRT, SIGSEGV, SIGFPE, SIGBUS, SIGTERM};
    struct problem problem = {0};
    static struct job job = {.library = "/dev/null"};
    job.gpu = getenv("CUGATE_GPU");
    if (cugate_sim_plugin()->prepare(&job, &problem) != 0) {
        dprintf(STDERR_FILENO, "ALONE: %s\n", problem.text);
        _exit(2);
    }
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], at_signal);
    atexit(at_end);
}
