#include "machine/device_heap.h"

#include <criterion/criterion.h>

Test(device_heap, pieces_are_apart_and_come_back)
{
    heap_set_limit(4096);
    cr_assert(heap_open());
    const uint64_t one = heap_allocate(40), other = heap_allocate(33), large = heap_allocate(3000);
    cr_assert(one && other && large);
    cr_expect(one % 16 == 0 && other >= one + 40 && large >= other + 33);
    cr_expect_eq(heap_allocate(2000), 0, "more than there is");
    cr_expect_eq(heap_allocate(0), 0);
    cr_expect(heap_free(one));
    cr_expect_not(heap_free(one), "it is free already");
    cr_expect_not(heap_free(other + 16));
    cr_expect_not(heap_free(0));
    cr_expect_eq(heap_allocate(64), one, "what is free is taken again");
    cr_expect(heap_free(large));
    cr_expect_neq(heap_allocate(2000), 0);
}
