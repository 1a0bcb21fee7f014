#include "sim/device_memory.h"

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
