/* The libraries that the program's processes had loaded become a fact of the session. */
#include "program_parts.h"

enum { LIBRARIES_MAX = 2000, LINE_MAX_LENGTH = 300 };

/* Adds the parts of text to a list. The text is cut into them. */
static void add_parts(const char ***list, size_t *count, char *text, const char *between)
{
    char *rest = NULL;
    for (char *part = strtok_r(text, between, &rest); part; part = strtok_r(NULL, between, &rest))
        *ARRAY_GROW(*list, *count) = part + strspn(part, " ");
}

void program_libraries_take(struct session *session, char *text)
{
    OWNED_MEMORY const char **list = NULL;
    size_t count = 0, size = 0;
    char *joined = NULL, *known = x_strdup(session->facts[SESSION_LIBRARIES]);
    add_parts(&list, &count, text, "\n;");
    size_t good = 0; /* what is none of ours to refuse, such as an odd version, is left out */
    for (size_t i = 0; i < count; i++) {
        const char *identity = strrchr(list[i], ' ');
        text_make_harmless((char *)list[i], ' ');
        if (identity && identity > list[i] && identity[1] && strlen(list[i]) <= LINE_MAX_LENGTH)
            list[good++] = list[i];
    }
    count = good;
    if (known)
        add_parts(&list, &count, known, ";");
    FILE *stream = count > 0 ? open_memstream(&joined, &size) : NULL;
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
    free(known);
}
