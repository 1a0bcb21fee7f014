/* cubin_image.h - between the files that read cubins: one image, the ELF file with the machine code for one kind of
 * GPU. The sections beside .symtab that matter, as nvcc 11.8, 12.9 and 13.0 write them (cuobjdump -elf names them all):
 *
 *   .text.F               instructions of function F; helpers that were not inlined stand in the section of their
 * kernel .nv.info              attributes: registers and stack of every function, by the number of its symbol
 *   .nv.info.F            attributes of kernel F: launch bounds, barriers, clusters
 *   .nv.shared.F          static shared memory of kernel F
 *   .nv.constantN[.F]     constant bank N; 0: parameters, 3: __constant__ variables, 4: addresses
 *   .nv.global.init       initialised variables
 *
 * sh_info of a section that belongs to F is the number of .text.F. */
#ifndef CUBIN_IMAGE_H
#define CUBIN_IMAGE_H

#include "cubin.h"

#include <gelf.h>
#include <xxhash.h>

#include <stdbool.h>
#include <stddef.h>

struct image_section {
    const char *name;
    GElf_Shdr header;
    const unsigned char *bytes; /* NULL when it has none in the file */
    size_t owner;               /* kernel that it belongs to, from 1; 0: none */
};

struct image_kernel {
    size_t symbol;
    size_t section;
    bool has_registers;
    struct cubin_function facts;
};

/* Something that the code of a kernel consists of, by its hash. */
struct image_part {
    size_t owner; /* kernel, from 1; 0: every kernel of the image */
    XXH128_canonical_t hash;
};

struct image {
    const char *name; /* of the file */
    size_t offset;    /* in the file, for messages */
    Elf *elf;
    int capability;
    struct image_section *sections;
    size_t section_count;
    GElf_Sym *symbols;
    size_t symbol_count;
    size_t symbol_section, symbol_names; /* numbers of .symtab and its .strtab */
    struct image_kernel *kernels;
    size_t kernel_count;
    struct image_part *parts; /* what moves the hash beside sections and facts: some attributes */
    size_t part_count;
};

/* Whether all tables and sections lie within the bytes of a 64-bit little-endian ELF file, so that libelf can have it.
 */
bool image_is_whole(const unsigned char *bytes, size_t size);

/* Adds the functions of one image, whose `size` bytes may be changed. -1 after error(). */
int image_read(struct cubin *cubin, const char *name, size_t offset, char *bytes, size_t size);

/* error() with the place. Returns -1. */
__attribute__((format(printf, 2, 3))) int image_error(const struct image *image, const char *format, ...);

/* Fills facts.code of every kernel. -1 after error(). */
int image_hash(struct image *image);

/* The hash of some attribute's bytes, as a part. */
void image_add_attribute(struct image *image, size_t owner, unsigned attribute, const unsigned char *bytes,
                         size_t size);

#endif
