/* decode.h - the text of machine code becomes instructions that can be executed. */
#ifndef DECODE_H
#define DECODE_H

#include "module.h"

#include <jansson.h>

/* The code of a function whose instructions nvdisasm told of, as disassembly.h has them. What is not understood is an
 * instruction that is not simulated. Whether the function's bytes say the same is not asked here, and there may be none
 * of them (NULL). Caller frees, by code_free(). */
struct code *code_read(const struct function *function, const json_t *list);
void code_free(struct code *code);

#endif
