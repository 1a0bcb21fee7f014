/* The machine code of a program's launches. Its processes keep each image that they load in a folder, under its hash.
 * An image is read once, since that of a library has hundreds of functions, and only if a launch needs it. */
#include "program_parts.h"

#include <xxhash.h>

#define IMAGE_LIMIT ((size_t)1 << 30)

struct program_image {
    char *name;
    struct cubin cubin;
};

/* The program can write there as well, so an image whose hash is not its name is refused. */
char *program_image_read(const char *folder, const char *name, size_t *size)
{
    char *path = x_sprintf("%s/%s.cubin", folder, name), *image = NULL, hash[17] = "";
    if (access(path, R_OK) == 0 && file_read(path, IMAGE_LIMIT, &image, size) == 0)
        snprintf(hash, sizeof hash, "%016llx", (unsigned long long)XXH3_64bits(image, *size));
    free(path);
    if (strcmp(hash, name) == 0)
        return image;
    free(image);
    return NULL;
}

/* Returns the functions of an image; NULL: it cannot be read. */
static const struct cubin *find_image(struct program_groups *groups, const char *folder, const char *name)
{
    for (size_t i = 0; i < groups->image_count; i++)
        if (strcmp(groups->images[i].name, name) == 0)
            return &groups->images[i].cubin;
    size_t size;
    struct cubin cubin = {0};
    OWNED_TEXT bytes = program_image_read(folder, name, &size);
    const bool good = bytes && cubin_parse(&cubin, name, (const unsigned char *)bytes, size) == 0;
    if (!good)
        return NULL;
    struct program_image *image = ARRAY_GROW(groups->images, groups->image_count);
    *image = (struct program_image){x_strdup(name), cubin};
    return &image->cubin;
}

void program_images_release(struct program_groups *groups)
{
    for (size_t i = 0; i < groups->image_count; i++) {
        free(groups->images[i].name);
        cubin_release(&groups->images[i].cubin);
    }
    free(groups->images);
}

/* Returns another launch of the same function, whose code has been read; or NULL. */
static const struct launch *find_launch(const struct program_groups *groups, const struct program_launch *launch)
{
    for (size_t g = groups->count; g-- > 0;) {
        const struct program_group *group = groups->list[g];
        for (size_t i = 0; i < group->count; i++)
            if (group->launches[i].module && strcmp(group->launches[i].module, launch->module) == 0 &&
                strcmp(group->launches[i].launch.function, launch->launch.function) == 0)
                return &group->launches[i].launch;
    }
    return NULL;
}

static char *read_code(struct program_groups *groups, const struct program_launch *launch, const char *folder,
                       int capability)
{
    enum cubin_status status;
    const struct cubin *image = find_image(groups, folder, launch->module);
    const struct cubin_function *function =
        image ? cubin_find(image, launch->launch.function, capability, &status) : NULL;
    return function ? x_strdup(function->code) : NULL;
}

void program_group_find_code(struct program_groups *groups, struct program_group *group, const char *folder,
                             int capability)
{
    EACH(struct program_launch, launch, group->launches, group->count) {
        const struct launch *known = launch->module ? find_launch(groups, launch) : NULL;
        if (known)
            launch->launch.code = x_strdup(known->code);
        else if (launch->module)
            launch->launch.code = read_code(groups, launch, folder, capability);
    }
}

/* ---- Of all launches, when a run has ended ---- */

/* All images that were loaded. They are searched for functions whose module the driver does not tell. */
struct loaded {
    struct program_groups *groups;
    const char *folder;
    char *const *names;
    size_t count;
    int capability;
};

/* Finds a function in that module; or in any image, if module is NULL and all code of that name is the same. *where is
 * the number of the image. */
static const struct cubin_function *find_in(const struct loaded *loaded, const struct program_launch *launch,
                                            const char *module, size_t *where)
{
    const struct cubin_function *found = NULL;
    for (size_t i = 0; i < loaded->count; i++) {
        enum cubin_status status = CUBIN_ABSENT;
        if (module && strcmp(module, loaded->names[i]) != 0)
            continue;
        const struct cubin *image = find_image(loaded->groups, loaded->folder, loaded->names[i]);
        const struct cubin_function *function =
            image ? cubin_find(image, launch->launch.function, loaded->capability, &status) : NULL;
        if (status == CUBIN_SEVERAL || (found && function && strcmp(found->code, function->code) != 0))
            return NULL;
        if (function && !found)
            *where = i;
        found = function ? function : found;
    }
    return found;
}

/* Finds the function of a launch. If the module lacks it, its handle is that of a module that was unloaded before: then
 * any module is searched. */
static const struct cubin_function *find_function(const struct loaded *loaded, const struct program_launch *launch,
                                                  size_t *where)
{
    const struct cubin_function *found = find_in(loaded, launch, launch->module, where);
    const bool lacks = !found && launch->module && find_image(loaded->groups, loaded->folder, launch->module);
    return lacks ? find_in(loaded, launch, NULL, where) : found;
}

static void copy_launches(const struct program_group *group, struct result *result)
{
    for (size_t i = 0; i < group->count; i++) {
        struct launch *launch = ARRAY_GROW(result->launches, result->launch_count);
        *launch = group->launches[i].launch;
        launch->function = x_strdup(launch->function);
        launch->code = x_strdup(launch->code);
        launch->mix = x_strdup(launch->mix);
    }
}

/* The compilers of the machine code that was launched. The names belong to the images. */
struct compilers {
    const char **names;
    size_t count;
};

static void add_compilers(struct compilers *compilers, const struct cubin *cubin)
{
    for (size_t i = 0; cubin && i < cubin->compiler_count; i++)
        *ARRAY_GROW(compilers->names, compilers->count) = cubin->compilers[i];
}

static void set_compilers(struct compilers *compilers, struct run *run)
{
    OWNED_TEXT joined = cubin_join_compilers(compilers->names, compilers->count);
    for (size_t i = 0; i < run->session_count; i++)
        if (!run->sessions[i].facts[SESSION_COMPILER])
            run->sessions[i].facts[SESSION_COMPILER] = x_strdup(joined);
    free(compilers->names);
}

void program_groups_add_code(struct program_groups *groups, const char *folder, char *const *names, size_t count,
                             const struct metrics *metrics, struct run *run)
{
    const struct loaded loaded = {groups, folder, names, count, static_facts_capability(&run->device)};
    struct compilers compilers = {0};
    for (size_t g = 0; g < groups->count; g++) {
        struct program_group *group = groups->list[g];
        struct result *result = run_find(run, group->id);
        for (size_t i = 0, where; i < group->count; i++) {
            const struct cubin_function *function = find_function(&loaded, &group->launches[i], &where);
            if (!function)
                continue;
            static_facts_set_code(&group->launches[i].launch, function);
            add_compilers(&compilers, find_image(groups, folder, names[where]));
        }
        if (!result)
            continue;
        copy_launches(group, result);
        result->launched_by = x_strdup(group->launched_by);
        if (result->status == RESULT_OK)
            static_facts_of_launches(result, loaded.capability, run->device.sm_count, metrics, false);
    }
    set_compilers(&compilers, run);
}

/* Returns how many images a process could not write, or not whole. */
static size_t count_lost(const struct loaded *loaded)
{
    size_t lost = 0;
    for (size_t i = 0; i < loaded->count; i++)
        lost += !find_image(loaded->groups, loaded->folder, loaded->names[i]);
    return lost;
}

void program_groups_find_images(struct program_groups *groups, const char *folder, char *const *names, size_t count,
                                int capability)
{
    const struct loaded loaded = {groups, folder, names, count, capability};
    for (size_t g = 0; g < groups->count; g++) {
        struct program_group *group = groups->list[g];
        size_t where;
        if (group->graph || group->image)
            continue;
        if (find_function(&loaded, &group->launches[0], &where)) {
            group->image = x_strdup(names[where]);
            continue;
        }
        const size_t lost = count_lost(&loaded);
        if (lost > 0)
            group->refused = x_sprintf("its machine code is unknown: %zu module%s of the program could not be kept "
                                       "below %s, which may be full; set TMPDIR to another folder",
                                       lost, plural(lost), folder);
    }
}
