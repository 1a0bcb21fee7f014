/* decode_parts.h - what decode.c and operands.c share. Private to them. */
#pragma once

#include "decode.h"

struct decoder {
    const struct function_text *function;
    find_opcode *find;
    struct code *code;
    char *text; /* where words are kept */
    size_t text_used, text_size;
};

static inline bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* A copy that lives as long as the code. */
const char *keep_text(struct decoder *decoder, const char *text, size_t length);

/* Each is false where the text is something unknown. */
bool read_predicate(const char *text, struct operand *operand);
bool read_operand(struct decoder *decoder, const struct instruction *code, const char *text, struct operand *operand);

/* Sets how long an instruction holds its warp or a pipe, once opcode and modifiers are read. In pace.c. */
void pace_set(struct instruction *code);

/* Makes of operands that were read as decimals immediates. */
void place_decimals(struct decoder *decoder, struct instruction *code);
