#include "text.h"

#include "util.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *const inks[INKS] = {
    [INK_PLAIN] = "",       [INK_BOLD] = "\033[1m",    [INK_DIM] = "\033[2m",
    [INK_RED] = "\033[31m", [INK_YELLOW] = "\033[33m", [INK_GREEN] = "\033[32m",
};

int text_print(const struct text *text, enum ink ink, const char *format, ...)
{
    bool color = text->color && ink != INK_PLAIN;
    char words[1024];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(words, sizeof words, format, list);
    va_end(list);

    for (char *c = words; *c; c++)
        if (((unsigned char)*c < 0x20 && *c != '\n') || *c == 0x7f)
            *c = '?';
    fprintf(text->stream, "%s%s%s", color ? inks[ink] : "", words, color ? "\033[0m" : "");
    return length;
}

void text_wrap(const struct text *text, enum ink ink, int column, int indent, const char *words)
{
    bool first = true;
    for (words += strspn(words, " \n"); *words; words += strspn(words, " \n")) {
        int length = (int)strcspn(words, " \n");
        if (!first && column + 1 + length > TEXT_WIDTH) {
            text_print(text, INK_PLAIN, "\n%*s", indent, "");
            column = indent;
            first = true;
        }
        column += text_print(text, ink, "%s%.*s", first ? "" : " ", length, words);
        words += length;
        first = false;
    }
    text_print(text, INK_PLAIN, "\n");
}

void text_shell_word(const struct text *text, const char *word)
{
    static const char harmless[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
    if (*word && strspn(word, harmless) == strlen(word)) {
        text_print(text, INK_PLAIN, "%s", word);
        return;
    }
    text_print(text, INK_PLAIN, "'");
    for (; *word; word++) {
        if (*word == '\'')
            text_print(text, INK_PLAIN, "'\\''");
        else
            text_print(text, INK_PLAIN, "%c", *word);
    }
    text_print(text, INK_PLAIN, "'");
}
