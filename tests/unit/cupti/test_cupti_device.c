#include "plugin_support.h"
#include "test.h"

Test(cupti_device, without_a_gpu_there_are_none_and_it_says_why)
{
    struct problem problem = {0};
    const int count = plugin()->count(&problem);
    if (count > 0)
        cr_skip_test("there is a GPU");
    cr_expect_eq(count, 0, "%s", problem.text);
    expect_word(problem.text, "driver");
    struct device device = {0};
    struct session session = {0};
    problem.text[0] = '\0';
    cr_expect_eq(plugin()->describe(0, &device, &session, &problem), -1);
    expect_word(problem.text, "driver");
    cr_expect_null(device.name);
}
