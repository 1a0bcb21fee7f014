#include "line_support.h"

#include "base/base.h"

#include <criterion/criterion.h>

struct lines made_lines(enum line_counter counter, const struct made_line *list)
{
    struct lines lines = {.counted = COUNTED(counter)};
    for (const struct made_line *made = list; made->number || made->offset || made->function; made++) {
        struct line *line = ARRAY_GROW(lines.list, lines.count);
        const char *file = made->file ? made->file : "k/a.cu";
        *line = (struct line){
            .function = x_strdup(made->function ? made->function : "f()"),
            .file = made->number ? x_strdup(file) : NULL,
            .number = made->number,
            .offset = made->offset,
            .text = x_strdup(made->text),
        };
        line->counts[counter] = made->count;
    }
    lines_sort(&lines);
    return lines;
}

struct line *line_at(const struct lines *lines, unsigned number)
{
    for (size_t i = 0; i < lines->count; i++)
        if ((lines->list[i].file ? lines->list[i].number : lines->list[i].offset) == number)
            return &lines->list[i];
    cr_assert_fail("there is no line %u", number);
    return NULL;
}
