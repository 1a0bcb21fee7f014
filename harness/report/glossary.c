#include "glossary.h"
#include "report.h"

#include <ctype.h>

/* To explain a word: a row. `also` is another form of it. Write both in small letters; they match as whole words.
 * `elsewhere` is what other programs call it. */
static const struct word {
    const char *word, *also;
    const char *meaning;
    const char *elsewhere;
} entries[] = {
    {"session", "sessions", "one process that measures everything; the spread between sessions is the noise",
     "in nvbench and Criterion a run of the program"},
    {"sessions against", "session against", "sessions of this run beyond the limit, against the baseline's", NULL},
    {"sample", "samples", "one measured launch", "in ncu a profiled launch; in Criterion a sample is many iterations"},
    {"baseline", "baselines", "the accepted numbers that a run is compared with, kept with the code",
     "in Criterion the same; in nvbench_compare the reference file"},
    {"collector", NULL,
     "the source of the numbers: cupti and exec read the GPU's counters, sim executes the machine code on a CPU", NULL},
    {"shift", NULL,
     "the change that all kernels have in common: it comes from the machine, not the code, and is subtracted", NULL},
    {"limit", "limits",
     "the largest change that noise explains, from the spread of the baseline's sessions; at least the metric's floor, "
     "and 0 for counts that repeat",
     "in Criterion the noise threshold, which is one for all; in nvbench_compare the threshold"},
    {"detects", NULL, "the smallest change that is caught in 99 of 100 cases", NULL},
    {"pairs", "pair", "this build and the base build run in turn on one GPU, 4 to 14 times", NULL},
    {"wide limit", NULL, "the limit is more than a quarter of the value, so the row can hardly fail", NULL},
    {"drift reference", "drift references", "the value that slow drift is measured from; `accept --anchor` sets it",
     NULL},
    {"rows", "row", "one metric of one kernel", NULL},
    {"trade-off", NULL,
     "worse, but the kernel or program became faster, or better elsewhere at the same speed; or a ratio whose costs "
     "did not rise",
     NULL},
    {"unexpected-pass", NULL, "declared as worse in expected.ini, but no longer worse", NULL},
    {"unchanged code", NULL, "the machine code and launch of the baseline: other times are noise, or other inputs",
     NULL},
    {"capsule", "capsules", "a captured launch with its code, arguments and memory", NULL},
    {"replayed", NULL, "of capsules: run again in another process, with the same result", NULL},
    {"counted by class", NULL, "counted from one executed block, where the others are proved to count the same", NULL},
    {"drawn", NULL, "of inputs: replaced by random values of the same kind, by a seed", NULL},
    {"noise", NULL, "differences with unchanged code", "in nvbench the relative deviation of samples within one run"},
    {"GPU time", NULL, "the sum over all launches of the program, or of a kernel; before: in the baseline",
     "in Nsight Systems Total Time"},
    {"kernels gone", "kernel gone", "the program no longer launches them; its GPU time includes the saving", NULL},
    {"exact", NULL, "of metrics: counts that repeat to the digit", NULL},
    {"steady", NULL, "of metrics: repeats, except for a small floor", NULL},
    {"spread", NULL, "how far sessions of the same code differ",
     "in nvbench noise, in Criterion a confidence interval, both of one run"},
    {"readings", NULL, "the values of single launches", NULL},
    {"admitted", NULL, "counted as exact, by enough equal readings", NULL},
    {"occupancy", NULL, "active warps on an SM, as a share of its maximum", "in ncu Achieved Occupancy"},
    {"branch eff.", NULL, "share of branches without divergence", "in ncu Branch Efficiency"},
    {"bank conflicts", NULL, "extra shared-memory cycles because threads of a warp access one bank",
     "in ncu Bank Conflicts"},
    {"DRAM", NULL, "traffic of device memory, as a share of its peak", "in ncu DRAM Throughput"},
    {"wavefronts", "wavefront", "shared-memory cycles for the accesses of a warp", "as in ncu"},
    {"sectors", "sector", "units of 32 bytes in which global memory is read and written", "as in ncu"},
    {"wave", "waves", "as many blocks as the GPU runs at a time", "in ncu Waves Per SM"},
    {"issue slots", NULL, "cycles in which a scheduler of an SM can start an instruction", "in ncu Issue Slots Busy"},
    {"intensity", NULL, "arithmetic for each byte of device memory", "in ncu Arithmetic Intensity"},
    {"latency", NULL, "the time until a result arrives: warps wait, and no unit is busy", NULL},
    {"idle threads", NULL, "inactive threads of an active warp",
     "in ncu 32 minus Avg. Not Predicated Off Threads Per Warp"},
    {"long_scoreboard", NULL, "waiting for global, local or texture memory", "in ncu Stall Long Scoreboard"},
    {"short_scoreboard", NULL, "waiting for shared memory or a special function", "in ncu Stall Short Scoreboard"},
};

static bool is_part_of_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '/';
}

/* Finds a word in what was printed, as a whole word, with a small or capital first letter. NULL when it is not
 * there. */
static const char *find_word(const char *said, const char *word)
{
    if (!word)
        return NULL;
    const size_t length = strlen(word);
    /* searches without the first letter */
    for (const char *rest = said; *rest && (rest = strstr(rest + 1, word + 1));) {
        const char *at = rest - 1;
        if ((at[0] == word[0] || at[0] == toupper((unsigned char)word[0])) && !is_part_of_word(at[length]) &&
            (at == said || !is_part_of_word(at[-1])))
            return at;
    }
    return NULL;
}

/* Removes escape sequences of colours. Caller frees. */
static char *without_escapes(const char *said)
{
    char *plain = x_strdup(said), *to = plain;
    for (const char *from = said; *from;)
        if (*from == '\033')
            from += strcspn(from, "m") + (from[strcspn(from, "m")] ? 1 : 0);
        else
            *to++ = *from++;
    *to = '\0';
    return plain;
}

struct found {
    const char *at;
    const struct word *entry;
};

static int first_said(const void *left, const void *right)
{
    const struct found *a = left, *b = right;
    return (a->at > b->at) - (a->at < b->at);
}

static void print_entry(const struct text *text, const struct word *entry)
{
    OWNED_TEXT words = x_sprintf("%s: %s%s%s%s", entry->word, entry->meaning, entry->elsewhere ? " (" : "",
                                 entry->elsewhere ? entry->elsewhere : "", entry->elsewhere ? ")" : "");
    text_wrap(text, INK_DIM, 0, 2, words);
}

size_t glossary_print(const struct text *text, const char *said)
{
    struct found list[ARRAY_SIZE(entries)];
    OWNED_TEXT plain = without_escapes(said);
    size_t count = 0;
    for (size_t i = 0; i < ARRAY_SIZE(entries); i++) {
        const char *one = find_word(plain, entries[i].word), *other = find_word(plain, entries[i].also);
        const char *at = one && other ? (one < other ? one : other) : one ? one : other;
        if (at)
            list[count++] = (struct found){at, &entries[i]};
    }
    if (count > 0)
        qsort(list, count, sizeof *list, first_said);
    for (size_t i = 0; i < count; i++)
        print_entry(text, list[i].entry);
    return count;
}

void report_words(const struct text *text)
{
    for (size_t i = 0; i < ARRAY_SIZE(entries); i++)
        print_entry(text, &entries[i]);
}

const char *glossary_word(size_t index)
{
    return index < ARRAY_SIZE(entries) ? entries[index].word : NULL;
}

void glossary_begin(struct glossary *glossary, const struct text *text)
{
    *glossary = (struct glossary){.text = *text, .stream = text->stream};
    glossary->text.stream = x_memstream(&glossary->said, &glossary->size);
}

char *glossary_end(struct glossary *glossary)
{
    fclose(glossary->text.stream);
    fputs(glossary->said, glossary->stream);
    return glossary->said;
}
