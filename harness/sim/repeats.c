#include "repeats.h"

#include "base/base.h"

enum { MOST = 64, TRIES = 8 };

struct repeat {
    struct grid grid;
    unsigned char *parameters;
    unsigned seen, tries; /* how often it was executed; and noted since it was last left out, which takes time */
    bool stands;
    uint64_t changes; /* machine->changes when it was done */
    struct ranges read, written;
    double ns;
    struct result counts; /* the rows alone */
};

static struct {
    struct repeat list[MOST];
    size_t next;
    struct repeat *now; /* that is executed */
    bool noted;
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

bool repeats_find(const struct grid *grid, double *ns, const struct result **counts)
{
    struct repeat *repeat = find(grid);
    if (!repeat || !repeat->stands || repeat->changes != grid->function->module->machine->changes)
        return false;
    repeat->tries = 0;
    *ns = repeat->ns;
    *counts = &repeat->counts;
    return true;
}

static void forget(struct repeat *repeat)
{
    free(repeat->read.list);
    free(repeat->written.list);
    result_release(&repeat->counts);
    repeat->counts = (struct result){0};
    repeat->read = repeat->written = (struct ranges){0};
    repeat->stands = false;
}

void repeats_begin(const struct grid *grid)
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
}

void repeats_end(bool plain, double ns, struct result *counts)
{
    struct repeat *now = repeats.now;
    struct machine *machine = now->grid.function->module->machine;
    forget(now);
    const bool known = repeats.noted && touched_end(machine, &now->read, &now->written);
    for (size_t i = 0; i < MOST; i++) {
        struct repeat *other = &repeats.list[i];
        if (!known || touched_meet(&now->written, &other->read) || touched_meet(&now->written, &other->written))
            other->stands = false;
    }
    now->stands = known && plain && grid_leaves(machine) && !touched_meet(&now->read, &now->written) &&
                  !grid_is_shared(machine, &now->read) && !grid_is_shared(machine, &now->written);
    now->changes = machine->changes;
    now->ns = ns;
    now->counts.rows = counts->rows;
    now->counts.row_count = counts->row_count;
    counts->rows = NULL;
    counts->row_count = 0;
}
