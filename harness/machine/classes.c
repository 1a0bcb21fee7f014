/* Counts a launch by one block of each class. A block is executed while the rules find out which others do the same;
 * what it counts is multiplied by how many those are. Then the next block that is in no class yet comes, until there is
 * none. In a launch with clusters, each is one by itself: what is said of blocks here is said of clusters.
 *
 * What shows that a proof is wrong is looked for as well: a block from the middle, the last one, and some between are
 * executed by themselves, and compared with what their class foretells. */
#include "left.h"
#include "record.h"
#include "trial.h"

#include "machine/races/races.h"

/* A launch is tried where it has that many blocks. An instruction takes some ten times as long while it is looked at,
 * but for what it computes; a texture's takes as long as so many others. */
enum {
    BLOCKS_LEAST = 32,
    BLOCKS_MOST = 1 << 25,
    LOOKED_AT = 12,
    TEXTURE_STEPS = 32,
    COMPARED_FACTOR = 4, /* blocks 0, 1, 4, 16 and on are compared with their class */
    CLASSES_MOST = 512,
    SPLIT_FROM = 2, /* where a class is less than such a part of the grid, a quotient is looked for */
};
#define CLASS_BYTES_MOST (UINT64_C(1) << 28) /* of the counts of all classes */

/* A block from the middle, but not where half of the grid begins, which may be a class's first. */
static uint64_t middle_of(const struct trial *trial)
{
    return trial->count * 5 / 9;
}

static bool give_up(struct trial *trial, const char *why, const struct instruction *where)
{
    if (trial->proved->why)
        return false;
    trial->proved->why = why;
    trial->proved->where = where ? where->index : SIZE_MAX;
    return false;
}

/* Returns how long a block took that counted this, in instructions that take as long. */
static uint64_t work_of(const struct code *code, const struct tally *tallies, bool looked_at)
{
    uint64_t work = 0;
    for (size_t i = 0; i < code->count; i++) {
        const struct instruction *one = &code->list[i];
        const uint64_t own = one->rule == RULE_TEXTURE >> RULE_SHIFT ? TEXTURE_STEPS : one->work;
        work += tallies[i].executed * (own + (looked_at ? LOOKED_AT : own == 0));
    }
    return work;
}

/* Executes one block by itself. Returns its counts, which the caller frees; NULL: it failed, or it waits for others and
 * goes on when those begin. */
static struct tally *run_alone(struct trial *trial, uint64_t number, struct block_proof *proof)
{
    struct run_state run = *trial->run;
    struct thread_state *thread = x_calloc(1, sizeof *thread);
    const size_t count = run.code->count;
    thread->run = &run;
    run.alone = true;
    run.next = number;
    run.count = number + 1;
    run.live = 1;
    run.proof = proof;
    pthread_mutex_init(&run.lock, NULL);
    struct tally *tallies = thread->tallies = x_calloc(count, sizeof *tallies);
    thread->flows = x_calloc(count + 1, sizeof *thread->flows);
    run_blocks(thread);
    pthread_mutex_destroy(&run.lock);
    trial->done[number / 64] |= UINT64_C(1) << number % 64;
    if (thread->turns) {
        give_up(trial, "a block may wait for others", NULL);
        trial->run->waiting = thread;
        return NULL;
    }
    add_flows(tallies, thread->flows, count);
    hot_merge(&trial->run->hot, &thread->hot);
    most_add(&trial->run->most, &thread->most);
    hot_release(&thread->hot);
    free(thread->flows);
    free(thread);
    trial->steps += work_of(run.code, tallies, proof);
    trial->executed++;
    if (run.failed) {
        trial->run->failed = true;
        trial->run->fault = run.fault;
        trial->run->problem = run.problem;
        trial->run->failed_block = run.failed_block;
        free(tallies);
        return NULL;
    }
    return tallies;
}

/* Whether blocks count the same, but for what is not proved. */
static bool count_alike(const struct trial *trial, const struct tally *one, const struct tally *other)
{
    bool alike = true;
    for (size_t i = 0; i < trial->run->code->count && alike; i++) {
        struct tally same = one[i];
        same.working = trial->uneven[i] ? other[i].working : same.working;
        alike = memcmp(&same, &other[i], sizeof same) == 0;
    }
    return alike;
}

static void add_times(struct tally *sum, const struct tally *added, size_t count, uint64_t times)
{
    uint64_t *to = (uint64_t *)sum;
    const uint64_t *from = (const uint64_t *)added;
    for (size_t i = 0; i < count * sizeof *sum / sizeof *to; i++)
        to[i] += times * from[i];
}

/* Adds what all blocks of a class count. Of those that were not executed all threads may work, or none. */
static void add_members(const struct trial *trial, const struct class *class, struct tally *sum)
{
    const size_t count = trial->run->code->count;
    add_times(sum, class->tallies, count, class->members);
    for (size_t i = 0; i < count; i++) {
        const struct tally *one = &class->tallies[i];
        sum[i].fewer_work += trial->uneven[i] ? (class->members - 1) * one->working : 0;
        sum[i].more_work += trial->uneven[i] ? (class->members - 1) * (one->active - one->working) : 0;
    }
}

/* ---- Classes ---- */

/* Gives blocks of the box that have no class yet this one. Returns how many. */
static uint64_t claim(struct trial *trial, const struct class *class, uint16_t number)
{
    unsigned blocks[GRID_AXES];
    grid_clusters(trial->run->grid, blocks);
    uint64_t members = 0;
    size_t counts[GRID_AXES] = {0};
    uint32_t *places[GRID_AXES];
    for (unsigned of = 0; of < GRID_AXES; of++)
        trial->steps += axes_places(class->axes, of, class->at, class->box, &places[of], &counts[of]) / VISITS_OF_STEP;
    for (size_t z = 0; z < counts[2]; z++)
        for (size_t y = 0; y < counts[1]; y++) {
            uint16_t *row = &trial->class_of[blocks[0] * (places[1][y] + (uint64_t)blocks[1] * places[2][z])];
            for (size_t x = 0; x < counts[0]; x++) {
                uint16_t *of = &row[places[0][x]];
                members += *of == 0;
                *of = *of ? *of : number;
            }
        }
    trial->steps += counts[0] * counts[1] * counts[2] / VISITS_OF_STEP;
    for (unsigned of = 0; of < GRID_AXES; of++)
        free(places[of]);
    return members;
}

/* Whether all blocks of the box access the same allocations as the executed one, in their bounds. */
static bool within_bounds(const struct machine *machine, struct class *class)
{
    EACH(const struct moved_ranges, moved, class->footprint.list, class->footprint.count) {
        struct allocation place = {0, 0};
        int128 below, above;
        axes_reach(class->axes, class->at, class->box, moved->by, &below, &above);
        for (unsigned kind = 0; kind < FOOTPRINT_KINDS; kind++) {
            const struct ranges *ranges = &moved->of[kind];
            EACH(const struct range, range, ranges->list, ranges->count) {
                if ((range->begin < place.begin || range->end > place.end) &&
                    !device_find(machine, range->begin, &place))
                    return false;
                if (range->begin + below < place.begin || range->end + above > place.end)
                    return false;
                trial_add_place(kind ? &class->written : &class->read, place.begin, place.end);
            }
        }
    }
    return true;
}

/* Executes a block as the first of its class. */
static bool add_class(struct trial *trial, uint64_t number)
{
    struct block_proof proof;
    struct class *class = ARRAY_GROW(trial->classes, trial->class_count);
    *class = (struct class){.number = number, .members = 1};
    memcpy(class->axes, trial->axes, sizeof class->axes);
    trial_place(trial->run->grid, class->axes, number, class->at);
    proof_open(&proof, trial->run->grid, class->axes, class->at);
    proof.uneven = trial->uneven;
    proof.threadless = !grid_asks_threads(trial->run->grid->function->module->machine);
    if (trial->every)
        proof.values = x_calloc(proof.warp_count, sizeof *proof.values);
    class->tallies = run_alone(trial, number, &proof);
    for (unsigned k = 0; k < AXES_MOST; k++) { /* to its first and last members */
        const uint32_t at = class->at[k], every = proof.box[k].every;
        class->box[k] = (struct box){at - ((at - proof.box[k].low) >> every << every),
                                     at + ((proof.box[k].high - at) >> every << every), every};
    }
    footprint_sort(&proof.footprint);
    class->footprint = proof.footprint;
    trial->relies |= proof.relies;
    bool good = class->tallies != NULL;
    if (good && proof.why)
        good = give_up(trial, proof.why, proof.where);
    if (good && !within_bounds(trial->run->grid->function->module->machine, class))
        good = give_up(trial, "a block of this class accesses memory outside every allocation", NULL);
    for (size_t i = 0; i < proof.arrays.count; i++)
        trial_add_place(&class->read, proof.arrays.list[i].begin, proof.arrays.list[i].end);
    for (unsigned k = 0; k < trial->axis_count; k++) {
        const uint32_t by = floors_quotient(proof.floors, proof.floor_count, k, &trial->axes[k], &class->box[k]);
        if (by && (!class->quotient || by < class->quotient)) {
            class->axis = k;
            class->quotient = by;
        }
    }
    if (good)
        trial->claimed += class->members = claim(trial, class, (uint16_t)trial->class_count);
    if (good && trial->every) {
        class->proof = x_calloc(1, sizeof proof);
        *class->proof = proof;
        return true;
    }
    proof_close(&proof);
    return good;
}

/* Whether a block may be other than its class says, in tests that go on: it has loaded what another one wrote. */
static bool may_differ(const struct trial *trial)
{
    const struct grid *grid = trial->run->grid;
    return !trial->every || (trial->relies && grid->meetings && meetings_place(grid->meetings));
}

/* Executes a block by itself and compares it with its class. */
static bool compare(struct trial *trial, uint64_t number)
{
    const size_t count = trial->run->code->count;
    if (!trial->classes || trial_has_done(trial, number))
        return true;
    const struct class *class = &trial->classes[trial->class_of[number] - 1];
    struct block_proof proof;
    if (class->proof) {
        uint32_t at[AXES_MOST];
        trial_place(trial->run->grid, class->axes, number, at);
        proof_open(&proof, trial->run->grid, class->axes, at);
        proof.values = x_calloc(proof.warp_count, sizeof *proof.values);
        proof.of_class = class->proof;
    }
    OWNED_MEMORY struct tally *tallies = run_alone(trial, number, class->proof ? &proof : NULL);
    bool alike = tallies && count_alike(trial, tallies, class->tallies);
    if (class->proof) {
        if (alike && proof.wrong && !may_differ(trial))
            problem_set(&trial->run->problem, "block %llu: %s", (unsigned long long)number, proof.wrong);
        trial->run->failed |= alike && proof.wrong && !may_differ(trial);
        alike &= !proof.wrong;
        free(proof.wrong);
        proof_close(&proof);
    }
    if (tallies)
        add_times(trial->others, tallies, count, 1);
    return alike || (trial->run->failed ? false : give_up(trial, "a block differs from its class", NULL));
}

/* Compares every block with its class, for tests. What differs fails the launch. */
static bool compare_all(struct trial *trial)
{
    const uint64_t executed = trial->executed;
    bool alike = true;
    for (uint64_t number = 0; number < trial->count && alike; number++) {
        alike = compare(trial, number);
        if (!alike && !trial->run->failed && !may_differ(trial))
            problem_set(&trial->run->problem, "block %llu differs from its class", (unsigned long long)number);
    }
    trial->run->failed |= !alike && !may_differ(trial);
    trial->executed = executed;
    return alike;
}

static bool compare_some(struct trial *trial)
{
    if (trial->every)
        return compare_all(trial);
    if (!compare(trial, trial->count - 1) || !compare(trial, 0))
        return false;
    for (uint64_t number = 1; number < trial->count; number *= COMPARED_FACTOR)
        if (!compare(trial, number))
            return false;
    return true;
}

/* Executes what is recorded of a launch (record.h). Each block executes as much as the first one of its class. */
static bool record_some(struct trial *trial)
{
    struct recorder *recorder = trial->classes ? trial->run->grid->recorder : NULL;
    for (uint64_t number = 0; number < trial->count && recorder && recorder->block_steps; number++)
        recorder->block_steps[number] = recorder->block_steps[trial->classes[trial->class_of[number] - 1].number];
    if (recorder)
        recorder_choose(recorder);
    for (size_t i = 0; recorder && i < recorder->chosen_count; i++)
        if (!compare(trial, recorder->chosen[i]))
            return false;
    return true;
}

/* Compares the hottest address with that of all blocks, which were executed. */
static bool same_hot(struct trial *trial, const struct hot_addresses *hot)
{
    const struct hot_address one = hot_most(hot), other = hot_most(&trial->run->hot);
    const bool same = one.count == other.count && one.instruction == other.instruction;
    if (!same)
        problem_set(&trial->run->problem, "%llu atomics access an address, not %llu", (unsigned long long)other.count,
                    (unsigned long long)one.count);
    trial->run->failed |= !same;
    return same;
}

/* Whether it takes too long: some of the whole is tried in any case, and more if all would be in classes before long.
 */
static bool takes_long(const struct trial *trial, uint64_t whole)
{
    const double foreseen = (double)trial->steps * (double)trial->count / ((double)trial->claimed + 1);
    return trial->steps * TRIAL_PARTS > whole && foreseen * TRIAL_GAIN > (double)whole && !trial->small;
}

/* Executes a block that is in no class, if there may be another one. If that class is small, since it is cut to one
 * quotient, an axis is split for those that follow. */
static bool try_class(struct trial *trial, uint64_t number, uint64_t whole)
{
    if (trial->class_count == CLASSES_MOST ||
        trial->class_count * trial->run->code->count * sizeof(struct tally) > CLASS_BYTES_MOST ||
        takes_long(trial, whole))
        return give_up(trial, "there are too many classes of blocks", NULL);
    if (!add_class(trial, number)) {
        trial->class_of[number] = (uint16_t)trial->class_count; /* others are compared all the same */
        return trial->every && trial->classes[trial->class_count - 1].tallies;
    }
    const struct class *class = &trial->classes[trial->class_count - 1];
    if (class->members * SPLIT_FROM < trial->count)
        axes_split(trial->axes, &trial->axis_count, class->axis, class->quotient);
    return true;
}

static bool prove(struct trial *trial, const struct tally *middle, uint64_t whole)
{
    const struct grid *grid = trial->run->grid;
    const uint64_t inside = trial->count * 4 / 9; /* where most is alike */
    bool tried = trial_has_done(trial, inside) || try_class(trial, inside, whole);
    for (uint64_t number = 0; number < trial->count && tried; number++)
        tried = trial->class_of[number] || trial_has_done(trial, number) || try_class(trial, number, whole);
    if (!tried || !trial->classes)
        return false;
    const uint16_t of_middle = trial->class_of[middle_of(trial)];
    if (!of_middle && !give_up(trial, "the middle block is in no class", NULL) && !trial->every)
        return false;
    if (!trial->proved->why && !trial_apart(trial, whole) && (!trial->every || trial->relies))
        return give_up(trial, "blocks may access the same global memory", NULL);
    if (trial->proved->why && trial->relies)
        return false;
    const struct class *class = of_middle ? &trial->classes[of_middle - 1] : NULL;
    if (class && !count_alike(trial, middle, class->tallies)) {
        trial->run->failed = !may_differ(trial);
        if (trial->run->failed)
            problem_set(&trial->run->problem, "the middle block differs from its class");
        return give_up(trial, "a block differs from its class", NULL);
    }
    if (!compare_some(trial) || trial->proved->why || !record_some(trial))
        return false;
    if ((grid->meetings && meetings_place(grid->meetings)) || (grid->doubt && grid->doubt->any))
        return give_up(trial, "blocks may access the same memory", NULL);
    if (device_is_shared(grid->function->module->machine, &trial->places))
        return give_up(trial, "the kernel accesses memory that the host shares", NULL);
    struct hot_addresses hot = {0};
    bool counted =
        trial_count_hot(trial, whole, &hot) || give_up(trial, "atomics of different blocks may overlap", NULL);
    if (counted && trial->every && !same_hot(trial, &hot))
        counted = give_up(trial, "the number of atomics at an address is uncertain", NULL);
    if (counted) {
        const struct hot_addresses executed = trial->run->hot;
        trial->run->hot = hot;
        hot = executed;
    }
    hot_release(&hot);
    return counted;
}

/* What a launch does that is not known of one block alone. */
static const char *cannot_be_tried(const struct run_state *run, bool small)
{
    const struct grid *grid = run->grid;
    if (!grid_leaves(grid->function->module->machine))
        return "all blocks were requested";
    if (grid->untrusted)
        return "its code was replaced";
    if (grid->order > 0)
        return "an order of blocks was requested";
    if (grid->cooperative)
        return "it is a cooperative launch";
    if (run->count < (small ? 2 : BLOCKS_LEAST) || run->count > BLOCKS_MOST)
        return "it has too few or too many blocks";
    return grid->meetings && meetings_place(grid->meetings) ? "blocks of an earlier launch accessed the same memory"
                                                            : NULL;
}

bool classes_count(struct run_state *run, struct tally *tallies, uint64_t **done)
{
    const char *asked = getenv("CUGATE_SIM_PROOF");
    struct trial trial = {.run = run, .count = run->count, .proved = run->grid->proved};
    trial.every = asked && strcmp(asked, "every") == 0;
    trial.small = asked != NULL;
    const char *why = cannot_be_tried(run, trial.small);
    const size_t count = run->code->count;
    bool good = false;
    unsigned blocks[GRID_AXES];
    grid_clusters(run->grid, blocks);
    axes_of(trial.axes, blocks);
    trial.axis_count = GRID_AXES;
    if (why)
        return give_up(&trial, why, NULL);
    uint32_t *order = order_of_tiles(run, blocks, trial.axes);
    trial.done = *done = x_calloc(trial.count / 64 + 1, sizeof *trial.done);
    OWNED_MEMORY struct tally *middle = run_alone(&trial, middle_of(&trial), NULL);
    const uint64_t whole = trial.proved->steps = trial.steps * trial.count;
    if (middle && whole < GRID_STEPS_LEAST && !trial.small) {
        give_up(&trial, "the launch is short", NULL);
    } else if (middle) {
        trial.class_of = x_calloc(trial.count, sizeof *trial.class_of);
        trial.others = x_calloc(count, sizeof *trial.others);
        trial.uneven = x_calloc(count, sizeof *trial.uneven);
        good = prove(&trial, middle, whole);
    }
    /* If not all is proved, each block that was executed counts by itself. */
    for (size_t i = 0; i < trial.class_count && !run->failed; i++)
        if (good)
            add_members(&trial, &trial.classes[i], tallies);
        else if (trial.classes[i].tallies)
            add_times(tallies, trial.classes[i].tallies, count, 1);
    if (middle && !good)
        add_times(tallies, middle, count, 1);
    if (trial.others && !good)
        add_times(tallies, trial.others, count, 1);
    trial.proved->executed = trial.executed * cluster_blocks(run->grid);
    if (good)
        trial_keep(&trial);
    for (size_t i = 0; i < trial.class_count; i++) {
        free(trial.classes[i].tallies);
        free(trial.classes[i].written.list);
        free(trial.classes[i].read.list);
        footprint_release(&trial.classes[i].footprint);
        if (trial.classes[i].proof)
            proof_close(trial.classes[i].proof);
        free(trial.classes[i].proof);
    }
    footprint_release(&trial.all);
    free(trial.places.list);
    free(trial.classes);
    free(trial.class_of);
    free(trial.others);
    free(trial.uneven);
    free(order);
    return good;
}
