/* Which launches of a program are kept as capsules, after its first run. */
#include "program_parts.h"

/* Of the group's launches that one, from 1; 0: none, and the group says why. */
static size_t pick(struct program_group *group, size_t asked)
{
    if (group->graph)
        group->refused = x_strdup("it is launched in a graph, whose kernels cannot be distinguished");
    else if (!group->image)
        group->refused = group->refused
                             ? group->refused
                             : x_strdup("its machine code is unknown: several modules have a function of that name");
    else if (asked > group->most)
        group->refused = x_sprintf("it has only %zu launch%s, so there is no launch %zu", group->most,
                                   plural_of(group->most, "", "es"), asked);
    else
        return asked > 0 ? asked : group->most / 2 + 1;
    return 0;
}

size_t program_pick(struct program_groups *groups, size_t asked)
{
    size_t picked = 0;
    for (size_t g = 0; g < groups->count; g++) {
        struct program_group *group = groups->list[g];
        if (group->wanted && group->most > 0)
            group->pick = pick(group, asked);
        picked += group->pick > 0;
    }
    return picked;
}

char *program_pick_answer(const struct program_group *group, const char *folder)
{
    size_t size = 0;
    if (group->pick == 0 || !group->image)
        return x_sprintf("0 0 0 0 %s", group->id);
    OWNED_TEXT image = program_image_read(folder, group->image, &size);
    OWNED_TEXT variables = image ? cubin_variables(group->image, image, size) : NULL;
    return x_sprintf("%zu 1 1 0 %s\n%s", group->pick - 1, group->id, variables ? variables : "");
}
