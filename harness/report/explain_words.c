/* Names and numbers as an explanation shows them, and what is said when a kernel is not found. */
#include "explain/explain_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_SHOWN 5
#define LONGEST_NAME 4096 /* bytes that are looked at: what is longer is cut anyway */

/* ---- Which kernels ---- */

/* "a, b, c and 8 more": those of the names that match the glob. Caller frees. */
static char *join_names(const char *const *names, size_t count, char *glob)
{
    char *joined = x_strdup("");
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        if (!glob_any(&glob, 1, names[i]) || ++found > NAMES_SHOWN)
            continue;
        char *longer = x_sprintf("%s%s%s", joined, found > 1 ? ", " : "", names[i]);
        free(joined);
        joined = longer;
    }
    if (found > NAMES_SHOWN) {
        char *longer = x_sprintf("%s and %zu more", joined, found - NAMES_SHOWN);
        free(joined);
        joined = longer;
    }
    return joined;
}

/* The family that was probably meant, as a glob: of "reduce", of "reduce/no_such", of a slip in it. NULL when none is
 * near. Caller frees. */
static char *near_family(const char *wanted, const char *const *names, size_t count)
{
    char **families = x_calloc(count, sizeof *families);
    char *family = x_sprintf("%.*s", (int)strcspn(wanted, "/"), wanted);
    for (size_t i = 0; i < count; i++)
        families[i] = x_sprintf("%.*s", (int)strcspn(names[i], "/"), names[i]);
    const char *near = nearest_name(family, (const char *const *)families, count);
    char *glob = near ? x_sprintf("%s/*", near) : NULL;
    for (size_t i = 0; i < count; i++)
        free(families[i]);
    free(families);
    free(family);
    return glob;
}

static int say_none(const char *wanted, const char *const *names, size_t count, const char *where)
{
    const char *near = strchr(wanted, '/') && !strpbrk(wanted, "*?[") ? nearest_name(wanted, names, count) : NULL;
    char *family = near ? NULL : near_family(wanted, names, count);
    char *members = family ? join_names(names, count, family) : NULL;
    if (near)
        error("%s has no kernel '%s'; did you mean %s?", where, wanted, near);
    else if (members)
        error("%s has no kernel '%s'; of that family it has %s", where, wanted, members);
    else
        error("%s has no kernel '%s'; `cugate list` shows those of a library", where, wanted);
    free(members);
    free(family);
    return -1;
}

int explain_find(const char *wanted, const char *const *names, size_t count, const char *where)
{
    char *glob = x_strdup(wanted);
    bool found = false;
    for (size_t i = 0; i < count && !found; i++)
        found = glob_any(&glob, 1, names[i]);
    free(glob);
    return found ? 0 : say_none(wanted, names, count, where);
}

/* ---- Names ---- */

/* The text in one harmless line; caller frees. */
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

/* Takes every `part` out of the text. */
static void remove_all(char *text, const char *part)
{
    for (char *at = text; (at = strstr(at, part));)
        memmove(at, at + strlen(part), strlen(at + strlen(part)) + 1);
}

const char *explain_function(const char *function, size_t columns, char *to, size_t size)
{
    char *name = clean(function);
    remove_all(name, "(anonymous namespace)::");
    if (strncmp(name, "void ", 5) == 0)
        memmove(name, name + 5, strlen(name + 5) + 1);
    int depth = 0; /* of template arguments, which may have parentheses too */
    for (char *c = name; *c; c++) {
        depth += *c == '<' ? 1 : *c == '>' ? -1 : 0;
        if (*c == '(' && depth <= 0 && c > name) {
            *c = '\0';
            break;
        }
    }
    explain_cut(*name ? name : function, columns, to, size);
    free(name);
    return to;
}

const char *explain_place(const struct line *line, size_t columns, char *to, size_t size)
{
    char behind[32], function[EXPLAIN_NAME];
    if (line->file)
        snprintf(behind, sizeof behind, ":%u", line->number);
    else
        snprintf(behind, sizeof behind, "+0x%x", line->offset);
    const size_t room = columns - strlen(behind);
    if (!line->file) {
        snprintf(to, size, "%s%s", explain_function(line->function, room, function, sizeof function), behind);
        return to;
    }
    char *file = clean(line->file), *end = text_cut_before(file, room);
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

const char *explain_state(const struct explanation *explanation, const char *metric)
{
    const struct row *row = result_find(explanation->result, metric);
    return !row                           ? "not in this run"
           : row->state == VALUE_MEASURED ? "no number"
           : row->reason                  ? row->reason
                                          : value_state_name(row->state);
}

const char *explain_unknown(const struct explanation *explanation, const struct story *story)
{
    if (strcmp(story->name, "stalls") == 0)
        return "warps were not sampled";
    return explanation->result->lines.counted ? "not among the counters that were read"
                                              : "instructions were not counted";
}

const char *explain_advice(const struct explanation *explanation, const struct explained_story *told)
{
    if (told->kind == EXPLAINED_PLAIN) /* the story's own is about more than there were */
        return "";
    if (strcmp(told->story->name, "instructions") == 0)
        return explanation->roofline.issue >= ROOFLINE_NEAR
                   ? "fewer of them help: take out of the loop what does not change, unroll, use wider types"
                   : "";
    if (strcmp(told->story->name, "stalls") == 0 && explanation->stall_count > 0)
        return story_stall_advice(explanation->stalls[0].reason, &explanation->result->lines);
    return told->story->advice;
}

void explain_part(const struct text *text, const char *title, enum ink ink, const char *words)
{
    text_wrap(text, ink, text_print(text, INK_PLAIN, "  %-13s ", title), 16, words);
}
