/* symbol.h - names of functions: "_Z14copy_coalescedPKfPf" in machine code is "copy_coalesced(float const*, float*)" in
 * the source. Those of anonymous namespaces carry a hash of the file's path, which must not differ from one checkout to
 * the next. */
#ifndef SYMBOL_H
#define SYMBOL_H

#include "run.h"

#include <stddef.h>

/* Makes names as compilers write them, each owned by the place that names[i] points to, names of the source. What is no
 * such name stays, and so does one that cannot be read within SYMBOL_MEMORY bytes and SYMBOL_SECONDS of a processor or
 * has more than SYMBOL_LENGTH characters then: a few letters may stand for gigabytes. Where several are of that kind,
 * those that follow may stay as well. */
void symbols_read(char **const *names, size_t count);

#define SYMBOL_MEMORY ((size_t)64 << 20)
#define SYMBOL_SECONDS 1
#define SYMBOL_LENGTH 65536

/* The same for the functions of its launches and lines, whose order may change. */
void result_read_symbols(struct result *result);

/* Takes out, in place, what names the architectures of a build, as CUB's namespace CUB_300001_SM_800_900 does: the same
 * function must be found in a build for others. */
void symbol_forget_architectures(char *name);

/* Whether two names, as launches have them, are of one function, whatever architectures it was built for. */
bool symbol_is_same(const char *a, const char *b);

#endif
