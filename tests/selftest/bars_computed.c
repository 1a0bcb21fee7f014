/* Q7: counts that were computed, without a GPU, against what GPUs counted. */
#include "selftest.h"

#define KERNEL "made/up"
#define COUNT 1000.0
#define THREADS 30.0
#define OCCUPANCY 100.0
#define NO_JUDGEMENT VERDICTS

/* To add a change: a row. Of instructions, threads_per_instruction and theoretical_occupancy; 0: as in the baseline,
 * which has 10 sessions, and a time that cannot be computed. */
static const struct change {
    const char *words, *metric; /* NULL: the kernel */
    enum verdict verdict;
    double count, threads, occupancy;
    double slow_was, slow;     /* slow_instructions; 0: there is no row */
    const char *reason;        /* of its failure; NULL: it did not fail */
    bool other_code, compiler; /* other than the baseline's */
    const char *open;          /* the reason for which the instructions are not counted; NULL: they are */
    bool no_rows;              /* nothing was computed: the launches are known */
    const char *inputs;        /* of the run; those of the baseline are "cafe" */
    bool foreign;              /* the baseline's machine code is not the library's */
    bool transfer;             /* nothing is launched */
    size_t base_sessions;
    bool base_build; /* one was computed, and stands in for the baseline */
    /* How far the bounds of the instructions lie below and above the number; 0: there are none. */
    double base_below, base_above, below, above;
    double ns_was, ns;       /* estimated times; 0: there is none */
    double part;             /* of the time if the clock of DRAM is wrong; 0: it does not depend on it, nor did it */
    const char *model;       /* by which it was estimated, if another than the baseline's */
    const char *refused;     /* why it was not */
    double atomics;          /* in place of none */
    bool uncounted;          /* sleeps were not counted */
    double banks_was, banks; /* shared_wavefronts, beside all other counts that say how much work there is; 0: none */
    bool unverified;         /* the GPU */
} changes[] = {
    {"counts as they were, and 6 % slower by its estimated time: regressed", "estimated_time", VERDICT_REGRESSED,
     .ns_was = 1e5, .ns = 1.06e5, .other_code = true},
    {"fewer instructions, and 6 % slower by it: regressed", "estimated_time", VERDICT_REGRESSED, .count = 900,
     .ns_was = 1e5, .ns = 1.06e5, .other_code = true},
    {"4 % slower by it: same", "estimated_time", VERDICT_SAME, .ns_was = 1e5, .ns = 1.04e5, .other_code = true},
    {"6 % slower by it, if a constant is right: same", "estimated_time", VERDICT_SAME, .ns_was = 1e5, .ns = 1.06e5,
     .part = 0.95, .other_code = true},
    {"6 % slower by it, whichever constant is wrong: regressed", "estimated_time", VERDICT_REGRESSED, .ns_was = 1e5,
     .ns = 1.06e5, .part = 0.97, .other_code = true},
    {"slower by it, and less than a launch is wrong: same", "estimated_time", VERDICT_SAME, .ns_was = 5000, .ns = 5390,
     .other_code = true},
    {"more instructions, and 10 % faster by it: trade-off", "instructions", VERDICT_TRADED, .count = 1100,
     .ns_was = 1e5, .ns = 9e4, .other_code = true},
    {"more instructions, and faster by it if a constant is right: regressed", "instructions", VERDICT_REGRESSED,
     .count = 1100, .ns_was = 1e5, .ns = 9e4, .part = 1.1, .other_code = true},
    {"more instructions, and faster by another model's: regressed", "instructions", VERDICT_REGRESSED, .count = 1100,
     .ns_was = 1e5, .ns = 9e4, .model = "2-beef", .other_code = true},
    {"more instructions, and no time of the run: regressed", "instructions", VERDICT_REGRESSED, .count = 1100,
     .ns_was = 1e5, .ns = 9e4, .refused = "its warps wait", .other_code = true},
    {"less occupancy, fewer instructions, and a time within a constant: unsure", "theoretical_occupancy",
     VERDICT_UNSURE, .count = 900, .occupancy = 50, .ns_was = 1e5, .ns = 9e4, .part = 1.15, .other_code = true},
    {"less occupancy, fewer instructions, and no time: unsure", "theoretical_occupancy", VERDICT_UNSURE, .count = 900,
     .occupancy = 50, .ns_was = 1e5, .ns = 9e4, .refused = "its warps wait", .other_code = true},
    {"less occupancy, fewer instructions, and faster by it: trade-off", "theoretical_occupancy", VERDICT_TRADED,
     .count = 900, .occupancy = 50, .ns_was = 1e5, .ns = 9e4, .other_code = true},
    {"less occupancy, fewer instructions, and as fast by it: trade-off", "theoretical_occupancy", VERDICT_TRADED,
     .count = 900, .occupancy = 50, .ns_was = 1e5, .ns = 1.01e5, .other_code = true},
    {"less occupancy, fewer instructions, and as fast if a constant is right: unsure", "theoretical_occupancy",
     VERDICT_UNSURE, .count = 900, .occupancy = 50, .ns_was = 1e5, .ns = 1.01e5, .part = 1.1, .other_code = true},
    {"less occupancy, fewer instructions, and 8 % slower by less than a launch is wrong: regressed",
     "theoretical_occupancy", VERDICT_REGRESSED, .count = 900, .occupancy = 50, .ns_was = 4000, .ns = 4320,
     .other_code = true},
    {"more wavefronts than instructions less, and as fast by it: trade-off", "shared_wavefronts", VERDICT_TRADED,
     .count = 900, .banks_was = 1000, .banks = 4000, .ns_was = 1e5, .ns = 9.99e4, .other_code = true},
    {"the same of a GPU that nobody compared: regressed", "shared_wavefronts", VERDICT_REGRESSED, .count = 900,
     .banks_was = 1000, .banks = 4000, .ns_was = 1e5, .ns = 9.99e4, .other_code = true, .unverified = true},
    {"more instructions than wavefronts less there, and as fast by it: trade-off", "instructions", VERDICT_TRADED,
     .count = 1100, .banks_was = 4000, .banks = 1000, .ns_was = 1e5, .ns = 1.01e5, .other_code = true,
     .unverified = true},
    {"as fast there by it, and how much work there is was not counted: regressed", "theoretical_occupancy",
     VERDICT_REGRESSED, .count = 900, .occupancy = 50, .ns_was = 1e5, .ns = 1.01e5, .other_code = true,
     .unverified = true},
    {"more instructions, and as fast by it: regressed", "instructions", VERDICT_REGRESSED, .count = 1100, .ns_was = 1e5,
     .ns = 1.01e5, .other_code = true},
    {"by another compiler than the baseline's, 10 % slower by it: no judgement", "estimated_time", NO_JUDGEMENT,
     .ns_was = 1e5, .ns = 1.1e5, .other_code = true, .compiler = true},
    {"by another compiler than the base build's, 10 % slower by it: regressed", "estimated_time", VERDICT_REGRESSED,
     .ns_was = 1e5, .ns = 1.1e5, .other_code = true, .compiler = true, .base_build = true},
    {"other atomics, and 30 % faster by it: regressed", "instructions", VERDICT_REGRESSED, .count = 1100, .ns_was = 1e5,
     .ns = 7e4, .atomics = 8, .other_code = true},
    {"other atomics, and twice as fast by it: trade-off", "instructions", VERDICT_TRADED, .count = 1100, .ns_was = 1e5,
     .ns = 5e4, .atomics = 8, .other_code = true},
    {"sleeps that were not counted, and 30 % faster by it: regressed", "instructions", VERDICT_REGRESSED, .count = 1100,
     .ns_was = 1e5, .ns = 7e4, .uncounted = true, .other_code = true},
    {"the same code: its estimated time is not judged", "estimated_time", NO_JUDGEMENT, .ns_was = 1e5, .ns = 2e5},
    {"other code, as many instructions: same", "instructions", VERDICT_SAME, .other_code = true},
    {"other code, one instruction more, against 1 session: regressed", "instructions", VERDICT_REGRESSED, .count = 1001,
     .other_code = true, .base_sessions = 1},
    {"other code, one instruction less: improved", "instructions", VERDICT_IMPROVED, .count = 999, .other_code = true},
    {"the same code, one instruction more: unsure", "instructions", VERDICT_UNSURE, .count = 1001},
    {"the same code, one instruction less: unsure", "instructions", VERDICT_UNSURE, .count = 999},
    {"the same code and inputs, not computed again: not judged", "instructions", VERDICT_INFO, .no_rows = true,
     .inputs = "cafe"},
    {"the same code, other inputs, not computed: missing", "instructions", VERDICT_MISSING, .no_rows = true,
     .inputs = "caff"},
    {"other code, not computed: missing", "instructions", VERDICT_MISSING, .no_rows = true, .other_code = true},
    {"a time: no judgement", "time", NO_JUDGEMENT, .other_code = true},
    {"other code, occupancy -50 points: regressed", "theoretical_occupancy", VERDICT_REGRESSED, .occupancy = 50,
     .other_code = true},
    {"fewer threads, and more instructions: regressed", "threads_per_instruction", VERDICT_REGRESSED, .threads = 20,
     .count = 1001, .other_code = true},
    {"fewer threads, instructions as they were, and no time: unsure", "threads_per_instruction", VERDICT_UNSURE,
     .threads = 20, .other_code = true},
    {"fewer instructions, and slow ones that they hide: trade-off", "slow_instructions", VERDICT_TRADED, .count = 900,
     .slow_was = 400, .slow = 500, .other_code = true},
    {"fewer instructions, and more slow cycles than they save: unsure", "slow_instructions", VERDICT_UNSURE,
     .count = 900, .slow_was = 400, .slow = 501, .other_code = true},
    {"fewer instructions, and slow ones that take longer than all did: unsure", "slow_instructions", VERDICT_UNSURE,
     .count = 400, .slow_was = 900, .slow = 1001, .other_code = true},
    {"not simulated, other code: unsure", NULL, VERDICT_UNSURE, .other_code = true,
     .reason = RESULT_NOT_SIMULATED "WGMMA at kernels/made.cu:7"},
    {"not simulated, the same code: no judgement", NULL, NO_JUDGEMENT,
     .reason = RESULT_NOT_SIMULATED "WGMMA at kernels/made.cu:7"},
    {"a fault in memory, the same code: missing", NULL, VERDICT_MISSING, .reason = "reads 4 bytes beyond the array"},
    {"fails, machine code of another library: no judgement", NULL, NO_JUDGEMENT, .foreign = true,
     .reason = RESULT_ELSEWHERE "no cuBLAS"},
    {"a fault, machine code of another library before: missing", NULL, VERDICT_MISSING, .foreign = true,
     .reason = "reads 4 bytes beyond the array"},
    {"launches nothing, as in the baseline: no judgement", NULL, NO_JUDGEMENT, .transfer = true, .no_rows = true},
    {"other code by another compiler: unsure", NULL, VERDICT_UNSURE, .other_code = true, .compiler = true},
    {"the same code by another compiler: same", "instructions", VERDICT_SAME, .compiler = true},
    {"by another compiler, against a base build, instructions +4.9 %: trade-off", "instructions", VERDICT_TRADED,
     .count = 1049, .other_code = true, .compiler = true, .base_build = true},
    {"by another compiler, against a base build, instructions +5.1 %: regressed", "instructions", VERDICT_REGRESSED,
     .count = 1051, .other_code = true, .compiler = true, .base_build = true},
    {"between two bounds, and what was measured too: same", "instructions", VERDICT_SAME, .count = 1005, .below = 5,
     .above = 1, .other_code = true},
    {"between two bounds, and what was measured below: regressed", "instructions", VERDICT_REGRESSED, .count = 1050,
     .below = 49, .above = 80, .other_code = true},
    {"between two bounds, and what was measured above: improved", "instructions", VERDICT_IMPROVED, .count = 950,
     .below = 80, .above = 49, .other_code = true},
    {"a count of timing, the same code: not judged", "instructions", VERDICT_INFO, .open = ROW_OPEN "made up"},
    {"a count of timing, other code: unsure", "instructions", VERDICT_UNSURE, .open = ROW_OPEN "made up",
     .other_code = true},
    {"not counted for another reason, the same code: missing", "instructions", VERDICT_MISSING,
     .open = "it broke a law"},
    {"both bounds up: regressed", "instructions", VERDICT_REGRESSED, .base_below = 100, .base_above = 100,
     .count = 1001, .below = 100, .above = 100, .other_code = true, .base_build = true},
    {"both bounds down: improved", "instructions", VERDICT_IMPROVED, .base_below = 100, .base_above = 100, .count = 999,
     .below = 100, .above = 100, .other_code = true, .base_build = true},
    {"the upper bound up: same", "instructions", VERDICT_SAME, .base_below = 100, .base_above = 100, .below = 100,
     .above = 101, .other_code = true, .base_build = true},
    {"the lower bound up: same", "instructions", VERDICT_SAME, .base_below = 100, .base_above = 100, .below = 99,
     .above = 100, .other_code = true, .base_build = true},
};

/* A count between two bounds has three samples. */
static void put_count(struct run *run, double count, double below, double above, size_t sessions)
{
    const double samples[] = {count - below, count, count + above};
    struct row *row = result_add(run_add(run, KERNEL), "instructions");
    for (size_t i = 0; i < sessions; i++)
        row_add_session(row, below + above > 0 ? samples : &count, below + above > 0 ? ARRAY_SIZE(samples) : 1);
}

static void put_work(struct run *run, double banks)
{
    static const char *const counts[] = {"global_load_requests", "global_load_sectors", "global_store_requests",
                                         "global_store_sectors", "fp64_arithmetic",     "local_sectors",
                                         "local_memory",         "constant_replays",    "load_waits",
                                         "hottest_address",      "atomic_meetings"};
    if (banks == 0)
        return;
    for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
        put_row(run, KERNEL, counts[i], i < 4 ? 32 : 0, 1);
    put_row(run, KERNEL, "shared_wavefronts", banks, 1);
    run->device.sm_count = 132;
}

static void put_uncalibrated(struct run *run, double atomics, bool sleeps)
{
    put_row(run, KERNEL, "global_atomics", atomics, 1);
    if (sleeps)
        put_row(run, KERNEL, "sleep_time", 0, 1);
}

/* A time whose constant of DRAM matters to it as the part says. */
static void put_time(struct run *run, double ns, double part, const char *model, const char *refused)
{
    if (ns == 0)
        return;
    struct estimated_time *of = run_find(run, KERNEL)->estimated = x_calloc(1, sizeof *of);
    *of = (struct estimated_time){.ns = ns,
                                  .low = ns / 2,
                                  .high = 2 * ns,
                                  .model = x_strdup(model ? model : "1-cafe"),
                                  .bound_by = x_strdup("DRAM"),
                                  .refused = x_strdup(refused)};
    if (part > 0)
        *ARRAY_GROW(of->moved, of->moved_count) = (struct time_part){x_strdup("dram_share"), part};
}

static void put_session(struct run *run, const char *collector, const char *compiler)
{
    struct session *session = ARRAY_GROW(run->sessions, run->session_count);
    session->facts[SESSION_COLLECTOR] = x_strdup(collector);
    session->facts[SESSION_COMPILER] = x_strdup(compiler);
}

static void make_baseline(struct run *baseline, const struct change *change)
{
    const size_t sessions = change->base_sessions > 0 ? change->base_sessions : 10;
    put_row(baseline, KERNEL, "time", 100000, sessions);
    if (!change->transfer) {
        put_count(baseline, COUNT, change->base_below, change->base_above, sessions);
        put_row(baseline, KERNEL, "threads_per_instruction", THREADS, sessions);
        put_row(baseline, KERNEL, "theoretical_occupancy", OCCUPANCY, sessions);
        if (change->slow > 0)
            put_row(baseline, KERNEL, "slow_instructions", change->slow_was, sessions);
        put_work(baseline, change->banks_was);
        put_uncalibrated(baseline, 0, true);
        put_time(baseline, change->ns_was, 0, NULL, NULL);
        for (size_t i = 0; i < run_find(baseline, KERNEL)->row_count; i++)
            run_find(baseline, KERNEL)->rows[i].from_base_build = change->base_build;
        put_launch(run_find(baseline, KERNEL), change->foreign ? NULL : "f00d", 1);
        run_find(baseline, KERNEL)->inputs = x_strdup("cafe");
    }
    for (size_t i = 0; i < sessions; i++)
        put_session(baseline, "cupti", "nvcc 13.0.88");
}

/* It has notes of what it can know. */
static void make_run(struct run *run, const struct change *change, const struct metrics *metrics)
{
    static const char *const known[] = {"instructions", "threads_per_instruction", "theoretical_occupancy",
                                        "slow_instructions", "shared_wavefronts"};
    for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
        const struct metric_note note = note_of_metric(metrics_find(metrics, known[i]));
        run_set_note(run, &note);
    }
    struct result *result = run_add(run, KERNEL);
    if (!change->no_rows && !change->reason) {
        put_count(run, change->count > 0 ? change->count : COUNT, change->below, change->above, 1);
        if (change->open) {
            struct row *row = result_find(result, "instructions");
            row_clear(row);
            row->reason = x_strdup(change->open);
        }
        put_row(run, KERNEL, "threads_per_instruction", change->threads > 0 ? change->threads : THREADS, 1);
        put_row(run, KERNEL, "theoretical_occupancy", change->occupancy > 0 ? change->occupancy : OCCUPANCY, 1);
        if (change->slow > 0)
            put_row(run, KERNEL, "slow_instructions", change->slow, 1);
        put_work(run, change->banks);
        put_uncalibrated(run, change->atomics, !change->uncounted);
        put_time(run, change->ns, change->part, change->model, change->refused);
    }
    if (!change->transfer)
        put_launch(result, change->foreign ? NULL : change->other_code ? "beef" : "f00d", 1);
    result->inputs = x_strdup(change->inputs);
    if (change->reason)
        result_fail(result, RESULT_FAILED, change->reason);
    put_session(run, origin_of(ORIGIN_COMPUTED)->collector, change->compiler ? "nvcc 13.5.37" : "nvcc 13.0.88");
    if (change->unverified)
        run->sessions[0].facts[SESSION_SILICON] = x_strdup("not verified");
}

void q7_computed(struct selftest *selftest)
{
    for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
        OWNED(run) baseline = {0}, run = {0};
        OWNED(comparison) comparison;
        make_baseline(&baseline, &changes[i]);
        make_run(&run, &changes[i], &selftest->metrics);
        compare_runs(&comparison, &baseline, &run, &selftest->metrics, NULL);
        const struct judgement *judgement = judgement_of(&comparison, KERNEL, changes[i].metric);
        expect_all(selftest, (judgement ? judgement->verdict : NO_JUDGEMENT) == changes[i].verdict, 1,
                   changes[i].words);
    }
}
