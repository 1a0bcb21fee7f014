#include "memory_limit.h"

#include "error.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static const char meminfo[] = "/proc/meminfo", most[] = "/sys/fs/cgroup/memory.max";

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

uint64_t memory_left(void)
{
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

void memory_limit(size_t part)
{
    const uint64_t machine = 1024 * number_in(meminfo, "MemTotal:", UINT64_MAX / 1024);
    const uint64_t inside = number_in(most, "", UINT64_MAX), all = machine < inside ? machine : inside;
    struct rlimit limit;
    if (getrlimit(RLIMIT_RSS, &limit) == 0 && limit.rlim_cur > all / part) {
        limit.rlim_cur = all / part;
        (void)setrlimit(RLIMIT_RSS, &limit); /* the kernel of the machine ignores it, and processes inherit it */
    }
}

struct memory_watcher {
    void (*end)(void *self);
    void *self;
};

static void *watch(void *of)
{
    const struct memory_watcher *watched = of;
    while (memory_left() > 0)
        nanosleep(&(struct timespec){.tv_nsec = PERIOD_NS}, NULL);
    if (watched->end)
        watched->end(watched->self);
    _exit(MEMORY_EXIT);
}

void memory_watch(void (*end)(void *self), void *self)
{
    sigset_t all, before;
    pthread_t thread;
    struct memory_watcher *watched = x_calloc(1, sizeof *watched);
    *watched = (struct memory_watcher){end, self};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are the program's */
    if (pthread_create(&thread, NULL, watch, watched) == 0)
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

double memory_taken(void)
{
    return (double)number_in("/proc/self/status", "VmRSS:", 0) * 1024;
}

char *memory_words(void)
{
    struct rlimit limit;
    const bool limited = getrlimit(RLIMIT_RSS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return limited ? x_sprintf(MEMORY_TAKEN "%.3g GB, or more than this machine has left", (double)limit.rlim_cur / 1e9)
                   : x_strdup(MEMORY_TAKEN "this machine has left");
}
