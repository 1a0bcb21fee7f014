#include "cubin/cubin_support.h"
#include "test.h"

/* ptxas 12.9 and 13.0 made equal code from this source. */
Test(cubin_hash, the_hash_is_of_the_code_and_not_of_its_wrapping)
{
    OWNED(cubin) new, old, other;
    cr_assert_eq(cubin_read(&new, CORPUS "small.fatbin"), 0);
    cr_assert_eq(cubin_read(&old, CORPUS "cuda12.cubin"), 0);
    cr_assert_eq(cubin_read(&other, CORPUS "other.fatbin"), 0);
    for (size_t k = 0; k < old.count; k++) {
        const struct cubin_function *same = find_function(&new, old.list[k].name, 80);
        cr_assert_not_null(same);
        cr_expect_str_eq(same->code, old.list[k].code, "%s", same->name);
    }
    cr_expect_str_neq(find_function(&new, "plain(float*)", 90)->code, find_function(&other, "plain(float*)", 90)->code);
    cr_expect_str_neq(find_function(&new, "plain(float*)", 90)->code, find_function(&new, "plain(float*)", 80)->code);
}

/* Returns the text with every occurrence of `from` replaced. Caller frees. */
static char *replaced(const char *text, const char *from, const char *to)
{
    char *all = x_strdup("");
    for (const char *hit; from && (hit = strstr(text, from)); text = hit + strlen(from))
        x_append(&all, "", "%.*s%s", (int)(hit - text), text, to);
    x_append(&all, "", "%s", text);
    return all;
}

static void build_edited(struct cubin *cubin, const char *folder, const char *name, const char *text, const char *flag)
{
    OWNED_TEXT file = scratch_file(folder, name, text);
    OWNED_TEXT output = x_sprintf("%s.cubin", file), *log = x_sprintf("%s.log", file);
    const char *const arguments[] = {"-w", "-std=c++17", "-arch=sm_90", "-cubin", "-o", output, file, flag};
    compile_cuda(arguments, log);
    cr_assert_eq(cubin_read(cubin, output), 0);
}

Test(cubin_hash, the_hash_moves_with_the_code_and_with_nothing_else)
{
    static const char *const names[] = {
        "(anonymous namespace)::plain(float const*, float*)",
        "(anonymous namespace)::calling(float const*, float*)",
        "(anonymous namespace)::indirect(float const*, float*)",
    };
    static const char elsewhere[] = "elsewhere", no_lines[] = "no lines";
    enum { SAME, OTHER, ANY };
    static const struct {
        const char *label, *from, *to;
        int expected[ARRAY_SIZE(names)];
    } cases[] = {
        {"built again", NULL, NULL, {SAME, SAME, SAME}},
        {elsewhere, NULL, NULL, {SAME, SAME, SAME}},
        {no_lines, NULL, NULL, {SAME, SAME, SAME}},
        {"a comment", "int lane", "/* where */\n\n int lane", {SAME, SAME, SAME}},
        {"a local renamed", "lane", "thread", {SAME, SAME, SAME}},
        {"a variable renamed", "notes", "a_protocol", {SAME, SAME, SAME}},
        {"a constant renamed", "weights", "zz_factors", {SAME, SAME, SAME}},
        {"a helper renamed", "helper", "assistant", {SAME, SAME, SAME}},
        {"one more kernel",
         "void *const used[] = {",
         "__global__ void more(float *a) { a[0] *= 2; }\nvoid *const used[] = {(void *)more, ",
         {SAME, SAME, SAME}},
        {"a number", "2.5f", "2.25f", {OTHER, SAME, SAME}},
        {"an operation", "* 2.5f", "+ 2.5f", {OTHER, SAME, SAME}},
        {"a launch bound", "void plain", "__launch_bounds__(64) void plain", {OTHER, SAME, SAME}},
        {"a cluster", "void plain", "__cluster_dims__(2, 1, 1) void plain", {OTHER, SAME, SAME}},
        {"a helper", "3.5f", "3.25f", {SAME, OTHER, SAME}},
        {"behind a pointer", "7.5f", "7.25f", {ANY, ANY, OTHER}},
        {"a constant", "{1, 2, 3}", "{1, 2, 4}", {ANY, OTHER, ANY}},
        {"a variable", "{5, 6, 7, 8}", "{5, 6, 7, 9}", {ANY, OTHER, ANY}},
    };
    char *folder = scratch_make();
    OWNED_TEXT source = file_part("tests/unit/machine/sources.txt#hashed"), *moved = x_sprintf("%s/moved", folder);
    cr_assert_eq(mkdir(moved, 0700), 0);
    struct cubin base;
    build_edited(&base, folder, "base.cu", source, "-lineinfo");
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        OWNED_TEXT text = replaced(source, cases[i].from, cases[i].to);
        cr_expect_eq(strcmp(text, source) == 0, cases[i].from == NULL, "%s: nothing was edited", cases[i].label);
        OWNED(cubin) cubin;
        build_edited(&cubin, folder, cases[i].label == elsewhere ? "moved/to.cu" : "edited.cu", text,
                     cases[i].label == no_lines ? NULL : "-lineinfo");
        for (size_t k = 0; k < ARRAY_SIZE(names); k++) {
            const struct cubin_function *was = find_function(&base, names[k], 90),
                                        *is = find_function(&cubin, names[k], 90);
            cr_assert(was && is, "%s: %s", cases[i].label, names[k]);
            const bool same = strcmp(was->code, is->code) == 0;
            cr_expect(cases[i].expected[k] == ANY || same == (cases[i].expected[k] == SAME), "%s: %s", cases[i].label,
                      names[k]);
        }
    }
    cubin_release(&base);
    scratch_remove(folder);
}
