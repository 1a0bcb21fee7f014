#include "files.h"

#include "error.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads an open file until its end. */
static int read_all(int descriptor, const char *path, size_t limit, char **text, size_t *length)
{
    size_t capacity = 0;
    *text = NULL;
    *length = 0;
    for (;;) {
        if (*length + 1 >= capacity) {
            capacity = capacity ? 2 * capacity : 65536;
            *text = x_realloc(*text, capacity, 1);
        }
        ssize_t got = read(descriptor, *text + *length, capacity - *length - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error("cannot read %s: %s", path, strerror(errno));
        *length += (size_t)got;
        if (*length > limit)
            return error("cannot read %s: it is larger than the limit of %zu bytes", path, limit);
        if (got == 0)
            break;
    }
    (*text)[*length] = '\0';
    return 0;
}

int file_read(const char *path, size_t limit, char **text, size_t *length)
{
    int result = -1;
    struct stat facts;
    *text = NULL;
    *length = 0;
    /* O_NONBLOCK: opening a pipe without a writer would block. */
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return error("cannot read %s: %s", path, strerror(errno));
    if (fstat(descriptor, &facts) < 0)
        error("cannot read %s: %s", path, strerror(errno));
    else if (S_ISDIR(facts.st_mode))
        error("cannot read %s: it is a folder, not a file", path);
    else if (!S_ISREG(facts.st_mode))
        error("cannot read %s: it is not a regular file; copy its contents into one first", path);
    else if ((unsigned long long)facts.st_size > limit)
        error("cannot read %s: it has %lld bytes, more than the limit of %zu", path, (long long)facts.st_size, limit);
    else
        result = read_all(descriptor, path, limit, text, length);
    close(descriptor);
    if (result < 0) {
        free(*text);
        *text = NULL;
        *length = 0;
    }
    return result;
}

bool is_absent(const char *path)
{
    return access(path, F_OK) < 0 && errno == ENOENT;
}

int make_folders(const char *path)
{
    char *part = x_strdup(path);
    int result = 0;
    for (char *end = part; result == 0 && *end;) {
        end += strspn(end, "/");
        end += strcspn(end, "/");
        char kept = *end;
        *end = '\0';
        struct stat facts;
        if (mkdir(part, 0777) < 0 && (errno != EEXIST || stat(part, &facts) < 0 || !S_ISDIR(facts.st_mode)))
            result = error("cannot create the folder %s: %s", part, strerror(errno == EEXIST ? ENOTDIR : errno));
        *end = kept;
    }
    free(part);
    return result;
}

char *make_temporary_folder(void)
{
    const char *parent = getenv("TMPDIR");
    char *path = x_sprintf("%s/cugate-XXXXXX", parent && *parent ? parent : "/tmp");
    if (mkdtemp(path))
        return path;
    error("cannot create a temporary folder %s: %s; set TMPDIR to another folder", path, strerror(errno));
    free(path);
    return NULL;
}

void remove_temporary_folder(char *path)
{
    DIR *folder = opendir(path);
    for (const struct dirent *entry; folder && (entry = readdir(folder));)
        unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
    rmdir(path);
    free(path);
}

char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return !slash ? x_strdup(".") : slash == path ? x_strdup("/") : x_sprintf("%.*s", (int)(slash - path), path);
}

int by_entry_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

char *program_folder(void)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0)
        return x_strdup(".");
    path[length] = '\0';
    return folder_of(path);
}

char *program_on_path(const char *name)
{
    const char *list = getenv("PATH");
    OWNED_TEXT folders = x_strdup(list ? list : "");
    char *rest = NULL, *found = NULL;
    for (char *folder = strtok_r(folders, ":", &rest); folder && !found; folder = strtok_r(NULL, ":", &rest)) {
        found = x_sprintf("%s/%s", folder, name);
        if (access(found, X_OK) < 0) {
            free(found);
            found = NULL;
        }
    }
    return found;
}

char *program_beside(const char *const *candidates, size_t count)
{
    OWNED_TEXT folder = program_folder();
    char *path = NULL;
    for (size_t i = 0; i < count; i++) {
        path = x_sprintf("%s/%s", folder, candidates[i]);
        if (access(path, F_OK) == 0)
            break;
        free(path);
        path = NULL;
    }
    if (!path)
        path = x_sprintf("%s/%s", folder, candidates[0]);
    return path;
}

bool program_is_installed(void)
{
    OWNED_TEXT folder = program_folder(), *path = x_sprintf("%s/cugate-fetch", folder);
    return access(path, F_OK) == 0;
}

/* A temporary file is called "run.json.cugate-0.tmp". Its writer holds a lock on it, which ends with the process,
 * however that ends. So a temporary file without a lock was left by a writer that was killed. The next writer in that
 * folder removes it. */
#define MARK ".cugate-"
#define ENDING ".tmp"

static bool is_temporary(const char *name)
{
    const char *number = strstr(name, MARK);
    for (const char *more = number; more; more = strstr(more + 1, MARK))
        number = more;
    if (!number)
        return false;
    number += strlen(MARK);
    const size_t digits = strspn(number, "0123456789");
    return digits > 0 && strcmp(number + digits, ENDING) == 0;
}

/* Whether the name still refers to the open file, so nobody renamed or removed it meanwhile. */
static bool is_still(int folder, const char *name, int descriptor)
{
    struct stat named, opened;
    return fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && fstat(descriptor, &opened) == 0 &&
           S_ISREG(opened.st_mode) && named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

/* Removes a temporary file if its writer is gone. It opens the file for writing, because NFS locks nothing else. While
 * this process holds the lock, nobody else uses that name. */
static void remove_if_left(int folder, const char *name)
{
    const int descriptor = openat(folder, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0)
        return;
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0 && is_still(folder, name, descriptor))
        (void)unlinkat(folder, name, 0);
    close(descriptor);
}

/* Removes temporary files that killed writers left. It is done once for files that are opened one after the other,
 * because reading a large folder for each of them takes long. */
static void remove_left(const char *path, const struct atomic_file *before)
{
    OWNED_TEXT name = folder_of(path), *name_before = folder_of(before ? before->path : "");
    DIR *folder = before && strcmp(name, name_before) == 0 ? NULL : opendir(name);
    for (const struct dirent *entry; folder && (entry = readdir(folder));)
        if (is_temporary(entry->d_name))
            remove_if_left(dirfd(folder), entry->d_name);
    if (folder)
        closedir(folder);
}

/* Locks a temporary file. On a file system without locks nobody removes temporary files, so having no lock does no
 * harm. */
static bool lock_own(int descriptor, const char *name)
{
    if (flock(descriptor, LOCK_EX | LOCK_NB) < 0)
        return errno != EWOULDBLOCK;
    return is_still(AT_FDCWD, name, descriptor);
}

/* Creates a file beside path with a name that nobody else uses. O_EXCL with mode 0666 leaves the umask to the kernel,
 * while mkstemp would create it with 0600. */
static int open_beside(const char *path, char **temporary)
{
    for (int i = 0; i < 1000; i++) {
        *temporary = x_sprintf("%s" MARK "%d" ENDING, path, i);
        remove_if_left(AT_FDCWD, *temporary);
        int descriptor = open(*temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        const int reason = errno;
        if (descriptor >= 0 && lock_own(descriptor, *temporary))
            return descriptor;
        if (descriptor >= 0)
            close(descriptor); /* another process found it before it was locked, and removes it */
        free(*temporary);
        *temporary = NULL;
        errno = reason;
        if (descriptor < 0 && reason != EEXIST)
            break;
    }
    return -1;
}

/* Opens the stream for file->path. -1 with errno set. */
static int open_stream(struct atomic_file *file)
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
    TRY(descriptor);
    file->stream = fdopen(descriptor, "w");
    if (!file->stream)
        close(descriptor);
    return file->stream ? 0 : -1;
}

int atomic_file_open(struct atomic_file *file, const char *path)
{
    return atomic_file_open_next(file, path, NULL);
}

int atomic_file_open_next(struct atomic_file *file, const char *path, const struct atomic_file *before)
{
    TRY(atomic_file_open_beside(file, path));
    if (file->temporary)
        remove_left(file->path, before);
    return 0;
}

int atomic_file_open_beside(struct atomic_file *file, const char *path)
{
    *file = (struct atomic_file){0};
    if (strcmp(path, "-") == 0) {
        file->stream = stdout;
        file->path = x_strdup("standard output");
        return 0;
    }
    file->path = x_strdup(path);
    if (open_stream(file) == 0)
        return 0;
    error("cannot write %s: %s", path, strerror(errno));
    atomic_file_abandon(file);
    return -1;
}

/* A rename is on the disk only when its folder is synced. Failure is no error: the file is complete either way, and
 * some file systems cannot sync a folder. */
static void sync_folder(const char *path)
{
    OWNED_TEXT folder = folder_of(path);
    int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0) {
        (void)fsync(descriptor);
        close(descriptor);
    }
}

int atomic_file_sync(struct atomic_file *file)
{
    /* Flushing a stream that failed earlier may succeed, and by then errno is lost. */
    bool failed_before = ferror(file->stream) != 0;
    errno = 0;
    if (fflush(file->stream) != 0 || failed_before ||
        (file->temporary && !file->is_brief && fsync(fileno(file->stream)) < 0))
        return error("cannot write %s: %s", file->path,
                     errno ? strerror(errno) : "an earlier write failed; is the disk full?");
    return 0;
}

int atomic_file_commit(struct atomic_file *file)
{
    int result = -1;
    if (atomic_file_sync(file) < 0)
        goto out;
    if (file->temporary) {
        if (rename(file->temporary, file->path) < 0) {
            error("cannot write %s: %s", file->path, strerror(errno));
            goto out;
        }
        free(file->temporary);
        file->temporary = NULL;
        if (!file->is_brief)
            sync_folder(file->path);
    }
    result = 0;
out:
    atomic_file_abandon(file);
    return result;
}

void atomic_file_abandon(struct atomic_file *file)
{
    if (file->stream && file->stream != stdout)
        fclose(file->stream);
    if (file->temporary)
        unlink(file->temporary);
    free(file->temporary);
    free(file->path);
    *file = (struct atomic_file){0};
}
