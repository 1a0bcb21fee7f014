#include "csv.h"

#include "base/base.h"

int csv_open(struct csv *csv, const char *name, const char *text, size_t length)
{
    *csv = (struct csv){.name = name, .line = 1};
    if (memchr(text, '\0', length))
        return error("%s contains a NUL byte: it is not a text file", name);
    csv->text = csv->rest = x_calloc(length + 1, 1);
    memcpy(csv->text, text, length);
    return 0;
}

void csv_release(struct csv *csv)
{
    free(csv->text);
    free(csv->fields);
    *csv = (struct csv){0};
}

bool csv_has_more(const struct csv *csv)
{
    return *csv->rest;
}

void csv_skip_line(struct csv *csv)
{
    csv->rest += strcspn(csv->rest, "\n");
    csv->line += *csv->rest == '\n';
    csv->rest += *csv->rest == '\n';
}

/* Parses a quoted field and unpacks it in place. What remains begins behind the closing quote. */
static int read_quoted(struct csv *csv)
{
    const size_t line = csv->line;
    char *to = ++csv->rest;
    for (;; csv->rest++) {
        if (csv->rest[0] == '"' && csv->rest[1] == '"')
            csv->rest++;
        else if (csv->rest[0] == '"')
            break;
        else if (!csv->rest[0])
            return error("%s:%zu: a quote is not closed", csv->name, line);
        csv->line += *csv->rest == '\n';
        *to++ = *csv->rest;
    }
    csv->rest++;
    if (*csv->rest && !strchr(",\r\n", *csv->rest))
        return error("%s:%zu: a quote ends in the middle of a field", csv->name, csv->line);
    *to = '\0';
    return 0;
}

int csv_read(struct csv *csv)
{
    csv->count = 0;
    for (;;) {
        const bool quoted = *csv->rest == '"';
        *ARRAY_GROW(csv->fields, csv->count) = csv->rest + quoted;
        if (quoted && read_quoted(csv) < 0)
            return -1;
        if (!quoted)
            csv->rest += strcspn(csv->rest, ",\r\n");
        const char end = *csv->rest;
        if (end)
            *csv->rest++ = '\0';
        if (end == '\r' && *csv->rest == '\n')
            csv->rest++;
        csv->line += end == '\r' || end == '\n';
        if (end != ',')
            return 0;
    }
}
