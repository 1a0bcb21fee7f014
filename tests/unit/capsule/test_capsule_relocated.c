#include "capsule/replay_parts.h"
#include "test.h"

#include "made_device.h"

#include <elf.h>

static void expect_places(const unsigned char *image, size_t size, const char *variable, const uint64_t *list,
                          size_t count)
{
    struct places places;
    struct relocations *relocations = relocations_open(image, size);
    relocated_words(&places, relocations, variable);
    relocations_close(relocations);
    cr_assert_eq(places.count, count, "%s has %zu", variable, places.count);
    for (size_t i = 0; i < count; i++)
        cr_expect_eq(places.list[i], list[i]);
    free(places.list);
}

Test(capsule_relocated, words_of_the_variable_alone)
{
    size_t size;
    OWNED_MEMORY unsigned char *image = made_image(&size);
    expect_places(image, size, "table", (const uint64_t[]){0, 8, 24}, 3);
    expect_places(image, size, "cell", NULL, 0);
    expect_places(image, size, "other", NULL, 0);
}

Test(capsule_relocated, an_image_that_is_cut_or_damaged_is_read_no_further)
{
    size_t size;
    OWNED_MEMORY unsigned char *image = made_image(&size);
    for (size_t length = 0; length < size; length++) {
        struct places places;
        OWNED_MEMORY unsigned char *cut = x_calloc(length, 1);
        for (size_t i = 0; i < length; i++)
            cut[i] = image[i];
        struct relocations *relocations = relocations_open(cut, length);
        relocated_words(&places, relocations, "table");
        relocations_close(relocations);
        cr_expect_leq(places.count, 3);
        free(places.list);
    }
    for (size_t i = 0; i < size; i++) {
        struct places places;
        image[i] ^= 0xff;
        struct relocations *relocations = relocations_open(image, size);
        relocated_words(&places, relocations, "table");
        relocations_close(relocations);
        free(places.list);
        image[i] ^= 0xff;
    }
}

/* As nvdisasm 13.5 names them in what ptxas 13.0 makes for sm_90. */
Test(capsule_relocated, words_that_code_compares_with)
{
    static const char names[] = "\0.text.f\0.text.g";
    static const uint64_t code[][2] = {
        {0x7f8000000200780b, 0}, /* FSETP.GEU.AND P0, PT, |R2|, +INF, PT */
        {0xff8000000e0f7809, 0}, /* FMNMX R15, R14, -INF, !PT: where a maximum begins */
        {0x0000004004037848, 0}, /* VIMNMX R3, R4, 0x40, PT */
        {0xfffffffc0b0d7446, 0}, /* VIADDMNMX R13, R11, -R10, 0xfffffffc, !PT */
        {0x0000000e16007e2a, 0}, /* DSETP.GE.AND P0, PT, R22, UR14, PT */
        {0x0000040000057882, 0}, /* UMOV UR5, 0x400 */
        {0x000000030300720b, 0}, /* FSETP.NAN.AND P0, PT, R3, R3, PT */
    };
    static const uint32_t expected[] = {0x7f800000, 0x40, 0xfffffffc};
    enum { NAMES = 64, CODE = 128, SECTIONS = CODE + sizeof code };
    unsigned char image[SECTIONS + 3 * sizeof(Elf64_Shdr)] = {0};
    const Elf64_Ehdr header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64},
                               .e_shoff = SECTIONS,
                               .e_shnum = 3,
                               .e_shstrndx = 0};
    const Elf64_Shdr sections[] = {{.sh_type = SHT_STRTAB, .sh_offset = NAMES, .sh_size = sizeof names},
                                   {.sh_name = 1, .sh_type = SHT_PROGBITS, .sh_offset = CODE, .sh_size = sizeof code},
                                   {.sh_name = 9, .sh_type = SHT_PROGBITS, .sh_offset = CODE, .sh_size = 16}};
    memcpy(image, &header, sizeof header);
    memcpy(image + NAMES, names, sizeof names);
    memcpy(image + CODE, code, sizeof code);
    memcpy(image + SECTIONS, sections, sizeof sections);
    struct relocations *relocations = relocations_open(image, sizeof image);
    const struct {
        const char *name;
        size_t count;
    } functions[] = {{"f", ARRAY_SIZE(expected)}, {"g", 1}, {"h", 0}};
    for (size_t f = 0; f < ARRAY_SIZE(functions); f++) {
        OWNED_MEMORY uint32_t *words = NULL;
        const size_t count = compared_words(relocations, functions[f].name, &words);
        cr_assert_eq(count, functions[f].count, "%s: %zu", functions[f].name, count);
        for (size_t i = 0; i < count; i++)
            cr_expect_eq(words[i], expected[i]);
    }
    relocations_close(relocations);
}
