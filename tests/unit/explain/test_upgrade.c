#include "compare_support.h"
#include "explain/explain.h"
#include "test.h"

static const struct launch is = {.code = (char *)"2",
                                 .mix = (char *)"m",
                                 .grid = {8, 1, 1},
                                 .block = {256, 1, 1},
                                 .times = 1,
                                 .has_machine = true,
                                 .machine = {.registers = 32}};

/* Gives the kernel of both runs a launch: in the baseline that one, by other code. */
static void put_launches(struct fixture *fixture, const char *kernel, const struct launch *now)
{
    for (size_t i = 0; i < 2; i++) {
        struct result *result = run_find(i == 0 ? &fixture->base : &fixture->run, kernel);
        struct launch *launch = ARRAY_GROW(result->launches, result->launch_count);
        *launch = i == 0 ? is : *now;
        launch->code = x_strdup(i == 0 ? "1" : launch->code);
        launch->mix = x_strdup(launch->mix);
    }
}

static struct fixture set_up_sides(const char *was, const char *now)
{
    struct fixture fixture = set_up();
    put_fact(&fixture.base, SESSION_COMPILER, was);
    put_fact(&fixture.run, SESSION_COMPILER, now);
    free(fixture.base.device.compute_capability);
    fixture.base.device.compute_capability = strdup("9.0");
    free(fixture.run.device.compute_capability);
    fixture.run.device.compute_capability = strdup("9.0");
    return fixture;
}

Test(upgrade, each_kernel_has_a_class)
{
    struct launch rows[UPGRADE_CLASSES];
    for (int class = 0; class < UPGRADE_CLASSES; class ++)
        rows[class] = is;
    rows[UPGRADE_LAUNCH].block[0] = 128;
    rows[UPGRADE_SAME].code = (char *)"1";
    rows[UPGRADE_REGISTERS].machine.local_bytes = 32;
    rows[UPGRADE_INSTRUCTIONS].mix = (char *)"n";
    rows[UPGRADE_UNKNOWN].mix = NULL;
    for (enum upgrade_class class = 0; class < UPGRADE_CLASSES; class ++) {
        AT_END(tear_down) struct fixture fixture = set_up_sides("nvcc 1", "nvcc 2");
        OWNED(upgrade) upgrade;
        put_each(&fixture, "a/b", "count", 7, 7);
        put_launches(&fixture, "a/b", &rows[class]);
        upgrade_make(&upgrade, compare(&fixture), &fixture.base, &fixture.run);
        cr_assert_eq(upgrade.count, class == UPGRADE_SAME ? 0 : 1, "%s", upgrade_class_name(class));
        cr_expect_eq(upgrade.same, class == UPGRADE_SAME ? 1 : 0, "%s", upgrade_class_name(class));
        if (upgrade.count > 0) {
            cr_expect_eq(upgrade.list[0].class, class, "%s", upgrade_class_name(class));
            cr_expect_str_eq(upgrade.was, "nvcc 1");
            cr_expect_str_eq(upgrade.is, "nvcc 2");
        }
    }
}

/* Registers alone, or so many more that fewer warps fit, though the instructions are others, too. */
Test(upgrade, registers_count_where_they_cost_something)
{
    static const struct {
        unsigned registers;
        char *mix;
        enum upgrade_class class;
    } rows[] = {{34, (char *)"m", UPGRADE_REGISTERS},
                {34, (char *)"n", UPGRADE_REGISTERS}, /* 48 warps fit, where it were 64 */
                {24, (char *)"n", UPGRADE_INSTRUCTIONS}};
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up_sides("nvcc 1", "nvcc 2");
        OWNED(upgrade) upgrade;
        struct launch launch = is;
        launch.machine.registers = rows[i].registers;
        launch.mix = rows[i].mix;
        put_each(&fixture, "a/b", "count", 7, 7);
        put_launches(&fixture, "a/b", &launch);
        upgrade_make(&upgrade, compare(&fixture), &fixture.base, &fixture.run);
        cr_assert_eq(upgrade.count, 1);
        cr_expect_eq(upgrade.list[0].class, rows[i].class, "row %zu: %s", i, upgrade_class_name(upgrade.list[0].class));
        expect_word(upgrade.list[0].change, "registers 32 -> ");
    }
}

Test(upgrade, what_lost_most_time_comes_first_by_its_pairs)
{
    static const char *const names[] = {"a/faster", "a/paired", "a/slower"};
    static const double times[] = {90000, 100000, 101000};
    AT_END(tear_down) struct fixture fixture = set_up_sides("nvcc 1", "nvcc 2");
    struct upgrade upgrade;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        put_sides(&fixture, names[i], "time", 100000, 10, times[i], 2);
        put_launches(&fixture, names[i], &is);
    }
    struct row *paired = result_find(run_find(&fixture.run, "a/paired"), "time");
    for (size_t pair = 0; pair < RULE_PAIR_COUNT; pair++)
        row_add_pair(paired, 100000, pair % 2 ? 104000 : 106000);
    upgrade_make(&upgrade, compare(&fixture), &fixture.base, &fixture.run);
    cr_assert_eq(upgrade.count, 3);
    cr_expect_str_eq(upgrade.list[0].kernel, "a/paired");
    cr_expect_eq(upgrade.list[0].lost, 5000);
    cr_expect_str_eq(upgrade.list[1].kernel, "a/slower");
    cr_expect_str_eq(upgrade.list[2].kernel, "a/faster");
    cr_expect_eq(upgrade.list[2].lost, -10000);
    cr_expect_eq(upgrade.part_count, 0, "no library is known");
    upgrade_release(&upgrade);

    run_find(&fixture.run, "a/paired")->launched_by = strdup("model.py:42 (forward), libcublasLt.so.13");
    run_find(&fixture.run, "a/slower")->launched_by = strdup("libcublasLt.so.13");
    upgrade_make(&upgrade, &fixture.comparison, &fixture.base, &fixture.run);
    cr_assert_eq(upgrade.part_count, 2);
    cr_expect_str_eq(upgrade.parts[0].library, "libcublasLt.so.13");
    cr_expect_eq(upgrade.parts[0].lost, 6000);
    cr_expect_str_eq(upgrade.parts[1].library, "");
    upgrade_release(&upgrade);
}

Test(upgrade, one_compiler_s_kernels_and_unknown_code_are_not_listed)
{
    static const char *const compilers[] = {"nvcc 1", "nvcc 2"};
    for (size_t i = 0; i < ARRAY_SIZE(compilers); i++) {
        AT_END(tear_down) struct fixture fixture = set_up_sides("nvcc 1", compilers[i]);
        OWNED(upgrade) upgrade;
        put_each(&fixture, "a/b", "count", 7, 7);
        if (i == 0)
            put_launches(&fixture, "a/b", &is); /* else it launches nothing that is known */
        upgrade_make(&upgrade, compare(&fixture), &fixture.base, &fixture.run);
        cr_expect_eq(upgrade.count, 0);
        cr_expect_null(upgrade.is);
    }
}
