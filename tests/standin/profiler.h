/* libcupti.so.13 without a GPU, in parts: profiler_callbacks (subscribing), profiler_host (metrics, configurations,
 * values), profiler_range and profiler_counting (sessions), profiler_metrics (the made up numbers). See standin.h. */
#pragma once

#include "standin.h"

#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>

#include <pthread.h>

/* Metrics of one kind are counted in one pass, of several kinds in as many, in this order. As the real one: that of
 * instrumented code comes last. */
enum pass_kind { HARDWARE, L1_SECTORS, INSTRUMENTED, PASS_KINDS };

enum { MOST_METRICS = 40 };

/* What a range holds, of one kernel or of several. */
struct range_work {
    double threads;
    double time_ns;
    double read; /* bytes, from DRAM */
    double instructions;
};

/* Images have these contents. Both are a program's own memory, so each begins with a mark. */
#define CONFIG_MARK 0x676e6f63u
#define COUNTERS_MARK 0x746e7563u

struct config_image {
    uint32_t mark;
    uint32_t passes;
    uint64_t metrics; /* a bit each */
};

struct counter_row {
    char name[48];
    double values[MOST_METRICS]; /* NaN: not counted */
};

struct counter_image {
    uint32_t mark;
    uint32_t reserved;
    size_t room;
    size_t count;
    struct counter_row rows[];
};

/* What a program has of a context. */
struct CUpti_RangeProfiler_Object {
    CUcontext context;
    struct CUpti_RangeProfiler_Object *next;

    /* Of the configuration. */
    struct config_image config;
    struct counter_image *image;
    CUpti_ProfilerRange range;
    size_t limit;   /* ranges a pass, as configured */
    size_t room;    /* ranges a pass that there is room for */
    uint64_t sized; /* the metrics that sizes were asked for */
    bool is_mixed;  /* for several sets */

    /* Of a session. */
    bool is_running;
    bool is_broken;
    bool is_starved;
    size_t pass;
    struct counter_row *rows; /* not decoded yet */
    size_t row_count;
    size_t base; /* the first row of this turn of passes */
    size_t next_row;

    /* Of the range that the program has opened. */
    bool is_open;
    bool has_graph;
    bool is_first;
    char name[48];
    struct range_work work;
};

/* profiler_callbacks.c: the driver, NULL when there is none. */
const struct standin_driver *profiler_driver(void);

/* profiler_metrics.c: the number of a metric, or -1. */
int metric_find(const char *name);
enum pass_kind metric_kind(int metric);
double metric_value(int metric, const struct range_work *work);
struct range_work metric_work(const struct standin_kernel *kernel);
/* Passes of a set of metrics, and the kind of the i-th of them. */
unsigned metric_passes(uint64_t metrics);
enum pass_kind metric_pass_kind(uint64_t metrics, size_t pass);

/* profiler_counting.c: all objects of the process, and the lock of them. */
extern pthread_mutex_t profiler_lock;
extern struct CUpti_RangeProfiler_Object *profiler_objects;
struct CUpti_RangeProfiler_Object *profiler_object_of(CUcontext context);

/* Takes the counters of a device, F_WRLCK, or gives them back, F_UNLCK; false: another process has them. */
bool counters_lock(int device, short type);
bool counters_are_held(int device); /* by this process */
bool counters_are_free(int device); /* for this process */

/* Makes a range, if there is room for it. */
void range_add(struct CUpti_RangeProfiler_Object *object, const char *name, const struct range_work *work,
               bool has_graph);

/* Told by the driver. */
/* Also of counts by instruction, profiler_sass.c. */
void sass_ran(const struct standin_kernel *kernel);
void range_ran(const struct standin_kernel *kernel);
void range_captured(CUcontext context);
void range_graph_ran(CUcontext context, const struct standin_kernel *kernels, size_t count);
