#include "disassembly.h"

#include "nvdisasm.h"

#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#define PROGRAM_LIMIT (1u << 30)
#define SMALL_IMAGE                                                                                                    \
    (1u << 20) /* in bytes: nvdisasm tells of all of it in about the time that it takes to start twice */

/* ---- What is kept ---- */

/* Returns whether only this user can have written a folder or file. What is kept there is believed, so nobody else may
 * have written it. */
static bool is_ours(int descriptor)
{
    struct stat facts;
    return fstat(descriptor, &facts) == 0 && (facts.st_uid == geteuid() || facts.st_uid == 0) &&
           !(facts.st_mode & (S_IWGRP | S_IWOTH));
}

/* Opens the folder of the cache, and makes it if need be. -1: there is none. */
static int open_cache(void)
{
    static bool warned;
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char *parent = base && *base == '/' ? x_strdup(base) : home && *home == '/' ? x_sprintf("%s/.cache", home) : NULL;
    if (!parent)
        return -1;
    mkdir(parent, 0700);
    char *path = x_sprintf("%s/cugate", parent);
    mkdir(path, 0700);
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0 && !is_ours(folder)) {
        if (!warned)
            warning("%s is not used, since others may write to it: what nvdisasm says is not kept", path);
        warned = true;
        close(folder);
        folder = -1;
    }
    free(path);
    free(parent);
    return folder;
}

/* Returns the file name of a function in the cache. Each function has a file of its own: to read what nvdisasm says of
 * a whole image takes long, and few of its functions run. */
static char *entry_name(XXH128_hash_t image, XXH128_hash_t program, const char *function)
{
    return x_sprintf("%016llx%016llx-%016llx%016llx-%016llx.json", (unsigned long long)image.high64,
                     (unsigned long long)image.low64, (unsigned long long)program.high64,
                     (unsigned long long)program.low64, (unsigned long long)XXH3_64bits(function, strlen(function)));
}

static json_t *take(int folder, const char *name)
{
    const int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    FILE *stream = file >= 0 && is_ours(file) ? fdopen(file, "r") : NULL; /* json_loadfd reads byte by byte */
    json_t *json = stream ? json_loadf(stream, 0, NULL) : NULL;
    if (stream)
        fclose(stream);
    else if (file >= 0)
        close(file);
    return json;
}

static void keep(const json_t *json, int folder, const char *name)
{
    char *temporary = x_sprintf("%s.%ld", name, (long)getpid());
    const int file = openat(folder, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    FILE *stream = file >= 0 ? fdopen(file, "w") : NULL;
    if (stream) {
        const bool is_whole = json_dumpf(json, stream, JSON_COMPACT) == 0;
        if (fclose(stream) != 0 || !is_whole || renameat(folder, temporary, folder, name) < 0)
            unlinkat(folder, temporary, 0);
    }
    free(temporary);
}

/* ---- What nvdisasm says ---- */

/* The program nvdisasm, found once for the life of the process. Its hash is part of the key of the cache, so that
 * another program's words are never taken for its own. */
struct disassembler {
    char *path;
    XXH128_hash_t hash;
};

static const struct disassembler *find_disassembler(struct problem *problem)
{
    static struct disassembler found;
    if (found.path)
        return &found;
    char *path = nvdisasm_find(problem), *bytes;
    size_t size;
    if (path && file_read(path, PROGRAM_LIMIT, &bytes, &size) < 0) {
        problem_set(problem, "%s cannot be read, to know what it is", path);
        free(path);
        return NULL;
    }
    if (!path)
        return NULL;
    found = (struct disassembler){path, XXH3_128bits(bytes, size)};
    free(bytes);
    return &found;
}

static bool write_image(int file, const unsigned char *image, size_t size)
{
    size_t done = 0;
    while (done < size) {
        const ssize_t more = write(file, image + done, size - done);
        if (more < 0 && errno != EINTR)
            return false;
        done += more > 0 ? (size_t)more : 0;
    }
    return true;
}

/* Returns how often this process has asked for that image before. */
static size_t times_asked(XXH128_hash_t image)
{
    static struct asked {
        XXH128_hash_t image;
        size_t times;
    } * list;
    static size_t count;
    for (size_t i = 0; i < count; i++)
        if (XXH128_isEqual(list[i].image, image))
            return list[i].times++;
    *ARRAY_GROW(list, count) = (struct asked){image, 1};
    return 0;
}

/* Asks nvdisasm for an image, or for the section of a function if the image is large. To start nvdisasm takes half a
 * second of CPU, and to hear of a mebibyte takes one. So functions are asked for one by one until that has taken as
 * long as all of the image does. nvdisasm reads files only, so the image is put into one that is gone with the process.
 */
static json_t *ask(const unsigned char *image, size_t size, size_t symbol, XXH128_hash_t hash, const char *program,
                   struct problem *problem)
{
    const bool one = size > SMALL_IMAGE * (1 + times_asked(hash) / 2);
    struct attended attended;
    json_error_t wrong;
    json_t *json = NULL;
    const int file = memfd_create("cugate-code", MFD_CLOEXEC);
    char *name = x_sprintf("/proc/%ld/fd/%d", (long)getpid(), file), *number = x_sprintf("%zu", symbol);
    const char *const words[] = {program, "-json", name, one ? "-fun" : NULL, number, NULL};
    if (file < 0 || !write_image(file, image, size)) {
        problem_set(problem, "there is no memory for a copy of the machine code: %s", strerror(errno));
    } else if (attended_start(&attended, words, problem) == 0) {
        json = json_loadf(attended.output, 0, &wrong);
        const int status = attended_end(&attended);
        if (!json || status != 0) {
            problem_set(problem, "%s does not read the machine code (exit status %d)%s%s", program, status,
                        json ? "" : ": ", json ? "" : wrong.text);
            json_decref(json);
            json = NULL;
        }
    }
    if (file >= 0)
        close(file);
    free(name);
    free(number);
    return json;
}

static bool is_function(const json_t *one, const char *function)
{
    const char *name = json_string_value(json_object_get(one, "function-name"));
    return name && strcmp(name, function) == 0 && json_is_array(json_object_get(one, "sass-instructions"));
}

/* Asks nvdisasm, keeps what it says of each function, and returns what it says of one. NULL with *problem. */
static json_t *ask_and_keep(const unsigned char *image, size_t size, const char *function, size_t symbol, int folder,
                            XXH128_hash_t hash, struct problem *problem)
{
    const struct disassembler *disassembler = find_disassembler(problem);
    json_t *whole = ask(image, size, symbol, hash, disassembler->path, problem), *found = NULL;
    if (!whole)
        return NULL;
    json_t *functions = json_array_get(whole, 1);
    for (size_t i = 0; i < json_array_size(functions); i++) {
        json_t *one = json_array_get(functions, i);
        const char *name = json_string_value(json_object_get(one, "function-name"));
        if (name && folder >= 0) {
            char *entry = entry_name(hash, disassembler->hash, name);
            keep(one, folder, entry);
            free(entry);
        }
        if (!found && is_function(one, function))
            found = json_incref(one);
    }
    json_decref(whole);
    if (!found)
        problem_set(problem, "nvdisasm does not tell of function %s", function);
    return found;
}

const json_t *disassemble(json_t **whole, const unsigned char *image, size_t size, const char *function, size_t symbol,
                          struct problem *problem)
{
    const struct disassembler *disassembler = find_disassembler(problem);
    *whole = NULL;
    if (!disassembler)
        return NULL;
    const XXH128_hash_t hash = XXH3_128bits(image, size);
    const int folder = open_cache();
    char *entry = entry_name(hash, disassembler->hash, function);
    *whole = folder >= 0 ? take(folder, entry) : NULL;
    if (!is_function(*whole, function)) {
        json_decref(*whole);
        *whole = ask_and_keep(image, size, function, symbol, folder, hash, problem);
    }
    if (folder >= 0)
        close(folder);
    free(entry);
    return *whole ? json_object_get(*whole, "sass-instructions") : NULL;
}
