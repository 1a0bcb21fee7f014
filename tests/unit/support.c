#include "support.h"
#include "model/run.h"

#include <ftw.h>
#include <sys/resource.h>
#include <sys/wait.h>

char *scratch_make(void)
{
    const char *base = getenv("TMPDIR");
    char *folder = x_sprintf("%s/cugate-test-XXXXXX", base ? base : "/tmp");
    if (!mkdtemp(folder))
        die(EXIT_USAGE, "cannot create the folder %s", folder);
    return folder;
}

static int remove_one(const char *path, const struct stat *facts, int type, struct FTW *walk)
{
    (void)facts, (void)type, (void)walk;
    return remove(path);
}

void scratch_remove(char *folder)
{
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    free(folder);
}

char *scratch_file(const char *folder, const char *name, const char *text)
{
    char *path = x_sprintf("%s/%s", folder, name);
    write_bytes(path, text, strlen(text));
    return path;
}

bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

void write_bytes(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "w");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        die(EXIT_USAGE, "cannot write %s", path);
}

void *bytes_of(const char *path, size_t *size)
{
    char *bytes;
    if (file_read(path, (size_t)1 << 30, &bytes, size) < 0)
        die(EXIT_USAGE, "cannot go on without it");
    return bytes;
}

char *file_text(const char *path)
{
    size_t size;
    return !is_there(path) ? x_strdup("") : bytes_of(path, &size);
}

void limit_processor(unsigned seconds)
{
    setrlimit(RLIMIT_CPU, &(struct rlimit){seconds, seconds});
}

int signalled(void (*child)(void *), void *self, const char *when, const int *signals, size_t count, char **said)
{
    enum { MOST = 4096 };
    int ends[2], status = 0;
    size_t length = 0;
    bool sent = false;
    *said = x_calloc(MOST, 1);
    if (pipe(ends) < 0)
        die(EXIT_USAGE, "cannot open a pipe");
    const pid_t process = fork();
    if (process == 0) {
        signal(SIGINT, SIG_DFL); /* background jobs of a shell ignore it */
        dup2(ends[1], STDERR_FILENO);
        child(self);
    }
    close(ends[1]);
    for (ssize_t got; (got = read(ends[0], *said + length, MOST - 1 - length)) > 0;) {
        length += (size_t)got;
        if (sent || !strstr(*said, when))
            continue;
        sent = true;
        for (size_t i = 0; i < count; i++)
            kill(process, signals[i]);
    }
    close(ends[0]);
    waitpid(process, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static struct {
    FILE *file;
    int saved;
} capture;

void capture_begin(void)
{
    fflush(stderr);
    capture.file = tmpfile();
    capture.saved = dup(STDERR_FILENO);
    if (!capture.file || capture.saved < 0 || dup2(fileno(capture.file), STDERR_FILENO) < 0)
        die(EXIT_USAGE, "cannot capture standard error");
}

char *capture_end(void)
{
    fflush(stderr);
    dup2(capture.saved, STDERR_FILENO);
    close(capture.saved);
    fseek(capture.file, 0, SEEK_END);
    long length = ftell(capture.file);
    char *text = x_calloc((size_t)length + 1, 1);
    rewind(capture.file);
    size_t got = fread(text, 1, (size_t)length, capture.file);
    text[got] = '\0';
    fclose(capture.file);
    return text;
}

char *built(const char *name)
{
    OWNED_TEXT folder = program_folder();
    char *path = x_sprintf("%s/%s", folder, name);
    return path;
}

int run_write_file(const struct run *run, const char *path)
{
    struct atomic_file file;
    TRY(atomic_file_open(&file, path));
    (void)run_write(run, file.stream); /* atomic_file_commit sees a stream that failed, and knows the reason */
    return atomic_file_commit(&file);
}

char *run_text(const struct run *run)
{
    char *text = NULL;
    size_t size;
    FILE *stream = x_memstream(&text, &size);
    if (run_write(run, stream) < 0)
        die(EXIT_USAGE, "cannot write a run");
    fclose(stream);
    return text;
}

const char *first_false(const char *conditions, const bool *are)
{
    static char text[256];
    int depth = 0;
    for (const char *at = conditions;; at++) {
        depth += (*at == '(') - (*at == ')');
        if (*at && (*at != ',' || depth > 0))
            continue;
        snprintf(text, sizeof text, "%.*s", (int)(at - conditions), conditions);
        if (!*are++)
            return text;
        if (!*at)
            return NULL;
        conditions = at + 2;
    }
}
