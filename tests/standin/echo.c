/* Prints what a program gets from its parent: arguments, environment and open files, then its standard input. That is
 * compared with and without cugate in between. */
#include "made_program.h"

#include <dirent.h>
#include <unistd.h>

extern char **environ;

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void print_environment(void)
{
    size_t count = 0;
    while (environ[count])
        count++;
    const char **sorted = calloc(count + 1, sizeof *sorted);
    if (!sorted)
        abort();
    memcpy(sorted, environ, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_text);
    for (size_t i = 0; i < count; i++)
        printf("environment: %s\n", sorted[i]);
    free(sorted);
}

static void print_files(void)
{
    DIR *folder = opendir("/proc/self/fd");
    if (!folder)
        abort();
    for (const struct dirent *entry; (entry = readdir(folder));) {
        char path[300], to[4096];
        snprintf(path, sizeof path, "/proc/self/fd/%s", entry->d_name);
        const ssize_t length = readlink(path, to, sizeof to - 1);
        if (length > 0 && atoi(entry->d_name) != dirfd(folder))
            printf("file: %s %.*s\n", entry->d_name, (int)length, to);
    }
    closedir(folder);
}

int echo(int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        printf("argument: %s\n", argv[i]);
    print_environment();
    print_files();
    for (int c; (c = getchar()) != EOF;)
        putchar(c);
    return 0;
}
