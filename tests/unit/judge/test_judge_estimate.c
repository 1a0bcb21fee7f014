#include "judge/judge_parts.h"
#include "test.h"

Test(judge_estimate, a_change_of_nothing_is_said_to_be_none)
{
    char text[160];
    const struct {
        struct estimated_change change;
        const char *words;
    } rows[] = {
        {{.likely = 1.0001, .least = 0.9999, .most = 1.0002}, "the same estimated time"},
        {{.likely = 1.01, .least = 1, .most = 1.02}, "the kernel is estimated to be about 1.0 % slower (0.0 to 2.0 %)"},
        {{.likely = 0.9, .least = 0.8, .most = 1.1},
         "the kernel is estimated to be about 10 % faster (10 % slower to 20 % faster)"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        cr_expect_str_eq(estimated_words(&rows[i].change, text, sizeof text), rows[i].words);
}
