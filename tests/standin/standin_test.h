/* standin_test.h - tests of the promises of standin.h. Each test has a process of its own, which calls the stand-ins as
 * an injection library does. */
#pragma once

#include "made_program.h"

#include <criterion/criterion.h>
#include <cupti_callbacks.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>

#define INSTRUCTIONS "smsp__inst_executed.sum"
#define TIME "gpu__time_duration.sum"
#define WAVEFRONTS "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum"
#define SECTORS "l1tex__t_sectors.sum"

/* The profiler object of a context, and what belongs to it. */
struct session {
    CUpti_RangeProfiler_Object *object;
    void *host;
    uint8_t config[64];
    size_t config_size;
    uint8_t *image;
    size_t size;
};

void session_initialize(void); /* initializes the profiler of this process */
CUptiResult session_enable(struct session *session, CUcontext context);
void session_disable(struct session *session);
/* Makes a configuration and an image for that many ranges. The list of metrics ends with NULL. Returns the number of
 * passes. */
size_t session_configure(struct session *session, CUpti_ProfilerRange range, size_t ranges, const char *const *metrics);
#define METRICS(...) ((const char *const[]){__VA_ARGS__, NULL})
/* These are two of its steps. session_size() asks how large an image is. The other sets the configuration again, with
 * another limit of ranges a pass. */
size_t session_size(struct session *session, size_t ranges, const char *const *metrics);
void session_set(struct session *session, CUpti_ProfilerRange range, size_t limit);
/* Does all of the above, for a set of metrics that takes one pass. */
void session_open(struct session *session, const struct gpu *gpu, CUpti_ProfilerRange range, size_t ranges,
                  const char *metric);
void session_blank(struct session *session); /* empties the image */
CUptiResult session_start(struct session *session);
CUptiResult session_stop(struct session *session, bool *is_complete);
CUptiResult session_push(struct session *session, const char *name);
CUptiResult session_pop(struct session *session);
CUptiResult session_decode(struct session *session);
size_t session_ranges(struct session *session);
double session_value(struct session *session, size_t range, const char *metric);
