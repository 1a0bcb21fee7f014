#include "cubin_image.h"

#include "base/base.h"

#define EM_GPU 190     /* EM_CUDA, which some versions of elf.h lack */
#define IS_KERNEL 0x10 /* bit of st_other that marks a kernel: STO_CUDA_ENTRY */

/* Since compute capability 9.0 the system reserves the beginning of a block's shared memory, and static shared memory
 * follows it. */
#define RESERVED_SINCE 90
#define RESERVED_BYTES 1024

int image_error(const struct image *image, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    char *text = NULL;
    const int length = vasprintf(&text, format, list);
    va_end(list);
    error("cannot read %s: the GPU code at byte %zu %s; build the library again", image->name, image->offset,
          length < 0 ? "is damaged" : text);
    if (length >= 0)
        free(text);
    return -1;
}

static bool is_inside(uint64_t offset, uint64_t length, size_t size)
{
    return offset <= size && length <= size - offset;
}

bool image_is_whole(const unsigned char *bytes, size_t size)
{
    Elf64_Ehdr header;
    if (size < sizeof header)
        return false;
    memcpy(&header, bytes, sizeof header);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_ident[EI_DATA] != ELFDATA2LSB ||
        !is_inside(header.e_phoff, (uint64_t)header.e_phnum * sizeof(Elf64_Phdr), size))
        return false;
    /* A file with 65,280 or more sections stores their number elsewhere; such files are refused. */
    if (header.e_shnum == 0)
        return header.e_shoff == 0;
    if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shstrndx >= header.e_shnum ||
        !is_inside(header.e_shoff, (uint64_t)header.e_shnum * sizeof(Elf64_Shdr), size))
        return false;
    for (size_t i = 0; i < header.e_shnum; i++) {
        Elf64_Shdr section;
        memcpy(&section, bytes + header.e_shoff + i * sizeof section, sizeof section);
        if (section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL &&
            !is_inside(section.sh_offset, section.sh_size, size))
            return false;
    }
    return true;
}

size_t image_length(const void *image)
{
    Elf64_Ehdr header;
    Elf64_Shdr section;
    if (memcmp(image, ELFMAG, SELFMAG) != 0)
        return strlen(image);
    memcpy(&header, image, sizeof header);
    const size_t sections = header.e_shoff + header.e_shnum * sizeof section,
                 programs = header.e_phoff + header.e_phnum * sizeof(Elf64_Phdr);
    size_t end = sections > programs ? sections : programs;
    for (size_t i = 0; i < header.e_shnum; i++) {
        memcpy(&section, (const char *)image + header.e_shoff + i * sizeof section, sizeof section);
        if (section.sh_type != SHT_NOBITS && section.sh_offset + section.sh_size > end)
            end = section.sh_offset + section.sh_size;
    }
    return end;
}

static uint32_t word_at(const unsigned char *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* Reads the ELF header. Its e_flags hold the compute capability in the low byte up to ABI 7 (CUDA 12), and in the next
 * byte since ABI 8. Up to ABI 7, e_version holds the release of the assembler, 124 for 12.4. */
static int read_header(struct image *image)
{
    GElf_Ehdr header;
    if (!gelf_getehdr(image->elf, &header) || header.e_machine != EM_GPU)
        return image_error(image, "is not GPU code");
    const bool is_old = header.e_ident[EI_ABIVERSION] < 8;
    image->capability = (int)((is_old ? header.e_flags : header.e_flags >> 8) & 0xff);
    image->release = is_old ? header.e_version : 0;
    return image->capability > 0 ? 0 : image_error(image, "does not name its GPU architecture");
}

static int read_sections(struct image *image, const char *bytes)
{
    size_t names;
    if (elf_getshdrnum(image->elf, &image->section_count) < 0 || elf_getshdrstrndx(image->elf, &names) < 0)
        return image_error(image, "has no table of sections");
    image->sections = x_calloc(image->section_count, sizeof *image->sections);
    for (size_t i = 0; i < image->section_count; i++) {
        struct image_section *section = &image->sections[i];
        if (!gelf_getshdr(elf_getscn(image->elf, i), &section->header))
            return image_error(image, "has a damaged section %zu", i);
        section->name = elf_strptr(image->elf, names, section->header.sh_name);
        if (!section->name)
            return image_error(image, "has a section %zu without a name", i);
        if (section->header.sh_type != SHT_NOBITS && section->header.sh_type != SHT_NULL)
            section->bytes = (const unsigned char *)bytes + section->header.sh_offset;
        if (section->header.sh_type == SHT_SYMTAB)
            image->symbol_section = i;
    }
    return 0;
}

static int read_symbols(struct image *image)
{
    if (image->symbol_section == 0)
        return 0;
    image->symbol_names = image->sections[image->symbol_section].header.sh_link;
    Elf_Data *data = elf_getdata(elf_getscn(image->elf, image->symbol_section), NULL);
    if (!data)
        return image_error(image, "has a damaged table of symbols");
    image->symbol_count = data->d_size / gelf_fsize(image->elf, ELF_T_SYM, 1, EV_CURRENT);
    image->symbols = x_calloc(image->symbol_count, sizeof *image->symbols);
    for (size_t i = 0; i < image->symbol_count; i++)
        if (!gelf_getsym(data, (int)i, &image->symbols[i]))
            return image_error(image, "has a damaged symbol %zu", i);
    return 0;
}

static int read_kernels(struct image *image)
{
    for (size_t i = 0; i < image->symbol_count; i++) {
        const GElf_Sym *symbol = &image->symbols[i];
        if (GELF_ST_TYPE(symbol->st_info) != STT_FUNC || !(symbol->st_other & IS_KERNEL) || symbol->st_shndx == 0)
            continue;
        if (symbol->st_shndx >= image->section_count)
            return image_error(image, "has a function in section %u, which does not exist", symbol->st_shndx);
        struct image_section *section = &image->sections[symbol->st_shndx];
        const char *name = elf_strptr(image->elf, image->symbol_names, symbol->st_name);
        if (!name || !*name)
            return image_error(image, "has a function without a name");
        if (!section->bytes || !(section->header.sh_flags & SHF_EXECINSTR))
            return image_error(image, "has a function in section %s, which has no instructions", section->name);
        if (section->owner)
            return image_error(image, "has two functions in section %s", section->name);
        struct image_kernel *kernel = ARRAY_GROW(image->kernels, image->kernel_count);
        kernel->symbol = i;
        kernel->section = symbol->st_shndx;
        kernel->facts.name = x_strdup(name);
        kernel->facts.capability = image->capability;
        /* Section flags hold the number of barriers up to ABI 7; later an attribute does. */
        kernel->facts.barriers = (unsigned)(section->header.sh_flags >> 20 & 0x7f);
        section->owner = image->kernel_count;
    }
    return 0;
}

/* Finds the kernel of each section. sh_info of a section refers to the section of its kernel's instructions, but not in
 * sections of instructions, where it means something else. */
static void find_owners(const struct image *image)
{
    EACH(struct image_section, section, image->sections, image->section_count) {
        const size_t to = section->header.sh_info;
        if (strncmp(section->name, ".nv.", 4) == 0 && to < image->section_count &&
            (image->sections[to].header.sh_flags & SHF_EXECINSTR))
            section->owner = image->sections[to].owner;
    }
}

/* ---- Attributes ---- */

/* Attributes by their numbers, named as in cuobjdump -elf. */
enum attribute {
    EIATTR_MAX_THREADS = 0x05,
    EIATTR_REQNTID = 0x10,
    EIATTR_FRAME_SIZE = 0x11,
    EIATTR_MIN_STACK_SIZE = 0x12,
    EIATTR_REGCOUNT = 0x2f,
    EIATTR_CTA_PER_CLUSTER = 0x3d,
    EIATTR_EXPLICIT_CLUSTER = 0x3e,
    EIATTR_MAX_CLUSTER_RANK = 0x3f,
    EIATTR_NUM_BARRIERS = 0x4c,
};

/* An attribute is one byte for its format, one for its number, then its value in that format. */
int image_next_attribute(const unsigned char **at, const unsigned char *end, struct image_attribute *attribute)
{
    enum { NONE = 1, BYTE = 2, HALF = 3, SIZED = 4 };
    if (*at == end)
        return 0;
    if (end - *at < 4)
        return -1;
    const unsigned char *head = *at;
    *at += 4;
    *attribute = (struct image_attribute){.number = head[1], .bytes = head + 2};
    switch (head[0]) {
    case NONE:
        return 1;
    case BYTE:
        attribute->size = 1;
        return 1;
    case HALF:
        attribute->size = 2;
        return 1;
    case SIZED:
        attribute->bytes = *at;
        attribute->size = head[2] | (size_t)head[3] << 8;
        if ((size_t)(end - *at) < attribute->size)
            return -1;
        *at += attribute->size;
        return 1;
    default:
        return -1;
    }
}

/* Takes an attribute of section .nv.info: the number of a symbol, and a value. */
static void take_common(const struct image *image, const size_t *kernel_of, const struct image_attribute *attribute)
{
    if (attribute->size < 8 || word_at(attribute->bytes) >= image->symbol_count)
        return;
    const size_t owner = kernel_of[word_at(attribute->bytes)];
    if (owner == 0)
        return;
    struct cubin_function *facts = &image->kernels[owner - 1].facts;
    const uint32_t value = word_at(attribute->bytes + 4);
    const bool is_unknown = value == UINT32_MAX; /* the stack of a recursive function is not known */
    if (attribute->number == EIATTR_REGCOUNT) {
        facts->registers = value;
        image->kernels[owner - 1].has_registers = true;
    }
    if ((attribute->number == EIATTR_FRAME_SIZE || attribute->number == EIATTR_MIN_STACK_SIZE) && !is_unknown &&
        value > facts->local_bytes)
        facts->local_bytes = value;
}

static void take_own(struct image *image, const struct image_attribute *attribute)
{
    struct cubin_function *facts = &image->kernels[attribute->owner - 1].facts;
    switch (attribute->number) {
    case EIATTR_NUM_BARRIERS:
        facts->barriers = attribute->size > 0 ? attribute->bytes[0] : 0;
        break;
    case EIATTR_MAX_THREADS:
    case EIATTR_REQNTID:
        if (attribute->size >= 12) {
            const uint64_t plane = (uint64_t)word_at(attribute->bytes) * word_at(attribute->bytes + 4);
            const uint64_t threads = plane <= UINT32_MAX ? plane * word_at(attribute->bytes + 8) : UINT32_MAX;
            facts->max_threads = threads <= UINT32_MAX ? (unsigned)threads : UINT32_MAX;
            facts->block = attribute->number == EIATTR_REQNTID ? facts->max_threads : facts->block;
        }
        break;
    case EIATTR_CTA_PER_CLUSTER:
    case EIATTR_EXPLICIT_CLUSTER:
    case EIATTR_MAX_CLUSTER_RANK:
        *ARRAY_GROW(image->attributes, image->attribute_count) = *attribute;
        break;
    default:
        break;
    }
}

static int read_attributes(struct image *image, const struct image_section *section, const size_t *kernel_of)
{
    const unsigned char *at = section->bytes;
    const unsigned char *end = at + section->header.sh_size;
    struct image_attribute attribute;
    int more;
    while ((more = image_next_attribute(&at, end, &attribute)) > 0) {
        attribute.owner = section->owner;
        if (section->owner)
            take_own(image, &attribute);
        else
            take_common(image, kernel_of, &attribute);
    }
    return more < 0 ? image_error(image, "has damaged attributes in %s", section->name) : 0;
}

static void take_shared(const struct image *image, const struct image_section *section)
{
    const uint64_t reserved = image->capability >= RESERVED_SINCE ? RESERVED_BYTES : 0;
    const uint64_t size = section->header.sh_size > reserved ? section->header.sh_size - reserved : 0;
    image->kernels[section->owner - 1].facts.shared_bytes = size <= UINT32_MAX ? (unsigned)size : UINT32_MAX;
}

/* Before CUDA 13 the highest byte of sh_info is the number of registers as well. Old functions in cuBLAS have no
 * attribute that tells it. */
static bool registers_of_section(const struct image *image, struct image_kernel *kernel)
{
    kernel->facts.registers = image->sections[kernel->section].header.sh_info >> 24;
    return kernel->facts.registers > 0;
}

static int read_facts(struct image *image)
{
    int result = 0;
    OWNED_MEMORY size_t *kernel_of = x_calloc(image->symbol_count, sizeof *kernel_of);
    for (size_t k = 0; k < image->kernel_count; k++)
        kernel_of[image->kernels[k].symbol] = k + 1;
    for (size_t i = 0; i < image->section_count && result == 0; i++) {
        const struct image_section *section = &image->sections[i];
        if (section->bytes &&
            (strcmp(section->name, ".nv.info") == 0 || (section->owner && strncmp(section->name, ".nv.info.", 9) == 0)))
            result = read_attributes(image, section, kernel_of);
        else if (section->owner && strncmp(section->name, ".nv.shared.", 11) == 0)
            take_shared(image, section);
    }
    for (size_t k = 0; k < image->kernel_count && result == 0; k++)
        if (!image->kernels[k].has_registers && !registers_of_section(image, &image->kernels[k]))
            result = image_error(image, "lacks the register count of %s", image->kernels[k].facts.name);
    return result;
}

/* ---- The compiler ---- */

/* Returns the text at an offset behind the numbers of a note; "" when it is incomplete. */
static const char *note_text(const unsigned char *texts, size_t size, uint32_t place)
{
    return place < size && memchr(texts + place, '\0', size - place) ? (const char *)texts + place : "";
}

/* A note consists of three numbers (size of the name, size of the contents, type), then name and contents, each aligned
 * to 4 bytes. The contents of NVIDIA's notes are six other numbers, then texts. The third and fourth of the six are
 * the offsets, among the texts, of the tool's name and version. Up to CUDA 12 there is none, and the ELF header says
 * the release. */
char *image_compiler(const struct image *image)
{
    enum { HEAD = 12, NUMBERS = 24, LETTERS = 16, OLDEST = 100 };
    EACH(const struct image_section, section, image->sections, image->section_count) {
        const size_t size = section->bytes ? section->header.sh_size : 0;
        if (strcmp(section->name, ".note.nv.tkinfo") != 0 || size < HEAD)
            continue;
        const size_t name = ((size_t)word_at(section->bytes) + 3) / 4 * 4;
        if (name > size - HEAD || size - HEAD - name < NUMBERS)
            return NULL;
        const unsigned char *numbers = section->bytes + HEAD + name, *texts = numbers + NUMBERS;
        const size_t left = size - HEAD - name - NUMBERS;
        const char *tool = note_text(texts, left, word_at(numbers + 8));
        const char *words = note_text(texts, left, word_at(numbers + 12)), *version = strstr(words, ", V");
        const size_t length = version ? strspn(version + 3, "0123456789.") : 0;
        if (length == 0 || length > LETTERS || name_length(tool) == 0 || name_length(tool) > LETTERS)
            return NULL;
        return x_sprintf("%.*s %.*s", (int)name_length(tool), tool, (int)length, version + 3);
    }
    return image->release >= OLDEST ? x_sprintf("ptxas %u.%u", image->release / 10, image->release % 10) : NULL;
}

/* ---- The image ---- */

int image_read(struct image *image, const char *name, size_t offset, char *bytes, size_t size)
{
    *image = (struct image){.name = name, .offset = offset};
    if (!image_is_whole((const unsigned char *)bytes, size))
        return image_error(image, "is damaged or truncated");
    image->elf = elf_memory(bytes, size);
    if (!image->elf)
        return image_error(image, "cannot be opened: %s", elf_errmsg(-1));
    if (read_header(image) < 0 || read_sections(image, bytes) < 0 || read_symbols(image) < 0 || read_kernels(image) < 0)
        return -1;
    find_owners(image);
    return read_facts(image);
}

void image_release(struct image *image)
{
    for (size_t k = 0; k < image->kernel_count; k++) {
        free(image->kernels[k].facts.name);
        free(image->kernels[k].facts.code);
        free(image->kernels[k].facts.mix);
    }
    free(image->kernels);
    free(image->symbols);
    free(image->sections);
    free(image->attributes);
    elf_end(image->elf);
}
