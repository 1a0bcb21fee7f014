#include "cubin_support.h"
#include "test.h"

#include <spawn.h>
#include <sys/wait.h>
#include <xxhash.h>

#define MOST_ARGUMENTS 8

const struct cubin_function *find_function(const struct cubin *cubin, const char *name, int capability)
{
    enum cubin_status status;
    return cubin_find(cubin, name, capability, &status);
}

/* ---- What nvcc made of a source is kept, for the next run of the tests and for builds with sanitizers ---- */

#define KEPT "build/tests/compiled/unit"

/* Decided by all that decides about the output: nvcc itself, its arguments but for paths, the source. Caller frees. */
static char *kept_name(const char *nvcc, const char *const *arguments)
{
    struct stat facts;
    char *text;
    size_t length;
    if (*nvcc != '/' || stat(nvcc, &facts) < 0)
        return NULL;
    char *words = x_sprintf("%s %lld", nvcc, (long long)facts.st_mtime);
    for (size_t i = 0; i < MOST_ARGUMENTS && arguments[i]; i++) {
        const char *word = arguments[i], *name = strrchr(word, '/');
        const bool is_source = strlen(word) > 3 && strcmp(word + strlen(word) - 3, ".cu") == 0;
        if (is_source)
            cr_assert_eq(file_read(word, 1 << 20, &text, &length), 0);
        char *more = *word != '/' ? x_sprintf("%s %s", words, word)
                     : is_source  ? x_sprintf("%s %s %s", words, name, text)
                                  : x_strdup(words);
        free(words);
        words = more;
        if (is_source)
            free(text);
    }
    char *name = x_sprintf("%s/%016llx", KEPT, (unsigned long long)XXH3_64bits(words, strlen(words)));
    free(words);
    return name;
}

static bool copy(const char *from, const char *to)
{
    char *bytes;
    size_t size;
    struct atomic_file file;
    if (access(from, R_OK) < 0 || file_read(from, 1 << 24, &bytes, &size) < 0)
        return false;
    cr_assert_eq(atomic_file_open(&file, to), 0);
    fwrite(bytes, 1, size, file.stream);
    free(bytes);
    return atomic_file_commit(&file) == 0;
}

/* ---- nvcc ---- */

static void run_nvcc(const char *nvcc, const char *const *arguments, const char *log)
{
    char *argv[MOST_ARGUMENTS + 2] = {(char *)(nvcc ? nvcc : "nvcc")};
    for (size_t i = 0; i < MOST_ARGUMENTS && arguments[i]; i++)
        argv[i + 1] = (char *)arguments[i];
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    pid_t child;
    int status = -1;
    const int spawned = posix_spawnp(&child, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (spawned != 0 && !nvcc)
        cr_skip_test("no nvcc; `make test` knows the one that built the kernels");
    cr_assert_eq(spawned, 0, "cannot run %s", argv[0]);
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0, "%s failed; see %s", argv[0], log);
}

void compile_cuda(const char *const *arguments, const char *log)
{
    const char *nvcc = getenv("NVCC"), *output = NULL;
    for (size_t i = 0; i + 1 < MOST_ARGUMENTS && arguments[i]; i++)
        if (strcmp(arguments[i], "-o") == 0)
            output = arguments[i + 1];
    OWNED_TEXT kept = nvcc ? kept_name(nvcc, arguments) : NULL, *said = x_sprintf("%s.log", kept ? kept : "");
    if (!kept || !copy(said, log) || !copy(kept, output)) {
        run_nvcc(nvcc, arguments, log);
        cr_assert(!kept || (make_folders(KEPT) == 0 && copy(output, kept) && copy(log, said)));
    }
}

void expect_fact(const struct run *run, const char *id, const char *metric, double expected)
{
    const struct row *row = made_row(run, id, metric);
    const enum value_state state = expected >= 0   ? VALUE_MEASURED
                                   : expected > -2 ? VALUE_NOT_SUPPORTED
                                                   : VALUE_NOT_APPLICABLE;
    cr_assert_eq(row->state, state, "%s %s: %s", id, metric, value_state_name(row->state));
    if (state != VALUE_MEASURED)
        return;
    cr_expect_eq(row->session_count, 1, "%s %s: %zu sessions", id, metric, row->session_count);
    cr_expect_eq(row->sessions[0].count, 1, "%s %s", id, metric);
    cr_expect_float_eq(row_value(row), expected, 1e-7, "%s %s: %g", id, metric, row_value(row));
}
