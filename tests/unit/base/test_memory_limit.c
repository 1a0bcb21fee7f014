/* Tests that a process ends with words where it touches more memory than it may, and that a limit is never raised. */
#include "test.h"

#include <sys/resource.h>

TestSuite(memory_limit);

static uint64_t limit_now(void)
{
    struct rlimit limit;
    cr_assert_eq(getrlimit(RLIMIT_RSS, &limit), 0);
    return limit.rlim_cur;
}

Test(memory_limit, is_a_part_of_the_machine)
{
    memory_limit(2);
    const uint64_t half = limit_now();
    memory_limit(8);
    const uint64_t eighth = limit_now();
    cr_expect_lt(eighth, half / 3);
    memory_limit(2);
    cr_expect_eq(limit_now(), eighth);
    OWNED_TEXT words = memory_words();
    expect_words(words, MEMORY_TAKEN, " GB, or more than this machine has left");
}

/* Touches 64 MiB where `most` bytes more may be, and lives on. Returns the status of that process. */
static int touch(uint64_t most)
{
    enum { TOUCHED = 64 << 20 };
    const pid_t child = fork();
    if (child == 0) {
        const rlim_t limit = (rlim_t)memory_taken() + most;
        (void)setrlimit(RLIMIT_RSS, &(struct rlimit){.rlim_cur = limit, .rlim_max = limit});
        memory_watch(NULL, NULL);
        memset(x_calloc(TOUCHED, 1), 1, TOUCHED);
        sleep(most > TOUCHED ? 1 : 60);
        _exit(0);
    }
    return process_exit_code(process_wait(child));
}

Test(memory_limit, ends_a_process_that_takes_more)
{
    cr_expect_eq(touch(8 << 20), MEMORY_EXIT);
    cr_expect_eq(touch(256 << 20), 0);
}
