/* Each family has its own order of preference among the shards, by hashes of the two names (rendezvous hashing), and
 * takes the first one that has room for it: 5 % more than an even share. The longest come first, while all have room.
 *
 * To give the next longest to whoever has least so far is more even, but then all depends on all: a kernel more, or
 * seconds that are a little different, and most move, each to another GPU than the one that its history is from. By
 * hash alone nothing moves, and the shard that is last takes far longer than the others. Of 2,000 kernels in 400
 * families on 8 shards (unit_tests --verbose prints these: test_shards.c):
 *
 *                         longest shard / mean    moved by a kernel more    moved by 2 % of noise in the seconds
 *     least so far                       1.000                    36.4 %                                  85.6 %
 *     hash alone                         1.243                     0.0 %                                   0.0 %
 *     hash, 5 % of room                  1.050                     2.7 %                                   2.5 %
 */
#include "shards.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define ROOM 1.05 /* of an even share */

/* What stays together. */
struct unit {
    char *key; /* first, for by_text: family[point] */
    double seconds;
    unsigned shard;
};

static char *unit_key(const char *id)
{
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

/* The shard that the unit likes best of those that have room for it; the one that has least, where none has. */
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
    struct unit *units = x_calloc(count + 1, sizeof *units), **order = x_calloc(count + 1, sizeof *order);
    double *loads = x_calloc(shards, sizeof *loads), sum = 0;
    for (size_t i = 0; i < count; i++)
        units[i].key = unit_key(list[i].id);
    size_t *first = first_of_equals(units, count, sizeof *units, by_text), unit_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (first[i] == i)
            order[unit_count++] = &units[i];
        units[first[i]].seconds += list[i].seconds > 0 ? list[i].seconds : unknown;
    }
    qsort(order, unit_count, sizeof *order, longest_first);
    for (size_t i = 0; i < unit_count; i++)
        sum += order[i]->seconds;
    for (size_t i = 0; i < unit_count; i++) {
        order[i]->shard = choose(order[i], loads, shards, ROOM * sum / shards);
        loads[order[i]->shard - 1] += order[i]->seconds;
    }
    for (size_t i = 0; i < count; i++)
        list[i].shard = units[first[i]].shard;
    for (size_t i = 0; i < count; i++)
        free(units[i].key);
    free(first);
    free(loads);
    free(order);
    free(units);
}
