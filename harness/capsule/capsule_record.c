#include "capsule_record.h"

#include <endian.h>

#define XXH_INLINE_ALL /* compiled in: programs into which the writer is loaded might have another version */
#include <xxhash.h>

const char capsules_mark[FILE_MARK + 1] = "cugate capsules\n";

void put_number(unsigned char bytes[4], uint32_t number)
{
    number = htole32(number);
    memcpy(bytes, &number, sizeof number);
}

uint32_t get_number(const unsigned char bytes[4])
{
    uint32_t number;
    memcpy(&number, bytes, sizeof number);
    return le32toh(number);
}

void record_put(unsigned char head[RECORD_HEAD], const struct record *record)
{
    put_number(head, record->kind);
    put_number(head + 4, record->size);
    memcpy(head + 8, record->hash, HASH_SIZE);
}

struct record record_get(const unsigned char head[RECORD_HEAD])
{
    struct record record = {.kind = get_number(head), .size = get_number(head + 4)};
    memcpy(record.hash, head + 8, HASH_SIZE);
    return record;
}

void content_hash(enum record_kind kind, const void *content, size_t size, unsigned char hash[HASH_SIZE])
{
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_withSeed(content, size, kind));
    memcpy(hash, canonical.digest, HASH_SIZE);
}
