#include "static_files.h"

#include "names/names.h"

#include "cubin.h"

#include <sys/stat.h>

#define FOLDERS_DEEP 16

/* ---- Reading ---- */

/* Takes the launch from Triton's description beside the file, if there is one. */
static int read_description(struct static_file *file)
{
    struct triton_launch launch;
    TRY(triton_read(&launch, file->path));
    if (!launch.found)
        return 0;
    file->threads = launch.threads;
    file->shared = launch.shared;
    free(file->family);
    file->family = x_strdup("triton");
    if (*launch.version)
        file->maker = x_sprintf("triton %s", launch.version);
    return 0;
}

static int read_file(struct static_files *files, const char *path, size_t argument)
{
    struct static_file *file = ARRAY_GROW(files->list, files->count);
    file->path = x_strdup(path);
    file->family = file_short_name(path);
    file->argument = argument;
    file->cubin = x_calloc(1, sizeof *file->cubin);
    TRY(cubin_read(file->cubin, path));
    if (file->cubin->unknown > 0)
        return error("%s can only be judged in part: build it with nvcc --compress-mode=none", path);
    if (file->cubin->count == 0)
        return error("%s contains no machine code for a GPU: pass a program, library, cubin or fatbin that does", path);
    return read_description(file);
}

/* Whether to read a file of a folder: not when it is hidden, or Triton is still writing it. */
static int is_kept(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && strncmp(entry->d_name, "tmp.", 4) != 0;
}

static int read_folder(struct static_files *files, const char *folder, size_t argument, int depth)
{
    OWNED_MEMORY struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, is_kept, by_entry_name);
    if (count < 0)
        return error("cannot read %s: %s", folder, strerror(errno));
    int result = 0;
    for (int i = 0; i < count; i++) {
        const char *ending = strrchr(entries[i]->d_name, '.');
        OWNED_TEXT path = x_sprintf("%s/%s", folder, entries[i]->d_name);
        struct stat facts; /* of the entry itself, because a link to a folder may lead back here */
        if (result == 0 && depth > 0 && lstat(path, &facts) == 0 && S_ISDIR(facts.st_mode))
            result = read_folder(files, path, argument, depth - 1);
        else if (result == 0 && ending && strcmp(ending, ".cubin") == 0)
            result = read_file(files, path, argument);
        free(entries[i]);
    }
    return result;
}

static int read_path(struct static_files *files, const char *path, size_t argument)
{
    struct stat facts;
    const size_t before = files->count;
    if (stat(path, &facts) < 0 || !S_ISDIR(facts.st_mode))
        return read_file(files, path, argument);
    TRY(read_folder(files, path, argument, FOLDERS_DEEP));
    return files->count > before ? 0 : error("no .cubin file in %s or its subfolders", path);
}

int static_files_read(struct static_files *files, char *const *paths, size_t count)
{
    *files = (struct static_files){0};
    for (size_t i = 0; i < count; i++)
        if (read_path(files, paths[i], i) < 0) {
            static_files_release(files);
            return -1;
        }
    return 0;
}

void static_files_release(struct static_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        cubin_release(files->list[i].cubin);
        free(files->list[i].cubin);
        free(files->list[i].family);
        free(files->list[i].maker);
        free(files->list[i].path);
    }
    free(files->list);
    *files = (struct static_files){0};
}

/* ---- For which GPUs ---- */

static bool would_run(int built, int capability)
{
    return built / 10 == capability / 10 && built <= capability;
}

bool static_files_fit(const struct static_files *files, size_t argument, int capability)
{
    for (size_t i = 0; i < files->count; i++)
        for (size_t k = 0; files->list[i].argument == argument && k < files->list[i].cubin->count; k++)
            if (would_run(files->list[i].cubin->list[k].capability, capability))
                return true;
    return false;
}

char *static_files_architectures(const struct static_files *files, size_t argument)
{
    bool known[256] = {0}; /* by capability, which is one byte in an image */
    for (size_t i = 0; i < files->count; i++)
        for (size_t k = 0; k < files->list[i].cubin->count; k++)
            if (argument == SIZE_MAX || files->list[i].argument == argument)
                known[files->list[i].cubin->list[k].capability & 0xff] = true;
    char *names = x_strdup("");
    for (int i = 0; i < 256; i++)
        if (known[i])
            x_append(&names, ", ", "sm_%d", i);
    return names;
}

void static_files_device(struct device *device, int capability)
{
    *device = (struct device){.name = x_sprintf("sm_%d", capability),
                              .compute_capability = x_sprintf("%d.%d", capability / 10, capability % 10),
                              .ecc_unknown = true,
                              .mig_unknown = true};
}

bool static_files_is_device(const struct device *device)
{
    struct device same;
    static_files_device(&same, static_facts_capability(device));
    const bool is_same = device->name && strcmp(device->name, same.name) == 0;
    free(same.name);
    free(same.compute_capability);
    return is_same;
}

/* ---- The run ---- */

struct function {
    const struct static_file *file;
    const struct cubin_function *function;
    char *id; /* the function's id; owned */
};

struct functions {
    struct function *list;
    size_t count;
};

static int order_of_numbers(unsigned a, unsigned b)
{
    return (a > b) - (a < b);
}

static int order_of_functions(const struct function *a, const struct function *b)
{
    const int families = strcmp(a->file->family, b->file->family);
    return families ? families : strcmp(a->function->name, b->function->name);
}

/* Orders functions by their resources, so that functions with one name have the same order in two runs; last by
 * code. */
static int by_function(const void *left, const void *right)
{
    const struct function *a = left, *b = right;
    const int orders[] = {
        order_of_functions(a, b),
        order_of_numbers(a->file->threads, b->file->threads),
        order_of_numbers(a->file->shared, b->file->shared),
        order_of_numbers(a->function->shared_bytes, b->function->shared_bytes),
        order_of_numbers(a->function->registers, b->function->registers),
        order_of_numbers(a->function->local_bytes, b->function->local_bytes),
        strcmp(a->function->code, b->function->code),
    };
    for (size_t i = 0; i < ARRAY_SIZE(orders); i++)
        if (orders[i] != 0)
            return orders[i];
    return 0;
}

/* Adds for each name in a file the code that the driver would load: that of the highest capability that the GPU
 * runs. */
static void add_functions(struct functions *functions, const struct static_file *file, int capability)
{
    const struct cubin *cubin = file->cubin;
    for (size_t first = 0, end; first < cubin->count; first = end) {
        int best = 0;
        for (end = first; end < cubin->count && strcmp(cubin->list[end].name, cubin->list[first].name) == 0; end++)
            if (would_run(cubin->list[end].capability, capability))
                best = cubin->list[end].capability;
        for (size_t i = first; i < end; i++)
            if (cubin->list[i].capability == best)
                *ARRAY_GROW(functions->list, functions->count) = (struct function){file, &cubin->list[i], NULL};
    }
}

/* Orders kernels of the baseline by the function that they launch. */
static int by_launched(const void *left, const void *right)
{
    const struct result *a = *(const struct result *const *)left, *b = *(const struct result *const *)right;
    const int functions = strcmp(a->launches[0].function, b->launches[0].function);
    return functions ? functions : strcmp(a->id, b->id);
}

struct known {
    const struct result **list;
    size_t count;
};

static void find_known(struct known *known, const struct run *baseline)
{
    *known = (struct known){0};
    for (size_t i = 0; i < baseline->result_count; i++)
        if (baseline->results[i].launch_count > 0 && baseline->results[i].launches[0].function)
            *ARRAY_GROW(known->list, known->count) = &baseline->results[i];
    SORT(known->list, known->count, by_launched);
}

/* Returns the id that the baseline has for a function, or NULL. */
static const char *known_id(const struct known *known, const struct function *function)
{
    const char *family = function->file->family, *name = function->function->name;
    BISECT(low, known->count, i, strcmp(known->list[i]->launches[0].function, name) < 0);
    for (; low < known->count && strcmp(known->list[low]->launches[0].function, name) == 0; low++) {
        const char *id = known->list[low]->id;
        if (strncmp(id, family, strlen(family)) == 0 && id[strlen(family)] == '/')
            return id;
    }
    return NULL;
}

/* Gives ids to the functions of one family. */
static void name_functions(struct function *list, size_t count, const struct known *known)
{
    OWNED_MEMORY const char **wholes = x_calloc(count, sizeof *wholes);
    OWNED_MEMORY char **names = x_calloc(count, sizeof *names);
    for (size_t i = 0; i < count; i++)
        wholes[i] = list[i].function->name;
    kernel_unique_names(wholes, count, names);
    for (size_t i = 0; i < count; i++) {
        const char *id = known_id(known, &list[i]);
        list[i].id = id ? x_strdup(id) : x_sprintf("%s/%s", list[i].file->family, names[i]);
        free(names[i]);
    }
}

static void add_launch(struct result *result, const struct function *function)
{
    const struct cubin_function *facts = function->function;
    const struct launch *last = result->launch_count > 0 ? &result->launches[result->launch_count - 1] : NULL;
    /* If the description has a larger block than the code was compiled for, it describes other code. */
    const bool fits = facts->max_threads == 0 || function->file->threads <= facts->max_threads;
    const unsigned described = fits ? function->file->threads : 0, shared = fits ? function->file->shared : 0;
    const unsigned threads = described > 0 ? described : facts->block;
    if (last && last->block[0] == threads && last->shared == shared && strcmp(last->code, facts->code) == 0)
        return;
    *ARRAY_GROW(result->launches, result->launch_count) = (struct launch){
        .function = x_strdup(facts->name),
        .block = {threads, threads > 0, threads > 0},
        .shared = shared,
    };
    static_facts_set_code(&result->launches[result->launch_count - 1], facts);
}

/* Returns what made the files, each once, "triton 3.7.1"; NULL where none is known. Caller frees. */
static char *join_makers(const struct static_files *files)
{
    char *joined = NULL;
    for (size_t i = 0; i < files->count; i++) {
        const char *maker = files->list[i].maker;
        bool known = !maker;
        for (size_t k = 0; k < i && !known; k++)
            known = files->list[k].maker && strcmp(files->list[k].maker, maker) == 0;
        if (!known)
            x_append(&joined, "; ", "%s", maker);
    }
    return joined;
}

static void add_session(struct run *run, const struct static_files *files)
{
    OWNED_MEMORY const char **names = NULL;
    size_t count = 0;
    for (size_t i = 0; i < files->count; i++)
        for (size_t k = 0; k < files->list[i].cubin->compiler_count; k++)
            *ARRAY_GROW(names, count) = files->list[i].cubin->compilers[k];
    struct session *session = ARRAY_GROW(run->sessions, run->session_count);
    session->facts[SESSION_COLLECTOR] = x_strdup(origin_of(ORIGIN_FILES)->collector);
    session->facts[SESSION_COMPILER] = cubin_join_compilers(names, count);
    session->facts[SESSION_LIBRARIES] = join_makers(files);
}

void static_files_run(struct run *run, const struct static_files *files, int capability, const struct run *baseline,
                      const struct metrics *metrics)
{
    struct functions functions = {0};
    struct known known;
    *run = (struct run){0};
    static_files_device(&run->device, capability);
    add_session(run, files);
    run_note_metrics(run, metrics);
    size_t left_out = 0;
    for (size_t i = 0; i < files->count; i++) {
        const size_t before = functions.count;
        add_functions(&functions, &files->list[i], capability);
        left_out += functions.count == before && files->list[i].cubin->count > 0;
    }
    if (left_out > 0) /* some files of a folder have no code for the GPU */
        warning("%zu of %zu files have no machine code for sm_%d and are not judged", left_out, files->count,
                capability);
    SORT(functions.list, functions.count, by_function);
    find_known(&known, baseline);
    for (size_t first = 0, end; first < functions.count; first = end) {
        for (end = first; end < functions.count &&
                          strcmp(functions.list[end].file->family, functions.list[first].file->family) == 0;)
            end++;
        name_functions(functions.list + first, end - first, &known);
    }
    for (size_t i = 0; i < functions.count; i++) {
        add_launch(run_add(run, functions.list[i].id), &functions.list[i]);
        free(functions.list[i].id);
    }
    for (size_t i = 0; i < run->result_count; i++)
        static_facts_of_launches(&run->results[i], capability, 0, metrics, true);
    free(known.list);
    free(functions.list);
}
