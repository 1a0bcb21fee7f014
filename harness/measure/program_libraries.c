/* The libraries that the program's processes had loaded become a fact of the session. */
#include "program_parts.h"

#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIBRARIES_MAX = 100, LINE_MAX_LENGTH = 300 };

/* Adds the parts of text to a list. The text is cut into them. */
static void add_parts(const char ***list, size_t *count, char *text, const char *between)
{
    char *rest = NULL;
    for (char *part = strtok_r(text, between, &rest); part; part = strtok_r(NULL, between, &rest))
        *ARRAY_GROW(*list, *count) = part + strspn(part, " ");
}

bool program_libraries_take(struct session *session, char *text)
{
    const char **list = NULL;
    size_t count = 0, size = 0;
    char *joined = NULL, *known = x_strdup(session->facts[SESSION_LIBRARIES]);
    bool good = true;
    add_parts(&list, &count, text, "\n;");
    for (size_t i = 0; i < count; i++) {
        const char *identity = strrchr(list[i], ' ');
        text_make_harmless((char *)list[i], ' ');
        good = good && identity && identity > list[i] && identity[1] && strlen(list[i]) <= LINE_MAX_LENGTH;
    }
    if (known)
        add_parts(&list, &count, known, ";");
    FILE *stream = good && count > 0 ? open_memstream(&joined, &size) : NULL;
    if (stream) {
        sort_by_name(list, count, sizeof *list);
        size_t kept = 0;
        for (size_t i = 0; i < count && kept < LIBRARIES_MAX; i++)
            if (i == 0 || strcmp(list[i], list[i - 1]) != 0)
                fprintf(stream, "%s%s", kept++ > 0 ? "; " : "", list[i]);
        fclose(stream);
        free(session->facts[SESSION_LIBRARIES]);
        session->facts[SESSION_LIBRARIES] = joined;
    }
    free(list);
    free(known);
    return good;
}
