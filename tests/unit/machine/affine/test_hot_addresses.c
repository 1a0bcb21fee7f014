#include "machine/affine/hot_addresses.h"

#include <criterion/criterion.h>

Test(hot_addresses, the_address_with_most_is_found_in_whatever_order_they_come)
{
    struct hot_addresses a = {0}, b = {0};
    cr_expect_eq(hot_most(&a).count, 0);
    for (uint64_t i = 0; i < 1000; i++) {
        hot_add(&a, 0x1000 + 4 * i, 1 + (i == 500), 7);
        hot_add(&b, 0x1000 + 4 * (999 - i), i == 0 ? 3 : 1, 5);
    }
    cr_expect_eq(a.count, 1000);
    hot_merge(&a, &b);
    cr_expect_eq(a.count, 1000);
    const struct hot_address most = hot_most(&a);
    cr_expect_eq(most.address, 0x1000 + 4 * 999);
    cr_expect_eq(most.count, 4);
    cr_expect_eq(most.instruction, 5, "the first of the code that comes there");
    hot_release(&a);
    hot_release(&b);
    cr_expect_eq(a.capacity, 0);
}
