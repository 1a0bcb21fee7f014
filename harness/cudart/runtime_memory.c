/* The GPU's memory is backed when it is touched, by kernels, copies or the host. A program that touches more than this
 * machine has is ended with words, before the kernel of the machine kills what it likes. */
#include "runtime.h"

#include "base/base.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { PERIOD_NS = 20000000, RESERVED_PART = 32 }; /* so much of all memory is left to others */

/* Returns the number behind a word of a file, of its beginning if the word is ""; none_there: it has none. */
static uint64_t number_in(const char *path, const char *word, uint64_t none_there)
{
    char text[8192];
    FILE *file = fopen(path, "re");
    const size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[length] = '\0';
    const char *at = strstr(text, word);
    char *end = NULL;
    const uint64_t number = at ? strtoull(at + strlen(word), &end, 10) : 0;
    return at && end != at + strlen(word) ? number : none_there;
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* Returns how many more bytes the process may touch: by the machine, its container, and `ulimit -m`. */
static uint64_t bytes_left(void)
{
    static const char meminfo[] = "/proc/meminfo", most[] = "/sys/fs/cgroup/memory.max";
    struct rlimit limit;
    const uint64_t own = 1024 * number_in("/proc/self/status", "VmRSS:", 0);
    const uint64_t free = less(1024 * number_in(meminfo, "MemAvailable:", UINT64_MAX / 1024),
                               1024 * number_in(meminfo, "MemTotal:", 0) / RESERVED_PART);
    const uint64_t all = number_in(most, "", UINT64_MAX);
    const uint64_t cached = number_in("/sys/fs/cgroup/memory.stat", "\ninactive_file ", 0);
    const uint64_t inside =
        less(less(all, all / RESERVED_PART), less(number_in("/sys/fs/cgroup/memory.current", "", 0), cached));
    const uint64_t allowed = getrlimit(RLIMIT_RSS, &limit) == 0 ? less(limit.rlim_cur, own) : UINT64_MAX;
    const uint64_t least = free < inside ? free : inside;
    return least < allowed ? least : allowed;
}

static void *watch(void *of)
{
    struct runtime *runtime = of;
    while (bytes_left() > 0)
        nanosleep(&(struct timespec){.tv_nsec = PERIOD_NS}, NULL);
    const double taken = (double)number_in("/proc/self/status", "VmRSS:", 0) * 1024;
    OWNED_TEXT words =
        x_sprintf("this machine lacks memory: the program and the GPU's memory that it uses take %.1f GB "
                  "by now: use less data, or a machine with more",
                  taken / 1e9);
    runtime->tell(words);
    _exit(EXIT_NOT_MEASURED);
}

void runtime_watch_memory(struct runtime *runtime, uint64_t bytes)
{
    sigset_t all, before;
    pthread_t thread;
    if (!runtime->tell || runtime->watched || bytes < bytes_left() / 4)
        return;
    runtime->watched = true;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are the program's */
    if (pthread_create(&thread, NULL, watch, runtime) == 0)
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}
