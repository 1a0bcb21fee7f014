/* demangle.h - turns function names of machine code, such as "_Z14copy_coalescedPKfPf", into those of the source:
 * "copy_coalesced(float const*, float*)". A name in an anonymous namespace loses the hash of its file's path, which
 * would differ from one checkout to the next. */
#pragma once

#include <stddef.h>

/* Replaces each mangled name by its name in the source. names[i] points to where the owned string is kept. A string
 * that is no mangled name stays. So does a name that takes more than DEMANGLE_MEMORY bytes, or
 * DEMANGLE_MICROSECONDS of processor time, to read, or with those before it DEMANGLE_SECONDS. So does one of more than
 * DEMANGLE_LENGTH characters in the source: a few letters may stand for gigabytes. After several such names, the names
 * behind them may stay as well. */
void demangle(char **const *names, size_t count);

#define DEMANGLE_MEMORY ((size_t)64 << 20)
#define DEMANGLE_SECONDS 1
#define DEMANGLE_MICROSECONDS 200000
#define DEMANGLE_LENGTH 65536
