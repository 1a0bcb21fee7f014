/* Makes a run of files: each file is a session. The formats, import_FORMAT.c, parse them. */
#include "import_parts.h"

#include <sys/stat.h>
#include <time.h>

#define FILE_LIMIT ((size_t)128 << 20) /* limit in bytes; a larger file is refused unread */

/* To add a format: a row here, and one in import_listed.c, or a file import_<name>.c and its declaration. */
static const struct import_format formats[] = {
    {"nvbench", import_nvbench},
    {"google-benchmark", import_google_benchmark},
    {"ncu", import_ncu},
    {"nsys", import_listed},
    {"pytest-benchmark", import_listed},
    {"criterion", import_listed},
    {"github-action-benchmark", import_listed},
    {"bmf", import_listed},
};

const struct import_format *import_format_find(const char *name)
{
    const char *names[ARRAY_SIZE(formats)];
    OWNED_TEXT all = x_strdup("");
    for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
        names[i] = formats[i].name;
        x_append(&all, i + 1 < ARRAY_SIZE(formats) ? ", " : " or ", "%s", names[i]);
    }
    const size_t found = name_index(name, names, ARRAY_SIZE(names));
    const char *near = nearest_name(name, names, ARRAY_SIZE(names));
    if (found == ARRAY_SIZE(names))
        error("unknown import format '%s'%s%s%s; known are %s", name, near ? "; did you mean " : "", near ? near : "",
              near ? "?" : "", all);
    return found < ARRAY_SIZE(formats) ? &formats[found] : NULL;
}

/* Takes over the GPU of a file, which must be that of the files before. */
static int take_device(struct import *import, struct device *found)
{
    const char *gpu = import->request->gpu;
    char difference[512];
    if (found->name && gpu && strcmp(found->name, gpu) != 0)
        return error("%s is from %s, but --gpu names %s: remove --gpu", import->name, found->name, gpu);
    if (!found->name && !gpu)
        return error(
            "%s does not name its GPU: add --gpu with the name that `nvidia-smi -L` prints, such as 'NVIDIA H200'",
            import->name);
    if (!found->name)
        found->name = x_strdup(gpu);
    if (import->session_count == 1) {
        import->device = *found;
        *found = (struct device){0};
        return 0;
    }
    device_difference(found, &import->device, difference, sizeof difference);
    return *difference ? error("%s is from a different device than the files before it: %s", import->name, difference)
                       : 0;
}

/* Refuses a session that another file contains too, since it would count twice. */
static int check_session(const struct import *import)
{
    const struct session *last = &import->sessions[import->session_count - 1];
    for (size_t i = 0; i + 1 < import->session_count; i++)
        if (session_is_equal(&import->sessions[i], last))
            return error("%s and an earlier file are the same session (%s), which counts once: remove one",
                         import->name, last->facts[SESSION_DATE]);
    return 0;
}

static int add_text(struct import *import, const char *name, const char *text, size_t length, const char *date)
{
    struct device device = {.ecc_unknown = true, .mig_unknown = true};
    struct session *session = ARRAY_GROW(import->sessions, import->session_count);
    const size_t before = import->count;
    import->name = name;
    if (length == 0)
        return error("%s is empty, but should be the output of %s", name, import->request->format->name);
    int result = import->request->format->read(import, text, length, &device, session);
    if (result == 0 && import->count == before)
        result = error("%s has no measurement", name);
    session->facts[SESSION_COLLECTOR] = x_strdup(import->request->format->name);
    session->facts[SESSION_CUGATE] = x_strdup(CUGATE_VERSION);
    if (!session->facts[SESSION_DATE])
        session->facts[SESSION_DATE] = x_strdup(date);
    if (result == 0)
        result = take_device(import, &device);
    if (result == 0)
        result = check_session(import);
    free(device.name);
    free(device.compute_capability);
    return result;
}

/* Writes the date of a file's last change, in the format of session_facts.c. */
static int date_of(const char *path, char *text, size_t size)
{
    struct stat facts;
    struct tm utc;
    if (stat(path, &facts) < 0 || !gmtime_r(&facts.st_mtim.tv_sec, &utc))
        return error("cannot read the modification time of %s", path);
    const size_t length = strftime(text, size, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(text + length, size - length, ".%03ldZ", facts.st_mtim.tv_nsec / 1000000);
    return 0;
}

static int add_file(struct import *import, const char *path)
{
    OWNED_TEXT text = NULL;
    size_t length;
    char date[64];
    TRY(file_read(path, FILE_LIMIT, &text, &length));
    TRY(date_of(path, date, sizeof date));
    return add_text(import, path, text, length, date);
}

/* Makes the run of what was read; an empty one after a failure. */
static int finish(struct import *import, struct run *run, int result)
{
    *run = (struct run){0};
    if (result == 0) {
        run->device = import->device;
        run->sessions = import->sessions;
        run->session_count = import->session_count;
        import->device = (struct device){0};
        import->sessions = NULL;
        import->session_count = 0;
        result = import_merge(import, run);
    }
    if (result < 0)
        run_release(run);
    import_release(import);
    return result;
}

int import_files(struct run *run, const struct import_request *request, char *const *paths, size_t count)
{
    struct import import = {.request = request};
    int result = 0;
    for (size_t i = 0; i < count && result == 0; i++)
        result = add_file(&import, paths[i]);
    return finish(&import, run, result);
}

int import_text(struct run *run, const struct import_request *request, const char *name, const char *text,
                size_t length, const char *date)
{
    struct import import = {.request = request};
    return finish(&import, run, add_text(&import, name, text, length, date));
}
