#include "names.h"

#include "error.h"
#include "points.h"

#include <fnmatch.h>
#include <stdint.h>

size_t name_index(const char *name, const char *const *names, size_t count)
{
    return FIRST(k, count, strcmp(names[k], name) == 0);
}

bool name_is_one_of(const char *name, const char *list)
{
    const char *at = strstr(list, name);
    while (at && (at[-1] != ' ' || at[strlen(name)] != ' '))
        at = strstr(at + 1, name);
    return at != NULL;
}

size_t name_length(const char *text)
{
    return strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");
}

static size_t id_part_length(const char *text)
{
    static const char marks[] = "abcdefghijklmnopqrstuvwxyz0123456789_ABCDEFGHIJKLMNOPQRSTUVWXYZ" ID_MARKS;
    return *text && !strchr(ID_MARKS, *text) ? strspn(text, marks) : 0;
}

size_t id_length(const char *text)
{
    const size_t family = id_part_length(text);
    const size_t variant = text[family] == '/' ? id_part_length(text + family + 1) : 0;
    const size_t length = family > 0 && variant > 0 ? family + 1 + variant : 0;
    const size_t point = length > 0 && text[length] == '[' ? point_length(text + length + 1) : 0;
    return point > 0 && text[length + 1 + point] == ']' ? length + point + 2 : length;
}

/* Matches a glob as a shell does, except for points: a glob without a point matches all points of what it names. */
static bool glob_one(const char *glob, const char *text)
{
    const size_t begin = point_begin(text);
    const char *points = point_pattern(glob);
    if (!points && !text[begin])
        return fnmatch(glob, text, 0) == 0;
    if (points && !text[begin])
        return false;
    OWNED_TEXT name = x_sprintf("%.*s", (int)begin, text);
    OWNED_TEXT name_glob = x_sprintf("%.*s", points ? (int)(points - glob) : (int)strlen(glob), glob);
    OWNED_TEXT point = x_sprintf("%.*s", (int)(strlen(text + begin) - 2), text + begin + 1);
    return fnmatch(name_glob, name, 0) == 0 && (!points || point_matches(points, point));
}

bool glob_any(char *const *globs, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++)
        if (glob_one(globs[i], text))
            return true;
    return count == 0;
}

char *slug(const char *text)
{
    char *out = x_calloc(strlen(text) + 1, 1);
    size_t length = 0;
    for (; *text; text++) {
        char c = *text;
        if (c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            out[length++] = c;
        else if (length > 0 && out[length - 1] != '-')
            out[length++] = '-';
    }
    if (length > 0 && out[length - 1] == '-')
        out[length - 1] = '\0';
    return out;
}

/* Returns how many insertions, deletions, replacements and swaps of neighbours turn a into b (optimal string
 * alignment). It is SIZE_MAX when the lengths differ too much for a typing error. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t rows[3][64];
    size_t *older = rows[0];
    size_t *old = rows[1];
    size_t *new = rows[2];
    size_t length = strlen(b);
    if (length >= ARRAY_SIZE(rows[0]) || strlen(a) >= ARRAY_SIZE(rows[0]))
        return SIZE_MAX;
    for (size_t j = 0; j <= length; j++)
        old[j] = j;
    for (size_t i = 0; a[i]; i++) {
        new[0] = i + 1;
        for (size_t j = 0; j < length; j++) {
            size_t best = old[j] + (a[i] != b[j]);
            if (old[j + 1] + 1 < best)
                best = old[j + 1] + 1;
            if (new[j] + 1 < best)
                best = new[j] + 1;
            if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] && older[j - 1] + 1 < best)
                best = older[j - 1] + 1;
            new[j + 1] = best;
        }
        size_t *spare = older;
        older = old;
        old = new;
        new = spare;
    }
    return old[length];
}

const char *nearest_name(const char *text, const char *const *names, size_t count)
{
    const char *nearest = NULL;
    size_t length = strlen(text);
    size_t bound = length / 3 + 2; /* limit: with more edits, or half of a short word changed, it is another word */
    if (bound > (length + 1) / 2)
        bound = (length + 1) / 2;
    for (size_t i = 0; i < count; i++) {
        size_t distance = edit_distance(text, names[i]);
        if (distance < bound) {
            bound = distance;
            nearest = names[i];
        }
    }
    return nearest;
}
