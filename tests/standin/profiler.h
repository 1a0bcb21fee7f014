/* profiler.h - shared by the parts of the stand-in for libcupti.so.13: profiler_callbacks (subscribing), profiler_host
 * (metrics, configurations, values), profiler_range and profiler_counting (sessions), profiler_metrics (the made-up
 * numbers). See standin.h. */
#pragma once

#include "standin.h"

#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* Kinds of metrics. All metrics of one kind are counted in one pass. The passes are in this order. As the real one: the
 * pass of instrumented code comes last. */
enum pass_kind { HARDWARE, L1_SECTORS, INSTRUMENTED, PASS_KINDS };

enum { MOST_METRICS = 40 };

/* What the kernels of a range did in total. */
struct range_work {
    double threads;
    double time_ns;
    double read; /* bytes read from DRAM */
    double instructions;
};

/* The contents of images, which are in a program's own memory, so each begins with a mark. */
#define CONFIG_MARK 0x676e6f63u
#define COUNTERS_MARK 0x746e7563u

struct config_image {
    uint32_t mark;
    uint32_t passes;
    uint64_t metrics; /* a bit for each metric */
};

struct counter_row {
    char name[48];
    double values[MOST_METRICS]; /* NaN: it was not counted */
};

struct counter_image {
    uint32_t mark;
    uint32_t reserved;
    size_t capacity;
    size_t count;
    struct counter_row rows[];
};

/* The profiler object of a context. */
struct CUpti_RangeProfiler_Object {
    CUcontext context;
    struct CUpti_RangeProfiler_Object *next;

    /* These belong to the configuration: */
    struct config_image config;
    struct counter_image *image;
    CUpti_ProfilerRange range;
    size_t limit;    /* ranges of a pass, as configured */
    size_t capacity; /* ranges of a pass that fit */
    uint64_t sized;  /* the metrics for which sizes were asked */
    bool is_mixed;   /* sizes were asked for several sets of metrics */
    bool is_stale;   /* it has instrumented code of a module that is gone */

    /* These belong to a session: */
    bool is_running;
    bool is_broken;
    bool is_starved;
    size_t pass;
    struct counter_row *rows; /* rows that are not decoded yet */
    size_t row_count;
    size_t base; /* index of the first row of this turn of passes */
    size_t next_row;

    /* These belong to the range that the program has opened: */
    bool is_open;
    bool has_graph;
    bool is_first;
    char name[48];
    struct range_work work;
};

/* Returns the driver; NULL: there is none. In profiler_callbacks.c. */
const struct standin_driver *profiler_driver(void);

/* Returns the index of a metric, or -1. In profiler_metrics.c. */
int metric_find(const char *name);
enum pass_kind metric_kind(int metric);
double metric_value(int metric, const struct range_work *work);
struct range_work metric_work(const struct standin_kernel *kernel);
/* metric_passes() returns how many passes a set of metrics takes, metric_pass_kind() the kind of one of them. */
unsigned metric_passes(uint64_t metrics);
enum pass_kind metric_pass_kind(uint64_t metrics, size_t pass);

/* All profiler objects of the process, and their lock. In profiler_counting.c. */
extern pthread_mutex_t profiler_lock;
extern struct CUpti_RangeProfiler_Object *profiler_objects;
struct CUpti_RangeProfiler_Object *profiler_object_of(CUcontext context);

/* Takes the counters of a device (F_WRLCK), or gives them back (F_UNLCK). False: another process has them. */
bool counters_lock(int device, short type);
bool counters_are_held(int device); /* whether this process has them */
bool counters_are_free(int device); /* whether no other process has them */

/* Makes a range, if it fits. */
void range_add(struct CUpti_RangeProfiler_Object *object, const char *name, const struct range_work *work,
               bool has_graph);

/* profiler_lines.c: the number by which CUPTI knows an image of machine code. */
uint64_t image_crc(const void *image, size_t size);

/* Whether a session counts the kernels of a context now; *kind is what it counts. In profiler_counting.c. */
bool range_counts(CUcontext context, enum pass_kind *kind);
/* As the real one: a module goes whose code was instrumented, and the next launch that is counted dies. */
void range_unloaded(CUcontext context);

/* Told by the driver. */
/* Activity records, profiler_activity.c: which call this thread makes, what ran, and what was copied or set. */
void activity_call(unsigned correlation);
void activity_ran(const struct standin_kernel *kernel, bool in_graph);
void activity_moved(size_t bytes, bool is_copy);
bool activity_adds_code(void); /* whether kernels have more code now, for their records */
/* Also of counts by instruction, profiler_sass.c. */
void sass_ran(const struct standin_kernel *kernel);
/* And of samples, profiler_sampling.c. */
void sampling_ran(const struct standin_kernel *kernel);
void range_ran(const struct standin_kernel *kernel);
void range_captured(CUcontext context);
void range_graph_ran(CUcontext context, const struct standin_kernel *kernels, size_t count);
