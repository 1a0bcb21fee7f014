/* A library of 2,000 kernels that run on the host and take no time to speak of: 100 families at 4 points, of 5
 * variants. The longest takes some 40 times as long as the shortest. While there is a file of the name in MANY_HOLD,
 * those of family_42 at n = 16K wait: a test can end their process then, whatever else the machine does. */
#include "answer.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NAMES = 100, POINTS = 4, FAMILIES = NAMES * POINTS, VARIANTS = 5 };

static const struct cugate_family *opened;

static int open_family(const struct cugate_family *self, void **state)
{
    opened = self;
    *state = &output;
    return 0;
}

/* The number of its name, which says how long it takes. */
static int number_of(const struct cugate_family *family)
{
    return atoi(family->name + sizeof "family_" - 1);
}

static int launch(void *state)
{
    const char *hold = getenv("MANY_HOLD");
    const int number = number_of(opened);
    while (number == 42 && strcmp(opened->point, "n=16K") == 0 && hold && access(hold, F_OK) == 0)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    volatile double sum = 0;
    for (int i = 0; i < 100 * (1 + number * number / 250); i++)
        sum += i;
    return launch_good(state);
}

const struct cugate_library *cugate_library(void)
{
    static const char *const points[POINTS] = {"n=1K", "n=4K", "n=16K", "n=64K"};
    static const struct cugate_variant variants[VARIANTS] = {
        {.name = "one", .doc = "adds", .launch = launch, .bytes = 8},
        {.name = "two", .doc = "adds", .launch = launch, .bytes = 16},
        {.name = "three", .doc = "adds", .launch = launch, .bytes = 24},
        {.name = "four", .doc = "adds", .launch = launch, .bytes = 32},
        {.name = "five", .doc = "adds", .launch = launch, .bytes = 40},
    };
    static char names[NAMES][16];
    static struct cugate_family families[FAMILIES];
    static const struct cugate_family *list[FAMILIES];
    static const struct cugate_library library = {
        CUGATE_KERNEL_ABI, "cc", "", list, FAMILIES, synchronize, error_text,
    };
    for (int i = 0; i < FAMILIES; i++) {
        char *name = names[i / POINTS];
        snprintf(name, sizeof *names, "family_%d", i / POINTS);
        families[i] =
            (struct cugate_family){name,          "adds",   CUGATE_TRANSFER, open_family,        restore, verify,
                                   close_nothing, variants, VARIANTS,        points[i % POINTS], NULL};
        list[i] = &families[i];
    }
    return &library;
}
