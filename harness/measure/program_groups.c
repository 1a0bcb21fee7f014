/* Finds groups of launches that are alike, and names them. A group is of one function in one shape, or of a graph of
 * the same kernels. */
#include "program_parts.h"

#include "names/names.h"

#include <xxhash.h>

/* ---- What a process says ---- */

static bool is_module_name(const char *text)
{
    return strlen(text) == 16 && strspn(text, "0123456789abcdef") == 16;
}

/* Reads a launch: "gx gy gz bx by bz shared carve_out module function". */
static bool read_launch(struct program_launch *to, const char *line)
{
    struct launch *launch = &to->launch;
    char module[20];
    int end = 0;
    /* NOLINTNEXTLINE(cert-err34-c): a wrong one is seen */
    if (sscanf(line, "%u %u %u %u %u %u %u %u %19s %n", &launch->grid[0], &launch->grid[1], &launch->grid[2],
               &launch->block[0], &launch->block[1], &launch->block[2], &launch->shared, &launch->carve_out, module,
               &end) != 9 ||
        end == 0 || line[end] == '\0')
        return false;
    launch->function = x_strdup(line + end);
    text_make_harmless(launch->function, ' ');
    launch->times = 1;
    to->module = is_module_name(module) ? x_strdup(module) : NULL;
    return true;
}

static bool read_group(struct program_group *group, const char *text)
{
    char *copy = x_strdup(text), *rest = NULL;
    const char *kind = strtok_r(copy, "\n", &rest);
    bool good = kind && (strcmp(kind, "graph") == 0 || strcmp(kind, "launch") == 0);
    group->graph = good && strcmp(kind, "graph") == 0;
    for (char *line; good && (line = strtok_r(NULL, "\n", &rest));)
        good = read_launch(ARRAY_GROW(group->launches, group->count), line);
    free(copy);
    return good && (group->graph || group->count == 1);
}

static void release_group(struct program_group *group)
{
    for (size_t i = 0; i < group->count; i++) {
        free(group->launches[i].launch.function);
        free(group->launches[i].launch.code);
        free(group->launches[i].launch.mix);
        free(group->launches[i].module);
    }
    free(group->launches);
    for (size_t i = 0; i < group->share_count; i++) {
        free(group->shares[i].counts);
        free(group->shares[i].took);
        free(group->shares[i].alone);
    }
    free(group->shares);
    free(group->missed);
    free(group->launched_by);
    free(group->image);
    free(group->refused);
    free(group->question);
    free(group->id);
    free(group);
}

void program_groups_release(struct program_groups *groups)
{
    for (size_t i = 0; i < groups->count; i++)
        release_group(groups->list[i]);
    free(groups->list);
    free(groups->processes);
    for (size_t i = 0; i < groups->rank_count; i++)
        free(groups->ranks[i].launched);
    free(groups->ranks);
    for (size_t i = 0; i < WORK_KINDS; i++)
        free(groups->work[i]);
    program_images_release(groups);
    *groups = (struct program_groups){0};
}

/* ---- Ids ---- */

static void put_extents(FILE *stream, const unsigned of[3])
{
    const int count = of[2] != 1 ? 3 : of[1] != 1 ? 2 : 1;
    for (int i = 0; i < count; i++)
        fprintf(stream, "%s%u", i > 0 ? "x" : "", of[i]);
}

/* Writes the shape of a launch, such as "128,256" for <<<128, 256>>>. Shared memory is added if there is any. one: that
 * of many shapes. */
static void put_shape(FILE *stream, const struct launch *launch, bool one)
{
    if (one)
        fputs(PROGRAM_ANY_GRID, stream);
    else
        put_extents(stream, launch->grid);
    fputc(',', stream);
    put_extents(stream, launch->block);
    if (launch->shared > 0 && !one)
        fprintf(stream, ",%u", launch->shared);
}

#define GRAPH_NAMES 60 /* in characters */

/* Writes the kernels of a graph, as many as fit, and a hash of all of them with their shapes. */
static void put_graph(FILE *stream, const struct program_group *group, char *const *names)
{
    XXH3_state_t *state = XXH3_createState();
    size_t length = 0, shown = 0;
    XXH3_64bits_reset(state);
    fputs(PROGRAM_GRAPH, stream);
    for (size_t i = 0; i < group->count; i++) {
        const struct launch *launch = &group->launches[i].launch;
        XXH3_64bits_update(state, launch->function, strlen(launch->function));
        XXH3_64bits_update(state, launch->grid, sizeof launch->grid);
        XXH3_64bits_update(state, launch->block, sizeof launch->block);
        length += strlen(names[i]) + 1;
        if (length <= GRAPH_NAMES || i == 0) {
            fprintf(stream, "%s%s", i > 0 ? "+" : "", names[i]);
            shown++;
        }
    }
    if (shown < group->count)
        fprintf(stream, "+%zu_more", group->count - shown);
    fprintf(stream, "~%08x",
            (unsigned)XXH3_64bits_digest(state)); /* of the hash, since a hundred graphs may differ in shapes only */
    XXH3_freeState(state);
}

/* Returns the id of a group; names are the short names of its functions. */
static char *make_id(const char *family, const struct program_group *group, char *const *names)
{
    char *id = NULL;
    FILE *stream = x_memstream(&id, NULL);
    fprintf(stream, "%s/", family);
    if (group->graph) {
        put_graph(stream, group, names);
    } else {
        fprintf(stream, "%s@", names[0]);
        put_shape(stream, &group->launches[0].launch, group->one == group);
    }
    fclose(stream);
    return id;
}

static bool is_same_group(const struct program_group *a, const struct program_group *b)
{
    if (a->graph != b->graph || a->count != b->count || (a->one == a) != (b->one == b))
        return false;
    for (size_t i = 0; i < a->count; i++) {
        const struct launch *x = &a->launches[i].launch, *y = &b->launches[i].launch;
        const bool same_grid = memcmp(x->grid, y->grid, sizeof x->grid) == 0 && x->shared == y->shared;
        if (strcmp(x->function, y->function) != 0 || memcmp(x->block, y->block, sizeof x->block) != 0 ||
            (!same_grid && a->one != a))
            return false;
    }
    return true;
}

/* Counts groups that differ only in machine code, which Triton makes. The second of them is #2. */
static size_t count_namesakes(const struct program_groups *groups, const struct program_group *group)
{
    size_t namesakes = 0;
    for (size_t i = 0; i < groups->count && groups->list[i] != group; i++)
        namesakes += is_same_group(groups->list[i], group);
    return namesakes;
}

static char *number_id(char *id, size_t namesakes)
{
    if (namesakes > 0)
        x_append(&id, "#", "%zu", namesakes + 1);
    return id;
}

/* Returns the id of a group among the others; names are the short names of its functions. */
static char *id_of(const struct program_groups *groups, const struct program_group *group, const char *family,
                   char *const *names)
{
    return number_id(make_id(family, group, names), count_namesakes(groups, group));
}

/* Returns the id of a group as long as the other functions are not known. */
static char *first_id_of(const struct program_groups *groups, const struct program_group *group, const char *family)
{
    char **names = x_calloc(group->count, sizeof *names);
    for (size_t i = 0; i < group->count; i++)
        names[i] = kernel_short_name(group->launches[i].launch.function);
    char *id = id_of(groups, group, family, names);
    free_texts(names, group->count);
    return id;
}

/* Returns the id that the group would have with all shapes of its function. */
static char *id_of_shapes(const struct program_groups *groups, struct program_group *group, const char *family)
{
    group->one = group;
    char *id = first_id_of(groups, group, family);
    group->one = NULL;
    return id;
}

/* Returns whether a glob of -k means the id. A glob may come from an id that was made when all functions were known.
 * Such an id may have digits of the whole name, as in ~1f3a, which this one lacks. */
static bool is_meant(char *const *globs, size_t count, const char *id)
{
    if (glob_any(globs, count, id))
        return true;
    for (size_t i = 0; i < count; i++) {
        const char *digits = strrchr(globs[i], '~');
        if (!digits)
            continue;
        OWNED_TEXT without = x_sprintf("%.*s%s", (int)(digits - globs[i]), globs[i],
                                       digits + 1 + strspn(digits + 1, "0123456789abcdef"));
        const bool meant = glob_any(&without, 1, id);
        if (meant)
            return true;
    }
    return false;
}

int program_groups_expect(const struct program_groups *groups, char *const *globs, size_t count)
{
    OWNED_MEMORY const char **ids = x_calloc(groups->count, sizeof *ids);
    int result = 0;
    for (size_t i = 0; i < groups->count; i++)
        ids[i] = groups->list[i]->id;
    for (size_t g = 0; g < count && groups->count > 0 && result == 0; g++) {
        bool meant = row_kind(globs[g]) != ROW_KERNEL;
        for (size_t i = 0; i < groups->count && !meant; i++)
            meant = is_meant(&globs[g], 1, ids[i]);
        const char *near = meant ? NULL : nearest_name(globs[g], ids, groups->count);
        if (!meant)
            result = error("no kernel that the program launched matches -k '%s'; %s%s%s", globs[g],
                           near ? "did you mean '" : "its kernels have names like '", near ? near : ids[0],
                           near ? "'?" : "'");
    }
    return result;
}

/* Returns the short names of the functions of all groups, one after the other; there are *count. Caller frees. */
static char **name_functions(const struct program_groups *groups, size_t *count)
{
    OWNED_MEMORY const char **functions = NULL;
    *count = 0;
    for (size_t g = 0; g < groups->count; g++)
        for (size_t i = 0; i < groups->list[g]->count; i++)
            *ARRAY_GROW(functions, *count) = groups->list[g]->launches[i].launch.function;
    char **names = x_calloc(*count, sizeof *names);
    kernel_unique_names(functions, *count, names);
    return names;
}

void program_groups_name(struct program_groups *groups, const char *family, struct run *run)
{
    size_t count, at = 0;
    char **names = name_functions(groups, &count);
    OWNED_MEMORY struct result **results = x_calloc(groups->count, sizeof(struct result *));
    for (size_t g = 0; g < groups->count; g++)
        results[g] = run_find(run, groups->list[g]->id);
    for (size_t g = 0; g < groups->count; g++) {
        struct program_group *group = groups->list[g];
        char *id = id_of(groups, group, family, &names[at]);
        at += group->count;
        free(group->id);
        group->id = id;
        if (results[g]) {
            free(results[g]->id);
            results[g]->id = x_strdup(id);
        }
    }
    SORT(run->results, run->result_count, by_text);
    free_texts(names, count);
}

/* ---- The table ---- */

static void read_symbols(struct program_group *group)
{
    OWNED_MEMORY char ***names = x_calloc(group->count, sizeof *names);
    for (size_t i = 0; i < group->count; i++)
        names[i] = &group->launches[i].launch.function;
    demangle(names, group->count);
}

static const char *text_or(const char *text)
{
    return text ? text : "";
}

static bool has_same_code(const struct program_group *a, const struct program_group *b)
{
    return ALL(i, a->count, strcmp(text_or(a->launches[i].launch.code), text_or(b->launches[i].launch.code)) == 0);
}

static bool lacks_code(const struct program_group *group)
{
    return ANY(i, group->count, !group->launches[i].launch.code);
}

/* Returns the group that these launches are of; or NULL. The driver does not tell each process each module, or tells
 * one that is gone: code that is unknown is that of the only group of the same functions and shapes. */
static struct program_group *find_equal(const struct program_groups *groups, const struct program_group *group)
{
    struct program_group *alike = NULL;
    size_t count = 0;
    for (size_t i = 0; i < groups->count; i++) {
        if (!is_same_group(groups->list[i], group))
            continue;
        if (has_same_code(groups->list[i], group))
            return groups->list[i];
        alike = groups->list[i];
        count++;
    }
    return count == 1 && (lacks_code(alike) || lacks_code(group)) ? alike : NULL;
}

/* Has a group whose code is unknown have that of other launches of its functions and shapes, where that is known. */
static void learn_code(struct program_group *group, struct program_group *from)
{
    struct program_launch *launches = group->launches;
    if (group->one || !lacks_code(group) || lacks_code(from))
        return;
    group->launches = from->launches;
    from->launches = launches;
}

/* Makes an id unique. As long as not all functions are known, two of them may have the same short name, but no two
 * groups may have the same id. */
static char *make_single(char *id, const struct program_groups *groups)
{
    for (size_t i = groups->count; program_group_find(groups, id); i++)
        x_append(&id, "#", "%zu", i);
    return id;
}

void program_group_add(struct program_groups *groups, struct program_group *group, const char *family)
{
    group->id = make_single(first_id_of(groups, group, family), groups);
    *ARRAY_GROW(groups->list, groups->count) = group;
}

bool program_group_take(struct program_groups *groups, const struct measurement *measurement, const char *folder,
                        int capability, const char *text, size_t most, struct program_group **taken)
{
    *taken = NULL;
    for (size_t i = 0; i < groups->count; i++) {
        if (strcmp(groups->list[i]->question, text) == 0) {
            *taken = groups->list[i];
            return true;
        }
    }
    struct program_group *group = x_calloc(1, sizeof *group);
    const bool good = read_group(group, text);
    if (good) {
        read_symbols(group);
        program_group_find_code(groups, group, folder, capability);
        *taken = find_equal(groups, group);
        if (*taken)
            learn_code(*taken, group);
    }
    if (!good || *taken || groups->count == most) {
        release_group(group);
        return good;
    }
    OWNED_TEXT id = first_id_of(groups, group, measurement->program->name);
    group->question = x_strdup(text);
    OWNED_TEXT whole = program_row_id(measurement->program->name);
    OWNED_TEXT one = id_of_shapes(groups, group, measurement->program->name);
    group->wanted = is_meant(measurement->globs, measurement->glob_count, id) ||
                    is_meant(measurement->globs, measurement->glob_count, one) ||
                    glob_any(measurement->globs, measurement->glob_count, whole);
    group->share_count = 1 + measurement->program->part.nvtx_count;
    group->shares = x_calloc(group->share_count, sizeof *group->shares);
    program_known_set(groups, measurement, group);
    program_group_add(groups, group, measurement->program->name);
    *taken = group;
    return true;
}

struct program_group *program_group_find(const struct program_groups *groups, const char *id)
{
    for (size_t i = 0; i < groups->count; i++)
        if (strcmp(groups->list[i]->id, id) == 0)
            return groups->list[i];
    return NULL;
}
