#include "machine/made_program.h"

#include <criterion/criterion.h>

Test(device_heap, pieces_are_apart_and_come_back)
{
    heap_set_limit(made_machine(), 4096);
    cr_assert(heap_open(made_machine()));
    const uint64_t one = heap_allocate(made_machine(), 40), other = heap_allocate(made_machine(), 33),
                   large = heap_allocate(made_machine(), 3000);
    cr_assert(one && other && large);
    cr_expect(one % 16 == 0 && other >= one + 40 && large >= other + 33);
    cr_expect_eq(heap_allocate(made_machine(), 2000), 0, "more than there is");
    cr_expect_eq(heap_allocate(made_machine(), 0), 0);
    cr_expect(heap_free(made_machine(), one));
    cr_expect_not(heap_free(made_machine(), one), "it is free already");
    cr_expect_not(heap_free(made_machine(), other + 16));
    cr_expect_not(heap_free(made_machine(), 0));
    cr_expect_eq(heap_allocate(made_machine(), 64), one, "what is free is taken again");
    cr_expect(heap_free(made_machine(), large));
    cr_expect_neq(heap_allocate(made_machine(), 2000), 0);
}
