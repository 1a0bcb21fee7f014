#include "library.h"

#include "library_capsules.h"

#include <dlfcn.h>

static bool good_name(const char *name)
{
    return name && *name && strlen(name) <= 100 &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(name);
}

static bool is_amount(double number)
{
    return isfinite(number) && number >= 0;
}

/* Returns NULL when the family satisfies the contract, else what it lacks. */
static const char *family_fault(const struct cugate_family *family)
{
    if (!family)
        return "a row of `families` is NULL";
    if (!good_name(family->name))
        return "a family's name is not of the form [a-z0-9_]+";
    if (!family->open || !family->restore || !family->verify || !family->close)
        return "open, restore, verify or close is NULL";
    if (!family->variants || family->variant_count == 0)
        return "it has no variant";
    EACH(const struct cugate_variant, variant, family->variants, family->variant_count) {
        if (!good_name(variant->name))
            return "a variant's name is not of the form [a-z0-9_]+";
        if (!variant->launch && !variant->not_built)
            return "a variant has neither `launch` nor the reason in `not_built`";
        if (!is_amount(variant->bytes) || !is_amount(variant->flops))
            return "a variant's bytes or flops are negative or not finite";
    }
    return NULL;
}

/* Refuses the family at that index if it breaks the contract. */
static int check_family(const struct cugate_family *family, size_t index, const char *path, struct problem *problem)
{
    const char *name = family && good_name(family->name) ? family->name : "without a valid name";
    const char *fault = family_fault(family);
    OWNED_TEXT point_is = family && family->point ? point_fault(family->point) : NULL;
    if (!point_is && !fault)
        return 0;
    if (!point_is)
        return problem_set(problem, "%s: family %s (number %zu): %s; see kernel.h", path, name, index + 1, fault);
    OWNED_TEXT point = x_strdup(family->point); /* checked first: numbers computed from a wrong point are wrong too */
    text_make_harmless(point, '?');
    problem_set(problem, "%s: family %s (number %zu), point \"%.60s\": %s; see kernel.h", path, name, index + 1, point,
                point_is);
    return -1;
}

static void add_kernel(struct library *library, size_t number, const struct cugate_variant *variant)
{
    const struct cugate_family *family = library->table->families[number];
    *ARRAY_GROW(library->kernels, library->count) = (struct kernel){
        .id = family->point ? x_sprintf("%s/%s[%s]", family->name, variant->name, family->point)
                            : x_sprintf("%s/%s", family->name, variant->name),
        .doc = x_strdup(variant->doc),
        .group = number,
        .transfer = family->kind == CUGATE_TRANSFER,
        .not_built = variant->launch ? NULL : variant->not_built,
        .bytes = variant->bytes,
        .flops = variant->flops,
        .family = family,
        .variant = variant,
    };
}

static int check_unique(const struct library *library, const char *path, struct problem *problem)
{
    size_t *first = first_of_equals(library->kernels, library->count, sizeof *library->kernels, by_text), k = 0;
    while (k < library->count && first[k] == k)
        k++;
    free(first);
    if (k == library->count)
        return 0;
    return problem_set(problem, "%s: kernel %s exists twice: ids must be unique%s", path, library->kernels[k].id,
                       library->handle ? "; see kernel.h" : "");
}

static int collect_kernels(struct library *library, const char *path, struct problem *problem)
{
    const struct cugate_library *table = library->table;
    if (!table->synchronize || !table->error_text || (!table->families && table->family_count))
        return problem_set(problem, "%s: cugate_library() sets no families, synchronize or error_text; see kernel.h",
                           path);
    for (size_t f = 0; f < table->family_count; f++) {
        const struct cugate_family *family = table->families[f];
        TRY(check_family(family, f, path, problem));
        for (size_t v = 0; v < family->variant_count; v++)
            add_kernel(library, f, &family->variants[v]);
    }
    if (library->count == 0)
        return problem_set(problem, "%s has no kernel, because its table has no family; see kernel.h", path);
    return 0;
}

static int load_library(struct library *library, const char *path, struct problem *problem)
{
    /* dlopen searches system folders for a name without a slash, but a user means a file here. */
    OWNED_TEXT file = strchr(path, '/') ? x_strdup(path) : x_sprintf("./%s", path);
    library->handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    const char *why = library->handle ? "" : dlerror();
    if (strstr(why, "cannot dynamically load"))
        return problem_set(problem, "%s is a program, not a kernel library: put it after --, as in cugate check -- %s",
                           path, file);
    if (!library->handle)
        return problem_set(problem,
                           "cannot load the kernel library: %s; build it again, or name another with --kernels", why);
    const struct cugate_library *(*entry)(void) = NULL;
    /* dlsym returns a function's address as void *, and ISO C has no cast for that. */
    *(void **)&entry = dlsym(library->handle, "cugate_library");
    if (!entry)
        return problem_set(
            problem, "%s is not a kernel library: it does not export cugate_library() (CUGATE_LIBRARY of kernel.hpp)",
            path);
    library->table = entry();
    if (!library->table || library->table->abi != CUGATE_KERNEL_ABI)
        return problem_set(problem,
                           "%s was built for kernel ABI %d, this cugate needs %d: build it again with the "
                           "<cugate/kernel.h> of this cugate, which lists the changes",
                           path, library->table ? library->table->abi : 0, CUGATE_KERNEL_ABI);
    return collect_kernels(library, path, problem);
}

static struct numeric theirs; /* of the thread that calls libraries */
static bool has_theirs;       /* false: it has what the process began with */

void theirs_begin(void)
{
    if (has_theirs)
        numeric_end(&theirs);
}

int theirs_end(int returned)
{
    numeric_begin(&theirs);
    has_theirs = true;
    return returned;
}

int library_open(struct library *library, const char *path, struct problem *problem)
{
    *library = (struct library){0};
    const int opened = capsules_is_file(path) ? library_open_capsules(library, path, problem)
                                              : THEIRS(load_library(library, path, problem));
    if (opened == 0 && check_unique(library, path, problem) == 0)
        return 0;
    library_close(library);
    return -1;
}

void library_close(struct library *library)
{
    for (size_t k = 0; k < library->count; k++) {
        free(library->kernels[k].id);
        free(library->kernels[k].doc);
    }
    free(library->kernels);
    player_close(&library->player);
    capsules_release(&library->capsules);
    if (library->handle)
        dlclose(library->handle);
    *library = (struct library){0};
}

const char *library_unmatched(const struct library *library, char *const *globs, size_t count)
{
    for (size_t g = 0; g < count; g++) {
        const bool matched = ANY(k, library->count, glob_any(&globs[g], 1, library->kernels[k].id));
        if (!matched)
            return globs[g];
    }
    return NULL;
}
