/* Which kernels an explanation is of, and what is said when there are none. */
#include "explain.h"

#include <stdlib.h>
#include <string.h>

#define NAMES_SHOWN 5

/* "a, b, c and 8 more": those of the names that match the glob. Caller frees. */
static char *join_names(const char *const *names, size_t count, char *glob)
{
    char *joined = x_strdup("");
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        if (!glob_any(&glob, 1, names[i]) || ++found > NAMES_SHOWN)
            continue;
        char *longer = x_sprintf("%s%s%s", joined, found > 1 ? ", " : "", names[i]);
        free(joined);
        joined = longer;
    }
    if (found > NAMES_SHOWN) {
        char *longer = x_sprintf("%s and %zu more", joined, found - NAMES_SHOWN);
        free(joined);
        joined = longer;
    }
    return joined;
}

/* The family that was probably meant, as a glob: of "reduce", of "reduce/no_such", of a slip in it. NULL when none is
 * near. Caller frees. */
static char *near_family(const char *wanted, const char *const *names, size_t count)
{
    char **families = x_calloc(count, sizeof *families);
    char *family = x_sprintf("%.*s", (int)strcspn(wanted, "/"), wanted);
    for (size_t i = 0; i < count; i++)
        families[i] = x_sprintf("%.*s", (int)strcspn(names[i], "/"), names[i]);
    const char *near = nearest_name(family, (const char *const *)families, count);
    char *glob = near ? x_sprintf("%s/*", near) : NULL;
    for (size_t i = 0; i < count; i++)
        free(families[i]);
    free(families);
    free(family);
    return glob;
}

static int say_none(const char *wanted, const char *const *names, size_t count, const char *where)
{
    const char *near = strchr(wanted, '/') && !strpbrk(wanted, "*?[") ? nearest_name(wanted, names, count) : NULL;
    char *family = near ? NULL : near_family(wanted, names, count);
    char *members = family ? join_names(names, count, family) : NULL;
    if (near)
        error("%s has no kernel '%s'; did you mean %s?", where, wanted, near);
    else if (members)
        error("%s has no kernel '%s'; of that family it has %s", where, wanted, members);
    else
        error("%s has no kernel '%s'; `cugate list` shows those of a library", where, wanted);
    free(members);
    free(family);
    return -1;
}

int explain_find(const char *wanted, const char *const *names, size_t count, const char *where)
{
    char *glob = x_strdup(wanted);
    bool found = false;
    for (size_t i = 0; i < count && !found; i++)
        found = glob_any(&glob, 1, names[i]);
    free(glob);
    return found ? 0 : say_none(wanted, names, count, where);
}
