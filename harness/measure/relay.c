#include "measure.h"

#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of one GPU. */
struct runners {
    int device;
    bool leaves, is_ready;
    struct child leaving, ready;
    char *library; /* that the ready one has loaded */
    char *metrics; /* names of what it measures, a line each */
};

struct relay {
    struct runners *list;
    size_t count;
};

struct relay *relay_make(void)
{
    return x_calloc(1, sizeof(struct relay));
}

static struct runners *runners_of(struct relay *relay, int device)
{
    for (size_t i = 0; i < relay->count; i++)
        if (relay->list[i].device == device)
            return &relay->list[i];
    struct runners *runners = ARRAY_GROW(relay->list, relay->count);
    *runners = (struct runners){.device = device};
    return runners;
}

/* Names of the metrics that a measurement is of, a line each; caller frees. */
static char *names_of(const struct metrics *metrics)
{
    size_t size = 1;
    for (size_t m = 0; m < metrics->count; m++)
        size += strlen(metrics->list[m].name) + 1;
    char *names = x_calloc(size, 1), *end = names;
    for (size_t m = 0; m < metrics->count; m++)
        end += sprintf(end, "%s\n", metrics->list[m].name);
    return names;
}

static void forget(struct runners *runners)
{
    if (runners->is_ready)
        free(child_end(&runners->ready, false));
    runners->is_ready = false;
    free(runners->library);
    free(runners->metrics);
    runners->library = runners->metrics = NULL;
}

static void await_gone(struct runners *runners)
{
    if (runners->leaves)
        free(child_end(&runners->leaving, true));
    runners->leaves = false;
}

void relay_forget(struct relay *relay)
{
    for (size_t i = 0; i < relay->count; i++)
        forget(&relay->list[i]);
}

void relay_release(struct relay *relay)
{
    for (size_t i = 0; relay && i < relay->count; i++) {
        forget(&relay->list[i]);
        await_gone(&relay->list[i]);
    }
    if (relay)
        free(relay->list);
    free(relay);
}

void relay_start(struct relay *relay, const struct measurement *next, const struct job *job)
{
    struct runners *runners = runners_of(relay, job->device);
    forget(runners);
    runners->is_ready = worker_start(&runners->ready, job) == 0;
    runners->library = x_strdup(next->kernels);
    runners->metrics = names_of(next->metrics);
}

bool relay_take(struct relay *relay, const struct measurement *measurement, int device, struct child *worker)
{
    struct runners *runners = runners_of(relay, device);
    if (!runners->is_ready)
        return false;
    char *metrics = names_of(measurement->metrics);
    const bool fits = strcmp(runners->metrics, metrics) == 0 && !measurement->profile &&
                      strcmp(runners->library, measurement->kernels) == 0;
    free(metrics);
    if (fits) {
        *worker = runners->ready;
        runners->is_ready = false;
    }
    forget(runners);
    return fits;
}

void relay_leave(struct relay *relay, int device, struct child *worker)
{
    struct runners *runners = runners_of(relay, device);
    await_gone(runners);
    child_close(worker);
    runners->leaving = *worker;
    runners->leaves = true;
    *worker = (struct child){0};
}

void relay_await_gone(struct relay *relay, int device)
{
    await_gone(runners_of(relay, device));
}
