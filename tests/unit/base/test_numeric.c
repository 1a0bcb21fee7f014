#include "test.h"

static bool is_default(void)
{
    const volatile double third = 3, least = 0x1p-1074, zero = 0;
    char text[32];
    snprintf(text, sizeof text, "%.1f", 1.5);
    return 1 / third == 0x1.5555555555555p-2 && -1 / third == -0x1.5555555555555p-2 && least * 2 == 0x1p-1073 &&
           isinf(1 / zero) && strcmp(text, "1.5") == 0;
}

Test(numeric, a_block_has_the_defaults_and_leaves_what_was)
{
    const locale_t own = newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0);
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    cr_assert(own);
    for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
        uselocale(own);
        fesetround(modes[i]);
        __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040); /* denormals are zero */
        feenableexcept(FE_DIVBYZERO | FE_INVALID);
        {
            NUMERIC_DEFAULT;
            cr_expect(is_default(), "mode %zu", i);
            cr_expect_neq(uselocale((locale_t)0), own);
        }
        cr_expect_eq(fetestexcept(FE_ALL_EXCEPT), 0);
        cr_expect_eq(fedisableexcept(FE_ALL_EXCEPT), FE_DIVBYZERO | FE_INVALID);
        cr_expect_eq(fegetround(), modes[i]);
        cr_expect_eq(__builtin_ia32_stmxcsr() & 0x8040, 0x8040);
        cr_expect_eq(uselocale(LC_GLOBAL_LOCALE), own);
        fesetenv(FE_DFL_ENV);
    }
    freelocale(own);
}
