/* The file of capsules for made_device.c. */
#include "made_device.h"
#include "test.h"

#include <elf.h>

/* Where the variables were in the program. */
#define TABLE 0x7e0000000100
#define THE_CELL 0x7e0000000300

/* ---- The image ---- */

enum { NAMES = 512, SYMBOLS = 640, RELOCATIONS = 768, SECTIONS = 1024, IMAGE_SIZE = 2048 };

static void put_section(unsigned char *image, size_t number, const Elf64_Shdr *section)
{
    memcpy(image + SECTIONS + number * sizeof *section, section, sizeof *section);
}

unsigned char *made_image(size_t *size)
{
    static const char names[] = "\0table\0cell";
    static const Elf64_Sym symbols[] = {
        {0},
        {.st_name = 1, .st_info = ELF64_ST_INFO(STB_LOCAL, STT_OBJECT), .st_shndx = 4, .st_value = 16, .st_size = 64},
        {.st_name = 7, .st_info = ELF64_ST_INFO(STB_LOCAL, STT_OBJECT), .st_shndx = 4, .st_value = 80, .st_size = 8},
    };
    /* of words 0, 1 and 3 of the table, and of a word before it */
    static const Elf64_Rela relocations[] = {{16, 2, 0}, {24, 2, 0}, {40, 2, 0}, {8, 2, 0}};
    unsigned char *image = x_calloc(IMAGE_SIZE, 1);
    const Elf64_Ehdr header = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64}, .e_shoff = SECTIONS, .e_shnum = 5};
    memcpy(image, &header, sizeof header);
    memcpy(image + NAMES, names, sizeof names);
    memcpy(image + SYMBOLS, symbols, sizeof symbols);
    memcpy(image + RELOCATIONS, relocations, sizeof relocations);
    put_section(image, 1, &(Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_offset = NAMES, .sh_size = sizeof names});
    put_section(image, 2,
                &(Elf64_Shdr){.sh_type = SHT_SYMTAB, .sh_offset = SYMBOLS, .sh_size = sizeof symbols, .sh_link = 1});
    put_section(
        image, 3,
        &(Elf64_Shdr){.sh_type = SHT_RELA, .sh_offset = RELOCATIONS, .sh_size = sizeof relocations, .sh_info = 4});
    put_section(image, 4, &(Elf64_Shdr){.sh_type = SHT_PROGBITS, .sh_offset = 0, .sh_size = 128});
    *size = IMAGE_SIZE;
    return image;
}

/* ---- The capsules ---- */

/* Adds a range; varies may be NULL. */
static void add_range(struct capsule_writer *writer, struct capsule *capsule, enum memory_kind kind, const char *name,
                      uint64_t address, const void *before, const void *after, const void *varies, size_t size)
{
    const struct blob blobs[] = {capsule_writer_blob(writer, before, size), capsule_writer_blob(writer, after, size),
                                 varies ? capsule_writer_blob(writer, varies, size) : (struct blob){0}};
    for (size_t i = 0; i < pages_of(size); i++)
        if (blobs[1].pages[i] == blobs[0].pages[i])
            blobs[1].pages[i] = PAGE_SAME;
    *ARRAY_GROW(capsule->ranges, capsule->range_count) =
        (struct memory_range){kind, x_strdup(name), address, size, blobs[0].pages, blobs[1].pages, blobs[2].pages};
}

static void end(struct capsule_writer *writer, struct capsule *capsule, const char *function, const uint64_t *arguments,
                size_t count)
{
    static const char *const ids[] = {"app/add@1", "app/follow@1", "app/noisy@1", "app/add@2"};
    size_t size;
    OWNED_MEMORY unsigned char *image = made_image(&size);
    capsule->code = capsule_writer_blob(writer, image, size);
    capsule->id = x_strdup(ids[writer->capsule_count]);
    capsule->function = x_strdup(function);
    capsule->bytes = x_calloc(count, sizeof *arguments);
    memcpy(capsule->bytes, arguments, count * sizeof *arguments);
    capsule->byte_count = count * sizeof *arguments;
    for (unsigned i = 0; i < count; i++)
        *ARRAY_GROW(capsule->arguments, capsule->argument_count) = (struct argument){.offset = i * 8, .size = 8};
    for (size_t i = 0; i < 3; i++)
        capsule->grid[i] = capsule->block[i] = 1;
    capsule->launch = capsule->launches = 1;
    capsule->time_ns = NAN;
    cr_assert_eq(capsule_writer_add(writer, capsule), 0, "%s", writer->problem.text);
    capsule_release(capsule);
}

static void add_adding(struct capsule_writer *writer, uint64_t to, uint64_t from, uint32_t more)
{
    enum { SIZE = ADD_COUNT * sizeof(uint32_t) };
    struct capsule capsule = {0};
    uint32_t *in = x_calloc(ADD_COUNT, sizeof *in), *out = x_calloc(ADD_COUNT, sizeof *out),
             *old = x_calloc(ADD_COUNT, sizeof *old);
    for (uint32_t i = 0; i < ADD_COUNT; i++) {
        in[i] = 0x20000000 + i * 3 + more; /* no small integer */
        out[i] = in[i] + 1;
        old[i] = ~i;
    }
    add_range(writer, &capsule, to == MADE_HOST ? MEMORY_HOST : MEMORY_DEVICE, NULL, to, old, out, NULL, SIZE);
    add_range(writer, &capsule, MEMORY_DEVICE, NULL, from, in, in, NULL, SIZE);
    end(writer, &capsule, "add", (const uint64_t[]){to, from}, 2);
    free(in);
    free(out);
    free(old);
}

/* Words 0, 1 and 3 of the table are the loader's; the program replaced the last of these. */
static void add_following(struct capsule_writer *writer)
{
    struct capsule capsule = {0};
    const uint64_t table[8] = {0xaaaa0000, THE_CELL, 40, MADE_SLOT, THE_CELL, 0, 9, 9},
                   table_after[8] = {0xaaaa0000, THE_CELL, 41, MADE_SLOT, THE_CELL, THE_CELL, 9, 9};
    const uint64_t cell = 5, cell_after = 6, slot = THE_CELL, slot_after = THE_CELL + 8;
    add_range(writer, &capsule, MEMORY_DEVICE, NULL, MADE_SLOT, &slot, &slot_after, NULL, sizeof slot);
    add_range(writer, &capsule, MEMORY_VARIABLE, "cell", THE_CELL, &cell, &cell_after, NULL, sizeof cell);
    add_range(writer, &capsule, MEMORY_VARIABLE, "table", TABLE, table, table_after, NULL, sizeof table);
    end(writer, &capsule, "follow", (const uint64_t[]){MADE_SLOT, TABLE}, 2);
}

static void add_noisy(struct capsule_writer *writer)
{
    struct capsule capsule = {0};
    unsigned char before[100] = {0}, after[100], varies[100];
    memset(after, 0x80, sizeof after);
    memset(varies, 0x7f, sizeof varies);
    add_range(writer, &capsule, MEMORY_DEVICE, NULL, MADE_OUT, before, after, varies, sizeof before);
    end(writer, &capsule, "noise", (const uint64_t[]){MADE_OUT}, 1);
}

void made_file_open(struct made_file *made)
{
    struct capsule_writer writer;
    struct problem problem = {0};
    made->folder = scratch_make();
    made->path = x_sprintf("%s/made.capsule", made->folder);
    cr_assert_eq(capsule_writer_open(&writer, made->path, page_compress_zstd), 0, "%s", writer.problem.text);
    add_adding(&writer, MADE_OUT, MADE_IN, 0);
    add_following(&writer);
    add_noisy(&writer);
    add_adding(&writer, MADE_HOST, MADE_IN, 100);
    cr_assert_eq(capsule_writer_end(&writer), 0, "%s", writer.problem.text);
    cr_assert_eq(capsules_open(&made->capsules, made->path, false, &problem), 0, "%s", problem.text);
    cr_assert_eq(player_hold(&made->player, &made->capsules, &problem), 0, "%s", problem.text);
    cr_assert_eq(player_open(&made->player, &made_device, &problem), 0, "%s", problem.text);
}

void made_file_close(struct made_file *made)
{
    player_close(&made->player);
    cr_expect_eq(made_regions, 0);
    capsules_release(&made->capsules);
    free(made->path);
    scratch_remove(made->folder);
}
