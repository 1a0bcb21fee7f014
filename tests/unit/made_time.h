/* made_time.h - a clock for kernels that sleep, which other processes cannot disturb. In processes that a test starts,
 * time passes only by sleeping, and sleeping takes no real time. */
#pragma once

/* Starts the made-up clock in the processes that this one forks from now on. */
void made_time_begin(void);
