/* nvdisasm.h - finds NVIDIA's disassembler, which says what the machine code means. It is no part of cugate, but
 * fetched from PyPI. */
#pragma once

#include "base/base.h"

#define NVDISASM_WANTED "13.5.37" /* the release that make installs, and that the tests were made for */

/* Returns the path of nvdisasm. CUGATE_NVDISASM may name it. Else it is the one beside this library or program,
 * installed or in the tree, or one on the PATH of release 13.2 or later. Caller frees. NULL with *problem, which says
 * how to get it. */
char *nvdisasm_find(struct problem *problem);

/* Finds nvdisasm as nvdisasm_find() does, for a program in the given folder. */
char *nvdisasm_look(const char *folder, struct problem *problem);
