/* made_time.h - a clock for kernels that sleep, which no other process can disturb: in the processes that a test
 * starts, time passes only by sleeping, and at once. */
#ifndef MADE_TIME_H
#define MADE_TIME_H

/* From now on, in the processes that this one forks. */
void made_time_begin(void);

#endif
