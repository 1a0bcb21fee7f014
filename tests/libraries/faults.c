/* A kernel library whose "kernels" run on the host: some are good, and the others go wrong in one way each. The name of
 * a family or a variant says what it does. Families whose name begins with "slow" take long or never end. */
#include "answer.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static int device_error; /* what synchronizing returns, in this process for good: an error costs the context */

static void die_by(int number)
{
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    signal(number, SIG_DFL);
    raise(number);
}

LAUNCH(wrong, (*(double *)state = 41, 0))

/* Right when it is verified, wrong when it is measured. */
static int launch_wrong_later(void *state)
{
    static int launches;
    return launches++ == 0 ? launch_good(state) : launch_wrong(state);
}

LAUNCH(nothing, 0)
LAUNCH(segv, (die_by(SIGSEGV), launch_good(state)))

static int launch_abort(void *state)
{
    (void)state;
    signal(SIGABRT, SIG_DFL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    abort();
}

LAUNCH(exit, (_exit(0), 0))
LAUNCH(refused, device_error = MADE_UP_ERROR)
LAUNCH(failing, (device_error = MADE_UP_ERROR, launch_good(state)))

static int launch_closing(void *state)
{
    for (int descriptor = 0; descriptor < 1024; descriptor++)
        close(descriptor);
    return launch_good(state);
}

static int launch_printing(void *state)
{
    puts("printed through a buffer");
    fflush(stdout);
    static const char text[] = "printed at once\n";
    return write(STDOUT_FILENO, text, sizeof text - 1) < 0 ? MADE_UP_ERROR : launch_good(state);
}

static int launch_endless(void *state)
{
    for (;;)
        pause();
    return launch_good(state);
}

LAUNCH(brief, (nanosleep(&(struct timespec){.tv_nsec = 150000000}, NULL), launch_good(state)))

static int open_refused(const struct cugate_family *self, void **state)
{
    (void)self;
    (void)state;
    return MADE_UP_ERROR;
}

static int open_exit(const struct cugate_family *self, void **state)
{
    (void)self;
    (void)state;
    exit(0);
}

static int restore_refused(void *state)
{
    (void)state;
    return MADE_UP_ERROR;
}

static int verify_good(void *state, const struct cugate_variant *variant, char *why, size_t why_size)
{
    return strcmp(variant->name, "silent") == 0 ? CUGATE_WRONG : verify(state, variant, why, why_size);
}

static int verify_refused(void *state, const struct cugate_variant *variant, char *why, size_t why_size)
{
    (void)state;
    (void)variant;
    (void)why;
    (void)why_size;
    return MADE_UP_ERROR;
}

static void close_good(void *state)
{
    *(double *)state = -2;
}

static void close_killed(void *state)
{
    (void)state;
    die_by(SIGKILL);
}

static void close_endless(void *state)
{
    launch_endless(state);
}

static int device_code(void)
{
    return device_error;
}

#define ROW(name_, launch_)                                                                                            \
    {                                                                                                                  \
        .name = #name_, .doc = #name_, .launch = launch_, .bytes = 1000, .flops = 500                                  \
    }
#define VARIANTS(family) family##_variants, sizeof family##_variants / sizeof *family##_variants
#define FAMILY_OF(family, open_, restore_, verify_, close_)                                                            \
    static const struct cugate_family family = {#family, #family, CUGATE_KERNELS,   open_, restore_,                   \
                                                verify_, close_,  VARIANTS(family), NULL,  NULL}

static const struct cugate_variant crash_variants[] = {
    ROW(segv, launch_segv), ROW(abort, launch_abort),     ROW(good, launch_good),
    ROW(exit, launch_exit), ROW(closing, launch_closing),
};
static const struct cugate_variant wrong_variants[] = {
    ROW(number, launch_wrong),    ROW(later, launch_wrong_later), ROW(silent, launch_wrong),
    ROW(nothing, launch_nothing), ROW(good, launch_good),
};
static const struct cugate_variant failing_variants[] = {
    ROW(launch, launch_refused),
    ROW(good, launch_good),
    ROW(kernel, launch_failing),
    {.name = "absent", .doc = "absent", .not_built = "made_up.h was not found", .bytes = 1000, .flops = 500},
};
static const struct cugate_variant open_fails_variants[] = {ROW(a, launch_good), ROW(b, launch_good)};
static const struct cugate_variant open_exits_variants[] = {ROW(a, launch_good), ROW(b, launch_good)};
static const struct cugate_variant restore_fails_variants[] = {ROW(a, launch_good)};
static const struct cugate_variant verify_fails_variants[] = {ROW(a, launch_good)};
static const struct cugate_variant close_dies_variants[] = {ROW(good, launch_good)};
static const struct cugate_variant good_variants[] = {ROW(one, launch_good), ROW(two, launch_good),
                                                      ROW(printing, launch_printing)};
static const struct cugate_variant last_variants[] = {ROW(good, launch_good), ROW(segv, launch_segv)};
static const struct cugate_variant slow_variants[] = {ROW(brief, launch_brief), ROW(brief_2, launch_brief),
                                                      ROW(brief_3, launch_brief), ROW(endless, launch_endless),
                                                      ROW(good, launch_good)};
static const struct cugate_variant slow_close_variants[] = {ROW(good, launch_good)};

FAMILY_OF(crash, open_nothing, restore, verify_good, close_good);
FAMILY_OF(wrong, open_nothing, restore, verify_good, close_good);
FAMILY_OF(failing, open_nothing, restore, verify_good, close_good);
FAMILY_OF(open_fails, open_refused, restore, verify_good, close_good);
FAMILY_OF(open_exits, open_exit, restore, verify_good, close_good);
FAMILY_OF(restore_fails, open_nothing, restore_refused, verify_good, close_good);
FAMILY_OF(verify_fails, open_nothing, restore, verify_refused, close_good);
FAMILY_OF(close_dies, open_nothing, restore, verify_good, close_killed);
FAMILY_OF(good, open_nothing, restore, verify_good, close_good);
FAMILY_OF(last, open_nothing, restore, verify_good, close_good);
FAMILY_OF(slow, open_nothing, restore, verify_good, close_good);
FAMILY_OF(slow_close, open_nothing, restore, verify_good, close_endless);

/* The slow ones stand in front, so that other kernels come after them. */
static const struct cugate_family *const families[] = {
    &slow,       &slow_close,    &crash,        &wrong,      &failing, &open_fails,
    &open_exits, &restore_fails, &verify_fails, &close_dies, &good,    &last,
};

const struct cugate_library *cugate_library(void)
{
    static const struct cugate_library library = {
        CUGATE_KERNEL_ABI, "made-up compiler 1.0", "-O2 -g", families, sizeof families / sizeof *families, device_code,
        error_text,
    };
    return &library;
}
