#include "cubin_support.h"
#include "test.h"

/* ---- Finding functions ---- */

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
    static const struct cubin cubin = {.list = list, .count = ARRAY_SIZE(list)};
    static const struct {
        const char *name;
        int capability;
        enum cubin_status status;
        int found;
    } cases[] = {
        {"f()", 75, CUBIN_FOUND, 75},     {"f()", 80, CUBIN_FOUND, 80},     {"f()", 86, CUBIN_FOUND, 86},
        {"f()", 87, CUBIN_FOUND, 86},     {"f()", 89, CUBIN_SEVERAL, 0},    {"f()", 121, CUBIN_FOUND, 120},
        {"f()", 70, CUBIN_OTHER_GPUS, 0}, {"f()", 90, CUBIN_OTHER_GPUS, 0}, {"f()", 0, CUBIN_OTHER_GPUS, 0},
        {"e()", 90, CUBIN_OTHER_GPUS, 0}, {"g()", 90, CUBIN_FOUND, 90},     {"h()", 90, CUBIN_ABSENT, 0},
        {"", 90, CUBIN_ABSENT, 0},        {"f", 80, CUBIN_ABSENT, 0},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        enum cubin_status status;
        const struct cubin_function *found = cubin_find(&cubin, cases[i].name, cases[i].capability, &status);
        cr_expect_eq(status, cases[i].status, "%s for %d: %d", cases[i].name, cases[i].capability, (int)status);
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
    static const struct cubin cubin = {.list = list, .count = ARRAY_SIZE(list)};
    enum cubin_status status;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        cr_expect_not_null(cubin_find(&cubin, names[i], 90, &status), "%s", names[i]);
    cr_expect_null(cubin_find(&cubin, "void cub::CUB_300002_SM_900::f<cub::CUB_300002_SM_900::g>()", 90, &status));
}

/* ---- Invalid files ---- */

static char *corpus_bytes(const char *name, size_t *length)
{
    OWNED_TEXT path = x_sprintf(CORPUS "%s", name);
    return bytes_of(path, length);
}

/* Writes a number in little-endian order. */
static void put(char *bytes, size_t place, size_t length, unsigned long long number)
{
    for (size_t i = 0; i < length; i++)
        bytes[place + i] = (char)(number >> (8 * i));
}

static void expect_said(const char *where, const char *text, const char *words)
{
    const char *file = (cut_at(&text, ": "), cut_at(&text, " "));
    char *rest;
    const size_t place = strtoul(text, &rest, 10), bytes_there = strtoul(rest, &rest, 10);
    size_t length;
    OWNED_TEXT bytes = corpus_bytes(file, &length);
    put(bytes, place, bytes_there, strtoull(rest, NULL, 0));
    const bool is_read = strncmp(words, "read:", 5) == 0;
    words += is_read ? 5 + (words[5] == ' ') : 0;
    OWNED(cubin) cubin;
    HEAR(result, cubin_parse(&cubin, "that.so", (unsigned char *)bytes, length));
    cr_expect_eq(result, is_read ? 0 : -1, "%s", where);
    cr_expect(strstr(said, words), "%s: %s", where, said);
    cr_expect(!*words || strstr(said, "that.so"), "%s: %s", where, said);
    cr_expect(result == 0 || cubin.count == 0, "%s: something is left", where);
}

Test(cubin, what_is_wrong_with_a_file_is_said)
{
    each_text("tests/unit/cubin/cubin.txt", expect_said);
    struct cubin cubin;
    cr_expect_eq(cubin_read(&cubin, "tests/no_such_file"), -1);
}

/* The parser never reads outside the file, whichever byte is wrong and wherever the file ends. */
Test(cubin, no_byte_can_do_harm)
{
    size_t length;
    OWNED_TEXT bytes = corpus_bytes("other.fatbin", &length);
    struct cubin cubin;
    size_t refused = 0;
    capture_begin();
    /* Replaces mangled names, which would be demangled by a process in each round. */
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
        OWNED_TEXT cut = x_calloc(i ? i : 1, 1);
        memcpy(cut, bytes, i);
        refused += cubin_parse(&cubin, "x", (unsigned char *)cut, i) < 0;
        cubin_release(&cubin);
    }
    free(capture_end());
    cr_expect_gt(refused, length / 7);
}

/* ---- Where images are ---- */

/* The functions of one source, in four forms. */
Test(cubin, wherever_and_however_an_image_is_stored_its_functions_are_the_same)
{
    static const char *const files[] = {"zstd.fatbin", "data.so", "lz4.fatbin", "small.fatbin"};
    struct cubin lists[ARRAY_SIZE(files)];
    for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
        size_t length;
        OWNED_TEXT bytes = corpus_bytes(files[i], &length);
        cr_assert_eq(cubin_parse(&lists[i], files[i], (unsigned char *)bytes, length), 0);
        cr_expect_eq(lists[i].unknown, 0, "%s", files[i]);
    }
    cr_assert_eq(lists[0].count, 3);
    cr_assert_eq(lists[1].count, 3);
    for (size_t i = 0; i < 3; i++)
        cr_expect_str_eq(lists[1].list[i].code, lists[0].list[i].code);
    cr_assert_eq(lists[2].count, lists[3].count);
    cr_assert_geq(lists[3].count, 3);
    for (size_t i = 0; i < lists[3].count; i++) {
        cr_expect_str_eq(lists[2].list[i].name, lists[3].list[i].name);
        cr_expect_str_eq(lists[2].list[i].code, lists[3].list[i].code);
    }
    for (size_t i = 0; i < ARRAY_SIZE(files); i++)
        cubin_release(&lists[i]);
}

/* ---- The kernel library ---- */

/* Names in the library equal those in a recorded run, except for cuBLAS's. CUB's names contain the architectures of the
 * build, so only a library built like the recorded one has all of them. */
Test(cubin, every_function_of_a_recorded_run_is_in_the_kernel_library)
{
    OWNED_TEXT folder = program_folder();
    OWNED_TEXT path = x_sprintf("%s/../libkernels.so", folder);
    OWNED(cubin) cubin;
    OWNED(run) run;
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
            cr_expect_eq(find_function(&cubin, name, 90) != NULL, is_ours, "%s: %s", run.results[i].id, name);
            count += is_ours;
        }
    cr_expect_gt(count, 60);
}
