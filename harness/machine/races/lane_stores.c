#include "machine/block/block.h"

/* Finds lanes of a warp that store different values to one word: it is not defined which one stays. In orders for a
 * doubt it is the first lane's, and the last one's otherwise. */

enum { WIDEST = 16 };

/* Looks at ever fewer blocks, since all have the same code. */
static bool lane_stores_begin(struct block *block)
{
    const unsigned order = block->grid->order;
    const uint64_t number = block->cluster->number;
    return order == 0 ? block->grid->doubt && (number & (number - 1)) == 0 : order > ORDERS;
}

static unsigned char *place_of(const struct access *access, unsigned lane)
{
    const uint64_t address = access_address(access, lane);
    return access->block ? access->block->shared + address : device_bytes(access->warp->block->machine, address);
}

static void lane_stores_done(const struct access *access)
{
    struct warp *warp = access->warp;
    const struct operand *operand = &access->code->operands[1];
    if (access->in_order || access->kind & ACCESS_STRONG)
        return;
    for (unsigned lane = LANES; lane-- > 0;) {
        unsigned char own[WIDEST];
        if (!(access->lanes >> lane & 1))
            continue;
        for (size_t k = 0; k < WIDEST / 4 && 4 * k < access->size; k++) {
            const uint32_t *row =
                row_at(warp, operand->space, operand->row + (uint32_t)k * (operand->high - operand->row));
            memcpy(own + 4 * k, row + lane, 4);
        }
        unsigned char *place = place_of(access, lane);
        if (warp->block->grid->order > 0)
            memcpy(place, own, access->size);
        else if (memcmp(place, own, access->size) != 0)
            block_doubt(
                warp->block,
                "lane %u of warp %u and another lane store different values to 0x%llx of %s memory in one instruction",
                lane, warp->number,
                (unsigned long long)access_address(access, lane) - (access->block ? access->block->reserved : 0),
                access->block ? "shared" : "global");
    }
}

const struct watcher lane_stores_watcher = {ACCESS_STORES, ACCESS_STORES,    0,   true, lane_stores_begin,
                                            NULL,          lane_stores_done, NULL};
