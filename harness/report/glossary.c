/* What words of reports mean, for `cugate help words`. */
#include "report.h"

/* To explain a word: a row. `elsewhere` is what other programs call it. */
static const struct word {
    const char *word, *elsewhere, *meaning;
} entries[] = {
    {"session", "in nvbench and Criterion: a run of the program",
     "one process that measures everything once; the spread between sessions shows the noise"},
    {"beyond the limit in 2 of 3 sessions", NULL,
     "how many sessions of this run are worse than the limit allows; then how many the baseline has"},
    {"sample", "in ncu: a profiled launch; in Criterion: many iterations", "one measured launch"},
    {"baseline", "in Criterion: the same; in nvbench_compare: the reference file",
     "the accepted numbers that runs are compared with; kept in git with the code"},
    {"collector", NULL,
     "the source of the numbers: cupti and exec read the GPU's counters, sim executes the machine code on a CPU"},
    {"shift", NULL,
     "the change that all kernels have in common; it comes from the machine, not the code, and is subtracted"},
    {"limit", "in Criterion: the noise threshold, one for all benchmarks; in nvbench_compare: the threshold",
     "the largest change that noise alone can explain, from the spread of the baseline's sessions; never below the "
     "metric's floor, and 0 for counts that repeat"},
    {"detects", NULL, "the smallest change that the gate catches in 99 of 100 cases"},
    {"pairs", NULL, "alternating runs of this build and the base build on one GPU, 4 to 14 of each"},
    {"wide limit", NULL,
     "the limit is more than a quarter of the value, and wider than the metric's floor, so the row can hardly fail"},
    {"drift reference", NULL, "the value that slow drift is measured from; `accept --anchor` sets it"},
    {"rows", NULL, "one metric of one kernel"},
    {"unsure", NULL, "could be worse or unchanged: this run does not show which; the report says how to decide"},
    {"missing", NULL, "the baseline has a value but this run does not, or the kernel failed; it never passes"},
    {"info", NULL, "shown, never judged"},
    {"trade-off", NULL,
     "worse, but the kernel or program became faster, or improved elsewhere at the same speed; or a ratio whose "
     "underlying counts did not get worse"},
    {"unexpected-pass", NULL, "declared as a regression in expected.ini, but no longer worse"},
    {"unchanged code", NULL,
     "the same machine code and launch as in the baseline, so another time is noise or due to other inputs"},
    {"capsule", NULL, "a file of captured launches, each with its code, arguments and memory"},
    {"replayed", NULL, "of a captured launch: it ran again in another process, with the same result"},
    {"counted by class", NULL,
     "counts computed from one executed block of a class, because the others are proved to have the same counts"},
    {"drawn", NULL, "of inputs: replaced by random values of the same kind, from a seed"},
    {"noise", "in nvbench: the relative deviation of samples within one run",
     "differences between runs of unchanged code"},
    {"GPU time", "in Nsight Systems: Total Time",
     "the time of all launches of the program, or of a kernel, added up; before: the same in the baseline"},
    {"kernels gone", NULL, "kernels that the program no longer launches; the program's GPU time includes the saving"},
    {"exact", NULL, "of a metric: its count repeats exactly"},
    {"steady", NULL, "of a metric: its value repeats, except for a small floor"},
    {"spread", "in nvbench: noise; in Criterion: a confidence interval; both within one run",
     "how much sessions of the same code differ"},
    {"readings", NULL, "the values of the single launches"},
    {"admitted", NULL, "treated as exact, because enough readings were equal"},
    {"occupancy", "in ncu: Achieved Occupancy", "active warps on an SM, as a share of the maximum"},
    {"branch eff.", "in ncu: Branch Efficiency", "share of branches without divergence"},
    {"bank conflicts", "in ncu: Bank Conflicts",
     "extra shared-memory cycles, because threads of a warp access different words of the same bank"},
    {"DRAM", "in ncu: DRAM Throughput", "device memory traffic, as a share of its peak"},
    {"wavefronts", "in ncu: the same", "cycles that shared memory needs for the accesses of a warp"},
    {"sectors", "in ncu: the same", "units of 32 bytes in which global memory is read and written"},
    {"wave", "in ncu: Waves Per SM", "the blocks that the GPU runs at a time"},
    {"issue slots", "in ncu: Issue Slots Busy", "cycles in which a scheduler of an SM can start an instruction"},
    {"intensity", "in ncu: Arithmetic Intensity", "arithmetic operations per byte of device memory traffic"},
    {"latency", NULL, "the time until a result arrives; a kernel is bound by it when warps wait and no unit is busy"},
    {"idle threads", "in ncu: 32 minus Avg. Not Predicated Off Threads Per Warp", "inactive threads of an active warp"},
    {"slow_instructions", NULL,
     "cycles for which special functions (sinf, sqrtf), conversions, integer division and double arithmetic hold a "
     "slow pipe: 8 per warp instruction, 2 for double arithmetic"},
    {"long_scoreboard", "in ncu: Stall Long Scoreboard", "waiting for global, local or texture memory"},
    {"short_scoreboard", "in ncu: Stall Short Scoreboard", "waiting for shared memory or a special function"},
};

bool report_words(const struct text *text, const char *word)
{
    bool any = false;
    EACH(const struct word, entry, entries, ARRAY_SIZE(entries)) {
        if (word && !strcasestr(entry->word, word))
            continue;
        any = true;
        OWNED_TEXT words = x_sprintf("%s: %s%s%s%s", entry->word, entry->meaning, entry->elsewhere ? " (" : "",
                                     entry->elsewhere ? entry->elsewhere : "", entry->elsewhere ? ")" : "");
        text_wrap(text, INK_DIM, 0, 2, words);
    }
    return any;
}
