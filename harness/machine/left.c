#include "left.h"

/* The launch of which blocks were left out. */
struct left {
    bool any;
    bool never;      /* from now on none are */
    bool threadless; /* nobody asks how many threads work */
    struct grid grid;
    unsigned char *parameters;
    uint64_t *done;
    struct left_memory memory;
    uint64_t *freed; /* allocations that go with it */
    size_t freed_count;
};

void left_close(struct left *left)
{
    free(left);
}

static struct left *left_of(struct machine *machine)
{
    if (!machine->left)
        machine->left = x_calloc(1, sizeof *machine->left);
    return machine->left;
}

void left_keep(const struct grid *grid, uint64_t *done, const struct left_memory *memory)
{
    const size_t bytes = grid->function->entry.parameter_bytes;
    struct machine *machine = grid->function->module->machine;
    struct left *left = left_of(machine);
    grid_forget(machine);
    left->any = true;
    left->grid = *grid;
    left->grid.meetings = NULL;
    left->grid.races = NULL;
    left->grid.doubt = NULL;
    left->grid.proved = NULL;
    left->parameters = x_calloc(bytes + 1, 1);
    if (grid->parameters)
        memcpy(left->parameters, grid->parameters, bytes);
    left->grid.parameters = grid->parameters ? left->parameters : NULL;
    left->done = done;
    left->memory = *memory;
    range_sort(&left->memory.touched);
    range_sort(&left->memory.changed);
    range_sort(&left->memory.added);
    range_sort(&left->memory.written);
}

void grid_forget(struct machine *machine)
{
    struct left *left = left_of(machine);
    const struct left had = *left;
    free(left->parameters);
    free(left->done);
    free(left->memory.touched.list);
    free(left->memory.changed.list);
    free(left->memory.added.list);
    free(left->memory.written.list);
    memset(left, 0, sizeof *left);
    left->never = had.never;
    left->threadless = had.threadless;
    for (size_t i = 0; i < had.freed_count; i++)
        device_free(machine, had.freed[i]);
    free(had.freed);
}

bool grid_free(struct machine *machine, uint64_t address, uint64_t bytes)
{
    struct left *left = left_of(machine);
    machine->changes++;
    if (!grid_touches(machine, address, bytes, false))
        return device_free(machine, address);
    *ARRAY_GROW(left->freed, left->freed_count) = address;
    return true;
}

uint64_t *left_take(struct machine *machine, struct grid *grid)
{
    struct left *left = left_of(machine);
    uint64_t *done = left->any ? left->done : NULL;
    *grid = left->grid;
    left->any = false; /* what is executed now settles nothing */
    left->done = NULL;
    return done;
}

void grid_leave_none(struct machine *machine)
{
    left_of(machine)->never = true;
}

void grid_ask_threads(struct machine *machine, bool asked)
{
    left_of(machine)->threadless = !asked;
}

bool grid_asks_threads(struct machine *machine)
{
    return !left_of(machine)->threadless;
}

bool grid_has_left(struct machine *machine)
{
    return left_of(machine)->any;
}

bool grid_leaves(struct machine *machine)
{
    return !left_of(machine)->never;
}

static bool any_overlap(const struct range *range, const struct ranges *ranges)
{
    const struct ranges one = {(struct range *)range, 1, 1};
    uint64_t steps = 0;
    return range_overlap(&one, 0, ranges, &steps);
}

bool grid_touches(struct machine *machine, uint64_t address, uint64_t bytes, bool reads)
{
    const struct left *left = left_of(machine);
    const struct range range = {address, address + bytes};
    if (!left->any || !any_overlap(&range, reads ? &left->memory.changed : &left->memory.touched))
        return false;
    const struct ranges *written = &left->memory.written;
    return !reads ||
           !ANY(i, written->count, written->list[i].begin <= range.begin && range.end <= written->list[i].end);
}

size_t grid_written(struct machine *machine, uint64_t address, uint64_t bytes, size_t *ranges, size_t most)
{
    const struct left *left = left_of(machine);
    const struct range range = {address, address + bytes};
    size_t count = 0;
    if (!left->any || !any_overlap(&range, &left->memory.changed) || any_overlap(&range, &left->memory.added))
        return SIZE_MAX;
    EACH(const struct range, written, left->memory.written.list, left->memory.written.count) {
        const uint64_t begin = written->begin > range.begin ? written->begin : range.begin;
        const uint64_t end = written->end < range.end ? written->end : range.end;
        if (begin >= end)
            continue;
        if (count < most) {
            ranges[2 * count] = begin - address;
            ranges[2 * count + 1] = end - address;
        }
        count++;
    }
    return count;
}

/* Copies those bytes at an address that are from begin to end. */
static void copy_part(struct machine *machine, uint64_t address, unsigned char *bytes, size_t size, uint64_t begin,
                      uint64_t end)
{
    begin = begin > address ? begin : address;
    end = end < address + size ? end : address + size;
    if (begin < end)
        memcpy(bytes + (begin - address), device_bytes(machine, begin), end - begin);
}

void grid_copy_known(struct machine *machine, uint64_t address, unsigned char *bytes, size_t size)
{
    const struct left *left = left_of(machine);
    uint64_t at = address;
    for (size_t i = 0; left->any && i < left->memory.changed.count; i++) {
        copy_part(machine, address, bytes, size, at, left->memory.changed.list[i].begin);
        at = left->memory.changed.list[i].end > at ? left->memory.changed.list[i].end : at;
    }
    copy_part(machine, address, bytes, size, at, address + size);
    for (size_t i = 0; left->any && i < left->memory.written.count; i++)
        copy_part(machine, address, bytes, size, left->memory.written.list[i].begin, left->memory.written.list[i].end);
}
