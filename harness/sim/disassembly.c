#include "disassembly.h"

#include "nvdisasm.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

/* The cache's folder, made if need be; NULL: there is none. */
static char *cache_folder(void)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char *parent = base && *base == '/' ? x_strdup(base) : home && *home == '/' ? x_sprintf("%s/.cache", home) : NULL;
    if (!parent)
        return NULL;
    mkdir(parent, 0700);
    char *folder = x_sprintf("%s/cugate", parent);
    free(parent);
    if (mkdir(folder, 0700) == 0 || errno == EEXIST)
        return folder;
    free(folder);
    return NULL;
}

/* A file for each function: to read what nvdisasm says of a whole image takes long, and few of its functions run. NULL:
 * there is no cache. */
static char *cache_file(const char *folder, XXH128_hash_t image, const char *function)
{
    if (!folder)
        return NULL;
    return x_sprintf("%s/%016llx%016llx-%016llx-" NVDISASM_WANTED ".json", folder, (unsigned long long)image.high64,
                     (unsigned long long)image.low64, (unsigned long long)XXH3_64bits(function, strlen(function)));
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

/* nvdisasm reads files only. */
static json_t *ask(const unsigned char *image, size_t size, struct problem *problem)
{
    char *program = nvdisasm_find(problem);
    if (!program)
        return NULL;
    const char *folder = getenv("TMPDIR");
    char *name = x_sprintf("%s/cugate-code-XXXXXX", folder && *folder ? folder : "/tmp");
    const int file = mkstemp(name);
    json_t *json = NULL;
    int pipes[2] = {-1, -1};
    if (file < 0 || !write_image(file, image, size) || pipe(pipes) < 0) {
        problem_set(problem, "cannot write %s: %s", name, strerror(errno));
        goto out;
    }
    const pid_t child = fork();
    if (child == 0) {
        dup2(pipes[1], STDOUT_FILENO);
        close(pipes[0]);
        close(pipes[1]);
        execl(program, program, "-json", name, (char *)NULL);
        _exit(127);
    }
    close(pipes[1]);
    FILE *stream = fdopen(pipes[0], "r");
    json_error_t wrong;
    json = child > 0 && stream ? json_loadf(stream, 0, &wrong) : NULL;
    if (stream)
        fclose(stream);
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (!json)
        problem_set(problem, "%s does not read the machine code (exit status %d): %s", program,
                    WIFEXITED(status) ? WEXITSTATUS(status) : -1, wrong.text);
out:
    if (file >= 0) {
        close(file);
        unlink(name);
    }
    free(name);
    free(program);
    return json;
}

static void keep(const json_t *json, const char *path)
{
    char *temporary = x_sprintf("%s.%ld", path, (long)getpid());
    if (json_dump_file(json, temporary, JSON_COMPACT) != 0 || rename(temporary, path) < 0)
        unlink(temporary);
    free(temporary);
}

static bool is_function(const json_t *one, const char *function)
{
    const char *name = json_string_value(json_object_get(one, "function-name"));
    return name && strcmp(name, function) == 0 && json_is_array(json_object_get(one, "sass-instructions"));
}

/* Asks nvdisasm for the image, keeps what it says of each function and returns that of one. NULL with *problem. */
static json_t *ask_and_keep(const unsigned char *image, size_t size, const char *function, const char *folder,
                            XXH128_hash_t hash, struct problem *problem)
{
    json_t *whole = ask(image, size, problem), *found = NULL;
    if (!whole)
        return NULL;
    json_t *functions = json_array_get(whole, 1);
    for (size_t i = 0; i < json_array_size(functions); i++) {
        json_t *one = json_array_get(functions, i);
        const char *name = json_string_value(json_object_get(one, "function-name"));
        char *path = name ? cache_file(folder, hash, name) : NULL;
        if (path)
            keep(one, path);
        free(path);
        if (!found && is_function(one, function))
            found = json_incref(one);
    }
    json_decref(whole);
    if (!found)
        problem_set(problem, "nvdisasm does not tell of function %s", function);
    return found;
}

const json_t *disassemble(json_t **whole, const unsigned char *image, size_t size, const char *function,
                          struct problem *problem)
{
    const XXH128_hash_t hash = XXH3_128bits(image, size);
    char *folder = cache_folder(), *path = cache_file(folder, hash, function);
    *whole = path ? json_load_file(path, 0, NULL) : NULL;
    if (!is_function(*whole, function)) {
        json_decref(*whole);
        *whole = ask_and_keep(image, size, function, folder, hash, problem);
    }
    free(path);
    free(folder);
    return *whole ? json_object_get(*whole, "sass-instructions") : NULL;
}
