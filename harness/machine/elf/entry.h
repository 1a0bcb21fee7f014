/* entry.h - what a launch of a kernel has to agree with: its arguments, and its block where only one will do. */
#pragma once

#include "cubin_image.h"

/* The place of an argument of a launch: byte offset from the first argument, and size. */
struct parameter {
    unsigned offset, size;
};

struct entry {
    struct parameter *parameters; /* in the order of the arguments */
    size_t parameter_count;
    unsigned parameter_base;  /* where they begin in constant bank 0; 0: the code does not say */
    unsigned parameter_bytes; /* size of all arguments */
    unsigned block[3];        /* the only block that it runs in; 0: there are others */
};

/* Reads what an image says of the kernel at that index in image->kernels. -1: it is malformed, and no error() was said.
 * Release *entry in any case. */
int entry_read(struct entry *entry, const struct image *image, size_t kernel);
void entry_release(struct entry *entry);
