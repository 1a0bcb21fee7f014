#include "source.h"

#include "util.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_LIMIT ((size_t)16 << 20)

/* A file that was looked for once. */
struct source {
    char *path; /* in the line information */
    char *name; /* for people */
    char *text; /* NULL when it cannot be read */
    char **starts;
    size_t count;
};

struct sources {
    struct source *list;
    size_t count;
    bool has_time;
    struct timespec time; /* of the library */
};

static bool is_newer(const char *path, const struct sources *sources)
{
    struct stat status;
    if (!sources->has_time || stat(path, &status) < 0)
        return false;
    const struct timespec *time = &status.st_mtim;
    return time->tv_sec > sources->time.tv_sec ||
           (time->tv_sec == sources->time.tv_sec && time->tv_nsec > sources->time.tv_nsec);
}

static bool is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static char *name_of(const char *path)
{
    char folder[PATH_MAX];
    const size_t length = getcwd(folder, sizeof folder) ? strlen(folder) : 0;
    if (length > 0 && strncmp(path, folder, length) == 0 && path[length] == '/')
        return x_strdup(path + length + 1);
    if (*path != '/' || is_file(path))
        return x_strdup(path);
    for (const char *end = strchr(path + 1, '/'); end; end = strchr(end + 1, '/'))
        if (is_file(end + 1))
            return x_strdup(end + 1);
    return x_strdup(path);
}

bool source_is_below(const char *path)
{
    char *name = name_of(path);
    const bool is_below = *name != '/' && is_file(name);
    free(name);
    return is_below;
}

static void split(struct source *source)
{
    char *rest = source->text;
    while (rest) {
        char *end = strchr(rest, '\n');
        if (end)
            *end++ = '\0';
        *ARRAY_ADD(source->starts, source->count) = rest;
        rest = end;
    }
}

static const struct source *open_source(struct sources *sources, const char *path)
{
    for (size_t i = 0; i < sources->count; i++)
        if (strcmp(sources->list[i].path, path) == 0)
            return &sources->list[i];
    struct source *source = ARRAY_ADD(sources->list, sources->count);
    source->path = x_strdup(path);
    source->name = name_of(path);
    size_t length;
    if (is_file(source->name) && access(source->name, R_OK) == 0 && !is_newer(source->name, sources) &&
        file_read(source->name, FILE_LIMIT, &source->text, &length) == 0)
        split(source);
    return source;
}

static char *text_of(const struct source *source, unsigned number)
{
    if (number == 0 || number > source->count)
        return NULL;
    const char *start = source->starts[number - 1];
    while (isspace((unsigned char)*start))
        start++;
    size_t length = strlen(start);
    while (length > 0 && isspace((unsigned char)start[length - 1]))
        length--;
    if (length > SOURCE_TEXT) {
        length = SOURCE_TEXT;
        while (length > 0 && ((unsigned char)start[length] & 0xc0) == 0x80)
            length--; /* not within a character */
    }
    return x_sprintf("%.*s", (int)length, start);
}

void source_resolve(struct lines *lines, const char *library)
{
    struct sources sources = {0};
    struct stat status;
    sources.has_time = library && stat(library, &status) == 0;
    if (sources.has_time)
        sources.time = status.st_mtim;
    for (size_t i = 0; i < lines->count; i++) {
        struct line *line = &lines->list[i];
        if (!line->file)
            continue;
        const struct source *source = open_source(&sources, line->file);
        free(line->text);
        line->text = text_of(source, line->number);
        free(line->file);
        line->file = x_strdup(source->name);
    }
    lines_sort(lines);
    for (size_t i = 0; i < sources.count; i++) {
        free(sources.list[i].path);
        free(sources.list[i].name);
        free(sources.list[i].text);
        free(sources.list[i].starts);
    }
    free(sources.list);
}
