#include "compare_cases.h"
#include "judge/judge.h"

Test(differences, cases)
{
    compare_cases("tests/unit/explain/differences.txt");
}

Test(differences, a_note_enumerates_ten_and_says_how_many_more)
{
    OWNED(comparison) comparison = {0};
    struct note_items items = {0};
    comparison_add_items(&comparison, &items, "nothing");
    for (int i = 0; i < 12; i++)
        note_items_add(&items, "item%d", i);
    comparison_add_items(&comparison, &items, "all");
    cr_expect_eq(items.count, 0);
    cr_assert_eq(comparison.note_count, 1);
    cr_expect_str_eq(comparison.notes[0],
                     "all: item0, item1, item2, item3, item4, item5, item6, item7, item8, item9 and 2 more");
}
