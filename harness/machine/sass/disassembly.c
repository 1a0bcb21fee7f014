#include "disassembly.h"

#include "nvdisasm.h"

#include <sys/mman.h>
#include <xxhash.h>

#define PROGRAM_LIMIT (1u << 30)
#define SMALL_IMAGE                                                                                                    \
    (1u << 20) /* in bytes: nvdisasm tells of all of it in about the time that it takes to start twice */

struct disassembler {
    char *path; /* of the program, found once; NULL: not yet */
    XXH128_hash_t
        hash; /* of the program, which is part of the key of the cache: another's words are never taken for its own */
    struct asked {
        XXH128_hash_t image;
        size_t times;
    } * asked;
    size_t asked_count;
};

struct disassembler *disassembler_open(void)
{
    return x_calloc(1, sizeof(struct disassembler));
}

void disassembler_close(struct disassembler *disassembler)
{
    free(disassembler->path);
    free(disassembler->asked);
    free(disassembler);
}

/* ---- What is kept ---- */

/* Returns the file name of a function in the cache. Each function has a file of its own: to read the output of nvdisasm
 * of a whole image takes long, and few of its functions run. */
static char *entry_name(XXH128_hash_t image, XXH128_hash_t program, const char *function)
{
    return x_sprintf("%016llx%016llx-%016llx%016llx-%016llx.json", (unsigned long long)image.high64,
                     (unsigned long long)image.low64, (unsigned long long)program.high64,
                     (unsigned long long)program.low64, (unsigned long long)XXH3_64bits(function, strlen(function)));
}

static json_t *take(int folder, const char *name)
{
    FILE *stream = kept_read(folder, name); /* json_loadfd reads byte by byte */
    json_t *json = stream ? json_loadf(stream, 0, NULL) : NULL;
    if (stream)
        fclose(stream);
    return json;
}

static void keep(const json_t *json, int folder, const char *name)
{
    FILE *stream = kept_begin(folder, name);
    if (stream)
        kept_end(stream, folder, name, json_dumpf(json, stream, JSON_COMPACT) == 0);
}

/* ---- What nvdisasm says ---- */

/* Finds the program nvdisasm. -1 with *problem. */
static int find_program(struct disassembler *disassembler, struct problem *problem)
{
    if (disassembler->path)
        return 0;
    char *path = nvdisasm_find(problem), *bytes;
    size_t size;
    if (path && file_read(path, PROGRAM_LIMIT, &bytes, &size) < 0) {
        problem_set(problem, "cannot identify %s", path);
        free(path);
        return -1;
    }
    if (!path)
        return -1;
    disassembler->path = path;
    disassembler->hash = XXH3_128bits(bytes, size);
    free(bytes);
    return 0;
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

/* Returns how often that image was asked for before. */
static size_t times_asked(struct disassembler *disassembler, XXH128_hash_t image)
{
    for (size_t i = 0; i < disassembler->asked_count; i++)
        if (XXH128_isEqual(disassembler->asked[i].image, image))
            return disassembler->asked[i].times++;
    *ARRAY_GROW(disassembler->asked, disassembler->asked_count) = (struct asked){image, 1};
    return 0;
}

/* Asks nvdisasm for an image, or for the section of a function if the image is large. To start nvdisasm takes half a
 * second of CPU, and to hear of a mebibyte takes one. So functions are asked for one by one until that has taken as
 * long as all of the image does. nvdisasm reads files only, so the image is put into one that is gone with the process.
 */
static json_t *ask(struct disassembler *disassembler, const unsigned char *image, size_t size, size_t symbol,
                   XXH128_hash_t hash, struct problem *problem)
{
    const bool one = size > SMALL_IMAGE * (1 + times_asked(disassembler, hash) / 2);
    const char *program = disassembler->path;
    struct supervised supervised;
    json_error_t wrong;
    json_t *json = NULL;
    const int file = memfd_create("cugate-code", MFD_CLOEXEC);
    OWNED_TEXT name = x_sprintf("/proc/%ld/fd/%d", (long)getpid(), file), *number = x_sprintf("%zu", symbol);
    const char *const words[] = {program, "-json", name, one ? "-fun" : NULL, number, NULL};
    if (file < 0 || !write_image(file, image, size)) {
        problem_set(problem, "cannot allocate a copy of the machine code: %s", strerror(errno));
    } else if (supervised_start(&supervised, words, problem) == 0) {
        json = json_loadf(supervised.output, 0, &wrong);
        const int status = supervised_end(&supervised);
        if (!json || status != 0) {
            problem_set(problem, "%s cannot read the machine code (exit status %d)%s%s", program, status,
                        json ? "" : ": ", json ? "" : wrong.text);
            json_decref(json);
            json = NULL;
        }
    }
    if (file >= 0)
        close(file);
    return json;
}

static bool is_function(const json_t *one, const char *function)
{
    const char *name = json_string_value(json_object_get(one, "function-name"));
    return name && strcmp(name, function) == 0 && json_is_array(json_object_get(one, "sass-instructions"));
}

/* Asks nvdisasm, keeps what it says of each function, and returns what it says of one. NULL with *problem. */
static json_t *ask_and_keep(struct disassembler *disassembler, const unsigned char *image, size_t size,
                            const char *function, size_t symbol, int folder, XXH128_hash_t hash,
                            struct problem *problem)
{
    json_t *whole = ask(disassembler, image, size, symbol, hash, problem), *found = NULL;
    if (!whole)
        return NULL;
    json_t *functions = json_array_get(whole, 1);
    for (size_t i = 0; i < json_array_size(functions); i++) {
        json_t *one = json_array_get(functions, i);
        const char *name = json_string_value(json_object_get(one, "function-name"));
        if (name && folder >= 0) {
            OWNED_TEXT entry = entry_name(hash, disassembler->hash, name);
            keep(one, folder, entry);
        }
        if (!found && is_function(one, function))
            found = json_incref(one);
    }
    json_decref(whole);
    if (!found)
        problem_set(problem, "nvdisasm did not print function %s", function);
    return found;
}

const json_t *disassemble(struct disassembler *disassembler, json_t **whole, const unsigned char *image, size_t size,
                          const char *function, size_t symbol, struct problem *problem)
{
    *whole = NULL;
    if (find_program(disassembler, problem) < 0)
        return NULL;
    const XXH128_hash_t hash = XXH3_128bits(image, size);
    const int folder = kept_open("the output of nvdisasm");
    OWNED_TEXT entry = entry_name(hash, disassembler->hash, function);
    *whole = folder >= 0 ? take(folder, entry) : NULL;
    if (!is_function(*whole, function)) {
        json_decref(*whole);
        *whole = ask_and_keep(disassembler, image, size, function, symbol, folder, hash, problem);
    }
    if (folder >= 0)
        close(folder);
    return *whole ? json_object_get(*whole, "sass-instructions") : NULL;
}
