#include "cubin/cubin.h"
#include "test.h"

/* Code of Triton 3.6.0: the arguments of its source and two of its own, and .reqntid 256. */
#define CUBIN "tests/capsule/triton/softmax.cubin"

static char *code;
static size_t size;
static struct image image;

static void read_image(void)
{
    elf_version(EV_CURRENT);
    cr_assert_eq(file_read(CUBIN, 1 << 20, &code, &size), 0);
    cr_assert_eq(image_read(&image, CUBIN, 0, code, size), 0);
}

Test(entry, arguments_and_the_only_block)
{
    static const struct parameter wanted[] = {{0, 8}, {8, 8}, {16, 4}, {24, 8}, {32, 8}};
    OWNED(entry) entry;
    read_image();
    cr_assert_eq(entry_read(&entry, &image, 0), 0);
    cr_assert_eq(entry.parameter_count, ARRAY_SIZE(wanted));
    for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
        cr_expect(entry.parameters[i].offset == wanted[i].offset && entry.parameters[i].size == wanted[i].size,
                  "argument %zu", i);
    cr_expect_eq(entry.parameter_bytes, 40);
    EXPECT_ALL(entry.block[0] == 256, entry.block[1] == 1, entry.block[2] == 1);
    image_release(&image);
    free(code);
}

/* Cuts each attribute of a kernel short: it is malformed, or has no meaning here. */
Test(entry, malformed_attributes_are_no_launch)
{
    read_image();
    size_t refused = 0;
    for (size_t i = 0; i < image.section_count; i++) {
        if (strcmp(image.sections[i].name, ".nv.info.softmax") != 0)
            continue;
        unsigned char *bytes = (unsigned char *)code + image.sections[i].header.sh_offset;
        const unsigned char *at = bytes, *end = bytes + image.sections[i].header.sh_size;
        struct image_attribute attribute;
        while (image_next_attribute(&at, end, &attribute) > 0) {
            unsigned char *head = bytes + (attribute.bytes - bytes - 4);
            OWNED(entry) entry = {0};
            if (attribute.size < 8) /* of these none matters, or its size is no field */
                continue;
            const unsigned char was = head[2];
            head[2] = 4;
            refused += entry_read(&entry, &image, 0) < 0;
            head[2] = was;
        }
    }
    cr_expect_geq(refused, 7); /* five arguments, their place, the block */
    image_release(&image);
    free(code);
}
