/* The code of the host in a kernel library: what launches its kernels, and verifies their results. */
#define XXH_INLINE_ALL
#include "cubin.h"

#include <ctype.h>
#include <gelf.h>
#include <xxhash.h>

#define TEXT 8 /* so many printable bytes are text, such as a path */

/* Clears the distances of instructions to variables: four bytes behind a ModRM byte that says so, counted from the end
 * of the instruction, which is up to four bytes further. */
static void clear_distances(unsigned char *code, size_t size, uint64_t address, uint64_t low, uint64_t high)
{
    for (size_t i = 1; i + 4 <= size; i++) {
        int32_t distance;
        memcpy(&distance, code + i, sizeof distance);
        const uint64_t target = address + i + 4 + (uint64_t)(int64_t)distance;
        if ((code[i - 1] & 0xc7) != 0x05 || target + 4 < low || target >= high)
            continue;
        memset(code + i, 0, 4);
        i += 3;
    }
}

/* Clears text, which decides nothing and may be a path or a hash of one. */
static void clear_text(unsigned char *bytes, size_t size)
{
    for (size_t i = 0, end; i < size; i = end + 1) {
        for (end = i; end < size && isprint(bytes[end]);)
            end++;
        if (end - i >= TEXT)
            memset(bytes + i, 0, end - i);
    }
}

/* Where a library has what the length of its machine code does not change. */
struct places {
    uint64_t constants; /* below it is code of the host, and its constants */
    uint64_t low, high; /* its variables, which lie behind the machine code */
    GElf_Shdr data;
};

static struct places places_of(Elf *elf, size_t names)
{
    struct places places = {.low = UINT64_MAX};
    GElf_Shdr header;
    for (Elf_Scn *at = NULL; (at = elf_nextscn(elf, at)) && gelf_getshdr(at, &header);) {
        const char *name = elf_strptr(elf, names, header.sh_name);
        const uint64_t end = header.sh_addr + header.sh_size;
        if (header.sh_flags & SHF_ALLOC && header.sh_flags & SHF_WRITE) {
            places.low = header.sh_addr < places.low ? header.sh_addr : places.low;
            places.high = end > places.high ? end : places.high;
            places.data = name && strcmp(name, ".data") == 0 ? header : places.data;
        } else if (name && (strcmp(name, ".text") == 0 || strcmp(name, ".rodata") == 0) && end > places.constants) {
            places.constants = end;
        }
    }
    return places;
}

/* Hashes what the dynamic linker fills in: names of imported functions, and addresses in tables. Clears those in the
 * file's bytes. */
static void hash_relocations(XXH64_state_t *state, Elf *elf, Elf_Scn *relocations, const struct places *places,
                             char *bytes, size_t size)
{
    GElf_Shdr header, named;
    GElf_Rela entry;
    Elf_Scn *symbols = gelf_getshdr(relocations, &header) ? elf_getscn(elf, header.sh_link) : NULL;
    Elf_Data *entries = elf_getdata(relocations, NULL),
             *list = gelf_getshdr(symbols, &named) ? elf_getdata(symbols, NULL) : NULL;
    for (int i = 0; list && gelf_getrela(entries, i, &entry); i++) {
        GElf_Sym symbol = {0};
        const uint64_t in_data = entry.r_offset - places->data.sh_addr, in_file = places->data.sh_offset + in_data;
        if (in_data < places->data.sh_size && in_file < size && size - in_file >= sizeof in_data)
            memset(bytes + in_file, 0, sizeof in_data);
        gelf_getsym(list, (int)GELF_R_SYM(entry.r_info), &symbol);
        const char *name = symbol.st_shndx == SHN_UNDEF ? elf_strptr(elf, named.sh_link, symbol.st_name) : NULL;
        const uint64_t to = symbol.st_value + (uint64_t)entry.r_addend, at = to < places->low ? to : to - places->low;
        if (name && *name)
            XXH64_update(state, name, strlen(name));
        else if (to < places->constants || (to >= places->low && to < places->high))
            XXH64_update(state, &at, sizeof at);
    }
}

char *cubin_host_code(const char *path)
{
    OWNED_TEXT text = NULL;
    size_t size, names;
    GElf_Shdr header;
    XXH64_state_t state;
    if (file_read(path, (size_t)1 << 30, &text, &size) < 0)
        return NULL;
    elf_version(EV_CURRENT);
    Elf *elf = elf_memory(text, size);
    const bool is_library = elf && elf_getshdrstrndx(elf, &names) == 0;
    const struct places places = is_library ? places_of(elf, names) : (struct places){0};
    bool is_packed = false; /* relocations that this does not read, so that tables of functions are not known */
    XXH64_reset(&state, 0);
    for (Elf_Scn *at = NULL; is_library && (at = elf_nextscn(elf, at)) && gelf_getshdr(at, &header);) {
        const char *name = elf_strptr(elf, names, header.sh_name);
        unsigned char *bytes = (unsigned char *)text + header.sh_offset;
        const bool is_code = name && strcmp(name, ".text") == 0;
        const bool is_data = name && (strcmp(name, ".rodata") == 0 || strcmp(name, ".data") == 0);
        is_packed |= header.sh_type == SHT_RELR;
        if (header.sh_type == SHT_RELA && header.sh_flags & SHF_ALLOC)
            hash_relocations(&state, elf, at, &places, text, size);
        if ((!is_code && !is_data) || header.sh_size > size || header.sh_offset > size - header.sh_size)
            continue;
        if (is_code)
            clear_distances(bytes, header.sh_size, header.sh_addr, places.low, places.high);
        else
            clear_text(bytes, header.sh_size);
        XXH64_update(&state, bytes, header.sh_size);
    }
    elf_end(elf);
    return is_library && !is_packed ? x_sprintf("%016llx", (unsigned long long)XXH64_digest(&state)) : NULL;
}
