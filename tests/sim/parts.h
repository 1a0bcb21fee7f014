/* parts.h - for generators of kernels: random numbers, and a text with lists of templates and what is printed as it is.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

static uint64_t random_state;

/* splitmix64. C leaves open in which order arguments are worked out: no call may have two random ones. */
static inline uint32_t random_word(void)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ (z >> 31)) >> 32);
}

static inline uint32_t below(uint32_t n)
{
    return random_word() % n;
}

/* The text is a file of the repository, which is part of the generator. */
#define PARTS_OF(file)                                                                                                 \
    __asm__(".data\nparts_text: .incbin \"" file "\"\n.byte 0\n.text");                                                \
    extern char parts_text[];

static struct part {
    const char *name, *text; /* text, NULL: templates, a line each */
    char *lines[128];
    size_t count;
} parts[64]; /* from 1 on */

/* Cuts the text into its parts, in place: each begins with a line of #### and its name. */
static inline void read_parts(char *whole)
{
    struct part *part = parts;
    for (char *line, *rest = whole; (line = strsep(&rest, "\n"));) {
        if (strncmp(line, "#### ", 5) == 0) {
            *line = '\0'; /* the end of a text before it */
            part++;
            part->name = line + 5;
            if (strncmp(part->name, "text ", 5) == 0)
                part->text = rest;
        } else if (part->text && rest) {
            rest[-1] = '\n';
        } else if (*line != '\0' && part > parts) {
            if (part->count == LENGTH(part->lines))
                abort();
            part->lines[part->count++] = line;
        }
    }
}

static inline const struct part *part_named(const char *name)
{
    const struct part *part = parts + 1;
    while (strcmp(part->name, name) != 0)
        part++;
    return part;
}
