#include "line_support.h"
#include "cases.h"

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

void expect_hotspots(const struct hotspot *hotspots, size_t count, size_t first)
{
    CHECK(count == word_count - first, "%zu lines", count);
    for (size_t i = 0; i < count && i < word_count - first; i++) {
        const struct hotspot *one = &hotspots[i];
        OWNED_TEXT is = x_sprintf("%u:%g", one->line->number, one->amount);
        if (one->has_base)
            x_append(&is, "", ":%g", one->base_amount);
        if (one->base)
            x_append(&is, "", "@%u", one->base->number);
        CHECK(strcmp(is, word(first + i)) == 0, "line %zu is %s, not %s", i, is, word(first + i));
    }
}
