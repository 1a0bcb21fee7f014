/* Apart from names.c, which goes into programs of others (the room inject) and is to bring no library with it. */
#include "names.h"

#include "error.h"

#include <limits.h>
#include <xxhash.h>

/* The longest part: the name of its temporary file (files.c) must not exceed a file system's limit either. */
enum { PART_MAX = NAME_MAX - sizeof ".json.cugate-999.tmp" };

/* Makes one part of a path; see id_path. Caller frees. */
static char *part_path(const char *part, size_t length)
{
    if (length <= PART_MAX && name_length(part) >= length)
        return x_sprintf("%.*s", (int)length, part);
    OWNED_TEXT whole = x_sprintf("%.*s", (int)length, part), *short_part = slug(whole);
    return x_sprintf("%.60s.%08x", short_part, (unsigned)XXH3_64bits(part, length));
}

char *id_path(const char *id)
{
    const size_t family = strcspn(id, "/");
    char *parts[] = {part_path(id, family), part_path(id + family + 1, strlen(id + family + 1))};
    char *path = x_sprintf("%s/%s", parts[0], parts[1]);
    free(parts[0]);
    free(parts[1]);
    return path;
}
