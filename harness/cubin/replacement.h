/* replacement.h - machine code that takes the place of a capsule's: found in a file, and held against the launch. */
#pragma once

#include "capsule/capsule.h"
#include "machine/elf/elf.h"

#include "task_launch.h"

struct replacement {
    const char *path, *function; /* borrowed; the function's name is that in the machine code */
    unsigned char *bytes;        /* the image as it is in the file */
    size_t size;
    char *copy; /* what `image` reads */
    struct image image;
    size_t kernel; /* the function's index in image.kernels */
    struct entry entry;
};

/* Finds the image of a file that a GPU of that compute capability (90 for 9.0) would load for a function. -1 after
 * error(), which says what the file has in its place. Release in any case. */
int replacement_find(struct replacement *replacement, const char *path, const char *function, int capability);
void replacement_release(struct replacement *replacement);

/* Has it be another function of the same image; of a replacement that is empty it finds one. -1 after error(). */
int replacement_turn(struct replacement *replacement, const char *path, const char *function, int capability);

/* Whether the launch of a capsule is one of this code: the same places of arguments, variables of the same
 * sizes, a block and shared memory that it may have. -1 after error(), which says what both have. Warns of variables
 * that the code lacks. */
int replacement_check(const struct replacement *replacement, const struct capsule *capsule, int capability);

/* The same of all launches of a capsule, with the code of that file, of which *replacement, at first empty, has one
 * function. Release it in any case. */
int replacement_fit(struct replacement *replacement, const char *path, const struct capsule *capsule, int capability);

/* Has a capsule consist of launches as they were typed, of code of that file: finds their functions, and places their
 * arguments. -1 after error(). */
int replacement_steps(struct replacement *replacement, const char *path, struct capsule *capsule,
                      const struct task_launch *launches, size_t count, int capability);

/* Warns of variables that the program's own code has not: nobody knows what the program would put there. -1 after
 * error(). */
int replacement_warn(const struct replacement *replacement, const struct capsules *capsules,
                     const struct capsule *capsule);
