#include "baseline_files.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

/* Raises the limit on open files: there may be more kernels than a process may have files open by default. */
static void allow_open_files(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

/* Writes every changed file beside its place, and renames them when all are on the disk. */
static int write_files(const struct baseline_files *files)
{
    int result = -1;
    size_t opened = 0;
    size_t done = 0;
    struct atomic_file *pending = x_calloc(files->count, sizeof *pending);
    allow_open_files();
    for (size_t i = 0; i < files->count; i++) {
        struct atomic_file *file = &pending[opened];
        if (!files->list[i].changed)
            continue;
        OWNED_TEXT folder = folder_of(files->list[i].path);
        if (make_folders(folder) < 0 ||
            atomic_file_open_next(file, files->list[i].path, opened > 0 ? file - 1 : NULL) < 0)
            goto out;
        opened++;
        errno = 0;
        if (run_write(&files->list[i].run, file->stream) < 0) {
            error("cannot write %s: %s; the baseline is unchanged", files->list[i].path, strerror(errno));
            goto out;
        }
        if (atomic_file_sync(file) < 0)
            goto out;
    }
    for (; done < opened; done++)
        if (atomic_file_commit(&pending[done]) < 0) {
            error("%zu of %zu files were written: fix the problem, then accept again to write the others", done,
                  opened);
            done++;
            goto out;
        }
    result = 0;
out:
    for (; done < opened; done++)
        atomic_file_abandon(&pending[done]);
    free(pending);
    return result;
}

int baseline_lock(const char *folder)
{
    TRY(make_folders(folder));
    const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0 && flock(descriptor, LOCK_EX) == 0)
        return descriptor;
    if (descriptor >= 0)
        close(descriptor);
    return error("cannot lock %s: %s", folder, strerror(errno));
}

/* Removes a file whose kernel has a new name, or is gone. All others are written, so nothing is lost if this fails. */
static int remove_old(const char *path)
{
    if (unlink(path) < 0)
        return error(
            "cannot remove %s: %s; remove it yourself, because its kernel is gone or is now kept in another file", path,
            strerror(errno));
    OWNED_TEXT folder = folder_of(path);
    (void)rmdir(folder); /* succeeds only if that was the last file of its family */
    return 0;
}

int baseline_write(const struct baseline_files *files, char *const *old_paths, size_t old_count)
{
    sigset_t ends, before;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGHUP);
    sigprocmask(SIG_BLOCK, &ends, &before);
    int result = write_files(files);
    for (size_t i = 0; i < old_count && result == 0; i++)
        result = remove_old(old_paths[i]);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return result;
}
