#include "parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

unsigned processor_count(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

struct working {
    void (*work)(void *data, size_t i);
    void *data;
    size_t count;
    atomic_size_t next;
};

static void *work_on(void *argument)
{
    struct working *working = argument;
    for (size_t i; (i = atomic_fetch_add(&working->next, 1)) < working->count;)
        working->work(working->data, i);
    return NULL;
}

void in_parallel(size_t count, void (*work)(void *data, size_t i), void *data)
{
    struct working working = {.work = work, .data = data, .count = count};
    pthread_t threads[PARALLEL_MAX - 1];
    size_t started = 0, wanted = processor_count() < PARALLEL_MAX ? processor_count() : PARALLEL_MAX;
    wanted = count < wanted ? count : wanted;
    while (started + 1 < wanted && pthread_create(&threads[started], NULL, work_on, &working) == 0)
        started++;
    work_on(&working);
    while (started > 0)
        pthread_join(threads[--started], NULL);
}
