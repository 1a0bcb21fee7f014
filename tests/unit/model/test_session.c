#include "test.h"

Test(session, device_difference_names_each_field)
{
    struct device h200 = {(char[]){"NVIDIA H200"}, (char[]){"9.0"}, 132, 150754820096, .ecc = true};
    char text[512];
    device_difference(&h200, &h200, text, sizeof text);
    cr_expect_str_eq(text, "");
    struct device other = {(char[]){"NVIDIA A100"}, (char[]){"8.0"}, 108, 42, .mig = true};
    device_difference(&h200, &other, text, sizeof text);
    cr_expect_str_eq(text, "GPU NVIDIA H200, not NVIDIA A100; compute capability 9.0, not 8.0; SM count 132, not 108; "
                           "memory 150754820096 bytes, not 42 bytes; ECC on, not off; MIG off, not on");
    struct device unknown = {0};
    device_difference(&unknown, &h200, text, sizeof text);
    expect_word(text, "GPU unknown, not NVIDIA H200");
    struct device partly = {.name = h200.name, .ecc = true, .ecc_unknown = true, .mig_unknown = true};
    device_difference(&partly, &h200, text, sizeof text);
    cr_expect_str_eq(text, "compute capability unknown, not 9.0; SM count unknown, not 132; "
                           "memory unknown, not 150754820096 bytes; ECC unknown, not on; MIG unknown, not off");
    device_difference(&partly, &partly, text, sizeof text);
    cr_expect_str_eq(text, "");
    char small[8];
    device_difference(&h200, &other, small, sizeof small);
    cr_expect_eq(strlen(small), sizeof small - 1);
}

Test(session, every_fact_has_a_name_of_its_own)
{
    for (enum session_fact a = 0; a < SESSION_FACTS; a++)
        for (enum session_fact b = 0; b < a; b++)
            cr_expect_str_neq(session_fact_name(a), session_fact_name(b));
}

Test(session, a_session_is_the_same_whatever_it_was_accepted_for)
{
    const struct session first = {.facts = {[SESSION_DATE] = (char[]){"2026-11-21"}, [SESSION_REASON] = (char[]){"a"}}};
    const struct session again = {.facts = {[SESSION_DATE] = (char[]){"2026-11-21"}, [SESSION_REASON] = (char[]){"b"}}};
    const struct session later = {.facts = {[SESSION_DATE] = (char[]){"2026-11-22"}}};
    const struct session unknown = {0};
    cr_expect_eq(by_session(&first, &again), 0);
    cr_expect_lt(by_session_and_reason(&first, &again), 0);
    cr_expect_lt(by_session(&again, &later), 0);
    cr_expect_lt(by_session(&unknown, &first), 0);
}
