/* Q7: a program as a whole: what lets its time be better, and what lets it launch more. */
#include "selftest.h"

#define PROGRAM "a/program"
#define TIME 2e8
#define LAUNCHES 100.0
#define COLLECTIVES 1e8 /* the time of collectives beside TIME */

/* To add a change: a row. In the baseline, which has 10 sessions, a kernel that stays and one that is lost are launched
 * 100 times each. The run has 2 by the same code. Shares are of the GPU time of the baseline. */
static const struct change {
    const char *words, *metric; /* of the program */
    enum verdict verdict;
    double lost;        /* the share of the kernel that is lost */
    double left;        /* how many of its launches are left, as a share; 0: it is gone */
    double instead;     /* the share of a new kernel */
    double more;        /* launches of that */
    double waits;       /* the time of collectives, as a multiple of the baseline's; 0: there are none on either side */
    double processes;   /* on both sides; 0: not known */
    double allocations; /* more than in the baseline */
    bool recompiled;    /* the code of the kernel that stays is another */
    double record;      /* the share of its time and launches that the program's own row has; 0: all */
    double fused;       /* instructions of the kernel that stays, of other code then; both had 1,000; 0: not counted */
    bool uncounted;     /* those of the kernel that is lost are not known */
} changes[] = {
    {"kernels with 9 % of the time are gone: improved", "gpu_time", VERDICT_IMPROVED, .lost = 0.09},
    {"kernels with 11 % of the time are gone: unsure", "gpu_time", VERDICT_UNSURE, .lost = 0.11},
    {"11 % are gone, with a twentieth of that in their place: improved", "gpu_time", VERDICT_IMPROVED, .lost = 0.11,
     .instead = 0.006},
    {"11 % are gone, with less than a twentieth in their place: unsure", "gpu_time", VERDICT_UNSURE, .lost = 0.11,
     .instead = 0.005},
    {"90 % are gone, with a ninth of that in their place: unsure", "gpu_time", VERDICT_UNSURE, .lost = 0.9,
     .instead = 0.1},
    {"90 % are gone, with two ninths of that in their place: improved", "gpu_time", VERDICT_IMPROVED, .lost = 0.9,
     .instead = 0.2},
    {"42 % are gone, 30 % more instructions in the other kernel: improved", "gpu_time", VERDICT_IMPROVED, .lost = 0.42,
     .fused = 1300},
    {"the other kernel's instructions: trade-off", "instructions", VERDICT_TRADED, .lost = 0.42, .fused = 1300},
    {"more of them than are gone: regressed", "instructions", VERDICT_REGRESSED, .lost = 0.42, .fused = 2001},
    {"those that are gone were not counted: regressed", "instructions", VERDICT_REGRESSED, .lost = 0.42, .fused = 1300,
     .uncounted = true},
    {"those of a new kernel were not counted: regressed", "instructions", VERDICT_REGRESSED, .lost = 0.42,
     .fused = 1300, .instead = 0.01, .more = 1},
    {"hardly more in place of 42 %: unsure", "gpu_time", VERDICT_UNSURE, .lost = 0.42, .fused = 1001},
    {"80 % are gone, and all other code is another: unsure", "gpu_time", VERDICT_UNSURE, .lost = 0.8,
     .recompiled = true},
    {"the program has half of its kernels' time: unsure", "gpu_time", VERDICT_UNSURE, .lost = 0.5, .left = 1,
     .record = 0.5},
    {"the program has half of its kernels' launches: unsure", "launches", VERDICT_UNSURE, .lost = 0.5, .left = 1,
     .record = 0.5},
    {"all is launched half as often: unsure", "gpu_time", VERDICT_UNSURE, .lost = 1, .left = 0.5},
    {"a kernel is launched 49 % as often: unsure", "gpu_time", VERDICT_UNSURE, .lost = 0.4, .left = 0.49},
    {"a kernel is launched 51 % as often: improved", "gpu_time", VERDICT_IMPROVED, .lost = 0.4, .left = 0.51},
    {"launches with 56 % of the time are gone: unsure", "gpu_time", VERDICT_UNSURE, .lost = 0.8, .left = 0.3},
    {"one launch more, time as it was: regressed", "launches", VERDICT_REGRESSED, .lost = 0.1, .left = 1, .more = 1},
    {"one launch more, time -10 %: trade-off", "launches", VERDICT_TRADED, .lost = 0.2, .instead = 0.1, .more = 101},
    {"one launch more, time -1 %: regressed", "launches", VERDICT_REGRESSED, .lost = 0.2, .instead = 0.19, .more = 101},
    {"1,000 launches more, which may cost 20 ms, time -20 ms: trade-off", "launches", VERDICT_TRADED, .lost = 0.2,
     .instead = 0.1, .more = 1100},
    {"1,001 launches more: regressed", "launches", VERDICT_REGRESSED, .lost = 0.2, .instead = 0.1, .more = 1101},
    {"20 allocations more, which may cost 20 ms, time -20 ms: trade-off", "allocations", VERDICT_TRADED, .lost = 0.2,
     .instead = 0.1, .more = 100, .allocations = 20},
    {"21 allocations more: regressed", "allocations", VERDICT_REGRESSED, .lost = 0.2, .instead = 0.1, .more = 100,
     .allocations = 21},
    {"2 allocations more in 200 ms: same", "allocations", VERDICT_SAME, .lost = 0.2, .left = 1, .allocations = 2},
    {"3 allocations more in 200 ms: regressed", "allocations", VERDICT_REGRESSED, .lost = 0.2, .left = 1,
     .allocations = 3},
    {"collectives wait for 1.9 times as long: not judged", "gpu_time", VERDICT_INFO, .lost = 0.1, .left = 1,
     .waits = 1.9},
    {"collectives of one process alone take 1.9 times as long: regressed", "gpu_time", VERDICT_REGRESSED, .lost = 0.1,
     .left = 1, .waits = 1.9, .processes = 1},
    {"collectives of two processes take 1.9 times as long: not judged", "gpu_time", VERDICT_INFO, .lost = 0.1,
     .left = 1, .waits = 1.9, .processes = 2},
    {"collectives take 2.1 times as long: regressed", "gpu_time", VERDICT_REGRESSED, .lost = 0.1, .left = 1,
     .waits = 2.1},
};

static void put_kernel(struct run *run, const char *kernel, double launches, double time, size_t sessions)
{
    put_launch(run_add(run, kernel), "f00d", 1);
    put_row(run, kernel, "launches", launches, sessions);
    put_row(run, kernel, "gpu_time", time, sessions);
}

/* communication: the time of collectives; 0: there are none. */
static void put_program(struct run *run, double launches, double time, double communication, size_t sessions)
{
    put_row(run, PROGRAM, "launches", launches, sessions);
    put_row(run, PROGRAM, "gpu_time", time + communication, sessions);
    if (communication > 0) {
        put_row(run, PROGRAM, "computing_time", time, sessions);
        put_row(run, PROGRAM, "communication_time", communication, sessions);
    }
    for (size_t i = 0; i < sessions; i++)
        ARRAY_GROW(run->sessions, run->session_count)->facts[SESSION_COLLECTOR] = x_strdup("exec");
}

#define WAITS "ncclDevKernel_AllReduce()"

static void name_function(struct run *run, const char *function)
{
    if (!function)
        return;
    struct launch *launch = &run_find(run, "a/stays@1,32")->launches[0];
    free(launch->function);
    launch->function = x_strdup(function);
}

/* What a check need not read: of the kernel that stays the run lacks a count. */
static const struct absence {
    const char *words, *code; /* of the run; the baseline's is f00d */
    double time;              /* of a launch; 0: not known */
    double whole;             /* GPU time of the program; 0: not known */
    enum verdict verdict;
    const char *part;     /* of the program, which the run counts; NULL: all, as in the baseline */
    const char *was, *is; /* functions; NULL: one that waits for nobody */
    bool left_out;        /* counting had no time left, says the run */
} absences[] = {
    {"a count of known code is not read: not judged", "f00d", 10, TIME, VERDICT_INFO, NULL, NULL, NULL, false},
    {"a count of other code is not read: missing", "beef", 10, TIME, VERDICT_MISSING, NULL, NULL, NULL, false},
    {"nor is its time: missing", "f00d", 0, TIME, VERDICT_MISSING, NULL, NULL, NULL, false},
    {"nor is the program's: missing", "f00d", 10, 0, VERDICT_MISSING, NULL, NULL, NULL, false},
    {"nor is it of another part: missing", "f00d", 10, TIME, VERDICT_MISSING, "--nvtx step", NULL, NULL, false},
    {"that of a collective of other code is not: not judged", "beef", 10, TIME, VERDICT_INFO, NULL, WAITS, WAITS,
     false},
    {"nor of what was a collective: missing", "beef", 10, TIME, VERDICT_MISSING, NULL, WAITS, NULL, false},
    {"counting had no time left for other code: not judged", "beef", 10, TIME, VERDICT_INFO, NULL, NULL, NULL, true},
    {"nor is the program's time known: missing", "beef", 10, 0, VERDICT_MISSING, NULL, NULL, NULL, true},
};

static void q7_absence(struct selftest *selftest, const struct absence *absence)
{
    OWNED(run) baseline = {0}, run = {0};
    OWNED(comparison) comparison;
    put_kernel(&baseline, "a/stays@1,32", LAUNCHES, TIME, 10);
    put_row(&baseline, "a/stays@1,32", "time", TIME / LAUNCHES, 10);
    put_row(&baseline, "a/stays@1,32", "instructions", 1000, 10);
    put_program(&baseline, LAUNCHES, TIME, 0, 10);
    put_kernel(&run, "a/stays@1,32", LAUNCHES, TIME, 2);
    free(run.results[0].launches[0].code);
    run.results[0].launches[0].code = x_strdup(absence->code);
    name_function(&baseline, absence->was);
    name_function(&run, absence->is);
    if (absence->time > 0)
        put_row(&run, "a/stays@1,32", "time", absence->time, 2);
    put_program(&run, LAUNCHES, TIME, 0, 2);
    for (size_t i = 0; i < run.session_count && absence->part; i++)
        run.sessions[i].facts[SESSION_PART] = x_strdup(absence->part);
    run.sessions[0].facts[SESSION_LEFT_OUT] = absence->left_out ? x_strdup("1 kernel") : NULL;
    if (absence->whole == 0)
        result_remove(run_find(&run, PROGRAM), "gpu_time");
    compare_runs(&comparison, &baseline, &run, &selftest->metrics, NULL);
    const enum verdict verdict = judgement_of(&comparison, "a/stays@1,32", "instructions")->verdict;
    expect_all(selftest, verdict == absence->verdict, 1, absence->words);
}

/* Without a GPU: of 100 launches of a kernel, each of 1,000 instructions and 8 stores, beside 10 of another kernel. */
static const struct computed {
    const char *words, *kernel, *metric;
    enum verdict verdict;
    double launches, others; /* the other kernel's; more than 10 of them do the lost work, and have other code */
    double stores, atomics;
    double fresh; /* instructions of a new kernel, which is launched in place of those that lack; 0: there is none; -1:
                     not counted */
} computed[] = {
    {"computed, 40 % of the launches are gone: improved", PROGRAM, "launches", VERDICT_IMPROVED, 60, 10, 8, 0, 0},
    {"computed, 60 % of the launches are gone: unsure", PROGRAM, "launches", VERDICT_UNSURE, 40, 10, 8, 0, 0},
    {"computed, 99 of 100 launches are gone: unsure", PROGRAM, "launches", VERDICT_UNSURE, 1, 9, 8, 0, 0},
    {"computed, others do what they did: improved", PROGRAM, "launches", VERDICT_IMPROVED, 1, 108, 8, 0, 0},
    {"computed, a kernel is launched 51 times of 100: improved", "a/stays@1,32", "launches", VERDICT_IMPROVED, 51, 10,
     8, 0, 0},
    {"computed, a kernel is launched 49 times of 100: unsure", "a/stays@1,32", "launches", VERDICT_UNSURE, 49, 10, 8, 0,
     0},
    {"computed, a new kernel does what is gone: same", PROGRAM, "launches", VERDICT_SAME, 60, 10, 8, 0, 1090},
    {"computed, what it does was not counted: unsure", PROGRAM, "launches", VERDICT_UNSURE, 60, 10, 8, 0, -1},
    {"computed, and 11 % more: unsure", PROGRAM, "launches", VERDICT_UNSURE, 60, 10, 8, 0, 1110},
    {"computed, a kernel stores less: improved", "a/stays@1,32", "global_store_requests", VERDICT_IMPROVED, 100, 10, 1,
     0, 0},
    {"computed, a kernel stores nothing: unsure", "a/stays@1,32", "global_store_requests", VERDICT_UNSURE, 100, 10, 0,
     0, 0},
    {"computed, and it adds instead: improved", "a/stays@1,32", "global_store_requests", VERDICT_IMPROVED, 100, 10, 0,
     8, 0},
};

static void put_computed(struct run *run, const struct computed *row, size_t sessions)
{
    const double instead = row->others > 10 ? 1000 : 100;
    put_kernel(run, "a/stays@1,32", row->launches, TIME, sessions);
    put_kernel(run, "a/other@1,32", row->others, TIME, sessions);
    for (size_t i = 0; i < run->result_count; i++)
        result_remove(&run->results[i], "gpu_time");
    put_row(run, "a/stays@1,32", "instructions", 1000, sessions);
    put_row(run, "a/stays@1,32", "global_store_requests", row->stores, sessions);
    put_row(run, "a/stays@1,32", "global_atomics", row->atomics, sessions);
    put_row(run, "a/other@1,32", "instructions", instead, sessions);
    const double fresh = row->fresh != 0 ? LAUNCHES - row->launches : 0;
    if (fresh > 0) {
        put_kernel(run, "a/fresh@1,32", fresh, TIME, sessions);
        result_remove(run_find(run, "a/fresh@1,32"), "gpu_time");
        if (row->fresh > 0)
            put_row(run, "a/fresh@1,32", "instructions", row->fresh, sessions);
    }
    put_row(run, PROGRAM, "launches", row->launches + row->others + fresh, sessions);
    put_row(run, PROGRAM, "instructions", 1000 * row->launches + instead * row->others + row->fresh * fresh, sessions);
    for (size_t i = 0; i < sessions; i++)
        ARRAY_GROW(run->sessions, run->session_count)->facts[SESSION_COLLECTOR] = x_strdup("exec-sim");
}

static void q7_computed_program(struct selftest *selftest, const struct computed *row)
{
    static const struct computed before = {.launches = 100, .others = 10, .stores = 8};
    OWNED(run) baseline = {0}, run = {0};
    OWNED(comparison) comparison;
    struct computed was = before;
    was.atomics = row->atomics;
    put_computed(&baseline, &was, 3);
    put_computed(&run, row, 1);
    if (strcmp(row->kernel, PROGRAM) != 0)
        *run_find(&run, row->kernel)->launches[0].code = 'b';
    compare_runs(&comparison, &baseline, &run, &selftest->metrics, NULL);
    const struct judgement *judgement = judgement_of(&comparison, row->kernel, row->metric);
    expect_all(selftest, judgement->verdict == row->verdict, 1, row->words);
}

void q7_program(struct selftest *selftest)
{
    for (size_t i = 0; i < ARRAY_SIZE(computed); i++)
        q7_computed_program(selftest, &computed[i]);
    for (size_t i = 0; i < ARRAY_SIZE(absences); i++)
        q7_absence(selftest, &absences[i]);
    for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
        const struct change *change = &changes[i];
        const double stays = 1 - change->lost, left = change->lost * change->left;
        OWNED(run) baseline = {0}, run = {0};
        OWNED(comparison) comparison;
        put_kernel(&baseline, "a/stays@1,32", LAUNCHES, stays * TIME, 10);
        put_kernel(&baseline, "a/lost@1,32", LAUNCHES, change->lost * TIME, 10);
        put_program(&baseline, 2 * LAUNCHES, TIME, change->waits > 0 ? COLLECTIVES : 0, 10);
        put_kernel(&run, "a/stays@1,32", LAUNCHES, stays * TIME, 2);
        if (change->left > 0)
            put_kernel(&run, "a/lost@1,32", LAUNCHES * change->left, left * TIME, 2);
        if (change->instead > 0)
            put_kernel(&run, "a/fresh@1,32", change->more, change->instead * TIME, 2);
        if (change->fused > 0) {
            put_row(&baseline, "a/stays@1,32", "instructions", 1000, 10);
            put_row(&run, "a/stays@1,32", "instructions", change->fused, 2);
            if (!change->uncounted)
                put_row(&baseline, "a/lost@1,32", "instructions", 1000, 10);
        }
        if (change->recompiled || change->fused > 0)
            *run_find(&run, "a/stays@1,32")->launches[0].code = 'b';
        const double record = change->record > 0 ? change->record : 1;
        put_program(&run, record * (LAUNCHES * (1 + change->left) + change->more),
                    record * (stays + left + change->instead) * TIME, change->waits * COLLECTIVES, 2);
        put_row(&baseline, PROGRAM, "allocations", 10, 10);
        put_row(&run, PROGRAM, "allocations", 10 + change->allocations, 2);
        if (change->processes > 0) {
            put_row(&baseline, PROGRAM, "processes", change->processes, 10);
            put_row(&run, PROGRAM, "processes", change->processes, 2);
        }
        compare_runs(&comparison, &baseline, &run, &selftest->metrics, NULL);
        const bool of_kernel = strcmp(change->metric, "instructions") == 0;
        const enum verdict verdict =
            judgement_of(&comparison, of_kernel ? "a/stays@1,32" : PROGRAM, change->metric)->verdict;
        expect_all(selftest, verdict == change->verdict, 1, change->words);
    }
}
