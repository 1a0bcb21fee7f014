#include "points.h"

#include "error.h"

#include <errno.h>
#include <fnmatch.h>

#define LETTERS "abcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"

/* ---- AXIS=VALUE ---- */

static size_t axis_length(const char *text)
{
    return *text >= 'a' && *text <= 'z' ? strspn(text, LETTERS DIGITS "_") : 0;
}

static size_t value_length(const char *text)
{
    return strspn(text, LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZ" DIGITS "_.+-");
}

/* Returns how a value is written: a whole number that 1024 divides with K, M or G, anything else unchanged. Caller
 * frees. */
static char *value_label(const char *value, size_t length)
{
    char *label = x_sprintf("%.*s", (int)length, value), *end;
    errno = 0;
    long long number = strtoll(label, &end, 10);
    const size_t digits = strspn(label + (*label == '-'), DIGITS);
    static const char suffixes[] = "KMG";
    const char *suffix = *end ? strchr(suffixes, *end) : NULL;
    const size_t given = suffix ? (size_t)(suffix - suffixes) + 1 : 0;
    if (digits == 0 || errno != 0 || number == 0 || *(end + (given > 0)))
        return label;
    size_t thousands = given;
    while (thousands < 3 && number % 1024 == 0) {
        number /= 1024;
        thousands++;
    }
    if (thousands == given)
        return label;
    free(label);
    return x_sprintf("%lld%c", number, suffixes[thousands - 1]);
}

size_t point_length(const char *text)
{
    size_t length = 0;
    for (;;) {
        const size_t axis = axis_length(text + length);
        const size_t value = axis > 0 && text[length + axis] == '=' ? value_length(text + length + axis + 1) : 0;
        if (value == 0)
            return 0;
        length += axis + 1 + value;
        if (text[length] != ',')
            return length;
        length++;
    }
}

size_t point_begin(const char *id)
{
    const size_t length = strlen(id);
    const char *bracket = length > 0 && id[length - 1] == ']' ? strrchr(id, '[') : NULL;
    return bracket ? (size_t)(bracket - id) : length;
}

/* ---- Checking the points of a library ---- */

/* Returns what is wrong with one AXIS=VALUE, or NULL; `before` is the one before it, or NULL. Caller frees. */
static char *fault_of(const char *item, size_t length, const char *before)
{
    const size_t axis = axis_length(item);
    if (axis == 0 || axis >= length || item[axis] != '=')
        return x_strdup("it is not of the form AXIS=VALUE,AXIS=VALUE with axes of [a-z][a-z0-9_]*");
    const char *value = item + axis + 1;
    const size_t value_size = length - axis - 1;
    if (value_size == 0)
        return x_sprintf("the axis %.*s has no value: give it at least one", (int)axis, item);
    if (value_length(value) < value_size)
        return x_sprintf("the value on the axis %.*s has a character other than letters, digits and _ . + -", (int)axis,
                         item);
    if (before) {
        const size_t other = axis_length(before);
        const int order = strncmp(before, item, other < axis ? other : axis);
        if (order == 0 && other == axis)
            return x_sprintf("the axis %.*s occurs twice", (int)axis, item);
        if (order > 0 || (order == 0 && other > axis))
            return x_strdup("its axes are not in alphabetical order");
    }
    char *label = value_label(value, value_size), *fault = NULL;
    if (strlen(label) != value_size || strncmp(label, value, value_size) != 0)
        fault = x_sprintf("the value on the axis %.*s has to be written %s", (int)axis, item, label);
    free(label);
    return fault;
}

char *point_fault(const char *text)
{
    enum { LONGEST = 50 }; /* limit of a point: with names of 100 characters each, an id still fits into a run file */
    char *fault = strlen(text) > LONGEST ? x_sprintf("it has more than %d characters", LONGEST) : NULL;
    const char *before = NULL;
    for (const char *item = text; !fault;) {
        const size_t length = strcspn(item, ",");
        fault = fault_of(item, length, before);
        if (item[length] == '\0')
            break;
        before = item;
        item += length + 1;
    }
    return fault;
}

/* ---- Patterns ---- */

const char *point_pattern(const char *pattern)
{
    const size_t begin = point_begin(pattern);
    return pattern[begin] && strchr(pattern + begin, '=') ? pattern + begin : NULL;
}

/* Returns the value of a point on that axis, or NULL. */
static const char *value_at(const char *point, const char *axis, size_t length)
{
    for (const char *item = point; item; item = strchr(item, ',') ? strchr(item, ',') + 1 : NULL)
        if (axis_length(item) == length && strncmp(item, axis, length) == 0)
            return item + length + 1;
    return NULL;
}

static bool item_matches(const char *item, size_t length, const char *point)
{
    const size_t axis = axis_length(item);
    const char *found = axis > 0 && axis < length && item[axis] == '=' ? value_at(point, item, axis) : NULL;
    if (!found)
        return false;
    OWNED_TEXT wanted = value_label(item + axis + 1, length - axis - 1);
    OWNED_TEXT value = x_sprintf("%.*s", (int)value_length(found), found);
    return fnmatch(wanted, value, 0) == 0;
}

bool point_matches(const char *pattern, const char *point)
{
    for (const char *item = pattern + 1;;) {
        const size_t length = strcspn(item, ",]");
        if (!item_matches(item, length, point))
            return false;
        if (item[length] != ',')
            return true;
        item += length + 1;
    }
}
