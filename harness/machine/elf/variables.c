/* Lists the variables of machine code: what a program can read and write by name, __device__ and __constant__. */
#include "cubin_image.h"

#include "base/base.h"

static bool holds_variables(const char *section)
{
    static const char *const beginnings[] = {".nv.global", ".nv.constant3"};
    return ANY(i, ARRAY_SIZE(beginnings), strncmp(section, beginnings[i], strlen(beginnings[i])) == 0);
}

/* Returns the name of a symbol that is a variable; NULL for any other. */
static const char *variable_name(const struct image *image, size_t symbol_number)
{
    const GElf_Sym *symbol = &image->symbols[symbol_number];
    if (GELF_ST_TYPE(symbol->st_info) != STT_OBJECT || symbol->st_size == 0 ||
        symbol->st_shndx >= image->section_count || !holds_variables(image->sections[symbol->st_shndx].name))
        return NULL;
    const char *name = elf_strptr(image->elf, image->symbol_names, symbol->st_name);
    return name && *name ? name : NULL;
}

bool image_variable(const struct image *image, const char *name, uint64_t *size)
{
    for (size_t i = 0; i < image->symbol_count; i++) {
        const char *has = variable_name(image, i);
        if (has && strcmp(has, name) == 0) {
            *size = image->symbols[i].st_size;
            return true;
        }
    }
    return false;
}

const char *image_unset_constant(const struct image *image)
{
    for (size_t i = 0; i < image->symbol_count; i++) {
        const GElf_Sym *symbol = &image->symbols[i];
        const char *name = variable_name(image, i);
        if (!name || strcmp(image->sections[symbol->st_shndx].name, ".nv.constant3") != 0)
            continue;
        const struct image_section *section = &image->sections[symbol->st_shndx];
        uint64_t at = symbol->st_value;
        const uint64_t end = at + symbol->st_size;
        while (section->bytes && at < end && at < section->header.sh_size && section->bytes[at] == 0)
            at++;
        if (at == end)
            return name;
    }
    return NULL;
}

char *image_variables(const struct image *image)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    if (!stream)
        die(EXIT_USAGE, "cannot allocate memory for names");
    for (size_t i = 0; i < image->symbol_count; i++) {
        const char *name = variable_name(image, i);
        if (name)
            fprintf(stream, "%s\n", name);
    }
    fclose(stream);
    return text;
}

char *cubin_variables(const char *name, const char *bytes, size_t size)
{
    OWNED_TEXT copy = x_calloc(size + 1, 1);
    OWNED(image) image = {0}; /* it points into the copy */
    memcpy(copy, bytes, size);
    elf_version(EV_CURRENT);
    char *text = image_read(&image, name, 0, copy, size) == 0 ? image_variables(&image) : NULL;
    return text;
}
