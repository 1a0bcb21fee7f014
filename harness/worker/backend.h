/* backend.h - the interface between a worker and a backend, which measures; and the table of backends, which is known
 * without loading any of them.
 *
 * The door to everything that touches CUDA is libcugate_cupti.so, loaded by workers only. It stands apart so that
 * cugate starts on machines without a driver, and but for the rooms inject and sim no other file includes a CUDA
 * header. In it: cupti_device.c (driver API), cupti_condition.c (what goes before a measured launch), cupti_launches.c
 * (which launches there are), cupti_counters.c (counter names, no GPU needed), cupti_range.c and
 * cupti_passes.c (values), cupti_line_counts.c, cupti_stalls.c, cupti_source_lines.c (from an instruction to its line),
 * cupti_roofs.c (what the GPU can do), cupti_error.c (words for an error, and what to do about it). The room inject is
 * another library, libcugate_inject.so, which the CUDA driver loads into programs that are not ours. The room sim is a
 * plugin of its own, libcugate_sim.so, which touches no GPU; such programs load it as the runtime of CUDA. */
#pragma once

#include "workload.h"

#include "model/model.h"

/* Kinds of results. A worker is asked for one of them; what a backend can provide is a combination of them. */
enum {
    PROVIDES_VALUES = 1,      /* a row for every metric that has to be measured */
    PROVIDES_LINE_COUNTS = 2, /* exact counts by source line; a process can count one function in its lifetime */
    PROVIDES_STALLS = 4, /* samples of warp stalls by source line; a process can sample one kernel in its lifetime */
    /* These describe backends only; no worker is asked for them. */
    PROVIDES_COUNTERS = 8, /* values are hardware counters: needs GPU, driver and permission to read them */
    PROVIDES_ROOFS = 16    /* peaks of the GPU: bandwidth and arithmetic */
};

struct backend;

/* What a worker is to do. It borrows everything. */
struct job {
    const char *library; /* path of the kernel library */
    const struct metrics *metrics;
    const struct backend *backend;
    unsigned what;      /* PROVIDES_VALUES; or _LINE_COUNTS or _STALLS: then the worker ends after the first result */
    char *const *globs; /* which kernels of the library are chosen */
    size_t glob_count;
    size_t largest_batch; /* how many kernels a batch can have at most; the worker sets it when it has opened its
                             backend */
    int device;
    int samples;         /* how many samples of each kernel are measured; see samples_of_length() */
    bool every_sample;   /* also read slow counters in every sample, to see whether they repeat */
    bool skip_unmatched; /* globs that match no kernel are ignored */
    bool roofs;          /* also measure the GPU's peaks */
    size_t skip;         /* for line counts: how many launches of the variant precede the one to be counted */
    const char *gpu;     /* file that describes the GPU to simulate; NULL: the only description there is */
    bool whole;          /* simulation: executes every block, though counts of some may be proved by others */
    bool quiet; /* beside a measurement: what the library prints is dropped, GPUs are hidden, and copies are left out */
    bool dry;   /* simulation: only record the launches; nothing is executed, counted or verified, and the worker ends
                   after each result */
    int pipe;   /* the worker's end of the pipe, once it runs */
};

/* Several workloads of one open family that are measured together. Each was verified once. */
struct batch {
    size_t count;
    const struct workload *const *workloads;
    struct result *const *results; /* the result of each workload */
    void *self;
    /* To be called whenever work begins on another workload, i: the parent thereby knows that the worker is alive. */
    void (*works)(void *self, size_t i);
    /* To be called right after the last launch of workload i: compares its output with the reference. A wrong output is
     * noted for its result. -1 with *problem when comparing failed. */
    int (*verify)(void *self, size_t i, struct problem *problem);
};

/* How a backend provides one kind of result. It lives in a worker, never in the parent. */
struct collector {
    /* Opens device 0 and prepares to read every metric that it can. Fills in the facts of device and session (strings
     * from x_strdup). -1 with *problem, which says what is wrong and the exact remedy. */
    int (*open)(void **self, const struct job *job, struct device *device, struct session *session,
                struct problem *problem);

    /* Measures a workload whose output was verified. Adds to result its launches, and either the lines or a row for
     * every metric that has to be measured. A row gets one session, or a state without a number. -1 with *problem on
     * failure. */
    int (*measure)(void *self, const struct workload *workload, struct result *result, struct problem *problem);

    /* Measures all workloads of a batch together; on failure none of the results is valid. NULL: it measures one by
     * one. */
    int (*measure_batch)(void *self, const struct batch *batch, struct problem *problem);

    /* Returns how many kernels the process has launched so far. (A workload that launches kernels to verify its output
     * stays out of batches.) NULL where there are no batches. */
    size_t (*launches)(void *self);

    /* Is called when a family was opened or closed. The family's open() may have set the L2's carve-out, which is for
     * the whole device. It is set again before each of the family's samples, and reset for the next family. -1 with
     * *problem. NULL: nothing to do. */
    int (*on_family)(void *self, bool is_open, struct problem *problem);

    void (*close)(void *self);

    /* Replaces *problem by a better explanation of a failure, if the backend knows one. May be NULL. */
    void (*explain)(void *self, struct problem *problem);

    bool awaits_go;      /* open() calls message_await_go, so it does part of its work ahead */
    bool measures_first; /* the worker skips the warm-up launch before measure(), because counts are the same without */
};

struct backend {
    const char *name;
    const char *doc; /* description in one line */
    unsigned provides;
    bool tells_headway; /* it says how far a launch is, while that takes long */
    bool warm;          /* the L2 is not emptied before a measured launch */

    /* Is called in a worker before the kernel library is loaded. Returns 0; with *problem EXIT_USAGE when this backend
     * cannot use the library, or EXIT_NOT_MEASURED when the backend itself does not work here. NULL: nothing to do. */
    int (*prepare)(const struct job *job, struct problem *problem);

    /* Whether the backend has numbers for a metric. Results have no row for other metrics, so none can be misread.
     * NULL: it has a row for every metric. */
    bool (*provides_metric)(const struct metric *metric);

    /* Is called in a worker after prepare: returns what executes capsules; NULL with *problem when there is nothing.
     * NULL in place of the function: this backend measures no capsules. */
    const struct capsule_device *(*capsule_device)(struct problem *problem);

    /* Is called in a worker: returns the collector for one kind of result; NULL with *problem when it cannot be
     * loaded. */
    const struct collector *(*load)(unsigned what, struct problem *problem);
};

/* Returns the table of backends; `cugate list collectors` prints it. */
const struct backend *backend_list(size_t *count);
const struct backend *backend_find(const char *name); /* returns NULL when no backend has that name */

/* Whether results of that backend have rows for a metric. */
bool backend_provides(const struct backend *backend, const struct metric *metric);

extern const struct collector host_collector; /* uses the host's clock only, so it runs on any machine */

/* ---- The plugin for CUPTI ---- */

struct gpu_condition;

/* The functions that cugate_gpu_plugin() returns. Each sets *problem when it fails. */
struct gpu_plugin {
    /* Returns the number of CUDA devices; 0 when there is no driver or no device (*problem says which); -1 for any
     * other failure. */
    int (*count)(struct problem *problem);

    /* Fills in the device, and those facts of the session that the driver knows: driver, cuda, gpu_uuid. */
    int (*describe)(int ordinal, struct device *device, struct session *session, struct problem *problem);

    /* These condition the GPU for a measured launch. apply() flushes the L2 by reading, pinned lines too, and keeps the
     * SMs busy for 300 us so that clocks are up. mark(true) and mark(false) around the launch tell an outside profiler
     * what to count (ncu --profile-from-start off). on_family() is that of struct collector. */
    int (*condition_open)(struct gpu_condition **condition, struct problem *problem);
    int (*condition_apply)(struct gpu_condition *condition, struct problem *problem);
    void (*condition_mark)(bool measured);
    int (*condition_on_family)(struct gpu_condition *condition, bool is_open, struct problem *problem);
    void (*condition_close)(struct gpu_condition *condition);

    /* Finds for each metric the counter that a chip has, by the chip's CUPTI name ("GH100") and without a GPU. It is
     * NULL where the chip has none of the metric's alternatives; `cugate.` counters are not looked up. Also tells how
     * many passes all of them need together. chosen has space for metrics->count pointers, which borrow from CUPTI's
     * own lists or from *memory (caller frees). */
    int (*chip_counters)(const char *chip, const struct metrics *metrics, const char **chosen, char **memory,
                         size_t *passes, struct problem *problem);

    /* Lists the names of the chips that CUPTI knows; CUPTI owns them. */
    int (*chips)(const char *const **names, size_t *count, struct problem *problem);

    /* Returns the remedy for a CUPTI result code; NULL when there is nothing to add to CUPTI's own message. */
    const char *(*remedy)(int cupti_result);

    const struct collector *values, *line_counts, *stalls;
    const struct capsule_device *capsule_device; /* NULL: this plugin replays no capsules */
};

/* The only symbol that the plugin exports. */
const struct gpu_plugin *cugate_gpu_plugin(void);

/* Whether no driver is installed: then there is no GPU, whatever else is missing. */
bool gpu_driver_is_absent(void);

/* Loads the driver's library, if there is one, and the plugin, which stays loaded. NULL with *problem when the plugin
 * or CUPTI cannot be loaded. */
const struct gpu_plugin *gpu_plugin_load(struct problem *problem);

/* What to do when CUPTI cannot be loaded, here: in cugate's tree, or where it is installed. */
const char *gpu_plugin_remedy(void);

#define NO_GPU_DRIVER                                                                                                  \
    "no NVIDIA driver here (libcuda.so.1 was not found); to compute counts without a GPU, add --simulate"

/* ---- The plugin for simulation ---- */

/* libcugate_sim.so has the name of the CUDA runtime, so it is the runtime for whatever is loaded after it. */
struct sim_plugin {
    /* Whether this machine can simulate, whatever the library and the GPU: 0, else EXIT_NOT_MEASURED, or EXIT_USAGE for
     * a setting of the environment, with *problem. */
    int (*ready)(struct problem *problem);
    int (*prepare)(const struct job *job, struct problem *problem); /* is the `prepare` of struct backend */
    const struct collector *collector;
    const struct capsule_device *capsule_device;
};

/* The only symbol of the plugin that is not one of the CUDA runtime. */
const struct sim_plugin *cugate_sim_plugin(void);

/* Loads the plugin, which stays loaded. NULL with *problem when it cannot be loaded. */
const struct sim_plugin *sim_plugin_load(struct problem *problem);
