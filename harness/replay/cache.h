/* cache.h - what an SM has had: lines of its L1 with the time of each sector, and sectors that it fetched before. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { L1_WAYS = 16, LINE_SECTORS = 4 };

struct line {
    uint64_t tag; /* 0: it is free */
    double used;
    double since[LINE_SECTORS]; /* when a sector comes; 0: it does not */
};

struct l1 {
    struct line *lines;
    size_t sets;
};

void l1_open(struct l1 *l1, size_t bytes);
void l1_close(struct l1 *l1);
void l1_empty(struct l1 *l1);
/* Returns where a sector's time is, 0 if it has to be fetched. The least recently used line makes room for it. NULL:
 * the cache has no lines. */
double *l1_find(struct l1 *l1, uint64_t sector, double now);

/* A set of sectors, each with a number that the caller keeps. */
struct seen {
    struct seen_sector {
        uint64_t sector; /* + 1; 0: the place is free */
        uint64_t number;
    } * list;
    size_t capacity, count;
};

/* Finds a sector, or adds it with number 0 and sets *is_new. */
struct seen_sector *seen_find(struct seen *seen, uint64_t sector, bool *is_new);
void seen_release(struct seen *seen);
