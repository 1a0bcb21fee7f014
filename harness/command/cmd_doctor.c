/* The proof that a machine can measure is a measurement: one kernel, one sample. The rest says what stands in the way.
 */
#include "base/base.h"
#include "measure/measure.h"
#include "worker/worker.h"

#include "command.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void say(bool good, const char *what, const char *finding)
{
    print_harmless("%-4s  %-18s %s\n", good ? "ok" : "FAIL", what, finding);
}

/* The lightest kernel there is: a family that proves little and runs anywhere, else the library's first that launches.
 */
static char *choose_kernel(const struct library_facts *library)
{
    const char *first = NULL;
    for (size_t i = 0; i < library->count; i++) {
        const struct kernel_facts *kernel = &library->kernels[i];
        if (strcmp(kernel->id, "hierarchy/thread_index") == 0)
            return x_strdup(kernel->id);
        if (!first && !kernel->not_built && !kernel->transfer)
            first = kernel->id;
    }
    return x_strdup(first);
}

static bool check_library(const struct options *options, char **kernel)
{
    struct library_facts library;
    struct problem problem;
    char text[1024];
    if (library_facts_read(&library, options->kernels, options_timeout(options), &problem) != 0) {
        say(false, "kernel library", problem.text);
        return false;
    }
    size_t built = 0;
    for (size_t i = 0; i < library.count; i++)
        built += library.kernels[i].not_built == NULL;
    snprintf(text, sizeof text, "%s: %zu kernels, %zu of them built", options->kernels, library.count, built);
    *kernel = choose_kernel(&library);
    say(*kernel != NULL, "kernel library", text);
    library_facts_release(&library);
    return *kernel != NULL;
}

/* RmProfilingAdminOnly is how the kernel module names its restriction of counters. */
static void check_permission(void)
{
    char *text;
    size_t length;
    if (access("/proc/driver/nvidia/params", R_OK) != 0 ||
        file_read("/proc/driver/nvidia/params", 1 << 20, &text, &length) < 0)
        return;
    const char *setting = strstr(text, "RmProfilingAdminOnly: 1");
    if (!setting)
        say(true, "counter access", "open to every user");
    else if (geteuid() == 0)
        say(true, "counter access", "reserved to the administrator, which you are");
    else
        say(false, "counter access",
            "reserved to the administrator: put `options nvidia NVreg_RestrictProfilingToAdminUsers=0` into "
            "/etc/modprobe.d/nvidia-profiling.conf and reboot, or run as root");
    free(text);
}

/* Only after measuring: a process that has opened the driver cannot fork workers that use it. */
static void check_device(const struct options *options)
{
    struct problem problem;
    const struct gpu_plugin *gpu = gpu_plugin_load(&problem);
    if (!gpu) {
        say(false, "CUPTI", problem.text);
        return;
    }
    say(true, "CUPTI", "loaded");
    struct run run = {0};
    struct session *session = ARRAY_GROW(run.sessions, run.session_count);
    const int count = gpu->count(&problem);
    if (count <= 0 || gpu->describe(options->device, &run.device, session, &problem) < 0) {
        say(false, "GPU", problem.text);
    } else {
        char text[256];
        snprintf(text, sizeof text, "%s, driver %s (CUDA %s)", run.device.name,
                 session->facts[SESSION_DRIVER] ? session->facts[SESSION_DRIVER] : "unknown",
                 session->facts[SESSION_CUDA]);
        say(true, "GPU", text);
    }
    run_release(&run);
}

static bool check_measuring(struct measurement measurement, char *kernel)
{
    measurement.globs = &kernel;
    measurement.glob_count = 1;
    measurement.samples = 1;
    measurement.progress = false;
    struct run run;
    const int code = measure_run(&measurement, &run);
    const struct result *result = run_find(&run, kernel);
    char text[1024] = "see the error above";
    size_t measured = 0;
    for (size_t i = 0; result && i < result->row_count; i++)
        measured += result->rows[i].state == VALUE_MEASURED;
    const bool good = code == EXIT_SAME && result && result->status == RESULT_OK && measured > 0;
    if (good)
        snprintf(text, sizeof text, "%s: %zu of %zu metrics", kernel, measured, result->row_count);
    else if (result && result->reason)
        snprintf(text, sizeof text, "%s: %s: %s", kernel, result_status_name(result->status), result->reason);
    say(good, "measuring", text);
    run_release(&run);
    return good;
}

static int cmd_doctor(const struct options *options)
{
    struct metrics metrics;
    struct measurement measurement;
    if (metrics_read_directory(&metrics, options->metrics) < 0)
        return EXIT_USAGE;
    if (options_measurement(&measurement, options, &metrics) < 0) {
        metrics_release(&metrics);
        return EXIT_USAGE;
    }
    char *kernel = NULL;
    bool good = false;
    if (options->config.path)
        say(true, CONFIG_FILE, options->config.words ? options->config.words : options->config.path);
    if (check_library(options, &kernel))
        good = check_measuring(measurement, kernel);
    if (measurement.backend->provides & PROVIDES_COUNTERS) {
        check_permission();
        check_device(options);
    }
    print_harmless("%s\n", good ? "this machine can measure"
                                : "this machine cannot measure: mend what says FAIL, from the bottom up");
    free(kernel);
    metrics_release(&metrics);
    return good ? EXIT_SAME : EXIT_NOT_MEASURED;
}

/* clang-format off */
static const struct option_row *const takes[] = {
    &option_kernels, &option_metrics, &option_collector, &option_device, &option_timeout, NULL,
};

const struct command command_doctor = {
    .name = "doctor",
    .arguments = "",
    .summary = "can this machine measure, and what to change if not",
    .details = "Checks the GPU, its driver, the permission to read counters and the kernel library, and says the\n"
               "remedy for each thing that is in the way.",
    .example = "cugate doctor",
    .takes = takes,
    .minimum = 0, .maximum = 0, .run = cmd_doctor,
};
/* clang-format on */
