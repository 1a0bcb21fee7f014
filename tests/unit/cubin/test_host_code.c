#include "cubin/cubin.h"
#include "test.h"

#include <gelf.h>

/* A copy of a library in C that has a table of functions, which a row changes. */
static unsigned char *bytes;
static size_t size;
static Elf *elf;

/* Returns the bytes of a section, and sets *header. */
static unsigned char *section(const char *name, GElf_Shdr *header)
{
    size_t names;
    cr_assert_eq(elf_getshdrstrndx(elf, &names), 0);
    for (Elf_Scn *at = NULL; (at = elf_nextscn(elf, at));)
        if (gelf_getshdr(at, header) && strcmp(elf_strptr(elf, names, header->sh_name), name) == 0)
            return bytes + header->sh_offset;
    cr_assert(false, "no section %s", name);
    return NULL;
}

static void nothing(void)
{
}

static void an_instruction(void)
{
    GElf_Shdr header;
    section(".text", &header)[header.sh_size / 2] ^= 1;
}

static void a_compiler(void)
{
    GElf_Shdr header;
    *section(".comment", &header) ^= 1;
}

static void a_path(void)
{
    GElf_Shdr header;
    unsigned char *list = section(".rodata", &header), *text = memmem(list, header.sh_size, "made-up", 7);
    cr_assert(text);
    memcpy(text, "changed", 7);
}

static void an_import(void)
{
    GElf_Shdr header;
    unsigned char *list = section(".dynstr", &header), *name = memmem(list, header.sh_size, "strrchr", 7);
    cr_assert(name);
    memcpy(name, "strpbrk", 7);
}

/* Swaps the functions of the first two variants' kernels. */
static void a_table(void)
{
    GElf_Shdr text, header;
    section(".text", &text);
    Elf64_Rela *list = (Elf64_Rela *)(void *)section(".rela.dyn", &header), *found[2] = {NULL};
    for (size_t i = header.sh_size / sizeof *list, count = 0; i-- > 0 && count < 2;)
        if ((uint64_t)list[i].r_addend - text.sh_addr < text.sh_size)
            found[count++] = &list[i];
    cr_assert(found[1]);
    const Elf64_Sxword kept = found[0]->r_addend;
    found[0]->r_addend = found[1]->r_addend;
    found[1]->r_addend = kept;
}

/* To add a change: a row. */
static const struct {
    const char *name;
    void (*make)(void);
    bool is_other;
} changes[] = {
    {"nothing", nothing, false}, {"an instruction", an_instruction, true}, {"its compiler", a_compiler, false},
    {"a path", a_path, false},   {"an import", an_import, true},           {"a table of functions", a_table, true},
};

Test(host_code, what_makes_it_other)
{
    OWNED_TEXT path = built("libturns.so");
    OWNED_TEXT was = cubin_host_code(path);
    OWNED_FOLDER folder = scratch_make();
    OWNED_TEXT changed = x_sprintf("%s/changed.so", folder);
    elf_version(EV_CURRENT);
    for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
        OWNED_TEXT text = NULL;
        cr_assert_eq(file_read(path, (size_t)1 << 24, &text, &size), 0);
        bytes = (unsigned char *)text;
        elf = elf_memory(text, size);
        changes[i].make();
        elf_end(elf);
        write_bytes(changed, bytes, size);
        OWNED_TEXT now = cubin_host_code(changed);
        cr_expect_eq(strcmp(was, now) != 0, changes[i].is_other, "%s: %s, before %s", changes[i].name, now, was);
    }
    cr_expect_null(cubin_host_code("tests/unit/cubin/triton.txt"), "no library");
}
