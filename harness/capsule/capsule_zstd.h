/* capsule_zstd.h - pages that were compressed. Private to the capsule_*.c files. */
#pragma once

#include <stddef.h>

/* Undoes page_compress_zstd. Returns the size; 0: the bytes are damaged, or do not fit into room (`most` bytes). */
size_t page_expand_zstd(void *room, size_t most, const void *bytes, size_t size);
