#include "machine/device/architecture.h"
#include "test.h"

/* Words that the system tells lie before the arguments, and none is two things at once. */
Test(architecture, what_the_system_tells_lies_apart)
{
    for (int capability = 50; capability < 130; capability++) {
        const struct architecture *one = architecture_find(capability);
        if (!one)
            continue;
        const struct {
            unsigned from, bytes;
        } places[] = {{one->threads, 12},
                      {one->blocks, 12},
                      {one->local_window, 8},
                      {one->stack_top, 4},
                      {one->smids, 4},
                      {one->shared_window, one->shared_window ? 8 : 0},
                      {one->workspace, one->workspace ? 8 : 0}};
        const size_t count = sizeof places / sizeof places[0];
        cr_expect_eq(one->capability, capability);
        for (size_t i = 0; i < count; i++) {
            cr_expect_leq(places[i].from + places[i].bytes, one->parameters, "%d", capability);
            for (size_t k = 0; k < i; k++)
                cr_expect(places[i].bytes == 0 || places[k].bytes == 0 ||
                              places[i].from >= places[k].from + places[k].bytes ||
                              places[k].from >= places[i].from + places[i].bytes,
                          "%d: %zu and %zu", capability, i, k);
        }
    }
}

Test(architecture, only_one_was_compared_with_a_gpu)
{
    static const int known[] = {80, 86, 89, 90, 100, 120};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const struct architecture *one = architecture_find(known[i]);
        cr_assert_not_null(one, "%d", known[i]);
        cr_expect_eq(one->verified, known[i] == 90, "%d", known[i]);
    }
    cr_expect_null(architecture_find(75));
    cr_expect_null(architecture_find(0));
}
