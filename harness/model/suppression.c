#include "suppression.h"

#include "base/base.h"

enum { FILE_LIMIT = 1 << 20 };

const char *const suppressed_kinds[SUPPRESS_KINDS] = {"race", "stream-race", "uninitialized", "out-of-bounds"};

static int read_line(struct suppressions *suppressions, struct ini_text *text, char *line)
{
    static const char blanks[] = " \t\r";
    char *rest = NULL;
    const char *kind = strtok_r(line, blanks, &rest), *function = strtok_r(NULL, blanks, &rest);
    size_t k = 0;
    if (!kind || *kind == '#')
        return 0;
    while (k < SUPPRESS_KINDS && strcmp(kind, suppressed_kinds[k]) != 0)
        k++;
    if (k == SUPPRESS_KINDS)
        return ini_text_unknown(text, "kind of fault", kind, suppressed_kinds, SUPPRESS_KINDS);
    rest += function ? strspn(rest, blanks) : 0;
    if (!function || !*rest)
        return ini_text_wrong(text, text->line,
                              "%s is missing: write KIND FUNCTION REASON, for example: race scan* issue 12",
                              function ? "the reason" : "the function");
    *ARRAY_GROW(suppressions->list, suppressions->count) = (struct suppression){
        .kind = (enum suppressed_kind)k, .function = x_strdup(function), .reason = x_strdup(rest), .line = text->line};
    return 0;
}

int suppressions_read(struct suppressions *suppressions, const char *path)
{
    OWNED_TEXT content = NULL;
    size_t length;
    *suppressions = (struct suppressions){.path = path};
    TRY(file_read(path, FILE_LIMIT, &content, &length));
    struct ini_text text;
    ini_text_init(&text, path, content);
    for (const char *line; (line = ini_text_next(&text, &length));) {
        OWNED_TEXT copy = x_sprintf("%.*s", (int)length, line);
        if (read_line(suppressions, &text, copy) < 0)
            break;
    }
    if (text.failed)
        suppressions_release(suppressions);
    return text.failed ? -1 : 0;
}

void suppressions_say(const struct suppressions *suppressions)
{
    EACH(const struct suppression, row, suppressions->list, suppressions->count) {
        OWNED_TEXT what =
            x_sprintf("%s:%d: %s in %s", suppressions->path, row->line, suppressed_kinds[row->kind], row->function);
        if (row->launches > 0)
            remark("%s: suppressed in %zu launch%s: %s", what, row->launches, row->launches == 1 ? "" : "es",
                   row->reason);
        else
            warning("no fault matched %s: remove the line, or correct its function", what);
    }
}

void suppressions_release(struct suppressions *suppressions)
{
    for (size_t i = 0; i < suppressions->count; i++) {
        free(suppressions->list[i].function);
        free(suppressions->list[i].reason);
    }
    free(suppressions->list);
    *suppressions = (struct suppressions){0};
}
