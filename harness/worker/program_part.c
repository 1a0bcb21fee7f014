#include "program_part.h"

#include "base/base.h"

bool program_part_is_all(const struct program_part *part)
{
    return part->nvtx_count == 0 && !part->waits;
}

char *program_part_text(const struct program_part *part)
{
    struct program_part sorted = *part;
    char *text = part->waits ? x_strdup("--from-start off") : NULL;
    sort_by_name(sorted.nvtx, sorted.nvtx_count, sizeof *sorted.nvtx);
    for (size_t i = 0; i < sorted.nvtx_count; i++) {
        OWNED_TEXT word = shell_word(sorted.nvtx[i]);
        x_append(&text, " ", "--nvtx %s", word);
    }
    if (text)
        text_make_harmless(text, ' ');
    return text;
}

void program_part_ask(const struct program_part *part, FILE *stream)
{
    if (part->waits)
        fprintf(stream, "waits\n");
    for (size_t i = 0; i < part->nvtx_count; i++)
        fprintf(stream, "nvtx %s\n", part->nvtx[i]);
}

void program_part_take(struct program_part *part, const char *key, const char *text)
{
    if (strcmp(key, "waits") == 0)
        part->waits = true;
    else if (strcmp(key, "nvtx") == 0 && part->nvtx_count < NVTX_MAX)
        part->nvtx[part->nvtx_count++] = x_strdup(text);
}
