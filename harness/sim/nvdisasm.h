/* nvdisasm.h - where NVIDIA's disassembler is: it says what the machine code means, and is fetched from PyPI, not part
 * of cugate. */
#ifndef NVDISASM_H
#define NVDISASM_H

#include "base/base.h"

#define NVDISASM_WANTED "13.5.37" /* the release that make installs, and the tests are about */

/* Its path: what CUGATE_NVDISASM names; else the one beside this program, installed or in the tree; else one on the
 * PATH of release 13.2 or later, the first on PyPI. Caller frees. NULL with *problem, which says how to get it. */
char *nvdisasm_find(struct problem *problem);

/* The same for a program in that folder. */
char *nvdisasm_look(const char *directory, struct problem *problem);

#endif
