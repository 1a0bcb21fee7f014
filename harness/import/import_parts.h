/* import_parts.h - what a format hands over: observations, of which import_merge.c makes a run. Private to the room. */
#ifndef IMPORT_PARTS_H
#define IMPORT_PARTS_H

#include "base/base.h"

#include "import.h"

struct reading {
    const struct metric *metric;
    enum value_state state;
    double number; /* when measured */
    char *reason;  /* when not counted */
};

/* One sample of one kernel: a launch, a state of a benchmark, a repetition. */
struct observation {
    char *key;              /* what tells its kernel from all others, as the file has it; first, for by_text */
    size_t place;           /* among all: the order in which they were read */
    size_t session;         /* that it is from */
    long long ordinal;      /* among those of its kernel in its session: it grows, or two kernels have one name */
    char *family, *variant; /* of its kernel's id, as import_words has them; variant NULL: that of its launch */
    enum result_status status;
    char *reason;         /* when not ok */
    struct launch launch; /* function NULL: unknown */
    struct reading *readings;
    size_t reading_count;
};

struct import {
    const struct import_request *request;
    const char *name; /* of the file that is read, for messages */
    struct device device;
    struct session *sessions;
    size_t session_count;
    struct observation *list;
    size_t count;
};

/* Reads a text into import, and what it says of the GPU and the session; of a device that comes as unknown_device. 0,
 * or -1 after error(). */
struct import_format {
    const char *name; /* also the collector of its sessions */
    int (*read)(struct import *import, const char *text, size_t length, struct device *device, struct session *session);
};

int import_nvbench(struct import *import, const char *text, size_t length, struct device *device,
                   struct session *session);
int import_google_benchmark(struct import *import, const char *text, size_t length, struct device *device,
                            struct session *session);
int import_ncu(struct import *import, const char *text, size_t length, struct device *device, struct session *session);

/* ---- For formats: import_merge.c ---- */

/* Adds an observation of the session that is read. Takes the texts over. */
struct observation *import_add(struct import *import, char *key, char *family, char *variant);

/* The metric that this counter counts; NULL where there is none, and of one that is needed after error(). */
const struct metric *import_metric(const struct import *import, const char *counter);
const struct metric *import_needed_metric(const struct import *import, const char *counter);

/* Adds what was read of a metric, in its unit. What no reading can be, below 0 or not finite, is none; nor is a text.
 */
void import_number(struct observation *observation, const struct metric *metric, double number);
void import_no_number(struct observation *observation, const struct metric *metric, const char *text);

/* A text as part of an id: what may not stand there becomes '_', and no mark is first. Caller frees. */
char *import_words(const char *text);

/* ---- For import.c ---- */

/* Makes the run's kernels and notes of all observations, which may change. -1 after error(). */
int import_merge(struct import *import, struct run *run);
void import_release(struct import *import);

#endif
