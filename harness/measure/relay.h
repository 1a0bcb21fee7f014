/* relay.h - workers before and after they measure, where several measurements follow each other on a GPU. The process
 * of the next measurement is started while this one's measures. It continues when that has given up the counters
 * (MESSAGE_GO). A worker that has said END holds no counters, and is left to end by itself. */
#pragma once

#include <stdbool.h>

struct peer;
struct job;
struct measurement;

struct relay *relay_make(void);
void relay_release(struct relay *relay); /* ends all workers; NULL: there is nothing to end */

/* Ends the workers that are ready, because the measurement that they are for will not happen. */
void relay_forget(struct relay *relay);

/* Starts a worker of that job for measurement `next`, on the GPU with that ordinal. If that fails, a worker is started
 * when it is needed. */
void relay_start(struct relay *relay, const struct measurement *next, const struct job *job);

/* Moves the worker that is ready for that measurement and GPU into *worker. False: there is none. */
bool relay_take(struct relay *relay, const struct measurement *measurement, int device, struct peer *worker);

/* Takes over a worker that has said END, and lets it end. */
void relay_leave(struct relay *relay, int device, struct peer *worker);

/* Waits until no worker of the GPU is ending any more. One that is would be counted as another process on the GPU, and
 * freeing what it holds may take the GPU's time. */
void relay_await_gone(struct relay *relay, int device);
