#include "cubin_support.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

const struct cubin_function *find_function(const struct cubin *cubin, const char *name, int capability)
{
    enum cubin_status status;
    return cubin_find(cubin, name, capability, &status);
}

void compile_cuda(const char *const *arguments, const char *log)
{
    const char *nvcc = getenv("NVCC");
    char *argv[10] = {(char *)(nvcc ? nvcc : "nvcc")};
    for (size_t i = 0; i < 8 && arguments[i]; i++)
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
