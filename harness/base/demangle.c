/* The demangled name may be exponentially longer than the mangled one, and take as long to read: each of its parts may
 * be named again, twice. The demangler has no limit of its own, so it works in a process that has one. */
#include "demangle.h"

#include "error.h"
#include "processes.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

/* Declares libstdc++'s demangler by its C++ ABI name. It is callable from C. */
extern char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

#define PROCESSES 4 /* each process but the last ended at a name that takes too much */

static void limit(__rlimit_resource_t resource, rlim_t max)
{
    struct rlimit now;
    if (getrlimit(resource, &now) < 0 || max >= now.rlim_cur)
        return;
    now.rlim_cur = now.rlim_max = max;
    (void)setrlimit(resource, &now);
}

/* Limits the memory of this process beyond what it inherited from its parent. */
static void limit_memory(void)
{
    unsigned long pages;
    FILE *stream = fopen("/proc/self/statm", "re");
    if (stream && fscanf(stream, "%lu", &pages) == 1) /* NOLINT(cert-err34-c): the kernel wrote it */
        limit(RLIMIT_AS, (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + DEMANGLE_MEMORY);
    if (stream)
        fclose(stream);
}

struct reading {
    char **const *names;
    size_t count;
};

/* Writes the demangled names to standard output, each with a 0 behind it. An empty name means that names[i] stays as it
 * is. */
static void be_the_reader(const void *data)
{
    const struct reading *reading = data;
    signal(SIGPIPE, SIG_DFL);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, DEMANGLE_SECONDS);
    FILE *stream = fdopen(STDOUT_FILENO, "w");
    limit_memory();
    close(STDERR_FILENO); /* a sanitizer has no need to tell of memory that is not there */
    for (size_t i = 0; stream && i < reading->count; i++) {
        int status;
        setitimer(ITIMER_PROF, &(struct itimerval){.it_value = {.tv_usec = DEMANGLE_MICROSECONDS}}, NULL);
        OWNED_TEXT text = __cxa_demangle(*reading->names[i], NULL, NULL, &status);
        const char *explained = text && strlen(text) <= DEMANGLE_LENGTH ? text : "";
        /* Each name is written at once, because the next one may end the process. */
        if (fwrite(explained, strlen(explained) + 1, 1, stream) != 1 || fflush(stream) != 0)
            break;
    }
}

/* Takes names from the pipe, one after the other. Returns how many came. */
static size_t take_names(char **const *names, size_t count, FILE *stream)
{
    OWNED_TEXT text = NULL;
    size_t capacity = 0, taken = 0, bytes = 0;
    for (; taken < count && bytes <= DEMANGLE_MEMORY; taken++) {
        const ssize_t length = getdelim(&text, &capacity, 0, stream);
        if (length <= 0 || text[length - 1] != '\0')
            break; /* the process ended within a name */
        bytes += (size_t)length;
        if (length == 1)
            continue;
        free(*names[taken]);
        *names[taken] = x_strdup(text);
    }
    return taken;
}

/* Starts one process that demangles. Returns how many names it handled. */
static size_t read_some(char **const *names, size_t count)
{
    const struct reading reading = {names, count};
    pid_t process;
    FILE *stream = process_start_reading(&(struct process_start){.run = be_the_reader, .data = &reading}, &process);
    if (!stream) {
        warning("function names are not demangled: cannot start a process: %s", strerror(errno));
        return count;
    }
    const size_t taken = take_names(names, count, stream);
    fclose(stream);
    process_wait(process);
    return taken;
}

void demangle(char **const *names, size_t count)
{
    OWNED_MEMORY char ***mangled = x_calloc(count, sizeof *mangled);
    size_t left = 0, done = 0;
    for (size_t i = 0; i < count; i++)
        if (*names[i] && strncmp(*names[i], "_Z", 2) == 0)
            mangled[left++] = (char **)names[i];
    for (int i = 0; i < PROCESSES && done < left; i++)
        done += read_some(mangled + done, left - done) + 1;
}
