/* Two builds of one kernel library, whose kernels run on the host: OLD is the base. */
#include "kernel.h"

#include <time.h>

static int done;

static int take(void *state, long milliseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = milliseconds * 1000000}, NULL);
    *(int *)state = 42;
    return 0;
}

static int launch_kept(void *state)
{
    return take(state, 1);
}

/* The build is told apart by what runs, since names do not. */
static int launch_slower(void *state)
{
#ifdef OLD
    return take(state, 4);
#else
    return take(state, 40);
#endif
}

static int launch_mended(void *state)
{
#ifdef OLD
    (void)state;
    return 700;
#else
    return take(state, 40);
#endif
}

static int open_nothing(void **state)
{
    *state = &done;
    return 0;
}

static int restore(void *state)
{
    *(int *)state = 0;
    return 0;
}

static int verify(void *state, const struct cugate_variant *variant, char *why, size_t why_size)
{
    (void)variant;
    (void)why;
    (void)why_size;
    return *(int *)state == 42 ? 0 : CUGATE_WRONG;
}

static void close_nothing(void *state)
{
    (void)state;
}

static int synchronize(void)
{
    return 0;
}

static const char *error_text(int code)
{
    (void)code;
    return "made-up error";
}

/* The first is of the base alone. */
static const struct cugate_variant variants[] = {
    {.name = "gone", .launch = launch_kept},
    {.name = "kept", .launch = launch_kept},
    {.name = "slower", .launch = launch_slower},
    {.name = "mended", .launch = launch_mended},
};

#ifdef OLD
enum { FIRST = 0 };
#else
enum { FIRST = 1 };
#endif

static const struct cugate_family family = {"two",  "two builds",  CUGATE_TRANSFER,  open_nothing, restore,
                                            verify, close_nothing, variants + FIRST, 4 - FIRST};
static const struct cugate_family *const families[] = {&family};
static const struct cugate_library table = {CUGATE_KERNEL_ABI, "cc", "", families, 1, synchronize, error_text};

const struct cugate_library *cugate_library(void)
{
    return &table;
}
