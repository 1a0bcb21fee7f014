/* What writers that were killed leave behind; the rest of whole files is in test_util.c. */
#include "base/util.h"
#include "support.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char *folder;

static void enter(void)
{
    folder = scratch_make();
    cr_assert_eq(chdir(folder), 0);
}

static void leave(void)
{
    scratch_remove(folder);
}

static struct whole_file opened(const char *path)
{
    struct whole_file file;
    cr_assert_eq(whole_file_open(&file, path), 0);
    fputs("text", file.stream);
    return file;
}

/* A process that has the files open, until it is killed. */
static pid_t hold(const char *const *paths, size_t count)
{
    int ends[2];
    char byte;
    cr_assert_eq(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        for (size_t i = 0; i < count; i++)
            opened(paths[i]);
        if (write(ends[1], "", 1) == 1)
            pause();
        _exit(1);
    }
    close(ends[1]);
    cr_assert_eq(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    return child;
}

static void end(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

Test(whole_file, what_a_killed_writer_left_is_removed_by_the_next, .init = enter, .fini = leave)
{
    static const char *const paths[] = {"a.json", "b.json"};
    end(hold(paths, ROWS(paths)));
    end(hold(paths, ROWS(paths)));
    cr_assert(is_there("a.json.cugate-0.tmp") && is_there("b.json.cugate-0.tmp"));
    cr_expect(!is_there("a.json.cugate-1.tmp"), "it grows with each");
    struct whole_file file = opened("other.json");
    cr_expect(!is_there("a.json.cugate-0.tmp") && !is_there("b.json.cugate-0.tmp"));
    cr_expect_eq(whole_file_commit(&file), 0);
    cr_expect(is_there("other.json") && !is_there("other.json.cugate-0.tmp"));
}

Test(whole_file, what_others_write_at_the_moment_stays, .init = enter, .fini = leave)
{
    static const char *const path[] = {"a.json"};
    const pid_t other = hold(path, 1);
    struct whole_file mine = opened("a.json"), more = opened("b.json");
    cr_expect(is_there("a.json.cugate-0.tmp"), "the other's");
    cr_expect_str_eq(mine.temporary, "a.json.cugate-1.tmp");
    cr_assert_eq(whole_file_settle(&mine), 0);
    whole_file_abandon(&more);
    more = opened("c.json");
    cr_expect(is_there("a.json.cugate-1.tmp"), "settled and not yet in its place");
    cr_expect_eq(whole_file_commit(&mine), 0);
    cr_expect_eq(whole_file_commit(&more), 0);
    end(other);
    mine = opened("a.json");
    cr_expect_str_eq(mine.temporary + strlen(mine.temporary) - strlen("/a.json.cugate-0.tmp"), "/a.json.cugate-0.tmp");
    whole_file_abandon(&mine);
    cr_expect(!is_there("a.json.cugate-0.tmp") && is_there("a.json") && is_there("c.json"));
}

Test(whole_file, what_only_looks_alike_stays, .init = enter, .fini = leave)
{
    static const char *const names[] = {"a.json",          "a.json.tmp",        "a.json.12-0.tmp", "a.cugate-0.tmp.txt",
                                        "a.cugate-.tmp",   "a.cugate-0x.tmp",   "a.cugate-0",      ".tmp",
                                        "a.cugate-0.tmpx", "a.cugate-1.tmp.tmp"};
    for (size_t i = 0; i < ROWS(names); i++)
        free(scratch_file(".", names[i], "mine"));
    cr_assert_eq(symlink("a.json", "b.cugate-0.tmp"), 0);
    cr_assert_eq(make_folders("c.cugate-0.tmp"), 0);
    struct whole_file file = opened("z.json");
    whole_file_abandon(&file);
    for (size_t i = 0; i < ROWS(names); i++)
        cr_expect(is_there(names[i]), "%s", names[i]);
    cr_expect(is_there("b.cugate-0.tmp") && is_there("c.cugate-0.tmp"));
}

/* Each writes the same file again and again, while others come and go. */
Test(whole_file, many_at_once_lose_no_file, .init = enter, .fini = leave)
{
    enum { WRITERS = 4, ROUNDS = 100 };
    pid_t writers[WRITERS];
    for (int w = 0; w < WRITERS; w++) {
        writers[w] = fork();
        for (int i = 0; writers[w] == 0 && i <= ROUNDS; i++) {
            if (i == ROUNDS)
                _exit(0);
            struct whole_file file;
            if (whole_file_open(&file, "same.json") < 0 || fputs("text", file.stream) < 0 ||
                whole_file_commit(&file) < 0)
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
        char *left = x_sprintf("same.json.cugate-%d.tmp", i);
        cr_expect(!is_there(left), "%s", left);
        free(left);
    }
}
