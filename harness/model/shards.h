/* shards.h - divides the kernels of a library among several runs, on machines that do not talk to each other: the same
 * kernels and seconds give the same shards everywhere. Pure. */
#ifndef SHARDS_H
#define SHARDS_H

#include <stddef.h>

#define SHARDS_MAX 1000

struct shard_kernel {
    const char *id; /* first, for by_text: family/variant, or family/variant[point] */
    double seconds; /* that it takes; 0: not known, then as long as the others do on average */
    unsigned shard; /* from 1 */
};

/* Sets the shard, 1 to shards, of each of count kernels. Those of one family at one point stay together, because their
 * inputs are made once. */
void shards_divide(struct shard_kernel *list, size_t count, unsigned shards);

#endif
