#include "command/command.h"
#include "command/doctor.h"
#include "test.h"

/* It is refused before anything is measured or checked. tests/gpu/run.sh tests the checks themselves. */
Test(cmd_doctor, a_collector_that_there_is_not)
{
    const struct options options = {.collector = "abacus", .metrics = "metrics", .kernels = "lib.so"};
    HEAR(result, command_doctor.run(&options));
    cr_expect_eq(result, EXIT_USAGE);
    cr_expect_str_eq(said, "cugate: error: unknown collector 'abacus'; `cugate list collectors` shows them\n");
}

/* Returns a finding as it is printed. Caller frees. */
static char *say(int columns, const char *title, enum health health, const char *remedy)
{
    char *said = NULL, words[] = "made up";
    size_t size;
    const struct text text = {.stream = open_memstream(&said, &size), .columns = columns};
    const struct diagnosed finding = {.health = health, .words = words, .remedy = remedy};
    doctor_say(&text, title, &finding);
    fclose(text.stream);
    return said;
}

/* A finding that is not good must tell its reader what to do. */
Test(cmd_doctor, every_check_has_its_remedy)
{
    size_t count;
    const struct doctor_check *checks = doctor_checks(&count);
    cr_assert_geq(count, 5u);
    for (size_t i = 0; i < count; i++) {
        static const enum health bad[] = {HEALTH_BAD, HEALTH_UNKNOWN};
        cr_expect(checks[i].title && checks[i].look, "check %zu", i);
        cr_expect(checks[i].remedy && strlen(checks[i].remedy) > 20, "%s has no remedy", checks[i].title);
        cr_expect(!checks[i].remedy_installed || !strstr(checks[i].remedy_installed, "make"), "%s: no tree is there",
                  checks[i].title);
        for (size_t b = 0; b < ARRAY_SIZE(bad); b++) {
            OWNED_TEXT said = say(80, checks[i].title, bad[b], checks[i].remedy);
            expect_word(said, "\n                      remedy: ");
            cr_expect(strstr(said, b == 0 ? "FAIL  " : "-     ") == said, "%s", said);
        }
        OWNED_TEXT said = say(0, checks[i].title, HEALTH_GOOD, checks[i].remedy);
        cr_expect(strncmp(said, "ok    ", 6) == 0 && !strstr(said, "remedy"), "%s", said);
    }
}

/* A check comes before those that fail because of it; measuring is the proof of those above it. */
Test(cmd_doctor, first_things_are_first)
{
    static const char *const order[] = {"GPU", "CUPTI", "counter access", "kernel library", "measuring", "computing"};
    size_t count;
    const struct doctor_check *checks = doctor_checks(&count);
    cr_assert_eq(count, ARRAY_SIZE(order));
    for (size_t i = 0; i < count; i++)
        cr_expect_str_eq(checks[i].title, order[i]);
}
