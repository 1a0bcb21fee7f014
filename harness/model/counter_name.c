#include "counter_name.h"

#define BLANKS " \t"

struct counter_name counter_split(const char *text)
{
    static const char sass[] = "__sass_";
    struct counter_name name = {.text = text, .length = strcspn(text, BLANKS), .base = strcspn(text, "." BLANKS)};
    const char *unit_end = strstr(text, "__");
    name.instrumented = unit_end && unit_end < text + name.base && strncmp(unit_end, sass, strlen(sass)) == 0;
    return name;
}

bool counter_next(const char **rest, struct counter_name *name)
{
    *name = counter_split(*rest + strspn(*rest, BLANKS));
    *rest = name->text + name->length;
    return name->length > 0;
}

bool metric_has_counter(const struct metric *metric, const char *counter)
{
    struct counter_name name;
    for (const char *rest = metric->counter; counter_next(&rest, &name);)
        if (name.length == strlen(counter) && strncmp(name.text, counter, name.length) == 0)
            return true;
    return false;
}

bool metric_is_instrumented(const struct metric *metric)
{
    const char *rest = metric->counter;
    struct counter_name name;
    while (counter_next(&rest, &name))
        if (name.instrumented)
            return true;
    return false;
}

bool metric_may_be_known(const struct metric *metric)
{
    return metric->follows || metric_is_instrumented(metric);
}
