/* What another compiler did to the kernels, in words for people. */
#include "words.h"

char *words_upgrade(const struct upgrade *upgrade)
{
    size_t counts[UPGRADE_CLASSES] = {0};
    for (size_t i = 0; i < upgrade->count; i++)
        counts[upgrade->list[i].class]++;
    OWNED_TEXT classes = x_strdup("");
    for (enum upgrade_class class = 0; class < UPGRADE_CLASSES; class ++)
        if (counts[class] > 0)
            x_append(&classes, "; ", "%zu %s", counts[class], upgrade_class_name(class));
    return x_sprintf("%s -> %s: %zu kernel%s with changed code (%s), %zu with the same code", upgrade->was, upgrade->is,
                     upgrade->count, plural(upgrade->count), classes, upgrade->same);
}

char *words_upgrade_parts(const struct upgrade *upgrade)
{
    char *words = NULL;
    const struct metric *metric = NULL;
    for (size_t i = 0; i < upgrade->count && !metric; i++)
        metric = upgrade->list[i].time ? upgrade->list[i].time->metric : NULL;
    EACH(const struct upgrade_part, part, upgrade->parts, upgrade->part_count) {
        char number[80];
        metric_format(metric, fabs(part->lost), number, sizeof number);
        x_append(&words, "; ", "%s%s in %s", part->lost < 0 ? "-" : "+", number,
                 *part->library ? part->library : "no known library");
    }
    return words;
}

char *words_upgraded(const struct upgraded *kernel)
{
    const struct judgement *instructions = kernel->instructions;
    char share[32] = "";
    if (instructions && instructions->change != 0)
        words_share(instructions->base, instructions->now, share, sizeof share);
    return x_sprintf("%s%s%s%s%s", upgrade_class_name(kernel->class), *share ? ", instructions " : "", share,
                     kernel->change ? "; " : "", kernel->change ? kernel->change : "");
}

void words_time_lost(const struct upgraded *kernel, char *text, size_t size)
{
    char number[80], share[32];
    text[0] = '\0';
    if (!kernel->time)
        return;
    const double base = kernel->time->now - kernel->lost;
    metric_format(kernel->time->metric, fabs(kernel->lost), number, sizeof number);
    words_share(base, kernel->time->now, share, sizeof share);
    snprintf(text, size, "%s%s%s%s%s",
             kernel->lost > 0   ? "+"
             : kernel->lost < 0 ? "-"
                                : "",
             number, *share ? " (" : "", share, *share ? ")" : "");
}

bool words_upgrade_shows(const struct upgrade *upgrade, size_t index, bool all)
{
    return all || upgrade->count <= UPGRADE_SHOWN || index < UPGRADE_SHOWN / 2 ||
           index >= upgrade->count - UPGRADE_SHOWN / 2;
}
