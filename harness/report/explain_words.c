/* Formats numbers and reasons of an explanation. */
#include "explain_words.h"

const char *explain_number(double number, const char *unit, char text[EXPLAIN_CELL])
{
    char name[16];
    snprintf(name, sizeof name, "%s", unit);
    const struct metric metric = {.name = "explained", .unit = name};
    if (isnan(number))
        snprintf(text, EXPLAIN_CELL, "not known");
    else
        metric_format(&metric, number, text, EXPLAIN_CELL);
    return text;
}

const char *explain_percent(double number, char text[EXPLAIN_CELL])
{
    if (!isfinite(number))
        snprintf(text, EXPLAIN_CELL, "-");
    else
        snprintf(text, EXPLAIN_CELL, number < 1e6 ? "%.1f %%" : "%.3g %%", number);
    return text;
}

const char *explain_gap_words(const struct explanation *explanation, char *text, size_t size)
{
    const struct explained_launch *largest = explanation->largest;
    const double time = roofline_value(explanation->result, "time");
    char blocks[EXPLAIN_CELL], duration[EXPLAIN_CELL], capacity[EXPLAIN_CELL];
    text[0] = '\0';
    if (explanation->gap == GAP_UNKNOWN || explanation->gap == GAP_NONE)
        return text;
    explain_number(largest->blocks, "count", blocks);
    snprintf(capacity, sizeof capacity, "%lld SMs with %u block%s each", explanation->run->device.sm_count,
             largest->occupancy.blocks, plural(largest->occupancy.blocks));
    switch (explanation->gap) {
    case GAP_FEW_BLOCKS:
        snprintf(text, size, "too few blocks to fill the GPU: only %s for %s", blocks, capacity);
        break;
    case GAP_TAIL:
        snprintf(text, size, "a tail: %s blocks are %.2f waves of %s, and the last wave is %.0f %% full", blocks,
                 largest->waves, capacity, 100 * (largest->waves - floor(largest->waves)));
        break;
    case GAP_SHORT_KERNEL:
        explain_number(time / explanation->launches_in_all, "ns", duration);
        snprintf(text, size, "a short kernel: its start and end take a large part of its %s per launch", duration);
        break;
    case GAP_SHORT_BLOCKS:
        explain_number(time / largest->waves, "ns", duration);
        snprintf(text, size, "short blocks: a wave of %s takes %s, and slots are empty while blocks change", capacity,
                 duration);
        break;
    default:
        snprintf(
            text, size,
            "not explained by the launch, which has enough blocks and no tail; warps or blocks may finish unevenly");
        break;
    }
    return text;
}

const char *explain_state(const struct explanation *explanation, const char *metric)
{
    const struct row *row = result_find(explanation->result, metric);
    return !row                           ? "not in this run"
           : row->state == VALUE_MEASURED ? "it has no value"
           : row->reason                  ? row->reason
                                          : value_state_name(row->state);
}

const char *explain_unknown(const struct explanation *explanation, const struct pattern *pattern)
{
    if (strcmp(pattern->name, "stalls") == 0)
        return "warps were not sampled";
    return explanation->result->profile.counted ? "this counter was not read" : "instructions were not counted";
}

const char *explain_advice(const struct explanation *explanation, const struct explained_pattern *explained)
{
    if (explained->kind == EXPLAINED_PLAIN) /* the pattern's own advice assumes that there are many */
        return "";
    if (strcmp(explained->pattern->name, "instructions") == 0)
        return explanation->roofline.issue >= ROOFLINE_NEAR
                   ? "use fewer instructions: hoist loop invariants, unroll, or use wider types"
                   : "";
    if (explained->pattern->sum.count == 0 && explanation->stall_count > 0)
        return stall_advice(explanation->stalls[0].reason, &explanation->result->profile);
    return explained->pattern->advice;
}

void explain_part(const struct text *text, const char *title, enum ink ink, const char *words)
{
    text_wrap(text, ink, text_print(text, INK_PLAIN, "  %-13s ", title), 16, words);
}
