/* encoding.h - reads what the 16 bytes of an instruction say by themselves, and compares it with nvdisasm's text. */
#pragma once

#include "decode.h"

/* Sets *word to the second word of the instruction, which holds its immediate if it has one. False: the function has no
 * such bytes. */
bool encoding_word(const struct function_text *function, size_t index, uint32_t *word);

/* Compares code that was read from text with the function's bytes: predicates, immediates, places of constants. At the
 * first instruction that differs it returns -1 with *problem, "not simulated: ...". */
int encoding_check(const struct function_text *function, const struct code *code, struct problem *problem);

/* What the bytes of an instruction say of when it may be issued. */
enum { SCOREBOARD_NONE = 7 };
struct control_bits {
    unsigned char stall;                              /* cycles until the warp's next instruction */
    unsigned char write_barrier, read_barrier, waits; /* scoreboards: that its answer, or the reads of its operands, are
                                                         counted by, and that it waits for, a bit each */
};
struct control_bits encoding_control(const struct function_text *function, size_t index);

/* Sets which scoreboards instructions wait for, and which ones count their loads from global memory. A warp has six of
 * them. */
void encoding_scoreboards(const struct function_text *function, struct code *code);
