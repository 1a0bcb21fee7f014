#include "static_claims.h"

#include "names/names.h"

#define FUNCTIONS_TOLD 6

/* What two names of one function have in common, the surest first. */
enum likeness { LIKE_CODE, LIKE_NAME, LIKE_TEMPLATE, LIKE_PARAMETERS, LIKENESSES };

static bool is_alike(enum likeness likeness, const struct launch *launch, const char *function, const char *code)
{
    switch (likeness) {
    case LIKE_CODE:
        return strcmp(launch->code, code) == 0;
    case LIKE_NAME:
        return name_part_is_same(function_name(launch->function), function_name(function));
    case LIKE_TEMPLATE:
        return name_part_is_same(function_template(launch->function), function_template(function));
    case LIKE_PARAMETERS:
    case LIKENESSES:
        break;
    }
    return name_part_is_same(function_parameters(launch->function), function_parameters(function)) &&
           function_parameters(function).length > 0;
}

/* Returns the only similar function that no kernel launches. Returns the count of the cubin when there is none, or
 * several. */
static size_t find_free(const struct claims *claims, enum likeness likeness, const struct launch *launch)
{
    const size_t count = claims->cubin->count;
    size_t found = count;
    for (size_t i = 0; i < count; i++) {
        const struct cubin_function *function = &claims->cubin->list[i];
        if (!claims->fitting[i] || claims->kernels[i] || !is_alike(likeness, launch, function->name, function->code))
            continue;
        if (found < count)
            return count;
        found = i;
    }
    return found;
}

/* Whether another missing function is similar to the same one. */
static bool has_rival(const struct claims *claims, enum likeness likeness, const struct rename *rename)
{
    return FIND(other, claims->renames, claims->rename_count,
                other != rename && !other->is &&
                    is_alike(likeness, rename->launch, other->launch->function, other->launch->code));
}

static void find_renamed(struct claims *claims, bool may_be_new)
{
    for (enum likeness likeness = 0; likeness < LIKENESSES; likeness++) {
        EACH(struct rename, rename, claims->renames, claims->rename_count) {
            if (rename->is || has_rival(claims, likeness, rename))
                continue;
            const size_t found = find_free(claims, likeness, rename->launch);
            if (found == claims->cubin->count)
                continue;
            rename->is = &claims->cubin->list[found];
            rename->sure = likeness == LIKE_CODE || (likeness == LIKE_NAME && !may_be_new);
            claims->kernels[found] = rename->kernel;
        }
    }
}

static struct rename *find_gone(const struct claims *claims, const char *function)
{
    return FIND(rename, claims->renames, claims->rename_count, strcmp(rename->launch->function, function) == 0);
}

/* Records which kernel launches a function. A function without a code hash was not in the baseline's library either. */
static void claim(struct claims *claims, const char *kernel, const struct launch *launch, int capability)
{
    enum cubin_status status;
    const struct cubin_function *function = cubin_find(claims->cubin, launch->function, capability, &status);
    if (function)
        claims->kernels[function - claims->cubin->list] = kernel;
    else if (status == CUBIN_ABSENT && launch->code && !find_gone(claims, launch->function))
        *ARRAY_GROW(claims->renames, claims->rename_count) = (struct rename){.launch = launch, .kernel = kernel};
}

bool claims_is_judged(const struct run *baseline, const struct library_facts *facts, const char *id)
{
    const struct result *base = run_find(baseline, id);
    return base && base->status == RESULT_OK && (facts->count == 0 || library_facts_find(facts, id));
}

/* Whether the library may have kernels whose functions the baseline does not know. */
static bool has_new(const struct run *baseline, const struct library_facts *facts)
{
    return facts->count == 0 ||
           ANY(i, facts->count,
               !facts->kernels[i].not_built && !claims_is_judged(baseline, facts, facts->kernels[i].id));
}

void claims_make(struct claims *claims, const struct run *baseline, const struct cubin *cubin, int capability,
                 const struct library_facts *facts)
{
    *claims = (struct claims){
        .cubin = cubin,
        .kernels = x_calloc(cubin->count + 1, sizeof *claims->kernels),
        .fitting = x_calloc(cubin->count + 1, sizeof *claims->fitting),
    };
    for (size_t i = 0; i < cubin->count; i++) {
        enum cubin_status status;
        claims->fitting[i] = cubin_find(cubin, cubin->list[i].name, capability, &status) == &cubin->list[i];
    }
    EACH(const struct result, result, baseline->results, baseline->result_count) {
        for (size_t k = 0; k < result->launch_count && claims_is_judged(baseline, facts, result->id); k++)
            claim(claims, result->id, &result->launches[k], capability);
    }
    find_renamed(claims, has_new(baseline, facts));
}

void claims_release(struct claims *claims)
{
    free(claims->kernels);
    free(claims->fitting);
    free(claims->renames);
    *claims = (struct claims){0};
}

const struct rename *claims_find(const struct claims *claims, const char *function)
{
    const struct rename *rename = find_gone(claims, function);
    return rename && rename->is ? rename : NULL;
}

/* ---- Kernels that the baseline lacks ---- */

/* Where the functions of a new kernel are looked for: in source files of its family, in files of no family, in all. */
enum scope { SCOPE_FAMILY, SCOPE_NOBODY, SCOPE_ALL, SCOPES };

/* Marks the images (one for each source file) with functions that kernels of the id's family launch; of any family
 * where id is NULL. */
static void mark_images(const struct claims *claims, const char *id, bool *marks)
{
    for (size_t i = 0; i < claims->cubin->count; i++)
        if (claims->kernels[i] && (!id || is_of_family(claims->kernels[i], id)))
            marks[claims->cubin->list[i].image] = true;
}

static void put_function(const struct cubin_function *function, FILE *stream)
{
    char local[16], shared[16];
    fprintf(stream, "%s uses %u registers, %s B of local and %s B of static shared memory", function->name,
            function->registers, group_digits(function->local_bytes, local, sizeof local),
            group_digits(function->shared_bytes, shared, sizeof shared));
}

/* Prints the functions that no kernel launches. Returns how many they are. */
static size_t put_free(const struct claims *claims, enum scope scope, const char *id, FILE *stream)
{
    size_t explained = 0;
    OWNED_MEMORY bool *marks = x_calloc(claims->cubin->images + 1, sizeof *marks);
    if (scope != SCOPE_ALL)
        mark_images(claims, scope == SCOPE_FAMILY ? id : NULL, marks);
    for (size_t i = 0; i < claims->cubin->count; i++) {
        const struct cubin_function *function = &claims->cubin->list[i];
        if (!claims->fitting[i] || claims->kernels[i] || marks[function->image] != (scope == SCOPE_FAMILY))
            continue;
        if (explained < FUNCTIONS_TOLD) {
            fputs(explained == 0 ? "no kernel in the baseline launches " : "; ", stream);
            put_function(function, stream);
        }
        explained++;
    }
    if (explained > FUNCTIONS_TOLD)
        fprintf(stream, "; and %zu more", explained - FUNCTIONS_TOLD);
    return explained;
}

char *claims_new_kernel(const struct claims *claims, const char *id)
{
    char *text = NULL;
    size_t explained = 0;
    FILE *stream = x_memstream(&text, NULL);
    fputs("not in the baseline yet; `cugate accept` adds measured kernels. Launches, block sizes and occupancy need a "
          "run; ",
          stream);
    for (enum scope scope = 0; scope < SCOPES && explained == 0; scope++)
        explained = put_free(claims, scope, id, stream);
    if (explained == 0)
        fputs("each function is launched by a kernel of the baseline", stream);
    fclose(stream);
    return text;
}
