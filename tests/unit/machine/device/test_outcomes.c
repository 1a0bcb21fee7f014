/* What differs between two contents of an array, and between orders in the memory of the GPU. */
#include "machine/made_program.h"
#include "test.h"

Test(outcomes, bytes_that_differ)
{
    unsigned char a[8192] = {0}, b[8192] = {0};
    struct difference found = outcome_difference(a, b, sizeof a);
    cr_expect_eq(found.bytes, 0);
    cr_expect_not(found.rounding);
    b[4099] = 1;
    b[8191] = 7;
    found = outcome_difference(a, b, sizeof a);
    cr_expect_eq(found.bytes, 2);
    cr_expect_eq(found.first, 4099);
    cr_expect_not(found.rounding);
}

Test(outcomes, sums_in_another_order_differ_in_last_bits)
{
    const float floats[] = {1.0f, 100.0f}, sums[] = {1.0000001f, 100.00001f}, others[] = {1.0f, 101.0f};
    cr_expect(outcome_difference((const unsigned char *)floats, (const unsigned char *)sums, sizeof floats).rounding);
    cr_expect_not(
        outcome_difference((const unsigned char *)floats, (const unsigned char *)others, sizeof floats).rounding);
    const double doubles[] = {1.0, -3.0}, more[] = {1.0 + 1e-15, -3.0 + 1e-15};
    cr_expect(outcome_difference((const unsigned char *)doubles, (const unsigned char *)more, sizeof doubles).rounding);
    const unsigned counts[] = {1000000, 5}, tickets[] = {1000001, 5};
    cr_expect_not(
        outcome_difference((const unsigned char *)counts, (const unsigned char *)tickets, sizeof counts).rounding);
}

static void change(uint64_t at, unsigned char byte)
{
    outcomes_will_change(made_machine(), at, 1);
    *device_bytes(made_machine(), at) = byte;
}

static void expect_differs(const char *wanted)
{
    OWNED_TEXT words = outcomes_compare(made_machine());
    cr_expect(wanted && words ? strcmp(words, wanted) == 0 : words == wanted, "%s", words);
}

Test(outcomes, memory_of_the_gpu)
{
    const uint64_t first = device_allocate(made_machine(), 100), second = device_allocate(made_machine(), 5000);
    memset(device_bytes(made_machine(), first), 1, 100);
    memset(device_bytes(made_machine(), second), 2, 5000);
    outcomes_watch(made_machine(), true);
    for (unsigned i = 0; i < 5000; i++)
        change(second + i, 3);
    outcomes_keep(made_machine());
    expect_differs(NULL);
    change(second + 4000, 9); /* written in both, on both sides of a page's end */
    change(second + 4100, 9);
    char *wanted =
        x_sprintf("2 of 5000 bytes of the allocation at 0x%llx differ, from byte 4000 on", (unsigned long long)second);
    expect_differs(wanted);
    free(wanted);
    /* What is freed, or new, is not compared. */
    device_free(made_machine(), second);
    const uint64_t third = device_allocate(made_machine(), 5000);
    change(third + 0, 9);
    expect_differs(NULL);
    change(first + 99, 9); /* written in the second only */
    wanted = x_sprintf("1 of 100 bytes of the allocation at 0x%llx differ, from byte 99 on", (unsigned long long)first);
    expect_differs(wanted);
    free(wanted);
    outcomes_forget(made_machine());
    outcomes_watch(made_machine(), false);
    device_free(made_machine(), first);
    device_free(made_machine(), third);
}

/* As a program's launch is executed again: by all orders from the same memory, whatever each wrote, and was kept. */
Test(outcomes, memory_is_restored_before_each_order)
{
    const uint64_t first = device_allocate(made_machine(), 5000);
    memset(device_bytes(made_machine(), first), 1, 5000);
    outcomes_forget(made_machine());
    outcomes_restore_orders(made_machine(), true);
    outcomes_watch(made_machine(), true);
    change(first + 10, 2);
    outcomes_restore(made_machine());
    cr_expect_eq(*device_bytes(made_machine(), first + 10), 1);
    change(first + 10, 3);
    outcomes_keep(made_machine());
    outcomes_restore(made_machine());
    cr_expect_eq(*device_bytes(made_machine(), first + 10), 1);
    change(first + 10, 4);
    change(first + 4999, 5); /* only this order wrote there */
    outcomes_restore(made_machine());
    cr_expect_eq(*device_bytes(made_machine(), first + 10), 1);
    cr_expect_eq(*device_bytes(made_machine(), first + 4999), 1);
    /* What follows begins with another memory. */
    change(first + 10, 6);
    outcomes_forget(made_machine());
    change(first + 10, 7);
    outcomes_restore(made_machine());
    cr_expect_eq(*device_bytes(made_machine(), first + 10), 6);
    outcomes_watch(made_machine(), false);
    outcomes_restore_orders(made_machine(), false);
    outcomes_forget(made_machine());
    device_free(made_machine(), first);
}

/* Several threads write to pages at once: none of them may be copied after it was written. */
enum { WRITERS = 4, WRITTEN = 1 << 20 };
static void *write_all(void *memory)
{
    const uint64_t begin = *(const uint64_t *)memory;
    for (uint64_t at = begin; at < begin + WRITTEN; at += 64)
        change(at, 2);
    return NULL;
}

Test(outcomes, threads_write_at_once)
{
    uint64_t memory = device_allocate(made_machine(), WRITTEN);
    pthread_t threads[WRITERS];
    memset(device_bytes(made_machine(), memory), 1, WRITTEN);
    outcomes_forget(made_machine());
    outcomes_restore_orders(made_machine(), true);
    outcomes_watch(made_machine(), true);
    for (size_t i = 0; i < WRITERS; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, write_all, &memory), 0);
    for (size_t i = 0; i < WRITERS; i++)
        pthread_join(threads[i], NULL);
    outcomes_restore(made_machine());
    size_t wrong = 0;
    for (uint64_t at = 0; at < WRITTEN; at++)
        wrong += *device_bytes(made_machine(), memory + at) != 1;
    cr_expect_eq(wrong, 0);
    outcomes_watch(made_machine(), false);
    outcomes_restore_orders(made_machine(), false);
    outcomes_forget(made_machine());
    device_free(made_machine(), memory);
}

/* What is kept grows with what is written: all of this one would not fit into a machine's memory. */
Test(outcomes, of_a_large_allocation_what_is_written_is_kept)
{
    const size_t size = (size_t)1 << 40;
    const uint64_t large = device_allocate(made_machine(), size);
    cr_assert_neq(large, 0);
    outcomes_watch(made_machine(), true);
    change(large + size / 2, 1);
    outcomes_keep(made_machine());
    change(large + size - 1, 1);
    OWNED_TEXT wanted = x_sprintf("1 of %zu bytes of the allocation at 0x%llx differ, from byte %zu on", size,
                                  (unsigned long long)large, size - 1);
    expect_differs(wanted);
    outcomes_watch(made_machine(), false);
    outcomes_forget(made_machine());
    device_free(made_machine(), large);
}
