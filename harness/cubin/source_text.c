#include "source_text.h"

#include "cubin.h"

#include <ctype.h>
#include <sys/stat.h>

#define TEXT_LIMIT ((size_t)16 << 20) /* limit of the texts of all files together, in bytes */

/* A file that was looked for; it is looked for once. */
struct source_file {
    char *path; /* path in the line information */
    char *name; /* name to print */
    char *text; /* the file's text; NULL when it cannot be read */
    char **starts;
    size_t count;
};

struct source_files {
    char *tree; /* the folder that names are relative to */
    struct source_file *list;
    size_t count;
    size_t bytes; /* bytes of all texts so far */
    bool has_time;
    struct timespec time; /* modification time of the library */
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
    OWNED_TEXT place = source_place_below(source->name, sources->tree),
               *path = place ? x_sprintf("%s/%s", sources->tree, place) : NULL;
    struct stat status;
    size_t length;
    if (path && access(path, R_OK) == 0 && !is_newer(path, sources) && stat(path, &status) == 0 &&
        (size_t)status.st_size <= TEXT_LIMIT - sources->bytes &&
        file_read(path, TEXT_LIMIT - sources->bytes, &source->text, &length) == 0) {
        sources->bytes += length;
        split(source);
    }
}

static const struct source_file *open_source(struct source_files *sources, const char *path)
{
    for (size_t i = 0; i < sources->count; i++)
        if (strcmp(sources->list[i].path, path) == 0)
            return &sources->list[i];
    struct source_file *source = ARRAY_GROW(sources->list, sources->count);
    source->path = x_strdup(path);
    source->name = source_name_below(path, sources->tree);
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
            length--; /* do not cut within a UTF-8 character */
    }
    return x_sprintf("%.*s", (int)length, start);
}

/* Begins to look for the files of a library, which may be NULL. */
static struct source_files sources_of(const char *library)
{
    struct source_files sources = {.tree = source_tree(library)};
    struct stat status;
    sources.has_time = library && stat(library, &status) == 0;
    if (sources.has_time)
        sources.time = status.st_mtim;
    return sources;
}

/* The files that were looked at, and those that were found to be newer. */
struct newer {
    struct source_files sources;
    char **list, **seen;
    size_t count, seen_count;
};

/* A header that has no code is in no line table: those that a file includes from its own folder are read of it. */
static void take_newer(void *data, const char *path)
{
    struct newer *newer = data;
    char *file = *path == '/' ? realpath(path, NULL) : NULL, *place = NULL, *text = NULL, *rest = NULL;
    size_t length;
    for (size_t i = 0; file && i < newer->seen_count; i++)
        if (strcmp(newer->seen[i], file) == 0) {
            free(file);
            file = NULL;
        }
    if (!file || !(place = source_place_below(file, newer->sources.tree))) {
        free(file);
        return;
    }
    *ARRAY_GROW(newer->seen, newer->seen_count) = file;
    if (is_newer(file, &newer->sources))
        *ARRAY_GROW(newer->list, newer->count) = x_strdup(place);
    free(place);
    OWNED_TEXT folder = folder_of(file);
    if (file_read(file, TEXT_LIMIT, &text, &length) < 0)
        return;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        line += strspn(line, " \t");
        if (*line != '#' || strncmp(line + 1 + strspn(line + 1, " \t"), "include", strlen("include")) != 0)
            continue;
        char *name = strchr(line, '"'), *end = name ? strchr(name + 1, '"') : NULL;
        OWNED_TEXT header = end ? x_sprintf("%s/%.*s", folder, (int)(end - name - 1), name + 1) : NULL;
        if (header)
            take_newer(newer, header);
    }
    free(text);
}

static int take_image(void *data, const unsigned char *bytes, size_t size)
{
    OWNED(line_table) table = {0};
    line_table_open(&table, bytes, size);
    line_table_each_file(&table, take_newer, data);
    return 0;
}

char **source_newer(const char *library, size_t *count)
{
    struct newer newer = {.sources = sources_of(library)};
    struct problem ignored, *before = error_into(&ignored); /* what is wrong with the file is said by who measures it */
    (void)cubin_each_image(library, take_image, &newer);
    error_into(before);
    for (size_t i = 0; i < newer.seen_count; i++)
        free(newer.seen[i]);
    free(newer.seen);
    free(newer.sources.tree);
    *count = newer.count;
    return newer.list;
}

void source_resolve(struct profile *profile, const char *library)
{
    struct source_files sources = sources_of(library);
    EACH(struct profile_line, line, profile->list, profile->count) {
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
    free(sources.tree);
}
