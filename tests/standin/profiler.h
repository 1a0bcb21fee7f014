/* libcupti.so.13 without a GPU, in parts: profiler_callbacks (subscribing), profiler_host (metrics, configurations,
 * values), profiler_range (counting), profiler_metrics (the made up numbers). See standin.h. */
#pragma once

#include "standin.h"

#include <cupti_profiler_target.h>
#include <cupti_result.h>

/* Metrics of one kind are counted in one pass, of several kinds in as many. */
enum pass_kind { HARDWARE, INSTRUMENTED, L1_SECTORS, PASS_KINDS };

enum { MOST_METRICS = 40 };

/* What a range holds, of one kernel or of several. */
struct range_work {
    double threads;
    double time_ns;
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

/* profiler_range.c and profiler_sass.c: told by the driver. */
void sass_ran(const struct standin_kernel *kernel);
void range_ran(const struct standin_kernel *kernel);
void range_captured(CUcontext context);
void range_graph_ran(CUcontext context, const struct standin_kernel *kernels, size_t count);
