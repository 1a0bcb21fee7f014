/* What a name stands for may be exponential in its length, in memory and in time: each of its parts may be named again,
 * and twice. The demangler knows no limit, so it works in a process that has some. */
#include "symbol.h"

#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* libstdc++'s, by its C++ ABI name: plain C in all but where it lives. */
extern char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

#define PROCESSES 4 /* each but the last ends at a name that asks for too much */

static void limit(__rlimit_resource_t resource, rlim_t max)
{
    struct rlimit now;
    if (getrlimit(resource, &now) < 0 || max >= now.rlim_cur)
        return;
    now.rlim_cur = now.rlim_max = max;
    (void)setrlimit(resource, &now);
}

/* What the process has now is the parent's, and does not count. */
static void limit_memory(void)
{
    unsigned long pages;
    FILE *stream = fopen("/proc/self/statm", "re");
    if (stream && fscanf(stream, "%lu", &pages) == 1) /* NOLINT(cert-err34-c): the kernel wrote it */
        limit(RLIMIT_AS, (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + SYMBOL_MEMORY);
    if (stream)
        fclose(stream);
}

/* Each name ends with a 0; an empty one stands for what stays. */
__attribute__((noreturn)) static void be_the_reader(char **const *names, size_t count, int pipe)
{
    signal(SIGPIPE, SIG_DFL);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, SYMBOL_SECONDS);
    FILE *stream = fdopen(pipe, "w");
    limit_memory();
    close(STDERR_FILENO); /* a sanitizer has no need to tell of memory that is not there */
    for (size_t i = 0; stream && i < count; i++) {
        int status;
        char *text = __cxa_demangle(*names[i], NULL, NULL, &status);
        const char *explained = text && strlen(text) <= SYMBOL_LENGTH ? text : "";
        /* At once, so that the next one may end the process. */
        if (fwrite(explained, strlen(explained) + 1, 1, stream) != 1 || fflush(stream) != 0)
            break;
        free(text);
    }
    _exit(0);
}

/* Returns how many were read, one after the other. */
static size_t take_names(char **const *names, size_t count, FILE *stream)
{
    char *text = NULL;
    size_t capacity = 0, taken = 0, bytes = 0;
    for (; taken < count && bytes <= SYMBOL_MEMORY; taken++) {
        const ssize_t length = getdelim(&text, &capacity, 0, stream);
        if (length <= 0 || text[length - 1] != '\0')
            break; /* it ended within a name */
        bytes += (size_t)length;
        if (length == 1)
            continue;
        free(*names[taken]);
        *names[taken] = x_strdup(text);
    }
    free(text);
    return taken;
}

/* One process. Returns how many names it came through. */
static size_t read_some(char **const *names, size_t count)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0) {
        warning("names of functions stay as compilers write them: no pipe: %s", strerror(errno));
        return count;
    }
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        be_the_reader(names, count, ends[1]);
    }
    close(ends[1]);
    FILE *stream = child > 0 ? fdopen(ends[0], "r") : NULL;
    size_t taken = count;
    if (stream)
        taken = take_names(names, count, stream);
    else
        warning("names of functions stay as compilers write them: no process for them: %s", strerror(errno));
    if (stream)
        fclose(stream);
    else
        close(ends[0]);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        continue;
    return taken;
}

void symbols_read(char **const *names, size_t count)
{
    char ***mangled = x_calloc(count, sizeof *mangled);
    size_t left = 0, done = 0;
    for (size_t i = 0; i < count; i++)
        if (*names[i] && strncmp(*names[i], "_Z", 2) == 0)
            mangled[left++] = (char **)names[i];
    for (int i = 0; i < PROCESSES && done < left; i++)
        done += read_some(mangled + done, left - done) + 1;
    free(mangled);
}

void result_read_symbols(struct result *result)
{
    const size_t count = result->launch_count + result->profile.count;
    char ***names = x_calloc(count, sizeof *names);
    for (size_t i = 0; i < result->launch_count; i++)
        names[i] = &result->launches[i].function;
    for (size_t i = 0; i < result->profile.count; i++)
        names[result->launch_count + i] = &result->profile.list[i].function;
    symbols_read(names, count);
    profile_sort(&result->profile);
    free(names);
}

void symbol_forget_architectures(char *name)
{
    for (char *at = name; (at = strstr(at, "CUB_"));) {
        at += strlen("CUB_");
        at += strspn(at, "0123456789");
        if (strncmp(at, "_SM_", 4) == 0) {
            const char *rest = at + 4 + strspn(at + 4, "0123456789_");
            memmove(at, rest, strlen(rest) + 1);
        }
    }
}

bool symbol_is_same(const char *a, const char *b)
{
    char *names[] = {x_strdup(a), x_strdup(b)};
    symbol_forget_architectures(names[0]);
    symbol_forget_architectures(names[1]);
    const bool same = strcmp(names[0], names[1]) == 0;
    free(names[0]);
    free(names[1]);
    return same;
}
