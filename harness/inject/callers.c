/* Finds who makes a launch: the library, from the call stack, and the line of the user's Python, if there is any. */
#include "inject.h"

#include "base/base.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES_MAX = 64 };

/* How the names of libraries begin that stand between the one that launches and us. */
static const char *const passed_over[] = {"libcuda.",  "libcudart", "libcupti", "libcugate",
                                          "libnvperf", "libffi",    "libasan"};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_passed_over(const char *path)
{
    for (size_t i = 0; i < ARRAY_SIZE(passed_over); i++)
        if (strncmp(base_name(path), passed_over[i], strlen(passed_over[i])) == 0)
            return true;
    return false;
}

static bool is_program(const char *path)
{
    char program[PATH_MAX];
    return realpath("/proc/self/exe", program) && strcmp(path, program) == 0;
}

/* Returns the file name of the innermost library that called the driver. NULL: the stack does not tell, or the program
 * itself did. Caller frees. */
static char *find_library(void)
{
    void *frames[FRAMES_MAX];
    Dl_info info;
    const int count = backtrace(frames, FRAMES_MAX);
    for (int i = 0; i < count; i++) {
        if (!dladdr(frames[i], &info) || !info.dli_fname || !*info.dli_fname || is_passed_over(info.dli_fname))
            continue;
        char path[PATH_MAX]; /* whose last part often has the whole version; the program's own name may be no path */
        return !realpath(info.dli_fname, path) || is_program(path) ? NULL : x_strdup(base_name(path));
    }
    return NULL;
}

char *callers_tell(void)
{
    char *line = python_line(), *library = find_library(), *text = NULL;
    if (line || library)
        text = x_sprintf("%s%s%s", line ? line : "", line && library ? ", " : "", library ? library : "");
    free(line);
    free(library);
    return text;
}
