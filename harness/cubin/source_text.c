#include "source_text.h"

#include "base/base.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT_LIMIT ((size_t)16 << 20) /* bytes, of all files together */

/* A file that was looked for once. */
struct source_file {
    char *path; /* in the line information */
    char *name; /* for people */
    char *text; /* NULL when it cannot be read */
    char **starts;
    size_t count;
};

struct source_files {
    struct source_file *list;
    size_t count;
    size_t bytes; /* of texts */
    bool has_time;
    struct timespec time; /* of the library */
};

static bool is_newer(const char *path, const struct source_files *sources)
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

/* What follows the directory's name and a slash in the path, or NULL. */
static const char *rest_below(const char *path, const char *directory)
{
    const size_t length = strcmp(directory, "/") == 0 ? 0 : strlen(directory);
    return strncmp(path, directory, length) == 0 && path[length] == '/' ? path + length + 1 : NULL;
}

/* The path from the current directory on, without links, of a file that really is below it: a line table can name any
 * file, and reports may be public. What is hidden is no source: .git/config may hold a password. Else NULL; caller
 * frees. */
static char *place_below(const char *path)
{
    char *directory = realpath(".", NULL), *real = realpath(path, NULL);
    const char *rest = directory && real ? rest_below(real, directory) : NULL;
    const bool is_hidden = rest && (*rest == '.' || strstr(rest, "/."));
    char *place = rest && !is_hidden && is_file(rest) ? x_strdup(rest) : NULL;
    free(real);
    free(directory);
    return place;
}

static bool is_below(const char *path)
{
    char *place = place_below(path);
    free(place);
    return place != NULL;
}

char *source_name(const char *path)
{
    char directory[PATH_MAX];
    const char *rest = getcwd(directory, sizeof directory) ? rest_below(path, directory) : NULL;
    if (rest || *path != '/')
        return x_strdup(rest ? rest : path);
    char *place = place_below(path);
    if (place || is_file(path))
        return place ? place : x_strdup(path);
    for (const char *end = strchr(path + 1, '/'); end; end = strchr(end + 1, '/'))
        if (is_below(end + 1))
            return x_strdup(end + 1);
    return x_strdup(path);
}

bool source_is_below(const char *path)
{
    char *name = source_name(path);
    const bool found = is_below(name);
    free(name);
    return found;
}

static void split(struct source_file *source)
{
    char *rest = source->text;
    while (rest) {
        char *end = strchr(rest, '\n');
        if (end)
            *end++ = '\0';
        *ARRAY_GROW(source->starts, source->count) = rest;
        rest = end;
    }
}

static void read_text(struct source_files *sources, struct source_file *source)
{
    char *place = place_below(source->name);
    struct stat status;
    size_t length;
    if (place && access(place, R_OK) == 0 && !is_newer(place, sources) && stat(place, &status) == 0 &&
        (size_t)status.st_size <= TEXT_LIMIT - sources->bytes &&
        file_read(place, TEXT_LIMIT - sources->bytes, &source->text, &length) == 0) {
        sources->bytes += length;
        split(source);
    }
    free(place);
}

static const struct source_file *open_source(struct source_files *sources, const char *path)
{
    for (size_t i = 0; i < sources->count; i++)
        if (strcmp(sources->list[i].path, path) == 0)
            return &sources->list[i];
    struct source_file *source = ARRAY_GROW(sources->list, sources->count);
    source->path = x_strdup(path);
    source->name = source_name(path);
    read_text(sources, source);
    return source;
}

static char *text_of(const struct source_file *source, unsigned number)
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

void source_resolve(struct profile *profile, const char *library)
{
    struct source_files sources = {0};
    struct stat status;
    sources.has_time = library && stat(library, &status) == 0;
    if (sources.has_time)
        sources.time = status.st_mtim;
    for (size_t i = 0; i < profile->count; i++) {
        struct profile_line *line = &profile->list[i];
        if (!line->file)
            continue;
        const struct source_file *source = open_source(&sources, line->file);
        free(line->text);
        line->text = text_of(source, line->number);
        free(line->file);
        line->file = x_strdup(source->name);
    }
    profile_sort(profile);
    for (size_t i = 0; i < sources.count; i++) {
        free(sources.list[i].path);
        free(sources.list[i].name);
        free(sources.list[i].text);
        free(sources.list[i].starts);
    }
    free(sources.list);
}
