/* Formats names and numbers of an explanation. */
#include "explain_words.h"

#include "names/names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_NAME 4096 /* bytes of a name that are read, since the rest would be cut anyway */

/* ---- Names ---- */

/* Returns the text as one harmless line. Caller frees. */
static char *clean(const char *text)
{
    char *line = x_sprintf("%.*s", LONGEST_NAME, text);
    for (char *c = line; *c; c++)
        *c = *c == '\t' ? ' ' : *c;
    text_make_harmless(line, ' ');
    return line;
}

const char *explain_cut(const char *from, size_t columns, char *to, size_t size)
{
    char *line = clean(from), *cut = text_cut(line, columns);
    snprintf(to, size, "%s", cut);
    free(cut);
    free(line);
    return to;
}

/* Removes every `part` from the text. */
static void remove_all(char *text, const char *part)
{
    for (char *at = text; (at = strstr(at, part));)
        memmove(at, at + strlen(part), strlen(at + strlen(part)) + 1);
}

const char *explain_function(const char *function, size_t columns, char *to, size_t size)
{
    const struct name_part part = function_name(function);
    char *plain = x_sprintf("%.*s", part.length < LONGEST_NAME ? (int)part.length : LONGEST_NAME, part.text);
    char *name = clean(plain);
    remove_all(name, "(anonymous namespace)::");
    explain_cut(*name ? name : function, columns, to, size);
    free(name);
    free(plain);
    return to;
}

const char *explain_place(const struct profile_line *line, size_t columns, char *to, size_t size)
{
    char behind[32], function[EXPLAIN_NAME];
    if (line->file)
        snprintf(behind, sizeof behind, ":%u", line->number);
    else
        snprintf(behind, sizeof behind, "+0x%x", line->offset);
    const size_t left = columns - strlen(behind);
    if (!line->file) {
        snprintf(to, size, "%s%s", explain_function(line->function, left, function, sizeof function), behind);
        return to;
    }
    char *file = clean(line->file), *end = text_cut_before(file, left);
    snprintf(to, size, "%s%s", end, behind);
    free(end);
    free(file);
    return to;
}

/* ---- Numbers and reasons ---- */

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
    snprintf(capacity, sizeof capacity, "%lld SMs x %u block%s", explanation->run->device.sm_count,
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
        snprintf(text, size, "a short kernel: of %s a launch, starting and ending are a good part", duration);
        break;
    case GAP_SHORT_BLOCKS:
        explain_number(time / largest->waves, "ns", duration);
        snprintf(text, size, "short blocks: a wave of %s takes %s, and places stand empty while blocks change",
                 capacity, duration);
        break;
    default:
        snprintf(
            text, size,
            "no tail and blocks enough: the launch does not explain it; warps or blocks may end at different times");
        break;
    }
    return text;
}

const char *explain_state(const struct explanation *explanation, const char *metric)
{
    const struct row *row = result_find(explanation->result, metric);
    return !row                           ? "not in this run"
           : row->state == VALUE_MEASURED ? "no number"
           : row->reason                  ? row->reason
                                          : value_state_name(row->state);
}

const char *explain_unknown(const struct explanation *explanation, const struct pattern *pattern)
{
    if (strcmp(pattern->name, "stalls") == 0)
        return "warps were not sampled";
    return explanation->result->profile.counted ? "not among the counters that were read"
                                                : "instructions were not counted";
}

const char *explain_advice(const struct explanation *explanation, const struct explained_pattern *explained)
{
    if (explained->kind == EXPLAINED_PLAIN) /* the pattern's own advice assumes that there are many */
        return "";
    if (strcmp(explained->pattern->name, "instructions") == 0)
        return explanation->roofline.issue >= ROOFLINE_NEAR
                   ? "fewer of them help: take out of the loop what does not change, unroll, use wider types"
                   : "";
    if (strcmp(explained->pattern->name, "stalls") == 0 && explanation->stall_count > 0)
        return stall_advice(explanation->stalls[0].reason, &explanation->result->profile);
    return explained->pattern->advice;
}

void explain_part(const struct text *text, const char *title, enum ink ink, const char *words)
{
    text_wrap(text, ink, text_print(text, INK_PLAIN, "  %-13s ", title), 16, words);
}
