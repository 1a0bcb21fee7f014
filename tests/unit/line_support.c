#include "line_support.h"
#include "test.h"

struct profile made_lines(enum line_counter counter, const struct made_line *list)
{
    struct profile profile = {.counted = COUNTED(counter)};
    for (const struct made_line *made = list; made->number || made->offset || made->function; made++) {
        struct profile_line *line = ARRAY_GROW(profile.list, profile.count);
        const char *file = made->file ? made->file : "k/a.cu";
        *line = (struct profile_line){
            .function = x_strdup(made->function ? made->function : "f()"),
            .file = made->number ? x_strdup(file) : NULL,
            .number = made->number,
            .offset = made->offset,
            .text = x_strdup(made->text),
        };
        line->counts[counter] = made->count;
    }
    profile_sort(&profile);
    return profile;
}

struct profile_line *line_at(const struct profile *profile, unsigned number)
{
    for (size_t i = 0; i < profile->count; i++)
        if ((profile->list[i].file ? profile->list[i].number : profile->list[i].offset) == number)
            return &profile->list[i];
    cr_assert_fail("there is no line %u", number);
    return NULL;
}
