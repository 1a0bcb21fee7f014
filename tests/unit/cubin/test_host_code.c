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

/* Changes a letter of a text there, or what is in its middle. */
static void change_byte(const char *name, const char *text)
{
    GElf_Shdr header;
    unsigned char *list = section(name, &header);
    unsigned char *at = text ? memmem(list, header.sh_size, text, strlen(text)) : list + header.sh_size / 2;
    cr_assert(at);
    *at ^= 1;
}

/* Swaps the functions of the last two entries that have any. */
static void change_table(void)
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

/* To add a change: a row. Without a section it is that of the table. */
static const struct {
    const char *name, *section, *text;
    bool is_other;
} changes[] = {
    {"an instruction", ".text", NULL, true},    {"a compiler", ".comment", NULL, false},
    {"a path", ".rodata", "made-up", false},    {"an import", ".dynstr", "strrchr", true},
    {"a table of functions", NULL, NULL, true},
};

Test(host_code, what_makes_it_other)
{
    OWNED_TEXT path = built("libturns.so");
    OWNED_TEXT was = cubin_host_code(path);
    OWNED_TEXT again = cubin_host_code(path);
    OWNED_FOLDER folder = scratch_make();
    OWNED_TEXT changed = x_sprintf("%s/changed.so", folder);
    cr_expect_str_eq(was, again);
    elf_version(EV_CURRENT);
    for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
        OWNED_TEXT text = NULL;
        cr_assert_eq(file_read(path, (size_t)1 << 24, &text, &size), 0);
        bytes = (unsigned char *)text;
        elf = elf_memory(text, size);
        if (changes[i].section)
            change_byte(changes[i].section, changes[i].text);
        else
            change_table();
        elf_end(elf);
        write_bytes(changed, bytes, size);
        OWNED_TEXT now = cubin_host_code(changed);
        cr_expect_eq(strcmp(was, now) != 0, changes[i].is_other, "%s: %s, before %s", changes[i].name, now, was);
    }
    cr_expect_null(cubin_host_code("tests/unit/cubin/triton.txt"), "no library");
}
