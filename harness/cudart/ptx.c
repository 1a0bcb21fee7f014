#include "ptx.h"

#include <dlfcn.h>
#include <xxhash.h>

#define VARIABLE "CUGATE_PTXAS"
#define LIMIT ((size_t)1 << 30)

static const char target[] = ".target";

bool ptx_is(const char *text)
{
    text += strspn(text, " \t\r\n");
    return (strncmp(text, "//", 2) == 0 || *text == '.') && strstr(text, ".version") && strstr(text, target);
}

static const char *find_target(const char *text)
{
    const char *at = strstr(text, target);
    return at ? at + strlen(target) + strspn(at + strlen(target), " \t") : "";
}

int ptx_capability(const char *text)
{
    const char *at = find_target(text);
    return strncmp(at, "sm_", 3) == 0 ? (int)strtol(at + 3, NULL, 10) : 0;
}

/* Finds ptxas: where the variable says, beside this library, on the PATH, or in CUDA's own folder. NULL with *problem.
 */
static char *find_program(struct problem *problem)
{
    Dl_info about;
    const char *named = getenv(VARIABLE);
    OWNED_TEXT own = dladdr(target, &about) && about.dli_fname ? realpath(about.dli_fname, NULL) : NULL;
    OWNED_TEXT folder = own ? folder_of(own) : x_strdup(".");
    char *const places[] = {x_sprintf("%s/cuda/nvidia/cu13/bin/ptxas", folder), program_on_path("ptxas"),
                            x_strdup("/usr/local/cuda/bin/ptxas")};
    char *found = named && *named ? x_strdup(named) : NULL;
    for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
        if (!found && places[i] && access(places[i], X_OK) == 0)
            found = places[i];
        else
            free(places[i]);
    }
    if (found && access(found, X_OK) == 0)
        return found;
    if (found)
        problem_set(problem, "%s, which " VARIABLE " names, cannot be executed", found);
    else
        problem_set(problem, "CUDA's ptxas, which compiles PTX, was not found: put it on the PATH, or set " VARIABLE);
    free(found);
    return NULL;
}

/* Runs a compiler or linker. Returns the file that it writes; NULL with *problem. Caller frees. */
static char *made_by(const char *const *words, const char *file, const char *what, size_t *size,
                     struct problem *problem)
{
    struct supervised supervised;
    char *image = NULL;
    if (supervised_start(&supervised, words, problem) == 0 &&
        (supervised_end(&supervised) != 0 || file_read(file, LIMIT, &image, size) < 0))
        problem_set(problem, "%s cannot %s: see its messages above", words[0], what);
    return image;
}

/* Has ptxas compile a file in a folder of its own. The lines are those that the PTX names. NULL with *problem. */
static char *compile(const char *program, const char *folder, const char *text, int capability, bool part, size_t *size,
                     struct problem *problem)
{
    char *from = x_sprintf("%s/code.ptx", folder), *to = x_sprintf("%s/code.cubin", folder), *image = NULL;
    /* Code for sm_90a is compiled as such, for no other GPU takes it. */
    const char *name = find_target(text);
    const bool exact = ptx_capability(text) == capability;
    OWNED_TEXT chip = exact ? x_sprintf("%.*s", (int)strcspn(name, ", \t\r\n"), name) : x_sprintf("sm_%d", capability);
    char *architecture = x_sprintf("-arch=%s", chip), *what = x_sprintf("compile the PTX for %s", chip);
    const char *words[8] = {program, architecture, from, "-o", to, part ? "-c" : NULL};
    if (strstr(text, ".loc"))
        words[part ? 6 : 5] = "-lineinfo";
    FILE *stream = fopen(from, "we");
    if (!stream || fputs(text, stream) < 0 || fclose(stream) != 0)
        problem_set(problem, "cannot write PTX to %s", from);
    else
        image = made_by(words, to, what, size, problem);
    free(what);
    free(architecture);
    free(from);
    free(to);
    return image;
}

unsigned char *ptx_compile(const char *text, int capability, bool part, size_t *size, struct problem *problem)
{
    char *program = find_program(problem), *bytes, *image = NULL, *folder = NULL;
    size_t length;
    if (!program)
        return NULL;
    if (file_read(program, LIMIT, &bytes, &length) < 0) {
        problem_set(problem, "cannot read %s to identify it", program);
        free(program);
        return NULL;
    }
    const XXH128_hash_t code = XXH3_128bits(text, strlen(text)), which = XXH3_128bits(bytes, length);
    OWNED_TEXT name = x_sprintf("%016llx%016llx-%016llx%016llx-sm_%d%s.cubin", (unsigned long long)code.high64,
                                (unsigned long long)code.low64, (unsigned long long)which.high64,
                                (unsigned long long)which.low64, capability, part ? "-c" : "");
    free(bytes);
    const int cache = kept_open("the output of ptxas");
    FILE *kept = cache >= 0 ? kept_read(cache, name) : NULL;
    if (kept) {
        fseek(kept, 0, SEEK_END);
        *size = (size_t)ftell(kept);
        rewind(kept);
        image = x_calloc(*size + 1, 1);
        *size = fread(image, 1, *size, kept);
        fclose(kept);
    } else if ((folder = make_temporary_folder())) {
        image = compile(program, folder, text, capability, part, size, problem);
        remove_temporary_folder(folder);
        kept = image && cache >= 0 ? kept_begin(cache, name) : NULL;
        if (kept)
            kept_end(kept, cache, name, fwrite(image, 1, *size, kept) == *size);
    } else {
        problem_set(problem, "cannot make a temporary folder for compiling PTX");
    }
    if (cache >= 0)
        close(cache);
    free(program);
    return (unsigned char *)image;
}

/* Writes the pieces into the folder and links them. NULL with *problem. */
static char *link_in(const char *folder, const char *ptxas, const struct code_piece *pieces, size_t count,
                     int capability, size_t *size, struct problem *problem)
{
    OWNED_TEXT beside = folder_of(ptxas), *nvlink = x_sprintf("%s/nvlink", beside);
    OWNED_TEXT to = x_sprintf("%s/linked.cubin", folder), *architecture = NULL;
    OWNED_MEMORY const char **words = x_calloc(count + 6, sizeof *words);
    char *image = NULL;
    bool written = true, exact = false;
    size_t given = 4;
    for (size_t i = 0; i < count && written; i++) {
        const struct code_piece *piece = &pieces[i];
        const bool is_ptx = strcmp(piece->kind, "ptx") == 0;
        size_t length = piece->size;
        char *code = is_ptx ? (char *)ptx_compile(piece->bytes, capability, true, &length, problem) : piece->bytes;
        char *path = x_sprintf("%s/%zu.%s", folder, i, is_ptx ? "cubin" : piece->kind);
        FILE *stream = code ? fopen(path, "we") : NULL;
        written = stream && fwrite(code, 1, length, stream) == length;
        if (code && (!written || fclose(stream) != 0))
            problem_set(problem, "code cannot be written to %s", path);
        exact |= is_ptx && find_target(piece->bytes)[strcspn(find_target(piece->bytes), "a, \t\r\n")] == 'a';
        words[given++] = path;
        free(is_ptx ? code : NULL);
    }
    architecture = x_sprintf("-arch=sm_%d%s", capability, exact ? "a" : "");
    memcpy(words, (const char *[]){nvlink, architecture, "-o", to}, 4 * sizeof *words);
    if (written && access(nvlink, X_OK) != 0)
        problem_set(problem, "CUDA's nvlink, which links pieces of code, is not next to %s", ptxas);
    else if (written)
        image = made_by(words, to, "link the pieces", size, problem);
    for (size_t i = 4; i < given; i++)
        free((char *)words[i]);
    return image;
}

unsigned char *pieces_link(const struct code_piece *pieces, size_t count, int capability, size_t *size,
                           struct problem *problem)
{
    char *ptxas = find_program(problem), *folder = ptxas ? make_temporary_folder() : NULL, *image = NULL;
    if (folder) {
        image = link_in(folder, ptxas, pieces, count, capability, size, problem);
        remove_temporary_folder(folder);
    } else if (ptxas) {
        problem_set(problem, "code cannot be linked without a temporary folder");
    }
    free(ptxas);
    return (unsigned char *)image;
}
