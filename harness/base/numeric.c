#include "numeric.h"

void numeric_begin(struct numeric *before)
{
    /* glibc and musl have the C locale ready: nothing is allocated. */
    before->locale = uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
    fegetenv(&before->floats);
    fesetenv(FE_DFL_ENV);
}

void numeric_end(const struct numeric *before)
{
    fesetenv(&before->floats);
    uselocale(before->locale);
}
