/* line_table.h - the line information of one image of machine code, with what was inlined where. Needs no GPU. */
#ifndef LINE_TABLE_H
#define LINE_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct line_place {
    const char *file; /* with its directory; the table's */
    unsigned number;
};

struct line_table {
    char *bytes; /* of the image, what lies in it being the two libraries' */
    struct Elf *elf;
    struct Dwarf *dwarf;
    struct line_function *functions;
    size_t function_count;
};

/* Reads a copy of the image, an ELF file. One without line information, and what is malformed in one, gives an empty or
 * a shorter table. */
void line_table_open(struct line_table *table, const void *bytes, size_t size);
void line_table_release(struct line_table *table);

/* Where the instruction at an offset of a function is from: the innermost place first, then the call of it, and so on.
 * At most `capacity`; returns how many, 0 where nothing is known. symbol is the function's name in the machine code. */
size_t line_table_find(const struct line_table *table, const char *symbol, uint64_t offset, struct line_place *places,
                       size_t capacity);

/* The file (caller frees; NULL where nothing is known), without "..", and line of an instruction. Of what was inlined
 * into each other, the innermost that is of the kernel's own code, by the paths alone and so the same everywhere: a
 * line of CUDA's headers says little to who called them. Below a folder in which libraries are installed, such as
 * "include", is another's code unless the kernel lies beside that folder; of a kernel of CUB or Thrust it is what it
 * calls that counts.
 */
char *line_table_line(const struct line_table *table, const char *symbol, uint64_t offset, unsigned *number);

#endif
