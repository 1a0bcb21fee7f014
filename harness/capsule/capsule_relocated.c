/* Reads the relocations of an image. The sections of relocations name the section that they are for by its number,
 * sh_info, and places in it count from its beginning, as the values of symbols do. Nothing is trusted to be inside of
 * the image. */
#include "replay_parts.h"

#include <elf.h>

/* A symbol of a variable. */
struct variable_symbol {
    const char *name; /* in the image */
    Elf64_Sym symbol;
};

struct relocations {
    const unsigned char *bytes;
    size_t size;
    Elf64_Ehdr header;
    struct variable_symbol *symbols; /* sorted by name: a module of a large library has thousands */
    size_t symbol_count;
};

/* Copies a struct from the image; false: it is not within it. */
static bool read_at(const struct relocations *elf, uint64_t offset, void *to, size_t size)
{
    if (offset > elf->size || size > elf->size - offset)
        return false;
    memcpy(to, elf->bytes + offset, size);
    return true;
}

static bool read_section(const struct relocations *elf, size_t number, Elf64_Shdr *section)
{
    return number < elf->header.e_shnum &&
           read_at(elf, elf->header.e_shoff + number * sizeof *section, section, sizeof *section);
}

/* Returns the name at that offset; NULL: it does not end within the image. */
static const char *name_at(const struct relocations *elf, const Elf64_Shdr *names, uint64_t offset)
{
    const uint64_t at = names->sh_offset + offset;
    return at < elf->size && memchr(elf->bytes + at, 0, elf->size - at) ? (const char *)elf->bytes + at : NULL;
}

static void read_symbols(struct relocations *elf, const Elf64_Shdr *section, const Elf64_Shdr *names)
{
    struct variable_symbol read;
    for (uint64_t at = 0; at + sizeof read.symbol <= section->sh_size; at += sizeof read.symbol) {
        if (!read_at(elf, section->sh_offset + at, &read.symbol, sizeof read.symbol))
            return;
        read.name = ELF64_ST_TYPE(read.symbol.st_info) == STT_OBJECT ? name_at(elf, names, read.symbol.st_name) : NULL;
        if (read.name)
            *ARRAY_GROW(elf->symbols, elf->symbol_count) = read;
    }
}

struct relocations *relocations_open(const unsigned char *image, size_t size)
{
    struct relocations *elf = x_calloc(1, sizeof *elf);
    Elf64_Shdr section, names;
    *elf = (struct relocations){.bytes = image, .size = size};
    if (!read_at(elf, 0, &elf->header, sizeof elf->header) || memcmp(elf->header.e_ident, ELFMAG, SELFMAG) != 0 ||
        elf->header.e_ident[EI_CLASS] != ELFCLASS64)
        return elf;
    for (size_t s = 0; read_section(elf, s, &section); s++)
        if (section.sh_type == SHT_SYMTAB && read_section(elf, section.sh_link, &names))
            read_symbols(elf, &section, &names);
    SORT(elf->symbols, elf->symbol_count, by_text);
    return elf;
}

void relocations_close(struct relocations *relocations)
{
    free(relocations->symbols);
    free(relocations);
}

/* Adds the words of a variable that one section relocates. */
static void add_words(struct places *places, const struct relocations *elf, const Elf64_Shdr *section,
                      const Elf64_Sym *symbol)
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

void relocated_words(struct places *places, const struct relocations *relocations, const char *variable)
{
    const struct relocations *elf = relocations;
    Elf64_Shdr section;
    const struct variable_symbol key = {.name = variable};
    *places = (struct places){0};
    const struct variable_symbol *found =
        elf->symbol_count > 0 ? bsearch(&key, elf->symbols, elf->symbol_count, sizeof key, by_text) : NULL;
    for (size_t s = 0; found && read_section(elf, s, &section); s++)
        if ((section.sh_type == SHT_RELA || section.sh_type == SHT_REL) && section.sh_info == found->symbol.st_shndx)
            add_words(places, elf, &section, &found->symbol);
}

ORDER_BY(by_place, Elf64_Sym, st_value)

/* Whether the variables of a section are all of it, but for what aligns them. */
static bool are_all(Elf64_Sym *variables, size_t count, uint64_t size)
{
    enum { GAP = 16 };
    uint64_t end = 0;
    SORT(variables, count, by_place);
    for (size_t i = 0; i < count; i++) {
        if (variables[i].st_value > end + GAP)
            return false;
        end = variables[i].st_value + variables[i].st_size > end ? variables[i].st_value + variables[i].st_size : end;
    }
    return size <= end + GAP;
}

bool writable_variables(const struct relocations *relocations, char ***names, size_t *count)
{
    static const char beginning[] = ".nv.global";
    Elf64_Shdr section, sections;
    bool all = true;
    if (!read_section(relocations, relocations->header.e_shstrndx, &sections))
        return true;
    for (size_t s = 0; read_section(relocations, s, &section); s++) {
        const char *name = name_at(relocations, &sections, section.sh_name);
        OWNED_MEMORY Elf64_Sym *variables = NULL;
        size_t found = 0;
        if (!name || strncmp(name, beginning, strlen(beginning)) != 0)
            continue;
        EACH(const struct variable_symbol, variable, relocations->symbols, relocations->symbol_count) {
            if (variable->symbol.st_shndx != s || !*variable->name || variable->symbol.st_size == 0)
                continue;
            *ARRAY_GROW(*names, *count) = x_strdup(variable->name);
            *ARRAY_GROW(variables, found) = variable->symbol;
        }
        all &= are_all(variables, found, section.sh_size);
    }
    return all;
}

/* Whether an instruction of Volta or later compares, clamps, selects or masks by 32 bits that it holds, in either place
 * of its operands. The lowest nine bits are the operation, as nvdisasm 13.5 names them in what ptxas 13.0 makes. */
static bool holds_word(uint64_t first)
{
    enum { SEL = 0x07, FSEL, FMNMX, FSETP = 0x0b, ISETP, LOP3 = 0x12, IMNMX = 0x17, DMNMX = 0x28, DSETP = 0x2a };
    enum { HSETP2 = 0x34, HMNMX2 = 0x40, VIADDMNMX = 0x46, VIMNMX = 0x48, OPERATIONS = 1 << 9, FORMS = 8 };
    const uint64_t set = UINT64_C(1) << SEL | UINT64_C(1) << FSEL | UINT64_C(1) << FMNMX | UINT64_C(1) << FSETP |
                         UINT64_C(1) << ISETP | UINT64_C(1) << LOP3 | UINT64_C(1) << IMNMX | UINT64_C(1) << DMNMX |
                         UINT64_C(1) << DSETP | UINT64_C(1) << HSETP2;
    const unsigned operation = first % OPERATIONS, form = first / OPERATIONS % FORMS;
    const bool starts = operation == FMNMX && (uint32_t)(first >> 32) << 1 == 0xff000000; /* a maximum, at -INF */
    return (form == 4 || form == 2) && !starts &&
           (operation < 64 ? set >> operation & 1
                           : operation == HMNMX2 || operation == VIADDMNMX || operation == VIMNMX);
}

size_t compared_words(const struct relocations *relocations, const char *function, uint32_t **words)
{
    static const char beginning[] = ".text.";
    Elf64_Shdr section, sections;
    size_t count = 0;
    if (!read_section(relocations, relocations->header.e_shstrndx, &sections))
        return 0;
    for (size_t s = 0; read_section(relocations, s, &section); s++) {
        const char *name = name_at(relocations, &sections, section.sh_name);
        uint64_t code[2];
        if (!name || strncmp(name, beginning, strlen(beginning)) != 0 ||
            strcmp(name + strlen(beginning), function) != 0)
            continue;
        for (uint64_t at = 0; at < section.sh_size && read_at(relocations, section.sh_offset + at, code, sizeof code);
             at += sizeof code)
            if (holds_word(code[0]))
                *ARRAY_GROW(*words, count) = (uint32_t)(code[0] >> 32);
    }
    return count;
}
