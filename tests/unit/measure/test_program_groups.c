#include "measure/program_parts.h"
#include "names/names.h"
#include "test.h"

#include <xxhash.h>

enum { MOST = 100, CAPABILITY = 90 };

struct fixture {
    char *folder; /* of modules */
    struct program program;
    struct measurement measurement;
    struct program_groups groups;
    struct run run; /* a result for each group, as of the processes */
};

static void set_up(struct fixture *fixture)
{
    *fixture = (struct fixture){.folder = scratch_make()};
    fixture->program.name = "app";
    fixture->measurement.program = &fixture->program;
}

static void tear_down(struct fixture *fixture)
{
    program_groups_release(&fixture->groups);
    run_release(&fixture->run);
    scratch_remove(fixture->folder);
}

static bool try_take(struct fixture *fixture, const char *text, struct program_group **group)
{
    return program_group_take(&fixture->groups, &fixture->measurement, fixture->folder, CAPABILITY, text, MOST, group);
}

static struct program_group *take(struct fixture *fixture, const char *text)
{
    struct program_group *group;
    cr_assert(try_take(fixture, text, &group), "%s", text);
    cr_assert_not_null(group, "%s", text);
    return group;
}

/* The final id of the group; its result has it, too. */
static void expect_names(struct fixture *fixture, const char *const *names, size_t count)
{
    cr_assert_eq(fixture->groups.count, count);
    for (size_t i = 0; i < count; i++)
        run_add(&fixture->run, fixture->groups.list[i]->id);
    cr_expect_eq(fixture->run.result_count, count, "two groups have one id");
    program_groups_name(&fixture->groups, "app", &fixture->run);
    for (size_t i = 0; i < count; i++) {
        cr_expect_str_eq(fixture->groups.list[i]->id, names[i]);
        cr_expect_not_null(run_find(&fixture->run, names[i]), "%s", names[i]);
    }
}

/* A module's file: one of the corpus', and so many zeros; its name is its hash. Caller frees. */
static char *add_module(const struct fixture *fixture, const char *of, size_t zeros)
{
    size_t length;
    OWNED_TEXT bytes = bytes_of(of, &length);
    bytes = x_realloc(bytes, length + zeros, 1);
    memset(bytes + length, 0, zeros);
    char *name = x_sprintf("%016llx", (unsigned long long)XXH3_64bits(bytes, length + zeros));
    OWNED_TEXT path = x_sprintf("%s/%s.cubin", fixture->folder, name);
    write_bytes(path, bytes, length + zeros);
    return name;
}

/* Of a launch of plain() in that module, in a grid of one block. */
static struct program_group *take_plain(struct fixture *fixture, int threads, const char *module)
{
    OWNED_TEXT text = x_sprintf("launch\n1 1 1 %d 1 1 0 0 %s _Z5plainPf\n", threads, module);
    struct program_group *group = take(fixture, text);
    return group;
}

Test(program_groups, launches_of_one_function_in_one_shape_are_one_group)
{
    WITH(tear_down, struct fixture fixture, set_up(&fixture));
    struct program_group *first = take(&fixture, "launch\n64 1 1 256 1 1 0 0 - add\n");
    cr_expect_eq(take(&fixture, "launch\n64 1 1 256 1 1 0 0 - add\n"), first);
    /* Of a module that left no file nothing is known, so it may be the same. */
    cr_expect_eq(take(&fixture, "launch\n64 1 1 256 1 1 0 0 0123456789abcdef add\n"), first);
    take(&fixture, "launch\n64 2 1 256 1 1 0 0 - add\n");
    cr_expect_eq(take(&fixture, "launch\n64 1 3 8 8 1 1024 1 - add\n")->launches[0].launch.carve_out, 1);
    take(&fixture, "launch\n64 1 1 256 1 1 0 0 - _Z5scaleIiEvPT_ii\n");
    expect_names(
        &fixture,
        (const char *[]){"app/add@64,256", "app/add@64x2,256", "app/add@64x1x3,8x8,1024", "app/scale<int>@64,256"}, 4);
}

/* As long as not all are known both are called scale; then each has digits of its whole name. */
Test(program_groups, functions_of_one_short_name_are_told_apart)
{
    WITH(tear_down, struct fixture fixture, set_up(&fixture));
    char *names[2];
    kernel_unique_names((const char *[]){"a::scale(int*)", "b::scale(int*)"}, 2, names);
    cr_assert_str_neq(names[0], names[1]);
    take(&fixture, "launch\n1 1 1 32 1 1 0 0 - _ZN1a5scaleEPi\n");
    take(&fixture, "launch\n1 1 1 32 1 1 0 0 - _ZN1b5scaleEPi\n");
    take(&fixture, "launch\n2 1 1 32 1 1 0 0 - _ZN1b5scaleEPi\n");
    char *ids[] = {x_sprintf("app/%s@1,32", names[0]), x_sprintf("app/%s@1,32", names[1]),
                   x_sprintf("app/%s@2,32", names[1])};
    expect_names(&fixture, (const char *const *)ids, 3);
    for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
        free(ids[i]);
    free(names[0]);
    free(names[1]);
}

/* As Triton makes them. */
Test(program_groups, namesakes_of_other_code_are_numbered_in_their_order)
{
    WITH(tear_down, struct fixture fixture, set_up(&fixture));
    OWNED_TEXT first = add_module(&fixture, "tests/fuzz/corpus/cubin/small.fatbin", 0);
    OWNED_TEXT second = add_module(&fixture, "tests/fuzz/corpus/cubin/other.fatbin", 0);
    OWNED_TEXT copy = add_module(&fixture, "tests/fuzz/corpus/cubin/small.fatbin", 8);
    struct program_group *small = take_plain(&fixture, 32, first);
    cr_assert_not_null(small->launches[0].launch.code);
    take_plain(&fixture, 32, second);
    cr_expect_eq(take_plain(&fixture, 32, copy), small);
    take_plain(&fixture, 64, second);
    cr_expect_str_eq(fixture.groups.list[1]->launches[0].launch.code, fixture.groups.list[2]->launches[0].launch.code);
    expect_names(&fixture, (const char *[]){"app/plain@1,32", "app/plain@1,32#2", "app/plain@1,64"}, 3);
}

/* The module of a launch is unknown in one run, and known in the next. */
Test(program_groups, code_that_is_unknown_is_that_of_the_only_namesake)
{
    WITH(tear_down, struct fixture fixture, set_up(&fixture));
    OWNED_TEXT first = add_module(&fixture, "tests/fuzz/corpus/cubin/small.fatbin", 0);
    OWNED_TEXT second = add_module(&fixture, "tests/fuzz/corpus/cubin/other.fatbin", 0);
    struct program_group *group = take_plain(&fixture, 32, "-");
    cr_expect_null(group->launches[0].launch.code);
    cr_expect_eq(take_plain(&fixture, 32, first), group);
    cr_assert_not_null(group->launches[0].launch.code);
    cr_expect_eq(take_plain(&fixture, 32, "0123456789abcdef"), group); /* that of a module that is gone */
    struct program_group *other = take_plain(&fixture, 32, second);
    cr_expect_neq(other, group);
    cr_expect_neq(take_plain(&fixture, 32, "fedcba9876543210"), other); /* one of two */
    cr_expect_eq(fixture.groups.count, 3);
}

Test(program_groups, an_image_of_another_hash_is_none)
{
    WITH(tear_down, struct fixture fixture, set_up(&fixture));
    OWNED_TEXT name = add_module(&fixture, "tests/fuzz/corpus/cubin/small.fatbin", 0);
    OWNED_TEXT from = x_sprintf("%s/%s.cubin", fixture.folder, name);
    OWNED_TEXT to = x_sprintf("%s/0123456789abcdef.cubin", fixture.folder);
    cr_assert_eq(rename(from, to), 0);
    cr_expect_null(take_plain(&fixture, 32, "0123456789abcdef")->launches[0].launch.code);
}

Test(program_groups, a_graph_is_named_by_its_kernels)
{
    static const char two[] = "graph\n1 1 1 32 1 1 0 0 - first\n2 1 1 32 1 1 0 0 - second\n",
                      wider[] = "graph\n1 1 1 64 1 1 0 0 - first\n2 1 1 32 1 1 0 0 - second\n";
    WITH(tear_down, struct fixture fixture, set_up(&fixture));
    const struct program_group *group = take(&fixture, two);
    cr_expect(group->graph);
    cr_expect_eq(group->count, 2);
    take(&fixture, wider);
    struct program_group *empty = take(&fixture, "graph\n");
    cr_expect_eq(empty->count, 0);

    OWNED_TEXT many = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&many, &size);
    fprintf(stream, "graph\n");
    for (int i = 0; i < 30; i++)
        fprintf(stream, "1 1 1 32 1 1 0 0 - kernel_%d\n", i);
    fclose(stream);
    take(&fixture, many);

    for (size_t i = 0; i < fixture.groups.count; i++)
        run_add(&fixture.run, fixture.groups.list[i]->id);
    program_groups_name(&fixture.groups, "app", &fixture.run);
    char *const ids[] = {fixture.groups.list[0]->id, fixture.groups.list[1]->id, fixture.groups.list[3]->id};
    cr_expect_eq(strncmp(ids[0], "app/graph:first+second~", 23), 0, "%s", ids[0]);
    cr_expect_eq(strncmp(ids[1], "app/graph:first+second~", 23), 0, "%s", ids[1]);
    cr_expect_str_neq(ids[0], ids[1], "of other shapes");
    expect_words(ids[2], "kernel_0+kernel_1+", "_more~");
    for (size_t i = 0; i < fixture.groups.count; i++)
        cr_expect_gt(id_length(fixture.groups.list[i]->id), 0, "%s is no id", fixture.groups.list[i]->id);
}

static void expect_chosen(const char *where, const char *glob, const char *chosen)
{
    const bool wanted = strcmp(chosen, "yes") == 0;
    char *globs[] = {(char *)glob};
    WITH(tear_down, struct fixture fixture, set_up(&fixture));
    fixture.measurement.globs = globs;
    fixture.measurement.glob_count = 1;
    cr_expect_eq(take(&fixture, "launch\n1 1 1 32 1 1 0 0 - _ZN1a5scaleEPi\n")->wanted, wanted, "%s", where);
    HEAR(result, program_groups_expect(&fixture.groups, globs, 1));
    cr_expect_eq(result, wanted ? 0 : -1, "%s", where);
    cr_expect_eq(strstr(said, glob) != NULL, !wanted, "%s: %s", where, said);
}

TEXTS(program_groups, globs_choose_by_the_name_that_a_report_shows, "tests/unit/measure/program_groups.txt#globs",
      expect_chosen)

static void expect_refused(const char *where, const char *text, const char *nothing)
{
    WITH(tear_down, struct fixture fixture, set_up(&fixture));
    struct program_group *group;
    cr_expect(!try_take(&fixture, text, &group) && !*nothing && fixture.groups.count == 0, "%s", where);
}

TEXTS(program_groups, nonsense_is_refused, "tests/unit/measure/program_groups.txt#nonsense", expect_refused)

Test(program_groups, too_many_are_not_taken)
{
    WITH(tear_down, struct fixture fixture, set_up(&fixture));
    struct program_group *group;
    for (unsigned i = 1; i <= MOST + 1; i++) {
        char text[64];
        snprintf(text, sizeof text, "launch\n%u 1 1 32 1 1 0 0 - add\n", i);
        cr_expect(try_take(&fixture, text, &group));
        cr_expect_eq(group != NULL, i <= MOST, "%u", i);
    }
    cr_expect_not_null(take(&fixture, "launch\n1 1 1 32 1 1 0 0 - add\n")); /* known before */
    cr_expect_eq(fixture.groups.count, MOST);
}
