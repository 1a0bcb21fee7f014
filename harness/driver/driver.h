/* driver.h - the entry points of the CUDA driver that this room stands in for: a table that the build makes of CUDA's
 * own headers (ci/driver_entries.awk). It has all names of the driver. What no file of the room does is an error to the
 * program, and is named. */
#pragma once

/* A function as it is since a version of CUDA, 12000 for 12.0. A row without a name is behind the last. */
struct driver_entry {
    const char *name;
    int since;
    void (*function)(void);
};
extern const struct driver_entry driver_entries[];

/* The name of an error. A row without a name is behind the last. */
struct driver_error {
    int error;
    const char *name;
};
extern const struct driver_error driver_errors[];

/* Notes that a function was called that is not simulated. Returns the error for it. */
int driver_not_simulated(const char *symbol);
