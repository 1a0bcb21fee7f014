/* gpu.h - the door to everything that touches CUDA: libcugate_cupti.so, loaded by workers only. It stands apart so that
 * cugate starts on machines without a driver, and no other file includes a CUDA header.
 *
 * In the plugin: cupti_device.c (driver API), cupti_condition.c (what goes before a measured launch), cupti_host.c
 * (counter names, no GPU needed), cupti_range.c (the collector), cupti_lines.c, cupti_stalls.c, cupti_images.c (source
 * lines), cupti_roofs.c (what the GPU can do), cupti_remedy.c (what to do about an error). */
#ifndef GPU_H
#define GPU_H

#include "collector.h"

#include <stdbool.h>
#include <stddef.h>

struct gpu_condition;

/* What cugate_gpu_plugin() returns. Every function sets *problem when it fails. */
struct gpu_plugin {
    /* Number of CUDA devices, 0 when there is no driver or no device (*problem says which); -1 for any other failure.
     */
    int (*count)(struct problem *problem);

    /* Fills the device and the session facts that the driver knows: driver, cuda, gpu_uuid. */
    int (*describe)(int ordinal, struct device *device, struct session *session, struct problem *problem);

    /* Before a measured launch: apply() empties the L2 by reading and keeps the SMs busy for 300 us, so that clocks are
     * up. mark(true) and mark(false) around the launch tell an outside profiler (ncu --profile-from-start off) what
     * counts. */
    int (*condition_open)(struct gpu_condition **condition, struct problem *problem);
    int (*condition_apply)(struct gpu_condition *condition, struct problem *problem);
    void (*condition_mark)(bool measured);
    void (*condition_close)(struct gpu_condition *condition);

    /* For a chip by its CUPTI name ("GH100"), without a GPU: which counter stands for each metric (NULL: none of its
     * alternatives exists; `cugate.` counters are not asked), and the passes that all of them need together.
     * chosen has room for metrics->count pointers, which borrow from CUPTI's own lists or from *memory (caller frees).
     */
    int (*chip_counters)(const char *chip, const struct metrics *metrics, const char **chosen, char **memory,
                         size_t *passes, struct problem *problem);

    /* Names of the chips that CUPTI knows, owned by CUPTI. */
    int (*chips)(const char *const **names, size_t *count, struct problem *problem);

    /* The remedy for a CUPTI result code; NULL when there is none beyond CUPTI's own words. */
    const char *(*remedy)(int cupti_result);

    /* The source file (caller frees) and line of the instruction at an offset of a function, by its name in the machine
     * code of a library; NULL with *problem when the library says nothing about it. Needs no GPU. */
    char *(*source_line)(const char *library, const char *symbol, unsigned offset, unsigned *number,
                         struct problem *problem);

    const struct collector *collector;
    const struct collector *lines;  /* fills result->lines and launches, and measures one kernel in a process */
    const struct collector *stalls; /* likewise */
};

/* The plugin's one exported symbol. */
const struct gpu_plugin *cugate_gpu_plugin(void);

/* Loads the driver's library, if there is one, and the plugin. NULL with *problem when the plugin or CUPTI cannot be
 * loaded. It stays loaded. */
const struct gpu_plugin *gpu_plugin_load(struct problem *problem);

#endif
