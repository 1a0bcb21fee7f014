/* decode.h - turns the text of machine code into instructions that can be executed. */
#pragma once

#include "instruction.h"

#include "base/base.h"

/* A symbol inside the section of a function; CALL names one. */
struct code_symbol {
    const char *name; /* borrowed from the image */
    uint64_t offset;  /* bytes from the start of the section */
};

/* A section of linked code. */
struct code_part {
    const char *name; /* borrowed from the image */
    size_t symbol, section;
    size_t begin; /* in bytes */
};

/* The machine code of a function. Everything in it belongs to the image, but for the lists of symbols and parts,
 * and linked bytes. */
struct function_text {
    const char *name; /* as the machine code has it */
    size_t symbol;    /* its number in the image's .symtab */
    /* the whole section: instructions of 16 bytes, of the function and the helpers that it calls */
    const unsigned char *bytes;
    size_t size;
    struct code_symbol *symbols; /* the functions in the section */
    size_t symbol_count;
    const unsigned char *tables; /* jump tables, which are constant bank 2; NULL: there are none */
    size_t tables_size;
    bool linked;             /* its bytes have the addresses of what is in other sections, and they follow: */
    struct code_part *parts; /* the first is its own */
    size_t part_count;
};

/* Returns the instructions of a function of an image. `find` says which operation executes each. What nvdisasm says of
 * an instruction is compared with its bytes. NULL with *problem. Caller frees with code_free(). */
struct disassembler;
struct code *code_open(const struct function_text *function, const unsigned char *image, size_t size,
                       struct disassembler *disassembler, find_opcode *find, struct problem *problem);

/* Returns the instructions that the list describes; it is nvdisasm's text, see disassembly.h. An instruction that is
 * not understood becomes one that is not simulated. The function's bytes are not compared, and may be absent (NULL). */
struct code *code_read(const struct function_text *function, const json_t *list, find_opcode *find);
void code_free(struct code *code);
