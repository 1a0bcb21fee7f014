#include "kernel_names.h"

#include "base/base.h"

#define NAMES_SHOWN 5

char *kernel_names_join(const char *const *ids, size_t count, char *glob)
{
    char *joined = x_strdup("");
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if ((!glob || glob_any(&glob, 1, ids[i])) && ++found <= NAMES_SHOWN)
            x_append(&joined, ", ", "%s", ids[i]);
    if (found > NAMES_SHOWN)
        x_append(&joined, "", " and %zu more", found - NAMES_SHOWN);
    return joined;
}

const char *kernel_names_near(const char *wanted, const char *const *ids, size_t count)
{
    const char *points = point_pattern(wanted);
    const size_t name = points ? (size_t)(points - wanted) : strlen(wanted);
    const bool is_glob = strcspn(wanted, "*?[") < name || (points && strpbrk(points, "*?"));
    const char *bare = NULL; /* the first whose variant it is, unless it is a family too */
    const size_t length = strlen(wanted);
    for (size_t i = 0; i < count && length > 0 && !strchr(wanted, '/'); i++) {
        const size_t family = strcspn(ids[i], "/");
        const char *variant = ids[i] + family + (ids[i][family] == '/');
        if (family == length && strncmp(ids[i], wanted, length) == 0)
            return NULL;
        if (!bare && strncmp(variant, wanted, length) == 0 && strchr("@[", variant[length]))
            bare = ids[i];
    }
    return strchr(wanted, '/') && !is_glob ? nearest_name(wanted, ids, count) : bare;
}

char *kernel_names_family(const char *wanted, const char *const *ids, size_t count)
{
    const char *points = point_pattern(wanted);
    char **families = x_calloc(count + 1, sizeof *families);
    OWNED_TEXT family = x_sprintf("%.*s", (int)strcspn(wanted, "/["), wanted);
    for (size_t i = 0; i < count; i++)
        families[i] = x_sprintf("%.*s", (int)strcspn(ids[i], "/"), ids[i]);
    const char *near = nearest_name(family, (const char *const *)families, count);
    char *glob = near ? x_sprintf("%s/*%s", near, points ? points : "") : NULL;
    bool any = false;
    for (size_t i = 0; i < count && glob; i++)
        any |= glob_any(&glob, 1, ids[i]);
    if (glob && !any) /* it has no such point */
        glob[strlen(near) + strlen("/*")] = '\0';
    free_texts(families, count);
    return glob;
}

static int say_none(const char *wanted, const char *const *ids, size_t count, const char *where)
{
    const char *near = kernel_names_near(wanted, ids, count);
    OWNED_TEXT family = near ? NULL : kernel_names_family(wanted, ids, count);
    OWNED_TEXT members = family ? kernel_names_join(ids, count, family) : NULL;
    if (near)
        error("%s has no kernel '%s'; did you mean %s?", where, wanted, near);
    else if (members)
        error("%s has no kernel '%s'; that family has %s", where, wanted, members);
    else {
        OWNED_TEXT all = kernel_names_join(ids, count, NULL);
        error("%s has no kernel '%s'; it has %s", where, wanted, count > 0 ? all : "none");
    }
    return -1;
}

int kernel_names_find(const char *wanted, const char *const *ids, size_t count, const char *where)
{
    OWNED_TEXT glob = x_strdup(wanted);
    const bool found = ANY(i, count, glob_any(&glob, 1, ids[i]));
    return found ? 0 : say_none(wanted, ids, count, where);
}
