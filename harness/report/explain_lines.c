/* Prints the source lines of an explanation for people. */
#include "explain_words.h"
#include "table.h"
#include "words.h"

#include <ctype.h>

#define SHOWN 5          /* lines of a pattern that are shown, unless verbose */
#define SHOWN_SHARE 0.02 /* a line with a smaller share is not shown */
#define FAULT_PART 0.01  /* a fault with a smaller part of its whole is not shown */
#define IDLE_PART 0.1    /* idle threads below this part are not shown: a few idle in every kernel */
#define STALLS_SHOWN 4   /* stall reasons that are shown for the whole kernel */
#define FILES_SHOWN 5    /* files that are named because their text could not be read */
#define PLACE_BEGIN 12   /* columns before the place of a line */
#define PLACE_WIDTH 40
#define PLACE_NARROW 28 /* width of a place where a wide one would leave no space for the line's text */
#define TEXT_BEGIN 26   /* columns of a line before its place and between place and text */

static bool is_shown(const struct explained_pattern *explained, bool verbose)
{
    if (!explained->known || !(explained->total > 0))
        return false;
    const double min = strcmp(explained->pattern->name, "idle_threads") == 0 ? IDLE_PART : FAULT_PART;
    if (explained->kind == EXPLAINED_FAULT)
        return verbose || isnan(explained->part) || explained->part >= min;
    return verbose || explained->kind == EXPLAINED_TIME || explained->kind == EXPLAINED_ESTIMATED;
}

static size_t hotspots_shown(const struct explained_pattern *explained, bool verbose)
{
    const size_t max = verbose ? EXPLAIN_HOTSPOTS : SHOWN;
    const size_t count = explained->hotspot_count < max ? explained->hotspot_count : max;
    return FIRST(i, count, explained->hotspots[i].share < SHOWN_SHARE);
}

/* ---- A pattern ---- */

/* Prints "Excess shared wavefronts  7,104,231, 72.0 % of 9,868,950 shared wavefronts". */
static void print_title(const struct text *text, const struct explained_pattern *explained)
{
    const char *title = explained->pattern->title;
    const bool stalls = explained->pattern->sum.count == 0;
    char total[EXPLAIN_CELL], part[EXPLAIN_CELL], whole[EXPLAIN_CELL];
    /* without counting the newline */
    int column = text_print(text, INK_BOLD, stalls ? "\nWhere the time goes: " : "\n") - 1;
    column += stalls ? text_print(text, INK_BOLD, "%s  ", title)
                     : text_print(text, INK_BOLD, "%c%s  ", toupper((unsigned char)title[0]), title + 1);
    OWNED_TEXT words = x_strdup(explain_number(explained->total, "count", total));
    if (!isnan(explained->part))
        x_append(&words, ", ", "%s of %s %s", explain_percent(100 * explained->part, part),
                 explain_number(explained->whole, "count", whole), explained->of);
    text_wrap(text, INK_PLAIN, column, 2, words);
}

/* Prints the stall reasons of the whole kernel: "all lines: long_scoreboard 61.0 %, barrier 20.2 %". */
static void print_stalls(const struct text *text, const struct explanation *explanation)
{
    const struct profile *profile = &explanation->result->profile;
    char period[EXPLAIN_CELL];
    const size_t count = explanation->stall_count < STALLS_SHOWN ? explanation->stall_count : STALLS_SHOWN;
    if (profile->estimated)
        text_print(text, INK_DIM, "  estimated by replaying the warps of one SM\n");
    else
        text_print(text, INK_DIM, "  samples one warp of each SM every %s cycles, in %u launch%s\n",
                   explain_number(profile->period, "count", period), profile->launches,
                   plural_of(profile->launches, "", "es"));
    OWNED_TEXT words = NULL;
    EACH(const struct explained_stall, stall, explanation->stalls, count)
        x_append(&words, ", ", "%.64s %.1f %%", stall->reason, 100 * stall->share);
    if (words)
        text_wrap(text, INK_PLAIN, text_print(text, INK_PLAIN, "  all lines: "), 4, words);
}

static size_t place_width(const struct text *text)
{
    return text_fits(text, TEXT_BEGIN + 2 * PLACE_WIDTH) ? PLACE_WIDTH : PLACE_NARROW;
}

static struct table_column fit_places(const struct text *text, const struct explained_pattern *explained, size_t shown)
{
    struct table_column column = {.title = "line", .left = true};
    table_fit(&column, column.title);
    for (size_t i = 0; i < shown; i++) {
        OWNED_TEXT place = words_place(explained->hotspots[i].line, place_width(text));
        table_fit(&column, place);
    }
    return column;
}

/* Prints the most frequent stall reason of a line, and its share of the line's samples. */
static void print_reason(const struct text *text, const struct profile_line *line)
{
    const char *reason = stall_commonest(line);
    const char *meaning = reason ? stall_words(reason) : NULL;
    char share[EXPLAIN_CELL], whole[256];
    double samples = 0;
    if (!reason)
        return;
    for (size_t i = 0; i < line->stall_count; i++)
        if (line->stalls[i].reason == reason)
            samples = line->stalls[i].samples;
    snprintf(whole, sizeof whole, "%s %s%s%s", reason,
             explain_percent(100 * (samples / profile_line_samples(line)), share), meaning ? ": " : "",
             meaning ? meaning : "");
    text_wrap(text, INK_DIM, text_print(text, INK_PLAIN, "%*s", PLACE_BEGIN, ""), PLACE_BEGIN + 2, whole);
}

static void print_hotspot(const struct text *text, const struct explained_pattern *explained,
                          const struct hotspot *hotspot, const struct table_column *places)
{
    static const struct table_column shares = {"share", false, 8}, amounts = {"amount", false, 10};
    struct table_row row = {.text = text, .any = true};
    char share[EXPLAIN_CELL], amount[EXPLAIN_CELL];
    OWNED_TEXT place = words_place(hotspot->line, place_width(text));
    snprintf(share, sizeof share, "%.1f %%", 100 * hotspot->share);
    table_cell(&row, INK_PLAIN, &shares, share);
    table_cell(&row, INK_PLAIN, places, place);
    table_cell(&row, INK_PLAIN, &amounts, explain_number(hotspot->amount, "count", amount));
    if (hotspot->line->text) {
        OWNED_TEXT source = words_cut(hotspot->line->text, (size_t)(text_width(text) - TEXT_BEGIN - places->width));
        text_print(text, INK_DIM, "  %s", source);
    }
    text_print(text, INK_PLAIN, "\n");
    if (explained->pattern->sum.count == 0)
        print_reason(text, hotspot->line);
}

static void print_pattern(const struct text *text, const struct explanation *explanation,
                          const struct explained_pattern *explained, const struct style *style)
{
    const size_t shown = hotspots_shown(explained, style->verbose);
    const struct table_column places = fit_places(text, explained, shown);
    print_title(text, explained);
    if (explained->pattern->sum.count == 0)
        print_stalls(text, explanation);
    if (shown > 0)
        text_print(text, INK_DIM, "     share  %-*s      amount  source\n", places.width, places.title);
    else
        text_print(text, INK_DIM, "  no line has %.0f %% or more of it\n", 100 * SHOWN_SHARE);
    for (size_t i = 0; i < shown; i++)
        print_hotspot(text, explained, &explained->hotspots[i], &places);
    const char *advice = explain_advice(explanation, explained);
    if (*advice)
        text_wrap(text, INK_GREEN, text_print(text, INK_PLAIN, "  "), 2, advice);
}

/* ---- What is not shown ---- */

enum rest { REST_SMALL, REST_NONE, REST_UNKNOWN };

static bool is_rest(const struct explained_pattern *explained, enum rest rest, bool verbose)
{
    if (explained->kind == EXPLAINED_PLAIN || is_shown(explained, verbose))
        return false;
    return rest == (!explained->known ? REST_UNKNOWN : explained->total > 0 ? REST_SMALL : REST_NONE);
}

/* Names a pattern in a list. If it is not known, the reason follows the last pattern in a row that has it. */
static char *rest_words(const struct explanation *explanation, const struct explained_pattern *explained,
                        const struct explained_pattern *next, enum rest rest)
{
    char total[EXPLAIN_CELL];
    const char *title = explained->pattern->title;
    if (rest == REST_SMALL)
        return x_sprintf("%s %s", explain_number(explained->total, "count", total), title);
    if (rest == REST_NONE)
        return x_strdup(title);
    const char *why = explain_unknown(explanation, explained->pattern);
    const bool same = next && strcmp(explain_unknown(explanation, next->pattern), why) == 0;
    return same ? x_strdup(title) : x_sprintf("%s (%s)", title, why);
}

/* Prints patterns without lines: "none: local memory sectors, divergent branches". */
static void print_rest(const struct text *text, const struct explanation *explanation, enum rest rest, bool verbose)
{
    static const char *const titles[] = {
        [REST_SMALL] = "little: ", [REST_NONE] = "none: ", [REST_UNKNOWN] = "not counted: "};
    const struct explained_pattern *next = NULL;
    OWNED_TEXT list = NULL;
    for (size_t i = explanation->pattern_count; i-- > 0;) { /* backwards, because each needs to know the next one */
        const struct explained_pattern *explained = &explanation->patterns[i];
        if (!is_rest(explained, rest, verbose))
            continue;
        OWNED_TEXT words = list;
        list = rest_words(explanation, explained, next, rest);
        if (words)
            x_append(&list, ", ", "%s", words);
        next = explained;
    }
    if (list)
        text_wrap(text, INK_PLAIN, text_print(text, INK_BOLD, "%s", titles[rest]), 2, list);
}

/* Prints once for all lines which have no source file, and which files could not be read. */
static void print_hints(const struct text *text, const struct profile *profile)
{
    const char *files[FILES_SHOWN];
    size_t count = 0, more = 0, instructions = 0;
    EACH(const struct profile_line, line, profile->list, profile->count) {
        size_t place = 0;
        instructions += !line->file;
        if (!line->file || line->text)
            continue;
        while (place < count && strcmp(files[place], line->file) != 0)
            place++;
        if (place == FILES_SHOWN)
            more = 1;
        else if (place == count)
            files[count++] = line->file;
    }
    OWNED_TEXT words = NULL;
    for (size_t i = 0; i < count; i++) {
        OWNED_TEXT file = words_cut(files[i], PLACE_WIDTH);
        x_append(&words, ", ", "%s%s", words ? "" : "source text not readable where this was measured: ", file);
    }
    if (instructions > 0)
        text_print(text, INK_YELLOW, "%zu instruction%s without line information: compile with -lineinfo\n",
                   instructions, plural(instructions));
    if (words && more)
        x_append(&words, "", " and others");
    if (words)
        text_wrap(text, INK_YELLOW, 0, 2, words);
}

void explain_text_lines(const struct text *text, const struct explanation *explanation, const struct style *style)
{
    if (!explanation->has_profile) {
        const int column = text_print(text, INK_BOLD, "\nSource lines  ");
        text_wrap(text, INK_PLAIN, column, 2,
                  explanation->launch_count == 0 ? "none: the run has no launch of a kernel"
                  : run_origin(explanation->run)->own_caches
                      ? "none in this run: `cugate run --lines` counts them, except in graphs"
                  : explanation->replay ? "none in this run: `cugate explain`, or `cugate run --lines`, counts "
                                          "them on a machine with a GPU"
                                        : "none: they could not be counted, as the warnings say");
        return;
    }
    for (size_t i = 0; i < explanation->pattern_count; i++)
        if (is_shown(&explanation->patterns[i], style->verbose))
            print_pattern(text, explanation, &explanation->patterns[i], style);
    text_print(text, INK_PLAIN, "\n");
    for (enum rest rest = REST_SMALL; rest <= REST_UNKNOWN; rest++)
        if (!style->quiet || rest == REST_UNKNOWN)
            print_rest(text, explanation, rest, style->verbose);
    print_hints(text, &explanation->result->profile);
}
