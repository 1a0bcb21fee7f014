/* Two kernel libraries in one: the older build when the file is called "base...", through a link, and the newer one
 * otherwise. The name of a variant says how the two differ. */
#include "answer.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static bool is_base(void)
{
    Dl_info info;
    if (!dladdr(&output, &info))
        abort();
    const char *slash = strrchr(info.dli_fname, '/');
    return strncmp(slash ? slash + 1 : info.dli_fname, "base", 4) == 0;
}

#ifndef SCALE
#define SCALE 1 /* of the times, for those who measure them by a clock that other work on the machine moves */
#endif

/* The unit tests make up a clock that nothing but sleeping moves. */
static int take(void *state, long base_ms, long head_ms)
{
    nanosleep(&(struct timespec){.tv_nsec = (is_base() ? base_ms : head_ms) * SCALE * 1000000}, NULL);
    return launch_good(state);
}

LAUNCH(equal, take(state, 2, 2))
LAUNCH(slower, take(state, 2, 10))

/* By 2 %. */
LAUNCH(bit_slower, take(state, 50, 51))
LAUNCH(faster, take(state, 10, 2))
LAUNCH(removed, take(state, 2, 2))
LAUNCH(added, take(state, 2, 2))

/* Never ends in the fifth turn, which the log tells. */
static int launch_stuck_later(void *state)
{
    struct stat log;
    const char *path = getenv("TURNS_LOG");
    while (path && stat(path, &log) == 0 && log.st_size >= 5)
        pause();
    return take(state, 2, 10);
}

/* Whether this is the first process that asks: the first one leaves the file that TURNS_MARK names. */
static bool is_first(void)
{
    static bool known, first;
    const char *mark = getenv("TURNS_MARK");
    if (!known && mark) {
        FILE *file = fopen(mark, "wx");
        first = file;
        if (file)
            fclose(file);
    }
    known = true;
    return first;
}

LAUNCH(slower_once, take(state, 18, is_first() ? 24 : 18))
LAUNCH(slower_then_bad, is_base() || is_first() ? take(state, 2, 10) : MADE_UP_ERROR)
LAUNCH(bad_base, is_base() ? MADE_UP_ERROR : take(state, 2, 2))

/* The first one is of the base alone, the last one of the head alone. */
static const struct cugate_variant variants[] = {
    VARIANT(removed),     VARIANT(equal),       VARIANT(slower),          VARIANT(bit_slower), VARIANT(faster),
    VARIANT(stuck_later), VARIANT(slower_once), VARIANT(slower_then_bad), VARIANT(bad_base),   VARIANT(added),
};
static struct cugate_family turns = {
    "turns", "two builds", CUGATE_TRANSFER, open_nothing, restore, verify, close_nothing, variants, 0, NULL, NULL};
static const struct cugate_family *const families[] = {&turns};
static const struct cugate_library library = {
    CUGATE_KERNEL_ABI, "cc", "", families, 1, synchronize, error_text,
};

/* Notes in the file that TURNS_LOG names which of the two was loaded, a letter a process. */
static void note_turn(void)
{
    const char *path = getenv("TURNS_LOG");
    FILE *log = path ? fopen(path, "a") : NULL;
    if (!log)
        return;
    fputc(is_base() ? 'B' : 'H', log);
    fclose(log);
}

const struct cugate_library *cugate_library(void)
{
    note_turn();
    turns.variants = is_base() ? variants : variants + 1;
    turns.variant_count = sizeof variants / sizeof *variants - 1;
    return &library;
}
