/* What the kernels of kernels.cu do, and one of cugate's, on the processor. To add a kernel: its code there, and a
 * function and a row here.
 */
#include "driver.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static double add_one(const struct arguments *arguments)
{
    for (int i = 0; i < arguments->count; i++)
        arguments->data[i] += 1;
    return 0;
}

/* Its counts follow its data: so many instructions more as the value says. */
static double add_value(const struct arguments *arguments)
{
    for (int i = 0; i < arguments->count; i++)
        arguments->data[i] += arguments->value;
    return arguments->value;
}

static double scale(const struct arguments *arguments)
{
    for (int i = 0; i < arguments->count; i++)
        arguments->data[i] = (int)((unsigned)arguments->data[i] * (unsigned)arguments->value);
    return 0;
}

/* Its counts never repeat, as of a kernel that waits on a semaphore. */
static double restless(const struct arguments *arguments)
{
    unsigned short turns = 0;
    if (getrandom(&turns, sizeof turns, 0) != sizeof turns)
        abort();
    return add_one(arguments) + turns;
}

static double nothing(const struct arguments *arguments)
{
    (void)arguments;
    return 0;
}

/* Does not end; kernel_run knows it by this function. */
static double spin(const struct arguments *arguments)
{
    (void)arguments;
    return 0;
}

static const struct kernel_work works[] = {
    {"add_one", 12000, add_one},
    {"add_value", 20000, add_value},
    {"_Z5scaleIiEvPT_ii", 50000, scale}, /* void scale<int>(int *, int, int) */
    {"_Z5scaleIjEvPT_ii", 30000, scale}, /* void scale<unsigned int>(unsigned int *, int, int) */
    {"pin", 12000, add_one},             /* what it reads stays in the L2 */
    {"tiny", 2000, nothing},
    {"large", 324000, add_one},
    {"restless", 15000, restless},
    {"spin", 1000, spin},
    {"cugate_condition", 350000, nothing}, /* harness/cupti's own, which takes other parameters */
};

const struct kernel_work *kernel_work(const char *name)
{
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        if (strcmp(works[i].name, name) == 0)
            return &works[i];
    return NULL;
}

/* By STANDIN_JITTER, with other numbers in each process. */
double kernel_time(const struct kernel_work *work)
{
    static _Thread_local unsigned seed;
    const char *percent = getenv("STANDIN_JITTER");
    if (!percent)
        return work->time_ns;
    if (seed == 0 && getrandom(&seed, sizeof seed, 0) != sizeof seed)
        abort();
    const double share = 2.0 * rand_r(&seed) / RAND_MAX - 1; /* -1 to 1 */
    return work->time_ns * (1 + atof(percent) / 100 * share);
}

struct arguments kernel_arguments(void **parameters)
{
    return (struct arguments){*(int **)parameters[0], *(int *)parameters[1], *(int *)parameters[2]};
}

bool kernel_run(const struct kernel_work *work, CUcontext context, const struct arguments *arguments, double *more)
{
    if (work->run == spin) {
        context->hangs = true;
        return false;
    }
    pthread_mutex_lock(&driver_lock);
    const bool is_legal =
        arguments->count <= 0 || memory_is_device(arguments->data, (size_t)arguments->count * sizeof *arguments->data);
    if (is_legal)
        *more = work->run(arguments);
    else
        context->has_failed = true;
    pthread_mutex_unlock(&driver_lock);
    return is_legal;
}
