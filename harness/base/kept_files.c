#include "kept_files.h"

#include "error.h"
#include "lists.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns whether only this user can have written a folder or file. */
static bool is_ours(int descriptor)
{
    struct stat facts;
    return fstat(descriptor, &facts) == 0 && (facts.st_uid == geteuid() || facts.st_uid == 0) &&
           !(facts.st_mode & (S_IWGRP | S_IWOTH));
}

int kept_open(const char *what)
{
    static bool warned;
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    OWNED_TEXT parent = base && *base == '/'   ? x_strdup(base)
                        : home && *home == '/' ? x_sprintf("%s/.cache", home)
                                               : NULL;
    if (!parent)
        return -1;
    mkdir(parent, 0700);
    OWNED_TEXT path = x_sprintf("%s/cugate", parent);
    mkdir(path, 0700);
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0 && !is_ours(folder)) {
        if (!warned)
            warning("other users can write to %s, so cugate does not use it, and %s is not cached", path, what);
        warned = true;
        close(folder);
        folder = -1;
    }
    return folder;
}

FILE *kept_read(int folder, const char *name)
{
    const int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    FILE *stream = file >= 0 && is_ours(file) ? fdopen(file, "r") : NULL;
    if (!stream && file >= 0)
        close(file);
    return stream;
}

static char *part_of(const char *name)
{
    return x_sprintf("%s.%ld", name, (long)getpid());
}

FILE *kept_begin(int folder, const char *name)
{
    OWNED_TEXT part = part_of(name);
    const int file = openat(folder, part, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    return file >= 0 ? fdopen(file, "w") : NULL;
}

void kept_end(FILE *stream, int folder, const char *name, bool is_whole)
{
    OWNED_TEXT part = part_of(name);
    if (fclose(stream) != 0 || !is_whole || renameat(folder, part, folder, name) < 0)
        unlinkat(folder, part, 0);
}
