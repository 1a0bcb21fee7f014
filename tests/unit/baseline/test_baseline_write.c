/* Tests what happens to the files if something fails between writing and renaming them. */
#include "made_runs.h"
#include "test.h"

#include <glob.h>

/* Replaces the C library's rename(), because no folder refuses only the second file to root. Each test is a
 * process. */
/* counts from 1: which call of rename() fails or is interrupted */
static int renames, failing_rename, interrupting_rename;

int rename(const char *from, const char *to)
{
    renames++;
    if (renames == interrupting_rename)
        raise(SIGINT);
    if (renames != failing_rename)
        return renameat(AT_FDCWD, from, AT_FDCWD, to);
    errno = EPERM;
    return -1;
}

static size_t count_files(const char *folder, const char *pattern)
{
    glob_t found;
    OWNED_TEXT whole = x_sprintf("%s/nvidia-h200/*/%s", folder, pattern);
    const size_t count = glob(whole, 0, NULL, &found) == 0 ? found.gl_pathc : 0;
    globfree(&found);
    return count;
}

Test(baseline_write, a_rename_that_fails_says_how_far_it_came, .init = scratch_begin, .fini = scratch_leave)
{
    OWNED(run) run = made_run(1);
    failing_rename = 2;
    made_expect(&(struct trial){.folder = scratch}, &run, 1, EXIT_USAGE, "/reduce/tree.json: Operation not permitted");
    cr_expect_eq(count_files(scratch, "*.json"), 1);
    cr_expect_eq(count_files(scratch, "*.tmp"), 0);

    failing_rename = renames + 2;
    made_expect(&(struct trial){.folder = scratch}, &run, 1, EXIT_USAGE, "1 of 3 files were written");
    OWNED(accepted) accepted;
    cr_assert_eq(made_accept(&(struct trial){.folder = scratch}, &run, 1, &accepted), 0, "the same again");
    cr_expect_eq(accepted.counts[ACCEPTED_KNOWN], 4);
    cr_expect_eq(accepted.counts[ACCEPTED_FIRST], 8);
    OWNED(run) baseline = made_baseline(scratch);
    cr_expect_eq(baseline.result_count, 3);
    cr_expect_eq(made_row(&baseline, "access/coalesced", "time")->session_count, 1);
}

static const char *watched;
static volatile sig_atomic_t came, came_to_a_whole;

static void note_signal(int number)
{
    came = number;
    came_to_a_whole = access(watched, F_OK) == 0;
}

Test(baseline_write, ctrl_c_waits_for_the_last_file, .init = scratch_begin, .fini = scratch_leave)
{
    OWNED_TEXT last = x_sprintf("%s/nvidia-h200/reduce/warp.json", scratch);
    OWNED(run) run = made_run(1);
    watched = last;
    interrupting_rename = 1;
    signal(SIGINT, note_signal);
    made_accept_one(&(struct trial){.folder = scratch}, &run);
    cr_expect_eq(came, SIGINT, "it was lost");
    cr_expect(came_to_a_whole, "it came in between");
    cr_expect_eq(count_files(scratch, "*.json"), 3);
    cr_expect_eq(count_files(scratch, "*.tmp"), 0);
    sigset_t blocked;
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    cr_expect(!sigismember(&blocked, SIGINT));
}
