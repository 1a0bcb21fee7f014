/* cupti.h - what both libraries that measure with CUPTI have in common: libcugate_cupti.so of this room, and
 * libcugate_inject.so of the room inject. It includes CUDA headers, so only these two rooms may include it. */
#pragma once

#include "base/base.h"
#include "model/model.h"

#include <cuda.h>
#include <cupti_callbacks.h>
#include <cupti_result.h>
#include <cupti_sass_metrics.h>

/* ---- Errors: cupti_error.c, cupti_device.c ---- */

/* Checks what a function of the driver returned. 0 for CUDA_SUCCESS; else -1, and *problem has "what: the driver's
 * words". */
int cuda_check(const char *what, CUresult result, struct problem *problem);

/* Checks what a function of CUPTI returned, in the same way. *problem also has the remedy where one is known. */
int cupti_check(const char *what, CUptiResult result, struct problem *problem);

/* Declares the parameters of a call of CUPTI, whose first member is their size; the others as in an initializer. */
#define CUPTI_PARAMS(call, variable, ...)                                                                              \
    CUpti_##call##_Params variable = {.structSize = CUpti_##call##_Params_STRUCT_SIZE, __VA_ARGS__}

/* Describes the GPU of that ordinal, and the session that begins on it. -1 with *problem. */
int gpu_describe(int ordinal, struct device *device, struct session *session, struct problem *problem);

/* ---- Counters: cupti_counters.c ---- */

/* The host half of CUPTI's profiler, which needs no GPU. It tells which counter stands for a metric on a chip, makes
 * the configuration that collects them, and reads values from a counter data image. */
struct counters {
    const char **names;  /* for each metric the counter that this chip has, or NULL; they borrow from memory */
    const char **wanted; /* those of names that are not NULL; there are count of them */
    size_t count;
    char *memory;
    void *host;      /* CUpti_Profiler_Host_Object */
    uint8_t *config; /* configuration image */
    size_t config_size;
    size_t passes;
};

/* Chooses the counters of the metrics on a chip. availability is the image from cuptiProfilerGetCounterAvailability, or
 * NULL for any chip without a GPU. -1 with *problem. Caller ends it with counters_close(). */
int counters_open(struct counters *counters, const char *chip, const uint8_t *availability,
                  const struct metrics *metrics, struct problem *problem);
/* Sets values[i] to the value of wanted[i] in one range of a decoded counter data image. */
int counters_evaluate(const struct counters *counters, const uint8_t *image, size_t image_size, size_t range,
                      double *values, struct problem *problem);
void counters_close(struct counters *counters);

/* ---- Calls of the driver that launch a kernel: cupti_launch_call.c ---- */

enum { LAUNCH_CALLS = 6 };
extern const CUpti_CallbackId launch_calls[LAUNCH_CALLS];

struct launch_call {
    CUfunction function;
    unsigned grid[3], block[3], shared;
    CUstream stream;
    unsigned carve_out; /* that the call asks for: as struct launch has it; 0: none */
};
/* params: those of one of launch_calls, as CUPTI's callback has them. */
void launch_call_read(struct launch_call *launch, CUpti_CallbackId id, const void *params);
/* Returns an attribute of a function, which may be the handle of a kernel of a library. */
int function_attribute(CUfunction function, CUfunction_attribute which, int otherwise);

/* ---- Counts by instruction: cupti_sass.c ---- */

/* Counts by instruction of the one function that is launched next, once in the life of a process. sass_metrics_read
 * comes when it has ended; find says on which line of the source an instruction is (caller frees; NULL where that is
 * not known), and may be NULL itself: then each line of the profile is an instruction, by its offset. */
struct sass_metrics {
    CUpti_SassMetrics_Config configs[LINE_COUNTERS];
    /* The counter of each config; of counters that share a config, the first. */
    enum line_counter counters[LINE_COUNTERS];
    size_t count;
    unsigned counted; /* which counters were counted, as in struct profile */
};
typedef char *sass_metrics_line(void *data, const CUpti_SassMetrics_Data *record, unsigned *number);
int sass_metrics_begin(struct sass_metrics *self, CUcontext context, struct problem *problem);
int sass_metrics_read(const struct sass_metrics *self, CUcontext context, sass_metrics_line *find, void *data,
                      struct profile *profile, struct problem *problem);
