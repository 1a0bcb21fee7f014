#include "worded.h"
#include "test.h"

struct worded *worded_read(const char *kind, size_t *count)
{
    struct worded *rows = NULL;
    char *rest = NULL;
    OWNED_TEXT text = file_text("tests/data/units.txt");
    *count = 0;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        struct worded row;
        if (*line == '#')
            continue;
        cr_assert_eq(sscanf(line, "%15s %31s %31s = %63[^\n]", row.kind, row.first, row.second, row.text), 4, "%s",
                     line);
        if (strcmp(row.kind, kind) == 0)
            *ARRAY_GROW(rows, *count) = row;
    }
    cr_assert_gt(*count, 0);
    return rows;
}
