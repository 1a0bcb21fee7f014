#include "estimate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The constants, fitted by search on 2026-11-26 to the logarithm of 173 times of H200s (driver 580.159.04,
 * CUDA 13.0, 1.98 GHz, L2 flushed before each launch): 57 of tests/data/recorded-nvidia-h200.json, and 116 of small
 * kernels that were made to trade counts. `error` is the factor by which a constant may be wrong for a kernel: large
 * where counts do not tell what decides, as atomics cost a tenth where lanes are neighbours. That of constants is by
 * itself: 2 cycles for each further address of 32 in a kilobyte, and 5.1 in 18 KB (an H200, 23 kernels). */
static const struct term {
    const char *words;
    const char *metrics; /* the rows that it explains, each between spaces */
    double unit; /* ns for one, where one SM has all of them; of traffic, atomics and launches for one on the GPU */
    double error;
} terms[ESTIMATE_TERMS] = {
    [ESTIMATE_ISSUE] = {"issue of instructions",
                        " instructions branch_targets branch_targets_divergent threads_per_instruction ", 0.135, 1.25},
    [ESTIMATE_SHARED] = {"shared memory", " shared_wavefronts excess_wavefronts shared_bank_conflicts ", 0.505, 1.25},
    [ESTIMATE_L1] = {"loads in the L1", " global_load_sectors global_load_requests l1_hit_rate ", 0.43, 1.5},
    [ESTIMATE_TRAFFIC] = {"memory traffic", " dram_bytes_read dram_bytes_write l2_hit_rate ", 0.0038, 1.3},
    [ESTIMATE_PARTIAL] = {"scattered stores", " global_store_sectors global_store_requests ", 0.025, 2},
    [ESTIMATE_ATOMICS] = {"atomics", " global_atomics atomic_meetings ", 0.13, 2.5},
    [ESTIMATE_HOTTEST] = {"atomics at one address", " hottest_address ", 1.3, 1.6},
    [ESTIMATE_CONSTANTS] = {"reads of constants one after the other", " constant_replays ", 1.05, 3},
    [ESTIMATE_FP64] = {"double precision", " fp64_arithmetic fp64_fused ", 0.0063, 1.3},
    [ESTIMATE_WAITS] = {"waits for loads", " load_waits theoretical_occupancy grid_balance ", 100, 1.5},
    [ESTIMATE_BLOCKS] = {"start of blocks", " ", 50, 1.5},
    [ESTIMATE_LOCAL] = {"local memory", " local_memory local_sectors ", 0.0018, 10},
    [ESTIMATE_LAUNCHES] = {"launches", " kernel_launches ", 2380, 1.2},
};
#define TOGETHER 1.9     /* the terms but launches are combined as a norm with this exponent */
#define FIRST_SECTOR 1.9 /* a sector that comes from DRAM costs that many times one from the L2 */
#define MEETING 4.6      /* an atomic that meets another of its warp costs that many more */
#define MISSED_WAIT 2.9  /* a wait for what is not in the L1 takes that many times longer again */
#define TOUCHED 4        /* a wait for more sectors than this is more likely to be one */
#define SLICE 1024       /* so many addresses share a slice of the L2, by and large */
#define FULL_STORE 16    /* more sectors by request than this are written in part */
#define MEASURED_ERROR 4 /* error of the waits where only requests were counted */
#define FOREIGN 3        /* on a GPU of another compute capability each constant may be off by this factor */
#define STACK 0.08       /* sectors that a byte of a thread's stack is like, where they were not counted */
#define CHANGE 1.05      /* least change of an answer, whose sign stands whichever constant is wrong by its error */

/* Of the sectors beyond those that neither side can avoid, the L1 may have all, some or none. These powers of their
 * share are tried, the most likely first. The last one is for data that do not fit into the L2 of 50 MB. */
static const double missed[] = {0.3, 0, 0.7, 1};
#define L2_SECTORS (50e6 / 32)

/* The time of all terms together, where one of them is so many times as long; ESTIMATE_TERMS: none is. */
static double together(const double *of, int term, double factor)
{
    double sum = 0;
    for (int i = 0; i < ESTIMATE_LAUNCHES; i++)
        sum += pow(of[i] * (i == term ? factor : 1), TOGETHER);
    return of[ESTIMATE_LAUNCHES] * (term == ESTIMATE_LAUNCHES ? factor : 1) + pow(sum, 1 / TOGETHER);
}

/* ns of waits for so many sectors, of which a share is not in the L1. */
static double wait_time(double waits, double touched, double share)
{
    return terms[ESTIMATE_WAITS].unit * waits * (1 + MISSED_WAIT * fmin(1, share * fmax(1, touched / TOUCHED)));
}

/* Sets what of computed counts depends on the L1, and the time. `first` sectors come from DRAM. */
static void set_memory(struct estimate *of, double first, double power)
{
    if (of->computed) {
        const double beyond = fmax(of->stores, first > 0 ? first * pow(of->sectors / first, power) : 0);
        const double loads = of->sectors - of->stores;
        of->terms[ESTIMATE_TRAFFIC] = terms[ESTIMATE_TRAFFIC].unit * ((FIRST_SECTOR - 1) * first + beyond);
        of->terms[ESTIMATE_WAITS] =
            wait_time(of->waits, of->touched, loads > 0 ? fmin(1, (beyond - of->stores) / loads) : 1);
    }
    of->time = together(of->terms, ESTIMATE_TERMS, 1);
}

/* Returns the number of a row; NAN where it was not counted. */
static double number(const struct result *result, const char *metric)
{
    const struct row *row = result_find(result, metric);
    return row && row->state == VALUE_MEASURED && row->session_count ? row_value(row) : NAN;
}

/* Whether the number of instructions depends on the order of warps by more than 5 %: they wait for each other. */
static bool spins(const struct result *result)
{
    const struct session_samples *of = result_find(result, "instructions")->sessions;
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < of->count; i++) {
        least = fmin(least, of->samples[i]);
        most = fmax(most, of->samples[i]);
    }
    return most > 1.05 * least;
}

/* What the launches say together. resident: warps at once on the GPU, for the average warp. */
struct shape {
    double launches, blocks, warps, threads, resident;
};

static struct shape shape_of(const struct result *result, double most)
{
    struct shape shape = {0};
    for (size_t i = 0; i < result->launch_count; i++) {
        const struct launch *launch = &result->launches[i];
        const double blocks = (double)launch->grid[0] * launch->grid[1] * launch->grid[2];
        const double threads = (double)launch->block[0] * launch->block[1] * launch->block[2];
        const double warps = blocks * ceil(threads / 32);
        shape.launches += launch->times;
        shape.blocks += launch->times * blocks;
        shape.warps += launch->times * warps;
        shape.threads += launch->times * blocks * threads;
        shape.resident += launch->times * warps * fmin(warps, most);
    }
    shape.resident /= shape.warps;
    return shape;
}

/* Returns why it may use tensor cores, which have no term, or NULL: by the machine code, or where that says nothing by
 * counts that are optional. */
static const char *tensor_cores(const struct result *result)
{
    bool known = true;
    for (size_t i = 0; i < result->launch_count; i++) {
        if (result->launches[i].machine.tensor == TENSOR_USED)
            return "it uses tensor cores";
        known &= result->launches[i].machine.tensor == TENSOR_UNUSED;
    }
    const double counted = fmax(number(result, "tensor_instructions"), number(result, "tensor_active"));
    return known          ? NULL
           : counted > 0  ? "it uses tensor cores"
           : counted == 0 ? NULL
                          : "its file is too old to say whether it uses tensor cores";
}

struct counts {
    double instructions, shared, loads, load_sectors, stores, store_sectors, occupancy, balance;
};

/* Returns why the estimate was not calibrated for such a kernel, or NULL. */
static const char *uncalibrated(const struct device *device, const struct result *result, const struct counts *of)
{
    if (device->sm_count <= 0)
        return "the number of SMs is unknown";
    if (result->status != RESULT_OK || isnan(of->balance) || !(of->occupancy > 0))
        return "its launches, or how many warps fit on an SM, are not known";
    if (isnan(of->instructions + of->shared + of->loads + of->load_sectors + of->stores + of->store_sectors))
        return "not all of its instructions, wavefronts, requests and sectors were counted";
    if (spins(result))
        return "its warps wait for each other";
    if (tensor_cores(result))
        return tensor_cores(result);
    if (of->load_sectors > 32 * of->loads)
        return "it copies to shared memory asynchronously";
    if (of->loads <= 0 || result->bytes > 1.05 * 32 * (of->load_sectors + of->store_sectors))
        return "it reads by other ways than global loads, such as textures, constants or bulk copies";
    return NULL;
}

/* Sets the terms that computed and measured counts have in different ways. */
static void set_by_kind(struct estimate *estimate, const struct result *result, const struct counts *of, double warps)
{
    const double waits = number(result, "load_waits");
    estimate->computed = !isnan(waits);
    if (estimate->computed) {
        const double atomics = number(result, "global_atomics"), meetings = number(result, "atomic_meetings");
        const double hottest = number(result, "hottest_address"), addresses = hottest > 0 ? atomics / hottest : 0;
        estimate->terms[ESTIMATE_ATOMICS] = (atomics + MEETING * meetings) / (1 + addresses / SLICE);
        estimate->terms[ESTIMATE_HOTTEST] = hottest;
        estimate->waits = waits / warps;
        estimate->touched = waits > 0 ? of->load_sectors / waits : 0;
        estimate->sectors = of->load_sectors + of->store_sectors;
        estimate->stores = of->store_sectors;
        estimate->least = result->bytes / 32;
        return;
    }
    const double missed_share = 1 - number(result, "l1_hit_rate") / 100, l1 = number(result, "l1_sectors");
    const double dram = (number(result, "dram_bytes_read") + number(result, "dram_bytes_write")) / 32;
    estimate->terms[ESTIMATE_TRAFFIC] = (FIRST_SECTOR - 1) * dram + l1 * missed_share;
    estimate->terms[ESTIMATE_WAITS] =
        wait_time(of->loads / MEASURED_ERROR / warps, MEASURED_ERROR * of->load_sectors / of->loads, missed_share);
}

void estimate_time(struct estimate *estimate, const struct device *device, const struct result *result)
{
    *estimate = (struct estimate){.foreign = order_of_texts(device->compute_capability, "9.0") != 0};
    const struct counts of = {number(result, "instructions"),          number(result, "shared_wavefronts"),
                              number(result, "global_load_requests"),  number(result, "global_load_sectors"),
                              number(result, "global_store_requests"), number(result, "global_store_sectors"),
                              number(result, "theoretical_occupancy"), grid_balance(result, device->sm_count)};
    estimate->unknown = uncalibrated(device, result, &of);
    if (estimate->unknown)
        return;
    const double sms = (double)device->sm_count;
    const struct shape shape = shape_of(result, sms * 64 * of.occupancy / 100);
    const double busy = sms * of.balance / 100;
    set_by_kind(estimate, result, &of, shape.resident);
    double *term = estimate->terms;
    term[ESTIMATE_ISSUE] = of.instructions / busy;
    term[ESTIMATE_SHARED] = of.shared / busy;
    term[ESTIMATE_L1] = fmax(of.loads, of.load_sectors / 4) / busy;
    term[ESTIMATE_PARTIAL] = fmax(0, of.store_sectors - FULL_STORE * of.stores);
    term[ESTIMATE_CONSTANTS] = estimate->computed ? number(result, "constant_replays") / busy : 0;
    term[ESTIMATE_FP64] = number(result, "fp64_arithmetic") / busy;
    term[ESTIMATE_BLOCKS] = shape.blocks / sms;
    const double local = number(result, "local_sectors"), stack = number(result, "local_memory") * shape.threads;
    term[ESTIMATE_LOCAL] = isnan(local) ? STACK * stack : local;
    term[ESTIMATE_LAUNCHES] = shape.launches;
    bool all = true;
    for (int i = 0; i < ESTIMATE_TERMS; i++) {
        term[i] *= i == ESTIMATE_WAITS ? 1 : terms[i].unit;
        all = all && isfinite(term[i]);
    }
    estimate->known = all;
    if (!all)
        estimate->unknown = estimate->computed ? "its atomics, or its reads of constants, were not counted"
                                               : "its traffic was not measured";
    set_memory(estimate, estimate->least > 0 ? fmin(estimate->least, estimate->sectors) : estimate->sectors, missed[0]);
}

/* Sets the memory of both sides: what neither can avoid is no more than the lesser of them moves. */
static void pair_memory(struct estimate *was, struct estimate *now, double power)
{
    double first = fmin(was->sectors, now->sectors);
    if (was->least > 0 && now->least > 0)
        first = fmin(first, fmin(was->least, now->least));
    set_memory(was, first, power);
    set_memory(now, first, power);
}

/* By how much the time changes: the most likely, and the least and the most that errors leave open. */
struct change {
    double likely, least, most;
};

/* Returns the largest ratio of the two times, or by `way` -1 the least, where each constant alone may be FOREIGN times
 * larger or smaller: the terms that move further than the whole are taken as large as they may be. */
static double extreme(const struct estimate *was, const struct estimate *now, int way)
{
    double ratio = together(now->terms, ESTIMATE_TERMS, 1) / together(was->terms, ESTIMATE_TERMS, 1);
    for (int round = 0; round < 4; round++) {
        double before[ESTIMATE_TERMS], after[ESTIMATE_TERMS];
        for (int t = 0; t < ESTIMATE_TERMS; t++) {
            const double factor = pow(FOREIGN, now->terms[t] > ratio * was->terms[t] ? way : -way);
            before[t] = was->terms[t] * factor;
            after[t] = now->terms[t] * factor;
        }
        ratio = together(after, ESTIMATE_TERMS, 1) / together(before, ESTIMATE_TERMS, 1);
    }
    return ratio;
}

static struct change change_of(struct estimate was, struct estimate now)
{
    struct change change = {0, INFINITY, 0};
    for (int m = 0; m < (fmin(was.sectors, now.sectors) > L2_SECTORS ? 4 : 3); m++) {
        pair_memory(&was, &now, missed[m]);
        if (was.foreign) {
            change.least = fmin(change.least, extreme(&was, &now, -1));
            change.most = fmax(change.most, extreme(&was, &now, 1));
        }
        for (int t = 0; t < ESTIMATE_TERMS; t++)
            for (int way = -1; way <= 1; way++) {
                const bool requests = t == ESTIMATE_WAITS && !was.computed;
                const double factor = pow(requests ? MEASURED_ERROR : terms[t].error, way);
                const double ratio = together(now.terms, t, factor) / together(was.terms, t, factor);
                change.least = fmin(change.least, ratio);
                change.most = fmax(change.most, ratio);
                if (m == 0 && way == 0)
                    change.likely = ratio;
            }
    }
    return change;
}

/* Appends the terms that moved most, at most two: "issue of instructions 71.0 us -> 60.2 us". */
static void append_moved(const double *was, const double *now, double least, char *why, size_t size)
{
    const struct metric ns = {.unit = (char[]){"ns"}};
    bool told[ESTIMATE_TERMS] = {false};
    for (int n = 0; n < 2; n++) {
        int most = -1;
        double moved = least;
        for (int t = 0; t < ESTIMATE_TERMS; t++)
            if (!told[t] && fabs(now[t] - was[t]) > moved) {
                moved = fabs(now[t] - was[t]);
                most = t;
            }
        if (most < 0)
            return;
        told[most] = true;
        char before[32], after[32];
        const size_t length = strlen(why);
        snprintf(why + length, size - length, "%s%s %s -> %s", n ? ", " : ": ", terms[most].words,
                 metric_format(&ns, was[most], before, sizeof before),
                 metric_format(&ns, now[most], after, sizeof after));
    }
}

/* Writes how fast the change is, with its range: "30 % slower by its counts (10 to 60 %)". */
static void write_change(const struct change *change, char *text, size_t size)
{
    static const char *const words[] = {"faster", "slower"};
    const bool slower = change->likely > 1, mixed = (change->least < 1) != (change->most < 1);
    const double from = slower ? change->least : change->most, to = slower ? change->most : change->least;
    const double likely = 100 * fabs(change->likely - 1), first = 100 * fabs(from - 1), last = 100 * fabs(to - 1);
    const int digits = last < 10; /* behind the point */
    const int length = snprintf(text, size, "about %.*f %% %s by its counts ", digits, likely, words[slower]);
    if (mixed)
        snprintf(text + length, size - (size_t)length, "(%.*f %% %s to %.*f %% %s)", digits, first, words[from > 1],
                 digits, last, words[to > 1]);
    else
        snprintf(text + length, size - (size_t)length, "(%.*f to %.*f %%)", digits, first, digits, last);
}

enum weighed estimate_weigh(const struct estimate *was, const struct estimate *now, char *why, size_t size)
{
    const char *because = !was->known                      ? was->unknown
                          : !now->known                    ? now->unknown
                          : was->computed != now->computed ? "one side was measured and the other computed"
                                                           : NULL;
    if (because) {
        snprintf(why, size, "its time cannot be estimated, since %s: pairs on a GPU decide", because);
        return WEIGHED_OPEN;
    }
    const struct change change = change_of(*was, *now);
    const bool faster = change.likely < 1 && change.most <= 1;
    const bool slower = (was->foreign ? change.most : change.likely) > CHANGE && change.least > 1;
    write_change(&change, why, size);
    const size_t length = strlen(why);
    if (!faster && !slower)
        snprintf(why + length, size - length, ", pairs on a GPU decide");
    struct estimate before = *was, after = *now;
    pair_memory(&before, &after, missed[0]);
    append_moved(before.terms, after.terms, 0.02 * fmax(before.time, after.time), why, size);
    return faster ? WEIGHED_FASTER : slower ? WEIGHED_SLOWER : WEIGHED_OPEN;
}

void estimate_pair(struct estimate *was, struct estimate *now)
{
    pair_memory(was, now, missed[0]);
}

double estimate_share(const struct estimate *was, const struct estimate *now, const char *metric)
{
    char word[METRIC_NAME + 2];
    snprintf(word, sizeof word, " %s ", metric);
    int t = 0;
    while (t < ESTIMATE_TERMS && !strstr(terms[t].metrics, word))
        t++;
    if (!was->known || !now->known || t == ESTIMATE_TERMS)
        return 0;
    return fmin(1, fabs(now->terms[t] - was->terms[t]) / fmax(was->time, now->time));
}
