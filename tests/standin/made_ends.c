/* Programs that end with an error, or in another way than by returning from main. Each launches first. */
#include "made_program.h"

#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

void launch_first(struct gpu *gpu, int argc, char **argv, const char *name)
{
    const int count = argument(argc, argv, 0, 23);
    gpu_open(gpu, 0);
    launch_some(gpu, count);
    printf("%s: %d launches, sum %d\n", name, count, gpu_sum(gpu));
    fflush(stdout);
}

/* A program that ends so. */
#define END(name, ...)                                                                                                 \
    static void name(struct gpu *gpu)                                                                                  \
    {                                                                                                                  \
        (void)gpu;                                                                                                     \
        __VA_ARGS__;                                                                                                   \
    }

END(crash, int *volatile nowhere = (int *)0x10; *nowhere = 1)
END(end_by_abort, abort())

static void illegal(struct gpu *gpu)
{
    launch_some(gpu, 1); /* this launch is good, but has not been sent yet */
    const CUdeviceptr numbers = gpu->numbers;
    gpu->numbers = 0x10;
    launch(gpu, "add_one", 64, 256);
    gpu->numbers = numbers;
    MUST(cuCtxSynchronize());
}

static void hang(struct gpu *gpu)
{
    (void)gpu;
    while (true)
        pause();
}

END(spin, launch(gpu, "spin", 1, 32); puts("spin: launched"); fflush(stdout); MUST(cuCtxSynchronize()))
END(exit_3, exit(3))

static int end_at_once(int argc, char **argv)
{
    struct gpu gpu;
    launch_first(&gpu, argc, argv, "_exit");
    _exit(argument(argc, argv, 1, 0));
}

END(end_quickly, quick_exit(0))

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

END(kill_itself, sleep(1); raise(SIGKILL))
END(kill_itself_at_once, raise(SIGKILL))

const struct program programs_of_ends[] = {
    {"crash", "[N]: SIGSEGV", .end = crash},
    {"abort", "[N]: SIGABRT", .end = end_by_abort},
    {"illegal", "[N]: a kernel with an illegal address, exit code 1", .end = illegal},
    {"hang", "[N]: sleeps for ever", .end = hang},
    {"spin", "[N]: a kernel that does not end", .end = spin},
    {"exit3", "[N]: exit(3)", .end = exit_3},
    {"_exit", "[N [CODE]]: _exit(CODE)", .run = end_at_once},
    {"quick_exit", "[N]: quick_exit(0)", .end = end_quickly},
    {"sigterm", "[N]: sleeps until a signal ends it", .end = hang},
    {"sigterm-handled", "[N]: handles SIGTERM: 8 launches more, then exit code 4", .run = handle_signal},
    {"sigkill", "[N]: SIGKILL after an idle second", .end = kill_itself},
    {"sigkill-at-once", "[N]: SIGKILL", .end = kill_itself_at_once},
    {0},
};
