#include "test.h"
#include "worker/backend.h"

Test(backends, the_table)
{
    size_t count;
    const struct backend *list = backend_list(&count);
    cr_assert_gt(count, 0);
    for (size_t i = 0; i < count; i++) {
        cr_expect_eq(backend_find(list[i].name), &list[i], "%s", list[i].name);
        cr_expect(list[i].doc && *list[i].doc && !strchr(list[i].doc, '\n'), "%s", list[i].name);
        cr_expect(list[i].provides & PROVIDES_VALUES, "%s", list[i].name);
    }
    cr_expect_null(backend_find(""));
    cr_expect_null(backend_find("cupt"));
}

Test(backends, each_has_a_collector_of_what_it_provides)
{
    static const unsigned kinds[] = {PROVIDES_VALUES, PROVIDES_LINE_COUNTS, PROVIDES_STALLS};
    size_t count;
    const struct backend *list = backend_list(&count);
    for (size_t i = 0; i < count; i++) {
        const struct collector *found[16];
        size_t found_count = 0;
        for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
            struct problem problem = {0};
            if (!(list[i].provides & kinds[k]))
                continue;
            const struct collector *collector = list[i].load(kinds[k], &problem);
            cr_assert_not_null(collector, "%s: %s", list[i].name, problem.text);
            cr_expect(collector->open && collector->measure && collector->close, "%s", list[i].name);
            /* A collector that measures the first launch provides lines together with values. */
            for (size_t n = 0; n < found_count && !collector->measures_first; n++)
                cr_expect_neq(found[n], collector, "%s: %u", list[i].name, kinds[k]);
            cr_assert_lt(found_count, ARRAY_SIZE(found));
            found[found_count++] = collector;
        }
    }
}
