/* capsule_record.h - the records of a file of capsules, which capsule.h describes. Private to the capsule_*.c files. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum record_kind { RECORD_PAGE = 1, RECORD_PAGE_ZSTD, RECORD_ABOUT, RECORD_CAPSULE, RECORD_END };

enum {
    FILE_HEAD = 20, /* bytes before the first record: capsules_mark and the version */
    FILE_MARK = 16,
    HASH_SIZE = 16,
    RECORD_HEAD = 8 + HASH_SIZE, /* bytes of a record before its content */
    END_SIZE = 8,                /* two counts */
    TEXT_LIMIT = 128 << 20       /* most bytes of an about or capsule */
};

extern const char capsules_mark[FILE_MARK + 1];

/* The head of a record. The hash is in XXH3's canonical form. */
struct record {
    uint32_t kind, size;
    unsigned char hash[HASH_SIZE];
};

void record_put(unsigned char head[RECORD_HEAD], const struct record *record);
struct record record_get(const unsigned char head[RECORD_HEAD]);
/* The kind is the seed, so that a record does not pass for one of another kind. That of a page is RECORD_PAGE. */
void content_hash(enum record_kind kind, const void *content, size_t size, unsigned char hash[HASH_SIZE]);

void put_number(unsigned char bytes[4], uint32_t number);
uint32_t get_number(const unsigned char bytes[4]);

/* A page in an open file. */
struct page {
    uint64_t at; /* where its content begins */
    uint32_t kind, size;
    unsigned char hash[HASH_SIZE];
};
