/* Lists the variables of machine code: what a program can read and write by name, __device__ and __constant__. */
#include "cubin.h"

#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool holds_variables(const char *section)
{
    static const char *const beginnings[] = {".nv.global", ".nv.constant3"};
    for (size_t i = 0; i < ARRAY_SIZE(beginnings); i++)
        if (strncmp(section, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return false;
}

static void put_variables(FILE *stream, const struct image *image)
{
    for (size_t i = 0; i < image->symbol_count; i++) {
        const GElf_Sym *symbol = &image->symbols[i];
        if (GELF_ST_TYPE(symbol->st_info) != STT_OBJECT || symbol->st_size == 0 ||
            symbol->st_shndx >= image->section_count || !holds_variables(image->sections[symbol->st_shndx].name))
            continue;
        const char *name = elf_strptr(image->elf, image->symbol_names, symbol->st_name);
        if (name && *name)
            fprintf(stream, "%s\n", name);
    }
}

char *cubin_variables(const char *name, const char *bytes, size_t size)
{
    struct image image;
    char *copy = x_calloc(size + 1, 1), *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    if (!stream)
        die(EXIT_USAGE, "cannot allocate memory for names");
    memcpy(copy, bytes, size);
    elf_version(EV_CURRENT);
    const int failed = image_read(&image, name, 0, copy, size);
    if (failed == 0)
        put_variables(stream, &image);
    fclose(stream);
    image_release(&image);
    free(copy);
    if (failed == 0)
        return text;
    free(text);
    return NULL;
}
