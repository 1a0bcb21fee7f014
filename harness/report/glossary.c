/* What words of reports mean, for `cugate help words`. */
#include "report.h"

/* To explain a word: a row. `elsewhere` is what other programs call it. */
static const struct word {
    const char *word, *meaning, *elsewhere;
} entries[] = {
    {"session", "one process that measures everything once; the spread between sessions shows the noise",
     "in nvbench and Criterion: a run of the program"},
    {"beyond the limit in 2 of 3 sessions",
     "how many sessions of this run are worse than the limit allows; then how many the baseline has", NULL},
    {"sample", "one measured launch", "in ncu: a profiled launch; in Criterion: many iterations"},
    {"baseline", "the accepted numbers that runs are compared with; kept in git with the code",
     "in Criterion: the same; in nvbench_compare: the reference file"},
    {"collector",
     "the source of the numbers: cupti and exec read the GPU's counters, sim executes the machine code on a CPU", NULL},
    {"shift", "the change that all kernels have in common; it comes from the machine, not the code, and is subtracted",
     NULL},
    {"limit",
     "the largest change that noise alone can explain, from the spread of the baseline's sessions; never below the "
     "metric's floor, and 0 for counts that repeat",
     "in Criterion: the noise threshold, one for all benchmarks; in nvbench_compare: the threshold"},
    {"detects", "the smallest change that the gate catches in 99 of 100 cases", NULL},
    {"pairs", "alternating runs of this build and the base build on one GPU, 4 to 14 of each", NULL},
    {"wide limit",
     "the limit is more than a quarter of the value, and wider than the metric's floor, so the row can hardly fail",
     NULL},
    {"drift reference", "the value that slow drift is measured from; `accept --anchor` sets it", NULL},
    {"rows", "one metric of one kernel", NULL},
    {"unsure", "could be worse or unchanged: this run does not show which, and the report says what settles it", NULL},
    {"missing", "the baseline has a value but this run does not, or the kernel failed; it never passes", NULL},
    {"info", "shown, never judged", NULL},
    {"trade-off",
     "worse, but the kernel or program became faster, or improved elsewhere at the same speed; or a ratio whose "
     "underlying counts did not get worse",
     NULL},
    {"unexpected-pass", "declared as a regression in expected.ini, but no longer worse", NULL},
    {"unchanged code",
     "the same machine code and launch as in the baseline, so a different time is noise or comes from different inputs",
     NULL},
    {"capsule", "a file of captured launches, each with its code, arguments and memory", NULL},
    {"replayed", "of a captured launch: it ran again in another process, with the same result", NULL},
    {"counted by class",
     "counts computed from one executed block of a class, because the other blocks are proved to give the same counts",
     NULL},
    {"drawn", "of inputs: replaced by random values of the same kind, from a seed", NULL},
    {"noise", "differences between runs of unchanged code",
     "in nvbench: the relative deviation of samples within one run"},
    {"GPU time", "the time of all launches of the program, or of a kernel, added up; before: the same in the baseline",
     "in Nsight Systems: Total Time"},
    {"kernels gone", "kernels that the program no longer launches; its GPU time includes the saving", NULL},
    {"exact", "of a metric: its count repeats exactly", NULL},
    {"steady", "of a metric: its value repeats, except for a small floor", NULL},
    {"spread", "how much sessions of the same code differ",
     "in nvbench: noise; in Criterion: a confidence interval; both within one run"},
    {"readings", "the values that single launches gave", NULL},
    {"admitted", "treated as exact, because enough readings were equal", NULL},
    {"occupancy", "active warps on an SM, as a share of the maximum", "in ncu: Achieved Occupancy"},
    {"branch eff.", "share of branches without divergence", "in ncu: Branch Efficiency"},
    {"bank conflicts", "extra shared-memory cycles because threads of a warp access one bank",
     "in ncu: Bank Conflicts"},
    {"DRAM", "device memory traffic, as a share of its peak", "in ncu: DRAM Throughput"},
    {"wavefronts", "cycles that shared memory needs for the accesses of a warp", "in ncu: the same"},
    {"sectors", "units of 32 bytes in which global memory is read and written", "in ncu: the same"},
    {"wave", "as many blocks as the GPU runs at a time", "in ncu: Waves Per SM"},
    {"issue slots", "cycles in which a scheduler of an SM can start an instruction", "in ncu: Issue Slots Busy"},
    {"intensity", "arithmetic operations per byte of device memory traffic", "in ncu: Arithmetic Intensity"},
    {"latency", "the time until a result arrives; a kernel is bound by it when warps wait and no unit is busy", NULL},
    {"idle threads", "inactive threads of an active warp", "in ncu: 32 minus Avg. Not Predicated Off Threads Per Warp"},
    {"slow_instructions",
     "cycles for which special functions (sinf, sqrtf), conversions, integer division and double arithmetic hold a "
     "slow pipe: 8 per warp instruction, 2 for double arithmetic",
     NULL},
    {"long_scoreboard", "waiting for global, local or texture memory", "in ncu: Stall Long Scoreboard"},
    {"short_scoreboard", "waiting for shared memory or a special function", "in ncu: Stall Short Scoreboard"},
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
