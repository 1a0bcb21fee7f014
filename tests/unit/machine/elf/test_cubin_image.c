#include "cubin/cubin_support.h"
#include "test.h"

static void expect_equal(const char *label, const struct cubin_function *found, const struct cubin_function *expected)
{
    cr_expect_eq(found->capability, expected->capability, "%s: capability %d", label, found->capability);
    cr_expect_eq(found->registers, expected->registers, "%s: %u registers", label, found->registers);
    cr_expect_eq(found->local_bytes, expected->local_bytes, "%s: %u bytes of stack", label, found->local_bytes);
    cr_expect_eq(found->shared_bytes, expected->shared_bytes, "%s: %u bytes shared", label, found->shared_bytes);
    cr_expect_eq(found->max_threads, expected->max_threads, "%s: %u threads", label, found->max_threads);
    cr_expect_eq(found->barriers, expected->barriers, "%s: %u barriers", label, found->barriers);
    cr_expect_eq(found->tensor, expected->tensor, "%s: tensor cores %d", label, found->tensor);
    cr_expect_eq(found->halves, expected->halves, "%s: halves %d", label, found->halves);
}

/* The expected numbers are those that ptxas printed when it compiled tests/data/small.cu. */
Test(cubin_image, facts_of_every_kind_of_file)
{
    static const char bounded[] = "(anonymous namespace)::bounded(float const*, float*)";
    static const char stacked[] = "stacked(float const*, float*, int)";
    static const struct cubin_function functions[] = {
        {(char *)bounded, 80, NULL, NULL, 14, 0, 1024, 256, 1, 0, CODE_TENSOR_UNUSED, false, false, 0, 0},
        {(char *)bounded, 90, NULL, NULL, 12, 0, 1024, 256, 1, 0, CODE_TENSOR_UNUSED, false, false, 0, 0},
        {(char *)"plain(float*)", 80, NULL, NULL, 8, 0, 0, 0, 0, 0, CODE_TENSOR_UNUSED, false, false, 0, 0},
        {(char *)"plain(float*)", 90, NULL, NULL, 10, 0, 0, 0, 0, 0, CODE_TENSOR_UNUSED, false, false, 0, 0},
        {(char *)stacked, 80, NULL, NULL, 32, 96, 0, 0, 0, 0, CODE_TENSOR_UNUSED, false, false, 0, 0},
        {(char *)stacked, 90, NULL, NULL, 32, 96, 0, 0, 0, 0, CODE_TENSOR_UNUSED, false, false, 0, 0},
    };
    static const struct {
        const char *file, *has; /* which of the functions */
    } cases[] = {{CORPUS "small.fatbin", "012345"},
                 {CORPUS "library.so", "012345"},
                 {CORPUS "cuda12.cubin", "024"},
                 {CORPUS "other.fatbin", "23"}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        OWNED(cubin) cubin;
        cr_assert_eq(cubin_read(&cubin, cases[i].file), 0, "%s", cases[i].file);
        cr_assert_eq(cubin.count, strlen(cases[i].has), "%s: %zu", cases[i].file, cubin.count);
        for (size_t k = 0; k < cubin.count; k++) {
            const struct cubin_function *function = &functions[cases[i].has[k] - '0'];
            cr_expect_str_eq(cubin.list[k].name, function->name);
            expect_equal(cases[i].file, &cubin.list[k], function);
        }
    }
}

/* Returns the number before a word in a line of ptxas, 0 where there is none: "Used 12 registers, 1024 bytes smem". */
static unsigned number_before(const char *line, const char *word)
{
    const char *at = strstr(line, word);
    if (!at)
        return 0;
    while (at > line && strchr("0123456789", at[-1]))
        at--;
    return (unsigned)strtoul(at, NULL, 10);
}

/* ptxas prints three lines about a kernel, after its name and its GPU. */
Test(cubin_image, every_fact_is_what_ptxas_says)
{
    char *folder = scratch_make();
    OWNED_TEXT source = file_part("tests/unit/machine/sources.txt#facts"),
               *file = scratch_file(folder, "facts.cu", source);
    OWNED_TEXT output = x_sprintf("%s/facts.fatbin", folder), *log = x_sprintf("%s/log", folder);
    const char *const arguments[] = {"-w", "-arch=all-major", "-Xptxas=-v", "-fatbin", "-o", output, file, NULL};
    compile_cuda(arguments, log);
    OWNED(cubin) cubin = {0};
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
        expected.halves = expected.capability > 90; /* as far as is known */
        expected.tensor = CODE_TENSOR_UNUSED;
        const struct cubin_function *found = find_function(&cubin, name, expected.capability);
        cr_assert(found && found->capability == expected.capability, "%s for %d", name, expected.capability);
        expect_equal(name, found, &expected);
        *name = '\0';
        compared++;
    }
    fclose(stream);
    cr_expect_eq(compared, cubin.count);
    cr_expect_geq(compared, 40);
    scratch_remove(folder);
}

static void expect_products(const char *arch, size_t count)
{
    char *folder = scratch_make();
    OWNED_TEXT source = file_part("tests/unit/machine/sources.txt#products"),
               *file = scratch_file(folder, "products.cu", source);
    OWNED_TEXT output = x_sprintf("%s/products.cubin", folder), *log = x_sprintf("%s/log", folder);
    const char *const arguments[] = {"-w", arch, "-cubin", "-o", output, file, NULL};
    compile_cuda(arguments, log);
    OWNED(cubin) cubin;
    cr_assert_eq(cubin_read(&cubin, output), 0);
    cr_expect_eq(cubin.count, count, "%s: %zu", arch, cubin.count);
    EACH(const struct cubin_function, function, cubin.list, cubin.count) {
        const bool none = strncmp(function->name, "none", strlen("none")) == 0;
        cr_expect_eq(function->tensor, none ? CODE_TENSOR_UNUSED : CODE_TENSOR_USED, "%s %s", arch, function->name);
        cr_expect_eq(function->halves, function->capability > 90 || strstr(function->name, "half"), "%s %s", arch,
                     function->name);
    }
    scratch_remove(folder);
}

Test(cubin_image, tensor_cores_are_seen_in_the_opcodes)
{
    expect_products("-arch=sm_90a", 14);
    expect_products("-arch=sm_100a", 10);
    expect_products("-arch=sm_120a", 10);
}

/* Expects the compiler ("" for none) in a file whose bytes at offset `at`, from the beginning of its texts, were
 * replaced. */
static void expect_compiler(long at, const char *bytes, size_t size, const char *expected)
{
    static const char tool[] = "ptxas\0Cuda compilation tools, release 13.0, V13.0.88";
    char *text;
    size_t length, count = 0;
    OWNED(cubin) cubin;
    cr_assert_eq(file_read(CORPUS "small.fatbin", 1 << 20, &text, &length), 0);
    for (char *place = text; (place = memmem(place, length - (size_t)(place - text), tool, sizeof tool)); count++) {
        memcpy(place - 1 + at, bytes, size);
        place += sizeof tool;
    }
    cr_assert_eq(count, 2, "one of each architecture");
    cr_assert_eq(cubin_parse(&cubin, "small", (unsigned char *)text, length), 0);
    cr_expect_eq(cubin.compiler_count, *expected != '\0', "%ld: %zu", at, cubin.compiler_count);
    cr_expect_str_eq(cubin.compiler_count > 0 ? cubin.compilers[0] : "", expected);
    free(text);
}

Test(cubin_image, its_compiler_is_known_where_it_says_so)
{
    expect_compiler(0, "", 0, "ptxas 13.0.88");
    expect_compiler(1, "PTXAS", 5, "");
    expect_compiler(1, "nvlnk", 5, "nvlnk 13.0.88");
    expect_compiler(43, ", W", 3, "");
    expect_compiler(45, "V99.1.22", 8, "ptxas 99.1.22");
    expect_compiler(45, "V13_0_88", 8, "ptxas 13");
    expect_compiler(-16, "\xff\xff\xff\xff", 4, "");
    expect_compiler(-12, "\xff\xff\xff\x7f", 4, "");
}

/* The file has no notes, as none of CUDA 12: 20 bytes from the beginning is the release. */
Test(cubin_image, up_to_cuda_12_the_release_of_its_compiler_is_known)
{
    static const struct {
        unsigned char release;
        const char *compiler;
    } rows[] = {{129, "ptxas 12.9"}, {120, "ptxas 12.0"}, {118, "ptxas 11.8"}, {1, ""}};
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char *text;
        size_t length;
        OWNED(cubin) cubin;
        cr_assert_eq(file_read(CORPUS "cuda12.cubin", 1 << 20, &text, &length), 0);
        cr_assert_eq((unsigned char)text[20], 129);
        text[20] = (char)rows[i].release;
        cr_assert_eq(cubin_parse(&cubin, "cuda12", (unsigned char *)text, length), 0);
        cr_expect_str_eq(cubin.compiler_count > 0 ? cubin.compilers[0] : "", rows[i].compiler, "row %zu", i);
        free(text);
    }
}
