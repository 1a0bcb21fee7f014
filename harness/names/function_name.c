#include "function_name.h"

#include "base/base.h"

/* Returns the index at which the brackets begin that end the part; the part's length when it ends with none. */
static size_t brackets_at(struct name_part part, char open, char close)
{
    size_t depth = 0, at = part.length;
    if (at == 0 || part.text[at - 1] != close)
        return part.length;
    do {
        at--;
        depth += part.text[at] == close;
        depth -= part.text[at] == open;
    } while (depth > 0 && at > 0);
    return depth == 0 ? at : part.length;
}

struct name_part function_name(const char *function)
{
    struct name_part name = {function, strlen(function)};
    name.length = brackets_at(name, '(', ')');
    if (name.length > 5 && strncmp(name.text, "void ", 5) == 0)
        name = (struct name_part){name.text + 5, name.length - 5};
    return name;
}

struct name_part function_template(const char *function)
{
    struct name_part name = function_name(function);
    name.length = brackets_at(name, '<', '>');
    return name;
}

struct name_part function_parameters(const char *function)
{
    const struct name_part whole = {function, strlen(function)};
    const size_t at = brackets_at(whole, '(', ')');
    return (struct name_part){function + at, whole.length - at};
}

bool name_part_is_same(struct name_part a, struct name_part b)
{
    return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

/* ---- Architectures ---- */

void function_forget_architectures(char *name)
{
    for (char *at = name; (at = strstr(at, "CUB_"));) {
        at += strlen("CUB_");
        at += strspn(at, "0123456789");
        if (strncmp(at, "_SM_", 4) == 0) {
            const char *rest = at + 4 + strspn(at + 4, "0123456789_");
            memmove(at, rest, strlen(rest) + 1);
        }
    }
}

bool function_is_same(const char *a, const char *b)
{
    char *names[] = {x_strdup(a), x_strdup(b)};
    function_forget_architectures(names[0]);
    function_forget_architectures(names[1]);
    const bool same = strcmp(names[0], names[1]) == 0;
    free(names[0]);
    free(names[1]);
    return same;
}
