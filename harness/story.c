#include "story.h"

#include "util.h"

#include <stdlib.h>
#include <string.h>

/* A story's amount on a line is the sum of counter x factor. Stalls have none: their amounts are samples. */
struct amount {
    struct story story;
    struct {
        enum line_counter counter;
        double factor;
    } terms[2];
    size_t term_count;
};

#define THREADS_OF_A_WARP 32

/* clang-format off */
/* To add a story: a row. Of two that explain one metric, the more telling stands first. */
static const struct amount amounts[] = {
    {{"divergent_branches", "divergent branches", " branch_targets_divergent branch_efficiency threads_per_instruction ",
      "threads of one warp go both ways here, one after the other: decide per warp, or give neighbouring threads the "
      "same branch"},
     {{LINE_DIVERGENT, 1}}, 1},
    {{"idle_threads", "idle threads", " threads_per_instruction ",
      "threads of the warp are switched off here: let neighbouring threads do the work, and whole warps finish early"},
     {{LINE_INSTRUCTIONS, THREADS_OF_A_WARP}, {LINE_WORKING_THREADS, -1}}, 2},
    {{"excess_wavefronts", "excess shared wavefronts", " excess_wavefronts shared_bank_conflicts shared_wavefronts ",
      "lanes of one warp meet in the same bank: pad the rows by one element, swizzle the index, or let neighbouring "
      "lanes read neighbouring words"},
     {{LINE_SHARED, 1}, {LINE_SHARED_IDEAL, -1}}, 2},
    {{"shared_wavefronts", "shared wavefronts", " shared_wavefronts ",
      "more passes through shared memory without bank conflicts: keep values in registers, or read 8 or 16 bytes a "
      "lane"},
     {{LINE_SHARED, 1}}, 1},
    {{"local_sectors", "local memory sectors", " local_memory dram_bytes_read dram_bytes_write l1_hit_rate ",
      "registers are spilled here, or an array is indexed by a variable: allow more registers a thread, or unroll so "
      "that indices are known"},
     {{LINE_LOCAL_SECTORS, 1}}, 1},
    {{"excess_load_sectors", "excess load sectors", " global_load_sectors dram_bytes_read l1_hit_rate l2_hit_rate ",
      "lanes of one load lie in more sectors than their bytes need: let neighbouring lanes read neighbouring, aligned "
      "elements, or stage through shared memory"},
     {{LINE_LOAD_SECTORS, 1}, {LINE_LOAD_IDEAL, -1}}, 2},
    {{"excess_store_sectors", "excess store sectors", " global_store_sectors dram_bytes_write l2_hit_rate ",
      "lanes of one store lie in more sectors than their bytes need: let neighbouring lanes write neighbouring, "
      "aligned elements, or stage through shared memory"},
     {{LINE_STORE_SECTORS, 1}, {LINE_STORE_IDEAL, -1}}, 2},
    {{"load_sectors", "load sectors", " global_load_sectors dram_bytes_read l1_hit_rate l2_hit_rate ",
      "more is read, and it coalesces: keep what is read twice in registers or shared memory"},
     {{LINE_LOAD_SECTORS, 1}}, 1},
    {{"store_sectors", "store sectors", " global_store_sectors dram_bytes_write l2_hit_rate ",
      "more is written, and it coalesces: write results once"},
     {{LINE_STORE_SECTORS, 1}}, 1},
    {{"global_loads", "global loads", " global_load_requests ",
      "more load instructions: read 8 or 16 bytes a lane, or keep what is read twice"},
     {{LINE_GLOBAL_LOADS, 1}}, 1},
    {{"global_stores", "global stores", " global_store_requests ",
      "more store instructions: write 8 or 16 bytes a lane, or write results once"},
     {{LINE_GLOBAL_STORES, 1}}, 1},
    {{"branches", "branches", " branch_targets ",
      "more branches: unroll, or let the compiler know the bounds"},
     {{LINE_UNIFORM, 1}, {LINE_DIVERGENT, 1}}, 2},
    {{"stalls", "warp cycles", " time sm_cycles achieved_occupancy ",
      "warps spend their time here: the reason they wait for says what to change"},
     {{0, 0}}, 0},
    {{"instructions", "instructions", " instructions branch_targets time sm_cycles ",
      "more instructions: look for arithmetic that moved into the loop, a lost unrolling, a wider type"},
     {{LINE_INSTRUCTIONS, 1}}, 1},
};

/* What a stall reason means; the names are the profiler's, without their prefix. */
static const struct {
    const char *reason, *words;
} stall_words[] = {
    {"long_scoreboard",    "waiting for global, local or texture memory"},
    {"short_scoreboard",   "waiting for shared memory or a special function"},
    {"mio_throttle",       "the queue to shared memory and special functions is full"},
    {"lg_throttle",        "the queue to global and local memory is full"},
    {"tex_throttle",       "the texture queue is full"},
    {"math_pipe_throttle", "the arithmetic pipe is busy"},
    {"barrier",            "waiting for other warps at a barrier"},
    {"membar",             "waiting at a memory fence"},
    {"branch_resolving",   "waiting for a branch"},
    {"wait",               "fixed latency between two instructions"},
    {"no_instructions",    "the instruction cache missed"},
    {"imc_miss",           "the constant cache missed"},
    {"drain",              "waiting for stores before it ends"},
    {"dispatch_stall",     "the dispatcher held it back"},
    {"not_selected",       "ready, another warp went first"},
    {"selected",           "issuing"},
    {"sleeping",           "asleep by its own wish"},
    {"misc",               "other reasons"},
};
/* clang-format on */

const struct story *const *story_list(size_t *count)
{
    static const struct story *list[ROWS(amounts)];
    for (size_t i = 0; i < ROWS(amounts); i++)
        list[i] = &amounts[i].story;
    *count = ROWS(amounts);
    return list;
}

/* The story is the first member of its row. */
static const struct amount *row_of(const struct story *story)
{
    return (const struct amount *)story;
}

bool story_is_known(const struct story *story, const struct lines *lines)
{
    const struct amount *row = row_of(story);
    if (row->term_count == 0)
        return lines->period > 0;
    for (size_t i = 0; i < row->term_count; i++)
        if (!(lines->counted & 1u << row->terms[i].counter))
            return false;
    return true;
}

double story_amount(const struct story *story, const struct lines *lines, const struct line *line)
{
    const struct amount *row = row_of(story);
    double amount = 0;
    for (size_t i = 0; i < row->term_count; i++)
        amount += row->terms[i].factor * line->counts[row->terms[i].counter];
    if (row->term_count == 0 && lines->launches > 0)
        amount = line_samples(line) * lines->period / lines->launches;
    return amount > 0 ? amount : 0;
}

double story_total(const struct story *story, const struct lines *lines)
{
    double total = 0;
    for (size_t i = 0; i < lines->count; i++)
        total += story_amount(story, lines, &lines->list[i]);
    return total;
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_same_file(const struct line *a, const struct line *b)
{
    if (!a->file || !b->file)
        return a->file == b->file && strcmp(a->function, b->function) == 0;
    return strcmp(file_name(a->file), file_name(b->file)) == 0;
}

static bool is_same_text(const struct line *a, const struct line *b)
{
    return a->text && b->text && strcmp(a->text, b->text) == 0 && is_same_file(a, b);
}

/* How many lines before this one have its text. */
static size_t turn_of(const struct lines *lines, const struct line *line)
{
    size_t turn = 0;
    for (const struct line *other = lines->list; other < line; other++)
        turn += is_same_text(other, line) && strcmp(other->function, line->function) == 0;
    return turn;
}

/* The line of the base that this one was, or NULL. */
static const struct line *line_in_base(const struct lines *lines, const struct line *line, const struct lines *base)
{
    size_t turn = line->text ? turn_of(lines, line) : 0;
    for (size_t i = 0; i < base->count; i++) {
        const struct line *other = &base->list[i];
        if (!line->text || !other->text) {
            const bool same_place = line->file ? line->number == other->number : line->offset == other->offset;
            if (same_place && is_same_file(line, other))
                return other;
        } else if (is_same_text(line, other) && turn-- == 0) {
            return other;
        }
    }
    return NULL;
}

static double growth(const struct cause *cause)
{
    return cause->amount - cause->base_amount;
}

size_t story_causes(const struct story *story, const struct lines *lines, const struct lines *base,
                    struct cause *causes, size_t room)
{
    const double total = story_total(story, lines);
    size_t count = 0;
    for (size_t i = 0; i < lines->count; i++) {
        struct cause cause = {.line = &lines->list[i]};
        cause.amount = story_amount(story, lines, cause.line);
        cause.base = base ? line_in_base(lines, cause.line, base) : NULL;
        cause.base_amount = cause.base ? story_amount(story, base, cause.base) : 0;
        cause.share = total > 0 ? cause.amount / total : 0;
        if (growth(&cause) <= 0)
            continue;
        size_t place = count;
        while (place > 0 && growth(&causes[place - 1]) < growth(&cause))
            place--;
        if (place == room)
            continue;
        count += count < room;
        memmove(&causes[place + 1], &causes[place], (count - 1 - place) * sizeof *causes);
        causes[place] = cause;
    }
    return count;
}

static bool explains(const struct story *story, const char *metric)
{
    char word[256];
    snprintf(word, sizeof word, " %s ", metric);
    return strstr(story->metrics, word) != NULL;
}

const struct story *story_of_metric(const char *metric, const struct lines *lines, const struct lines *base)
{
    for (size_t i = 0; i < ROWS(amounts); i++) {
        const struct story *story = &amounts[i].story;
        if (!explains(story, metric) || !story_is_known(story, lines) || (base && !story_is_known(story, base)))
            continue;
        if (story_total(story, lines) > (base ? story_total(story, base) : 0))
            return story;
    }
    return NULL;
}

const char *story_stall(const struct line *line)
{
    const struct stall *most = NULL;
    for (size_t i = 0; i < line->stall_count; i++)
        if (!most || line->stalls[i].samples > most->samples)
            most = &line->stalls[i];
    return most ? most->reason : NULL;
}

const char *story_stall_words(const char *reason)
{
    for (size_t i = 0; i < ROWS(stall_words); i++)
        if (strcmp(stall_words[i].reason, reason) == 0)
            return stall_words[i].words;
    return NULL;
}
