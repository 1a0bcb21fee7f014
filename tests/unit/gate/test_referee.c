/* Tests what a candidate's verdict says first, and tasks of which nothing can be drawn. What it judges by is in
 * judge/test_certificate.c, and whole tasks are in tests/scripts/referee.sh. */
#include "gate/referee.h"
#include "test.h"

TestSuite(referee);

Test(referee, says_the_first_words_of_the_worst)
{
    struct certificate list[2] = {0};
    for (size_t i = 0; i < CERTIFICATE_RULES; i++)
        list[0].rows[i].words = list[1].rows[i].words = "well";
    list[0].rows[CERTIFICATE_INPUTS] = (struct certificate_row){.outcome = CERTIFICATE_UNDECIDED, .words = "kept"};
    list[1].rows[CERTIFICATE_SHARES] = (struct certificate_row){.outcome = CERTIFICATE_REFUSED, .words = "one block"};
    struct referee_result refereed = {.certificates = list, .certificate_count = 2, .outcome = CERTIFICATE_REFUSED};
    cr_expect_str_eq(referee_result_why(&refereed), "one block");
    refereed.certificate_count = 1;
    refereed.outcome = CERTIFICATE_UNDECIDED;
    cr_expect_str_eq(referee_result_why(&refereed), "kept");
    refereed.outcome = CERTIFICATE_ALLOWED;
    cr_expect_null(referee_result_why(&refereed));
}

Test(referee, a_task_that_is_not_there)
{
    struct problem said = {""}, *before = error_into(&said);
    OWNED(referee_inputs) inputs;
    const struct referee_request request = {.task = "/nowhere.capsule"};
    cr_expect_eq(referee_draw(&inputs, &request), EXIT_USAGE);
    error_into(before);
    expect_word(said.text, "/nowhere.capsule");
}
