#include "replay/phases.h"
#include "test.h"

Test(replay_phases, a_phase_ends_with_its_arrivals_and_bytes)
{
    OWNED(phases) phases = {0};
    double when;
    cr_expect(phases_over(&phases, 64, 0, &when), "of a barrier that is not known nobody waits");
    cr_expect_not(phases_come(&phases, 64, 1, 0, 10));
    phases_begin(&phases, 0, 1);
    phases_begin(&phases, 64, 2);
    cr_expect_not(phases_over(&phases, 64, 0, &when));
    cr_expect(phases_over(&phases, 64, 1, &when), "the one before");
    cr_expect_not(phases_come(&phases, 64, 0, -128, 20));
    cr_expect_not(phases_come(&phases, 64, 2, 0, 30), "bytes are missing");
    cr_expect_not(phases_over(&phases, 64, 0, &when));
    cr_expect_not(phases_come(&phases, 64, 0, 64, 500));
    cr_expect(phases_come(&phases, 64, 0, 64, 400));
    cr_expect(phases_over(&phases, 64, 0, &when));
    cr_expect_eq(when, 500, "when the last of them was there");
    cr_expect_not(phases_over(&phases, 64, 1, &when));
    cr_expect_not(phases_come(&phases, 64, 0, 128, 600), "bytes that come before they are expected");
    cr_expect_not(phases_come(&phases, 64, 2, 0, 600));
    cr_expect(phases_come(&phases, 64, 0, -128, 700));
    cr_expect(phases_over(&phases, 64, 1, &when));
    cr_expect_eq(when, 700);
    cr_expect_not(phases_over(&phases, 0, 0, &when), "another barrier");
}
