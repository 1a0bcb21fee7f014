/* A kernel library whose second kernel, of three that run on the host, does what AT_LAUNCH says, its first family's
 * close what AT_CLOSE says, and that does AT_LOAD when it is loaded: each is C that calls the functions below. With
 * NOT_BUILT the second is not built. */
#include "../libraries/answer.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef AT_LOAD
#define AT_LOAD
#endif
#ifndef AT_LAUNCH
#define AT_LAUNCH
#endif
#ifndef AT_CLOSE
#define AT_CLOSE
#endif

/* Writes to whatever descriptors of that type the process was left. */
static void write_to_all(mode_t type, const void *bytes, size_t length)
{
    struct stat status;
    for (int descriptor = STDERR_FILENO + 1; descriptor < 64; descriptor++)
        if (fstat(descriptor, &status) == 0 && (status.st_mode & S_IFMT) == type)
            (void)!write(descriptor, bytes, length);
}

/* Says so many bytes of text, all that there are or not, as a worker does. */
__attribute__((unused)) static void say_cut(char kind, uint32_t size, const char *text)
{
    char bytes[4096];
    const size_t length = strlen(text);
    bytes[0] = kind;
    memcpy(bytes + 1, &size, sizeof size);
    memcpy(bytes + 1 + sizeof size, text, length);
    write_to_all(S_IFSOCK, bytes, 1 + sizeof size + length);
}

__attribute__((unused)) static void say(char kind, const char *text)
{
    say_cut(kind, (uint32_t)strlen(text), text);
}

/* Waits for what the parent says next, and keeps it. */
__attribute__((unused)) static void steal(void)
{
    struct stat status;
    char bytes[4096];
    for (int descriptor = STDERR_FILENO + 1; descriptor < 64; descriptor++)
        if (fstat(descriptor, &status) == 0 && S_ISSOCK(status.st_mode))
            (void)!read(descriptor, bytes, sizeof bytes);
}

/* Into the files that the process has open. */
__attribute__((unused)) static void scribble(const char *text)
{
    write_to_all(S_IFREG, text, strlen(text));
}

/* Whether it was called before, in this process or another. */
__attribute__((unused)) static int was_here(void)
{
    const int descriptor = open("was_here", O_CREAT | O_EXCL | O_WRONLY, 0600);
    if (descriptor >= 0)
        close(descriptor);
    return descriptor < 0;
}

__attribute__((constructor)) static void at_load(void)
{
    AT_LOAD;
}

static void close_unruly(void *state)
{
    (void)state;
    AT_CLOSE;
}

static int launch(void *state)
{
    *(double *)state = 42;
    return 0;
}

__attribute__((unused)) static int launch_unruly(void *state)
{
    AT_LAUNCH;
    return launch(state);
}

static const struct cugate_variant first_variants[] = {
    {.name = "one", .doc = "one", .launch = launch, .bytes = 8},
#ifdef NOT_BUILT
    {.name = "two", .doc = "two", .not_built = "two.h was not found"},
#else
    {.name = "two", .doc = "two", .launch = launch_unruly, .bytes = 8},
#endif
};
static const struct cugate_variant last_variants[] = {{.name = "three", .doc = "three", .launch = launch, .bytes = 8}};

static const struct cugate_family first = {
    "first", "two", CUGATE_TRANSFER, open_nothing, restore, verify, close_unruly, first_variants, 2, NULL, NULL};
FAMILY(last, CUGATE_TRANSFER);
LIBRARY(&first, &last)

/* Real machine code, for --static. */
#ifdef MACHINE_CODE
__asm__(".section .nv_fatbin,\"a\"\n.balign 8\n.incbin \"" MACHINE_CODE "\"\n.previous\n");
#endif
