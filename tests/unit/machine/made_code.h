/* made_code.h - decodes instructions that are written down as nvdisasm writes them. */
#pragma once

#include "machine/block/block.h"
#include "machine/machine.h"

/* Decodes "OPCODE OPERANDS" and "@GUARD OPCODE OPERANDS", without blanks in the operands, and more behind a ; each.
 * Caller frees. */
struct code *made_code(const char *text);

/* Adds one of these to a list for code_read(), and cuts its text into words. */
void made_listing_add(json_t *list, char *text);

/* Whether the one instruction of a text is simulated. */
bool made_is_simulated(const char *text);

/* Executes the first instruction of a code by these lanes, with the constants that it has. */
void made_execute(struct warp *warp, const struct code *code, uint32_t lanes);
