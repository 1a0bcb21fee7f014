/* relay.h - workers before and after they measure: of several measurements in turn on one GPU, the next one's process
 * is started while this one's measures, and goes on when that has given up the counters (MESSAGE_GO); and the one
 * before, which has said END and holds none, is left to end. */
#ifndef RELAY_H
#define RELAY_H

#include <stdbool.h>

struct child;
struct job;
struct measurement;

struct relay *relay_make(void);
void relay_release(struct relay *relay); /* ends all; NULL is nothing to end */

/* Ends those that are ready: what was to come next does not. */
void relay_forget(struct relay *relay);

/* Starts a worker of that job, of measurement `next`, for the GPU with that ordinal. Where that cannot be it is done
 * when it is needed. */
void relay_start(struct relay *relay, const struct measurement *next, const struct job *job);

/* Moves the worker that is ready for that measurement and GPU into *worker; false when there is none. */
bool relay_take(struct relay *relay, const struct measurement *measurement, int device, struct child *worker);

/* Takes over a worker that has said END. */
void relay_leave(struct relay *relay, int device, struct child *worker);

/* Waits until none of the GPU's workers is ending any more: it would be counted as another process that computes there,
 * and what it gives back may take the GPU's time. */
void relay_await_gone(struct relay *relay, int device);

#endif
