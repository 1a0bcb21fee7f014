/* Which launches of a program are of its first part only. */
#include "worker/worker.h"

#include <criterion/criterion.h>

Test(first_part, is_before_the_longest_stretch)
{
    struct stretches stretches = {0};
    size_t warm_up = 0, step = 0, end = 0;
    stretches_add(&stretches, &warm_up, 1);
    for (unsigned i = 0; i < 65; i++)
        stretches_add(&stretches, &step, 1);
    stretches_add(&stretches, &end, 1);
    stretches_end(&stretches);
    cr_expect(stretches_are_behind(&stretches, warm_up));
    cr_expect_not(stretches_are_behind(&stretches, step));
    cr_expect_not(stretches_are_behind(&stretches, end));
    cr_expect_not(stretches_are_behind(&stretches, 0), "it was never launched");
    /* It is launched again, behind the stretch. */
    stretches_add(&stretches, &warm_up, 1);
    stretches_end(&stretches);
    cr_expect_not(stretches_are_behind(&stretches, warm_up));
}

Test(first_part, a_short_program_has_none)
{
    struct stretches stretches = {0};
    size_t one = 0, other = 0;
    stretches_add(&stretches, &one, 1);
    for (unsigned i = 0; i < 64; i++)
        stretches_add(&stretches, &other, 1);
    stretches_end(&stretches);
    cr_expect_not(stretches_are_behind(&stretches, one), "63 launches in a row were not new");
    stretches_add(&stretches, &other, 1);
    stretches_end(&stretches);
    cr_expect(stretches_are_behind(&stretches, one));
}
