#include "capsule/capsule_record.h"
#include "test.h"

Test(capsule_record, numbers_are_little_endian_and_the_hash_is_XXH3s)
{
    /* The hash of no bytes with this seed, as xxhash of Python says it: xxh3_128_hexdigest(b"", 4). */
    static const unsigned char empty[HASH_SIZE] = {0x49, 0x9e, 0x6a, 0x3d, 0x71, 0xee, 0xe3, 0x07,
                                                   0xd8, 0xa9, 0x06, 0x98, 0x7d, 0xfb, 0x34, 0xe2};
    unsigned char head[RECORD_HEAD];
    struct record record = {.kind = RECORD_CAPSULE, .size = 0x01020384};
    content_hash(RECORD_CAPSULE, "", 0, record.hash);
    record_put(head, &record);
    cr_expect_arr_eq(head, "\4\0\0\0\x84\3\2\1", 8);
    cr_expect_arr_eq(head + 8, empty, sizeof empty);
    const struct record back = record_get(head);
    EXPECT_ALL(back.kind == record.kind, back.size == record.size);
    cr_expect_arr_eq(back.hash, empty, sizeof empty);
}
