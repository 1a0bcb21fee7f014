#include "cubin/compressed.h"
#include "test.h"

#include <lz4.h>
#include <zstd.h>

enum {
    HEADER = 64,
    SIZE = 5000,
    MOST = 8192,
    AT_SIZE = 16,
    AT_FLAGS = 40,
    AT_EXPANDED = 56,
    LZ4 = 0x2000,
    ZSTD = 0x8000
};

/* An entry as nvcc makes it, with the padding that it has behind the compressed data. */
struct made {
    unsigned char header[HEADER], data[MOST];
    struct entry_bytes entry;
};

static void put(unsigned char *bytes, size_t place, uint64_t number)
{
    memcpy(bytes + place, &number, place == AT_SIZE ? 4 : 8);
}

static void make(struct made *made, unsigned char *plain, unsigned form)
{
    *made = (struct made){0};
    for (size_t i = 0; i < SIZE; i++)
        plain[i] = (unsigned char)(i * i / 700);
    const size_t size = form == ZSTD ? ZSTD_compress(made->data, MOST, plain, SIZE, 3)
                                     : (size_t)LZ4_compress_default((char *)plain, (char *)made->data, SIZE, MOST);
    cr_assert(size > 100 && size < SIZE);
    put(made->header, AT_SIZE, size);
    put(made->header, AT_FLAGS, form | 0x11);
    put(made->header, AT_EXPANDED, SIZE);
    made->entry = (struct entry_bytes){made->header, made->data, HEADER, (size + 7) / 8 * 8};
}

static const unsigned forms[] = {LZ4, ZSTD};

Test(compressed, what_was_compressed_comes_back)
{
    struct made made;
    unsigned char plain[SIZE];
    for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
        size_t size = 0;
        make(&made, plain, forms[i]);
        cr_expect(entry_is_compressed(&made.entry));
        OWNED_MEMORY unsigned char *bytes = entry_expand(&made.entry, &size);
        cr_assert_not_null(bytes, "form 0x%x", forms[i]);
        cr_expect_eq(size, SIZE);
        cr_expect_arr_eq(bytes, plain, SIZE);
    }
}

Test(compressed, a_plain_entry_is_not)
{
    struct made made;
    unsigned char plain[SIZE];
    make(&made, plain, ZSTD);
    made.entry.header_size = HEADER - 1;
    cr_expect_not(entry_is_compressed(&made.entry), "its header has no flags");
    made.entry.header_size = HEADER;
    put(made.header, AT_FLAGS, 0x11);
    cr_expect_not(entry_is_compressed(&made.entry));
}

Test(compressed, damage_is_refused)
{
    static const struct {
        const char *label;
        size_t place;
        uint64_t number;
    } cases[] = {
        {"expanded to fewer bytes", AT_EXPANDED, SIZE - 1},
        {"expanded to more", AT_EXPANDED, SIZE + 1},
        {"expanded to nothing", AT_EXPANDED, 0},
        {"expanded to more than memory", AT_EXPANDED, ~0ull},
        {"cut short", AT_SIZE, 90},
        {"of no bytes", AT_SIZE, 0},
        {"beyond the entry", AT_SIZE, MOST},
        {"of a huge size", AT_SIZE, UINT32_MAX},
    };
    struct made made;
    unsigned char plain[SIZE];
    size_t size;
    for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
        for (size_t k = 0; k < ARRAY_SIZE(cases); k++) {
            make(&made, plain, forms[i]);
            put(made.header, cases[k].place, cases[k].number);
            cr_expect_null(entry_expand(&made.entry, &size), "%s, form 0x%x", cases[k].label, forms[i]);
        }
        make(&made, plain, forms[i]);
        memset(made.data, 0xff, 50);
        cr_expect_null(entry_expand(&made.entry, &size), "other bytes, form 0x%x", forms[i]);
    }
}
