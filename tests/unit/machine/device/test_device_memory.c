#include "machine/made_program.h"

#include <criterion/criterion.h>

Test(device_memory, what_is_beyond_an_allocation_is_in_none)
{
    const uint64_t first = device_allocate(made_machine(), 100), second = device_allocate(made_machine(), 1 << 20);
    cr_assert(first && second);
    struct allocation found;
    cr_assert(device_find(made_machine(), first + 99, &found));
    cr_expect_eq(found.end - found.begin, 100);
    cr_expect_not(device_find(made_machine(), first + 100, &found));
    cr_expect_not(device_find(made_machine(), first - 1, &found));
    cr_assert(device_find(made_machine(), second, &found));
    cr_expect_eq(found.end - found.begin, 1 << 20);
    memset(device_bytes(made_machine(), second), 1, 1 << 20);
    cr_expect_eq(first % 512, 0);
    cr_expect_eq(second % 512, 0);
}

Test(device_memory, the_same_calls_give_the_same_addresses_in_every_process)
{
    cr_expect_eq(device_allocate(made_machine(), 100), 0x200000002000);
    cr_expect_eq(device_allocate(made_machine(), 1 << 20), 0x200000007000);
}

Test(device_memory, only_what_was_allocated_is_freed)
{
    const uint64_t memory = device_allocate(made_machine(), 4096);
    cr_assert_neq(memory, 0);
    cr_expect_not(device_free(made_machine(), memory + 1));
    cr_expect(device_free(made_machine(), memory));
    cr_expect_not(device_free(made_machine(), memory));
    struct allocation found;
    cr_expect_not(device_find(made_machine(), memory, &found));
}

Test(device_memory, what_does_not_fit_is_not_there)
{
    cr_expect_eq(device_allocate(made_machine(), SIZE_MAX / 4), 0);
    cr_expect_eq(device_allocate(made_machine(), SIZE_MAX), 0);
}

Test(device_memory, addresses_are_reserved_once_and_accessible_as_far_as_they_are_shown)
{
    const uint64_t block = 0x7d0000000000, size = 32 << 20, array = block + 4096 + 16;
    struct allocation found;
    cr_assert(device_reserve(made_machine(), block, size));
    cr_expect_not(device_reserve(made_machine(), block + size / 2, size));
    cr_assert(device_back(made_machine(), block, 2 << 20));
    cr_expect_eq(device_bytes(made_machine(), block)[100], 0);
    memset(device_bytes(made_machine(), array), 1, 1000);
    cr_expect_not(device_find(made_machine(), array, &found), "it is not shown");
    device_show(made_machine(), array, 1000);
    cr_assert(device_find(made_machine(), array + 999, &found));
    cr_expect_eq(found.begin, array);
    cr_expect_eq(found.end, array + 1000);
    cr_expect_not(device_find(made_machine(), array - 1, &found));
    cr_expect_not(device_find(made_machine(), array + 1000, &found));
    device_hide(made_machine(), array + 1);
    cr_expect(device_find(made_machine(), array, &found));
    device_hide(made_machine(), array);
    cr_expect_not(device_find(made_machine(), array, &found));
    cr_assert(device_unback(made_machine(), block, 2 << 20));
    cr_assert(device_back(made_machine(), block, 2 << 20));
    cr_expect_eq(device_bytes(made_machine(), array)[0], 0, "the memory is another");
}
