/* numeric.h - how numbers are read, written and rounded: a program may have set another locale, rounding mode or traps.
 */
#pragma once

#include <fenv.h>
#include <locale.h>

struct numeric {
    locale_t locale;
    fenv_t floats;
};

/* Give this thread the C locale and the default floating-point environment, and return what it had. Threads that it
 * starts have that environment, but the process's locale. */
void numeric_begin(struct numeric *before);
void numeric_end(const struct numeric *before);

/* The same until the end of a block. */
#define NUMERIC_DEFAULT                                                                                                \
    __attribute__((cleanup(numeric_end))) struct numeric numeric_before_;                                              \
    numeric_begin(&numeric_before_)
