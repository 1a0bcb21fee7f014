/* Kernels in many shapes are one kernel. A function that is launched in hundreds of grids, most of them once, has one
 * row for each of its blocks and codes: with its launches, their time and the range of its grids, and without counters.
 * The baseline says which: shapes that it has stay apart, and a function that it has as one stays one. */
#include "program_parts.h"

/* Whether the group is a shape, without a row of its own in the baseline, of the same function with the same block. */
static bool is_other_shape(const struct program_group *group, const struct program_group *of)
{
    const struct launch *a = &group->launches[0].launch, *b = &of->launches[0].launch;
    return !group->apart && !group->graph && group->wanted && strcmp(a->function, b->function) == 0 &&
           memcmp(a->block, b->block, sizeof a->block) == 0 && order_of_texts(a->code, b->code) == 0;
}

/* Whether the baseline has the function of the group: in that shape, or in all of them as one. */
static bool is_in(const struct run *baseline, const char *family, const struct program_group *group, bool as_one)
{
    const struct launch *launch = &group->launches[0].launch;
    const size_t length = strlen(family);
    for (size_t i = 0; baseline && i < baseline->result_count; i++) {
        const struct result *result = &baseline->results[i];
        const struct launch *known = result->launches;
        const bool same = as_one || (result->launch_count == 1 && known->shared == launch->shared &&
                                     memcmp(known->grid, launch->grid, sizeof known->grid) == 0);
        if (same && result->launch_count > 0 && program_is_of_shapes(result->id) == as_one &&
            strncmp(result->id, family, length) == 0 && result->id[length] == '/' &&
            strcmp(known->function, launch->function) == 0 &&
            memcmp(known->block, launch->block, sizeof known->block) == 0)
            return true;
    }
    return false;
}

/* The launches of the group of all shapes are that with the smallest grid and that with the largest. */
static void widen(struct program_group *one, const struct launch *launch)
{
    const size_t blocks = (size_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    for (size_t i = 0; i < one->count; i++) {
        struct launch *end = &one->launches[i].launch;
        const size_t most = (size_t)end->grid[0] * end->grid[1] * end->grid[2];
        if (i == 0 ? blocks < most : blocks > most)
            memcpy(end->grid, launch->grid, sizeof end->grid);
    }
}

static struct program_group *make_one(struct program_groups *groups, const struct program_group *like,
                                      const char *family)
{
    struct program_group *one = x_calloc(1, sizeof *one);
    while (one->count < 2) {
        struct program_launch *launch = ARRAY_GROW(one->launches, one->count);
        *launch = like->launches[0];
        launch->launch.function = x_strdup(launch->launch.function);
        launch->launch.code = x_strdup(launch->launch.code);
        launch->launch.mix = x_strdup(launch->launch.mix);
        launch->module = x_strdup(launch->module);
    }
    one->one = one;
    one->wanted = one->known = true;
    one->question = x_strdup("");
    one->share_count = like->share_count;
    one->shares = x_calloc(one->share_count, sizeof *one->shares);
    program_group_add(groups, one, family);
    return one;
}

struct program_group *program_shapes_take(struct program_groups *groups, struct program_group *group,
                                          const char *family)
{
    struct program_group *one = NULL;
    size_t shapes = 0;
    if (group->one)
        return group->one;
    group->apart =
        groups->keeps_shapes || group->graph || !group->wanted || is_in(groups->baseline, family, group, false);
    if (group->apart)
        return group;
    for (size_t g = 0; g < groups->count; g++) {
        const bool is_other = is_other_shape(groups->list[g], group);
        shapes += is_other;
        one = is_other && groups->list[g]->one ? groups->list[g]->one : one;
    }
    if (!one && shapes <= PROGRAM_SHAPES && !is_in(groups->baseline, family, group, true))
        return group;
    one = one ? one : make_one(groups, group, family);
    for (size_t g = 0; g < groups->count; g++)
        if (is_other_shape(groups->list[g], group) && groups->list[g] != one) {
            groups->list[g]->one = one;
            widen(one, &groups->list[g]->launches[0].launch);
        }
    return one;
}

void program_shapes_forget(const struct program_groups *groups, struct run *run)
{
    for (size_t g = 0; g < groups->count; g++) {
        const struct program_group *group = groups->list[g];
        const bool is_counted = !group->one || (group->one != group && group->times > 0);
        struct result *result = is_counted ? NULL : run_find(run, group->id);
        if (!result)
            continue;
        result_release(result);
        memmove(result, result + 1, (size_t)(run->results + --run->result_count - result) * sizeof *result);
    }
}
