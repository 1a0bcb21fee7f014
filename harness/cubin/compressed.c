/* A header of 64 bytes says how the data after it are stored. It is documented nowhere, and was seen with CUDA 11
 * to 13. All numbers are little-endian:
 *
 *   at 16   u32 size of the compressed data, without the padding behind them
 *   at 40   u64 flags: 0x2000 for a block of LZ4, 0x8000 for a frame of zstd
 *   at 56   u64 size of the expanded data */
#include "compressed.h"

#include "base/base.h"

#include <endian.h>
#include <lz4.h>
#include <zstd.h>

#define HEADER 64
#define FLAG_LZ4 0x2000u
#define FLAG_ZSTD 0x8000u

/* It bounds what a damaged file takes. The largest image that was seen has 167 MB, in cuBLASLt 12.4. */
#define LARGEST ((uint64_t)1 << 30)

static uint64_t flags_of(const struct entry_bytes *entry)
{
    uint64_t flags = 0;
    if (entry->header_size >= HEADER)
        memcpy(&flags, entry->header + 40, sizeof flags);
    return le64toh(flags) & (FLAG_LZ4 | FLAG_ZSTD);
}

bool entry_is_compressed(const struct entry_bytes *entry)
{
    return flags_of(entry) != 0;
}

/* Returns how many bytes it wrote; 0: what is compressed is damaged, or does not fit into `most` bytes. */
static size_t expand(unsigned char *to, size_t most, const struct entry_bytes *entry, size_t size)
{
    if (flags_of(entry) & FLAG_ZSTD) {
        const size_t expanded = ZSTD_decompress(to, most, entry->data, size);
        return ZSTD_isError(expanded) ? 0 : expanded;
    }
    const int expanded = LZ4_decompress_safe((const char *)entry->data, (char *)to, (int)size, (int)most);
    return expanded < 0 ? 0 : (size_t)expanded;
}

unsigned char *entry_expand(const struct entry_bytes *entry, size_t *size)
{
    uint32_t compressed;
    uint64_t expanded;
    memcpy(&compressed, entry->header + 16, sizeof compressed);
    memcpy(&expanded, entry->header + 56, sizeof expanded);
    compressed = le32toh(compressed);
    expanded = le64toh(expanded);
    if (compressed > entry->data_size || compressed > LARGEST || expanded == 0 || expanded > LARGEST)
        return NULL;
    unsigned char *bytes = x_calloc(expanded, 1);
    if (expand(bytes, expanded, entry, compressed) != expanded) {
        free(bytes);
        return NULL;
    }
    *size = expanded;
    return bytes;
}
