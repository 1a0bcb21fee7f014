#include "line_support.h"
#include "cases.h"

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
