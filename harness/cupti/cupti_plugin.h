/* cupti_plugin.h - what the files of libcugate_cupti.so share. Includes CUDA headers: for cupti_*.c only. */
#ifndef CUPTI_PLUGIN_H
#define CUPTI_PLUGIN_H

#include "worker/worker.h"

#include <cuda.h>
#include <cupti_callbacks.h>
#include <cupti_result.h>
#include <cupti_sass_metrics.h>

#include <stdint.h>

/* Words for a driver error: 0 for CUDA_SUCCESS, else -1 after "what: the driver's words" went into *problem. */
int cuda_check(const char *what, CUresult result, struct problem *problem);

/* The same for CUPTI, with the remedy where one is known. */
int cupti_check(const char *what, CUptiResult result, struct problem *problem);
const char *cupti_remedy(int cupti_result);

int gpu_count(struct problem *problem);
int gpu_describe(int ordinal, struct device *device, struct session *session, struct problem *problem);

/* Makes device 0's primary context, which the CUDA runtime shares, current in this thread. */
int gpu_context(CUcontext *context, struct problem *problem);

int gpu_condition_open(struct gpu_condition **opened, struct problem *problem);
int gpu_condition_apply(struct gpu_condition *condition, struct problem *problem);
/* The parts of apply(). Where CUPTI counts ranges only the flush may be: releasing what is pinned launches a kernel of
 * the driver's own, which no callback tells of, and CUPTI makes a range of it with what comes next (measured on an
 * H200). */
int gpu_condition_unpin(struct gpu_condition *condition, struct problem *problem);
int gpu_condition_flush(struct gpu_condition *condition, struct problem *problem);
/* Whether there is a carve-out, so that a launch can leave pinned lines. */
bool gpu_condition_is_carved(const struct gpu_condition *condition);
/* Launches the same kernel with nothing to do: where a launch has to be, and neither caches nor clocks matter. */
int gpu_condition_pretend(struct gpu_condition *condition, struct problem *problem);
void gpu_condition_mark(bool measured);
int gpu_condition_on_family(struct gpu_condition *condition, bool is_open, struct problem *problem);
void gpu_condition_close(struct gpu_condition *condition);

/* The host half of CUPTI's profiler: which counter stands for a metric on a chip, the configuration that collects them,
 * and the values in a counter data image. Needs no GPU. */
struct counters {
    const char **names;  /* per metric: the counter that this chip has, or NULL; borrow from memory */
    const char **wanted; /* the names that are not NULL, count of them */
    size_t count;
    char *memory;
    void *host;      /* CUpti_Profiler_Host_Object */
    uint8_t *config; /* configuration image */
    size_t config_size;
    size_t passes;
};

/* CUPTI's own object for questions about a chip. */
int counters_host(void **host, const char *chip, const uint8_t *availability, struct problem *problem);
void counters_host_end(void *host);

/* availability: image from cuptiProfilerGetCounterAvailability, or NULL for any chip without a GPU. */
int counters_open(struct counters *counters, const char *chip, const uint8_t *availability,
                  const struct metrics *metrics, struct problem *problem);
/* A counter of code that CUPTI puts into the kernel, which then runs several times as long; by NVIDIA's way to name
 * them. */
bool counter_is_instrumented(const char *name);
/* How many of the passes, the last ones, count nothing but these; 0 where the two kinds do not part so. */
size_t counters_instrumented_passes(const struct counters *counters, const char *chip, const uint8_t *availability);
/* values[i] is wanted[i] in that range of a decoded image. */
int counters_evaluate(const struct counters *counters, const uint8_t *image, size_t image_size, size_t range,
                      double *values, struct problem *problem);
void counters_close(struct counters *counters);

int chip_list(const char *chip, void (*take)(void *data, const struct chip_counter *counter), void *data,
              struct problem *problem);
int chip_names(const char *const **names, size_t *count, struct problem *problem);

/* Every kernel launch of this process, counted; those made while recording are described too, equal ones in a row as
 * one. Once opened it must stay where it is, because CUPTI holds its address. */
struct launch_log {
    CUpti_SubscriberHandle subscriber;
    size_t count;
    bool recording;
    struct launch *list;
    size_t list_count;
    void (*after)(void *data); /* see launch_log_after */
    size_t after_count;
    void *after_data;
};
int launch_log_open(struct launch_log *log, struct problem *problem);
/* Has `after` called once, when the call of the CUDA runtime ends that made number `count` of the launches. */
int launch_log_after(struct launch_log *log, size_t count, void (*after)(void *), void *data, struct problem *problem);
void launch_log_hand_over(struct launch_log *log, struct result *result); /* gives the list away and empties it */
void launch_log_close(struct launch_log *log);

/* The machine code that a kernel library carries, for finding the source line of an instruction. */
struct images {
    struct image_bytes *list;
    size_t count;
};
int images_open(struct images *images, const char *library, struct problem *problem);
void images_close(struct images *images);

/* The source file (caller frees) and line of an instruction; NULL where there is no line information. symbol is the
 * function's name in the machine code, crc what CUPTI calls its image, offset from the beginning of the function. */
char *image_line(const struct images *images, uint64_t crc, const char *symbol, uint64_t offset, unsigned *number);

/* Counts by instruction of the one function that is launched next, once in the life of a process. sass_read comes when
 * it has ended; find says on which line of the source an instruction is (caller frees; NULL where that is not known),
 * and may be NULL itself: then each line of the profile is an instruction, by its offset. */
struct sass {
    CUpti_SassMetrics_Config configs[LINE_COUNTERS];
    enum line_counter counters[LINE_COUNTERS]; /* whose configs they are: the first of those that share one */
    size_t count;
    unsigned counted; /* as in struct profile */
};
typedef char *sass_find_line(void *data, const CUpti_SassMetrics_Data *record, unsigned *number);
int sass_begin(struct sass *self, CUcontext context, struct problem *problem);
int sass_read(const struct sass *self, CUcontext context, sass_find_line *find, void *data, struct profile *profile,
              struct problem *problem);

/* The buffer that apply() reads, of 16-byte words, all 0; and a word that is never read. */
void gpu_condition_buffers(const struct gpu_condition *condition, CUdeviceptr *words, size_t *count, CUdeviceptr *sink);

/* Measures the roofs; what cannot be measured stays 0, with a warning. */
void gpu_measure_roofs(struct gpu_condition *condition, double roofs[ROOFS]);

extern const struct collector cupti_range_collector;
extern const struct collector cupti_line_counts_collector; /* counts by line: result->profile and launches, no rows */
extern const struct collector cupti_stalls_collector;      /* samples by line: likewise */

#endif
