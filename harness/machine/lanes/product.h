/* product.h - products of matrices of which a warp has 16 rows: D = A B + C, of HMMA and of the warpgroup's
 * instructions. product.c says which instruction is which product and where its elements in shared memory are;
 * lanes_product.c reads registers and multiplies.
 */
#pragma once

#include "lanes.h"

enum { PRODUCT_ROWS = 16, PRODUCT_COLUMNS_MOST = 256, PRODUCT_DEPTH_MOST = 64 };

/* Bits of the elements, each in a word of its own. */
struct product {
    unsigned columns, depth;
    uint64_t absent[PRODUCT_ROWS]; /* bit k: A has no element k in this row, which is 0 then */
    uint32_t a[PRODUCT_DEPTH_MOST][PRODUCT_ROWS] __attribute__((aligned(64)));
    uint32_t sum[PRODUCT_COLUMNS_MOST][PRODUCT_ROWS] __attribute__((aligned(64))); /* C, then D */
    uint32_t b[PRODUCT_COLUMNS_MOST * PRODUCT_DEPTH_MOST]
        __attribute__((aligned(64))); /* element k of column n is at n * depth + k */
};

/* Returns the operand that says which elements of a sparse A there are; 0: A is not sparse. */
static inline unsigned product_metadata(const struct instruction *code)
{
    const unsigned n = code->flags[PRODUCT_ADDED] + 1u;
    if (!(code->flags[PRODUCT_WAYS] & WAY_SPARSE))
        return 0;
    return code->operands[n].kind == OPERAND_PREDICATE ? n + 1 : n;
}

unsigned product_bytes(enum element_kind kind); /* of an element in registers or memory */

/* Makes words of elements of so many bytes, as many as there are in 16 bytes. */
static inline void product_widen(uint32_t *to, const unsigned char *from, unsigned bytes)
{
    uint16_t halves[8];
    memcpy(halves, from, sizeof halves);
    for (unsigned i = 0; i < 16 && bytes == 1; i++)
        to[i] = from[i];
    for (unsigned i = 0; i < 8 && bytes == 2; i++)
        to[i] = halves[i];
    if (bytes == 4)
        memcpy(to, from, 16);
}

/* Begins a product of the warpgroup: reads B, and A if it is there, by descriptors. The block fails if one points
 * outside of shared memory. */
void product_from_memory(struct product *product, struct warp *warp, const struct instruction *code);

/* Puts the elements of a sparse A, which are beside each other, where they belong. */
void product_spread(struct product *product, struct warp *warp, const struct instruction *code);

/* As opcode.prepare, of each kind of product. */
bool prepare_hmma(struct instruction *code);
bool prepare_sparse_imma(struct instruction *code);
bool prepare_hgmma(struct instruction *code);
bool prepare_qgmma(struct instruction *code);
bool prepare_igmma(struct instruction *code);
bool prepare_bgmma(struct instruction *code);
