/* Programs that end with an error, or in another way than by returning from main. Each launches first. */
#include "made_program.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Launches, and prints a line that is there however the program ends. */
static void launch_first(struct gpu *gpu, int argc, char **argv, const char *name)
{
    const int count = argument(argc, argv, 0, 23);
    gpu_open(gpu, 0);
    launch_some(gpu, count);
    printf("%s: %d launches, sum %d\n", name, count, gpu_sum(gpu));
    fflush(stdout);
}

static int crash(int argc, char **argv)
{
    struct gpu gpu;
    launch_first(&gpu, argc, argv, "crash");
    int *volatile nowhere = (int *)0x10;
    *nowhere = 1;
    return 0;
}

static int end_by_abort(int argc, char **argv)
{
    struct gpu gpu;
    launch_first(&gpu, argc, argv, "abort");
    abort();
}

static int illegal(int argc, char **argv)
{
    struct gpu gpu;
    launch_first(&gpu, argc, argv, "illegal");
    launch_some(&gpu, 1); /* this launch is good, but has not been sent yet */
    const CUdeviceptr numbers = gpu.numbers;
    gpu.numbers = 0x10;
    launch(&gpu, "add_one", 64, 256);
    gpu.numbers = numbers;
    MUST(cuCtxSynchronize());
    return 0;
}

static int hang(int argc, char **argv)
{
    struct gpu gpu;
    launch_first(&gpu, argc, argv, "hang");
    while (true)
        pause();
    return 0;
}

static int spin(int argc, char **argv)
{
    struct gpu gpu;
    launch_first(&gpu, argc, argv, "spin");
    launch(&gpu, "spin", 1, 32);
    MUST(cuCtxSynchronize());
    return 0;
}

static int exit_3(int argc, char **argv)
{
    struct gpu gpu;
    launch_first(&gpu, argc, argv, "exit3");
    exit(3);
}

static int end_at_once(int argc, char **argv)
{
    struct gpu gpu;
    launch_first(&gpu, argc, argv, "_exit");
    _exit(argument(argc, argv, 1, 0));
}

static int end_quickly(int argc, char **argv)
{
    struct gpu gpu;
    launch_first(&gpu, argc, argv, "quick_exit");
    quick_exit(0);
}

/* Waits for the signal of a test, which sends it after it has read the line. */
static int wait_for_signal(int argc, char **argv)
{
    struct gpu gpu;
    launch_first(&gpu, argc, argv, "sigterm");
    while (true)
        pause();
    return 0;
}

static struct gpu *handled;
static volatile sig_atomic_t was_told;

static void on_term(int signal)
{
    (void)signal;
    was_told = 1;
}

static int handle_signal(int argc, char **argv)
{
    struct gpu gpu;
    sigset_t blocked, before;
    handled = &gpu;
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = on_term}, NULL);
    launch_first(&gpu, argc, argv, "sigterm-handled");
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    while (!was_told)
        sigsuspend(&before);
    launch_some(handled, 8);
    printf("sigterm-handled: told to end, 8 launches more, sum %d\n", gpu_sum(handled));
    gpu_close(handled);
    return 4;
}

static int kill_itself(int argc, char **argv)
{
    struct gpu gpu;
    launch_first(&gpu, argc, argv, "sigkill");
    sleep(1);
    raise(SIGKILL);
    return 0;
}

static int kill_itself_at_once(int argc, char **argv)
{
    struct gpu gpu;
    launch_first(&gpu, argc, argv, "sigkill-at-once");
    raise(SIGKILL);
    return 0;
}

const struct program programs_of_ends[] = {
    {"crash", "[N]: SIGSEGV", crash},
    {"abort", "[N]: SIGABRT", end_by_abort},
    {"illegal", "[N]: a kernel with an illegal address, exit code 1", illegal},
    {"hang", "[N]: sleeps for ever", hang},
    {"spin", "[N]: a kernel that does not end", spin},
    {"exit3", "[N]: exit(3)", exit_3},
    {"_exit", "[N [CODE]]: _exit(CODE)", end_at_once},
    {"quick_exit", "[N]: quick_exit(0)", end_quickly},
    {"sigterm", "[N]: sleeps until a signal ends it", wait_for_signal},
    {"sigterm-handled", "[N]: handles SIGTERM: 8 launches more, then exit code 4", handle_signal},
    {"sigkill", "[N]: SIGKILL after an idle second", kill_itself},
    {"sigkill-at-once", "[N]: SIGKILL", kill_itself_at_once},
    {0},
};
