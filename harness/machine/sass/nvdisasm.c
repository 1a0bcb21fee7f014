#include "nvdisasm.h"

#include <dlfcn.h>

#define VARIABLE "CUGATE_NVDISASM"

static const char remedy[] = "run `make`, or `cugate-fetch` where cugate is installed, to install it; or pip install "
                             "nvidia-cuda-nvdisasm==" NVDISASM_WANTED " and set its bin/nvdisasm as " VARIABLE;

static char *find_beside(const char *folder)
{
    /* Where nvdisasm may be, beside this program: installed; put there by ci/fetch.sh; in build/, or above a folder of
     * build/ (sanitizers, tests). */
    static const char *const places[] = {
        "../lib/cugate/disasm/nvidia/cu13/bin/nvdisasm",
        "disasm/nvidia/cu13/bin/nvdisasm",
        "../disasm/nvidia/cu13/bin/nvdisasm",
    };
    char *path = NULL;
    for (size_t i = 0; i < ARRAY_SIZE(places) && !path; i++) {
        path = x_sprintf("%s/%s", folder, places[i]);
        if (access(path, X_OK) < 0) {
            free(path);
            path = NULL;
        }
    }
    return path;
}

/* Returns whether the program is of release 13.2 or later. *major is 0 when it does not say its release. */
static bool is_recent(const char *path, int *major, int *minor)
{
    char line[256];
    struct supervised supervised;
    struct problem problem;
    *major = *minor = 0;
    if (supervised_start(&supervised, (const char *const[]){path, "--version", NULL}, &problem) < 0)
        return false;
    while (fgets(line, sizeof line, supervised.output)) {
        const char *release = strstr(line, "release ");
        if (!release || *major > 0)
            continue;
        char *end;
        *major = (int)strtol(release + strlen("release "), &end, 10);
        *minor = *end == '.' ? (int)strtol(end + 1, NULL, 10) : 0;
    }
    supervised_end(&supervised);
    return *major > 13 || (*major == 13 && *minor >= 2);
}

char *nvdisasm_look(const char *folder, struct problem *problem)
{
    const char *named = getenv(VARIABLE);
    if (named && *named) {
        if (access(named, X_OK) == 0)
            return x_strdup(named);
        problem_set(problem, "%s, which " VARIABLE " names, cannot be executed: %s", named, remedy);
        return NULL;
    }
    char *path = find_beside(folder);
    if (path)
        return path;
    path = program_on_path("nvdisasm");
    int major, minor;
    if (path && is_recent(path, &major, &minor))
        return path;
    if (!path)
        problem_set(problem, "NVIDIA's disassembler nvdisasm was not found: %s", remedy);
    else if (major == 0)
        problem_set(problem, "%s did not print its release: %s", path, remedy);
    else
        problem_set(problem, "%s is release %d.%d, but 13.2 or later is needed: %s", path, major, minor, remedy);
    free(path);
    return NULL;
}

/* Returns the folder of the library that has this code, which may be in a program that is not cugate's; else of the
 * program. Caller frees. */
static char *own_folder(void)
{
    Dl_info about;
    const char *file = dladdr(remedy, &about) && about.dli_fname ? strrchr(about.dli_fname, '/') : NULL;
    OWNED_TEXT path = file && strstr(file, ".so") ? realpath(about.dli_fname, NULL) : NULL;
    return path ? folder_of(path) : program_folder();
}

char *nvdisasm_find(struct problem *problem)
{
    OWNED_TEXT folder = own_folder();
    return nvdisasm_look(folder, problem);
}
