#include "model/origin.h"
#include "test.h"

Test(origin, every_way_has_its_words)
{
    for (enum origin_name name = 0; name < ORIGINS; name++) {
        const struct origin *origin = origin_of(name);
        cr_expect_not_null(origin->doing, "%d", (int)name);
        cr_expect_not_null(origin->made, "%d", (int)name);
        cr_expect_not_null(origin->does, "%d", (int)name);
        cr_expect_eq(!origin->loud, !origin->words, "%s", origin->doing);
        cr_expect_eq(!origin->loud, !origin->source, "%s", origin->doing);
        cr_expect_eq(!origin->begin, !origin->begun, "%s", origin->doing);
        cr_expect(!origin->counts_of || origin_find(origin->counts_of) == origin_of(ORIGIN_MEASURED));
    }
}

Test(origin, is_found_by_the_collector_of_a_session)
{
    for (enum origin_name name = 0; name < ORIGINS; name++)
        cr_expect_eq(origin_find(origin_of(name)->collector), origin_of(name));
    cr_expect_eq(origin_find("nvbench"), origin_of(ORIGIN_IMPORTED));
    cr_expect_eq(origin_find(NULL), origin_of(ORIGIN_IMPORTED));
}

Test(origin, commands_have_what_they_are_given_in_place_of_names)
{
    const struct origin_words words = {.kernel = "'a/b'",
                                       .program = "--skip 2 -- python3 x.py",
                                       .device = "sm_90",
                                       .collector = "ncu",
                                       .compiler = "nvcc",
                                       .sessions = 4};
    for (enum origin_name name = 0; name < ORIGINS; name++) {
        const struct origin *origin = origin_of(name);
        const char *const texts[] = {origin->source, origin->begin,   origin->begun,
                                     origin->rerun,  origin->explain, origin->no_value};
        for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
            OWNED_TEXT made = origin_command(texts[i], &words);
            cr_expect_eq(!made, !texts[i]);
            cr_expect(!made || (!strstr(made, "%{") && !strstr(made, "unknown")), "%s", made);
        }
    }
    OWNED_TEXT begin = origin_command(origin_of(ORIGIN_PROGRAM)->begin, &words);
    cr_expect_str_eq(begin, "cugate aa --sessions 4 --save sessions --skip 2 -- python3 x.py");
    OWNED_TEXT plain = origin_command("100 % of %{kernel}", &(struct origin_words){0});
    cr_expect_str_eq(plain, "100 % of unknown");
}
