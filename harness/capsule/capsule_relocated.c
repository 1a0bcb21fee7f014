/* Reads the relocations of an image. The sections of relocations name the section that they are for by its number,
 * sh_info, and places in it count from its beginning, as the values of symbols do. Nothing is trusted to be inside of
 * the image. */
#include "replay_parts.h"

#include "base/base.h"

#include <elf.h>
#include <string.h>

struct elf {
    const unsigned char *bytes;
    size_t size;
    Elf64_Ehdr header;
};

/* Copies a struct from the image; false: it is not within it. */
static bool read_at(const struct elf *elf, uint64_t offset, void *to, size_t size)
{
    if (offset > elf->size || size > elf->size - offset)
        return false;
    memcpy(to, elf->bytes + offset, size);
    return true;
}

static bool read_section(const struct elf *elf, size_t number, Elf64_Shdr *section)
{
    return number < elf->header.e_shnum &&
           read_at(elf, elf->header.e_shoff + number * sizeof *section, section, sizeof *section);
}

static bool has_name(const struct elf *elf, const Elf64_Shdr *names, uint64_t offset, const char *name)
{
    const size_t length = strlen(name) + 1;
    const uint64_t at = names->sh_offset + offset;
    return at <= elf->size && length <= elf->size - at && memcmp(elf->bytes + at, name, length) == 0;
}

/* Finds the symbol of a variable. */
static bool find_symbol(const struct elf *elf, const char *name, Elf64_Sym *symbol)
{
    Elf64_Shdr section, names;
    for (size_t s = 0; read_section(elf, s, &section); s++) {
        if (section.sh_type != SHT_SYMTAB || !read_section(elf, section.sh_link, &names))
            continue;
        for (uint64_t at = 0; at + sizeof *symbol <= section.sh_size; at += sizeof *symbol) {
            if (!read_at(elf, section.sh_offset + at, symbol, sizeof *symbol))
                return false;
            if (ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT && has_name(elf, &names, symbol->st_name, name))
                return true;
        }
    }
    return false;
}

/* Adds the words of a variable that one section relocates. */
static void add_words(struct places *places, const struct elf *elf, const Elf64_Shdr *section, const Elf64_Sym *symbol)
{
    const size_t step = section->sh_type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    for (uint64_t at = 0; at + step <= section->sh_size; at += step) {
        Elf64_Rel relocation; /* the beginning of a longer one, too */
        if (!read_at(elf, section->sh_offset + at, &relocation, sizeof relocation))
            return;
        const uint64_t place = relocation.r_offset - symbol->st_value;
        if (relocation.r_offset >= symbol->st_value && place < symbol->st_size)
            *ARRAY_GROW(places->list, places->count) = place & ~(uint64_t)7;
    }
}

void relocated_words(struct places *places, const unsigned char *image, size_t size, const char *variable)
{
    struct elf elf = {.bytes = image, .size = size};
    Elf64_Shdr section;
    Elf64_Sym symbol;
    *places = (struct places){0};
    if (!read_at(&elf, 0, &elf.header, sizeof elf.header) || memcmp(elf.header.e_ident, ELFMAG, SELFMAG) != 0 ||
        elf.header.e_ident[EI_CLASS] != ELFCLASS64 || !find_symbol(&elf, variable, &symbol))
        return;
    for (size_t s = 0; read_section(&elf, s, &section); s++)
        if ((section.sh_type == SHT_RELA || section.sh_type == SHT_REL) && section.sh_info == symbol.st_shndx)
            add_words(places, &elf, &section, &symbol);
}
