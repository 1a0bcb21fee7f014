#include "command/shards.h"
#include "test.h"

#include <xxhash.h>

enum { FAMILIES = 400, VARIANTS = 5, KERNELS = FAMILIES * VARIANTS, SHARDS = 8, TRIALS = 10 };

/* Returns a reproducible number from 0 to 1. */
static double drawn(const char *what, size_t number)
{
    return (double)(XXH64(what, strlen(what), number) >> 11) / 9007199254740992.0;
}

/* Makes families whose times differ by a factor of about 40 between the first and the last tenth, as in a real
 * library. */
static struct shard_kernel *made_library(size_t more)
{
    struct shard_kernel *list = x_calloc(KERNELS + more, sizeof *list);
    for (size_t i = 0; i < KERNELS + more; i++) {
        const size_t family = i / VARIANTS;
        list[i].id = x_sprintf("family_%zu/variant_%zu", family, i % VARIANTS);
        list[i].seconds = 0.05 * exp(3.6 * drawn("family", family)) * (0.7 + 0.6 * drawn("kernel", i));
    }
    return list;
}

static void forget_library(struct shard_kernel *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free((char *)(uintptr_t)list[i].id);
    free(list);
}

struct figures {
    double longest, moved_by_one, moved_by_noise;
};

static double moved(const struct shard_kernel *was, const struct shard_kernel *now)
{
    size_t count = 0;
    for (size_t i = 0; i < KERNELS; i++)
        count += was[i].shard != now[i].shard;
    return (double)count / KERNELS;
}

static struct figures measure(void)
{
    struct figures figures = {0};
    double loads[SHARDS] = {0}, sum = 0;
    struct shard_kernel *list = made_library(0);
    shards_divide(list, KERNELS, SHARDS);
    for (size_t i = 0; i < KERNELS; i++) {
        cr_assert(list[i].shard >= 1 && list[i].shard <= SHARDS);
        loads[list[i].shard - 1] += list[i].seconds;
        sum += list[i].seconds;
    }
    for (size_t i = 0; i < SHARDS; i++)
        figures.longest = fmax(figures.longest, loads[i] * SHARDS / sum);
    for (size_t trial = 0; trial < TRIALS; trial++) {
        struct shard_kernel *more = made_library(1), *noisy = made_library(0);
        more[KERNELS].seconds = exp(4 * drawn("one more", trial)) / 20;
        shards_divide(more, KERNELS + 1, SHARDS);
        figures.moved_by_one += moved(list, more) / TRIALS;
        for (size_t i = 0; i < KERNELS; i++) /* adds noise with a standard deviation of 2 % */
            noisy[i].seconds *= 1 + 0.02 * sqrt(12) * (drawn("noise", trial * KERNELS + i) - 0.5);
        shards_divide(noisy, KERNELS, SHARDS);
        figures.moved_by_noise += moved(list, noisy) / TRIALS;
        forget_library(more, KERNELS + 1);
        forget_library(noisy, KERNELS);
    }
    forget_library(list, KERNELS);
    return figures;
}

/* The figures at the top of shards.c. */
Test(shards, they_are_even_and_few_kernels_move)
{
    const struct figures figures = measure();
    cr_expect_leq(figures.longest, 1.05);
    cr_expect_leq(figures.moved_by_one, 0.05);
    cr_expect_leq(figures.moved_by_noise, 0.05);
}

static unsigned shard_of(const struct shard_kernel *list, size_t count, const char *id)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].id, id) == 0)
            return list[i].shard;
    cr_assert_fail("no %s", id);
    return 0;
}

Test(shards, a_family_at_a_point_stays_together_in_any_order)
{
    static const char *const ids[] = {"a/x[n=1K]", "a/y[n=1K]", "a/x[n=2K]", "a/y[n=2K]", "b/x", "b/y", "c/x"};
    struct shard_kernel forth[ARRAY_SIZE(ids)] = {0}, back[ARRAY_SIZE(ids)] = {0};
    for (unsigned shards = 1; shards < 10; shards++) {
        for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
            forth[i] = (struct shard_kernel){.id = ids[i], .seconds = (double)i};
            back[ARRAY_SIZE(ids) - 1 - i] = forth[i];
        }
        shards_divide(forth, ARRAY_SIZE(ids), shards);
        shards_divide(back, ARRAY_SIZE(ids), shards);
        for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
            EXPECT_ALL(forth[i].shard >= 1, forth[i].shard <= shards);
            cr_expect_eq(forth[i].shard, shard_of(back, ARRAY_SIZE(ids), ids[i]), "%s of %u", ids[i], shards);
        }
        for (size_t i = 0; i < 6; i += 2)
            cr_expect_eq(forth[i].shard, forth[i + 1].shard, "%s of %u", ids[i], shards);
    }
}

Test(shards, what_is_not_known_is_taken_for_the_mean)
{
    /* Two slow kernels and ten of unknown duration, on two shards: by number alone each would get six. */
    struct shard_kernel list[12] = {{.id = "l/a", .seconds = 10}, {.id = "m/a", .seconds = 10}};
    double loads[2] = {0};
    for (size_t i = 2; i < ARRAY_SIZE(list); i++)
        list[i].id = x_sprintf("f%zu/a", i);
    shards_divide(list, ARRAY_SIZE(list), 2);
    for (size_t i = 0; i < ARRAY_SIZE(list); i++)
        loads[list[i].shard - 1] += 10;
    cr_expect_eq(loads[0], 60);
    cr_expect_eq(loads[1], 60);
    for (size_t i = 2; i < ARRAY_SIZE(list); i++)
        free((char *)(uintptr_t)list[i].id);
    shards_divide(NULL, 0, 3); /* an empty list is allowed */
}
