/* Errors that say where. They are in a file of their own, which needs no Jansson: see json_fields.h. */
#include "json_read.h"

#include "error.h"

static size_t print_at(const struct json_at *at, char *text, size_t size)
{
    size_t used = at->above ? print_at(at->above, text, size) : 0;
    if (used >= size)
        return used;
    const char *gap = !at->above ? "" : !at->above->above ? ": " : "/";
    int added = at->key ? snprintf(text + used, size - used, "%s%s", gap, at->key)
                        : snprintf(text + used, size - used, "%s%zu", gap, at->index);
    return used + (size_t)added;
}

int json_error(const struct json_at *at, const char *format, ...)
{
    char where[1200];
    char what[512];
    print_at(at, where, sizeof where);
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    return error("%s: %s", where, what);
}
