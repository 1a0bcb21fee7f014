/* Links a kernel with the functions in other sections that it calls: code that was compiled apart (nvcc -rdc=true).
 * They come behind it, as if they were in its section. */
#include "device.h"

/* Relocations of instructions: the lower and upper word of an address, in the second word, and the place of a call. */
enum { R_CUDA_ABS32_LO_32 = 0x38, R_CUDA_ABS32_HI_32 = 0x39, R_CUDA_ABS47_34 = 0x4b };

struct link {
    size_t at; /* in the linked code */
    GElf_Rela relocation;
};

struct links {
    struct link *list;
    size_t count;
};

static bool is_function(const struct image *image, const GElf_Sym *symbol)
{
    return GELF_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx < image->section_count &&
           image->sections[symbol->st_shndx].bytes;
}

static bool is_elsewhere(const GElf_Sym *symbol)
{
    return GELF_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx == SHN_UNDEF;
}

/* Returns the part that a section is; part_count: it is none. */
static size_t find_part(const struct function_text *text, size_t section)
{
    const size_t i = FIRST(k, text->part_count, text->parts[k].section == section);
    return i;
}

static void add_part(struct function *function, size_t section, size_t symbol)
{
    struct function_text *text = &function->text;
    const struct image *image = &function->module->image;
    const size_t begin = text->part_count > 0 ? text->size : 0;
    *ARRAY_GROW(text->parts, text->part_count) =
        (struct code_part){module_symbol(function->module, symbol), symbol, section, begin};
    text->size = begin + image->sections[section].header.sh_size;
    for (size_t i = 0; i < image->symbol_count && begin > 0; i++)
        if (is_function(image, &image->symbols[i]) && image->symbols[i].st_shndx == section)
            *ARRAY_GROW(text->symbols, text->symbol_count) =
                (struct code_symbol){module_symbol(function->module, i), begin + image->symbols[i].st_value};
}

static void add_symbol(struct function *function, size_t number)
{
    struct function_text *text = &function->text;
    const struct image *image = &function->module->image;
    const GElf_Sym *symbol = &image->symbols[number];
    if (is_function(image, symbol) && find_part(text, symbol->st_shndx) == text->part_count)
        add_part(function, symbol->st_shndx, number);
    for (size_t i = 0; i < text->symbol_count && is_elsewhere(symbol); i++)
        if (text->symbols[i].offset == address_of_symbol(number))
            return;
    if (is_elsewhere(symbol))
        *ARRAY_GROW(text->symbols, text->symbol_count) =
            (struct code_symbol){module_symbol(function->module, number), address_of_symbol(number)};
}

/* Lists the relocations of a section, and adds the functions that they refer to, which lie behind or elsewhere. */
static void add_links(struct function *function, size_t section, size_t begin, struct links *links)
{
    const struct image *image = &function->module->image;
    for (size_t i = 0; i < image->section_count; i++) {
        const GElf_Shdr *header = &image->sections[i].header;
        if ((header->sh_type != SHT_RELA && header->sh_type != SHT_REL) || header->sh_info != section)
            continue;
        if (header->sh_type == SHT_REL && links) /* of 8.x: of no type that is known */
            *ARRAY_GROW(links->list, links->count) = (struct link){begin, {0}};
        Elf_Data *data = elf_getdata(elf_getscn(image->elf, i), NULL);
        GElf_Rela relocation;
        for (int k = 0; data && gelf_getrela(data, k, &relocation); k++) {
            if (links)
                *ARRAY_GROW(links->list, links->count) = (struct link){begin + relocation.r_offset, relocation};
            if (GELF_R_SYM(relocation.r_info) < image->symbol_count)
                add_symbol(function, GELF_R_SYM(relocation.r_info));
        }
    }
}

/* Writes an address to an instruction. False: what it refers to has none here. */
static bool apply(const struct function *function, unsigned char *bytes, const struct link *link)
{
    const struct image *image = &function->module->image;
    const size_t number = GELF_R_SYM(link->relocation.r_info), type = GELF_R_TYPE(link->relocation.r_info);
    if (number >= image->symbol_count || link->at % INSTRUCTION_BYTES || link->at > function->text.size ||
        function->text.size - link->at < INSTRUCTION_BYTES)
        return false;
    const GElf_Sym *symbol = &image->symbols[number];
    const bool calls = is_function(image, symbol), elsewhere = is_elsewhere(symbol);
    uint64_t address = module_address(function->module, symbol);
    if (calls)
        address = function->text.parts[find_part(&function->text, symbol->st_shndx)].begin + symbol->st_value;
    else if (elsewhere)
        address = address_of_symbol(number);
    if (type == R_CUDA_ABS47_34)
        return calls || elsewhere; /* the text has its name */
    if ((!calls && !address) || (type != R_CUDA_ABS32_LO_32 && type != R_CUDA_ABS32_HI_32))
        return false;
    address += (uint64_t)link->relocation.r_addend;
    const uint32_t word = (uint32_t)(type == R_CUDA_ABS32_LO_32 ? address : address >> 32);
    memcpy(bytes + link->at + sizeof word, &word, sizeof word);
    return true;
}

/* A call names its function. */
static bool are_unique(const struct function_text *text)
{
    for (size_t i = 0; i < text->symbol_count; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(text->symbols[i].name, text->symbols[k].name) == 0)
                return false;
    return true;
}

void module_link(struct function *function)
{
    const struct function_text alone = function->text;
    struct function_text *text = &function->text;
    const struct image *image = &function->module->image;
    struct links links = {0};
    add_part(function, image->kernels[function - function->module->functions].section, text->symbol);
    for (size_t i = 0; i < image->section_count; i++) /* functions of which variables have the address */
        if (function->module->places[i])
            add_links(function, i, 0, NULL);
    for (size_t part = 0; part < text->part_count; part++)
        add_links(function, text->parts[part].section, text->parts[part].begin, &links);
    unsigned char *bytes = links.count > 0 || text->part_count > 1 ? x_calloc(text->size, 1) : NULL;
    for (size_t i = 0; i < text->part_count && bytes; i++)
        memcpy(bytes + text->parts[i].begin, image->sections[text->parts[i].section].bytes,
               image->sections[text->parts[i].section].header.sh_size);
    text->linked = bytes && are_unique(text);
    for (size_t i = 0; i < links.count && text->linked; i++)
        text->linked = apply(function, bytes, &links.list[i]);
    if (text->linked) {
        text->bytes = function->bytes = bytes;
        function->calls |= text->part_count > 1;
    } else {
        free(bytes);
        free(text->parts);
        text->parts = NULL;
        text->part_count = 0;
        text->size = alone.size;
        text->symbol_count = alone.symbol_count;
    }
    free(links.list);
}

bool module_place(const struct function *function, uint64_t address, uint32_t *index)
{
    const struct image *image = &function->module->image;
    const uint64_t number = symbol_at(address);
    if (!function->text.linked)
        return false;
    if (number < image->symbol_count) {
        const GElf_Sym *symbol = &image->symbols[number];
        const size_t part = find_part(&function->text, symbol->st_shndx);
        if (part == function->text.part_count)
            return false;
        address = function->text.parts[part].begin + symbol->st_value;
    }
    *index = (uint32_t)(address / INSTRUCTION_BYTES);
    return address < function->text.size && address % INSTRUCTION_BYTES == 0;
}
