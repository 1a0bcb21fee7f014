#include "replacement.h"

#include "cubin.h"

#include <inttypes.h>

/* ---- Finding it ---- */

/* What is known of the images of a file that were looked at. */
struct search {
    struct replacement *found; /* its bytes are NULL until there is one */
    int capability;            /* of the GPU */
    bool several;              /* images of one capability have different functions of that name */
    int other;                 /* the capability of an image for other GPUs that has the function; 0: none has */
    size_t images;             /* images for the GPU */
    char **names;              /* of their functions */
    size_t name_count;
};

static bool would_run(int built, int capability)
{
    return built / 10 == capability / 10 && built <= capability;
}

static size_t kernel_named(const struct image *image, const char *name)
{
    return FIRST(n, image->kernel_count, strcmp(image->kernels[n].facts.name, name) == 0);
}

/* Takes an image in place of the one before, unless that is for a later GPU. The image and its copy are then the
 * replacement's. */
static bool take_better(struct search *search, const struct image *image, size_t kernel, const unsigned char *bytes,
                        size_t size, char *copy)
{
    struct replacement *found = search->found;
    if (found->bytes && found->image.capability >= image->capability) {
        const char *code = found->image.kernels[found->kernel].facts.code;
        search->several |=
            found->image.capability == image->capability && strcmp(code, image->kernels[kernel].facts.code) != 0;
        return false;
    }
    struct replacement better = {.path = found->path, .function = found->function, .size = size};
    better.bytes = x_calloc(size, 1);
    memcpy(better.bytes, bytes, size);
    better.copy = copy;
    better.image = *image;
    better.kernel = kernel;
    replacement_release(found);
    *found = better;
    search->several = false;
    return true;
}

/* Looks at an image. It works on a copy, because libelf may write to it and needs it aligned. */
static int look_at(void *data, const unsigned char *bytes, size_t size)
{
    struct search *search = data;
    struct image image;
    char *copy = x_calloc(size, 1);
    bool taken = false;
    memcpy(copy, bytes, size);
    int result = image_read(&image, search->found->path, 0, copy, size);
    if (result == 0) {
        const size_t kernel = kernel_named(&image, search->found->function);
        const bool has = kernel < image.kernel_count, fits = would_run(image.capability, search->capability);
        search->images += fits && image.kernel_count > 0;
        for (size_t k = 0; fits && k < image.kernel_count; k++)
            *ARRAY_GROW(search->names, search->name_count) = x_strdup(image.kernels[k].facts.name);
        if (has && !fits)
            search->other = image.capability;
        if (has && fits && (result = image_hash(&image)) == 0)
            taken = take_better(search, &image, kernel, bytes, size, copy);
    }
    if (!taken) {
        image_release(&image);
        free(copy);
    }
    return result;
}

static int say_absent(const struct search *search)
{
    const struct replacement *found = search->found;
    const char *const *names = (const char *const *)search->names;
    const char *near = nearest_name(found->function, names, search->name_count);
    if (search->other)
        return error("%s has %s for compute capability %d.%d, but the capsule's GPU has %d.%d: build it for sm_%d",
                     found->path, found->function, search->other / 10, search->other % 10, search->capability / 10,
                     search->capability % 10, search->capability);
    if (search->images == 0)
        return error("%s has no machine code for compute capability %d.%d of the capsule's GPU: build for sm_%d",
                     found->path, search->capability / 10, search->capability % 10, search->capability);
    if (near)
        return error("%s has no function %s; did you mean --launch %s?", found->path, found->function, near);
    return error("%s has no function %s%s%s: name its replacement with --launch, or choose other kernels with -k",
                 found->path, found->function, search->name_count == 1 ? ", only " : "",
                 search->name_count == 1 ? *search->names : "");
}

int replacement_find(struct replacement *replacement, const char *path, const char *function, int capability)
{
    *replacement = (struct replacement){.path = path, .function = function};
    struct search search = {.found = replacement, .capability = capability};
    int result = cubin_each_image(path, look_at, &search);
    if (result == 0 && !replacement->bytes)
        result = say_absent(&search);
    else if (result == 0 && search.several)
        result = error("%s has several functions %s: pass a cubin with only one of them", path, function);
    else if (result == 0 && entry_read(&replacement->entry, &replacement->image, replacement->kernel) < 0)
        result = error("%s describes the arguments of %s in an unknown format", path, function);
    for (size_t i = 0; i < search.name_count; i++)
        free(search.names[i]);
    free(search.names);
    return result;
}

void replacement_release(struct replacement *replacement)
{
    entry_release(&replacement->entry);
    if (replacement->bytes)
        image_release(&replacement->image);
    free(replacement->copy);
    free(replacement->bytes);
    *replacement = (struct replacement){0};
}

/* ---- Holding it against a launch ---- */

static int check_arguments(const struct replacement *replacement, const struct capsule *capsule)
{
    const struct entry *entry = &replacement->entry;
    for (size_t i = 0; i < entry->parameter_count && i < capsule->argument_count; i++) {
        const struct parameter *takes = &entry->parameters[i];
        const struct argument *has = &capsule->arguments[i];
        if (takes->offset != has->offset || takes->size != has->size)
            return error("argument %zu of %s has %u byte%s at byte %u in %s, but %u byte%s at byte %u in the launch of "
                         "%s: build it with the same parameters",
                         i + 1, replacement->function, takes->size, plural(takes->size), takes->offset,
                         replacement->path, has->size, plural(has->size), has->offset, capsule->id);
    }
    if (entry->parameter_count == capsule->argument_count && entry->parameter_bytes <= capsule->byte_count)
        return 0;
    return error(
        "%s of %s takes %zu argument%s of %u bytes in all, but the launch of %s has %zu of %zu: keep the parameters",
        replacement->function, replacement->path, entry->parameter_count, plural(entry->parameter_count),
        entry->parameter_bytes, capsule->id, capsule->argument_count, capsule->byte_count);
}

static bool is_changed(const struct memory_range *range)
{
    return ANY(page, pages_of(range->size), range->after[page] != PAGE_SAME);
}

static int check_variable(const struct replacement *replacement, const struct capsule *capsule,
                          const struct memory_range *range)
{
    uint64_t size;
    if (!image_variable(&replacement->image, range->variable, &size)) {
        if (is_changed(range))
            return error("%s has no variable %s, which the launch of %s changes, so results cannot be compared: add it",
                         replacement->path, range->variable, capsule->id);
        warning("%s: %s has no variable %s, so the program's value is not used", capsule->id, replacement->path,
                range->variable);
        return 0;
    }
    if (size == range->size)
        return 0;
    return error("variable %s has %" PRIu64 " bytes in %s, but %" PRIu64 " in %s: build it with the same variables",
                 range->variable, size, replacement->path, range->size, capsule->id);
}

/* Whether a text has a line like the first one of another. */
static bool has_line(const char *text, const char *line, size_t length)
{
    for (; *text; text += strcspn(text, "\n") + 1)
        if (strncmp(text, line, length) == 0 && text[length] == '\n')
            return true;
    return false;
}

/* Texts that the compiler put there, such as those of assertions, are no variables that anybody sets. */
int replacement_warn(const struct replacement *replacement, const struct capsules *capsules,
                     const struct capsule *capsule)
{
    struct problem problem;
    OWNED_MEMORY unsigned char *code = capsules_blob(capsules, &capsule->code, &problem);
    if (!code)
        return error("%s", problem.text);
    OWNED_TEXT had = cubin_variables(capsules->path, (const char *)code, (size_t)capsule->code.size);
    char *names = image_variables(&replacement->image), *name = names;
    for (size_t length; had && *name; name += length + 1) {
        length = strcspn(name, "\n");
        if (!memchr(name, '$', length) && !has_line(had, name, length))
            warning("%s: the program had no variable %.*s, so its initial value is that of %s", capsule->id,
                    (int)length, name, replacement->path);
    }
    const bool failed = !had;
    free(names);
    return failed ? -1 : 0;
}

static int check_variables(const struct replacement *replacement, const struct capsule *capsule)
{
    EACH(const struct memory_range, range, capsule->ranges, capsule->range_count)
        if (range->kind == MEMORY_VARIABLE && check_variable(replacement, capsule, range) < 0)
            return -1;
    return 0;
}

static int check_block(const struct replacement *replacement, const struct capsule *capsule)
{
    const unsigned *only = replacement->entry.block, *block = capsule->block;
    const unsigned most = replacement->image.kernels[replacement->kernel].facts.max_threads;
    const uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    if (only[0] > 0 && memcmp(only, block, sizeof capsule->block) != 0)
        return error("%s of %s runs only in blocks of %ux%ux%u, but the launch of %s has %ux%ux%u: add --launch '<<<, "
                     "%ux%ux%u>>>' if this is intended",
                     replacement->function, replacement->path, only[0], only[1], only[2], capsule->id, block[0],
                     block[1], block[2], only[0], only[1], only[2]);
    if (most > 0 && threads > most)
        return error("%s of %s runs in blocks of at most %u threads, but the launch of %s has %" PRIu64
                     ": build it for larger ones, or change it with --launch",
                     replacement->function, replacement->path, most, capsule->id, threads);
    return 0;
}

/* Whether a block fits on a multiprocessor. Of a GPU that is not known, nothing is known of that. */
static int check_resources(const struct replacement *replacement, const struct capsule *capsule, int capability)
{
    const struct cubin_function *facts = &replacement->image.kernels[replacement->kernel].facts;
    const uint64_t threads = (uint64_t)capsule->block[0] * capsule->block[1] * capsule->block[2];
    const uint64_t shared = (uint64_t)facts->shared_bytes + capsule->shared;
    const struct occupancy_launch launch = {
        .threads = threads <= UINT32_MAX ? (unsigned)threads : UINT32_MAX,
        .registers = facts->registers,
        .shared_bytes = shared <= UINT32_MAX ? (unsigned)shared : UINT32_MAX,
        .max_threads = facts->max_threads,
        .barriers = facts->barriers,
    };
    struct occupancy occupancy;
    if (!occupancy_of(&occupancy, capability, &launch) || occupancy.blocks > 0)
        return 0;
    return error(
        "%s of %s takes %u registers per thread and %u + %u bytes of shared memory per block, so the blocks of %s, "
        "with %" PRIu64
        " threads, do not fit on a GPU of compute capability %d.%d: change the code, or its launch with --launch",
        replacement->function, replacement->path, facts->registers, facts->shared_bytes, capsule->shared, capsule->id,
        threads, capability / 10, capability % 10);
}

int replacement_check(const struct replacement *replacement, const struct capsule *capsule, int capability)
{
    return check_arguments(replacement, capsule) < 0 || check_block(replacement, capsule) < 0 ||
                   check_resources(replacement, capsule, capability) < 0 || check_variables(replacement, capsule) < 0
               ? -1
               : 0;
}

/* ---- Several launches ---- */

int replacement_turn(struct replacement *replacement, const char *path, const char *function, int capability)
{
    if (!replacement->bytes)
        return replacement_find(replacement, path, function, capability);
    const size_t kernel = kernel_named(&replacement->image, function);
    if (kernel == replacement->image.kernel_count)
        return error("%s has %s and %s in different images: build one cubin with all functions", path,
                     replacement->function, function);
    entry_release(&replacement->entry);
    replacement->function = function;
    replacement->kernel = kernel;
    return entry_read(&replacement->entry, &replacement->image, kernel) == 0
               ? 0
               : error("%s describes the arguments of %s in an unknown format", path, function);
}

int replacement_fit(struct replacement *replacement, const char *path, const struct capsule *capsule, int capability)
{
    for (size_t i = 0; i < capsule_launches(capsule); i++) {
        const struct capsule one = capsule_launch(capsule, i);
        if (replacement_turn(replacement, path, one.function, capability) < 0 ||
            replacement_check(replacement, &one, capability) < 0)
            return -1;
    }
    return 0;
}

/* Places an argument where the function has it. */
static int place(struct capsule_step *step, const struct capsule *capsule, const struct task_argument *argument,
                 size_t number, const struct parameter *parameter)
{
    const bool is_own = argument->kind == TASK_SCALAR;
    if (!is_own && argument->count > capsule->argument_count)
        return error("%s has %zu arguments, not %llu", capsule->id, capsule->argument_count,
                     (unsigned long long)argument->count);
    const unsigned size = is_own ? task_argument_size(argument) : capsule->arguments[argument->count - 1].size;
    if (size != parameter->size)
        return error("argument %zu of %s has %u bytes, but %u were given", number + 1, step->function, parameter->size,
                     size);
    step->arguments[number] =
        (struct argument){.offset = parameter->offset, .size = size, .of = is_own ? 0 : (unsigned)argument->count};
    if (is_own)
        memcpy(step->bytes + parameter->offset, argument->scalar, size);
    return 0;
}

int replacement_steps(struct replacement *replacement, const char *path, struct capsule *capsule,
                      const struct task_launch *launches, size_t count, int capability)
{
    *replacement = (struct replacement){0};
    int failed = 0;
    for (size_t i = 0; i < count && failed == 0; i++) {
        const struct task_launch *launch = &launches[i];
        struct capsule_step *step = ARRAY_GROW(capsule->steps, capsule->step_count);
        const struct entry *entry = &replacement->entry;
        OWNED_TEXT read = NULL;
        *step = (struct capsule_step){.shared = launch->shared, .argument_count = launch->count};
        memcpy(step->grid, launch->grid, sizeof step->grid);
        memcpy(step->block, launch->block, sizeof step->block);
        failed = kernel_find(path, launch->function, &step->function, &read) < 0 ||
                         replacement_turn(replacement, path, step->function, capability) < 0
                     ? -1
                     : 0;
        if (failed == 0 && entry->parameter_count != launch->count)
            failed = error("%s takes %zu argument%s, but %zu were given", launch->function, entry->parameter_count,
                           plural(entry->parameter_count), launch->count);
        step->byte_count = failed == 0 ? entry->parameter_bytes : 0;
        step->bytes = x_calloc(step->byte_count + 1, 1);
        step->arguments = x_calloc(launch->count + 1, sizeof *step->arguments);
        for (size_t k = 0; k < launch->count && failed == 0; k++)
            failed = place(step, capsule, &launch->arguments[k], k, &entry->parameters[k]);
        const struct capsule one = capsule_launch(capsule, i);
        if (failed == 0)
            failed = replacement_check(replacement, &one, capability);
    }
    return failed;
}
