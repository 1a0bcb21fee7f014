/* capsule_write.h - what capsule_copy.c asks of a writer. Private to the capsule_*.c files. */
#pragma once

#include "capsule.h"

#include "capsule_record.h"

/* Returns the number of the page with that hash (capsule_record.h); PAGE_ZERO: it was not written yet. */
uint32_t capsule_writer_find(const struct capsule_writer *writer, const unsigned char *hash);

/* A page that is ready to be written. */
struct ready_page {
    unsigned char hash[HASH_SIZE];
    const unsigned char *bytes;
    size_t size; /* without the zeros at the end, which are not written */
    const unsigned char *compressed;
    size_t compressed_size; /* 0: it does not become smaller, or is not to be compressed */
};

/* Writes a page that was not written yet, and returns its number; PAGE_ZERO after an error. */
uint32_t capsule_writer_put(struct capsule_writer *writer, const struct ready_page *page);
/* Returns the size of a page without the zeros at the end. */
size_t page_size_without_zeros(const unsigned char *bytes, size_t size);
