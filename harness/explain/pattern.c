#include "pattern.h"

#include "stall.h"

#include <ctype.h>

#define THREADS_OF_A_WARP 32
#define AMOUNT_MAX 1e300 /* bounds amounts so that sums and differences stay finite */

/* clang-format off */
/* To add a pattern: a row. If two explain one metric, the more specific one comes first, or the more severe. */
static const struct pattern patterns[] = {
    {"excess_wavefronts", "excess shared wavefronts", "wavefronts",
     " excess_wavefronts shared_bank_conflicts shared_wavefronts ",
     "lanes of one warp access the same bank: pad the rows by one element, swizzle the index, or let lanes read neighbouring words",
     {2, {{LINE_SHARED, 1}, {LINE_SHARED_IDEAL, -1}}}, EXPLAINED_FAULT, "shared wavefronts", {1, {{LINE_SHARED, 1}}}},
    {"shared_wavefronts", "shared wavefronts", "wavefronts",
     " shared_wavefronts ",
     "more shared-memory cycles without bank conflicts: keep values in registers, or read 8 or 16 bytes per lane",
     {1, {{LINE_SHARED, 1}}}, EXPLAINED_PLAIN, NULL, {0}},
    {"divergent_branches", "divergent branches", "branches",
     " branch_targets_divergent branch_efficiency ",
     "threads of one warp take both sides of this branch, one after the other: branch per warp, or sort the work by side",
     {1, {{LINE_DIVERGENT, 1}}}, EXPLAINED_FAULT, "branches", {2, {{LINE_UNIFORM, 1}, {LINE_DIVERGENT, 1}}}},
    {"idle_threads", "idle threads", "threads",
     " threads_per_instruction ",
     "threads of the warp are inactive here, because of a branch or a predicate (short ifs, divisions): give the work "
     "to neighbouring threads, so that whole warps finish early",
     {3, {{LINE_INSTRUCTIONS, THREADS_OF_A_WARP}, {LINE_WORKING_THREADS, -1}, {LINE_STAYING, -1}}},
     EXPLAINED_FAULT, "threads issued", {1, {{LINE_INSTRUCTIONS, THREADS_OF_A_WARP}}}},
    {"local_sectors", "local memory sectors", "sectors",
     " local_memory local_accesses local_sectors dram_bytes_read dram_bytes_write l1_hit_rate ",
     "registers are spilled here, or an array is indexed by a variable: allow more registers per thread, or unroll so "
     "that indices are constant",
     {1, {{LINE_LOCAL_SECTORS, 1}}},
     EXPLAINED_FAULT, "sectors", {3, {{LINE_LOCAL_SECTORS, 1}, {LINE_LOAD_SECTORS, 1}, {LINE_STORE_SECTORS, 1}}}},
    {"excess_load_sectors", "excess load sectors", "sectors",
     " global_load_sectors dram_bytes_read l1_hit_rate l2_hit_rate ",
     "lanes of one load touch more sectors than their bytes need: let neighbouring lanes read neighbouring, aligned "
     "elements, stage through shared memory, or load a whole vector at once",
     {2, {{LINE_LOAD_SECTORS, 1}, {LINE_LOAD_IDEAL, -1}}}, EXPLAINED_FAULT, "load sectors", {1, {{LINE_LOAD_SECTORS, 1}}}},
    {"excess_store_sectors", "excess store sectors", "sectors",
     " global_store_sectors dram_bytes_write l2_hit_rate ",
     "lanes of one store touch more sectors than their bytes need: let neighbouring lanes write neighbouring, aligned "
     "elements, or stage through shared memory",
     {2, {{LINE_STORE_SECTORS, 1}, {LINE_STORE_IDEAL, -1}}}, EXPLAINED_FAULT, "store sectors", {1, {{LINE_STORE_SECTORS, 1}}}},
    {"load_sectors", "load sectors", "sectors",
     " global_load_sectors dram_bytes_read l1_hit_rate l2_hit_rate ",
     "more reads, although coalesced: keep values that are read twice in registers or shared memory",
     {1, {{LINE_LOAD_SECTORS, 1}}}, EXPLAINED_PLAIN, NULL, {0}},
    {"store_sectors", "store sectors", "sectors",
     " global_store_sectors dram_bytes_write l2_hit_rate ",
     "more writes, although coalesced: write each result once",
     {1, {{LINE_STORE_SECTORS, 1}}}, EXPLAINED_PLAIN, NULL, {0}},
    {"global_loads", "global loads", "instructions",
     " global_load_requests ",
     "more load instructions: read 8 or 16 bytes per lane, or keep values that are read twice",
     {1, {{LINE_GLOBAL_LOADS, 1}}}, EXPLAINED_PLAIN, NULL, {0}},
    {"global_stores", "global stores", "instructions",
     " global_store_requests ",
     "more store instructions: write 8 or 16 bytes per lane, or write each result once",
     {1, {{LINE_GLOBAL_STORES, 1}}}, EXPLAINED_PLAIN, NULL, {0}},
    {"atomic_meetings", "atomics to the same address", "atomics",
     " atomic_meetings hottest_address ",
     "lanes of one warp update the same address, one after another: reduce within the warp first (__reduce_add_sync, "
     "shuffles), then let one lane add",
     {1, {{LINE_ATOMIC_MEETINGS, 1}}}, EXPLAINED_PLAIN, NULL, {0}},
    {"global_atomics", "global atomics", "atomics",
     " global_atomics hottest_address ",
     "more atomics on global memory, where all warps contend: reduce in registers or shared memory first, then once per block",
     {1, {{LINE_ATOMICS, 1}}}, EXPLAINED_PLAIN, NULL, {0}},
    {"constant_replays", "replays of constant reads", "replays",
     " constant_replays ",
     "lanes read constant memory at different addresses, one after another: keep a table with data-dependent indices "
     "in shared memory, or read it through a const __restrict__ pointer",
     {1, {{LINE_CONSTANT_REPLAYS, 1}}}, EXPLAINED_PLAIN, NULL, {0}},
    {"slow_instructions", "cycles of slow pipes", "cycles",
     " slow_instructions ",
     "special functions, conversions, divisions or double arithmetic run at a fraction of the usual rate: write float "
     "literals (1.0f), multiply by a reciprocal, or compute the value once outside the loop",
     {1, {{LINE_SLOW, 1}}}, EXPLAINED_PLAIN, NULL, {0}},
    {"barriers", "barriers and fences", "barriers",
     " barriers ",
     "synchronize less often, or by a narrower fence: __threadfence() counts as 32 barriers, __threadfence_block() as 1",
     {1, {{LINE_BARRIERS, 1}}}, EXPLAINED_PLAIN, NULL, {0}},
    {"load_waits", "waits for global loads", "waits",
     " load_waits ",
     "a warp waits here before it issues its next load: load several elements before the first is used, or prefetch "
     "for the next iteration; avoid chains in which one load gives the next address",
     {1, {{LINE_LOAD_WAITS, 1}}}, EXPLAINED_PLAIN, NULL, {0}},
    {"branches", "branches", "branches",
     " branch_targets ",
     "more branches: unroll, or make loop bounds known at compile time",
     {2, {{LINE_UNIFORM, 1}, {LINE_DIVERGENT, 1}}}, EXPLAINED_PLAIN, NULL, {0}},
    {"instructions_outside_waits", "instructions outside waits", "instructions",
     " instructions_outside_waits ",
     "more instructions outside waits: look for arithmetic that moved into a loop, lost unrolling, or a wider type",
     {1, {{LINE_OUTSIDE_WAITS, 1}}}, EXPLAINED_PLAIN, NULL, {0}},
    {"stalls", "sampled SM cycles", "sampled SM cycles",
     " time sm_cycles ",
     "warps spend their time here; the stall reason says why",
     {0}, EXPLAINED_TIME, NULL, {0}},
    {"estimated_stalls", "estimated ns", "estimated ns",
     " estimated_time ",
     "warps are estimated, not measured, to spend their time here; the stall reason says why",
     {0}, EXPLAINED_ESTIMATED, NULL, {0}},
    {"instructions", "instructions", "instructions",
     " instructions longest_warp busiest_block branch_targets time sm_cycles estimated_time ",
     "more instructions: look for arithmetic that moved into a loop, lost unrolling, or a wider type",
     {1, {{LINE_INSTRUCTIONS, 1}}}, EXPLAINED_TIME, NULL, {0}},
};
/* clang-format on */

const struct pattern *pattern_list(size_t *count)
{
    *count = ARRAY_SIZE(patterns);
    return patterns;
}

bool pattern_explains(const struct pattern *pattern, const char *metric)
{
    const size_t length = strlen(metric);
    for (const char *at = pattern->metrics; length > 0 && (at = strstr(at, metric)); at += length)
        if (at > pattern->metrics && at[-1] == ' ' && at[length] == ' ')
            return true;
    return false;
}

/* A GPU does not count threads that stay: they are idle there. */
static bool is_counted(const struct pattern_sum *sum, const struct profile *profile)
{
    return ALL(i, sum->count, profile->counted & 1u << sum->terms[i].counter || sum->terms[i].counter == LINE_STAYING);
}

bool pattern_is_known(const struct pattern *pattern, const struct profile *profile)
{
    if (pattern->sum.count > 0)
        return is_counted(&pattern->sum, profile);
    return pattern->kind == EXPLAINED_ESTIMATED ? profile->estimated : profile->period > 0;
}

static double bounded(double amount)
{
    return amount > 0 ? fmin(amount, AMOUNT_MAX) : 0;
}

static double amount_of(const struct pattern_sum *sum, const struct profile_line *line)
{
    double amount = 0;
    for (size_t i = 0; i < sum->count; i++)
        amount += sum->terms[i].factor * line->counts[sum->terms[i].counter];
    return bounded(amount);
}

double pattern_amount(const struct pattern *pattern, const struct profile *profile, const struct profile_line *line)
{
    if (pattern->sum.count > 0)
        return amount_of(&pattern->sum, line);
    return bounded(profile_line_samples(line) * profile_stall_unit(profile));
}

double pattern_total(const struct pattern *pattern, const struct profile *profile)
{
    double total = 0;
    for (size_t i = 0; i < profile->count; i++)
        total += pattern_amount(pattern, profile, &profile->list[i]);
    return total;
}

double pattern_whole(const struct pattern *pattern, const struct profile *profile)
{
    double whole = 0;
    for (size_t i = 0; i < profile->count && is_counted(&pattern->whole, profile); i++)
        whole += amount_of(&pattern->whole, &profile->list[i]);
    return whole > 0 ? whole : NAN;
}

static double growth(const struct hotspot *hotspot)
{
    return hotspot->amount - hotspot->base_amount;
}

/* Inserts a hotspot among the first `count`, sorted by size. Returns the new count. */
static size_t add_hotspot(struct hotspot *hotspots, size_t count, size_t capacity, const struct hotspot *hotspot)
{
    size_t place = count;
    while (place > 0 && growth(&hotspots[place - 1]) < growth(hotspot))
        place--;
    if (place == capacity)
        return count;
    count += count < capacity;
    memmove(&hotspots[place + 1], &hotspots[place], (count - 1 - place) * sizeof *hotspots);
    hotspots[place] = *hotspot;
    return count;
}

static bool has_texts(const struct profile *profile)
{
    return ANY(i, profile->count, profile->list[i].text);
}

size_t pattern_hotspots(const struct pattern *pattern, const struct profile *profile, const struct profile *base,
                        struct hotspot *hotspots, size_t capacity)
{
    /* Line numbers shift with every edit, so a profile with texts is not compared with one that has none. */
    const bool matches = base && (has_texts(base) || !has_texts(profile));
    OWNED_MEMORY const struct profile_line **was = matches ? profile_match(profile, base) : NULL;
    const double total = pattern_total(pattern, profile), base_total = base ? pattern_total(pattern, base) : 0;
    size_t count = 0;
    for (size_t i = 0; i < profile->count; i++) {
        const struct profile_line *line = &profile->list[i];
        struct hotspot hotspot = {
            .line = line, .base = was ? was[i] : NULL, .amount = pattern_amount(pattern, profile, line)};
        hotspot.base_amount = hotspot.base ? pattern_amount(pattern, base, hotspot.base) : 0;
        hotspot.has_base = base && (hotspot.base || (matches && line->text) || base_total == 0);
        hotspot.share = total > 0 ? hotspot.amount / total : 0;
        if (pattern->sum.count == 0)
            hotspot.stall = hotspot.has_base ? stall_grown(profile, line, base, hotspot.base) : stall_commonest(line);
        if (growth(&hotspot) > 0)
            count = add_hotspot(hotspots, count, capacity, &hotspot);
    }
    return count;
}

/* Whether there is more on a line than brackets, such as "}" or "});". A line without text may have any. */
static bool has_statement(const struct profile_line *line)
{
    const char *at = line->text;
    while (at && *at && !isalnum((unsigned char)*at) && *at != '_')
        at++;
    return !at || *at;
}

static bool is_beside(const struct profile_line *a, const struct profile_line *b)
{
    return a->file && b->file && strcmp(a->file, b->file) == 0 && strcmp(a->function, b->function) == 0;
}

/* Returns the line that is told for this one, whose work the compiler may put on a bracket: the nearest one of its
 * function and file that has a statement. Of two equally near ones it is the earlier. */
static const struct profile_line *told_line(const struct profile *profile, const struct profile_line *line)
{
    const struct profile_line *before = line, *after = line, *last = &profile->list[profile->count - 1];
    while (!has_statement(before) && before > profile->list && is_beside(before - 1, line))
        before--;
    while (!has_statement(after) && after < last && is_beside(after + 1, line))
        after++;
    if (!has_statement(before))
        return has_statement(after) ? after : line;
    return has_statement(after) && after->number - line->number < line->number - before->number ? after : before;
}

size_t pattern_tell_statements(struct hotspot *hotspots, size_t count, const struct profile *profile)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        struct hotspot hotspot = hotspots[i];
        size_t same = 0;
        hotspot.line = told_line(profile, hotspot.line);
        while (same < kept && hotspots[same].line != hotspot.line)
            same++;
        if (same == kept) {
            hotspots[kept++] = hotspot;
            continue;
        }
        hotspots[same].amount += hotspot.amount;
        hotspots[same].base_amount += hotspot.base_amount;
        hotspots[same].share += hotspot.share;
        hotspots[same].has_base &= hotspot.has_base;
    }
    return kept;
}

/* Returns by how much the kernel's total of the pattern grew. It is 0 when that is not known, when it did not grow, or
 * when the pattern is not about the metric. */
static double growth_of_total(const struct pattern *pattern, const char *metric, const struct profile *profile,
                              const struct profile *base)
{
    if (!pattern_explains(pattern, metric) || !pattern_is_known(pattern, profile) ||
        (base && !pattern_is_known(pattern, base)))
        return 0;
    return fmax(pattern_total(pattern, profile) - (base ? pattern_total(pattern, base) : 0), 0);
}

const struct pattern *pattern_of_metric(const char *metric, const struct profile *profile, const struct profile *base)
{
    double grown[ARRAY_SIZE(patterns)];
    const struct pattern *slight = NULL;
    for (size_t i = 0; i < ARRAY_SIZE(patterns); i++)
        grown[i] = growth_of_total(&patterns[i], metric, profile, base);
    for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
        double max = 0;
        for (size_t k = 0; k < ARRAY_SIZE(patterns); k++)
            if (strcmp(patterns[k].unit, patterns[i].unit) == 0)
                max = fmax(max, grown[k]);
        if (grown[i] <= 0 || grown[i] < PATTERN_PART * max)
            continue;
        if (!base || grown[i] >= PATTERN_NOTICEABLE * pattern_total(&patterns[i], base))
            return &patterns[i];
        slight = slight ? slight : &patterns[i];
    }
    return slight;
}
