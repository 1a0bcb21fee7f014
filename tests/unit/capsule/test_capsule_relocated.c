#include "capsule/replay_parts.h"
#include "test.h"

#include "made_device.h"

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
    unsigned char *image = made_image(&size);
    expect_places(image, size, "table", (const uint64_t[]){0, 8, 24}, 3);
    expect_places(image, size, "cell", NULL, 0);
    expect_places(image, size, "other", NULL, 0);
    free(image);
}

Test(capsule_relocated, an_image_that_is_cut_or_damaged_is_read_no_further)
{
    size_t size;
    unsigned char *image = made_image(&size);
    for (size_t length = 0; length < size; length++) {
        struct places places;
        unsigned char *cut = x_calloc(length, 1);
        for (size_t i = 0; i < length; i++)
            cut[i] = image[i];
        struct relocations *relocations = relocations_open(cut, length);
        relocated_words(&places, relocations, "table");
        relocations_close(relocations);
        cr_expect_leq(places.count, 3);
        free(places.list);
        free(cut);
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
    free(image);
}
