/* function_name.h - takes apart the demangled name of a function, such as "void tile<32>(float*)", and says when two
 * such names are of one function. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A part of a function's name. It borrows from that name, and no 0 follows it. */
struct name_part {
    const char *text;
    size_t length;
};

/* with template arguments, without the "void" before it: tile<32> */
struct name_part function_name(const char *function);
struct name_part function_template(const char *function);   /* the name alone: tile */
struct name_part function_parameters(const char *function); /* (float*); its length is 0 where the name has none */
bool name_part_is_same(struct name_part a, struct name_part b);

/* Removes, in place, the architectures of a build from a name: CUB's namespace CUB_300001_SM_800_900 has them, for
 * example. So the same function is found in a build for other architectures. */
void function_forget_architectures(char *name);

/* Returns whether the names a and b, as launches have them, are of one function, whatever architectures it is for. */
bool function_is_same(const char *a, const char *b);
