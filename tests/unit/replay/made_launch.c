#include "replay/made_launch.h"

#include "machine/block/block.h"
#include "test.h"

enum { RESIDENT_STEPS = 40 };

static double *place_of(struct timing *timing, const char *name)
{
    struct timing_row row;
    for (size_t i = 0; timing_row(i, &row); i++)
        if (strcmp(row.name, name) == 0)
            return timing_place(timing, &row);
    cr_assert_fail("no constant %s", name);
    return NULL;
}

double made_constant(const char *name)
{
    struct timing timing;
    timing_default(&timing);
    return *place_of(&timing, name);
}

struct function made_function(const struct made_step *steps)
{
    static uint64_t words[RESIDENT_STEPS][2];
    static struct module module;
    size_t count = 0;
    json_t *list = json_array();
    for (; steps[count].opcode; count++) {
        const struct made_step *step = &steps[count];
        cr_assert_lt(count, RESIDENT_STEPS);
        json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "predicate", "", "opcode", step->opcode, "operands",
                                              step->operands ? step->operands : ""));
        words[count][1] = (uint64_t)step->stall << 41 | (uint64_t)(step->answers ? step->answers - 1 : 7) << 46 |
                          (uint64_t)(step->reads ? step->reads - 1 : 7) << 49 |
                          (step->waits ? UINT64_C(1) << (52 + step->waits - 1) : 0);
    }
    module.architecture = architecture_find(90);
    struct function function = {.text = {.name = "kernel", .size = count * INSTRUCTION_BYTES}, .module = &module};
    function.code = code_read(&function.text, list, opcode_find);
    function.text.bytes = (const unsigned char *)words;
    json_decref(list);
    return function;
}

void made_function_free(struct function *function)
{
    code_free(function->code);
}

static unsigned head_words(enum recorded_kind kind)
{
    return kind == RECORDED_PLAIN || kind == RECORDED_LOCAL_LOAD || kind == RECORDED_LOCAL_STORE ? 0
           : kind == RECORDED_ATOMIC || kind == RECORDED_BARRIER || kind >= RECORDED_BULK_LOAD   ? 2
                                                                                                 : 1;
}

void made_record(struct recorded_warp *warp, unsigned index, const struct made_step *step, uint32_t first)
{
    const unsigned heads = head_words(step->kind), count = heads + step->sectors;
    warp->words = x_realloc(warp->words, warp->count + 1 + count, sizeof *warp->words);
    uint32_t *to = warp->words + warp->count;
    *to++ = index | (uint32_t)step->kind << 16 | 1u << 20 | count << 21;
    memcpy(to, step->head, heads * sizeof *to);
    for (uint32_t k = 0; k < step->sectors; k++)
        to[heads + k] = first + k * (step->distance ? step->distance : 1);
    warp->count += 1 + count;
    warp->instructions++;
}

static struct recorded_block *make_block(const struct made_launch *launch, unsigned warps)
{
    struct recorded_block *block = x_calloc(1, sizeof *block);
    block->warp_count = warps;
    block->warps = x_calloc(warps, sizeof *block->warps);
    for (unsigned w = 0; w < warps; w++)
        for (unsigned i = 0; launch->steps[i].opcode; i++) {
            const struct made_step *step = &launch->steps[i];
            for (unsigned k = 0; k < (step->times ? step->times : 1) && (!step->warps || step->warps >> w & 1); k++)
                made_record(&block->warps[w], i, step, step->first + k * step->moves);
        }
    return block;
}

struct replay_time made_replay(const struct made_launch *launch)
{
    struct chip chip = {.sms = 1, .clock = 1, .dram = 1};
    OWNED(recorder) recorder = {.sms = 1, .resident = launch->resident ? launch->resident : 1};
    double share = launch->share > 0 ? launch->share : launch->share < 0 ? 0 : 1;
    struct function function = made_function(launch->steps);
    timing_default(&chip.timing);
    chip.timing.launch_ns = chip.timing.branch = chip.timing.fetch = 0;
    chip.timing.block = chip.timing.warp = 1;
    chip.timing.dram_share = 1;
    if (launch->constant)
        *place_of(&chip.timing, launch->constant) = launch->value;
    for (unsigned b = 0; b < (launch->blocks ? launch->blocks : 1); b++)
        *ARRAY_GROW(recorder.blocks, recorder.count) = make_block(launch, launch->warps ? launch->warps : 1);
    unsigned char *rows = replay_rows(&function);
    const struct replayed replayed = {
        .rows = rows,
        .function = &function,
        .recorder = &recorder,
        .traffic = {.shares = &share, .stored = launch->stored, .whole = launch->whole > 0 ? launch->whole : 1},
        .l1_bytes = launch->l1_bytes,
        .stalls = launch->stalls,
        .atomics = launch->hottest,
        .hottest = launch->hottest,
        .addresses = 1};
    const struct replay_time time = replay(&replayed, &chip, launch->most ? launch->most : UINT64_MAX);
    free(rows);
    made_function_free(&function);
    return time;
}
