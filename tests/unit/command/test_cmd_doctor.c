#include "base/base.h"
#include "command/command.h"
#include "support.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* Before anything is measured, or looked at. What it says of machines is tests/gpu/run.sh's: catalogue. */
Test(cmd_doctor, a_collector_that_there_is_not)
{
    const struct options options = {.collector = "abacus", .metrics = "metrics", .kernels = "lib.so"};
    struct capture capture;
    capture_begin(&capture);
    cr_expect_eq(command_doctor.run(&options), EXIT_USAGE);
    char *said = capture_end(&capture);
    cr_expect_str_eq(said, "cugate: error: there is no collector 'abacus'; `cugate list --collectors` shows them\n");
    free(said);
}
