#include "launch_log.h"

#include "cudart/cudart.h"
#include "names/names.h"

static run_launch run_logged;

/* Forgets what was launched. */
static void forget(struct launches *launches)
{
    for (size_t i = 0; i < launches->count; i++)
        free(launches->list[i].function);
    free(launches->list);
    free(launches->values);
    free(launches->inputs);
    launches->list = NULL;
    launches->inputs = NULL;
    launches->values = NULL;
    launches->count = launches->value_count = 0;
}

void launches_release(struct launches *launches)
{
    function_run_by(NULL, NULL);
    forget(launches);
    times_release(&launches->times);
    EACH(struct counted, counted, launches->functions, launches->function_count) {
        for (size_t k = 0; k < counted->count; k++)
            free(counted->files[k]);
        free(counted->traits);
        free(counted->files);
        free(counted->numbers);
        free(counted->tallies);
        free(counted->kept);
    }
    free(launches->functions);
    free(launches->kept_place);
    if (launches->meetings) {
        meetings_close(launches->meetings);
        block_races_close(launches->races);
    }
}

void launches_order(struct launches *launches, unsigned chosen)
{
    function_run_by(run_logged, launches);
    if (!launches->meetings) {
        launches->meetings = meetings_open();
        launches->races = block_races_open(BLOCK_RACES_MOST);
    }
    if (chosen == 0)
        block_races_begin(launches->races);
    meetings_begin(launches->meetings);
    launches->order = chosen;
}

bool launches_met(struct launches *launches)
{
    meetings_launch(launches->meetings); /* also where they met only in what they leave */
    return meetings_place(launches->meetings) != NULL;
}

char *launches_race(const struct launches *launches, bool *sure)
{
    return block_races_find(launches->races, sure);
}

const char *launches_doubt(const struct launches *launches)
{
    for (enum doubt_kind kind = 0; kind < DOUBT_KINDS; kind++)
        if (launches->doubt.of[kind].any && !(launches->suppressed >> kind & 1))
            return launches->doubt.of[kind].problem.text;
    return NULL;
}

void launches_keep(struct launches *launches)
{
    for (size_t i = 0; i < launches->function_count; i++)
        memcpy(launches->functions[i].kept, launches->functions[i].tallies,
               launches->functions[i].count * sizeof *launches->functions[i].tallies);
    launches->kept_count = launches->value_count;
    free(launches->kept_place);
    launches->kept_place = x_strdup(launches_met(launches) ? meetings_place(launches->meetings) : "");
    memset(launches->open_counters, 0, sizeof launches->open_counters);
    launches->open_lines = 0;
}

/* Returns whether every instruction was executed by as many threads as in the order that was kept, loops that wait
 * aside. */
static bool same_ways(const struct launches *launches)
{
    for (size_t i = 0; i < launches->function_count; i++)
        for (size_t k = 0; k < launches->functions[i].count; k++) {
            const struct tally *one = &launches->functions[i].tallies[k], *other = &launches->functions[i].kept[k];
            if (!depends_on_timing(one) && !depends_on_timing(other) &&
                (one->executed != other->executed || one->working != other->working))
                return false;
        }
    return true;
}

bool launches_add_up(const struct launches *launches)
{
    for (size_t i = 0; i < launches->function_count; i++)
        for (size_t k = 0; k < launches->functions[i].count; k++)
            if (launches->functions[i].traits[k] & TRAIT_ATOMIC && launches->functions[i].tallies[k].executed > 0)
                return true;
    return false;
}

bool launches_yielded(const struct launches *launches)
{
    return meetings_yielded(launches->meetings);
}

bool launches_are_alike(const struct launches *launches)
{
    return launches->value_count == launches->kept_count && same_ways(launches);
}

/* Seen on an H100: where answers of atomics decide which way threads go, a count may be another one on the GPU though
 * it is the same in all orders here. */
static void open_all(struct launches *launches)
{
    for (size_t i = 0; i < launches->function_count; i++)
        for (size_t k = 0; k < launches->functions[i].count; k++)
            launches->functions[i].tallies[k].spins = 1;
}

int launches_compare(struct launches *launches, struct problem *problem)
{
    if (launches->value_count != launches->kept_count)
        return problem_set(problem,
                           "not simulated: the number of launched kernels depends on the order of blocks or warps: %s",
                           launches->kept_place);
    if (meetings_answered(launches->meetings) && !same_ways(launches))
        open_all(launches);
    const bool outside = launches->open_counters[EXACT_OUTSIDE_WAITS];
    for (size_t i = 0; i < launches->function_count; i++)
        counters_compare(launches->functions[i].tallies, launches->functions[i].kept, launches->functions[i].traits,
                         launches->functions[i].count, launches->open_counters, &launches->open_lines);
    if (launches->order == ORDER_PARTED)
        launches->open_counters[EXACT_OUTSIDE_WAITS] = outside;
    return 0;
}

void launches_find_waits(struct launches *launches)
{
    char *place = NULL, *waits = NULL;
    EACH(const struct counted, counted, launches->functions, launches->function_count) {
        for (size_t k = 0; k < counted->count && !place; k++)
            if (depends_on_timing(&counted->tallies[k]) && counted->tallies[k].executed) {
                place = code_place(counted->function, k);
                waits =
                    counted->tallies[k].spins || counted->tallies[k].looks
                        ? x_sprintf("the number of polls of %s at %s", code_opcode(counted->function, k), place)
                        : x_sprintf("which lanes run together, because they call a function before they reconverge");
            }
        counters_compare(counted->tallies, counted->tallies, counted->traits, counted->count, launches->open_counters,
                         &launches->open_lines);
    }
    free(launches->kept_place);
    free(place);
    launches->kept_place = waits ? waits : x_strdup("");
}

bool launches_waited(const struct launches *launches)
{
    bool wait = false;
    for (size_t i = 0; i < launches->function_count; i++)
        for (size_t k = 0; k < launches->functions[i].count && !wait; k++)
            wait = launches->functions[i].tallies[k].phase_waits > 0 ||
                   ((launches->functions[i].tallies[k].spins || launches->functions[i].tallies[k].apart) &&
                    launches->functions[i].tallies[k].executed > 0);
    return wait;
}

const char *launches_met_at(const struct launches *launches)
{
    return launches->kept_place;
}

const char *launches_undecided_at(const struct launches *launches, enum exact_counter counter)
{
    bool none = counter == EXACT_OUTSIDE_WAITS; /* of no instruction it is known how often it is executed */
    for (size_t i = 0; i < launches->value_count; i++)
        none &= launches->values[i].list[BOUND_NONE][counter] == 0;
    return launches->open_counters[counter] || none ? launches->kept_place : NULL;
}

void launches_begin(struct launches *launches)
{
    function_run_by(run_logged, launches);
    forget(launches);
    for (size_t i = 0; i < launches->function_count; i++)
        memset(launches->functions[i].tallies, 0,
               launches->functions[i].count * sizeof *launches->functions[i].tallies);
    if (launches->order == 0) {
        launches->doubt = (struct doubt){0};
        times_begin(&launches->times);
        free(launches->proofs.missing);
        memset(&launches->proofs, 0, sizeof launches->proofs);
        memset(launches->open_counters, 0, sizeof launches->open_counters);
        launches->open_lines = 0;
    }
    launches->recording = true;
}

void launches_end(struct launches *launches)
{
    launches->recording = false;
}

static struct counted *find_function(struct launches *launches, struct function *function)
{
    for (size_t i = 0; i < launches->function_count; i++)
        if (launches->functions[i].function == function)
            return &launches->functions[i];
    struct counted *counted = ARRAY_GROW(launches->functions, launches->function_count);
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
    for (size_t i = 0; i < count; i++) {
        counted->traits[i] = code_traits(function, i);
        counted->files[i] = module_line(function, i, &counted->numbers[i]);
    }
    return counted;
}

static void note_launch(struct launches *launches, const struct grid *grid)
{
    struct launch *last = launches->count > 0 ? &launches->list[launches->count - 1] : NULL;
    if (last && strcmp(last->function, grid->function->text.name) == 0 &&
        memcmp(last->grid, grid->blocks, sizeof last->grid) == 0 &&
        memcmp(last->block, grid->threads, sizeof last->block) == 0 && last->shared == grid->shared &&
        last->carve_out == grid->carve_out) {
        last->times++;
        return;
    }
    struct launch *launch = ARRAY_GROW(launches->list, launches->count);
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
    _Static_assert(sizeof *tally % sizeof *from == 0, "a tally has only integers");
    for (size_t i = 0; i < sizeof *tally / sizeof *from; i++)
        to[i] += from[i];
}

/* Notes how many blocks were executed, and of a launch that takes long why all were. */
static void note_proof(struct launches *launches, const struct grid *grid, const struct tally *tallies, size_t count,
                       const struct proved *proved)
{
    struct proofs *proofs = &launches->proofs;
    uint64_t steps = 0;
    bool uneven = false;
    for (size_t i = 0; i < count; i++)
        steps += tallies[i].executed, uneven |= tallies[i].fewer_work + tallies[i].more_work > 0;
    steps = proved->steps > steps ? proved->steps : steps;
    proofs->blocks += (double)grid_blocks(grid);
    proofs->executed += (double)(proved->why ? grid_blocks(grid) : proved->executed);
    launches->open_lines |= (unsigned)uneven << LINE_WORKING_THREADS;
    if (!proved->why || (steps < GRID_STEPS_LEAST && !getenv("CUGATE_SIM_PROOF")) || !grid_leaves(runtime_machine()))
        return;
    char *place = proved->where == SIZE_MAX ? NULL : code_place(grid->function, proved->where), *was = proofs->missing;
    OWNED_TEXT name = x_strdup(grid->function->text.name);
    demangle((char **[]){&name}, 1);
    const size_t length = place && strncmp(place, name, strlen(name)) == 0 ? strlen(name) : 0; /* it has no lines */
    OWNED_TEXT shorter = kernel_short_name(name);
    OWNED_TEXT one = x_sprintf("%s: %s%s%s", shorter, proved->why, place ? " at " : "", place ? place + length : "");
    if (!was || !strstr(was, one))
        proofs->missing = x_sprintf("%s%s%s", was ? was : "", was ? "; " : "", one);
    if (proofs->missing != was)
        free(was);
    free(place);
}

static int run_counted(struct launches *launches, const struct grid *grid, enum fault *fault, struct problem *problem)
{
    TRY(code_of(grid->function, problem));
    struct counted *counted = find_function(launches, grid->function);
    OWNED_MEMORY struct tally *tallies = x_calloc(counted->count, sizeof *tallies);
    struct doubt had = {0};
    struct grid doubted = *grid;
    doubted.doubt = &had;
    doubted.spares = launches->suppressed >> DOUBT_OUTSIDE & 1;
    doubted.untrusted |= doubted.spares;
    struct proved proved = {0};
    doubted.proved = &proved;
    doubted.recorder = launches->order == 0 ? times_recorder(&launches->times, grid) : NULL;
    if (doubted.recorder)
        recorder_begin(doubted.recorder, grid);
    const int failed = grid_run(&doubted, tallies, fault, problem);
    for (enum doubt_kind kind = 0; kind < DOUBT_KINDS; kind++)
        if (had.of[kind].any && !launches->doubt.of[kind].any)
            launches->doubt.of[kind] = had.of[kind];
    if (failed < 0 && *fault && launches_doubt(launches))
        problem_set(problem, "%s", launches_doubt(launches));
    if (failed == 0) {
        note_launch(launches, grid);
        if (launches->order == 0)
            times_take(&launches->times, grid, tallies);
        if (launches->order == 0)
            note_proof(launches, grid, tallies, counted->count, &proved);
        struct values *own = ARRAY_GROW(launches->values, launches->value_count);
        for (enum bound bound = 0; bound < BOUNDS; bound++)
            counters_of(tallies, counted->traits, counted->count, bound, own->list[bound]);
        for (size_t i = 0; i < counted->count; i++)
            add_tally(&counted->tallies[i], &tallies[i]);
    }
    return failed;
}

/* Adds a launch to the inputs. If its code cannot be read, the inputs are unknown. */
static void add_inputs(struct launches *launches, const struct grid *grid)
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
    if (!launches->recording)
        return;
    free(launches->inputs);
    launches->inputs = inputs_hash();
}

/* Executes a launch. It is counted between launches_begin() and launches_end(). */
static int run_logged(void *data, const struct grid *grid, enum fault *fault, struct problem *problem)
{
    struct launches *launches = data;
    int failed = 0;
    struct grid ordered = *grid;
    ordered.order = launches->order;
    ordered.meetings = launches->meetings;
    ordered.races = launches->order > 0 ? launches->races : NULL;
    if (!launches->only_note) {
        failed = launches->recording ? run_counted(launches, &ordered, fault, problem)
                                     : grid_run(&ordered, NULL, fault, problem);
    } else {
        add_inputs(launches, grid);
        if (launches->recording)
            note_launch(launches, grid);
        if (launches->recording && launches->ends &&
            (device_has_shared(runtime_machine()) || !grid_leaves(runtime_machine())) && !launches->inputs &&
            pthread_equal(launches->thread, pthread_self()))
            longjmp(*launches->ends, 1);
    }
    return failed;
}

int launches_run(struct launches *launches, const struct grid *grid, enum fault *fault, struct problem *problem)
{
    return run_logged(launches, grid, fault, problem);
}

void launches_only_note(struct launches *launches)
{
    function_run_by(run_logged, launches);
    inputs_alone();
    launches->only_note = true;
}

size_t launches_counted(const struct launches *launches)
{
    return launches->value_count;
}

const double *launches_values(const struct launches *launches, size_t launch, enum bound bound)
{
    return launches->values[launch].list[bound];
}

static void add_lines(const struct counted *counted, const struct launch_times *times, struct profile *profile)
{
    const unsigned have = profile->counted;
    OWNED_MEMORY struct stalls *stalls = profile->estimated ? times_stalls(times, counted->function) : NULL;
    for (size_t i = 0; i < counted->count; i++) {
        if (counted->tallies[i].executed == 0)
            continue;
        struct profile_line *line = profile_add(profile, counted->function->text.name, counted->files[i],
                                                counted->numbers[i], (unsigned)(i * INSTRUCTION_BYTES));
        double counts[LINE_COUNTERS];
        counters_of_line(&counted->tallies[i], counted->traits[i], counts);
        for (enum line_counter counter = 0; counter < LINE_COUNTERS; counter++)
            line->counts[counter] += have >> counter & 1 ? counts[counter] : 0;
        for (enum stalled by = 0; stalls && by < STALLEDS; by++)
            if (stalls[i].by[by] > 0)
                profile_line_add_stall(line, stalled_name(by), stalls[i].by[by]);
    }
}

void launches_hand_over(struct launches *launches, struct result *result)
{
    result->launches = launches->list;
    result->launch_count = launches->count;
    result->inputs = launches->inputs;
    if (launches->proofs.executed < launches->proofs.blocks) {
        result->blocks = launches->proofs.blocks;
        result->blocks_executed = launches->proofs.executed;
    }
    result->not_proved = launches->proofs.missing;
    result->estimated = times_together(&launches->times);
    result->profile.estimated = result->estimated && !result->estimated->refused;
    memset(&launches->proofs, 0, sizeof launches->proofs);
    launches->list = NULL;
    launches->inputs = NULL;
    launches->count = 0;
    const unsigned of_waits = launches_waited(launches) ? 0 : 1u << LINE_OUTSIDE_WAITS | 1u << LINE_WAITS;
    if (!launches->only_note)
        result->profile.counted = ((1u << LINE_COUNTERS) - 1) & ~launches->open_lines & ~of_waits;
    for (size_t i = 0; i < launches->function_count; i++)
        add_lines(&launches->functions[i], &launches->times, &result->profile);
}
