/* line_table.h - the line information of one image of machine code, including what was inlined where. Needs no GPU. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct line_place {
    const char *file; /* path of the file; the table owns it */
    unsigned number;
};

struct line_table {
    char *bytes; /* copy of the image; libelf and libdw refer to it */
    struct Elf *elf;
    struct Dwarf *dwarf;
    struct line_function *functions;
    size_t function_count;
};

/* Opens a copy of the image, an ELF file. If line information is missing or malformed, the table is empty or
 * shorter. */
void line_table_open(struct line_table *table, const void *bytes, size_t size);
void line_table_release(struct line_table *table);

/* Tells the path of each source file that the line information names; one may be told more than once. */
void line_table_each_file(const struct line_table *table, void (*take)(void *data, const char *path), void *data);

/* Finds the source of the instruction at an offset of a function: first the innermost line, then the line of its call,
 * and so on. Fills at most `capacity` places and returns how many; 0 where nothing is known. symbol is the function's
 * mangled name. */
size_t line_table_find(const struct line_table *table, const char *symbol, uint64_t offset, struct line_place *places,
                       size_t capacity);

/* Returns the file of an instruction, without "..", and sets its line number. Caller frees; NULL where nothing is
 * known. Where code was inlined, it is the innermost line of the kernel's own code. A line in CUDA's headers says
 * little to those who called it. Whose code a line is depends on paths alone, so the answer is the same everywhere. A
 * file below a folder of installed libraries, such as "include", is foreign unless the kernel lies beside that folder.
 * For a kernel of CUB or Thrust, the code that it calls counts. */
char *line_table_line(const struct line_table *table, const char *symbol, uint64_t offset, unsigned *number);
