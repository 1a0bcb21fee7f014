/* The addresses of the capsules of a file in this process: held from its beginning, then reserved by the device, and
 * backed by memory while a replay needs them. */

#include "replay_parts.h"

#include <inttypes.h>
#include <sys/mman.h>

#define BLOCK ((uint64_t)32 << 20)  /* CUDA reserves addresses in such blocks */
#define UNIT ((uint64_t)2 << 20)    /* and backs them in such ones */
#define NEAR ((uint64_t)16 << 30)   /* a guess at most of what the driver maps when it starts */
#define HIGHEST ((uint64_t)1 << 47) /* addresses of processes and GPUs are below it */

/* ---- Stretches ---- */

ORDER_BY(by_begin, struct stretch, begin)

/* Adds the ranges of a capsule, rounded to multiples of a unit. */
static void add_ranges(struct stretch **list, size_t *count, const struct capsule *capsule, enum memory_kind kind,
                       uint64_t unit)
{
    EACH(const struct memory_range, range, capsule->ranges, capsule->range_count)
        if ((range->kind == MEMORY_SCRATCH ? MEMORY_DEVICE : range->kind) == kind && range->size > 0)
            *ARRAY_GROW(*list, *count) =
                (struct stretch){range->address / unit * unit, (range->address + range->size + unit - 1) / unit * unit};
}

/* Sorts stretches, and makes one of those that overlap or touch. */
static void merge(struct stretch *list, size_t *count)
{
    size_t merged = 0;
    SORT(list, *count, by_begin);
    for (size_t i = 0; i < *count; i++) {
        if (merged > 0 && list[i].begin <= list[merged - 1].end)
            list[merged - 1].end = list[i].end > list[merged - 1].end ? list[i].end : list[merged - 1].end;
        else
            list[merged++] = list[i];
    }
    *count = merged;
}

/* ---- Holding ---- */

static void *pointer_to(uint64_t address)
{
    return (void *)(uintptr_t)address; /* NOLINT(performance-no-int-to-ptr) */
}

/* Says what this process has at these addresses: the file that is mapped there, or what the kernel calls it. */
static void name_occupant(const struct stretch *stretch, char *name, size_t size)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[512];
    snprintf(name, size, "other memory");
    while (maps && fgets(line, sizeof line, maps)) {
        uint64_t begin, end;
        int path = 0;
        /* NOLINTNEXTLINE(cert-err34-c): a wrong line is no place of any memory */
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*s %*s %*s %n", &begin, &end, &path) < 2 || path == 0 ||
            end <= stretch->begin || begin >= stretch->end)
            continue;
        line[strcspn(line, "\n")] = '\0';
        if (line[path])
            snprintf(name, size, "%s", line + path);
        break;
    }
    if (maps)
        fclose(maps);
}

static int hold(const struct stretch *stretch, const char *path, struct problem *problem)
{
    void *wanted = pointer_to(stretch->begin);
    const size_t size = stretch->end - stretch->begin;
    void *mapped =
        mmap(wanted, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (mapped == wanted)
        return 0;
    if (mapped != MAP_FAILED) /* by a kernel that does not know the flag */
        munmap(mapped, size);
    char occupant[256];
    name_occupant(stretch, occupant, sizeof occupant);
    return problem_set(
        problem,
        "%s needs the addresses 0x%" PRIx64 " to 0x%" PRIx64
        ", but this process has %s there; run the command again, because addresses differ between processes",
        path, stretch->begin, stretch->end, occupant);
}

static void release(const struct stretch *stretch)
{
    munmap(pointer_to(stretch->begin), stretch->end - stretch->begin);
}

/* Holds what follows a block too, where it is free. CUDA asks for more addresses than it keeps, so as to begin at a
 * multiple of 32 MiB: without free ones behind them it reserves others. */
static void hold_behind(struct player *player, const struct stretch *block)
{
    struct problem ignored;
    const struct stretch behind = {block->end, block->end + BLOCK};
    if (hold(&behind, "", &ignored) == 0)
        *ARRAY_GROW(player->behind, player->behind_count) = behind;
}

/* Whether a block is where the kernel puts what this process maps next, below its libraries. A driver that starts maps
 * memory of its own, and that is when the blocks are no longer held: it takes those that were held for taken. */
static int check_next(const struct player *player, struct problem *problem)
{
    void *next = mmap(NULL, NEAR, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    const uint64_t below = (uintptr_t)next, libraries = (uintptr_t)stderr; /* which is in that of C */
    if (next == MAP_FAILED) /* the address space is limited: nobody knows what comes where */
        return 0;
    munmap(next, NEAR);
    for (size_t i = 0; i < player->block_count; i++)
        if (player->blocks[i].begin > below && player->blocks[i].begin < libraries)
            return problem_set(problem,
                               "%s needs the addresses 0x%" PRIx64 " to 0x%" PRIx64
                               ", but this process will map its next memory there; run the command again, because "
                               "addresses differ between processes",
                               player->capsules->path, player->blocks[i].begin, player->blocks[i].end);
    return 0;
}

/* Whether all ranges are where memory can be. */
static int check_addresses(const struct capsules *capsules, struct problem *problem)
{
    for (size_t c = 0; c < capsules->count; c++)
        EACH(const struct memory_range, range, capsules->list[c].ranges, capsules->list[c].range_count)
            if (range->kind != MEMORY_VARIABLE && (range->address > HIGHEST || range->size > HIGHEST - range->address))
                return problem_set(problem,
                                   "%s: %s has memory at 0x%" PRIx64 ", which is not a valid address: capture it again",
                                   capsules->path, capsules->list[c].id, range->address);
    return 0;
}

int player_hold(struct player *player, const struct capsules *capsules, struct problem *problem)
{
    *player = (struct player){.capsules = capsules};
    TRY(check_addresses(capsules, problem));
    for (size_t c = 0; c < capsules->count; c++)
        for (enum memory_kind kind = MEMORY_DEVICE; kind <= MEMORY_HOST; kind++)
            add_ranges(&player->blocks, &player->block_count, &capsules->list[c], kind, BLOCK);
    merge(player->blocks, &player->block_count);
    for (size_t i = 0; i < player->block_count; i++) {
        if (hold(&player->blocks[i], capsules->path, problem) == 0)
            continue;
        player->block_count = i;
        player_close(player);
        return -1;
    }
    for (size_t i = 0; i < player->block_count; i++)
        hold_behind(player, &player->blocks[i]);
    if (check_next(player, problem) == 0)
        return 0;
    player_close(player);
    return -1;
}

/* Gives up all that is held. */
static void release_all(struct player *player)
{
    for (size_t i = 0; i < player->block_count && !player->is_given; i++)
        release(&player->blocks[i]);
    for (size_t i = 0; i < player->behind_count; i++)
        release(&player->behind[i]);
    player->behind_count = 0;
    player->is_given = true;
}

int player_open(struct player *player, const struct capsule_device *device, struct problem *problem)
{
    player->device = device;
    for (size_t i = 0; i < sizeof player->room / sizeof player->room[0]; i++)
        player->room[i] = x_calloc(PLAYER_PAGES, CAPSULE_PAGE);
    release_all(player);
    EACH(const struct stretch, block, player->blocks, player->block_count)
        TRY(device->reserve(block->begin, block->end - block->begin, problem));
    return 0;
}

int player_load(struct player *player, const struct capsule *capsule, const unsigned char *code, void **module,
                struct problem *problem)
{
    const size_t number = capsules_same_code(player->capsules, (size_t)(capsule - player->capsules->list));
    if (!player->modules)
        player->modules = x_calloc(player->capsules->count, sizeof *player->modules);
    if (!player->modules[number] &&
        (player->device->load(code, (size_t)capsule->code.size, &player->modules[number], problem) < 0 ||
         (capsule->swapped &&
          player_keep(player, code, (size_t)capsule->code.size, player->modules[number], problem) < 0)))
        return -1;
    *module = player->modules[number];
    return 0;
}

void player_close(struct player *player)
{
    struct problem ignored;
    for (size_t i = 0; player->modules && i < player->capsules->count; i++)
        if (player->modules[i])
            (void)player->device->unload(player->modules[i], &ignored);
    free(player->modules);
    player_forget(player);
    release_all(player);
    free(player->blocks);
    free(player->behind);
    free(player->backings);
    for (size_t i = 0; i < sizeof player->room / sizeof player->room[0]; i++)
        free(player->room[i]);
    *player = (struct player){0};
}

/* ---- Backing ---- */

/* Returns the index of the first backing that ends behind an address. */
static size_t backing_behind(const struct player *player, uint64_t address)
{
    return FIRST(k, player->backing_count, player->backings[k].place.end > address);
}

/* Notes that a replay uses a backing, once. */
static void use(struct backing *backing, struct backed *backed)
{
    for (size_t i = 0; i < backed->count; i++)
        if (backed->list[i] == backing->place.begin)
            return;
    *ARRAY_GROW(backed->list, backed->count) = backing->place.begin;
    backing->users++;
}

static int back_stretch(struct player *player, const struct stretch *stretch, enum memory_kind kind,
                        struct backed *backed, struct problem *problem)
{
    for (uint64_t at = stretch->begin; at < stretch->end;) {
        const size_t i = backing_behind(player, at);
        struct backing *next = i < player->backing_count ? &player->backings[i] : NULL;
        if (!next || next->place.begin > at) {
            const uint64_t end = next && next->place.begin < stretch->end ? next->place.begin : stretch->end;
            TRY(player->device->back(at, end - at, kind, problem));
            next = ARRAY_INSERT(player->backings, player->backing_count, i);
            *next = (struct backing){.place = {at, end}};
        }
        use(next, backed);
        at = next->place.end;
    }
    return 0;
}

int player_back(struct player *player, const struct capsule *capsule, struct backed *backed, struct problem *problem)
{
    *backed = (struct backed){0};
    /* A unit that has both kinds of memory is the device's. */
    for (enum memory_kind kind = MEMORY_DEVICE; kind <= MEMORY_HOST; kind++) {
        OWNED_MEMORY struct stretch *stretches = NULL;
        size_t count = 0;
        int failed = 0;
        add_ranges(&stretches, &count, capsule, kind, UNIT);
        merge(stretches, &count);
        for (size_t i = 0; stretches && i < count && failed == 0; i++)
            failed = back_stretch(player, &stretches[i], kind, backed, problem);
        TRY(failed);
    }
    return 0;
}

void player_unback(struct player *player, struct backed *backed)
{
    for (size_t i = 0; i < backed->count; i++) {
        const size_t at = backing_behind(player, backed->list[i]);
        struct backing *backing = &player->backings[at];
        if (--backing->users > 0)
            continue;
        /* If it fails, backing the same addresses again fails too, and says why. */
        struct problem ignored;
        player->device->unback(backing->place.begin, backing->place.end - backing->place.begin, &ignored);
        memmove(backing, backing + 1, (--player->backing_count - at) * sizeof *backing);
    }
    free(backed->list);
    *backed = (struct backed){0};
}

/* ---- Around the ranges ---- */

/* Fills what a backing has around the ranges, which are sorted. */
static int fill_around(const struct player *player, const struct stretch *backing, const struct stretch *ranges,
                       size_t count, struct problem *problem)
{
    uint64_t at = backing->begin;
    for (size_t i = 0; i <= count; i++) {
        uint64_t end = i < count ? ranges[i].begin : backing->end;
        end = end < backing->end ? end : backing->end;
        if (end > at && player->device->fill(at, 0, (size_t)(end - at), problem) < 0)
            return -1;
        if (i < count && ranges[i].end > at)
            at = ranges[i].end;
    }
    return 0;
}

int player_clear_around(struct player *player, const struct capsule *capsule, const struct backed *backed,
                        struct problem *problem)
{
    OWNED_MEMORY struct stretch *ranges = NULL;
    size_t count = 0;
    int failed = 0;
    for (enum memory_kind kind = MEMORY_DEVICE; kind <= MEMORY_HOST; kind++)
        add_ranges(&ranges, &count, capsule, kind, 1);
    merge(ranges, &count);
    for (size_t i = 0; i < backed->count && failed == 0; i++)
        for (size_t b = 0; b < player->backing_count && failed == 0; b++)
            if (player->backings[b].place.begin == backed->list[i])
                failed = fill_around(player, &player->backings[b].place, ranges, count, problem);
    return failed;
}
