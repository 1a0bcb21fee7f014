#include "repeats.h"

#include "machine/affine/affine.h"

#include <xxhash.h>

/* Content is compared and kept where that takes a fraction of executing: so many bytes for each instruction. */
enum { MOST = 64, TRIES = 8, BYTES_EACH = 100 };
#define KEPT_MOST ((uint64_t)1 << 30)

struct repeat {
    struct grid grid;
    unsigned char *parameters;
    unsigned seen, tries; /* how often it was executed; and noted since it was last left out, which takes time */
    bool stands;
    uint64_t changes; /* machine->changes when it was done */
    size_t operation; /* that it was, for races with other streams */
    struct ranges read, written;
    double ns, instructions;
    struct result counts; /* the rows alone */
    bool known, hashed;   /* what it reads and writes; and `before`, of the content of these */
    XXH128_hash_t before;
    unsigned char *after; /* what it left in `written`; NULL: not kept */
    uint64_t after_bytes;
};

static struct {
    struct repeat list[MOST];
    size_t next;
    struct repeat *now; /* that is executed */
    bool noted;
    uint64_t kept; /* bytes of all that is kept */
} repeats;

static struct repeat *find(const struct grid *grid)
{
    const size_t bytes = grid->function->entry.parameter_bytes;
    for (size_t i = 0; i < MOST; i++) {
        const struct grid *one = &repeats.list[i].grid;
        if (one->function == grid->function && memcmp(one->blocks, grid->blocks, sizeof one->blocks) == 0 &&
            memcmp(one->threads, grid->threads, sizeof one->threads) == 0 && one->shared == grid->shared &&
            one->carve_out == grid->carve_out && one->cooperative == grid->cooperative &&
            memcmp(one->cluster, grid->cluster, sizeof one->cluster) == 0 &&
            memcmp(repeats.list[i].parameters, grid->parameters, bytes) == 0)
            return &repeats.list[i];
    }
    return NULL;
}

static uint64_t bytes_of(const struct ranges *ranges)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < ranges->count; i++)
        bytes += ranges->list[i].end - ranges->list[i].begin;
    return bytes;
}

/* Adds the content of allocations. False: it is not whole, or one is no more what it was. */
static bool hash_ranges(XXH3_state_t *state, struct machine *machine, const struct ranges *ranges)
{
    EACH(const struct range, range, ranges->list, ranges->count) {
        const size_t size = range->end - range->begin;
        struct allocation place;
        if (!device_find(machine, range->begin, &place) || place.begin != range->begin || place.end != range->end ||
            grid_touches(machine, range->begin, size, false))
            return false;
        XXH3_128bits_update(state, device_bytes(machine, range->begin), size);
    }
    return !device_is_shared(machine, ranges);
}

/* Hashes all that the launch depends on: the memory that it reads, or writes in part, and constants. */
static bool hash(const struct repeat *repeat, XXH128_hash_t *content)
{
    const struct module *module = repeat->grid.function->module;
    const double bytes = (double)(bytes_of(&repeat->read) + bytes_of(&repeat->written));
    XXH3_state_t *state = repeat->known && bytes <= BYTES_EACH * repeat->instructions ? XXH3_createState() : NULL;
    bool whole = state && XXH3_128bits_reset(state) == XXH_OK && hash_ranges(state, module->machine, &repeat->read) &&
                 hash_ranges(state, module->machine, &repeat->written);
    if (whole && module->bank3)
        XXH3_128bits_update(state, module->bank3, module->bank3_size);
    if (whole)
        *content = XXH3_128bits_digest(state);
    XXH3_freeState(state);
    return whole;
}

/* Copies between what is kept and the memory that is written. */
static void move(const struct repeat *repeat, bool back)
{
    unsigned char *kept = repeat->after;
    EACH(const struct range, range, repeat->written.list, repeat->written.count) {
        unsigned char *bytes = device_bytes(repeat->grid.function->module->machine, range->begin);
        const size_t size = range->end - range->begin;
        memcpy(back ? bytes : kept, back ? kept : bytes, size);
        kept += size;
    }
}

/* Notes that memory has changed; NULL: nobody knows which. */
static void change(const struct ranges *written)
{
    EACH(struct repeat, other, repeats.list, MOST)
        if (!written || touched_meet(written, &other->read) || touched_meet(written, &other->written))
            other->stands = false;
}

bool repeats_find(const struct grid *grid, double *ns, const struct result **counts)
{
    struct repeat *repeat = find(grid);
    struct machine *machine = grid->function->module->machine;
    const bool stands = repeat && repeat->stands && repeat->changes == machine->changes;
    XXH128_hash_t content;
    if (!repeat || (!stands && (!repeat->after || !hash(repeat, &content) || !XXH128_isEqual(content, repeat->before))))
        return false;
    if (stream_races_again(machine, repeat->operation, &repeat->read, &repeat->written)) /* it is done once more else */
        return false;
    if (!stands) {
        move(repeat, true);
        change(&repeat->written);
        repeat->stands = !touched_meet(&repeat->read, &repeat->written);
        repeat->changes = machine->changes;
    }
    repeat->tries = 0;
    *ns = repeat->ns;
    *counts = &repeat->counts;
    return true;
}

/* Leaves out memory of the launch's own, in which blocks of a cooperative one meet: it is gone. */
static void leave_out_gone(struct machine *machine, struct ranges *ranges)
{
    size_t count = 0;
    struct allocation place;
    for (size_t i = 0; i < ranges->count; i++)
        if (device_find(machine, ranges->list[i].begin, &place))
            ranges->list[count++] = ranges->list[i];
    ranges->count = count;
}

static bool same_ranges(const struct ranges *one, const struct ranges *other)
{
    size_t same = 0;
    for (size_t i = 0; i < one->count; i++)
        for (size_t k = 0; k < other->count; k++)
            same += one->list[i].begin == other->list[k].begin;
    return one->count == other->count && same == one->count;
}

static void forget(struct repeat *repeat)
{
    free(repeat->after);
    repeats.kept -= repeat->after_bytes;
    repeat->after = NULL;
    repeat->after_bytes = 0;
    free(repeat->read.list);
    free(repeat->written.list);
    result_release(&repeat->counts);
    repeat->counts = (struct result){0};
    repeat->read = repeat->written = (struct ranges){0};
    repeat->stands = false;
}

bool repeats_begin(const struct grid *grid)
{
    const size_t bytes = grid->function->entry.parameter_bytes;
    struct repeat *repeat = find(grid);
    if (!repeat) {
        repeat = &repeats.list[repeats.next++ % MOST];
        forget(repeat);
        free(repeat->parameters);
        *repeat = (struct repeat){.grid = *grid, .parameters = x_calloc(bytes + 1, 1)};
        memcpy(repeat->parameters, grid->parameters, bytes);
    }
    repeats.now = repeat;
    repeats.noted =
        repeat->seen++ > 0 && repeat->tries++ < TRIES && touched_begin(grid->function->module->machine, grid);
    repeat->hashed = repeats.noted && hash(repeat, &repeat->before);
    return repeat->hashed;
}

void repeats_end(bool plain, double ns, double instructions, struct result *counts)
{
    struct repeat *now = repeats.now;
    struct machine *machine = now->grid.function->module->machine;
    struct ranges read = {0}, written = {0};
    const bool known = repeats.noted && touched_end(machine, &read, &written);
    leave_out_gone(machine, &read);
    leave_out_gone(machine, &written);
    const bool keeps = known && plain && now->hashed && !grid_has_left(machine) && same_ranges(&now->read, &read) &&
                       same_ranges(&now->written, &written) && repeats.kept + bytes_of(&written) <= KEPT_MOST;
    forget(now);
    now->read = read;
    now->written = written;
    now->known = known && plain && grid_leaves(machine);
    now->instructions = instructions;
    if (keeps) {
        now->after_bytes = bytes_of(&written);
        now->after = x_calloc(now->after_bytes + 1, 1);
        repeats.kept += now->after_bytes;
        move(now, false);
    }
    change(known ? &written : NULL);
    now->stands = now->known && !touched_meet(&read, &written) && !device_is_shared(machine, &read) &&
                  !device_is_shared(machine, &written);
    now->changes = machine->changes;
    now->ns = ns;
    now->operation = machine->stream_races->count;
    now->counts.rows = counts->rows;
    now->counts.row_count = counts->row_count;
    counts->rows = NULL;
    counts->row_count = 0;
}
