/* Finds who makes a launch: the library, from the call stack, and the line of the user's Python, if there is any. */
#include "callers.h"

#include "base/base.h"

#include <execinfo.h>
#include <limits.h>
#include <link.h>

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
    return ANY(i, ARRAY_SIZE(passed_over), strncmp(base_name(path), passed_over[i], strlen(passed_over[i])) == 0);
}

static bool is_program(const char *path)
{
    char program[PATH_MAX];
    return realpath("/proc/self/exe", program) && strcmp(path, program) == 0;
}

/* An address in the code of the process, and the path of the object that has it; NULL: none has. */
struct place {
    uintptr_t address;
    const char *path;
};

static int find_object(struct dl_phdr_info *object, size_t size, void *data)
{
    struct place *place = data;
    (void)size;
    for (size_t i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && place->address - object->dlpi_addr - part->p_vaddr < part->p_memsz)
            place->path = object->dlpi_name;
    }
    return place->path != NULL;
}

/* Returns the file name of the innermost library that called the driver. NULL: the stack does not tell, or the program
 * itself did. Caller frees.
 *
 * dladdr() would wait for a library that another thread is loading, and that one may wait for this launch. */
static char *find_library(void)
{
    void *frames[FRAMES_MAX];
    const int count = backtrace(frames, FRAMES_MAX);
    for (int i = 0; i < count; i++) {
        struct place place = {.address = (uintptr_t)frames[i]};
        dl_iterate_phdr(find_object, &place);
        if (!place.path || is_passed_over(place.path))
            continue;
        char path[PATH_MAX]; /* whose last part often has the whole version; the program itself has no name */
        return !realpath(place.path, path) || is_program(path) ? NULL : x_strdup(base_name(path));
    }
    return NULL;
}

void callers_begin(void)
{
    void *frame;
    (void)backtrace(&frame, 1); /* the first call loads a library */
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
