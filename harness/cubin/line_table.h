/* line_table.h - the line information of one image of machine code, with what was inlined where. Needs no GPU.
 *
 * Libraries read .debug_line, but not NVIDIA's addition to it, by which a row names the row of the call that brought it
 * in; without that, whatever the compiler took from CUDA's headers would be blamed on those. */
#ifndef LINE_TABLE_H
#define LINE_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct line_place {
    const char *file; /* with its folder; the table's */
    unsigned number;
};

struct line_table {
    char **files; /* of all units, one after the other */
    size_t file_count;
    struct line_row *rows;
    size_t row_count;
    struct line_sequence *sequences; /* one a function */
    size_t sequence_count;
};

/* Reads the image (an ELF file; bytes that libelf may write to, for as long as this call lasts). An image without line
 * information, and what is malformed in one, gives an empty or a shorter table. */
void line_table_open(struct line_table *table, char *bytes, size_t size);
void line_table_release(struct line_table *table);

/* Where the instruction at an offset of a function is from: the innermost place first, then the call of it, and so on.
 * At most room; returns how many, 0 where nothing is known. symbol is the function's name in the machine code. */
size_t line_table_find(const struct line_table *table, const char *symbol, uint64_t offset, struct line_place *places,
                       size_t room);

#endif
