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

/* What was built before any edit. */
static struct cubin base;
static char *folder, *source;

static void expect_hashes(const char *where, const char *text, const char *expected)
{
    static const char *const names[] = {
        "(anonymous namespace)::plain(float const*, float*)",
        "(anonymous namespace)::calling(float const*, float*)",
        "(anonymous namespace)::indirect(float const*, float*)",
    };
    const char *edit[3] = {NULL}; /* its name, from, to */
    split_at(text, "|", edit, 3);
    OWNED_TEXT edited = replaced(source, edit[1], edit[2]);
    cr_expect_eq(strcmp(edited, source) == 0, edit[1] == NULL, "%s: nothing was edited", where);
    OWNED(cubin) cubin;
    build_edited(&cubin, folder, strcmp(edit[0], "elsewhere") == 0 ? "moved/to.cu" : "edited.cu", edited,
                 strcmp(edit[0], "no lines") == 0 ? NULL : "-lineinfo");
    for (size_t k = 0; k < ARRAY_SIZE(names); k++) {
        const struct cubin_function *was = find_function(&base, names[k], 90),
                                    *is = find_function(&cubin, names[k], 90);
        cr_assert(was && is, "%s: %s", where, names[k]);
        const char found = strcmp(was->code, is->code) == 0 ? 'S' : 'O';
        cr_expect(expected[k] == 'A' || expected[k] == found, "%s: %s", where, names[k]);
    }
}

Test(cubin_hash, the_hash_moves_with_the_code_and_with_nothing_else)
{
    folder = scratch_make();
    source = file_part("tests/unit/machine/sources.txt#hashed");
    OWNED_TEXT moved = x_sprintf("%s/moved", folder);
    cr_assert_eq(mkdir(moved, 0700), 0);
    build_edited(&base, folder, "base.cu", source, "-lineinfo");
    each_text("tests/unit/machine/cubin_hash.txt", expect_hashes);
    cubin_release(&base);
    free(source);
    scratch_remove(folder);
}
