/* A kernel's code hash is computed from the hashes of its parts in sorted order. So neither the order of sections and
 * symbols nor names influence it: names contain paths (anonymous namespaces) and are renamed freely. */
#include "cubin_image.h"

#include "base/base.h"

#include <xxhash.h>

#define NOBODY SIZE_MAX

/* One part of a kernel's code, represented by its hash. */
struct part {
    size_t owner; /* the kernel that it belongs to, from 1; 0: it belongs to every kernel of the image */
    XXH128_canonical_t hash;
};

struct parts {
    struct part *list;
    size_t count;
};

static void add_number(XXH3_state_t *state, uint64_t number)
{
    unsigned char bytes[8];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(number >> (8 * i));
    XXH3_128bits_update(state, bytes, sizeof bytes);
}

/* Adds bytes and their length to the hash, so that other bytes split elsewhere give another hash. */
static void add_bytes(XXH3_state_t *state, const void *bytes, size_t size)
{
    add_number(state, size);
    XXH3_128bits_update(state, bytes, size);
}

static XXH3_state_t *hash_begin(void)
{
    XXH3_state_t *state = XXH3_createState();
    if (!state)
        die(EXIT_USAGE, "out of memory");
    XXH3_128bits_reset(state);
    return state;
}

static XXH128_canonical_t hash_end(XXH3_state_t *state)
{
    XXH128_canonical_t hash;
    XXH128_canonicalFromHash(&hash, XXH3_128bits_digest(state));
    XXH3_freeState(state);
    return hash;
}

static XXH128_canonical_t hash_attribute(const struct image_attribute *attribute)
{
    XXH3_state_t *state = hash_begin();
    add_number(state, attribute->number);
    add_bytes(state, attribute->bytes, attribute->size);
    return hash_end(state);
}

/* Returns the length of the section's name without the function's name at its end. */
static size_t label_length(const struct image_section *section)
{
    static const char constant[] = ".nv.constant", shared[] = ".nv.shared";
    if ((section->header.sh_flags & SHF_EXECINSTR) && *section->name)
        return strcspn(section->name + 1, ".") + 1;
    if (strncmp(section->name, constant, sizeof constant - 1) == 0)
        return sizeof constant - 1 + strspn(section->name + sizeof constant - 1, "0123456789");
    if (strncmp(section->name, shared, sizeof shared - 1) == 0)
        return sizeof shared - 1;
    return strlen(section->name);
}

/* Returns the kernel whose code the section is part of, from 1; 0 for every kernel of the image; NOBODY for none. */
static size_t part_of(const struct image_section *section)
{
    if (!section->bytes)
        return NOBODY;
    if ((section->header.sh_flags & SHF_EXECINSTR) || strcmp(section->name, ".nv.global.init") == 0 ||
        strncmp(section->name, ".nv.constant", 12) == 0)
        return section->owner;
    return NOBODY;
}

static XXH128_canonical_t hash_section(const struct image_section *section)
{
    XXH3_state_t *state = hash_begin();
    add_bytes(state, section->name, label_length(section));
    add_bytes(state, section->bytes, section->header.sh_size);
    return hash_end(state);
}

/* Adds what a relocation refers to. A function is represented by its instructions, a variable by its offset, something
 * outside the image (vprintf) by its name. contents are the hashes of the sections that are part of any code. */
static int add_target(XXH3_state_t *state, const struct image *image, const XXH128_canonical_t *contents, size_t number)
{
    if (number >= image->symbol_count)
        return image_error(image, "refers to symbol %zu, which does not exist", number);
    const GElf_Sym *symbol = &image->symbols[number];
    if (symbol->st_shndx == SHN_UNDEF) {
        const char *name = elf_strptr(image->elf, image->symbol_names, symbol->st_name);
        if (!name)
            return image_error(image, "refers to a symbol without a name");
        add_bytes(state, name, strlen(name));
        return 0;
    }
    add_number(state, symbol->st_value);
    if (symbol->st_shndx >= image->section_count) /* an absolute symbol belongs to no section */
        return 0;
    const struct image_section *section = &image->sections[symbol->st_shndx];
    add_bytes(state, section->name, label_length(section));
    if (section->header.sh_flags & SHF_EXECINSTR)
        add_bytes(state, &contents[symbol->st_shndx], sizeof *contents);
    return 0;
}

static int by_place(const void *left, const void *right)
{
    const GElf_Rela *a = left, *b = right;
    if (a->r_offset != b->r_offset)
        return a->r_offset < b->r_offset ? -1 : 1;
    const uint64_t type_a = GELF_R_TYPE(a->r_info), type_b = GELF_R_TYPE(b->r_info);
    return (type_a > type_b) - (type_a < type_b);
}

/* Adds to *hash the relocations of section number `from`. */
static int add_relocations(const struct image *image, const XXH128_canonical_t *contents, size_t from,
                           XXH128_canonical_t *hash)
{
    const bool has_addends = image->sections[from].header.sh_type == SHT_RELA;
    Elf_Data *data = elf_getdata(elf_getscn(image->elf, from), NULL);
    if (image->sections[from].header.sh_size == 0)
        return 0;
    if (!data)
        return image_error(image, "has damaged relocations in %s", image->sections[from].name);
    const size_t count = data->d_size / gelf_fsize(image->elf, has_addends ? ELF_T_RELA : ELF_T_REL, 1, EV_CURRENT);
    GElf_Rela *list = x_calloc(count, sizeof *list);
    int result = 0;
    for (size_t i = 0; i < count && result == 0; i++) {
        GElf_Rel plain = {0};
        if (has_addends ? !gelf_getrela(data, (int)i, &list[i]) : !gelf_getrel(data, (int)i, &plain))
            result = image_error(image, "has a damaged relocation in %s", image->sections[from].name);
        else if (!has_addends)
            list[i] = (GElf_Rela){.r_offset = plain.r_offset, .r_info = plain.r_info};
    }
    SORT(list, count, by_place);

    XXH3_state_t *state = hash_begin();
    add_bytes(state, hash, sizeof *hash);
    for (size_t i = 0; i < count && result == 0; i++) {
        add_number(state, list[i].r_offset);
        add_number(state, GELF_R_TYPE(list[i].r_info));
        add_number(state, (uint64_t)list[i].r_addend);
        result = add_target(state, image, contents, GELF_R_SYM(list[i].r_info));
    }
    *hash = hash_end(state);
    free(list);
    return result;
}

/* Collects the sections that are part of any kernel's code. */
static int collect_sections(struct parts *parts, const struct image *image)
{
    int result = 0;
    XXH128_canonical_t *contents = x_calloc(image->section_count, sizeof *contents);
    XXH128_canonical_t *whole = x_calloc(image->section_count, sizeof *whole);
    for (size_t i = 0; i < image->section_count; i++)
        if (part_of(&image->sections[i]) != NOBODY)
            whole[i] = contents[i] = hash_section(&image->sections[i]);
    for (size_t i = 0; i < image->section_count && result == 0; i++) {
        const GElf_Shdr *header = &image->sections[i].header;
        if ((header->sh_type == SHT_REL || header->sh_type == SHT_RELA) && header->sh_info < image->section_count &&
            part_of(&image->sections[header->sh_info]) != NOBODY)
            result = add_relocations(image, contents, i, &whole[header->sh_info]);
    }
    for (size_t i = 0; i < image->section_count; i++) {
        const size_t owner = part_of(&image->sections[i]);
        if (owner != NOBODY)
            *ARRAY_GROW(parts->list, parts->count) = (struct part){owner, whole[i]};
    }
    free(whole);
    free(contents);
    return result;
}

static int by_owner(const void *left, const void *right)
{
    const struct part *a = left, *b = right;
    if (a->owner != b->owner)
        return a->owner < b->owner ? -1 : 1;
    return memcmp(&a->hash, &b->hash, sizeof a->hash);
}

/* Adds the parts of one owner, which are next to each other, and moves *at behind them. */
static void add_parts(XXH3_state_t *state, const struct parts *parts, size_t owner, size_t *at)
{
    for (; *at < parts->count && parts->list[*at].owner == owner; ++*at)
        add_bytes(state, &parts->list[*at].hash, sizeof parts->list[*at].hash);
}

static char *in_hexadecimal(const XXH128_canonical_t *hash)
{
    char *text = x_calloc(2 * sizeof *hash + 1, 1);
    for (size_t i = 0; i < sizeof *hash; i++)
        snprintf(text + 2 * i, 3, "%02x", hash->digest[i]);
    return text;
}

/* Hashes each kernel. The parts are sorted by their owners. */
static void hash_kernels(struct image *image, const struct parts *parts)
{
    size_t at = 0;
    XXH3_state_t *state = hash_begin();
    add_parts(state, parts, 0, &at);
    const XXH128_canonical_t common = hash_end(state);
    for (size_t k = 0; k < image->kernel_count; k++) {
        struct cubin_function *facts = &image->kernels[k].facts;
        const unsigned numbers[] = {facts->registers, facts->local_bytes, facts->shared_bytes, facts->max_threads,
                                    facts->barriers};
        state = hash_begin();
        for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
            add_number(state, numbers[i]);
        add_bytes(state, &common, sizeof common);
        add_parts(state, parts, k + 1, &at);
        const XXH128_canonical_t hash = hash_end(state);
        facts->code = in_hexadecimal(&hash);
    }
}

/* ---- The mix of instructions, and tensor cores ----
 *
 * From compute capability 7.0 on an instruction has 16 bytes, and its lowest 12 bits are the opcode, which also says of
 * what kind the operands are. So says each line of `nvdisasm -hex`. Padding is left out: it depends on how long the
 * code is. */

enum { INSTRUCTION = 16, OPCODES = 1 << 12, OPCODE_NOP = 0x918 };

/* The opcodes of tensor cores up to compute capability 12.1, as nvdisasm 13.5 names them in what ptxas 13.0 makes of
 * each type of mma, wgmma and tcgen05.mma. HFMA2.MMA multiplies no matrix. */
static const unsigned short tensor_opcodes[] = {
    0x236, 0x23c,                                           /* HMMA.884, HMMA */
    0x237, 0x23d, 0x23f, 0x27a,                             /* IMMA, BMMA, DMMA, QMMA */
    0x9f0, 0xdf0, 0x9f1, 0xdf1, 0x9f2, 0xdf2, 0x9f3, 0xdf3, /* HGMMA, IGMMA, BGMMA, QGMMA */
    0x5ea, 0x9ea, 0xdea,                                    /* UTCHMMA, UTCIMMA, UTCQMMA, UTCOMMA */
    0x47a, 0x47f,                                           /* QMMA.SF, OMMA.SF */
};
#define TENSOR_CAPABILITY 121 /* before 7.0 there are none */
#define HALVES_CAPABILITY 90  /* how constants are set is known so far */

/* Counts the instructions of one kernel, from 1; 0: of the functions that are no kernels. */
static void count_opcodes(size_t counts[OPCODES], const struct image *image, size_t owner)
{
    EACH(const struct image_section, section, image->sections, image->section_count) {
        if (!(section->header.sh_flags & SHF_EXECINSTR) || part_of(section) != owner)
            continue;
        for (size_t at = 0; at + INSTRUCTION <= section->header.sh_size; at += INSTRUCTION)
            counts[(section->bytes[at] | section->bytes[at + 1] << 8) % OPCODES]++;
    }
    counts[OPCODE_NOP] = 0;
}

/* Counts LDL and STL. The lowest nine bits are the operation in any form of its operands, as nvdisasm 13.5 names them
 * in what ptxas 13.0 makes for 7.5 to 12.0. */
static unsigned local_accesses(const size_t counts[OPCODES])
{
    enum { OPERATIONS = 1 << 9, LOAD_LOCAL = 0x183, STORE_LOCAL = 0x187 };
    size_t count = 0;
    for (size_t form = 0; form < OPCODES; form += OPERATIONS)
        count += counts[form + LOAD_LOCAL] + counts[form + STORE_LOCAL];
    return (unsigned)count;
}

static char *mix_of(const size_t counts[OPCODES])
{
    XXH3_state_t *state = hash_begin();
    for (size_t i = 0; i < OPCODES; i++)
        add_number(state, counts[i]);
    const XXH128_canonical_t hash = hash_end(state);
    return in_hexadecimal(&hash);
}

static bool has_tensor(const size_t counts[OPCODES])
{
    return ANY(i, ARRAY_SIZE(tensor_opcodes), counts[tensor_opcodes[i]] > 0);
}

/* Whether an instruction is HADD2, HFMA2, HMUL2 or HFMA2.MMA, in any form of its operands. Compilers set constants by
 * HFMA2.MMA R, -RZ, RZ, upper, lower, and convert by HADD2.F32 R, -RZ, R: that is not meant, though counters count it.
 */
static bool adds_halves(const unsigned char *code)
{
    enum { OPERATIONS = 1 << 9, ZERO = 0xff, FUSED_CONSTANT = 0x431, FUSED_CONSTANT_MMA = 0x435, ADD = 0x230 };
    const unsigned opcode = (code[0] | (unsigned)code[1] << 8) % OPCODES, operation = opcode % OPERATIONS;
    const bool sets = (opcode == FUSED_CONSTANT || opcode == FUSED_CONSTANT_MMA) && code[3] == ZERO && code[8] == ZERO;
    const bool converts = opcode == ADD && code[3] == ZERO;
    return !sets && !converts && (operation == 0x30 || operation == 0x31 || operation == 0x32 || operation == 0x35);
}

/* Whether an instruction is FADD, FMUL or FFMA, in any form. A division of float64 has an FFMA of which a factor is 0.
 */
static bool adds_singles(const unsigned char *code)
{
    enum { OPERATIONS = 1 << 9, ZERO = 0xff, FUSED = 0x23, MULTIPLY = 0x20, ADD = 0x21 };
    const unsigned operation = (code[0] | (unsigned)code[1] << 8) % OPERATIONS;
    return operation == ADD || operation == MULTIPLY || (operation == FUSED && code[3] != ZERO);
}

static bool has_any(const struct image *image, size_t owner, bool (*is_meant)(const unsigned char *code))
{
    EACH(const struct image_section, section, image->sections, image->section_count) {
        if (!(section->header.sh_flags & SHF_EXECINSTR) || part_of(section) != owner)
            continue;
        for (size_t at = 0; at + INSTRUCTION <= section->header.sh_size; at += INSTRUCTION)
            if (is_meant((const unsigned char *)section->bytes + at))
                return true;
    }
    return false;
}

static void look_at_opcodes(struct image *image)
{
    size_t shared[OPCODES] = {0};
    if (image->capability >= 70)
        count_opcodes(shared, image, 0);
    for (size_t k = 0; k < image->kernel_count; k++) {
        struct cubin_function *facts = &image->kernels[k].facts;
        size_t counts[OPCODES] = {0};
        if (image->capability >= 70) {
            count_opcodes(counts, image, k + 1);
            facts->mix = mix_of(counts);
            facts->local_accesses = local_accesses(counts);
        }
        facts->tensor = image->capability > TENSOR_CAPABILITY      ? CODE_TENSOR_UNKNOWN
                        : has_tensor(shared) || has_tensor(counts) ? CODE_TENSOR_USED
                                                                   : CODE_TENSOR_UNUSED;
        facts->halves = image->capability > HALVES_CAPABILITY || image->capability < 70 ||
                        has_any(image, 0, adds_halves) || has_any(image, k + 1, adds_halves);
        facts->singles = image->capability > HALVES_CAPABILITY || image->capability < 70 ||
                         has_any(image, 0, adds_singles) || has_any(image, k + 1, adds_singles);
    }
}

int image_hash(struct image *image)
{
    struct parts parts = {0};
    if (image->kernel_count == 0)
        return 0;
    for (size_t i = 0; i < image->attribute_count; i++)
        *ARRAY_GROW(parts.list, parts.count) =
            (struct part){image->attributes[i].owner, hash_attribute(&image->attributes[i])};
    const int result = collect_sections(&parts, image);
    if (result == 0) {
        if (parts.list)
            SORT(parts.list, parts.count, by_owner);
        hash_kernels(image, &parts);
        look_at_opcodes(image);
    }
    free(parts.list);
    return result;
}

char *codes_hash(const char **codes, size_t count)
{
    SORT(codes, count, by_text);
    XXH3_state_t *state = hash_begin();
    for (size_t i = 0; i < count; i++)
        add_bytes(state, codes[i], strlen(codes[i]));
    const XXH128_canonical_t hash = hash_end(state);
    return in_hexadecimal(&hash);
}
