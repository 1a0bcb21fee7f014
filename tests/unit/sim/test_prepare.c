#include "sim/prepare.h"
#include "test.h"

#include "cubin/cubin_support.h"
#include "cudart/runtime.h"

#define DESCRIPTION "metrics/gpus/nvidia-h200.ini"
#define SHARES "build/libkernels.so"

/* Links a library of one kernel with a runtime of its own, and returns its path. Caller frees. */
static char *link_library(const char *folder)
{
    OWNED_TEXT file = scratch_file(folder, "code.cu",
                                   "__global__ void k(int *out) { *out = 1; }\n"
                                   "void launch(int *out) { k<<<1, 1>>>(out); }\n");
    char *output = x_sprintf("%s/libcode.so", folder), *log = x_sprintf("%s.log", file);
    const char *const arguments[] = {"-arch=sm_90", "-Xcompiler=-fPIC", "-shared", "-cudart=static", "-o", output, file,
                                     NULL};
    compile_cuda(arguments, log);
    free(log);
    return output;
}

/* Of a kernel library, which has a backend. */
static const struct backend *of_library = &(const struct backend){.name = "any"};

static struct problem problem;

static int prepare(const char *library, const char *gpu)
{
    const struct job job = {.library = library, .gpu = gpu, .backend = of_library};
    setenv("CUGATE_NVDISASM", "/bin/true", 0); /* a program that exists; nothing is disassembled here */
    problem = (struct problem){0};
    return sim_prepare(&job, &problem);
}

Test(prepare, a_library_that_shares_the_runtime_is_fine)
{
    cr_expect_eq(prepare(SHARES, DESCRIPTION), 0, "%s", problem.text);
    cr_expect_not_null(runtime_gpu());
}

Test(prepare, one_with_a_runtime_of_its_own_is_refused)
{
    char *folder = scratch_make(), *library = link_library(folder);
    cr_expect_eq(prepare(library, DESCRIPTION), EXIT_USAGE);
    cr_expect(strstr(problem.text, library) && strstr(problem.text, "-cudart shared"), "%s", problem.text);
    free(library);
    scratch_remove(folder);
}

/* The name of the library that it needs is replaced by another of the same length. */
Test(prepare, one_for_another_version_is_refused)
{
    char *folder = scratch_make(), *library = x_sprintf("%s/libcode.so", folder), *bytes;
    static const char name[] = "libcudart.so.13";
    size_t length, changed = 0;
    cr_assert_eq(file_read(SHARES, 1u << 24, &bytes, &length), 0);
    for (size_t i = 0; i + sizeof name <= length; i++)
        if (memcmp(bytes + i, name, sizeof name) == 0) {
            bytes[i + strlen(name) - 1] = '2';
            changed++;
        }
    cr_assert_gt(changed, 0);
    FILE *file = fopen(library, "wb");
    cr_assert_eq(fwrite(bytes, 1, length, file), length);
    fclose(file);
    cr_expect_eq(prepare(library, DESCRIPTION), EXIT_USAGE);
    cr_expect(strstr(problem.text, "it needs libcudart.so.12"), "%s", problem.text);
    of_library = NULL;
    cr_expect_eq(prepare(library, DESCRIPTION), EXIT_SAME, "a program is loaded with that runtime");
    free(bytes);
    free(library);
    scratch_remove(folder);
}

Test(prepare, a_library_without_code_for_a_gpu_is_not_looked_into)
{
    OWNED_TEXT library = built("libtables.so");
    cr_expect_eq(prepare(library, DESCRIPTION), 0, "%s", problem.text);
    cr_expect_eq(prepare("absent.so", DESCRIPTION), 0, "loading it says what is wrong");
}

Test(prepare, only_what_instructions_are_known_of_can_be_simulated)
{
    char *text, *folder = scratch_make();
    size_t length;
    cr_assert_eq(file_read(DESCRIPTION, 1u << 20, &text, &length), 0);
    char *major = strstr(text, "attribute 75 = 9");
    cr_assert_not_null(major);
    major[strlen("attribute 75 = ")] = '7';
    OWNED_TEXT path = scratch_file(folder, "gpu.ini", text);
    cr_expect_eq(prepare("absent.so", path), EXIT_USAGE);
    cr_expect(strstr(problem.text, "code for compute capability 7.0 is not supported"), "%s", problem.text);
    cr_expect_eq(prepare("absent.so", "absent.ini"), EXIT_USAGE);
    cr_expect(strstr(problem.text, "absent.ini"), "%s", problem.text);
    cr_expect_null(runtime_gpu());
    free(text);
    scratch_remove(folder);
}

/* Otherwise every kernel would fail, as if that were the kernels' fault. */
Test(prepare, without_the_disassembler_nothing_is_measured)
{
    OWNED_TEXT library = built("libtables.so");
    setenv("CUGATE_NVDISASM", "/absent/nvdisasm", 1);
    cr_expect_eq(prepare(library, DESCRIPTION), EXIT_NOT_MEASURED);
    cr_expect(strstr(problem.text, "/absent/nvdisasm"), "%s", problem.text);
}

Test(prepare, the_only_gpu_beside_the_metrics_is_taken)
{
    struct metric metric = {0};
    const struct metrics metrics = {.list = &metric, .count = 1};
    struct job job = {.metrics = &metrics};
    char *metrics_folder = scratch_make(), *folder = x_sprintf("%s/gpus", metrics_folder);
    metric.file = x_sprintf("%s/core.ini", metrics_folder);
    cr_expect_null(gpu_file(&job, &problem));
    cr_expect(strstr(problem.text, "there is no description of a GPU in"), "%s", problem.text);
    cr_assert_eq(mkdir(folder, 0700), 0);
    free(scratch_file(folder, "one.ini", ""));
    free(scratch_file(folder, "notes.txt", ""));
    OWNED_TEXT path = gpu_file(&job, &problem), *wanted = x_sprintf("%s/one.ini", folder);
    cr_expect_str_eq(path, wanted);
    free(scratch_file(folder, "two.ini", ""));
    cr_expect_null(gpu_file(&job, &problem));
    cr_expect(strstr(problem.text, "several"), "%s", problem.text);
    job.gpu = "named.ini";
    OWNED_TEXT named = gpu_file(&job, &problem);
    cr_expect_str_eq(named, "named.ini");
    free(folder);
    free(metric.file);
    scratch_remove(metrics_folder);
}
