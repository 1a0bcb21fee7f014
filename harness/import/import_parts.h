/* import_parts.h - what a format delivers: observations, from which import_merge.c makes a run. Private to the room. */
#pragma once

#include "import.h"

struct reading {
    const struct metric *metric;
    enum value_state state;
    double number; /* the reading's number, if measured */
    char *reason;  /* why there is no number, if not counted */
};

/* One sample of one kernel: a launch, a state of a benchmark, or a repetition. */
struct observation {
    char *key;         /* identifies the kernel, as written in the file; first member, as by_text expects */
    size_t place;      /* index among all observations, in the order of reading */
    size_t session;    /* index of the observation's session */
    long long ordinal; /* increases among the observations of a kernel in one session; else two kernels have one name */
    char *family, *variant; /* parts of the kernel's id, as import_words makes them; variant NULL: from the launch */
    enum result_status status;
    char *reason;         /* why the status is not ok; else NULL */
    struct launch launch; /* the launch, if known; else its function is NULL */
    struct reading *readings;
    size_t reading_count;
};

struct import {
    const struct import_request *request;
    const char *name; /* the file being read, for messages */
    struct device device;
    struct session *sessions;
    size_t session_count;
    struct observation *list;
    size_t count;
};

/* A format. read() parses a text into import, and what it says about GPU and session into device (which comes as
 * unknown_device) and session. Returns 0, or -1 after error(). */
struct import_format {
    const char *name; /* name of the format, and the collector of its sessions */
    int (*read)(struct import *import, const char *text, size_t length, struct device *device, struct session *session);
};

int import_nvbench(struct import *import, const char *text, size_t length, struct device *device,
                   struct session *session);
int import_google_benchmark(struct import *import, const char *text, size_t length, struct device *device,
                            struct session *session);
int import_ncu(struct import *import, const char *text, size_t length, struct device *device, struct session *session);
int import_listed(struct import *import, const char *text, size_t length, struct device *device,
                  struct session *session); /* of several formats */

/* ---- For formats, in import_merge.c ---- */

/* Adds an observation to the current session. Takes ownership of the texts. */
struct observation *import_add(struct import *import, char *key, char *family, char *variant);

/* Returns the metric that reads this counter, or NULL. import_needed_metric calls error() for that. */
const struct metric *import_metric(const struct import *import, const char *counter);
const struct metric *import_needed_metric(const struct import *import, const char *counter);

/* Adds a reading of a metric, in the metric's unit. A number that is negative or not finite becomes a reading without a
 * number, and so does a text. */
void import_number(struct observation *observation, const struct metric *metric, double number);
void import_no_number(struct observation *observation, const struct metric *metric, const char *text);

/* Makes a text part of an id: other characters become '_', and a leading mark (ID_MARKS) gets a '_' before it. Caller
 * frees. */
char *import_words(const char *text);

/* ---- For import.c: import_merge.c ---- */

/* Makes kernels and notes of the run from all observations, which it may change. -1 after error(). */
int import_merge(struct import *import, struct run *run);
void import_release(struct import *import);
