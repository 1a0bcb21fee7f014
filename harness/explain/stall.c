#include "stall.h"

/* clang-format off */
/* The profiler's stall reasons without their prefix. advice is NULL where there is none to give.
 *
 * To add a reason: a row. */
static const struct {
    const char *reason, *words, *advice;
} stalls[] = {
    {"long_scoreboard", "waiting for global, local or texture memory",
     "keep more loads in flight (unroll, load ahead, more warps), or load less: reuse values in registers or shared memory"},
    {"short_scoreboard", "waiting for shared memory or a special function",
     "use fewer shared-memory wavefronts: avoid bank conflicts, access 8 or 16 bytes per lane, keep values in registers"},
    {"mio_throttle", "the queue for shared-memory, indexed-constant and special-function instructions is full",
     "issue fewer shared-memory instructions: avoid bank conflicts, access 8 or 16 bytes per lane, or use shuffles"},
    {"lg_throttle", "the queue for global and local memory is full",
     "issue fewer loads and stores: coalesce them, access 8 or 16 bytes per lane, and each value once"},
    {"tex_throttle", "the texture queue is full",
     "issue fewer texture reads, or mix them with other work"},
    {"math_pipe_throttle", "the arithmetic pipe is busy",
     "arithmetic is the limit: use fewer or cheaper operations, lower precision, or tensor cores"},
    {"gmma", "waiting for a matrix instruction of its warp group", NULL},
    {"warpgroup_arrive", "waiting for the other warps of its warp group", NULL},
    {"barrier", "waiting for other warps at a barrier",
     "let warps arrive together or wait less often: give them equal work, use smaller blocks, or __syncwarp for one warp"},
    {"membar", "waiting at a memory fence",
     "use fewer memory fences, or a smaller scope"},
    {"branch_resolving", "waiting for a branch target",
     "unroll the loop, or replace short branches by selects"},
    {"wait", "waiting for the fixed latency of an earlier instruction",
     "give each warp independent instructions to overlap, or run more warps"},
    {"no_instructions", "waiting for an instruction-cache miss",
     "the code does not stay in the instruction cache: unroll less"},
    {"imc_miss", "waiting for a constant-cache miss",
     "read fewer constants, or let all lanes read the same one"},
    {"drain", "waiting for its stores before it exits",
     "coalesce the last stores, or store less at the end"},
    {"dispatch_stall", "held back by the dispatcher", NULL},
    {"not_selected", "ready, but the scheduler selected another warp",
     "enough warps are ready: only fewer instructions will help"},
    {"selected", "issuing",
     "the scheduler issues nearly all the time: only fewer instructions will help"},
    {"sleeping", "sleeping (nanosleep)", NULL},
    {"misc", "other reasons", NULL},
};
/* clang-format on */

const char *stall_commonest(const struct profile_line *line)
{
    const struct stall *commonest = NULL;
    for (size_t i = 0; i < line->stall_count; i++)
        if (!commonest || line->stalls[i].samples > commonest->samples)
            commonest = &line->stalls[i];
    return commonest ? commonest->reason : NULL;
}

const char *stall_grown(const struct profile *profile, const struct profile_line *line,
                        const struct profile *base_profile, const struct profile_line *base)
{
    const char *reason = NULL;
    double growth = 0;
    EACH(const struct stall, stall, line->stalls, line->stall_count) {
        double grown = stall->samples * profile_stall_unit(profile);
        for (size_t k = 0; base && k < base->stall_count; k++)
            if (strcmp(base->stalls[k].reason, stall->reason) == 0)
                grown -= base->stalls[k].samples * profile_stall_unit(base_profile);
        if (grown > growth) {
            reason = stall->reason;
            growth = grown;
        }
    }
    return reason;
}

/* Returns the index of a reason in the table; the table's length when it is not there. */
static size_t place_of(const char *reason)
{
    return FIRST(k, ARRAY_SIZE(stalls), strcmp(stalls[k].reason, reason) == 0);
}

const char *stall_words(const char *reason)
{
    const size_t i = place_of(reason);
    return i < ARRAY_SIZE(stalls) ? stalls[i].words : NULL;
}

const char *stall_advice(const char *reason, const struct profile *profile)
{
    const bool uses_shared = !(profile->counted & 1u << LINE_SHARED) || profile_total(profile, LINE_SHARED) > 0;
    const bool is_of_mio = strcmp(reason, "mio_throttle") == 0 || strcmp(reason, "short_scoreboard") == 0;
    const size_t i = place_of(reason);
    if (is_of_mio && !uses_shared)
        return "let all lanes read the same constant, and use fewer special functions (division, square roots, sines)";
    return i < ARRAY_SIZE(stalls) && stalls[i].advice ? stalls[i].advice : "";
}
