/* Q7: what stands around two numbers of a row: the code, the GPU, the other rows of its kernel. */
#include "selftest.h"

#define KERNEL "made/up"
#define TIME 100000.0
#define COUNT 1000.0
#define SHARE 90.0
#define SECTORS 500.0
#define THREADS 30.0

/* To add a change: a row. Of time, instructions, achieved_occupancy and global_load_sectors; 0: as in the baseline,
 * which has 10 sessions, each on a GPU of its own, where the run has 2 by the same code on one of these GPUs. */
static const struct change {
    const char *words, *metric;
    enum verdict verdict;
    double time, count, share, sectors, threads, drift_reference; /* of time */
    double paired; /* 14 pairs: the times of the head by those of the base build; 0: none */
    bool other_code, other_gpu, gpu_processes, one_gpu; /* the baseline's sessions are all on one GPU */
    bool unrepeated;                                    /* the count is as in the baseline in the first session */
    size_t base_sessions, run_sessions;                 /* 0: as above */
    size_t steady;                                      /* in so many sessions the share is as in the baseline */
    size_t others;                                      /* so many other kernels, of other code, */
    double shift;                                       /* and how far their times moved, as a share */
    double clock;                                       /* of the run, as a share of the baseline's; 0: unknown */
    const char *compiler_was, *compiler_is;
} changes[] = {
    {"other code, time +4 %: regressed", "time", VERDICT_REGRESSED, .time = 104000, .other_code = true},
    {"the same code, time +9 %: same", "time", VERDICT_SAME, .time = 109000},
    {"the same code, time +11 %: unsure", "time", VERDICT_UNSURE, .time = 111000},
    {"the same code, time +50 % at a clock 33 % lower: unsure", "time", VERDICT_UNSURE, .time = 150000, .clock = 0.67},
    {"the same code, time +9 % at a clock 8 % lower: same", "time", VERDICT_SAME, .time = 109000, .clock = 0.92},
    {"the same code, time +3 %, 11 % past its drift reference: unsure", "time", VERDICT_UNSURE, .time = 103000,
     .drift_reference = 93000},
    {"the same code, time +11 %, and the base build as slow: same", "time", VERDICT_SAME, .time = 111000, .paired = 1},
    {"the same code, time +4 %, slower than the base build: regressed", "time", VERDICT_REGRESSED, .time = 104000,
     .paired = 1.04},
    {"the same code, time +4 % with one instruction more: regressed", "time", VERDICT_REGRESSED, .time = 104000,
     .count = 1001},
    {"time +4 % while others compute on the GPU: unsure", "time", VERDICT_UNSURE, .time = 104000, .other_code = true,
     .gpu_processes = true},
    {"other code, one instruction less: improved", "instructions", VERDICT_IMPROVED, .count = 999, .other_code = true},
    {"the same code, one instruction less: unsure", "instructions", VERDICT_UNSURE, .count = 999},
    {"other code, one instruction more, in 1 session against 2: regressed", "instructions", VERDICT_REGRESSED,
     .count = 1001, .other_code = true, .base_sessions = 2, .run_sessions = 1},
    {"other code, one instruction more, in 1 session against 1: unsure", "instructions", VERDICT_UNSURE, .count = 1001,
     .other_code = true, .base_sessions = 1, .run_sessions = 1},
    {"the same code, one instruction more, in 2 sessions against 2: unsure", "instructions", VERDICT_UNSURE,
     .count = 1001, .base_sessions = 2},
    {"the same code on another GPU, occupancy -2.5 points: same", "achieved_occupancy", VERDICT_SAME, .share = 87.5,
     .other_gpu = true},
    {"the same code on another GPU, occupancy -4 points: regressed", "achieved_occupancy", VERDICT_REGRESSED,
     .share = 86, .other_gpu = true},
    {"the same code on a known GPU, occupancy -2.5 points: regressed", "achieved_occupancy", VERDICT_REGRESSED,
     .share = 87.5},
    {"other code, time -20 % with one instruction more: trade-off", "instructions", VERDICT_TRADED, .time = 80000,
     .count = 1001, .other_code = true},
    {"other code, time -8 % in one session with one instruction more: unsure", "instructions", VERDICT_UNSURE,
     .time = 92000, .count = 1001, .other_code = true, .run_sessions = 1},
    {"other code, time -8 % in two sessions with one instruction more: trade-off", "instructions", VERDICT_TRADED,
     .time = 92000, .count = 1001, .other_code = true},
    {"the same code, time -20 % with one instruction more: regressed", "instructions", VERDICT_REGRESSED, .time = 80000,
     .count = 1001},
    {"other code, time +4 %, one instruction more, fewer sectors: regressed", "instructions", VERDICT_REGRESSED,
     .time = 104000, .count = 1001, .sectors = 400, .other_code = true},
    {"other code, equal by pairs, one instruction more: regressed", "instructions", VERDICT_REGRESSED, .count = 1001,
     .paired = 1, .other_code = true},
    {"other code, equal by pairs, one instruction more, fewer sectors: trade-off", "instructions", VERDICT_TRADED,
     .count = 1001, .sectors = 400, .paired = 1, .other_code = true},
    {"other code, time within its limit, one instruction more, fewer sectors: unsure", "instructions", VERDICT_UNSURE,
     .count = 1001, .sectors = 400, .other_code = true},
    {"the same code, occupancy -4 points in 1 of 2 sessions: same", "achieved_occupancy", VERDICT_SAME, .share = 86,
     .steady = 1},
    {"the same code, occupancy -4 points in 2 of 3 sessions: unsure", "achieved_occupancy", VERDICT_UNSURE, .share = 86,
     .run_sessions = 3, .steady = 1},
    {"the same code, occupancy -40 points in 1 of 2 sessions: unsure", "achieved_occupancy", VERDICT_UNSURE,
     .share = 50, .steady = 1},
    {"occupancy -40 points, time -10 %: trade-off", "achieved_occupancy", VERDICT_TRADED, .share = 50, .time = 90000,
     .other_code = true},
    {"occupancy -40 points, time as it was, by pairs: trade-off", "achieved_occupancy", VERDICT_TRADED, .share = 50,
     .paired = 1, .other_code = true},
    {"occupancy -40 points, time as it was, within the limit: regressed", "achieved_occupancy", VERDICT_REGRESSED,
     .share = 50, .other_code = true},
    {"other code, time +9 %, and ten more by 5 %: unsure", "time", VERDICT_UNSURE, .time = 109000, .other_code = true,
     .others = 10, .shift = 0.05},
    {"other code, time +12 %, and ten more by 5 %: regressed", "time", VERDICT_REGRESSED, .time = 112000,
     .other_code = true, .others = 10, .shift = 0.05},
    {"other code, time +9 %, and eight more by 5 %: regressed", "time", VERDICT_REGRESSED, .time = 109000,
     .other_code = true, .others = 8, .shift = 0.05},
    {"other code, time -9 %, and ten more by 5 %: unsure", "time", VERDICT_UNSURE, .time = 91000, .other_code = true,
     .others = 10, .shift = -0.05},
    {"other code, time -9 %, ten more by 5 %, one instruction more: unsure", "instructions", VERDICT_UNSURE,
     .time = 91000, .count = 1001, .other_code = true, .others = 10, .shift = -0.05},
    {"other code on an unknown GPU, time -4 %, one instruction more: regressed", "instructions", VERDICT_REGRESSED,
     .time = 96000, .count = 1001, .other_code = true, .other_gpu = true, .one_gpu = true},
    {"other code on an unknown GPU, time -12 %, one instruction more: trade-off", "instructions", VERDICT_TRADED,
     .time = 88000, .count = 1001, .other_code = true, .other_gpu = true, .one_gpu = true},
    {"faster by pairs, and a count that ceased to repeat: trade-off", "instructions", VERDICT_TRADED, .count = 1005,
     .paired = 0.8, .other_code = true, .unrepeated = true},
    {"equal by pairs, fewer sectors, and a count that ceased to repeat: unsure", "instructions", VERDICT_UNSURE,
     .count = 1005, .sectors = 400, .paired = 1, .other_code = true, .unrepeated = true},
    {"fewer instructions, fewer threads in each, fewer idle lanes: trade-off", "threads_per_instruction",
     VERDICT_TRADED, .count = 800, .threads = 29.8, .other_code = true},
    {"fewer instructions, fewer threads in each, more idle lanes: unsure", "threads_per_instruction", VERDICT_UNSURE,
     .count = 800, .threads = 29, .other_code = true},
    {"by another nvcc, one instruction more: unsure", "instructions", VERDICT_UNSURE, .count = 1001, .other_code = true,
     .compiler_was = "nvcc 13.0.88", .compiler_is = "nvcc 13.5.37"},
    {"by another nvcc, equal by pairs, one instruction more: trade-off", "instructions", VERDICT_TRADED, .count = 1001,
     .paired = 1, .other_code = true, .compiler_was = "nvcc 13.0.88", .compiler_is = "nvcc 13.5.37"},
    {"the same code by another nvcc, one instruction more: regressed", "instructions", VERDICT_REGRESSED, .count = 1001,
     .compiler_was = "nvcc 13.0.88", .compiler_is = "nvcc 13.5.37"},
    {"by the same assembler, whatever it says of itself, one instruction more: regressed", "instructions",
     VERDICT_REGRESSED, .count = 1001, .other_code = true, .compiler_was = "nvcc 13.0.88",
     .compiler_is = "nvcc 99.9.9, ptxas 13.0.88"},
    {"by the same assembler and another clang, one instruction more: regressed", "instructions", VERDICT_REGRESSED,
     .count = 1001, .other_code = true, .compiler_was = "clang 18, ptxas 13.0.88",
     .compiler_is = "clang 19, ptxas 13.0.88"},
    {"by a further nvcc beside, one instruction more: regressed", "instructions", VERDICT_REGRESSED, .count = 1001,
     .other_code = true, .compiler_was = "nvcc 13.0.88", .compiler_is = "nvcc 13.0.88, nvcc 13.5.37"},
    {"occupancy -40 points, time +4 %: regressed", "achieved_occupancy", VERDICT_REGRESSED, .share = 50, .time = 104000,
     .other_code = true},
};

/* Other kernels, whose code is the session's own. */
static void put_others(struct run *run, const struct change *change, const char *code, double time, size_t sessions)
{
    for (size_t n = 0; n < change->others; n++) {
        OWNED_TEXT kernel = x_sprintf("made/other%zu", n);
        put_row(run, kernel, "time", time, sessions);
        put_launch(run_find(run, kernel), code, 1);
    }
}

static void make_baseline(struct run *baseline, const struct change *change)
{
    const size_t sessions = change->base_sessions > 0 ? change->base_sessions : 10;
    struct row *time = put_row(baseline, KERNEL, "time", TIME, sessions);
    time->has_drift_reference = change->drift_reference > 0;
    time->drift_reference = change->drift_reference;
    put_row(baseline, KERNEL, "instructions", COUNT, sessions);
    put_row(baseline, KERNEL, "sm_clock", 1e9, change->clock > 0 ? sessions : 0);
    put_row(baseline, KERNEL, "achieved_occupancy", SHARE, sessions);
    put_row(baseline, KERNEL, "global_load_sectors", SECTORS, sessions);
    put_row(baseline, KERNEL, "threads_per_instruction", THREADS, sessions);
    put_launch(run_find(baseline, KERNEL), "f00d", 1);
    put_others(baseline, change, "f00d", TIME, sessions);
    struct result *result = run_find(baseline, KERNEL);
    for (size_t i = 0; i < sessions; i++) {
        struct session *session = ARRAY_GROW(result->sessions, result->session_count);
        session->facts[SESSION_GPU_UUID] = x_sprintf("GPU-%zu", change->one_gpu ? 0 : i);
        session->facts[SESSION_COMPILER] = x_strdup(change->compiler_was);
    }
}

static void make_run(struct run *run, const struct change *change)
{
    const size_t sessions = change->run_sessions > 0 ? change->run_sessions : 2;
    struct session *session = ARRAY_GROW(run->sessions, run->session_count);
    struct row *time = put_row(run, KERNEL, "time", change->time > 0 ? change->time : TIME, sessions);
    for (size_t i = 0; i < RULE_PAIR_COUNT && change->paired > 0; i++)
        row_add_pair(time, TIME, TIME * change->paired);
    put_row(run, KERNEL, "instructions", COUNT, change->unrepeated);
    put_row(run, KERNEL, "sm_clock", 1e9 * change->clock, change->clock > 0 ? sessions : 0);
    put_row(run, KERNEL, "instructions", change->count > 0 ? change->count : COUNT, sessions - change->unrepeated);
    put_row(run, KERNEL, "achieved_occupancy", change->share > 0 ? change->share : SHARE, sessions - change->steady);
    put_row(run, KERNEL, "achieved_occupancy", SHARE, change->steady);
    put_row(run, KERNEL, "global_load_sectors", change->sectors > 0 ? change->sectors : SECTORS, sessions);
    put_row(run, KERNEL, "threads_per_instruction", change->threads > 0 ? change->threads : THREADS, sessions);
    put_launch(run_find(run, KERNEL), change->other_code ? "beef" : "f00d", 1);
    put_others(run, change, "beef", TIME * (1 + change->shift), sessions);
    session->facts[SESSION_COMPILER] = x_strdup(change->compiler_is);
    session->facts[SESSION_GPU_UUID] = x_strdup(change->other_gpu ? "GPU-new" : "GPU-0");
    session->facts[SESSION_GPU_PROCESSES] = x_strdup(change->gpu_processes ? "1" : "0");
}

void q7_revise(struct selftest *selftest)
{
    for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
        OWNED(run) baseline = {0}, run = {0};
        OWNED(comparison) comparison;
        make_baseline(&baseline, &changes[i]);
        make_run(&run, &changes[i]);
        compare_runs(&comparison, &baseline, &run, &selftest->metrics, NULL);
        const enum verdict verdict = judgement_of(&comparison, KERNEL, changes[i].metric)->verdict;
        expect_all(selftest, verdict == changes[i].verdict, 1, changes[i].words);
    }
}
