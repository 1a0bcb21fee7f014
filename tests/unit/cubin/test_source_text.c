#include "cubin/source_text.h"
#include "test.h"

/* Makes a checkout with a/kernels/one.cu, and enters it. */
static void enter(void)
{
    scratch_enter();
    cr_assert_eq(make_folders("a/kernels") + make_folders(".git"), 0);
    free(scratch_file("a/kernels", "one.cu", "first\n    second {  \n\tthird\n\nlast without an end"));
}

static const struct profile_line *resolve(struct profile *profile, const char *file, unsigned number)
{
    *profile = (struct profile){0};
    profile_add(profile, "f()", file, number, 16);
    source_resolve(profile, NULL);
    cr_assert_eq(profile->count, 1);
    return &profile->list[0];
}

/* Of a path of another machine, the longest end that is there stands for it. */
Test(source_text, names_below_the_folder_become_relative_and_others_stay, .init = enter, .fini = scratch_leave)
{
    char folder[4096];
    cr_assert(getcwd(folder, sizeof folder));
    OWNED_TEXT here = x_sprintf("%s/a/kernels/one.cu", folder), *alike = x_sprintf("%s-more/kernels/one.cu", folder);
    const struct {
        const char *path, *file, *text;
        unsigned number;
    } rows[] = {{here, "a/kernels/one.cu", "second {", 2},
                {"/builds/17/a/kernels/one.cu", "a/kernels/one.cu", "last without an end", 5},
                {alike, alike, NULL, 1}};
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        OWNED(profile) profile;
        const struct profile_line *line = resolve(&profile, rows[i].path, rows[i].number);
        cr_expect_str_eq(line->file, rows[i].file);
        cr_expect_eq(order_of_texts(line->text, rows[i].text), 0, "row %zu: %s", i, line->text);
    }
}

/* The working folder is b, the folder above it, or another checkout. */
Test(source_text, names_are_from_the_checkout_of_the_library, .init = enter, .fini = scratch_leave)
{
    static const char *const folders[] = {".", "b", "..", "/", "other"};
    char folder[4096];
    cr_assert(getcwd(folder, sizeof folder));
    cr_assert_eq(make_folders("b") + make_folders("other/.git"), 0);
    OWNED_TEXT library = x_sprintf("%s/b/lib.so", folder), *path = x_sprintf("%s/a/kernels/one.cu", folder);
    fclose(fopen(library, "w"));
    for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
        OWNED(profile) profile = {0};
        cr_assert_eq(chdir(folders[i]), 0);
        profile_add(&profile, "f()", path, 2, 16);
        profile_add(&profile, "g()", "/builds/17/a/kernels/one.cu", 2, 16);
        source_resolve(&profile, library);
        for (size_t k = 0; k < profile.count; k++) {
            cr_expect_str_eq(profile.list[k].file, "a/kernels/one.cu", "in %s", folders[i]);
            cr_expect_str_eq(profile.list[k].text, "second {", "in %s", folders[i]);
        }
        cr_assert_eq(chdir(folder), 0);
    }
}

Test(source_text, what_is_not_there_keeps_its_name_and_has_no_text, .init = enter, .fini = scratch_leave)
{
    static const struct {
        const char *path;
        unsigned number;
    } cases[] = {{"/builds/17/kernels/two.cu", 1},
                 {"a/kernels/one.cu", 6},
                 {"a/kernels/one.cu", 4000000000u},
                 {"a", 1},
                 {"/dev/null", 1},
                 {"/", 1},
                 {"", 1},
                 {"//", 1}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        OWNED(profile) profile;
        const struct profile_line *line = resolve(&profile, cases[i].path, cases[i].number);
        cr_expect_str_eq(line->file, cases[i].path);
        cr_expect_null(line->text, "%s:%u", cases[i].path, cases[i].number);
    }
}

/* A line table can name any file, and a report may be public. */
Test(source_text, what_is_not_below_the_folder_or_is_hidden_there_has_no_text, .init = enter, .fini = scratch_leave)
{
    char folder[4096];
    cr_assert(getcwd(folder, sizeof folder));
    cr_assert_eq(make_folders("a/.hidden") + make_folders("inside/.git"), 0);
    static const char *const files[] = {"outside.cu", "inside/.env", "inside/in.cu", "inside/.git/x.cu"};
    for (size_t i = 0; i < ARRAY_SIZE(files); i++)
        free(scratch_file(folder, files[i], "secret\n"));
    cr_assert_eq(symlink("../outside.cu", "inside/leads_out.cu"), 0);
    cr_assert_eq(symlink("..", "inside/folder"), 0);
    cr_assert_eq(symlink("in.cu", "inside/link.cu"), 0);
    cr_assert_eq(mkfifo("inside/fifo.cu", 0600), 0);
    cr_assert_eq(chdir("inside"), 0);
    OWNED_TEXT outside = x_sprintf("%s/outside.cu", folder),
               *around = x_sprintf("%s/inside/folder/inside/in.cu", folder);
    const struct {
        const char *path;
        bool has_text;
    } cases[] = {{"in.cu", true},
                 {"link.cu", true},
                 {"../inside/in.cu", true},
                 {around, true},
                 {"/builds/17/in.cu", true},
                 {outside, false},
                 {"../outside.cu", false},
                 {"folder/outside.cu", false},
                 {"/builds/17/../outside.cu", false},
                 {"leads_out.cu", false},
                 {"/etc/passwd", false},
                 {"/proc/self/environ", false},
                 {".env", false},
                 {".git/x.cu", false},
                 {"/builds/17/.git/x.cu", false},
                 {"fifo.cu", false},
                 {"/dev/zero", false}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        OWNED(profile) profile;
        cr_expect_eq(resolve(&profile, cases[i].path, 1)->text != NULL, cases[i].has_text, "%s", cases[i].path);
    }
}

Test(source_text, all_texts_together_are_bounded, .init = enter, .fini = scratch_leave)
{
    enum { BYTES = 3 << 20, NAMES = 20 };
    OWNED(profile) profile = {0};
    OWNED_TEXT large = x_calloc(BYTES, 1);
    memset(large, 'x', BYTES - 1);
    free(scratch_file(".", "large.cu", large));
    char name[2 * NAMES + 16] = "large.cu";
    for (unsigned i = 0; i < NAMES; i++) {
        profile_add(&profile, "f()", name, 1, 16 * i);
        memmove(name + 2, name, strlen(name) + 1);
        memcpy(name, "./", 2);
    }
    source_resolve(&profile, NULL);
    cr_assert_eq(profile.count, NAMES);
    size_t texts = 0;
    for (size_t i = 0; i < profile.count; i++)
        texts += profile.list[i].text != NULL;
    cr_expect_eq(texts, 5);
}

/* Sets the modification time to so many seconds after 1970. */
static void set_time(const char *path, time_t seconds)
{
    const struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};
    cr_assert_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* The source was edited since, so its lines may have moved. */
Test(source_text, a_source_newer_than_the_library_has_no_text, .init = enter, .fini = scratch_leave)
{
    static const struct {
        const char *library;
        time_t source;
        const char *text;
    } cases[] = {
        {"lib.so", 999, "first"}, {"lib.so", 1000, "first"}, {"lib.so", 1001, NULL}, {"none.so", 1001, "first"}};
    fclose(fopen("lib.so", "w"));
    set_time("lib.so", 1000);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        OWNED(profile) profile = {0};
        set_time("a/kernels/one.cu", cases[i].source);
        profile_add(&profile, "f()", "a/kernels/one.cu", 1, 16);
        source_resolve(&profile, cases[i].library);
        const char *text = profile.list[0].text;
        cr_expect(text == cases[i].text || (text && cases[i].text && strcmp(text, cases[i].text) == 0), "case %zu", i);
    }
}

Test(source_text, long_texts_are_cut_between_characters, .init = enter, .fini = scratch_leave)
{
    OWNED(profile) profile;
    FILE *file = fopen("long.cu", "w");
    cr_assert(file);
    for (int i = 0; i < SOURCE_TEXT; i++)
        fputs("x\xc3\xa9", file);
    fclose(file);
    const struct profile_line *line = resolve(&profile, "long.cu", 1);
    const size_t length = strlen(line->text);
    EXPECT_ALL(length <= SOURCE_TEXT, length >= SOURCE_TEXT - 1);
    cr_expect_neq((unsigned char)line->text[length - 1], 0xc3);
}

Test(source_text, lines_of_two_paths_to_one_file_become_one, .init = enter, .fini = scratch_leave)
{
    OWNED(profile) profile = {0};
    profile_add(&profile, "f()", "/x/a/kernels/one.cu", 1, 16)->counts[LINE_INSTRUCTIONS] = 2;
    profile_add(&profile, "f()", "/y/a/kernels/one.cu", 1, 32)->counts[LINE_INSTRUCTIONS] = 3;
    source_resolve(&profile, NULL);
    cr_assert_eq(profile.count, 1);
    cr_expect_eq(profile.list[0].counts[LINE_INSTRUCTIONS], 5);
}
