#include "test.h"

#include <sys/resource.h>
#include <sys/wait.h>

static void expect_content(const char *path, const char *expected)
{
    OWNED_TEXT text;
    size_t length;
    cr_assert_eq(file_read(path, 1u << 20, &text, &length), 0);
    cr_expect_str_eq(text, expected);
    cr_expect_eq(length, strlen(expected));
}

static struct atomic_file opened(const char *path, const char *text)
{
    struct atomic_file file;
    cr_assert_eq(atomic_file_open(&file, path), 0);
    fputs(text, file.stream);
    return file;
}

/* Counts the names in a folder without . and .. */
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

Test(files, file_read_gives_every_byte, .init = scratch_begin, .fini = scratch_leave)
{
    OWNED_TEXT path = scratch_file(scratch, "small", "");
    expect_content(path, "");
    FILE *file = fopen(path, "w");
    for (int i = 0; i < 300000; i++)
        fputc(i % 251, file);
    fclose(file);
    OWNED_TEXT text;
    size_t length;
    cr_assert_eq(file_read(path, 300000, &text, &length), 0);
    cr_expect_eq(length, 300000);
    for (size_t i = 0; i < length; i++)
        cr_assert_eq((unsigned char)text[i], i % 251);
    cr_expect_eq(text[length], '\0');
}

Test(files, file_read_says_why_it_cannot, .init = scratch_begin, .fini = scratch_leave)
{
    OWNED_TEXT large = scratch_file(scratch, "large", "12345");
    OWNED_TEXT pipe = x_sprintf("%s/pipe", scratch);
    OWNED_TEXT missing = x_sprintf("%s/missing", scratch);
    cr_assert_eq(mkfifo(pipe, 0600), 0);
    const struct {
        const char *path, *words;
    } cases[] = {
        {scratch, "is a folder"},
        {large, "5 bytes, more than the limit of 4"},
        {pipe, "not a regular file"},
        {missing, "No such file or directory"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char *text;
        size_t length;
        HEAR(result, file_read(cases[i].path, 4, &text, &length));
        cr_expect_eq(result, -1);
        cr_expect_null(text);
        cr_expect(strstr(said, cases[i].path) && strstr(said, cases[i].words), "%s", said);
    }
}

Test(files, atomic_file_appears_only_on_commit, .init = scratch_begin, .fini = scratch_leave)
{
    OWNED_TEXT path = scratch_file(scratch, "kept", "old");
    struct atomic_file file = opened(path, "new");
    fflush(file.stream);
    expect_content(path, "old");
    cr_assert_eq(atomic_file_commit(&file), 0);
    expect_content(path, "new");

    file = opened(path, "never");
    atomic_file_abandon(&file);
    expect_content(path, "new");
    cr_expect_eq(count_files(scratch), 1, "a temporary file was left behind");
}

Test(files, atomic_file_has_the_mode_of_any_new_file, .init = scratch_begin, .fini = scratch_leave)
{
    OWNED_TEXT path = x_sprintf("%s/new", scratch);
    struct stat facts;
    umask(027);
    struct atomic_file file = opened(path, "");
    cr_assert_eq(atomic_file_commit(&file), 0);
    cr_assert_eq(stat(path, &facts), 0);
    cr_expect_eq(facts.st_mode & 0777, 0640);
}

Test(files, atomic_file_keeps_a_link_and_replaces_what_it_names, .init = scratch_begin, .fini = scratch_leave)
{
    OWNED_TEXT target = scratch_file(scratch, "target", "old");
    OWNED_TEXT link = x_sprintf("%s/link", scratch);
    cr_assert_eq(symlink("target", link), 0);
    struct atomic_file file = opened(link, "new");
    struct stat facts;
    cr_assert_eq(atomic_file_commit(&file), 0);
    cr_assert_eq(lstat(link, &facts), 0);
    cr_expect(S_ISLNK(facts.st_mode));
    expect_content(target, "new");
}

Test(files, atomic_file_leaves_a_device_in_place)
{
    struct stat before, after;
    cr_assert_eq(stat("/dev/null", &before), 0);
    struct atomic_file file = opened("/dev/null", "gone");
    cr_expect_eq(atomic_file_commit(&file), 0);
    cr_assert_eq(stat("/dev/null", &after), 0);
    cr_expect_eq(before.st_ino, after.st_ino);
    cr_expect(S_ISCHR(after.st_mode));

    /* /dev/full is a device that is always full. */
    file = opened("/dev/full", "lost");
    HEAR(result, atomic_file_commit(&file));
    cr_expect_eq(result, -1);
    cr_expect(strstr(said, "/dev/full") && strstr(said, strerror(ENOSPC)), "%s", said);
}

/* A limit on the size of files stands in for a full disk. */
Test(files, atomic_file_on_a_full_disk_keeps_the_old_file, .init = scratch_begin, .fini = scratch_leave)
{
    OWNED_TEXT path = scratch_file(scratch, "kept", "old");
    capture_begin(); /* captures before the limit, because it writes a file too */
    struct atomic_file file = opened(path, "");
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){4096, RLIM_INFINITY});
    for (int i = 0; i < 100000; i++)
        fputs("0123456789", file.stream);
    int result = atomic_file_commit(&file);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
    char *said = capture_end();
    cr_expect_eq(result, -1);
    cr_expect(strstr(said, "cannot write") && strstr(said, path), "%s", said);
    expect_content(path, "old");
    cr_expect_eq(count_files(scratch), 1, "a temporary file was left behind");
    free(said);

    /* The limit is lifted before the commit, but what was lost before stays lost. */
    capture_begin();
    file = opened(path, "");
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){1, RLIM_INFINITY});
    fputs("0123456789", file.stream);
    cr_expect_neq(fflush(file.stream), 0);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
    result = atomic_file_commit(&file);
    said = capture_end();
    cr_expect_eq(result, -1);
    expect_word(said, "cannot write");
    expect_content(path, "old");
    free(said);
}

Test(files, make_folders_makes_parents_and_accepts_existing_ones, .init = scratch_begin, .fini = scratch_leave)
{
    OWNED_TEXT deep = x_sprintf("%s/a//b/c/", scratch);
    struct stat facts;
    cr_expect_eq(make_folders(deep), 0);
    cr_expect_eq(make_folders(deep), 0);
    cr_assert_eq(stat(deep, &facts), 0);
    cr_expect(S_ISDIR(facts.st_mode));

    OWNED_TEXT file = scratch_file(scratch, "file", "");
    OWNED_TEXT below = x_sprintf("%s/x", file);
    HEAR(result, make_folders(below));
    cr_expect_eq(result, -1);
    cr_expect(strstr(said, file), "%s", said);
}

static void open_all(const void *paths)
{
    for (const char *const *path = paths; *path; path++)
        opened(*path, "text");
}

Test(files, what_a_killed_writer_left_is_removed_by_the_next, .init = scratch_enter, .fini = scratch_leave)
{
    static const char *const paths[] = {"a.json", "b.json", NULL};
    process_kill(process_that(open_all, paths));
    process_kill(process_that(open_all, paths));
    cr_assert(is_there("a.json.cugate-0.tmp") && is_there("b.json.cugate-0.tmp"));
    cr_expect(!is_there("a.json.cugate-1.tmp"), "it grows with each");
    struct atomic_file file = opened("other.json", "text");
    cr_expect(!is_there("a.json.cugate-0.tmp") && !is_there("b.json.cugate-0.tmp"));
    cr_expect_eq(atomic_file_commit(&file), 0);
    cr_expect(is_there("other.json") && !is_there("other.json.cugate-0.tmp"));
}

Test(files, what_others_write_at_the_moment_stays, .init = scratch_enter, .fini = scratch_leave)
{
    static const char *const path[] = {"a.json", NULL};
    const pid_t other = process_that(open_all, path);
    struct atomic_file mine = opened("a.json", "text"), more = opened("b.json", "text");
    cr_expect(is_there("a.json.cugate-0.tmp"), "the other's");
    cr_expect_str_eq(mine.temporary, "a.json.cugate-1.tmp");
    cr_assert_eq(atomic_file_sync(&mine), 0);
    atomic_file_abandon(&more);
    more = opened("c.json", "text");
    cr_expect(is_there("a.json.cugate-1.tmp"), "written and not yet in its place");
    cr_expect_eq(atomic_file_commit(&mine), 0);
    cr_expect_eq(atomic_file_commit(&more), 0);
    process_kill(other);
    mine = opened("a.json", "text");
    cr_expect_str_eq(mine.temporary + strlen(mine.temporary) - strlen("/a.json.cugate-0.tmp"), "/a.json.cugate-0.tmp");
    atomic_file_abandon(&mine);
    cr_expect(!is_there("a.json.cugate-0.tmp") && is_there("a.json") && is_there("c.json"));
}

Test(files, what_only_looks_alike_stays, .init = scratch_enter, .fini = scratch_leave)
{
    static const char *const names[] = {"a.json",          "a.json.tmp",        "a.json.12-0.tmp", "a.cugate-0.tmp.txt",
                                        "a.cugate-.tmp",   "a.cugate-0x.tmp",   "a.cugate-0",      ".tmp",
                                        "a.cugate-0.tmpx", "a.cugate-1.tmp.tmp"};
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        free(scratch_file(".", names[i], "mine"));
    cr_assert_eq(symlink("a.json", "b.cugate-0.tmp"), 0);
    cr_assert_eq(make_folders("c.cugate-0.tmp"), 0);
    struct atomic_file file = opened("z.json", "text");
    atomic_file_abandon(&file);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        cr_expect(is_there(names[i]), "%s", names[i]);
    cr_expect(is_there("b.cugate-0.tmp") && is_there("c.cugate-0.tmp"));
}

/* Each process writes the same file again and again, while others start and end. */
Test(files, many_at_once_lose_no_file, .init = scratch_enter, .fini = scratch_leave)
{
    enum { WRITERS = 4, ROUNDS = 100 };
    pid_t writers[WRITERS];
    for (int w = 0; w < WRITERS; w++) {
        writers[w] = fork();
        for (int i = 0; writers[w] == 0 && i <= ROUNDS; i++) {
            if (i == ROUNDS)
                _exit(0);
            struct atomic_file file;
            if (atomic_file_open(&file, "same.json") < 0 || fputs("text", file.stream) < 0 ||
                atomic_file_commit(&file) < 0)
                _exit(1);
        }
    }
    for (int w = 0; w < WRITERS; w++) {
        int status = -1;
        waitpid(writers[w], &status, 0);
        cr_expect_eq(status, 0, "writer %d", w);
    }
    cr_expect(is_there("same.json"));
    for (int i = 0; i < WRITERS; i++) {
        OWNED_TEXT left = x_sprintf("same.json.cugate-%d.tmp", i);
        cr_expect(!is_there(left), "%s", left);
    }
}

Test(files, a_temporary_folder_is_in_tmpdir_and_goes_with_its_files, .init = scratch_enter, .fini = scratch_leave)
{
    setenv("TMPDIR", ".", 1);
    char *folder = make_temporary_folder();
    cr_assert_not_null(folder);
    cr_expect_eq(strncmp(folder, "./cugate-", 9), 0, "%s", folder);
    OWNED_TEXT path = scratch_file(folder, "file", ""), *copy = x_strdup(folder);
    remove_temporary_folder(folder);
    cr_expect(!is_there(copy));

    struct problem problem = {""}, *before = error_into(&problem);
    setenv("TMPDIR", "nowhere", 1);
    cr_expect_null(make_temporary_folder());
    error_into(before);
    expect_word(problem.text, "cannot create a temporary folder nowhere/cugate-");
}
