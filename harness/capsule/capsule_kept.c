/* Variables of machine code that took the place of the program's. The program left nothing in them, so no launch may
 * find there what an earlier one left: they are set back before each, and compared after it. */
#include "replay_parts.h"

struct kept {
    const void *module;
    char *name;
    uint64_t address, size;
    unsigned char *bytes; /* as the loader made them */
};

/* Variables that nobody can ask for by name, as those of the compiler's, cannot be kept. */
static int keep(struct player *player, void *module, const char *name, struct problem *problem)
{
    struct problem unknown;
    struct kept kept = {.module = module};
    if (player->device->variable(module, name, &kept.address, &kept.size, &unknown) < 0 || kept.size == 0)
        return 0;
    kept.name = x_strdup(name);
    kept.bytes = x_calloc(kept.size, 1);
    *ARRAY_GROW(player->kept, player->kept_count) = kept;
    return player->device->read(kept.bytes, kept.address, (size_t)kept.size, problem);
}

int player_keep(struct player *player, const unsigned char *code, size_t size, void *module, struct problem *problem)
{
    if (ANY(i, player->kept_count, player->kept[i].module == module))
        return 0;
    struct relocations *relocations = relocations_open(code, size);
    OWNED_MEMORY char **names = NULL;
    size_t count = 0;
    int failed = 0;
    if (!writable_variables(relocations, &names, &count))
        failed = problem_set(
            problem, "the machine code has unnamed device memory, where one launch could leave a result for the next");
    for (size_t i = 0; i < count; i++) {
        if (failed == 0)
            failed = keep(player, module, names[i], problem);
        free(names[i]);
    }
    relocations_close(relocations);
    return failed;
}

void player_forget(struct player *player)
{
    for (size_t i = 0; i < player->kept_count; i++) {
        free(player->kept[i].name);
        free(player->kept[i].bytes);
    }
    free(player->kept);
}

/* Whether it is a variable of that module, and none of the capsule, whose memory is restored and compared itself. */
static bool is_own(const struct kept *kept, const struct capsule *capsule, const void *module)
{
    return kept->module == module &&
           !ANY(i, capsule->range_count,
                capsule->ranges[i].kind == MEMORY_VARIABLE && strcmp(capsule->ranges[i].variable, kept->name) == 0);
}

int player_set_back(const struct player *player, const struct capsule *capsule, const void *module,
                    struct problem *problem)
{
    EACH(const struct kept, kept, player->kept, player->kept_count)
        if (is_own(kept, capsule, module) &&
            player->device->write(kept->address, kept->bytes, (size_t)kept->size, problem) < 0)
            return -1;
    return 0;
}

int player_compare_kept(const struct player *player, const struct capsule *capsule, const void *module, char *why,
                        size_t why_size, struct problem *problem)
{
    int differs = 0;
    for (size_t i = 0; i < player->kept_count && differs == 0; i++) {
        const struct kept *kept = &player->kept[i];
        if (!is_own(kept, capsule, module))
            continue;
        OWNED_MEMORY unsigned char *now = x_calloc(kept->size, 1);
        if (player->device->read(now, kept->address, (size_t)kept->size, problem) < 0)
            differs = -1;
        else if (memcmp(now, kept->bytes, kept->size) != 0) {
            snprintf(why, why_size,
                     "a launch leaves data for the next one in %s, a variable that the reference does not have",
                     kept->name);
            differs = 1;
        }
    }
    return differs;
}
