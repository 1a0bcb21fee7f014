#include "capsule/capsule.h"
#include "capsule/capsule_zstd.h"
#include "test.h"

static unsigned char page[CAPSULE_PAGE], room[CAPSULE_PAGE], back[CAPSULE_PAGE];

Test(capsule_zstd, a_page_comes_back)
{
    for (size_t i = 0; i < sizeof page; i++)
        page[i] = (unsigned char)(i / 100);
    const size_t size = page_compress_zstd(room, sizeof page - 1, page, sizeof page);
    cr_assert(size > 0 && size < sizeof page / 10);
    cr_expect_eq(page_expand_zstd(back, sizeof back, room, size), sizeof page);
    cr_expect_arr_eq(page, back, sizeof page);
    cr_expect_eq(page_expand_zstd(back, sizeof back - 1, room, size), 0, "it does not fit");
    cr_expect_eq(page_expand_zstd(back, sizeof back, room, size - 1), 0, "it is cut");
}

Test(capsule_zstd, what_does_not_become_smaller_is_left)
{
    srand(1);
    for (size_t i = 0; i < sizeof page; i++)
        page[i] = (unsigned char)(rand() >> 8);
    cr_expect_eq(page_compress_zstd(room, sizeof page - 1, page, sizeof page), 0);
    cr_expect_eq(page_compress_zstd(room, 0, page, 1), 0);
    cr_expect_eq(page_expand_zstd(back, sizeof back, page, sizeof page), 0, "bytes that nobody compressed");
}
