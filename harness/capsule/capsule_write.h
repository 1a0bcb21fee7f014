/* capsule_write.h - what capsule_copy.c asks of a writer. Private to the capsule_*.c files. */
#ifndef CAPSULE_WRITE_H
#define CAPSULE_WRITE_H

#include "capsule.h"

/* Returns the number of the page with that hash (capsule_record.h); PAGE_ZERO: it was not written yet. */
uint32_t capsule_writer_find(const struct capsule_writer *writer, const unsigned char *hash);

#endif
