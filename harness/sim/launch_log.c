#include "launch_log.h"

#include "base/base.h"
#include "cudart/cudart.h"
#include "machine/elf/elf.h"
#include "machine/machine.h"

#include <stdlib.h>
#include <string.h>

/* A function whose launches are counted. What is known of its instructions stays. What they did is of the launches
 * since launches_begin(). */
struct counted {
    struct function *function;
    size_t count; /* number of instructions */
    unsigned *traits;
    char **files; /* file and line of each instruction; NULL: not known */
    unsigned *numbers;
    struct tally *tallies, *kept;
};

struct values {
    double list[BOUNDS][EXACT_COUNTERS];
};

/* The log of the one GPU. */
static bool recording, only_note;
static struct launch *launches; /* equal launches in a row are one */
static size_t launch_count;
static char *inputs; /* the hash of what the last launch was given, and of everything before it */
static struct values *values;
static size_t value_count;
static struct counted *functions;
static size_t function_count;
static unsigned order;
static struct meetings *meetings;
static struct doubt doubt; /* of the first launch in order 0 that had one */
/* The counts of order 1, which are compared with those of the orders behind it, and where its blocks met. */
static size_t kept_count;
static char *kept_place;
static bool open_counters[EXACT_COUNTERS];
static unsigned open_lines;

/* What is proved of the launches in order 0: how many blocks they have, how many of those were executed, and of which
 * launches it could not be proved what others count. */
static struct {
    double blocks, executed;
    char *missing;
} proofs;

static run_launch run_logged;

void launches_order(unsigned chosen)
{
    function_run_by(run_logged);
    if (!meetings)
        meetings = meetings_open();
    meetings_begin(meetings);
    order = chosen;
}

bool launches_meet(void)
{
    return meetings_place(meetings) != NULL;
}

const char *launches_doubt(void)
{
    return doubt.any ? doubt.problem.text : NULL;
}

void launches_keep(void)
{
    for (size_t i = 0; i < function_count; i++)
        memcpy(functions[i].kept, functions[i].tallies, functions[i].count * sizeof *functions[i].tallies);
    kept_count = value_count;
    free(kept_place);
    kept_place = x_strdup(launches_meet() ? meetings_place(meetings) : "");
    memset(open_counters, 0, sizeof open_counters);
    open_lines = 0;
}

/* Returns whether every instruction was executed by as many threads as in the order that was kept, loops that wait
 * aside. */
static bool same_ways(void)
{
    for (size_t i = 0; i < function_count; i++)
        for (size_t k = 0; k < functions[i].count; k++) {
            const struct tally *one = &functions[i].tallies[k], *other = &functions[i].kept[k];
            if (!one->spins && !other->spins && (one->executed != other->executed || one->working != other->working))
                return false;
        }
    return true;
}

bool launches_add_up(void)
{
    for (size_t i = 0; i < function_count; i++)
        for (size_t k = 0; k < functions[i].count; k++)
            if (functions[i].traits[k] & TRAIT_ATOMIC && functions[i].tallies[k].executed > 0)
                return true;
    return false;
}

bool launches_are_alike(void)
{
    return value_count == kept_count && same_ways();
}

/* Seen on an H100: where answers of atomics decide which way threads go, a count may be another one on the GPU though
 * it is the same in all orders here. */
static void open_all(void)
{
    for (size_t i = 0; i < function_count; i++)
        for (size_t k = 0; k < functions[i].count; k++)
            functions[i].tallies[k].spins = 1;
}

int launches_compare(struct problem *problem)
{
    if (value_count != kept_count)
        return problem_set(
            problem, "not simulated: how many kernels are launched depends on which block or warp comes first: %s",
            kept_place);
    if (meetings_answered(meetings) && !same_ways())
        open_all();
    for (size_t i = 0; i < function_count; i++)
        counters_compare(functions[i].tallies, functions[i].kept, functions[i].traits, functions[i].count,
                         open_counters, &open_lines);
    return 0;
}

void launches_find_waits(void)
{
    char *place = NULL, *waits = NULL;
    for (size_t i = 0; i < function_count; i++) {
        const struct counted *counted = &functions[i];
        for (size_t k = 0; k < counted->count && !place; k++)
            if (counted->tallies[k].spins && counted->tallies[k].executed) {
                place = code_place(counted->function, k);
                waits = x_sprintf("how often %s at %s looks", code_opcode(counted->function, k), place);
            }
        counters_compare(counted->tallies, counted->tallies, counted->traits, counted->count, open_counters,
                         &open_lines);
    }
    free(kept_place);
    free(place);
    kept_place = waits ? waits : x_strdup("");
}

const char *launches_place(void)
{
    return kept_place;
}

const char *launches_open(enum exact_counter counter)
{
    return open_counters[counter] ? kept_place : NULL;
}

void launches_begin(void)
{
    function_run_by(run_logged);
    for (size_t i = 0; i < launch_count; i++)
        free(launches[i].function);
    free(launches);
    free(values);
    free(inputs);
    launches = NULL;
    inputs = NULL;
    values = NULL;
    launch_count = value_count = 0;
    for (size_t i = 0; i < function_count; i++)
        memset(functions[i].tallies, 0, functions[i].count * sizeof *functions[i].tallies);
    if (order == 0) {
        doubt.any = false;
        free(proofs.missing);
        memset(&proofs, 0, sizeof proofs);
        memset(open_counters, 0, sizeof open_counters);
        open_lines = 0;
    }
    recording = true;
}

void launches_end(void)
{
    recording = false;
}

static struct counted *find_function(struct function *function)
{
    for (size_t i = 0; i < function_count; i++)
        if (functions[i].function == function)
            return &functions[i];
    struct counted *counted = ARRAY_GROW(functions, function_count);
    const size_t count = function->text.size / INSTRUCTION_BYTES;
    *counted = (struct counted){
        .function = function,
        .count = count,
        .traits = x_calloc(count, sizeof *counted->traits),
        .files = x_calloc(count, sizeof *counted->files),
        .numbers = x_calloc(count, sizeof *counted->numbers),
        .tallies = x_calloc(count, sizeof *counted->tallies),
        .kept = x_calloc(count, sizeof *counted->kept),
    };
    const struct line_table *lines = module_lines(function->module);
    for (size_t i = 0; i < count; i++) {
        counted->traits[i] = code_traits(function, i);
        counted->files[i] = line_table_line(lines, function->text.name, i * INSTRUCTION_BYTES, &counted->numbers[i]);
    }
    return counted;
}

static void note_launch(const struct grid *grid)
{
    struct launch *last = launch_count > 0 ? &launches[launch_count - 1] : NULL;
    if (last && strcmp(last->function, grid->function->text.name) == 0 &&
        memcmp(last->grid, grid->blocks, sizeof last->grid) == 0 &&
        memcmp(last->block, grid->threads, sizeof last->block) == 0 && last->shared == grid->shared &&
        last->carve_out == grid->carve_out) {
        last->times++;
        return;
    }
    struct launch *launch = ARRAY_GROW(launches, launch_count);
    *launch = (struct launch){.function = x_strdup(grid->function->text.name),
                              .shared = grid->shared,
                              .carve_out = grid->carve_out,
                              .times = 1};
    memcpy(launch->grid, grid->blocks, sizeof launch->grid);
    memcpy(launch->block, grid->threads, sizeof launch->block);
}

/* Adds a tally field by field; each is of 64 bits. */
static void add_tally(struct tally *sum, const struct tally *tally)
{
    uint64_t *to = (uint64_t *)sum;
    const uint64_t *from = (const uint64_t *)tally;
    _Static_assert(sizeof *tally % sizeof *from == 0, "a tally is made of whole numbers");
    for (size_t i = 0; i < sizeof *tally / sizeof *from; i++)
        to[i] += from[i];
}

/* Notes how many blocks were executed, and of a launch that takes long why all were. */
static void note_proof(const struct grid *grid, const struct tally *tallies, size_t count, const struct proved *proved)
{
    uint64_t steps = 0;
    for (size_t i = 0; i < count; i++)
        steps += tallies[i].executed;
    proofs.blocks += (double)grid_blocks(grid);
    proofs.executed += (double)(proved->why ? grid_blocks(grid) : proved->executed);
    if (!proved->why || (steps < GRID_STEPS_LEAST && !getenv("CUGATE_SIM_PROOF")) || !grid_leaves())
        return;
    char *place = proved->where == SIZE_MAX ? NULL : code_place(grid->function, proved->where), *was = proofs.missing;
    char *name = x_strdup(grid->function->text.name);
    demangle((char **[]){&name}, 1);
    char *one = x_sprintf("%s: %s%s%s", name, proved->why, place ? " at " : "", place ? place : "");
    if (!was || !strstr(was, one))
        proofs.missing = x_sprintf("%s%s%s", was ? was : "", was ? "; " : "", one);
    if (proofs.missing != was)
        free(was);
    free(one);
    free(name);
    free(place);
}

static int run_counted(const struct grid *grid, bool *fault, struct problem *problem)
{
    if (code_of(grid->function, problem) < 0)
        return -1;
    struct counted *counted = find_function(grid->function);
    struct tally *tallies = x_calloc(counted->count, sizeof *tallies);
    struct doubt had = {.any = false};
    struct grid doubted = *grid;
    doubted.doubt = &had;
    struct proved proved = {0};
    doubted.proved = &proved;
    const int failed = grid_run(&doubted, tallies, fault, problem);
    if (had.any && !doubt.any)
        doubt = had;
    if (failed < 0 && *fault && doubt.any)
        *problem = doubt.problem;
    if (failed == 0) {
        note_launch(grid);
        if (order == 0)
            note_proof(grid, tallies, counted->count, &proved);
        struct values *own = ARRAY_GROW(values, value_count);
        for (enum bound bound = 0; bound < BOUNDS; bound++)
            counters_of(tallies, counted->traits, counted->count, bound, own->list[bound]);
        for (size_t i = 0; i < counted->count; i++)
            add_tally(&counted->tallies[i], &tallies[i]);
    }
    free(tallies);
    return failed;
}

/* Adds a launch to the inputs. If its code cannot be read, the inputs are unknown. */
static void add_inputs(const struct grid *grid)
{
    const char *code = module_code(grid->function);
    const uint64_t numbers[] = {grid->blocks[0],  grid->blocks[1],  grid->blocks[2], grid->threads[0],
                                grid->threads[1], grid->threads[2], grid->shared,    grid->cooperative};
    if (!code)
        inputs_hide();
    else
        inputs_add(INPUT_BYTES, NULL, 0, code, strlen(code));
    if (grid->cluster[0])
        inputs_add(INPUT_BYTES, NULL, 0, grid->cluster, sizeof grid->cluster);
    inputs_add(INPUT_LAUNCHED, numbers, ARRAY_SIZE(numbers), grid->parameters, grid->function->entry.parameter_bytes);
    if (!recording)
        return;
    free(inputs);
    inputs = inputs_hash();
}

/* Executes a launch. It is counted between launches_begin() and launches_end(). */
static int run_logged(const struct grid *grid, bool *fault, struct problem *problem)
{
    int failed = 0;
    struct grid ordered = *grid;
    ordered.order = order;
    ordered.meetings = meetings;
    if (!only_note) {
        failed = recording ? run_counted(&ordered, fault, problem) : grid_run(&ordered, NULL, fault, problem);
    } else {
        add_inputs(grid);
        if (recording)
            note_launch(grid);
    }
    return failed;
}

void launches_only_note(void)
{
    function_run_by(run_logged);
    only_note = true;
}

size_t launches_counted(void)
{
    return value_count;
}

const double *launches_values(size_t launch, enum bound bound)
{
    return values[launch].list[bound];
}

static void add_lines(const struct counted *counted, struct profile *profile)
{
    for (size_t i = 0; i < counted->count; i++) {
        if (counted->tallies[i].executed == 0)
            continue;
        struct profile_line *line = profile_add(profile, counted->function->text.name, counted->files[i],
                                                counted->numbers[i], (unsigned)(i * INSTRUCTION_BYTES));
        double counts[LINE_COUNTERS];
        counters_of_line(&counted->tallies[i], counted->traits[i], counts);
        for (enum line_counter counter = 0; counter < LINE_COUNTERS; counter++)
            line->counts[counter] += counts[counter];
    }
}

void launches_hand_over(struct result *result)
{
    result->launches = launches;
    result->launch_count = launch_count;
    result->inputs = inputs;
    if (proofs.executed < proofs.blocks) {
        result->blocks = proofs.blocks;
        result->blocks_executed = proofs.executed;
    }
    result->not_proved = proofs.missing;
    memset(&proofs, 0, sizeof proofs);
    launches = NULL;
    inputs = NULL;
    launch_count = 0;
    for (size_t i = 0; i < function_count; i++)
        add_lines(&functions[i], &result->profile);
    if (!only_note)
        result->profile.counted = ((1u << LINE_COUNTERS) - 1) & ~open_lines;
}
