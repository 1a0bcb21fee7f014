#include "estimate.h"

/* The constants, fitted by search on 2026-11-26 to the logarithm of 173 times of H200s (driver 580.159.04,
 * CUDA 13.0, 1.98 GHz, L2 flushed before each launch): 57 of tests/data/recorded-nvidia-h200.json, and 116 of small
 * kernels that were made to trade counts. unit: ns for one, where one SM has all of them; of traffic, atomics and
 * launches for one on the GPU. metrics: the rows that a term explains, each between spaces. */
static const struct term {
    const char *metrics;
    double unit;
} terms[ESTIMATE_TERMS] = {
    [ESTIMATE_ISSUE] = {" instructions branch_targets branch_targets_divergent threads_per_instruction ", 0.135},
    [ESTIMATE_SHARED] = {" shared_wavefronts excess_wavefronts shared_bank_conflicts ", 0.505},
    [ESTIMATE_L1] = {" global_load_sectors global_load_requests l1_hit_rate ", 0.43},
    [ESTIMATE_TRAFFIC] = {" dram_bytes_read dram_bytes_write l2_hit_rate ", 0.0038},
    [ESTIMATE_PARTIAL] = {" global_store_sectors global_store_requests ", 0.025},
    [ESTIMATE_ATOMICS] = {" global_atomics atomic_meetings ", 0.13},
    [ESTIMATE_HOTTEST] = {" hottest_address ", 1.3},
    [ESTIMATE_CONSTANTS] = {" constant_replays ", 1.05},
    [ESTIMATE_FP64] = {" fp64_arithmetic fp64_fused ", 0.0063},
    [ESTIMATE_WAITS] = {" load_waits theoretical_occupancy grid_balance ", 100},
    [ESTIMATE_BLOCKS] = {" ", 50},
    [ESTIMATE_LOCAL] = {" local_memory local_sectors ", 0.0018},
    [ESTIMATE_LAUNCHES] = {" kernel_launches ", 2380},
};
#define TOGETHER 1.9     /* the terms but launches are combined as a norm with this exponent */
#define FIRST_SECTOR 1.9 /* a sector that comes from DRAM costs that many times one from the L2 */
#define MEETING 4.6      /* an atomic that meets another of its warp costs that many more */
#define MISSED_WAIT 2.9  /* a wait for what is not in the L1 takes that many times longer again */
#define TOUCHED 4        /* a wait for more sectors than this is more likely to be one */
#define SLICE 1024       /* so many addresses share a slice of the L2, by and large */
#define FULL_STORE 16    /* more sectors by request than this are written in part */
#define PER_REQUEST 4    /* requests for each wait, where only those were counted */
#define STACK 0.08       /* sectors that a byte of a thread's stack is like, where they were not counted */
#define MISSED                                                                                                         \
    0.3 /* of the sectors beyond those that neither side can avoid, the L1 misses this power of their share */

static double together(const double *of)
{
    double sum = 0;
    for (int i = 0; i < ESTIMATE_LAUNCHES; i++)
        sum += pow(of[i], TOGETHER);
    return of[ESTIMATE_LAUNCHES] + pow(sum, 1 / TOGETHER);
}

/* ns of waits for so many sectors, of which a share is not in the L1. */
static double wait_time(double waits, double touched, double share)
{
    return terms[ESTIMATE_WAITS].unit * waits * (1 + MISSED_WAIT * fmin(1, share * fmax(1, touched / TOUCHED)));
}

/* Sets what of computed counts depends on the L1, and the time. `first` sectors come from DRAM. */
static void set_memory(struct estimate *of, double first)
{
    if (of->computed) {
        const double beyond = fmax(of->stores, first > 0 ? first * pow(of->sectors / first, MISSED) : 0);
        const double loads = of->sectors - of->stores;
        of->terms[ESTIMATE_TRAFFIC] = terms[ESTIMATE_TRAFFIC].unit * ((FIRST_SECTOR - 1) * first + beyond);
        of->terms[ESTIMATE_WAITS] =
            wait_time(of->waits, of->touched, loads > 0 ? fmin(1, (beyond - of->stores) / loads) : 1);
    }
    of->time = together(of->terms);
}

/* What the launches say together. resident: warps at once on the GPU, for the average warp. */
struct shape {
    double launches, blocks, warps, threads, resident;
};

static struct shape shape_of(const struct result *result, double most)
{
    struct shape shape = {0};
    EACH(const struct launch, launch, result->launches, result->launch_count) {
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

struct counts {
    double instructions, shared, loads, load_sectors, stores, store_sectors, occupancy, balance;
};

/* Sets the terms that computed and measured counts have in different ways. */
static void set_by_kind(struct estimate *estimate, const struct result *result, const struct counts *of, double warps)
{
    const double waits = result_value(result, "load_waits");
    estimate->computed = !isnan(waits);
    if (estimate->computed) {
        const double atomics = result_value(result, "global_atomics"),
                     meetings = result_value(result, "atomic_meetings");
        const double hottest = result_value(result, "hottest_address"), addresses = hottest > 0 ? atomics / hottest : 0;
        estimate->terms[ESTIMATE_ATOMICS] = (atomics + MEETING * meetings) / (1 + addresses / SLICE);
        estimate->terms[ESTIMATE_HOTTEST] = hottest;
        estimate->waits = waits / warps;
        estimate->touched = waits > 0 ? of->load_sectors / waits : 0;
        estimate->sectors = of->load_sectors + of->store_sectors;
        estimate->stores = of->store_sectors;
        estimate->least = result->bytes / 32;
        return;
    }
    const double missed_share = 1 - result_value(result, "l1_hit_rate") / 100, l1 = result_value(result, "l1_sectors");
    const double dram = (result_value(result, "dram_bytes_read") + result_value(result, "dram_bytes_write")) / 32;
    estimate->terms[ESTIMATE_TRAFFIC] = (FIRST_SECTOR - 1) * dram + l1 * missed_share;
    estimate->terms[ESTIMATE_WAITS] =
        wait_time(of->loads / PER_REQUEST / warps, PER_REQUEST * of->load_sectors / of->loads, missed_share);
}

void estimate_time(struct estimate *estimate, const struct device *device, const struct result *result)
{
    *estimate = (struct estimate){0};
    const struct counts of = {
        result_value(result, "instructions"),          result_value(result, "shared_wavefronts"),
        result_value(result, "global_load_requests"),  result_value(result, "global_load_sectors"),
        result_value(result, "global_store_requests"), result_value(result, "global_store_sectors"),
        result_value(result, "theoretical_occupancy"), grid_balance(result, device->sm_count)};
    if (result->status != RESULT_OK || device->sm_count <= 0 || !(of.occupancy > 0) || !(of.balance > 0) ||
        !(of.loads > 0) || of.load_sectors > 32 * of.loads ||
        result->bytes > 1.05 * 32 * (of.load_sectors + of.store_sectors))
        return; /* it reads in other ways than by loads */
    const double sms = (double)device->sm_count;
    const struct shape shape = shape_of(result, sms * 64 * of.occupancy / 100);
    const double busy = sms * of.balance / 100;
    set_by_kind(estimate, result, &of, shape.resident);
    double *term = estimate->terms;
    term[ESTIMATE_ISSUE] = of.instructions / busy;
    term[ESTIMATE_SHARED] = of.shared / busy;
    term[ESTIMATE_L1] = fmax(of.loads, of.load_sectors / 4) / busy;
    term[ESTIMATE_PARTIAL] = fmax(0, of.store_sectors - FULL_STORE * of.stores);
    term[ESTIMATE_CONSTANTS] = estimate->computed ? result_value(result, "constant_replays") / busy : 0;
    term[ESTIMATE_FP64] = result_value(result, "fp64_arithmetic") / busy;
    term[ESTIMATE_BLOCKS] = shape.blocks / sms;
    const double local = result_value(result, "local_sectors"),
                 stack = result_value(result, "local_memory") * shape.threads;
    term[ESTIMATE_LOCAL] = isnan(local) ? STACK * stack : local;
    term[ESTIMATE_LAUNCHES] = shape.launches;
    bool all = true;
    for (int i = 0; i < ESTIMATE_TERMS; i++) {
        term[i] *= i == ESTIMATE_WAITS ? 1 : terms[i].unit;
        all = all && isfinite(term[i]);
    }
    estimate->known = all;
    set_memory(estimate, estimate->least > 0 ? fmin(estimate->least, estimate->sectors) : estimate->sectors);
}

void estimate_pair(struct estimate *was, struct estimate *now)
{
    double first = fmin(was->sectors, now->sectors);
    if (was->least > 0 && now->least > 0)
        first = fmin(first, fmin(was->least, now->least));
    set_memory(was, first);
    set_memory(now, first);
}

double estimate_share(const struct estimate *was, const struct estimate *now, const char *metric)
{
    int t = was->known && now->known ? 0 : ESTIMATE_TERMS;
    while (t < ESTIMATE_TERMS && !name_is_one_of(metric, terms[t].metrics))
        t++;
    if (t == ESTIMATE_TERMS)
        return 0;
    return fmin(1, fabs(now->terms[t] - was->terms[t]) / fmax(was->time, now->time));
}
