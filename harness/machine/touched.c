#include "touched.h"

#include "machine/affine/affine.h"
#include "machine/block/block.h"

struct touches {
    bool on, unknown; /* unknown: something was read or written that is not noted */
    uint64_t launch;  /* which touched_begin() it was */
    struct ranges read, written;
};

/* The allocation that was accessed last, and how, so that most accesses are noted already. */
struct last {
    uint64_t launch;
    struct allocation place;
    unsigned how;
};

enum { READ = 1, WRITTEN = 2 };

/* Textures, surfaces and the hardware's copies read what is not told of. */
static bool is_noted(const struct code *code)
{
    return !ANY(i, code->count,
                code->list[i].opcode[0] == 'T' || strncmp(code->list[i].opcode, "SU", 2) == 0 ||
                    code->list[i].traits & TRAIT_BULK);
}

bool touched_begin(struct machine *machine, const struct grid *grid)
{
    if (!is_noted(grid->function->code))
        return false;
    if (!machine->touched)
        machine->touched = x_calloc(1, sizeof *machine->touched);
    struct touches *touched = machine->touched;
    *touched = (struct touches){.on = true, .launch = touched->launch + 1};
    return true;
}

bool touched_end(struct machine *machine, struct ranges *read, struct ranges *written)
{
    struct touches *touched = machine->touched;
    *read = touched->read;
    *written = touched->written;
    *touched = (struct touches){.launch = touched->launch, .unknown = touched->unknown};
    return !touched->unknown;
}

bool touched_meet(const struct ranges *one, const struct ranges *other)
{
    for (size_t i = 0; i < one->count; i++)
        for (size_t k = 0; k < other->count; k++)
            if (one->list[i].begin < other->list[k].end && other->list[k].begin < one->list[i].end)
                return true;
    return false;
}

static void add(struct ranges *ranges, const struct allocation *place)
{
    if (!ANY(i, ranges->count, ranges->list[i].begin == place->begin))
        *ARRAY_GROW(ranges->list, ranges->count) = (struct range){place->begin, place->end};
}

static void note(struct machine *machine, struct last *last, uint64_t address, unsigned how)
{
    struct touches *touched = machine->touched;
    pthread_mutex_lock(&machine->changing);
    if (last->launch != touched->launch || address < last->place.begin || address >= last->place.end)
        *last = (struct last){.launch = touched->launch};
    if (last->place.end > 0 || device_find(machine, address, &last->place)) {
        last->how |= how;
        if (how & READ)
            add(&touched->read, &last->place);
        if (how & WRITTEN)
            add(&touched->written, &last->place);
    } else {
        touched->unknown = true;
    }
    pthread_mutex_unlock(&machine->changing);
}

static bool touched_watch_begin(struct block *block)
{
    return block->machine->touched && block->machine->touched->on;
}

static void touched_watch_hear(const struct access *access)
{
    struct block *block = access->warp->block;
    struct last *last = block->watch.states[WATCH_TOUCHED];
    const bool writes = access->kind & (ACCESS_STORES | ACCESS_WRITES | ACCESS_CHANGES | ACCESS_GOES | ACCESS_TEXELS);
    const unsigned how = access->kind & ACCESS_CHANGES ? READ | WRITTEN : writes ? WRITTEN : READ;
    uint64_t bytes;
    for (uint32_t left = access_parts(access, &bytes); left; left &= left - 1) {
        const uint64_t address = access_address(access, (unsigned)__builtin_ctz(left));
        if (last->launch != block->machine->touched->launch || address < last->place.begin ||
            address >= last->place.end || (last->how & how) != how)
            note(block->machine, last, address, how);
    }
}

enum {
    HEARD = ACCESS_READS | ACCESS_STORES | ACCESS_WRITES | ACCESS_COPIES | ACCESS_CHANGES | ACCESS_COMES | ACCESS_GOES |
            ACCESS_TEXELS
};
const struct watcher touched_watcher = {HEARD, 0,   sizeof(struct last), false, touched_watch_begin, touched_watch_hear,
                                        NULL,  NULL};

/* ---- What memory held before it is written: outcomes.h ---- */

static bool begin_outcomes(struct block *block)
{
    return block->machine->outcomes.watching;
}

static void hear_outcomes(const struct access *access)
{
    uint64_t bytes;
    for (uint32_t left = access_parts(access, &bytes); left; left &= left - 1)
        outcomes_will_change(access->warp->block->machine, access_address(access, (unsigned)__builtin_ctz(left)),
                             bytes);
}

enum { CHANGES = ACCESS_STORES | ACCESS_CHANGES | ACCESS_GOES | ACCESS_TEXELS };
const struct watcher outcomes_watcher = {CHANGES, 0, 0, false, begin_outcomes, hear_outcomes, NULL, NULL};
