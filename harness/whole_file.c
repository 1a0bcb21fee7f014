/* The whole_file half of util.h. */
#include "util.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Creates a file beside path that nobody else has. O_EXCL with mode 0666 leaves the umask to the kernel, which
 * mkstemp's 0600 would not. */
static int open_beside(const char *path, char **temporary)
{
    for (int i = 0; i < 100; i++) {
        *temporary = x_sprintf("%s.%ld-%d.tmp", path, (long)getpid(), i);
        int descriptor = open(*temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0)
            return descriptor;
        int reason = errno;
        free(*temporary);
        *temporary = NULL;
        errno = reason;
        if (reason != EEXIST)
            break;
    }
    return -1;
}

/* Opens the stream for file->path; -1 with errno set. */
static int open_stream(struct whole_file *file)
{
    struct stat facts;
    int descriptor;
    bool there = stat(file->path, &facts) == 0;
    if (there && S_ISDIR(facts.st_mode)) {
        errno = EISDIR;
        return -1;
    }
    if (there && !S_ISREG(facts.st_mode)) {
        descriptor = open(file->path, O_WRONLY | O_CLOEXEC);
    } else {
        char *target = there ? realpath(file->path, NULL) : NULL;
        if (target) {
            free(file->path);
            file->path = target;
        }
        descriptor = open_beside(file->path, &file->temporary);
    }
    if (descriptor < 0)
        return -1;
    file->stream = fdopen(descriptor, "w");
    if (!file->stream)
        close(descriptor);
    return file->stream ? 0 : -1;
}

int whole_file_open(struct whole_file *file, const char *path)
{
    *file = (struct whole_file){0};
    if (strcmp(path, "-") == 0) {
        file->stream = stdout;
        file->path = x_strdup("standard output");
        return 0;
    }
    file->path = x_strdup(path);
    if (open_stream(file) == 0)
        return 0;
    error("cannot write %s: %s", path, strerror(errno));
    whole_file_abandon(file);
    return -1;
}

/* A rename is on the disk only once the folder is. Failing here is not worth an error: the file is whole either
 * way, and some file systems cannot sync a folder. */
static void sync_folder(const char *path)
{
    char *folder = x_strdup(path);
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = '\0';
    int descriptor = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0) {
        (void)fsync(descriptor);
        close(descriptor);
    }
    free(folder);
}

int whole_file_settle(struct whole_file *file)
{
    /* A stream that failed earlier may flush without complaint, and has lost the reason by now. */
    bool failed_before = ferror(file->stream) != 0;
    errno = 0;
    if (fflush(file->stream) != 0 || failed_before || (file->temporary && fsync(fileno(file->stream)) < 0))
        return error("cannot write %s: %s", file->path,
                     errno ? strerror(errno) : "an earlier write failed; is the disk full?");
    if (!file->temporary)
        return 0;
    int closed = fclose(file->stream);
    file->stream = NULL;
    return closed == 0 ? 0 : error("cannot write %s: %s", file->path, strerror(errno));
}

int whole_file_commit(struct whole_file *file)
{
    int result = -1;
    if (file->stream && whole_file_settle(file) < 0)
        goto out;
    if (file->temporary) {
        if (rename(file->temporary, file->path) < 0) {
            error("cannot write %s: %s", file->path, strerror(errno));
            goto out;
        }
        free(file->temporary);
        file->temporary = NULL;
        sync_folder(file->path);
    }
    result = 0;
out:
    whole_file_abandon(file);
    return result;
}

void whole_file_abandon(struct whole_file *file)
{
    if (file->stream && file->stream != stdout)
        fclose(file->stream);
    if (file->temporary)
        unlink(file->temporary);
    free(file->temporary);
    free(file->path);
    *file = (struct whole_file){0};
}
