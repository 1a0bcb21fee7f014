#include "test.h"

#include "cubin/cubin.h"

/* A search for the image with a function of that name in the catalogue's library. */
struct wanted {
    const char *name;
    char *symbol;
    char *bytes;
    size_t size;
};

static int take(void *data, const unsigned char *bytes, size_t size)
{
    struct wanted *wanted = data;
    static const char prefix[] = ".text.";
    const size_t length = strlen(prefix);
    for (size_t i = 0; i + length < size; i++) {
        const char *name = (const char *)bytes + i + length;
        if (memcmp(bytes + i, prefix, length) != 0 || !memchr(name, 0, size - i - length) ||
            !strstr(name, wanted->name))
            continue;
        wanted->symbol = x_strdup(name);
        wanted->bytes = x_calloc(size, 1);
        wanted->size = size;
        memcpy(wanted->bytes, bytes, size);
        return 1;
    }
    return 0;
}

static struct wanted find_image(const char *name)
{
    struct wanted wanted = {.name = name};
    OWNED_TEXT folder = program_folder();
    OWNED_TEXT library = x_sprintf("%s/../libkernels.so", folder);
    cr_assert_eq(cubin_each_image(library, take, &wanted), 1, "%s in %s", name, library);
    return wanted;
}

static void forget(struct wanted *wanted)
{
    free(wanted->symbol);
    free(wanted->bytes);
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text);
    return length >= strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

Test(line_table, what_was_inlined_names_its_callers)
{
    struct wanted image = find_image("sum_warp_shuffle");
    OWNED(line_table) table;
    line_table_open(&table, image.bytes, image.size);
    size_t inlined = 0;
    for (uint64_t offset = 0; offset < 0x400; offset += 16) {
        struct line_place places[16];
        const size_t count = line_table_find(&table, image.symbol, offset, places, ARRAY_SIZE(places));
        cr_assert(count > 0, "at %llu", (unsigned long long)offset);
        cr_expect(ends_with(places[count - 1].file, "kernels/reduce.cu"), "%s", places[count - 1].file);
        inlined += count > 1 && strstr(places[0].file, "cooperative_groups");
    }
    cr_expect(inlined > 0, "the kernel calls cooperative groups");
    forget(&image);
}

/* Counts the lines of a kernel by the end of their paths. The current folder is in no checkout. */
static size_t count_lines(const char *name, const char *part, size_t *others)
{
    struct wanted image = find_image(name);
    OWNED(line_table) table;
    size_t count = 0;
    char here[4096];
    *others = 0;
    cr_assert(getcwd(here, sizeof here) && chdir("/") == 0);
    line_table_open(&table, image.bytes, image.size);
    for (uint64_t offset = 0; offset < 0x400; offset += 16) {
        unsigned number = 0;
        OWNED_TEXT file = line_table_line(&table, image.symbol, offset, &number);
        cr_assert(file && number > 0, "at %llu", (unsigned long long)offset);
        cr_expect_null(strstr(file, "/../"), "%s", file);
        count += strstr(file, part) != NULL;
        *others += !strstr(file, part);
    }
    forget(&image);
    cr_assert_eq(chdir(here), 0);
    return count;
}

Test(line_table, lines_are_of_the_code_that_the_kernel_is_of)
{
    size_t others;
    cr_expect_gt(count_lines("sum_warp_shuffle", "/kernels/reduce.cu", &others), 0);
    cr_expect_eq(others, 0, "%zu lines of the headers that it calls", others);
    cr_expect_gt(count_lines("DeviceReduceKernel", "/cub/", &others), 0);
    cr_expect_gt(count_lines("DeviceReduceKernel", "/cub/agent/", &others), 0, "the innermost of CUB's own");
}

Test(line_table, capacity_is_kept_to_and_unknown_names_have_no_place)
{
    struct wanted image = find_image("sum_warp_shuffle");
    OWNED(line_table) table;
    struct line_place places[2] = {{0}};
    line_table_open(&table, image.bytes, image.size);
    cr_expect_eq(line_table_find(&table, image.symbol, 0x260, places, 1), 1);
    cr_expect_null(places[1].file);
    cr_expect_eq(line_table_find(&table, "no_such_function", 0, places, 2), 0);
    cr_expect_eq(line_table_find(&table, "", 0, places, 2), 0);
    forget(&image);
}

Test(line_table, what_is_no_image_gives_an_empty_table)
{
    static const char *const texts[] = {"",
                                        "\x7f"
                                        "ELF",
                                        "no ELF at all, but long enough to hold the header of one: "
                                        "................................................"};
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        OWNED(line_table) table;
        line_table_open(&table, texts[i], strlen(texts[i]));
        cr_expect_eq(table.function_count, 0);
    }
}

/* Damages line information. A sanitizer build shows that nothing reads outside the section. */
Test(line_table, damaged_line_information_is_survived)
{
    struct wanted image = find_image("find_first_wrong_word");
    static const char section[] = "transfer.cu";
    size_t start = 0;
    while (start + sizeof section < image.size && memcmp(image.bytes + start, section, sizeof section) != 0)
        start++;
    cr_assert(start + sizeof section < image.size && start > 256);
    unsigned random = 1;
    for (int round = 0; round < 4000; round++) {
        OWNED(line_table) table;
        struct line_place places[16];
        OWNED_TEXT copy = x_calloc(image.size, 1);
        memcpy(copy, image.bytes, image.size);
        for (int k = 0; k < 3; k++) {
            random = random * 1664525u + 1013904223u;
            copy[start - 128 + (random >> 8) % 320] = (char)(random >> 24);
        }
        line_table_open(&table, copy, image.size);
        for (uint64_t offset = 0; offset < 0x280; offset += 64)
            line_table_find(&table, image.symbol, offset, places, ARRAY_SIZE(places));
    }
    forget(&image);
}
