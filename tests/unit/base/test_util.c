#include "base/util.h"
#include "support.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static void expect_content(const char *path, const char *expected)
{
    char *text;
    size_t length;
    cr_assert_eq(file_read(path, 1u << 20, &text, &length), 0);
    cr_expect_str_eq(text, expected);
    cr_expect_eq(length, strlen(expected));
    free(text);
}

/* Names in a folder, without . and .. */
static size_t count_files(const char *folder)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, NULL);
    cr_assert_geq(count, 2);
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    return (size_t)count - 2;
}

Test(util, digits_are_grouped_by_threes)
{
    static const struct {
        double number;
        const char *text;
    } cases[] = {{0, "0"},
                 {7, "7"},
                 {999, "999"},
                 {1000, "1,000"},
                 {65536, "65,536"},
                 {123456, "123,456"},
                 {1234567, "1,234,567"},
                 {4294967295.0, "4,294,967,295"},
                 {1e18, "1,000,000,000,0"}};
    for (size_t i = 0; i < ROWS(cases); i++) {
        char text[17];
        cr_expect_str_eq(group_digits(cases[i].number, text, sizeof text), cases[i].text);
    }
    char all[512];
    cr_expect_eq(strlen(group_digits(1e308, all, sizeof all)), 309 + 102);
}

Test(util, error_returns_minus_one_and_names_the_program)
{
    struct capture capture;
    capture_begin(&capture);
    int result = error("cannot read %s", "x");
    warning("%d of them", 3);
    char *text = capture_end(&capture);
    cr_expect_eq(result, -1);
    cr_expect_str_eq(text, "cugate: error: cannot read x\ncugate: warning: 3 of them\n");
    free(text);
}

Test(util, messages_keep_control_characters_from_the_terminal)
{
    struct capture capture;
    capture_begin(&capture);
    error("bad name %s", "\x1b[31mred\x7f\r");
    error("bad reason %s", "line\n::error::planted");
    warning("bad direction %s", "\u202edesrever\u2028 \xc2\x9b"
                                "2J \xff");
    warning("good name %s", "5 \u00b5s");
    char *text = capture_end(&capture);
    cr_expect_str_eq(text, "cugate: error: bad name ?[31mred??\n"
                           "cugate: error: bad reason line ::error::planted\n"
                           "cugate: warning: bad direction ?desrever? ?2J ?\n"
                           "cugate: warning: good name 5 \u00b5s\n");
    free(text);
}

Test(util, die_exits_with_its_code, .exit_code = EXIT_BASELINE)
{
    cr_redirect_stderr();
    die(EXIT_BASELINE, "no baseline");
}

Test(util, bug_aborts, .signal = SIGABRT)
{
    cr_redirect_stderr();
    BUG("impossible");
}

Test(util, memory_that_cannot_exist_ends_the_program, .exit_code = EXIT_USAGE)
{
    cr_redirect_stderr();
    x_realloc(NULL, SIZE_MAX / 2, 16); /* the product overflows */
}

Test(util, array_add_zeroes_and_keeps_what_is_there)
{
    struct {
        int number;
        char *text;
    } *list = NULL;
    size_t count = 0;
    for (int i = 0; i < 1000; i++) {
        cr_assert_eq(ARRAY_ADD(list, count)->number, 0);
        cr_assert_null(list[count - 1].text);
        list[count - 1].number = i;
        if (i % 7 == 3)
            count -= 3; /* a list may shrink and grow again */
    }
    for (size_t i = 1; i < count; i++)
        cr_assert_gt(list[i].number, list[i - 1].number);
    free(list);
}

Test(util, equal_elements_have_the_place_of_the_first)
{
    static const char *const texts[] = {"b", "a", "b", "c", "a", "b"};
    static const size_t expected[] = {0, 1, 0, 3, 1, 0};
    size_t *first = first_of_equals(texts, ROWS(texts), sizeof *texts, by_text);
    cr_expect_arr_eq(first, expected, sizeof expected);
    free(first);
    free(first_of_equals(NULL, 0, sizeof *texts, by_text));
}

/* Sorting takes some 300,000 comparisons, each with each 200 million. */
static int by_counted_number(const void *left, const void *right)
{
    static size_t comparisons;
    const int *a = left, *b = right;
    cr_assert_lt(comparisons++, 2000000u);
    return (*a > *b) - (*a < *b);
}

Test(util, long_lists_are_not_compared_pair_by_pair)
{
    static int numbers[20000];
    for (size_t i = 0; i < ROWS(numbers); i++)
        numbers[i] = (int)(i * 7919 % 10000);
    size_t *first = first_of_equals(numbers, ROWS(numbers), sizeof *numbers, by_counted_number);
    for (size_t i = 0; i < ROWS(numbers); i++)
        cr_assert_eq(first[i], i % 10000);
    free(first);
}

Test(util, median_takes_the_middle)
{
    static const struct {
        double values[5];
        size_t count;
        double expected;
    } cases[] = {
        {{7}, 1, 7},
        {{1, 2}, 2, 1.5},
        {{3, 1, 2}, 3, 2},
        {{4, 1, 3, 2}, 4, 2.5},
        {{5, 5, 1, 9, 5}, 5, 5},
        {{1e308, 1.5e308}, 2, 1.25e308},
        {{9007199254740991, 9007199254740991}, 2, 9007199254740991},
    };
    for (size_t i = 0; i < ROWS(cases); i++)
        cr_expect_eq(median(cases[i].values, cases[i].count), cases[i].expected, "case %zu", i);
    const double kept[] = {3, 1, 2};
    median(kept, 3);
    cr_expect(kept[0] == 3 && kept[1] == 1 && kept[2] == 2, "the caller's order was changed");
}

Test(util, round_value_keeps_nine_digits_and_whole_numbers)
{
    static const struct {
        double value, expected;
    } cases[] = {
        {0, 0},
        {1.0 / 3, 0.333333333},
        {123456789.123, 123456789},
        {9007199254740991, 9007199254740991},
        {18446744073709551616.0, 18446744100000000000.0},
        {1234567.8912, 1234567.89},
    };
    for (size_t i = 0; i < ROWS(cases); i++) {
        cr_expect_eq(round_value(cases[i].value), cases[i].expected, "case %zu", i);
        cr_expect_eq(round_value(round_value(cases[i].value)), round_value(cases[i].value), "case %zu", i);
    }
    cr_expect(isnan(round_value(NAN)));
    cr_expect(isinf(round_value(INFINITY)));
}

Test(util, globs_match_across_slashes)
{
    static const struct {
        const char *globs[2];
        size_t count;
        const char *text;
        bool expected;
    } cases[] = {
        {{NULL}, 0, "reduce/tree", true},         {{"reduce/*"}, 1, "reduce/tree", true},
        {{"reduce/*"}, 1, "reduce", false},       {{"*"}, 1, "reduce/tree", true},
        {{"*tree"}, 1, "reduce/tree", true},      {{"reduce"}, 1, "reduce/tree", false},
        {{"[ab]*/x?"}, 1, "beta/x1", true},       {{"no", "reduce/tr*"}, 2, "reduce/tree", true},
        {{"no", "nor"}, 2, "reduce/tree", false},
    };
    for (size_t i = 0; i < ROWS(cases); i++)
        cr_expect_eq(glob_any((char *const *)cases[i].globs, cases[i].count, cases[i].text), cases[i].expected,
                     "case %zu", i);
}

Test(util, slug_is_lower_case_with_single_dashes)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"NVIDIA H200", "nvidia-h200"},
        {"  Tesla  V100-SXM2-32GB ", "tesla-v100-sxm2-32gb"},
        {"../../etc/passwd", "etc-passwd"},
        {"\xc3\xa9t\xc3\xa9", "t"},
        {"", ""},
        {"///", ""},
    };
    for (size_t i = 0; i < ROWS(cases); i++) {
        char *text = slug(cases[i].text);
        cr_expect_str_eq(text, cases[i].expected);
        free(text);
    }
}

Test(util, nearest_name_finds_slips_only)
{
    static const char *const names[] = {"check", "compare", "list", "run"};
    static const struct {
        const char *text, *expected; /* NULL: none */
    } cases[] = {
        {"chekc", "check"}, {"comapre", "compare"}, {"lst", "list"}, {"rnu", "run"},
        {"explain", NULL},  {"completely", NULL},   {"", NULL},      {"x", NULL},
        {"list", "list"},
    };
    for (size_t i = 0; i < ROWS(cases); i++) {
        const char *found = nearest_name(cases[i].text, names, ROWS(names));
        cr_expect((!found && !cases[i].expected) ||
                      (found && cases[i].expected && strcmp(found, cases[i].expected) == 0),
                  "%s: %s", cases[i].text, found ? found : "none");
    }
    char *endless = x_calloc(100001, 1);
    memset(endless, 'x', 100000);
    cr_expect_null(nearest_name(endless, names, ROWS(names)));
    free(endless);
}

Test(util, file_read_gives_every_byte)
{
    char *folder = scratch_make();
    char *path = scratch_file(folder, "small", "");
    expect_content(path, "");
    FILE *file = fopen(path, "w");
    for (int i = 0; i < 300000; i++)
        fputc(i % 251, file);
    fclose(file);
    char *text;
    size_t length;
    cr_assert_eq(file_read(path, 300000, &text, &length), 0);
    cr_expect_eq(length, 300000);
    for (size_t i = 0; i < length; i++)
        cr_assert_eq((unsigned char)text[i], i % 251);
    cr_expect_eq(text[length], '\0');
    free(text);
    free(path);
    scratch_remove(folder);
}

Test(util, file_read_says_why_it_cannot)
{
    char *folder = scratch_make();
    char *large = scratch_file(folder, "large", "12345");
    char *pipe = x_sprintf("%s/pipe", folder);
    char *missing = x_sprintf("%s/missing", folder);
    cr_assert_eq(mkfifo(pipe, 0600), 0);
    const struct {
        const char *path, *words;
    } cases[] = {
        {folder, "is a folder"},
        {large, "5 bytes, more than the limit of 4"},
        {pipe, "not a regular file"},
        {missing, "No such file or directory"},
    };
    for (size_t i = 0; i < ROWS(cases); i++) {
        struct capture capture;
        char *text;
        size_t length;
        capture_begin(&capture);
        int result = file_read(cases[i].path, 4, &text, &length);
        char *said = capture_end(&capture);
        cr_expect_eq(result, -1);
        cr_expect_null(text);
        cr_expect(strstr(said, cases[i].path) && strstr(said, cases[i].words), "%s", said);
        free(said);
    }
    free(missing);
    free(pipe);
    free(large);
    scratch_remove(folder);
}

Test(util, whole_file_appears_only_on_commit)
{
    char *folder = scratch_make();
    char *path = scratch_file(folder, "kept", "old");
    struct whole_file file;
    cr_assert_eq(whole_file_open(&file, path), 0);
    fputs("new", file.stream);
    fflush(file.stream);
    expect_content(path, "old");
    cr_assert_eq(whole_file_commit(&file), 0);
    expect_content(path, "new");

    cr_assert_eq(whole_file_open(&file, path), 0);
    fputs("never", file.stream);
    whole_file_abandon(&file);
    expect_content(path, "new");
    cr_expect_eq(count_files(folder), 1, "a temporary file was left behind");
    free(path);
    scratch_remove(folder);
}

Test(util, whole_file_has_the_mode_of_any_new_file)
{
    char *folder = scratch_make();
    char *path = x_sprintf("%s/new", folder);
    struct whole_file file;
    struct stat facts;
    umask(027);
    cr_assert_eq(whole_file_open(&file, path), 0);
    cr_assert_eq(whole_file_commit(&file), 0);
    cr_assert_eq(stat(path, &facts), 0);
    cr_expect_eq(facts.st_mode & 0777, 0640);
    free(path);
    scratch_remove(folder);
}

Test(util, whole_file_keeps_a_link_and_replaces_what_it_names)
{
    char *folder = scratch_make();
    char *target = scratch_file(folder, "target", "old");
    char *link = x_sprintf("%s/link", folder);
    cr_assert_eq(symlink("target", link), 0);
    struct whole_file file;
    struct stat facts;
    cr_assert_eq(whole_file_open(&file, link), 0);
    fputs("new", file.stream);
    cr_assert_eq(whole_file_commit(&file), 0);
    cr_assert_eq(lstat(link, &facts), 0);
    cr_expect(S_ISLNK(facts.st_mode));
    expect_content(target, "new");
    free(link);
    free(target);
    scratch_remove(folder);
}

Test(util, whole_file_leaves_a_device_in_place)
{
    struct whole_file file;
    struct stat before, after;
    struct capture capture;
    cr_assert_eq(stat("/dev/null", &before), 0);
    cr_assert_eq(whole_file_open(&file, "/dev/null"), 0);
    fputs("gone", file.stream);
    cr_expect_eq(whole_file_commit(&file), 0);
    cr_assert_eq(stat("/dev/null", &after), 0);
    cr_expect_eq(before.st_ino, after.st_ino);
    cr_expect(S_ISCHR(after.st_mode));

    /* A device that is always full. */
    cr_assert_eq(whole_file_open(&file, "/dev/full"), 0);
    fputs("lost", file.stream);
    capture_begin(&capture);
    int result = whole_file_commit(&file);
    char *said = capture_end(&capture);
    cr_expect_eq(result, -1);
    cr_expect(strstr(said, "/dev/full") && strstr(said, strerror(ENOSPC)), "%s", said);
    free(said);
}

/* The disk is made full by a limit on the size of files. */
Test(util, whole_file_on_a_full_disk_keeps_the_old_file)
{
    char *folder = scratch_make();
    char *path = scratch_file(folder, "kept", "old");
    struct whole_file file;
    struct capture capture;
    capture_begin(&capture); /* before the limit: its file is one, too */
    cr_assert_eq(whole_file_open(&file, path), 0);
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){4096, RLIM_INFINITY});
    for (int i = 0; i < 100000; i++)
        fputs("0123456789", file.stream);
    int result = whole_file_commit(&file);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
    char *said = capture_end(&capture);
    cr_expect_eq(result, -1);
    cr_expect(strstr(said, "cannot write") && strstr(said, path), "%s", said);
    expect_content(path, "old");
    cr_expect_eq(count_files(folder), 1, "a temporary file was left behind");
    free(said);

    /* Room again when it comes to the commit: what was lost is lost all the same. */
    capture_begin(&capture);
    cr_assert_eq(whole_file_open(&file, path), 0);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){1, RLIM_INFINITY});
    fputs("0123456789", file.stream);
    cr_expect_neq(fflush(file.stream), 0);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
    result = whole_file_commit(&file);
    said = capture_end(&capture);
    cr_expect_eq(result, -1);
    cr_expect(strstr(said, "cannot write"), "%s", said);
    expect_content(path, "old");
    free(said);
    free(path);
    scratch_remove(folder);
}

Test(util, whole_file_says_at_once_where_it_cannot_write)
{
    char *folder = scratch_make();
    char *missing = x_sprintf("%s/no/such/run.json", folder);
    const char *const paths[] = {missing, folder};
    for (size_t i = 0; i < ROWS(paths); i++) {
        struct whole_file file;
        struct capture capture;
        capture_begin(&capture);
        int result = whole_file_open(&file, paths[i]);
        char *said = capture_end(&capture);
        cr_expect_eq(result, -1);
        cr_expect(strstr(said, paths[i]), "%s", said);
        free(said);
    }
    free(missing);
    scratch_remove(folder);
}

Test(util, make_folders_makes_parents_and_accepts_existing_ones)
{
    char *folder = scratch_make();
    char *deep = x_sprintf("%s/a//b/c/", folder);
    struct stat facts;
    cr_expect_eq(make_folders(deep), 0);
    cr_expect_eq(make_folders(deep), 0);
    cr_assert_eq(stat(deep, &facts), 0);
    cr_expect(S_ISDIR(facts.st_mode));
    free(deep);

    char *file = scratch_file(folder, "file", "");
    char *below = x_sprintf("%s/x", file);
    struct capture capture;
    capture_begin(&capture);
    int result = make_folders(below);
    char *said = capture_end(&capture);
    cr_expect_eq(result, -1);
    cr_expect(strstr(said, file), "%s", said);
    free(said);
    free(below);
    free(file);
    scratch_remove(folder);
}

Test(util, program_folder_holds_this_program)
{
    char *folder = program_folder();
    cr_expect_eq(folder[0], '/');
    cr_expect_neq(folder[strlen(folder) - 1], '/');
    cr_expect_eq(access(folder, X_OK), 0);
    free(folder);
}
