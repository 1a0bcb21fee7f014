/* cubin_image.h - for code that reads machine code itself. An image is the ELF file with the machine code for one kind
 * of GPU. Besides .symtab these sections matter, as nvcc 11.8, 12.9 and 13.0 write them (cuobjdump -elf names all):
 *
 *   .text.F               instructions of function F; helpers that were not inlined are in the section of their kernel
 *   .nv.info              attributes: registers and stack of every function, by the number of its symbol
 *   .nv.info.F            attributes of kernel F: launch bounds, barriers, clusters
 *   .nv.shared.F          static shared memory of kernel F
 *   .nv.constantN[.F]     constant bank N; 0: parameters, 3: __constant__ variables, 4: addresses
 *   .nv.global.init       initialised variables
 *   .note.nv.tkinfo       who assembled it and how; since CUDA 13.0
 *
 * sh_info of a section that belongs to F is the number of .text.F. */
#pragma once

#include "cubin_function.h"

#include <gelf.h>

#include <stdint.h>

struct image_section {
    const char *name;
    GElf_Shdr header;
    const unsigned char *bytes; /* the section's contents; NULL when the file holds none */
    size_t owner;               /* the kernel that the section belongs to, from 1; 0: none */
};

struct image_kernel {
    size_t symbol;
    size_t section;
    bool has_registers;
    struct cubin_function facts;
};

/* An attribute as it is stored in the image. */
struct image_attribute {
    size_t owner; /* the kernel that the attribute describes, from 1; 0: all kernels */
    unsigned number;
    const unsigned char *bytes;
    size_t size;
};

struct image {
    const char *name; /* name of the file */
    size_t offset;    /* offset of the image in the file, for messages */
    Elf *elf;
    int capability;
    uint32_t release; /* of CUDA's assembler, 124 for 12.4; 0 since CUDA 13, where .note.nv.tkinfo says more */
    struct image_section *sections;
    size_t section_count;
    GElf_Sym *symbols;
    size_t symbol_count;
    size_t symbol_section, symbol_names; /* numbers of .symtab and its .strtab */
    struct image_kernel *kernels;
    size_t kernel_count;
    struct image_attribute *attributes; /* attributes that are part of the code hash, besides sections and facts */
    size_t attribute_count;
};

/* Whether the bytes are a complete 64-bit little-endian ELF file, with all tables and sections. Only then may libelf
 * parse it. */
bool image_is_whole(const unsigned char *bytes, size_t size);

/* Returns how many bytes an image in memory has, where the last of its tables and sections ends; or PTX. */
size_t image_length(const void *image);

/* Reads all of one image but facts.code. The function may change the `size` bytes, which must outlive the image. -1
 * after error(); release the image in any case. */
int image_read(struct image *image, const char *name, size_t offset, char *bytes, size_t size);
void image_release(struct image *image);

/* Reads the next attribute between *at and end, in a section of attributes. Returns 1, 0 at the end, or -1 when it is
 * damaged. attribute->owner is not set. */
int image_next_attribute(const unsigned char **at, const unsigned char *end, struct image_attribute *attribute);

/* Calls error() with the position of the image in its file. Returns -1. */
__attribute__((format(printf, 2, 3))) int image_error(const struct image *image, const char *format, ...);

/* Returns the assembler and its version, "ptxas 13.0.88"; NULL where the image does not say. Caller frees. */
char *image_compiler(const struct image *image);

/* Whether the image has a variable of that name, __device__ or __constant__; *size is set to its bytes. In variables.c.
 */
bool image_variable(const struct image *image, const char *name, uint64_t *size);

/* Returns the name of a __constant__ that is all 0, as what the host sets is; NULL: there is none. In variables.c. */
const char *image_unset_constant(const struct image *image);

/* Returns the names of all variables, a line each. Caller frees. In variables.c. */
char *image_variables(const struct image *image);

/* Returns the same of the image in these bytes; NULL after error(). name is for messages. Caller frees. In variables.c.
 */
char *cubin_variables(const char *name, const char *bytes, size_t size);

/* Computes facts.code, facts.mix, facts.tensor and facts.halves of every kernel. -1 after error(). */
int image_hash(struct image *image);
/* Sorts the hashes of functions and returns one of them all, in hexadecimal. Caller frees. In cubin_hash.c. */
char *codes_hash(const char **codes, size_t count);
