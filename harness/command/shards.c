/* How kernels are divided: by rendezvous hashing with limited load. Each family has an order of preference among the
 * shards, given by hashes of the two names. It takes the first shard that has capacity for it: up to 5 % more than an
 * even share. The longest families choose first, while all shards have capacity.
 *
 * Giving the next longest family to the least loaded shard would be more even, but then everything depends on
 * everything. One more kernel, or slightly different seconds, would move most kernels, each to another GPU than its
 * history is from. By hashes alone nothing moves, but the longest shard takes far longer than the others. For 2,000
 * kernels in 400 families on 8 shards (test_shards.c holds the last row to it):
 *
 *                         longest shard / mean    moved by a kernel more    moved by 2 % of noise in the seconds
 *     least so far                       1.000                    36.4 %                                  85.6 %
 *     hash alone                         1.243                     0.0 %                                   0.0 %
 *     hash, 5 % of margin                1.050                     2.7 %                                   2.5 % */
#include "shards.h"

#include "base/base.h"

#include <xxhash.h>

#define CAPACITY 1.05 /* how much a shard may hold, as a multiple of an even share */

/* Kernels that must stay in one shard: those of one family at one point of its axes. Launches share none. */
struct unit {
    char *key; /* family[point], or a launch's id; first member, as by_text expects */
    double seconds;
    unsigned shard;
};

static char *unit_key(const char *id)
{
    if (strchr(id, ID_OF_LAUNCH))
        return x_strdup(id);
    return x_sprintf("%.*s%s", (int)strcspn(id, "/"), id, id + point_begin(id));
}

static double mean_of_known(const struct shard_kernel *list, size_t count)
{
    double sum = 0;
    size_t known = 0;
    for (size_t i = 0; i < count; i++)
        if (list[i].seconds > 0) {
            sum += list[i].seconds;
            known++;
        }
    return known > 0 ? sum / (double)known : 1;
}

static int longest_first(const void *left, const void *right)
{
    const struct unit *a = *(struct unit *const *)left, *b = *(struct unit *const *)right;
    return a->seconds != b->seconds ? (a->seconds < b->seconds ? 1 : -1) : strcmp(a->key, b->key);
}

/* Returns the shard that the unit prefers among those with capacity for it; the least loaded one when none has it. */
static unsigned choose(const struct unit *unit, const double *loads, unsigned shards, double limit)
{
    unsigned best = 0, least = 0;
    XXH64_hash_t liked = 0;
    for (unsigned i = 0; i < shards; i++) {
        const XXH64_hash_t liking = XXH64(unit->key, strlen(unit->key), i + 1);
        if (loads[i] < loads[least])
            least = i;
        if (loads[i] + unit->seconds <= limit && liking >= liked) {
            best = i + 1;
            liked = liking;
        }
    }
    return best > 0 ? best : least + 1;
}

void shards_divide(struct shard_kernel *list, size_t count, unsigned shards)
{
    const double unknown = mean_of_known(list, count);
    OWNED_MEMORY struct unit *units = x_calloc(count + 1, sizeof *units), **order = x_calloc(count + 1, sizeof *order);
    OWNED_MEMORY double *loads = x_calloc(shards, sizeof *loads);
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        units[i].key = unit_key(list[i].id);
    OWNED_MEMORY size_t *first = first_of_equals(units, count, sizeof *units, by_text);
    size_t unit_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (first[i] == i)
            order[unit_count++] = &units[i];
        units[first[i]].seconds += list[i].seconds > 0 ? list[i].seconds : unknown;
    }
    SORT(order, unit_count, longest_first);
    for (size_t i = 0; i < unit_count; i++)
        sum += order[i]->seconds;
    for (size_t i = 0; i < unit_count; i++) {
        order[i]->shard = choose(order[i], loads, shards, CAPACITY * sum / shards);
        loads[order[i]->shard - 1] += order[i]->seconds;
    }
    for (size_t i = 0; i < count; i++)
        list[i].shard = units[first[i]].shard;
    for (size_t i = 0; i < count; i++)
        free(units[i].key);
}
