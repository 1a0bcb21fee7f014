/* disassembly.h - machine code as text: what NVIDIA's nvdisasm says of an image. */
#ifndef DISASSEMBLY_H
#define DISASSEMBLY_H

#include "base/base.h"

#include <jansson.h>
#include <stddef.h>

/* The instructions of a function of an image, in order, as nvdisasm -json has them: objects with "opcode", "operands"
 * and "predicate". Borrowed from *whole, which the caller releases with json_decref. NULL with *problem.
 *
 * What nvdisasm said of each function is kept, by the hashes of the image and of the program nvdisasm, in the user's
 * cache, $XDG_CACHE_HOME/cugate or ~/.cache/cugate; where others may write to that, nothing is, and nothing of it is
 * read. A program that hangs ends with this process. */
const json_t *disassemble(json_t **whole, const unsigned char *image, size_t size, const char *function,
                          struct problem *problem);

#endif
