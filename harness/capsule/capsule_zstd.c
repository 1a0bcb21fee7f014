#include "capsule_zstd.h"

#include "capsule.h"

#include <zstd.h>

/* Higher levels take several times as long and save a percent or two of floating-point numbers. */
#define LEVEL 3

size_t page_compress_zstd(void *room, size_t most, const void *bytes, size_t size)
{
    const size_t compressed = ZSTD_compress(room, most, bytes, size, LEVEL);
    return ZSTD_isError(compressed) ? 0 : compressed; /* an error is that the room is too small, or that memory is */
}

size_t page_expand_zstd(void *room, size_t most, const void *bytes, size_t size)
{
    const size_t expanded = ZSTD_decompress(room, most, bytes, size);
    return ZSTD_isError(expanded) ? 0 : expanded;
}
