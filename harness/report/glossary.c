/* What words of reports mean, for `cugate help words`. */
#include "report.h"

/* To explain a word: a row. `elsewhere` is what other programs call it. */
static const struct word {
    const char *word, *meaning, *elsewhere;
} entries[] = {
    {"session", "one process that measures everything; the spread between sessions is the noise",
     "in nvbench and Criterion a run of the program"},
    {"sessions against", "sessions of this run beyond the limit, against the baseline's", NULL},
    {"sample", "one measured launch", "in ncu a profiled launch; in Criterion a sample is many iterations"},
    {"baseline", "the accepted numbers that a run is compared with, kept with the code",
     "in Criterion the same; in nvbench_compare the reference file"},
    {"collector",
     "the source of the numbers: cupti and exec read the GPU's counters, sim executes the machine code on a CPU", NULL},
    {"shift", "the change that all kernels have in common: it comes from the machine, not the code, and is subtracted",
     NULL},
    {"limit",
     "the largest change that noise alone explains, from the spread of the baseline's sessions; never below the "
     "metric's floor, and 0 for counts that repeat",
     "in Criterion the noise threshold, which is one for all; in nvbench_compare the threshold"},
    {"detects", "the smallest change that is caught in 99 of 100 cases", NULL},
    {"pairs", "this build and the base build run in turn on one GPU, 4 to 14 times", NULL},
    {"wide limit", "the limit is more than a quarter of the value, so the row can hardly fail", NULL},
    {"drift reference", "the value that slow drift is measured from; `accept --anchor` sets it", NULL},
    {"rows", "one metric of one kernel", NULL},
    {"unsure", "neither shown to be worse nor to be unchanged; the report says what settles it", NULL},
    {"missing", "the baseline has a value and this run does not, or the kernel failed: never a pass", NULL},
    {"info", "shown, never judged", NULL},
    {"trade-off",
     "worse, but the kernel or program became faster, or better elsewhere at the same speed; or a ratio whose costs "
     "did not rise",
     NULL},
    {"unexpected-pass", "declared as worse in expected.ini, but no longer worse", NULL},
    {"unchanged code", "the machine code and launch of the baseline: other times are noise, or other inputs", NULL},
    {"capsule", "a captured launch with its code, arguments and memory", NULL},
    {"replayed", "of capsules: run again in another process, with the same result", NULL},
    {"counted by class", "counted from one executed block, where the others are proved to count the same", NULL},
    {"drawn", "of inputs: replaced by random values of the same kind, by a seed", NULL},
    {"noise", "differences with unchanged code", "in nvbench the relative deviation of samples within one run"},
    {"GPU time", "the sum over all launches of the program, or of a kernel; before: in the baseline",
     "in Nsight Systems Total Time"},
    {"kernels gone", "the program no longer launches them; its GPU time includes the saving", NULL},
    {"exact", "of metrics: counts that repeat exactly", NULL},
    {"steady", "of metrics: repeats, except for a small floor", NULL},
    {"spread", "how far sessions of the same code differ",
     "in nvbench noise, in Criterion a confidence interval, both of one run"},
    {"readings", "the values of single launches", NULL},
    {"admitted", "counted as exact, by enough equal readings", NULL},
    {"occupancy", "active warps on an SM, as a share of its maximum", "in ncu Achieved Occupancy"},
    {"branch eff.", "share of branches without divergence", "in ncu Branch Efficiency"},
    {"bank conflicts", "extra shared-memory cycles because threads of a warp access one bank", "in ncu Bank Conflicts"},
    {"DRAM", "traffic of device memory, as a share of its peak", "in ncu DRAM Throughput"},
    {"wavefronts", "shared-memory cycles for the accesses of a warp", "as in ncu"},
    {"sectors", "units of 32 bytes in which global memory is read and written", "as in ncu"},
    {"wave", "as many blocks as the GPU runs at a time", "in ncu Waves Per SM"},
    {"issue slots", "cycles in which a scheduler of an SM can start an instruction", "in ncu Issue Slots Busy"},
    {"intensity", "arithmetic for each byte of device memory", "in ncu Arithmetic Intensity"},
    {"latency", "the time until a result arrives: warps wait, and no unit is busy", NULL},
    {"idle threads", "inactive threads of an active warp", "in ncu 32 minus Avg. Not Predicated Off Threads Per Warp"},
    {"slow_instructions",
     "cycles for which special functions (sinf, sqrtf), conversions, integer division and double arithmetic hold a "
     "slow "
     "pipe; of a warp's instruction 8, of double arithmetic 2",
     NULL},
    {"long_scoreboard", "waiting for global, local or texture memory", "in ncu Stall Long Scoreboard"},
    {"short_scoreboard", "waiting for shared memory or a special function", "in ncu Stall Short Scoreboard"},
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
