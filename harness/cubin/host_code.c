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

char *cubin_host_code(const char *path)
{
    OWNED_TEXT text = NULL;
    size_t size, names;
    GElf_Shdr header;
    XXH64_state_t state;
    uint64_t low = UINT64_MAX, high = 0; /* where variables lie: behind the machine code, whose length moves them */
    if (capsules_is_file(path) || file_read(path, (size_t)1 << 30, &text, &size) < 0)
        return NULL;
    elf_version(EV_CURRENT);
    Elf *elf = elf_memory(text, size);
    const bool is_library = elf && elf_getshdrstrndx(elf, &names) == 0;
    XXH64_reset(&state, 0);
    for (Elf_Scn *at = NULL; is_library && (at = elf_nextscn(elf, at)) && gelf_getshdr(at, &header);)
        if (header.sh_flags & SHF_ALLOC && header.sh_flags & SHF_WRITE) {
            low = header.sh_addr < low ? header.sh_addr : low;
            high = header.sh_addr + header.sh_size > high ? header.sh_addr + header.sh_size : high;
        }
    for (Elf_Scn *at = NULL; is_library && (at = elf_nextscn(elf, at)) && gelf_getshdr(at, &header);) {
        const char *name = elf_strptr(elf, names, header.sh_name);
        unsigned char *bytes = (unsigned char *)text + header.sh_offset;
        const bool is_code = name && strcmp(name, ".text") == 0;
        const bool is_data = name && (strcmp(name, ".rodata") == 0 || strcmp(name, ".data") == 0);
        if ((!is_code && !is_data) || header.sh_size > size || header.sh_offset > size - header.sh_size)
            continue;
        if (is_code)
            clear_distances(bytes, header.sh_size, header.sh_addr, low, high);
        else
            clear_text(bytes, header.sh_size);
        XXH64_update(&state, bytes, header.sh_size);
    }
    elf_end(elf);
    return is_library ? x_sprintf("%016llx", (unsigned long long)XXH64_digest(&state)) : NULL;
}
