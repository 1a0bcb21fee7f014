#include "source_path.h"

#include "base/base.h"

#include <sys/stat.h>

static bool is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* Returns the rest of the path behind the folder's name and a slash, or NULL. */
static const char *rest_below(const char *path, const char *folder)
{
    const size_t length = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
    return strncmp(path, folder, length) == 0 && path[length] == '/' ? path + length + 1 : NULL;
}

/* Returns the nearest folder, from the path upwards, that is a git checkout, with links resolved; or NULL. Caller
 * frees. */
static char *checkout_around(const char *path)
{
    char *at = realpath(path, NULL);
    while (at) {
        char *git = x_sprintf("%s/.git", at), *slash = strrchr(at, '/');
        const bool found = access(git, F_OK) == 0;
        free(git);
        if (found)
            return at;
        if (slash == at)
            break;
        *slash = '\0';
    }
    free(at);
    return NULL;
}

char *source_tree(const char *library)
{
    char *tree = library ? checkout_around(library) : NULL;
    tree = tree ? tree : checkout_around(".");
    return tree ? tree : realpath(".", NULL);
}

char *source_place_below(const char *path, const char *tree)
{
    OWNED_TEXT whole = *path == '/' ? x_strdup(path) : x_sprintf("%s/%s", tree ? tree : "", path);
    OWNED_TEXT real = tree ? realpath(whole, NULL) : NULL;
    const char *rest = real ? rest_below(real, tree) : NULL;
    const bool is_hidden = rest && (*rest == '.' || strstr(rest, "/."));
    return rest && !is_hidden && is_file(real) ? x_strdup(rest) : NULL;
}

static bool is_below(const char *path, const char *tree)
{
    char *place = source_place_below(path, tree);
    free(place);
    return place != NULL;
}

char *source_name_below(const char *path, const char *tree)
{
    const char *rest = tree ? rest_below(path, tree) : NULL;
    if (rest || *path != '/')
        return x_strdup(rest ? rest : path);
    char *place = source_place_below(path, tree);
    if (place || is_file(path))
        return place ? place : x_strdup(path);
    for (const char *end = strchr(path + 1, '/'); end; end = strchr(end + 1, '/'))
        if (is_below(end + 1, tree))
            return x_strdup(end + 1);
    return x_strdup(path);
}

char *source_name(const char *path, const char *library)
{
    char *tree = source_tree(library), *name = source_name_below(path, tree);
    free(tree);
    return name;
}
