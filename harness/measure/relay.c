#include "measure.h"

/* The workers of one GPU: one that is leaving, and one that is ready. */
struct runners {
    int device;
    bool leaves, is_ready;
    struct peer leaving, ready;
    char *work; /* what the ready worker was started for */
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

/* Describes what two measurements must have in common, apart from kernels, so that a worker of one can do the other's
 * work. Metrics are compared by name, since each measurement has a list of its own. Caller frees. */
static char *work_of(const struct measurement *measurement)
{
    char *work = x_sprintf("%d of %s", measurement->samples, measurement->kernels);
    for (size_t m = 0; m < measurement->metrics->count; m++)
        x_append(&work, "\n", "%s", measurement->metrics->list[m].name);
    return work;
}

static void forget(struct runners *runners)
{
    if (runners->is_ready)
        free(child_end(&runners->ready, false));
    runners->is_ready = false;
    free(runners->work);
    runners->work = NULL;
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
    runners->work = work_of(next);
}

bool relay_take(struct relay *relay, const struct measurement *measurement, int device, struct peer *worker)
{
    struct runners *runners = runners_of(relay, device);
    if (!runners->is_ready)
        return false;
    OWNED_TEXT work = work_of(measurement);
    const bool fits = !measurement->profile && strcmp(runners->work, work) == 0;
    if (fits) {
        *worker = runners->ready;
        runners->is_ready = false;
    }
    forget(runners);
    return fits;
}

void relay_leave(struct relay *relay, int device, struct peer *worker)
{
    struct runners *runners = runners_of(relay, device);
    await_gone(runners);
    peer_close(worker);
    runners->leaving = *worker;
    runners->leaves = true;
    *worker = (struct peer){0};
}

void relay_await_gone(struct relay *relay, int device)
{
    await_gone(runners_of(relay, device));
}
