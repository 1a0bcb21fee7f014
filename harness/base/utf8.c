#include "utf8.h"

#include <string.h>

unsigned text_next(const char **text)
{
    const unsigned char *byte = (const unsigned char *)(*text)++;
    if (*byte < 0x80)
        return *byte;

    /* The first byte says how many bytes follow. A character below the smallest value of its length is an overlong
     * form. */
    const int more = *byte >= 0xf0 && *byte < 0xf5 ? 3 : *byte >= 0xe0 && *byte < 0xf0 ? 2 : *byte >= 0xc2 ? 1 : 0;
    static const unsigned min[] = {0, 0x80, 0x800, 0x10000};
    unsigned character = *byte & (0x3fu >> more);
    if (more == 0 || *byte >= 0xf5)
        return TEXT_REPLACEMENT;
    for (int i = 1; i <= more; i++) {
        if ((byte[i] & 0xc0) != 0x80)
            return TEXT_REPLACEMENT;
        character = character << 6 | (byte[i] & 0x3fu);
    }
    if (character < min[more] || character > 0x10ffff || (character >= 0xd800 && character < 0xe000))
        return TEXT_REPLACEMENT;
    *text += more;
    return character;
}

bool text_is_control(unsigned character)
{
    return character < 0x20 || (character >= 0x7f && character < 0xa0) || character == 0x61c || character == 0x200e ||
           character == 0x200f || (character >= 0x2028 && character <= 0x202e) ||
           (character >= 0x2066 && character <= 0x2069);
}

const char *text_utf8(unsigned character, char text[5])
{
    char *end = text;
    if (character < 0x80) {
        *end++ = (char)character;
    } else if (character < 0x800) {
        *end++ = (char)(0xc0 | character >> 6);
        *end++ = (char)(0x80 | (character & 0x3f));
    } else if (character < 0x10000) {
        *end++ = (char)(0xe0 | character >> 12);
        *end++ = (char)(0x80 | (character >> 6 & 0x3f));
        *end++ = (char)(0x80 | (character & 0x3f));
    } else {
        *end++ = (char)(0xf0 | character >> 18);
        *end++ = (char)(0x80 | (character >> 12 & 0x3f));
        *end++ = (char)(0x80 | (character >> 6 & 0x3f));
        *end++ = (char)(0x80 | (character & 0x3f));
    }
    *end = '\0';
    return text;
}

/* Whether words begin with a command to the runners of GitHub, Azure or TeamCity, which may stand anywhere in a line:
 * "##[error]", "##vso[task.complete]", "##teamcity[...]". */
static bool is_command(const char *words)
{
    if (strncmp(words, "##", 2) != 0)
        return false;
    words += 2;
    while (*words >= 'a' && *words <= 'z')
        words++;
    return *words == '[';
}

int text_make_harmless(char *words, char newline)
{
    int columns = 0;
    char *to = words;
    for (const char *from = words; *from; columns++) {
        const char *begin = from;
        const unsigned character = text_next(&from);
        if (character == '\n')
            *to++ = newline;
        else if (text_is_control(character) || (character == TEXT_REPLACEMENT && from == begin + 1) ||
                 is_command(begin))
            *to++ = '?';
        else
            while (begin < from)
                *to++ = *begin++;
    }
    *to = '\0';
    return columns;
}

size_t text_count_of(const char *text, size_t bytes)
{
    size_t count = 0;
    for (const char *end = text + bytes; text < end && *text; count++)
        (void)text_next(&text);
    return count;
}

size_t text_count(const char *text)
{
    return text_count_of(text, strlen(text));
}
