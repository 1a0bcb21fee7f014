/* Texts that explain why a row is worse. Names of files and functions and source text are untrusted. */
#include "words.h"

#include "names/names.h"

#define SOURCE_MAX 200 /* characters, for reports without a width of their own */
#define LONGEST 4096   /* bytes of an untrusted text that are read, since the rest would be cut anyway */

/* Returns the text as one harmless line. Caller frees. */
static char *clean(const char *text, size_t length)
{
    char *line = x_sprintf("%.*s", length < LONGEST ? (int)length : LONGEST, text);
    for (char *c = line; *c; c++)
        *c = *c == '\t' ? ' ' : *c;
    text_make_harmless(line, ' ');
    return line;
}

char *words_cut(const char *untrusted, size_t max)
{
    char *line = clean(untrusted, LONGEST), *cut = text_cut(line, max);
    free(line);
    return cut;
}

/* Removes every `part` from the text. */
static void remove_all(char *text, const char *part)
{
    for (char *at = text; (at = strstr(at, part));)
        memmove(at, at + strlen(part), strlen(at + strlen(part)) + 1);
}

char *words_function(const char *function, size_t max)
{
    const struct name_part part = function_name(function);
    OWNED_TEXT name = clean(part.text, part.length);
    remove_all(name, "(anonymous namespace)::");
    return words_cut(*name ? name : function, max);
}

const char *caller_of(const struct report *report, const char *kernel)
{
    const struct result *result = run_find(report->run, kernel);
    if (!result && report->baseline)
        result = run_find(report->baseline, kernel);
    return result ? result->launched_by : NULL;
}

char *words_caller(const struct report *report, const char *kernel)
{
    const char *known = caller_of(report, kernel);
    if (!known)
        return NULL;
    char *caller = clean(known, LONGEST), *words = x_sprintf("launched by %s", caller);
    free(caller);
    return words;
}

char *words_place(const struct profile_line *line, size_t max)
{
    char at[32];
    snprintf(at, sizeof at, line->file ? ":%u" : "+0x%x", line->file ? line->number : line->offset);
    const size_t left = max - strlen(at);
    OWNED_TEXT file = line->file ? clean(line->file, LONGEST) : NULL;
    OWNED_TEXT name = file ? text_cut_before(file, left) : words_function(line->function, left);
    return x_sprintf("%s%s", name, at);
}

const char *words_count(double count, char *text, size_t size)
{
    if (count < 1e15)
        return group_digits(count, text, size);
    snprintf(text, size, "%.3g", count);
    return text;
}

/* Writes a share: "98 %". */
static const char *share_words(double share, char *text, size_t size)
{
    if (share < 0.005)
        snprintf(text, size, "<1 %%");
    else
        snprintf(text, size, "%.0f %%", 100 * share);
    return text;
}

char *words_amounts(const struct blame *blame, const struct hotspot *hotspot)
{
    char base[40] = "", now[40];
    if (hotspot->has_base)
        words_count(hotspot->base_amount, base, sizeof base);
    return x_sprintf("%s here %s%s%s", blame->pattern->title, base, *base ? " -> " : "",
                     words_count(hotspot->amount, now, sizeof now));
}

char *words_hotspot(const struct blame *blame, const struct hotspot *hotspot)
{
    char share[16];
    OWNED_TEXT amounts = words_amounts(blame, hotspot);
    const char *reason = hotspot->stall;
    const char *meaning = reason ? stall_words(reason) : NULL;
    return x_sprintf("%s (%s of the kernel's total)%s%s%s%s%s", amounts,
                     share_words(hotspot->share, share, sizeof share),
                     reason ? hotspot->has_base ? "; more " : "; mostly " : "", reason ? reason : "",
                     reason ? " stalls" : "", meaning ? ": " : "", meaning ? meaning : "");
}

char *words_advice(const struct blame *blame)
{
    if (blame->cause)
        return x_sprintf("see %s", blame->cause->name);
    const bool nameless = ANY(i, blame->count, !blame->hotspots[i].line->file);
    const char *stall = blame->against_base ? blame->hotspots[0].stall : NULL;
    const char *advice = stall ? stall_advice(stall, blame->profile) : blame->pattern->advice;
    return x_sprintf("%s%s%s", *advice ? advice : blame->pattern->advice,
                     blame->against_base
                         ? ""
                         : "; the baseline has no counts by line, so the lines with the highest counts are shown",
                     nameless ? "; for line numbers, compile with -lineinfo" : "");
}

void words_body(const struct report *report, const struct judgement *judgement, FILE *stream)
{
    const struct blame *blame = diagnosis_of(report->diagnosis, judgement);
    OWNED_TEXT caller = words_caller(report, judgement->kernel);
    if (caller)
        fprintf(stream, "%s\n", caller);
    if (blame->launch_change)
        fprintf(stream, "launch: %s\n", blame->launch_change);
    EACH(const struct hotspot, hotspot, blame->hotspots, blame->count) {
        OWNED_TEXT place = words_place(hotspot->line, WORDS_PLACE), *words = words_hotspot(blame, hotspot);
        fprintf(stream, "at %s: %s\n", place, words);
        if (hotspot->line->text) {
            OWNED_TEXT source = text_cut(hotspot->line->text, SOURCE_MAX);
            fprintf(stream, "    %s\n", source);
        }
    }
    if (blame->pattern) {
        OWNED_TEXT advice = words_advice(blame);
        fprintf(stream, "%s\n", advice);
    }
    if (blame->appeared)
        fprintf(stream, "appeared: %s\n", blame->appeared);
    if (judgement->verdict == VERDICT_REGRESSED && judgement->metric) {
        fprintf(stream, "If the change is intended, accept it and say why%s:\n", words_run_file(report));
        words_accept(report, &judgement, 1, stream);
    }
}
