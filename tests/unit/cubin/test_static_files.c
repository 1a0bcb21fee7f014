#include "cubin_support.h"
#include "test.h"

/* Files made from data/small.cu: library.so and small.fatbin are for 8.0 and 9.0, cuda12.cubin is for 8.0 only.
 * other.fatbin has another plain(float*) and nothing else. */
#define SMALL CORPUS "small.fatbin"

struct fixture {
    struct metrics metrics;
    struct static_files files;
    struct run run;
};

static void read_run(struct fixture *fixture, char *const *paths, size_t count, int capability,
                     const struct run *baseline)
{
    static const struct run none;
    *fixture = (struct fixture){0};
    cr_assert_eq(metrics_read_folder(&fixture->metrics, "metrics"), 0);
    cr_assert_eq(static_files_read(&fixture->files, paths, count), 0);
    static_files_run(&fixture->run, &fixture->files, capability, baseline ? baseline : &none, &fixture->metrics);
}

static void tear_down(struct fixture *fixture)
{
    run_release(&fixture->run);
    static_files_release(&fixture->files);
    metrics_release(&fixture->metrics);
}

Test(static_files, functions_are_kernels)
{
    WITH(tear_down, struct fixture fixture,
         read_run(&fixture, (char *[]){(char[]){SMALL}, (char[]){CORPUS "library.so"}}, 2, 90, NULL));
    const struct run *run = &fixture.run;
    cr_expect_str_eq(run->device.name, "sm_90");
    cr_expect_str_eq(run->device.compute_capability, "9.0");
    cr_assert_eq(run->session_count, 1);
    cr_expect_str_eq(run->sessions[0].facts[SESSION_COMPILER], "ptxas 13.0.88");
    cr_expect_str_eq(run->sessions[0].facts[SESSION_COLLECTOR], "static");
    cr_expect_eq(run->result_count, 6);
    expect_fact(run, "small/plain", "registers", 10);
    expect_fact(run, "small/bounded", "shared_memory", 1024);
    expect_fact(run, "small/bounded", "theoretical_occupancy", -2);
    expect_fact(run, "library/stacked", "local_memory", 96);
    const struct result *result = run_find(run, "small/bounded");
    cr_assert_eq(result->launch_count, 1);
    cr_expect_str_eq(result->launches[0].function, "(anonymous namespace)::bounded(float const*, float*)");
    cr_expect_str_eq(result->launches[0].code, run_find(run, "library/bounded")->launches[0].code);
    cr_expect_eq(result->launches[0].machine.max_threads, 256);
}

Test(static_files, code_is_that_of_the_gpu)
{
    struct fixture fixture;
    read_run(&fixture, (char *[]){(char[]){SMALL}}, 1, 86, NULL);
    expect_fact(&fixture.run, "small/plain", "registers", 8);
    cr_expect(static_files_fit(&fixture.files, 0, 80));
    cr_expect(static_files_fit(&fixture.files, 0, 89));
    cr_expect(!static_files_fit(&fixture.files, 0, 75));
    cr_expect(!static_files_fit(&fixture.files, 0, 100));
    cr_expect(!static_files_fit(&fixture.files, 1, 80));
    tear_down(&fixture);
    read_run(&fixture, (char *[]){(char[]){CORPUS "cuda12.cubin"}, (char[]){SMALL}}, 2, 80, NULL);
    OWNED_TEXT one = static_files_architectures(&fixture.files, 0),
               *all = static_files_architectures(&fixture.files, SIZE_MAX);
    cr_expect_str_eq(one, "sm_80");
    cr_expect_str_eq(all, "sm_80, sm_90");
    tear_down(&fixture);
}

/* In two functions of one name, nobody knows which one is launched, so the worst counts. */
Test(static_files, functions_of_one_name_are_one_kernel)
{
    size_t length;
    OWNED_FOLDER folder = scratch_make();
    OWNED_TEXT path = x_sprintf("%s/small.fatbin", folder), *text = bytes_of(CORPUS "other.fatbin", &length);
    char *paths[] = {(char[]){SMALL}, path, (char[]){SMALL}};
    write_bytes(path, text, length);
    WITH(tear_down, struct fixture fixture, read_run(&fixture, paths, 3, 90, NULL));
    cr_expect_eq(fixture.run.result_count, 3);
    const struct result *result = run_find(&fixture.run, "small/plain");
    cr_assert_not_null(result);
    cr_expect_eq(result->launch_count, 2, "%zu: the same code twice is one", result->launch_count);
    cr_expect_eq(run_find(&fixture.run, "small/stacked")->launch_count, 1);
}

Test(static_files, what_the_baseline_calls_a_function_stays)
{
    OWNED(run) baseline = {0};
    static const char *const ids[] = {"small/plain~0000", "another/bounded", "small/gone"};
    static const char *const functions[] = {"plain(float*)", "(anonymous namespace)::bounded(float const*, float*)",
                                            "gone()"};
    for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
        struct result *result = run_add(&baseline, ids[i]);
        ARRAY_GROW(result->launches, result->launch_count)->function = x_strdup(functions[i]);
    }
    run_add(&baseline, "small/without_launch");
    WITH(tear_down, struct fixture fixture, read_run(&fixture, (char *[]){(char[]){SMALL}}, 1, 90, &baseline));
    cr_expect_eq(fixture.run.result_count, 3);
    cr_expect_not_null(run_find(&fixture.run, "small/plain~0000"));
    cr_expect_not_null(run_find(&fixture.run, "small/bounded"), "that of another family says nothing");
    cr_expect_not_null(run_find(&fixture.run, "small/stacked"));
}

/* Makes a folder with one cubin and a description beside it (NULL: none). */
static char *make_cache(const char *description)
{
    char *folder = scratch_make();
    size_t length;
    OWNED_TEXT below = x_sprintf("%s/one", folder), *path = x_sprintf("%s/k.cubin", below);
    OWNED_TEXT text = bytes_of(CORPUS "cuda12.cubin", &length);
    cr_assert_eq(make_folders(below), 0);
    write_bytes(path, text, length);
    if (description)
        free(scratch_file(below, "k.json", description));
    return folder;
}

static void expect_described(const char *where, const char *description, const char *facts)
{
    const char *const id = cut_at(&facts, " ");
    char *folder = make_cache(strcmp(description, "none") == 0 ? NULL : description);
    WITH(tear_down, struct fixture fixture, read_run(&fixture, (char *[]){folder}, 1, 80, NULL));
    cr_expect(run_find(&fixture.run, id), "%s: %s", where, id);
    expect_fact(&fixture.run, id, "theoretical_occupancy", leading_number(&facts));
    expect_fact(&fixture.run, id, "shared_memory", leading_number(&facts));
    scratch_remove(folder);
}

TEXTS(static_files, a_description_beside_a_cubin_says_in_what_blocks, "tests/unit/cubin/static_files.txt",
      expect_described)

static void expect_error(char *path, const char *words)
{
    struct static_files files;
    HEAR(result, static_files_read(&files, &path, 1));
    cr_expect_eq(result, -1, "%s", path);
    cr_expect(strstr(said, words), "%s: %s", path, said);
    cr_expect_eq(files.count, 0);
}

Test(static_files, what_cannot_be_judged_is_said)
{
    expect_error((char[]){CORPUS "no_such"}, "cannot read " CORPUS "no_such");
    expect_error((char[]){CORPUS "cut.fatbin"}, "cut.fatbin");
    expect_error((char[]){"tests/data"}, "no .cubin file in tests/data or its subfolders");
    char *folder = make_cache("{\"num_warps\": ");
    expect_error(folder, "one/k.json:1:");
    scratch_remove(folder);
    /* A fatbin with PTX only. */
    static const unsigned char ptx[] = {0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0, 18, 0, 0, 0, 0, 0, 0, 0,   1,
                                        0,    1,    1,    16,   0, 0, 0,  2, 0,  0, 0, 0, 0, 0, 0, '/', '/'};
    folder = scratch_make();
    OWNED_TEXT path = x_sprintf("%s/ptx.fatbin", folder);
    write_bytes(path, ptx, sizeof ptx);
    expect_error(path, "contains no machine code for a GPU");
    FILE *stream = fopen(path, "r+");
    cr_assert_eq(fseek(stream, 16, SEEK_SET), 0);
    fputc(2, stream); /* writes an entry whose code is no ELF file */
    fclose(stream);
    expect_error(path, "can only be judged in part: build it with nvcc --compress-mode=none");
    scratch_remove(folder);
}

Test(static_files, a_capability_is_no_gpu)
{
    struct device device, gpu = {.name = (char[]){"NVIDIA H200"}, .compute_capability = (char[]){"9.0"}};
    static_files_device(&device, 120);
    cr_expect_str_eq(device.name, "sm_120");
    cr_expect_str_eq(device.compute_capability, "12.0");
    cr_expect(static_files_is_device(&device));
    cr_expect(!static_files_is_device(&gpu));
    cr_expect(!static_files_is_device(&(struct device){0}));
    free(device.name);
    free(device.compute_capability);
}
