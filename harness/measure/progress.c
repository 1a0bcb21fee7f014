#include "progress.h"

/* Columns of the numbers; in a line that is longer than the terminal, \r would lead to the wrong place. */
#define PROGRESS_WORDS 60
#define SECONDS_BETWEEN 60 /* of a log */

void progress_erase(const struct progress *progress)
{
    if (progress->drawn)
        fputs("\r\033[K", stderr);
}

char *headway_words(const struct launch_headway *headway)
{
    const double left = headway->left;
    char done[32], count[32], rest[64] = "";
    if (left >= 0)
        snprintf(rest, sizeof rest, ", about %.0f %s left", left < 120 ? left : left / 60, left < 120 ? "s" : "min");
    return x_sprintf("%s of %s block%s%s", group_digits((double)headway->done, done, sizeof done),
                     group_digits((double)headway->count, count, sizeof count), plural(headway->count), rest);
}

/* Logs how far a launch is, where nothing is drawn: whoever reads the log sees that it goes on. */
static void log_headway(struct progress *progress, const char *ids, const struct launch_headway *headway)
{
    const double now = now_seconds(), last = progress->last > 0 ? progress->last : progress->begin;
    if (!progress->logged || headway->count == 0 || now - last < SECONDS_BETWEEN)
        return;
    OWNED_TEXT words = headway_words(headway);
    fprintf(stderr, "%s: %s\n", ids, words);
    progress->last = now;
}

void progress_draw(struct progress *progress, size_t begun, size_t done, size_t count, const char *ids,
                   const struct launch_headway *headway)
{
    if (!progress->drawn) {
        log_headway(progress, ids, headway);
        return;
    }
    const char *label = progress->label;
    const int columns = terminal_columns(stderr), before = (label ? (int)strlen(label) : 0) + PROGRESS_WORDS;
    OWNED_TEXT shown = columns > before + 3 ? text_cut_middle(ids, (size_t)(columns - before)) : x_strdup(ids);
    fprintf(stderr, "\r\033[K%s%s[%zu/%zu] %s", label ? label : "", label ? ": " : "", begun, count, shown);
    if (headway->count > 0) {
        OWNED_TEXT words = headway_words(headway);
        fprintf(stderr, "  %s", words);
    } else if (done > 0) {
        const double elapsed = now_seconds() - progress->begin;
        fprintf(stderr, "  about %.0f s left", elapsed / (double)done * (double)(count - done));
    }
    fflush(stderr);
}
