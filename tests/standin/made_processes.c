/* Programs of several processes. */
#include "made_program.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t must_fork(void)
{
    fflush(stdout);
    const pid_t child = fork();
    if (child < 0)
        abort();
    return child;
}

/* Waits for a child. Returns its exit code, or 128 and the signal. */
static int wait_for(pid_t child)
{
    int status;
    if (waitpid(child, &status, 0) != child)
        abort();
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void launch_and_say(const char *name, int count)
{
    struct gpu gpu;
    gpu_open(&gpu, 0);
    launch_some(&gpu, count);
    printf("%s: %d launches, sum %d\n", name, count, gpu_sum(&gpu));
    fflush(stdout);
    gpu_close(&gpu);
}

/* Forks before CUDA is used. The child prints first, so that the lines do not change places. */
static int fork_before(int argc, char **argv)
{
    (void)argc, (void)argv;
    const pid_t child = must_fork();
    if (child == 0) {
        launch_and_say("fork-before, child", 16);
        exit(0);
    }
    const int code = wait_for(child);
    launch_and_say("fork-before, parent", 24);
    return code;
}

/* Forks after CUDA was used. The child inherits a driver that it cannot use, and leaves by exit(), as a worker that
 * loads data does. */
static int fork_after(struct gpu *gpu, int argc, char **argv)
{
    (void)argc, (void)argv;
    launch_some(gpu, 20);
    const pid_t child = must_fork();
    if (child == 0) {
        const CUresult answer = cuCtxSynchronize();
        printf("fork-after, child: the driver answers %d\n", (int)answer);
        exit(answer == CUDA_ERROR_NOT_INITIALIZED ? 0 : 1);
    }
    launch_some(gpu, 23);
    const int code = wait_for(child);
    printf("fork-after, parent: 43 launches, sum %d\n", gpu_sum(gpu));
    return code;
}

/* Executes another program as a child, by default this one. It runs while the parent holds everything that it has. */
static int exec_child(struct gpu *gpu, int argc, char **argv)
{
    launch_some(gpu, 24);
    const pid_t child = must_fork();
    if (child == 0) {
        char *plain[] = {"program", "plain", "16", NULL};
        execv(argc > 0 ? argv[0] : "/proc/self/exe", argc > 0 ? argv : plain);
        _exit(127);
    }
    const int code = wait_for(child);
    launch_some(gpu, 8);
    printf("exec-child, parent: 32 launches, sum %d\n", gpu_sum(gpu));
    return code;
}

/* Does the same while another child sleeps. Like a worker that loads data, that one has copies of everything that this
 * process has open. */
static int idle_child(struct gpu *gpu, int argc, char **argv)
{
    int gate[2];
    if (pipe(gate) < 0)
        abort();
    launch_some(gpu, 24);
    const pid_t idle = must_fork();
    if (idle == 0) {
        char byte;
        close(gate[1]);
        exit(read(gate[0], &byte, 1) == 0 ? 0 : 1);
    }
    gpu_close(gpu);
    gpu_open(gpu, 0);
    const int code = exec_child(gpu, argc, argv);
    close(gate[1]);
    return wait_for(idle) ? 1 : code;
}

static void *launch_spin(void *data)
{
    const struct gpu *gpu = data;
    MUST(cuCtxSetCurrent(gpu->context));
    launch(gpu, "spin", 1, 32);
    return NULL;
}

/* Forks while another thread launches a kernel that does not end. A profiler may wait for that kernel, with any lock.
 */
static int spin_child(struct gpu *gpu, int argc, char **argv)
{
    (void)argc, (void)argv;
    pthread_t thread;
    launch_some(gpu, 24);
    if (pthread_create(&thread, NULL, launch_spin, gpu) != 0)
        abort();
    usleep(400000);
    const pid_t child = must_fork();
    if (child == 0)
        exit(0);
    const int code = wait_for(child);
    printf("spin-child: 25 launches, child %d\n", code);
    fflush(stdout);
    raise(SIGKILL);
    return 0;
}

/* Starts several processes, which all begin when the last one is there. */
static int processes(int argc, char **argv)
{
    enum { MOST = 64 };
    pid_t children[MOST];
    int gate[2];
    const int wanted = argument(argc, argv, 0, 4);
    const int count = wanted < MOST ? wanted : MOST;
    if (pipe(gate) < 0)
        abort();
    for (int i = 0; i < count; i++) {
        children[i] = must_fork();
        if (children[i] == 0) {
            char byte, name[32];
            close(gate[1]);
            if (read(gate[0], &byte, 1) != 0)
                abort();
            snprintf(name, sizeof name, "processes, %d", i);
            launch_and_say(name, 16);
            exit(0);
        }
    }
    close(gate[1]);
    int worst = 0;
    for (int i = 0; i < count; i++) {
        const int code = wait_for(children[i]);
        worst = code > worst ? code : worst;
    }
    printf("processes: %d children, worst exit code %d\n", count, worst);
    return worst;
}

/* N steps of two ranks, of which the second computes so often as long. Each step ends with a collective. */
static int ranks(int argc, char **argv)
{
    pid_t children[2];
    const int steps = argument(argc, argv, 0, 6), more = argument(argc, argv, 1, 1);
    for (int rank = 0; rank < 2; rank++) {
        children[rank] = must_fork();
        if (children[rank] != 0)
            continue;
        struct gpu gpu;
        setenv("RANK", rank ? "1" : "0", 1);
        gpu_open(&gpu, 0);
        for (int i = 0; i < steps; i++) {
            for (int k = 0; k < (rank ? more : 1); k++)
                launch(&gpu, "large", 64, 256);
            launch(&gpu, "add_one", 64, 256);
            launch(&gpu, "ncclDevKernel_AllReduce", 64, 256);
        }
        gpu_close(&gpu);
        exit(0);
    }
    const int first = wait_for(children[0]), second = wait_for(children[1]);
    printf("ranks: %d steps, exit codes %d and %d\n", steps, first, second);
    return first + second;
}

/* Ends before its child does. */
static int orphan(int argc, char **argv)
{
    (void)argc, (void)argv;
    const pid_t child = must_fork();
    if (child == 0) {
        usleep(300000);
        launch_and_say("orphan, child", 16);
        exit(0);
    }
    launch_and_say("orphan, parent", 24);
    return 0;
}

/* Executes another program, and prints the most memory that it had. This program does not use CUDA. */
static int peak(int argc, char **argv)
{
    struct rusage used;
    const pid_t child = argc > 0 ? must_fork() : 0;
    if (child == 0) {
        if (argc > 0)
            execvp(argv[0], argv);
        return 127;
    }
    const int code = wait_for(child);
    if (getrusage(RUSAGE_CHILDREN, &used) < 0)
        abort();
    fprintf(stderr, "peak: %ld KB\n", used.ru_maxrss);
    return code;
}

const struct program programs_of_processes[] = {
    {"fork-before", "forks, then both launch", .run = fork_before},
    {"fork-after", "launches, forks, launches; the child only ends", .on_gpu = fork_after},
    {"exec-child", "[PROGRAM...]: launches, starts another program (plain 16), launches", .on_gpu = exec_child},
    {"idle-child", "launches, forks a child that sleeps, then does as exec-child", .on_gpu = idle_child},
    {"spin-child", "a kernel that does not end, a child that does, then SIGKILL", .on_gpu = spin_child},
    {"processes", "[N]: N children that launch at once", .run = processes},
    {"ranks", "[N] [M]: N steps of two processes, the second of which computes M times as long", .run = ranks},
    {"peak", "PROGRAM...: starts another program and tells how much memory it had", .run = peak},
    {"orphan", "a child that outlives its parent by 0.3 s and launches then", .run = orphan},
    {0},
};
