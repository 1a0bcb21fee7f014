#include "base/base.h"
#include "command/command.h"
#include "command/doctor.h"
#include "support.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

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

/* A line that is not ok without a word on what mends it leaves its reader alone. */
Test(cmd_doctor, every_check_has_its_remedy)
{
    size_t count;
    const struct doctor_check *checks = doctor_checks(&count);
    cr_assert_geq(count, 5u);
    for (size_t i = 0; i < count; i++) {
        static const enum health bad[] = {HEALTH_BAD, HEALTH_UNKNOWN};
        cr_expect(checks[i].title && checks[i].look, "check %zu", i);
        cr_expect(checks[i].remedy && strlen(checks[i].remedy) > 20, "%s has no remedy", checks[i].title);
        for (size_t b = 0; b < ARRAY_SIZE(bad); b++) {
            char *said = NULL;
            size_t size;
            const struct text text = {.stream = open_memstream(&said, &size), .columns = 80};
            doctor_say(&text, &checks[i], bad[b], "made up");
            fclose(text.stream);
            cr_expect(strstr(said, "\n                      remedy: "), "%s", said);
            cr_expect(strstr(said, b == 0 ? "FAIL  " : "-     ") == said, "%s", said);
            free(said);
        }
        char *said = NULL;
        size_t size;
        const struct text text = {.stream = open_memstream(&said, &size)};
        doctor_say(&text, &checks[i], HEALTH_GOOD, "made up");
        fclose(text.stream);
        cr_expect(strncmp(said, "ok    ", 6) == 0 && !strstr(said, "remedy"), "%s", said);
        free(said);
    }
}
