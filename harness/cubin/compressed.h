/* compressed.h - machine code that nvcc compressed (--compress-mode). Private to this room. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* An entry of a container, which cubin.c describes. The data follow its header. */
struct entry_bytes {
    const unsigned char *header, *data;
    size_t header_size, data_size;
};

/* Whether the header says that the data are compressed. */
bool entry_is_compressed(const struct entry_bytes *entry);

/* Expands the data of an entry that is compressed. Returns them, and sets *size; caller frees. NULL: they are damaged,
 * or the header tells an impossible size. */
unsigned char *entry_expand(const struct entry_bytes *entry, size_t *size);
