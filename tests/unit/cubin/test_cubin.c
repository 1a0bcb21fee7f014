#include "base/base.h"
#include "cubin/cubin.h"
#include "model/run.h"
#include "support.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define CORPUS "tests/fuzz/corpus/cubin/"

static const struct cubin_function *find(const struct cubin *cubin, const char *name, int capability)
{
    enum cubin_lack lack;
    return cubin_find(cubin, name, capability, &lack);
}

static void expect_equal(const char *label, const struct cubin_function *found, const struct cubin_function *expected)
{
    cr_expect_eq(found->capability, expected->capability, "%s: capability %d", label, found->capability);
    cr_expect_eq(found->registers, expected->registers, "%s: %u registers", label, found->registers);
    cr_expect_eq(found->local_bytes, expected->local_bytes, "%s: %u bytes of stack", label, found->local_bytes);
    cr_expect_eq(found->shared_bytes, expected->shared_bytes, "%s: %u bytes shared", label, found->shared_bytes);
    cr_expect_eq(found->max_threads, expected->max_threads, "%s: %u threads", label, found->max_threads);
    cr_expect_eq(found->barriers, expected->barriers, "%s: %u barriers", label, found->barriers);
}

/* Numbers from what ptxas printed when it made the files of tests/data/small.cu. */
Test(cubin, facts_of_every_kind_of_file)
{
    static const char bounded[] = "(anonymous namespace)::bounded(float const*, float*)";
    static const char stacked[] = "stacked(float const*, float*, int)";
    static const struct {
        const char *file;
        size_t count;
        struct cubin_function functions[6];
    } cases[] = {
        {CORPUS "small.fatbin",
         6,
         {{(char *)bounded, 80, NULL, 14, 0, 1024, 256, 1, 0},
          {(char *)bounded, 90, NULL, 12, 0, 1024, 256, 1, 0},
          {(char *)"plain(float*)", 80, NULL, 8, 0, 0, 0, 0, 0},
          {(char *)"plain(float*)", 90, NULL, 10, 0, 0, 0, 0, 0},
          {(char *)stacked, 80, NULL, 32, 96, 0, 0, 0, 0},
          {(char *)stacked, 90, NULL, 32, 96, 0, 0, 0, 0}}},
        {CORPUS "library.so",
         6,
         {{(char *)bounded, 80, NULL, 14, 0, 1024, 256, 1, 0},
          {(char *)bounded, 90, NULL, 12, 0, 1024, 256, 1, 0},
          {(char *)"plain(float*)", 80, NULL, 8, 0, 0, 0, 0, 0},
          {(char *)"plain(float*)", 90, NULL, 10, 0, 0, 0, 0, 0},
          {(char *)stacked, 80, NULL, 32, 96, 0, 0, 0, 0},
          {(char *)stacked, 90, NULL, 32, 96, 0, 0, 0, 0}}},
        {CORPUS "cuda12.cubin",
         3,
         {{(char *)bounded, 80, NULL, 14, 0, 1024, 256, 1, 0},
          {(char *)"plain(float*)", 80, NULL, 8, 0, 0, 0, 0, 0},
          {(char *)stacked, 80, NULL, 32, 96, 0, 0, 0, 0}}},
        {CORPUS "other.fatbin",
         2,
         {{(char *)"plain(float*)", 80, NULL, 8, 0, 0, 0, 0, 0},
          {(char *)"plain(float*)", 90, NULL, 10, 0, 0, 0, 0, 0}}},
    };
    for (size_t i = 0; i < ROWS(cases); i++) {
        struct cubin cubin;
        cr_assert_eq(cubin_read(&cubin, cases[i].file), 0, "%s", cases[i].file);
        cr_assert_eq(cubin.count, cases[i].count, "%s: %zu", cases[i].file, cubin.count);
        for (size_t k = 0; k < cubin.count; k++) {
            cr_expect_str_eq(cubin.list[k].name, cases[i].functions[k].name);
            expect_equal(cases[i].file, &cubin.list[k], &cases[i].functions[k]);
        }
        cubin_release(&cubin);
    }
}

/* ptxas 12.9 and 13.0 made the same of it. */
Test(cubin, the_hash_is_of_the_code_and_not_of_its_wrapping)
{
    struct cubin new, old, other;
    cr_assert_eq(cubin_read(&new, CORPUS "small.fatbin"), 0);
    cr_assert_eq(cubin_read(&old, CORPUS "cuda12.cubin"), 0);
    cr_assert_eq(cubin_read(&other, CORPUS "other.fatbin"), 0);
    for (size_t k = 0; k < old.count; k++) {
        const struct cubin_function *same = find(&new, old.list[k].name, 80);
        cr_assert_not_null(same);
        cr_expect_str_eq(same->code, old.list[k].code, "%s", same->name);
    }
    cr_expect_str_neq(find(&new, "plain(float*)", 90)->code, find(&other, "plain(float*)", 90)->code);
    cr_expect_str_neq(find(&new, "plain(float*)", 90)->code, find(&new, "plain(float*)", 80)->code);
    cubin_release(&new);
    cubin_release(&old);
    cubin_release(&other);
}

/* ---- Finding ---- */

Test(cubin, the_gpu_s_own_code_comes_first_then_the_nearest_older_of_its_kind)
{
    static char name[] = "f()", a[] = "a", b[] = "b", c[] = "c";
    static struct cubin_function list[] = {
        {.name = (char *)"e()", .capability = 80, .code = a}, {.name = name, .capability = 75, .code = a},
        {.name = name, .capability = 80, .code = a},          {.name = name, .capability = 80, .code = a},
        {.name = name, .capability = 86, .code = b},          {.name = name, .capability = 89, .code = b},
        {.name = name, .capability = 89, .code = c},          {.name = name, .capability = 89, .code = c},
        {.name = name, .capability = 120, .code = c},         {.name = (char *)"g()", .capability = 90, .code = a},
    };
    static const struct cubin cubin = {list, ROWS(list), 0};
    static const struct {
        const char *name;
        int capability;
        enum cubin_lack lack;
        int found;
    } cases[] = {
        {"f()", 75, CUBIN_FOUND, 75},     {"f()", 80, CUBIN_FOUND, 80},     {"f()", 86, CUBIN_FOUND, 86},
        {"f()", 87, CUBIN_FOUND, 86},     {"f()", 89, CUBIN_SEVERAL, 0},    {"f()", 121, CUBIN_FOUND, 120},
        {"f()", 70, CUBIN_OTHER_GPUS, 0}, {"f()", 90, CUBIN_OTHER_GPUS, 0}, {"f()", 0, CUBIN_OTHER_GPUS, 0},
        {"e()", 90, CUBIN_OTHER_GPUS, 0}, {"g()", 90, CUBIN_FOUND, 90},     {"h()", 90, CUBIN_ABSENT, 0},
        {"", 90, CUBIN_ABSENT, 0},        {"f", 80, CUBIN_ABSENT, 0},
    };
    for (size_t i = 0; i < ROWS(cases); i++) {
        enum cubin_lack lack;
        const struct cubin_function *found = cubin_find(&cubin, cases[i].name, cases[i].capability, &lack);
        cr_expect_eq(lack, cases[i].lack, "%s for %d: %d", cases[i].name, cases[i].capability, (int)lack);
        cr_expect_eq(found ? found->capability : 0, cases[i].found, "%s for %d", cases[i].name, cases[i].capability);
    }
}

Test(cubin, cub_s_namespace_is_the_same_for_other_architectures)
{
    static const char *const names[] = {"void cub::CUB_300001_SM_900::f<cub::CUB_300001_SM_900::g>()",
                                        "void cub::CUB_300001_SM_800_900::f<cub::CUB_300001_SM_800_900::g>()",
                                        "void cub::CUB_300001::f<cub::CUB_300001::g>()"};
    static struct cubin_function list[] = {
        {.name = (char *)"void cub::CUB_300001::f<cub::CUB_300001::g>()", .capability = 90, .code = (char *)"a"}};
    static const struct cubin cubin = {list, ROWS(list), 0};
    enum cubin_lack lack;
    for (size_t i = 0; i < ROWS(names); i++)
        cr_expect_not_null(cubin_find(&cubin, names[i], 90, &lack), "%s", names[i]);
    cr_expect_null(cubin_find(&cubin, "void cub::CUB_300002_SM_900::f<cub::CUB_300002_SM_900::g>()", 90, &lack));
}

/* ---- Files that are none ---- */

Test(cubin, a_library_without_gpu_code_is_empty)
{
    char *folder = program_folder();
    char *path = x_sprintf("%s/libtables.so", folder);
    struct cubin cubin;
    cr_expect_eq(cubin_read(&cubin, path), 0);
    cr_expect_eq(cubin.count, 0);
    cubin_release(&cubin);
    free(path);
    free(folder);
}

static char *corpus_bytes(const char *name, size_t *length)
{
    char *path = x_sprintf(CORPUS "%s", name), *bytes;
    cr_assert_eq(file_read(path, 1 << 20, &bytes, length), 0);
    free(path);
    return bytes;
}

/* Writes little-endian. */
static void put(char *bytes, size_t place, size_t length, unsigned long long number)
{
    for (size_t i = 0; i < length; i++)
        bytes[place + i] = (char)(number >> (8 * i));
}

Test(cubin, what_is_wrong_with_a_file_is_said)
{
    /* The fatbin's first image begins at 80; offsets below that are of the container, then of its first entry. */
    static const struct {
        const char *label, *file;
        size_t place, length;
        unsigned long long number;
        int result;
        const char *words;
    } cases[] = {
        {"no file of that kind", "small.fatbin", 0, 4, 0x20202020, -1,
         "is no shared library, program, cubin or fatbin"},
        {"a container too long", "small.fatbin", 8, 8, 1 << 20, -1, "more than are there"},
        {"a huge container", "small.fatbin", 8, 8, ~0ull, -1, "more than are there"},
        {"an entry without header", "small.fatbin", 16 + 4, 4, 0, -1, "leaves its container"},
        {"an entry too long", "small.fatbin", 16 + 8, 8, ~0ull, -1, "leaves its container"},
        {"a compressed image", "small.fatbin", 80, 4, 0xfd2fb528, 0, "are compressed and were left out"},
        {"PTX alone", "small.fatbin", 16, 2, 1, 0, ""},
        {"code for a CPU", "small.fatbin", 80 + 18, 2, 62, -1, "is not for a GPU"},
        {"for no GPU in particular", "small.fatbin", 80 + 48, 4, 0, -1, "for which GPU"},
        {"32 bits", "small.fatbin", 80 + 4, 1, 1, -1, "byte 80 is damaged or cut"},
        {"sections beyond the end", "small.fatbin", 80 + 40, 8, 1 << 20, -1, "byte 80 is damaged or cut"},
        {"a cubin cut short", "cuda12.cubin", 40, 8, 1 << 20, -1, "damaged or cut ELF file"},
        {"a library cut short", "library.so", 40, 8, 1 << 20, -1, "damaged or cut ELF file"},
    };
    for (size_t i = 0; i < ROWS(cases); i++) {
        size_t length;
        char *bytes = corpus_bytes(cases[i].file, &length);
        put(bytes, cases[i].place, cases[i].length, cases[i].number);
        struct capture capture;
        struct cubin cubin;
        capture_begin(&capture);
        int result = cubin_parse(&cubin, "that.so", (unsigned char *)bytes, length);
        char *said = capture_end(&capture);
        cr_expect_eq(result, cases[i].result, "%s", cases[i].label);
        cr_expect(strstr(said, cases[i].words), "%s: %s", cases[i].label, said);
        cr_expect(!*cases[i].words || strstr(said, "that.so"), "%s: %s", cases[i].label, said);
        cr_expect(result == 0 || cubin.count == 0, "%s: something is left", cases[i].label);
        cubin_release(&cubin);
        free(said);
        free(bytes);
    }
    struct cubin cubin;
    cr_expect_eq(cubin_read(&cubin, "tests/no_such_file"), -1);
}

/* The parser reads nothing but what is there, whichever byte is wrong, and wherever the file ends. */
Test(cubin, no_byte_can_do_harm)
{
    size_t length;
    char *bytes = corpus_bytes("other.fatbin", &length);
    struct capture capture;
    struct cubin cubin;
    size_t refused = 0;
    capture_begin(&capture);
    /* Names that no compiler made are told as they are, without a process for each round. */
    for (size_t i = 0; i + 1 < length; i++)
        if (bytes[i] == '_' && bytes[i + 1] == 'Z')
            bytes[i] = 'n';
    for (size_t i = 0; i < length; i++) {
        const char was = bytes[i];
        bytes[i] = (char)(was ^ 0xff);
        refused += cubin_parse(&cubin, "x", (unsigned char *)bytes, length) < 0;
        cubin_release(&cubin);
        bytes[i] = was;
    }
    for (size_t i = 0; i < length; i += 7) {
        char *cut = x_calloc(i ? i : 1, 1);
        memcpy(cut, bytes, i);
        refused += cubin_parse(&cubin, "x", (unsigned char *)cut, i) < 0;
        cubin_release(&cubin);
        free(cut);
    }
    free(capture_end(&capture));
    cr_expect_gt(refused, length / 7);
    free(bytes);
}

/* ---- The kernel library ---- */

/* Its names and those of a run agree, but for what cuBLAS brings. Names of CUB hold the GPUs that the library was built
 * for, so only one that was built as for the recording can have them all. */
Test(cubin, every_function_of_a_recorded_run_is_in_the_kernel_library)
{
    char *folder = program_folder();
    char *path = x_sprintf("%s/../libkernels.so", folder);
    struct cubin cubin;
    struct run run;
    size_t count = 0;
    cr_assert_eq(cubin_read(&cubin, path), 0);
    cr_assert_eq(run_read(&run, "tests/data/recorded-nvidia-h200.json"), 0);
    for (size_t k = 0; k < cubin.count; k++)
        if (cubin.list[k].capability != 90)
            cr_skip_test("the kernel library is for other GPUs than the recording");
    for (size_t i = 0; i < run.result_count; i++)
        for (size_t k = 0; k < run.results[i].launch_count; k++) {
            const char *name = run.results[i].launches[k].function;
            const bool is_ours = !strstr(run.results[i].id, "/cublas");
            cr_expect_eq(find(&cubin, name, 90) != NULL, is_ours, "%s: %s", run.results[i].id, name);
            count += is_ours;
        }
    cr_expect_gt(count, 60);
    run_release(&run);
    cubin_release(&cubin);
    free(path);
    free(folder);
}

/* ---- What nvcc makes of a source. `make test` says where it is ---- */

/* Runs nvcc with up to 8 arguments; what it says goes into a file. */
static void compile(const char *const *arguments, const char *log)
{
    const char *nvcc = getenv("NVCC");
    char *argv[10] = {(char *)(nvcc ? nvcc : "nvcc")};
    for (size_t i = 0; i < 8 && arguments[i]; i++)
        argv[i + 1] = (char *)arguments[i];
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    pid_t child;
    int status = -1;
    const int spawned = posix_spawnp(&child, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (spawned != 0 && !nvcc)
        cr_skip_test("no nvcc; `make test` knows the one that built the kernels");
    cr_assert_eq(spawned, 0, "cannot run %s", argv[0]);
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0, "%s failed; see %s", argv[0], log);
}

/* clang-format off */
static const char source[] =
    "__constant__ float weights[32] = {1, 2, 3};\n"
    "__device__ float start[4] = {5, 6, 7, 8};\n"
    "__device__ float notes[64];\n"
    "namespace {\n"
    "__device__ __noinline__ float helper(float x) { return x * 3.5f + weights[int(x) & 31] + start[int(x) & 3]; }\n"
    "__device__ __noinline__ float by_pointer(float x) { return x * 7.5f; }\n"
    "__device__ float (*volatile chosen)(float) = by_pointer;\n"
    "__global__ void plain(float const *a, float *b) { int lane = threadIdx.x; b[lane] = a[lane] * 2.5f; }\n"
    "__global__ void calling(float const *a, float *b) { int lane = threadIdx.x; notes[lane] = b[lane] = helper(a[lane]); }\n"
    "__global__ void indirect(float const *a, float *b) { int lane = threadIdx.x; b[lane] = chosen(a[lane]); }\n"
    "} // namespace\n"
    "void *const used[] = {(void *)plain, (void *)calling, (void *)indirect};\n";
/* clang-format on */

/* Every occurrence of from. Caller frees. */
static char *replaced(const char *text, const char *from, const char *to)
{
    char *all = x_strdup("");
    for (const char *hit; from && (hit = strstr(text, from)); text = hit + strlen(from)) {
        char *longer = x_sprintf("%s%.*s%s", all, (int)(hit - text), text, to);
        free(all);
        all = longer;
    }
    char *whole = x_sprintf("%s%s", all, text);
    free(all);
    return whole;
}

static void build_edited(struct cubin *cubin, const char *folder, const char *name, const char *text, const char *flag)
{
    char *file = scratch_file(folder, name, text);
    char *output = x_sprintf("%s.cubin", file), *log = x_sprintf("%s.log", file);
    const char *const arguments[] = {"-w", "-std=c++17", "-arch=sm_90", "-cubin", "-o", output, file, flag};
    compile(arguments, log);
    cr_assert_eq(cubin_read(cubin, output), 0);
    free(log);
    free(output);
    free(file);
}

Test(cubin, the_hash_moves_with_the_code_and_with_nothing_else)
{
    static const char *const names[] = {
        "(anonymous namespace)::plain(float const*, float*)",
        "(anonymous namespace)::calling(float const*, float*)",
        "(anonymous namespace)::indirect(float const*, float*)",
    };
    enum { SAME, OTHER, ANY };
    static const struct {
        const char *label, *name, *flag, *from, *to;
        int expected[ROWS(names)];
    } cases[] = {
        {"built again", "edited.cu", "-lineinfo", NULL, NULL, {SAME, SAME, SAME}},
        {"elsewhere", "moved/to.cu", "-lineinfo", NULL, NULL, {SAME, SAME, SAME}},
        {"no lines", "edited.cu", NULL, NULL, NULL, {SAME, SAME, SAME}},
        {"a comment", "edited.cu", "-lineinfo", "int lane", "/* where */\n\n int lane", {SAME, SAME, SAME}},
        {"a local renamed", "edited.cu", "-lineinfo", "lane", "thread", {SAME, SAME, SAME}},
        {"a variable renamed", "edited.cu", "-lineinfo", "notes", "a_protocol", {SAME, SAME, SAME}},
        {"a constant renamed", "edited.cu", "-lineinfo", "weights", "zz_factors", {SAME, SAME, SAME}},
        {"a helper renamed", "edited.cu", "-lineinfo", "helper", "assistant", {SAME, SAME, SAME}},
        {"one more kernel",
         "edited.cu",
         "-lineinfo",
         "void *const used[] = {",
         "__global__ void more(float *a) { a[0] *= 2; }\nvoid *const used[] = {(void *)more, ",
         {SAME, SAME, SAME}},
        {"a number", "edited.cu", "-lineinfo", "2.5f", "2.25f", {OTHER, SAME, SAME}},
        {"an operation", "edited.cu", "-lineinfo", "* 2.5f", "+ 2.5f", {OTHER, SAME, SAME}},
        {"a launch bound",
         "edited.cu",
         "-lineinfo",
         "void plain",
         "__launch_bounds__(64) void plain",
         {OTHER, SAME, SAME}},
        {"a cluster",
         "edited.cu",
         "-lineinfo",
         "void plain",
         "__cluster_dims__(2, 1, 1) void plain",
         {OTHER, SAME, SAME}},
        {"a helper", "edited.cu", "-lineinfo", "3.5f", "3.25f", {SAME, OTHER, SAME}},
        {"behind a pointer", "edited.cu", "-lineinfo", "7.5f", "7.25f", {ANY, ANY, OTHER}},
        {"a constant", "edited.cu", "-lineinfo", "{1, 2, 3}", "{1, 2, 4}", {ANY, OTHER, ANY}},
        {"a variable", "edited.cu", "-lineinfo", "{5, 6, 7, 8}", "{5, 6, 7, 9}", {ANY, OTHER, ANY}},
    };
    char *folder = scratch_make();
    char *moved = x_sprintf("%s/moved", folder);
    cr_assert_eq(mkdir(moved, 0700), 0);
    struct cubin base;
    build_edited(&base, folder, "base.cu", source, "-lineinfo");
    for (size_t i = 0; i < ROWS(cases); i++) {
        char *text = replaced(source, cases[i].from, cases[i].to);
        cr_expect_eq(strcmp(text, source) == 0, cases[i].from == NULL, "%s: nothing was edited", cases[i].label);
        struct cubin cubin;
        build_edited(&cubin, folder, cases[i].name, text, cases[i].flag);
        for (size_t k = 0; k < ROWS(names); k++) {
            const struct cubin_function *was = find(&base, names[k], 90), *is = find(&cubin, names[k], 90);
            cr_assert(was && is, "%s: %s", cases[i].label, names[k]);
            const bool same = strcmp(was->code, is->code) == 0;
            cr_expect(cases[i].expected[k] == ANY || same == (cases[i].expected[k] == SAME), "%s: %s", cases[i].label,
                      names[k]);
        }
        cubin_release(&cubin);
        free(text);
    }
    cubin_release(&base);
    free(moved);
    scratch_remove(folder);
}

/* clang-format off */
static const char facts_source[] =
    "extern __shared__ float grown[];\n"
    "__device__ __noinline__ float deep(float *a, int n) {\n"
    "    float x[32]; for (int i = 0; i < 32; i++) x[i * n % 32] = a[i]; return x[n & 31]; }\n"
    "extern \"C\" {\n"
    "__global__ void empty() {}\n"
    "__global__ void stack(float *a, int n) {\n"
    "    float x[20]; for (int i = 0; i < 20; i++) x[i * n % 20] = a[i]; a[0] = x[n]; }\n"
    "__global__ void stack_below(float *a, int n) { a[0] = deep(a, n) + deep(a, n + 1); }\n"
    "__global__ void __launch_bounds__(512, 4) spilled(float *a, int n) {\n"
    "    float x[48]; for (int i = 0; i < 48; i++) x[i] = a[i * n];\n"
    "    for (int k = 0; k < n; k++) for (int i = 0; i < 48; i++) x[i] = x[i] * x[(i * 7 + 1) % 48] + a[k];\n"
    "    for (int i = 0; i < 48; i++) a[i] = x[i]; }\n"
    "__global__ void still(float *a) { __shared__ float s[300]; s[threadIdx.x] = a[threadIdx.x];\n"
    "    __syncthreads(); a[threadIdx.x] = s[299 - threadIdx.x]; }\n"
    "__global__ void moving(float *a) { grown[threadIdx.x] = a[threadIdx.x];\n"
    "    __syncthreads(); a[threadIdx.x] = grown[31 - threadIdx.x]; }\n"
    "__global__ void barriers(float *a, int n) { asm volatile(\"bar.sync 5, 64;\"); a[0] = n; }\n"
    "__global__ void any_barrier(float *a, int n) { asm volatile(\"bar.sync %0, 64;\" ::\"r\"(n)); a[0] = n; }\n"
    "}\n";
/* clang-format on */

/* The number before a word of a line of ptxas, 0 where it has none: "Used 12 registers, 1024 bytes smem". */
static unsigned number_before(const char *line, const char *word)
{
    const char *at = strstr(line, word);
    if (!at)
        return 0;
    while (at > line && strchr("0123456789", at[-1]))
        at--;
    return (unsigned)strtoul(at, NULL, 10);
}

/* ptxas prints three lines about a kernel, after its name and GPU. */
Test(cubin, every_fact_is_what_ptxas_says)
{
    char *folder = scratch_make();
    char *file = scratch_file(folder, "facts.cu", facts_source);
    char *output = x_sprintf("%s/facts.fatbin", folder), *log = x_sprintf("%s/log", folder);
    const char *const arguments[] = {"-w", "-arch=all-major", "-Xptxas=-v", "-fatbin", "-o", output, file, NULL};
    compile(arguments, log);
    struct cubin cubin;
    cr_assert_eq(cubin_read(&cubin, output), 0);
    FILE *stream = fopen(log, "r");
    cr_assert_not_null(stream);
    char line[512], name[64] = "";
    struct cubin_function expected = {0};
    size_t compared = 0;
    while (fgets(line, sizeof line, stream)) {
        if (strstr(line, "Compiling entry function '")) {
            expected = (struct cubin_function){.capability = (int)strtol(strstr(line, "'sm_") + 4, NULL, 10)};
            const char *start = strchr(line, '\'') + 1;
            snprintf(name, sizeof name, "%.*s", (int)strcspn(start, "'"), start);
        }
        if (*name && strstr(line, " bytes stack frame") && expected.local_bytes == 0)
            expected.local_bytes = number_before(line, " bytes stack frame");
        if (!*name || !strstr(line, " registers"))
            continue;
        const unsigned whole = number_before(line, " bytes cumulative stack");
        expected.local_bytes = whole > expected.local_bytes ? whole : expected.local_bytes;
        expected.registers = number_before(line, " registers");
        expected.barriers = number_before(line, " barriers");
        expected.shared_bytes = number_before(line, " bytes smem");
        expected.max_threads = strcmp(name, "spilled") == 0 ? 512 : 0;
        const struct cubin_function *found = find(&cubin, name, expected.capability);
        cr_assert(found && found->capability == expected.capability, "%s for %d", name, expected.capability);
        expect_equal(name, found, &expected);
        *name = '\0';
        compared++;
    }
    fclose(stream);
    cr_expect_eq(compared, cubin.count);
    cr_expect_geq(compared, 40);
    cubin_release(&cubin);
    free(log);
    free(output);
    free(file);
    scratch_remove(folder);
}
