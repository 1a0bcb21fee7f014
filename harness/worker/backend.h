/* backend.h - who counts: the backends, a table that is known without loading anything, and what each of them is asked
 * for in a worker.
 *
 * The door to everything that touches CUDA is libcugate_cupti.so, loaded by workers only. It stands apart so that
 * cugate starts on machines without a driver, and but for the room sim no other file includes a CUDA header. In it:
 * cupti_device.c (driver API), cupti_condition.c (what goes before a measured launch), cupti_launches.c (which launches
 * there are), cupti_counters.c and cupti_chip.c (counter names, no GPU needed), cupti_range.c and cupti_passes.c
 * (values), cupti_line_counts.c, cupti_stalls.c, cupti_source_lines.c (from an instruction to its line), cupti_roofs.c
 * (what the GPU can do), cupti_error.c (words for an error, and what to do about it). The files inject*.c of that room
 * are another library, libcugate_inject.so, which the CUDA driver loads into programs that are not ours: inject.h. The
 * room sim is a plugin of its own, libcugate_sim.so, which touches no GPU. */
#ifndef BACKEND_H
#define BACKEND_H

#include "workload.h"

#include "base/base.h"
#include "model/model.h"

#include <stdbool.h>
#include <stddef.h>

/* What a worker can be asked for, one at a time; and what a backend has: or'ed. */
enum {
    PROVIDES_VALUES = 1,      /* a row for every metric that takes measuring */
    PROVIDES_LINE_COUNTS = 2, /* exact counts by source line: of one function in the life of a process */
    PROVIDES_STALLS = 4,      /* samples by source line of why warps wait: of one kernel in the life of a process */
    /* Only a backend has these. */
    PROVIDES_COUNTERS = 8, /* values are the GPU's: it takes a GPU, its driver and the right to read counters */
    PROVIDES_ROOFS = 16    /* what the GPU can do at most */
};

struct backend;

/* What a worker is to do; borrows everything. */
struct job {
    const char *library; /* path of the kernel library */
    const struct metrics *metrics;
    const struct backend *backend;
    unsigned what;      /* PROVIDES_VALUES; or _LINE_COUNTS or _STALLS, and then it ends after the first result */
    char *const *globs; /* of the kernels that are chosen */
    size_t glob_count;
    size_t largest_batch; /* the most kernels that can be in one; the worker knows, once it is open */
    int device;
    int samples;         /* a kernel */
    bool every_sample;   /* count also what takes long in each, to see whether it repeats */
    bool skip_unmatched; /* pass over globs that match no kernel */
    bool roofs;          /* also measure what the GPU can do */
    size_t skip;         /* line counts: launches of the variant before the function to be counted */
    const char *gpu;     /* file that describes the GPU to be simulated; NULL: the only one that there is */
    bool dry;            /* simulated: only learn the launches; nothing is executed, counted or verified, and the worker
                          * ends after each result */
    int pipe;            /* of the worker, once it runs */
};

/* Workloads of one open family that are measured as one, each of them verified once. */
struct batch {
    size_t count;
    const struct workload *const *workloads;
    struct result *const *results; /* of each */
    void *self;
    /* Number i is at work now: to be called whenever another one is than was, so that the parent knows that it goes on.
     */
    void (*works)(void *self, size_t i);
    /* Right after the last launch of number i: compares its output. An output that is wrong is noted for its result; -1
     * with *problem when that could not be found out. */
    int (*verify)(void *self, size_t i, struct problem *problem);
};

/* How one of those is collected. It lives in a worker, never in the parent. */
struct collector {
    /* Opens device 0 and gets ready to read every metric that it can. Fills device and session facts (strings from
     * x_strdup). -1 with what is wrong and the exact remedy in *problem. */
    int (*open)(void **self, const struct job *job, struct device *device, struct session *session,
                struct problem *problem);

    /* Of a workload whose output was verified. Adds to result a row for every metric that takes measuring (one session,
     * or a state without a number), or the lines; and the launches. -1 with *problem on failure. */
    int (*measure)(void *self, const struct workload *workload, struct result *result, struct problem *problem);

    /* The same for all of a batch; on failure none of it counts. NULL: one by one. */
    int (*measure_batch)(void *self, const struct batch *batch, struct problem *problem);

    /* How many kernels the process has launched so far: what launches some to be verified stays out of batches. NULL
     * where there are no batches. */
    size_t (*launches)(void *self);

    /* A family was opened, or closed. What it set for the whole device by then, the L2's carve-out, is there before
     * each of its samples, and the next family does not find it. -1 with *problem. NULL: nothing is to be done. */
    int (*on_family)(void *self, bool is_open, struct problem *problem);

    void (*close)(void *self);

    /* Puts a better reason for a failure into *problem, where it knows one. May be NULL. */
    void (*explain)(void *self, struct problem *problem);

    bool awaits_go;      /* open() calls message_await_go, so that part of it is done ahead */
    bool measures_first; /* measure() comes without a launch that is only verified before it: what is counted repeats */
};

struct backend {
    const char *name;
    const char *doc; /* one line */
    unsigned provides;

    /* In a worker, before the kernel library is loaded: 0, or what is wrong in *problem and EXIT_USAGE when the library
     * is not one for this backend, EXIT_NOT_MEASURED when the backend itself cannot be had. NULL: nothing to do. */
    int (*prepare)(const struct job *job, struct problem *problem);

    /* Whether it has numbers of a metric. Of others its results have no row, so that there is none to be misread. NULL:
     * a row for every metric. */
    bool (*provides_metric)(const struct metric *metric);

    /* In a worker: the collector of one of what it provides; NULL with *problem when what it takes cannot be loaded. */
    const struct collector *(*load)(unsigned what, struct problem *problem);
};

/* The table; `cugate list --collectors` prints it. */
const struct backend *backend_list(size_t *count);
const struct backend *backend_find(const char *name); /* NULL: there is none of that name */

/* Whether results of that backend have rows of a metric. */
bool backend_provides(const struct backend *backend, const struct metric *metric);

extern const struct collector host_collector; /* the host's clock only: needs no counters and runs on anything */

/* ---- The plugin for CUPTI ---- */

struct gpu_condition;

/* A counter that CUPTI has for a chip; borrows. */
struct chip_counter {
    const char *name;        /* without an ending: "sm__inst_executed" */
    const char *ending;      /* the usual one that makes it a counter of a metric file: ".sum" */
    const char *unit;        /* what it counts: "instruction"; may be empty, as the next */
    const char *description; /* CUPTI's */
};

/* What cugate_gpu_plugin() returns. Every function sets *problem when it fails. */
struct gpu_plugin {
    /* Number of CUDA devices, 0 when there is no driver or no device (*problem says which); -1 for any other failure.
     */
    int (*count)(struct problem *problem);

    /* Fills the device and the session facts that the driver knows: driver, cuda, gpu_uuid. */
    int (*describe)(int ordinal, struct device *device, struct session *session, struct problem *problem);

    /* Before a measured launch: apply() empties the L2, of pinned lines as well, by reading and keeps the SMs busy for
     * 300 us, so that clocks are up. mark(true) and mark(false) around the launch tell an outside profiler (ncu
     * --profile-from-start off) what counts. on_family() is what struct collector has. */
    int (*condition_open)(struct gpu_condition **condition, struct problem *problem);
    int (*condition_apply)(struct gpu_condition *condition, struct problem *problem);
    void (*condition_mark)(bool measured);
    int (*condition_on_family)(struct gpu_condition *condition, bool is_open, struct problem *problem);
    void (*condition_close)(struct gpu_condition *condition);

    /* For a chip by its CUPTI name ("GH100"), without a GPU: which counter stands for each metric (NULL: none of its
     * alternatives exists; `cugate.` counters are not asked), and the passes that all of them need together.
     * chosen has room for metrics->count pointers, which borrow from CUPTI's own lists or from *memory (caller frees).
     */
    int (*chip_counters)(const char *chip, const struct metrics *metrics, const char **chosen, char **memory,
                         size_t *passes, struct problem *problem);

    /* Every counter that CUPTI has for a chip, in its order, without a GPU. */
    int (*chip_list)(const char *chip, void (*take)(void *data, const struct chip_counter *counter), void *data,
                     struct problem *problem);

    /* Names of the chips that CUPTI knows, owned by CUPTI. */
    int (*chips)(const char *const **names, size_t *count, struct problem *problem);

    /* The remedy for a CUPTI result code; NULL when there is none beyond CUPTI's own words. */
    const char *(*remedy)(int cupti_result);

    const struct collector *values, *line_counts, *stalls;
};

/* The plugin's one exported symbol. */
const struct gpu_plugin *cugate_gpu_plugin(void);

/* No driver is installed, so that there is no GPU, whatever else is missing. */
bool gpu_driver_is_absent(void);

/* Loads the driver's library, if there is one, and the plugin. NULL with *problem when the plugin or CUPTI cannot be
 * loaded. It stays loaded. */
const struct gpu_plugin *gpu_plugin_load(struct problem *problem);

#define NO_GPU_DRIVER                                                                                                  \
    "no NVIDIA driver here (libcuda.so.1 was not found); `cugate check --simulate` computes counts without a GPU"

/* ---- The plugin for simulation ---- */

/* libcugate_sim.so is the runtime of CUDA to whatever is loaded after it: it has the name of that library. */
struct sim_plugin {
    int (*prepare)(const struct job *job, struct problem *problem); /* see struct backend */
    const struct collector *collector;
};

/* The plugin's one symbol that is not of the runtime. */
const struct sim_plugin *cugate_sim_plugin(void);

/* NULL with *problem when it cannot be loaded. It stays loaded. */
const struct sim_plugin *sim_plugin_load(struct problem *problem);

#endif
