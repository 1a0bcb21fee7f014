#include "machine/device_memory.h"

#include <criterion/criterion.h>
#include <string.h>

Test(device_memory, what_is_beyond_an_allocation_is_in_none)
{
    unsigned char *first = device_allocate(100), *second = device_allocate(1 << 20);
    cr_assert(first && second);
    struct allocation found;
    cr_assert(device_find((uint64_t)(uintptr_t)first + 99, &found));
    cr_expect_eq(found.end - found.begin, 100);
    cr_expect_not(device_find((uint64_t)(uintptr_t)first + 100, &found));
    cr_expect_not(device_find((uint64_t)(uintptr_t)first - 1, &found));
    cr_assert(device_find((uint64_t)(uintptr_t)second, &found));
    cr_expect_eq(found.end - found.begin, 1 << 20);
    memset(second, 1, 1 << 20);
    cr_expect_eq((uintptr_t)first % 512, 0);
    cr_expect_eq((uintptr_t)second % 512, 0);
}

Test(device_memory, the_same_calls_give_the_same_addresses_in_every_process)
{
    cr_expect_eq((uint64_t)(uintptr_t)device_allocate(100), 0x200000002000);
    cr_expect_eq((uint64_t)(uintptr_t)device_allocate(1 << 20), 0x200000007000);
}

Test(device_memory, only_what_was_allocated_is_freed)
{
    unsigned char *memory = device_allocate(4096);
    cr_assert_not_null(memory);
    cr_expect_not(device_free(memory + 1));
    cr_expect(device_free(memory));
    cr_expect_not(device_free(memory));
    struct allocation found;
    cr_expect_not(device_find((uint64_t)(uintptr_t)memory, &found));
}

Test(device_memory, what_does_not_fit_is_not_there)
{
    cr_expect_null(device_allocate(SIZE_MAX / 4));
    cr_expect_null(device_allocate(SIZE_MAX));
}

Test(device_memory, addresses_are_reserved_once_and_accessible_as_far_as_they_are_shown)
{
    const uint64_t block = 0x7d0000000000, size = 32 << 20, array = block + 4096 + 16;
    struct allocation found;
    cr_assert(device_reserve(block, size));
    cr_expect_not(device_reserve(block + size / 2, size));
    cr_assert(device_back(block, 2 << 20));
    cr_expect_eq(device_bytes(block)[100], 0);
    memset(device_bytes(array), 1, 1000);
    cr_expect_not(device_find(array, &found), "it is not shown");
    device_show(array, 1000);
    cr_assert(device_find(array + 999, &found));
    cr_expect_eq(found.begin, array);
    cr_expect_eq(found.end, array + 1000);
    cr_expect_not(device_find(array - 1, &found));
    cr_expect_not(device_find(array + 1000, &found));
    device_hide(array + 1);
    cr_expect(device_find(array, &found));
    device_hide(array);
    cr_expect_not(device_find(array, &found));
    cr_assert(device_unback(block, 2 << 20));
    cr_assert(device_back(block, 2 << 20));
    cr_expect_eq(device_bytes(array)[0], 0, "the memory is another");
}
