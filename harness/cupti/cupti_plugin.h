/* cupti_plugin.h - what only the files of libcugate_cupti.so share. It includes CUDA headers, so no other room may
 * include it. */
#pragma once

#include "cupti.h"

#include "worker/worker.h"

const char *cupti_remedy(int cupti_result); /* NULL: there is no known remedy */
int gpu_count(struct problem *problem);

/* Makes the primary context of device 0 current in this thread; the CUDA runtime shares it. */
int gpu_context(CUcontext *context, struct problem *problem);

int gpu_condition_open(struct gpu_condition **opened, struct problem *problem);
int gpu_condition_apply(struct gpu_condition *condition, struct problem *problem);
/* The two parts of gpu_condition_apply(). While CUPTI counts ranges, only the flush is allowed. Releasing pinned lines
 * launches a kernel of the driver's own, of which no callback tells, and CUPTI counts it into the next range (measured
 * on an H200). */
int gpu_condition_unpin(struct gpu_condition *condition, struct problem *problem);
int gpu_condition_flush(struct gpu_condition *condition, struct problem *problem);
/* From now on flushes keep the clocks up and leave the L2 as it is. */
void gpu_condition_keep_caches(struct gpu_condition *condition);
/* Returns whether there is a carve-out of the L2, so that a launch can leave pinned lines. */
bool gpu_condition_is_carved(const struct gpu_condition *condition);
/* Launches the conditioning kernel with nothing to do. That is for passes where its range has to be, and neither caches
 * nor clocks matter. */
int gpu_condition_pretend(struct gpu_condition *condition, struct problem *problem);
void gpu_condition_mark(bool measured);
int gpu_condition_on_family(struct gpu_condition *condition, bool is_open, struct problem *problem);
void gpu_condition_close(struct gpu_condition *condition);

/* Returns how many of the passes, the last ones, count those metrics only. 0: there is no such division. */
size_t counters_last_passes(const struct counters *counters, const char *chip, const uint8_t *availability,
                            const struct metrics *metrics, bool (*is_late)(const struct metric *metric));
int chip_names(const char *const **names, size_t *count, struct problem *problem);

/* The launches of this process: all are counted. Those made while `recording` are described too, equal ones in a row as
 * one. An open log must stay where it is, because CUPTI holds its address. */
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
/* Has `after` called once: when that call of the CUDA runtime ends which made launch number `count`. */
int launch_log_after(struct launch_log *log, size_t count, void (*after)(void *), void *data, struct problem *problem);
/* Gives the list to the result, and empties it. */
void launch_log_hand_over(struct launch_log *log, struct result *result);
void launch_log_close(struct launch_log *log);

/* The machine code that a kernel library carries, for finding the source line of an instruction. */
struct images {
    struct image_bytes *list;
    size_t count;
};
int images_open(struct images *images, const char *library, struct problem *problem);
void images_close(struct images *images);

/* Returns the source file of an instruction, which the caller frees, and sets its line number. NULL where there is no
 * line information. symbol is the function's name in the machine code, and crc is CUPTI's number of its image. offset
 * is in bytes from the beginning of the function. */
char *image_line(const struct images *images, uint64_t crc, const char *symbol, uint64_t offset, unsigned *number);

/* Tells the buffers of the conditioning kernel: the 16-byte words, all 0, that a flush reads, and a word that nobody
 * reads. */
void gpu_condition_buffers(const struct gpu_condition *condition, CUdeviceptr *words, size_t *count, CUdeviceptr *sink);

/* Measures the peaks. One that cannot be measured stays 0, with a warning. */
void gpu_measure_roofs(struct gpu_condition *condition, double roofs[ROOFS]);

extern const struct capsule_device cupti_capsule_device;
extern const struct collector cupti_range_collector;
/* Gives counts by line in result->profile, and launches, but no rows. */
extern const struct collector cupti_line_counts_collector;
extern const struct collector cupti_stalls_collector; /* gives stall samples by line, likewise */
