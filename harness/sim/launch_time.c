#include "launch_time.h"

#include "cudart/cudart.h"

#include <cuda_runtime_api.h>
#include <xxhash.h>

/* So many instructions are replayed to know what a constant does; and what moves the time by less is left out. */
enum { TRIED = 8000, TRIED_OF_WARP = 64 };
/* Replaying a launch takes about a tenth of a second. */
enum { REPLAYED_MOST = 64 };
#define MOVED_LEAST 0.001
#define FOREIGN 2.5 /* so many times as wrong, as logarithms, are constants of a chip that was not measured */

/* ---- A launch ---- */

static void forget_launch(struct launch_time *one)
{
    recorder_release(&one->recorder);
    free(one->refused);
    free(one->moved);
    free(one->stalls);
    free(one);
}

void times_release(struct launch_times *times)
{
    for (size_t i = 0; i < times->count; i++)
        forget_launch(times->list[i]);
    free(times->list);
    times->list = NULL;
    times->count = times->at = times->replayed = 0;
}

void times_begin(struct launch_times *times)
{
    times->at = 0;
}

static bool is_launch(const struct launch_time *one, const struct grid *grid)
{
    return one->function == grid->function && memcmp(one->blocks, grid->blocks, sizeof one->blocks) == 0 &&
           memcmp(one->threads, grid->threads, sizeof one->threads) == 0 && one->shared == grid->shared &&
           one->carve_out == grid->carve_out;
}

struct recorder *times_recorder(struct launch_times *times, const struct grid *grid)
{
    if (!times->wanted)
        return NULL;
    if (times->at < times->count) {
        struct launch_time *again = times->list[times->at];
        return again->known || !is_launch(again, grid) ? NULL : &again->recorder;
    }
    struct launch_time *one = *ARRAY_GROW(times->list, times->count) = x_calloc(1, sizeof *one);
    const unsigned threads = grid->threads[0] * grid->threads[1] * grid->threads[2];
    one->function = grid->function;
    one->shared = grid->shared;
    one->carve_out = grid->carve_out;
    memcpy(one->blocks, grid->blocks, sizeof one->blocks);
    memcpy(one->threads, grid->threads, sizeof one->threads);
    one->recorder.sms = times->chip.sms;
    one->recorder.resident = function_resident_blocks(grid->function, threads, grid->shared, grid->carve_out);
    if (grid->cluster[0] > 0 || grid->cooperative || one->recorder.resident == 0) {
        one->refused = x_strdup(grid->cluster[0] > 0 ? "clusters have no calibrated times"
                                : grid->cooperative  ? "its blocks wait for each other"
                                                     : "the number of its blocks per SM is unknown");
        one->known = true;
        return NULL;
    }
    return &one->recorder;
}

/* The L1 has what is left by the least carve-out for shared memory that holds the blocks, or that was asked for. */
static size_t l1_bytes(const struct chip *chip, const struct grid *grid, unsigned resident)
{
    static const unsigned carve_outs[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};
    const size_t reserved = grid->function->module->architecture->reserved;
    const size_t block = grid->function->shared_bytes + grid->shared;
    const size_t needed = block ? resident * (block + reserved) : 0;
    const size_t asked = grid->carve_out ? (size_t)(grid->carve_out - 1) * chip->shared_bytes / 100 : 0;
    const size_t least = needed > asked ? needed : asked;
    for (size_t i = 0; i < ARRAY_SIZE(carve_outs); i++)
        if ((size_t)carve_outs[i] << 10 >= least)
            return chip->l1_bytes - ((size_t)carve_outs[i] << 10);
    return chip->l1_bytes - chip->shared_bytes;
}

/* Returns the time, a part of it, with the constants from `first` to before `end` each wrong by its factor. */
static double move(const struct replayed *launch, const struct chip *chip, size_t first, size_t end, uint64_t most)
{
    struct chip other = *chip;
    struct timing_row row;
    for (size_t i = first; i < end && timing_row(i, &row); i++)
        *timing_place(&other.timing, &row) *= pow(row.error, chip->foreign ? FOREIGN : 1);
    if (other.timing.l2_mib == chip->timing.l2_mib)
        return replay(launch, &other, most).ns;
    const struct traffic traffic = replay_traffic(launch->recorder, &other.timing);
    struct replayed again = *launch;
    again.traffic = traffic; /* the L2 keeps another part */
    const double ns = replay(&again, &other, most).ns;
    free(traffic.shares);
    return ns;
}

/* Sets the time once more, each constant being wrong by its factor. Where several together move nothing, none does. */
static void move_constants(const struct replayed *launch, const struct chip *chip, double *moved, size_t rows)
{
    enum { TOGETHER = 4 };
    size_t warps = 0;
    for (size_t b = 0; b < launch->recorder->count; b++)
        warps += launch->recorder->blocks[b]->warp_count;
    const uint64_t fair = warps ? TRIED / warps : TRIED, most = fair > TRIED_OF_WARP ? fair : TRIED_OF_WARP;
    const double whole = move(launch, chip, 0, 0, most);
    for (size_t first = 0; first < rows; first += TOGETHER) {
        const size_t end = first + TOGETHER < rows ? first + TOGETHER : rows;
        const bool any = fabs(move(launch, chip, first, end, most) / whole - 1) > MOVED_LEAST;
        for (size_t i = first; i < end; i++)
            moved[i] = any ? move(launch, chip, i, i + 1, most) / whole : 1;
    }
}

static size_t count_constants(void)
{
    struct timing_row row;
    size_t rows = 0;
    while (timing_row(rows, &row))
        rows++;
    return rows;
}

static bool is_alike(const struct launch_time *one, const struct launch_time *other)
{
    return other->function == one->function && other->shared == one->shared && other->carve_out == one->carve_out &&
           memcmp(other->blocks, one->blocks, sizeof one->blocks) == 0 &&
           memcmp(other->threads, one->threads, sizeof one->threads) == 0;
}

/* Returns an earlier launch of the function that counted the same; NULL: there is none. */
static struct launch_time *find_equal(const struct launch_times *times, const struct launch_time *one)
{
    for (const struct launch_times *in = times; in; in = in->before)
        for (size_t i = in == times ? times->at : in->count; i-- > 0;)
            if (in->list[i]->known && !in->list[i]->refused && in->list[i]->counted == one->counted &&
                is_alike(one, in->list[i]))
                return in->list[i];
    return NULL;
}

static double sum_of(const struct tally *tallies, size_t count, size_t offset)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)*(const uint64_t *)(const void *)((const char *)&tallies[i] + offset);
    return sum;
}

static void replay_launch(struct launch_times *times, struct launch_time *one, const struct grid *grid,
                          const struct tally *tallies)
{
    const size_t count = one->function->code->count;
    const size_t rows = count_constants();
    struct launch_time *equal = find_equal(times, one);
    one->moved = x_calloc(rows, sizeof *one->moved);
    if (!equal && times->replayed == REPLAYED_MOST) {
        one->refused = x_sprintf("it makes more than %d different launches", REPLAYED_MOST);
        return;
    }
    times->replayed += !equal;
    if (equal) {
        one->time = equal->time;
        one->first = equal->first ? equal->first : equal;
        one->first->alike++;
        memcpy(one->moved, equal->moved, rows * sizeof *one->moved);
        return;
    }
    OWNED_MEMORY unsigned char *kinds = replay_rows(one->function);
    struct replayed launch = {
        .rows = kinds,
        .function = one->function,
        .recorder = &one->recorder,
        .traffic = replay_traffic(&one->recorder, &times->chip.timing),
        .l1_bytes = l1_bytes(&times->chip, grid, one->recorder.resident),
        .atomics = sum_of(tallies, count, offsetof(struct tally, atomics)),
        .meetings = sum_of(tallies, count, offsetof(struct tally, atomic_meetings)),
        .hottest = sum_of(tallies, count, offsetof(struct tally, hottest)),
        .addresses = sum_of(tallies, count, offsetof(struct tally, addresses)),
    };
    launch.stalls = one->stalls = x_calloc(count, sizeof *one->stalls);
    one->time = replay(&launch, &times->chip, UINT64_MAX);
    launch.stalls = NULL;
    move_constants(&launch, &times->chip, one->moved, rows);
    free(launch.traffic.shares);
}

void times_take(struct launch_times *times, const struct grid *grid, const struct tally *tallies)
{
    if (!times->wanted)
        return;
    struct launch_time *one = times->list[times->at];
    const size_t count = one->function->code->count;
    size_t where;
    if (!is_launch(one, grid)) { /* its tallies are of other code */
        free(one->refused);
        one->refused = x_strdup("each execution launches different kernels");
        one->known = true;
    }
    if (!one->known) {
        const bool whole = recorder_end(&one->recorder, grid);
        const char *refused = replay_refused(grid, tallies, &where);
        OWNED_TEXT place = refused ? code_place(one->function, where) : NULL;
        one->refused = grid->function->module->machine->noted_count > 0
                           ? x_strdup("it calls driver functions, or reads a clock")
                       : refused ? x_sprintf("%s: %s at %s", refused, code_opcode(one->function, where), place)
                                 : NULL;
        one->known = whole || one->refused;
        one->counted = XXH3_64bits(tallies, count * sizeof *tallies);
        if (one->known && !one->refused)
            replay_launch(times, one, grid, tallies);
        if (one->known)
            recorder_release(&one->recorder);
    }
    times->at++;
}

bool times_need_more(const struct launch_times *times)
{
    return ANY(i, times->count, !times->list[i]->known);
}

/* ---- All of them ---- */

static enum bound_by find_bound(const double *busy, double ns)
{
    enum bound_by most = BOUND_BY_LATENCY;
    for (enum bound_by by = BOUND_BY_LATENCY; by < BOUND_BYS; by++)
        most = busy[by] > busy[most] ? by : most;
    return busy[most] > 0.6 * ns ? most : BOUND_BY_LATENCY;
}

static double often(const struct launch_time *one)
{
    return one->often ? (double)one->often : 1;
}

struct estimated_time *times_together(const struct launch_times *times)
{
    if (!times->wanted || times->count == 0)
        return NULL;
    struct estimated_time *together = x_calloc(1, sizeof *together);
    double busy[BOUND_BYS] = {0};
    struct timing_row row;
    for (size_t i = 0; i < times->count; i++) {
        const struct launch_time *one = times->list[i];
        if (one->refused || !one->known) {
            free(together->refused);
            *together = (struct estimated_time){
                .refused =
                    x_strdup(one->refused ? one->refused : "another block decides the result in each execution")};
            return together;
        }
        together->ns += often(one) * one->time.ns;
        for (enum bound_by by = 0; by < BOUND_BYS; by++)
            busy[by] += often(one) * one->time.busy[by];
    }
    for (size_t k = 0; timing_row(k, &row); k++) {
        double moved = 0;
        for (size_t i = 0; i < times->count; i++)
            moved += often(times->list[i]) * times->list[i]->moved[k] * times->list[i]->time.ns;
        if (fabs(moved / together->ns - 1) > MOVED_LEAST)
            *ARRAY_GROW(together->moved, together->moved_count) =
                (struct time_part){x_strdup(row.name), moved / together->ns};
    }
    for (enum bound_by by = 0; by < BOUND_BYS; by++)
        if (busy[by] > 0)
            *ARRAY_GROW(together->busy, together->busy_count) =
                (struct time_part){x_strdup(bound_by_name(by)), busy[by] / together->ns};
    SORT(together->busy, together->busy_count, by_text);
    const enum bound_by by = find_bound(busy, together->ns);
    together->low = together->ns / bound_by_error(by, &times->chip);
    together->high = together->ns * bound_by_error(by, &times->chip);
    together->bound_by = x_strdup(bound_by_name(by));
    together->model = x_sprintf("%d-%08x", REPLAY_VERSION, chip_hash(&times->chip));
    return together;
}

struct stalls *times_stalls(const struct launch_times *times, const struct function *function)
{
    struct stalls *sums = x_calloc(function->code->count, sizeof *sums);
    for (size_t i = 0; i < times->count; i++) {
        const struct launch_time *one = times->list[i];
        if (one->refused || !one->known) {
            free(sums);
            return NULL;
        }
        for (size_t k = 0; one->function == function && one->stalls && k < function->code->count; k++)
            for (enum stalled by = 0; by < STALLEDS; by++)
                sums[k].by[by] += (double)(1 + one->alike) * one->stalls[k].by[by];
    }
    return sums;
}
