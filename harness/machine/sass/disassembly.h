/* disassembly.h - gets machine code as text, from NVIDIA's disassembler nvdisasm. */
#pragma once

#include "base/base.h"

/* What is known of nvdisasm, and how often it was asked. */
struct disassembler;
struct disassembler *disassembler_open(void);
void disassembler_close(struct disassembler *disassembler);

/* Returns the instructions of a function of an image, in order, as nvdisasm -json prints them: objects with "opcode",
 * "operands" and "predicate". symbol is the function's number in .symtab: of a large image nvdisasm is asked for the
 * function's section alone, because all of a library's module takes seconds. They are borrowed from *whole, which the
 * caller releases with json_decref. NULL with *problem.
 *
 * What nvdisasm says of each function is kept in the user's cache, $XDG_CACHE_HOME/cugate or ~/.cache/cugate, by the
 * hashes of the image and of the program nvdisasm. Where other users may write to that folder, nothing is kept or read
 * there. An nvdisasm that hangs ends with this process. */
const json_t *disassemble(struct disassembler *disassembler, json_t **whole, const unsigned char *image, size_t size,
                          const char *function, size_t symbol, struct problem *problem);
