/* The proof that a machine can measure is a measurement: one kernel, one sample. The rest says what stands in the way.
 */
#include "base/base.h"
#include "measure/measure.h"
#include "worker/worker.h"

#include "command.h"
#include "doctor.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the checks share, and what the last of them found. */
struct doctor {
    const struct options *options;
    struct measurement measurement;
    char *kernel; /* that is measured; NULL: none can be */
    bool good;    /* it was */
    const struct gpu_plugin *gpu;
    char text[2048];
};

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

static enum health found(struct doctor *doctor, enum health health, const char *text)
{
    snprintf(doctor->text, sizeof doctor->text, "%s", text);
    return health;
}

static enum health look_at_library(struct doctor *doctor)
{
    const struct options *options = doctor->options;
    struct library_facts library;
    struct problem problem;
    if (library_facts_read(&library, options->kernels, options_timeout(options), &problem) != 0)
        return found(doctor, HEALTH_BAD, problem.text);
    size_t built = 0;
    for (size_t i = 0; i < library.count; i++)
        built += library.kernels[i].not_built == NULL;
    snprintf(doctor->text, sizeof doctor->text, "%s: %zu kernel%s, %zu of them built", options->kernels, library.count,
             plural(library.count), built);
    doctor->kernel = choose_kernel(&library);
    library_facts_release(&library);
    return doctor->kernel ? HEALTH_GOOD : HEALTH_BAD;
}

static enum health look_at_measuring(struct doctor *doctor)
{
    if (!doctor->kernel)
        return found(doctor, HEALTH_UNKNOWN, "not tried: there is no kernel to measure");
    struct measurement measurement = doctor->measurement;
    measurement.globs = &doctor->kernel;
    measurement.glob_count = 1;
    measurement.samples = 1;
    measurement.progress = false;
    struct run run;
    const int code = measure_run(&measurement, &run);
    const struct result *result = run_find(&run, doctor->kernel);
    size_t measured = 0;
    for (size_t i = 0; result && i < result->row_count; i++)
        measured += result->rows[i].state == VALUE_MEASURED;
    doctor->good = code == EXIT_SAME && result && result->status == RESULT_OK && measured > 0;
    if (doctor->good)
        snprintf(doctor->text, sizeof doctor->text, "%s: %zu of %zu metric%s", doctor->kernel, measured,
                 result->row_count, plural(result->row_count));
    else if (result && result->reason)
        snprintf(doctor->text, sizeof doctor->text, "%s: %s: %s", doctor->kernel, result_status_name(result->status),
                 result->reason);
    else
        found(doctor, HEALTH_BAD, "see the error above");
    run_release(&run);
    return doctor->good ? HEALTH_GOOD : HEALTH_BAD;
}

/* RmProfilingAdminOnly is how the kernel module names its restriction of counters. */
static enum health look_at_permission(struct doctor *doctor)
{
    static const char params[] = "/proc/driver/nvidia/params";
    char *text;
    size_t length;
    if (access(params, R_OK) != 0)
        return found(doctor, HEALTH_UNKNOWN, "not known: /proc/driver/nvidia/params cannot be read here");
    if (file_read(params, 1 << 20, &text, &length) < 0)
        return found(doctor, HEALTH_UNKNOWN, "not known: see the error above");
    const bool restricted = strstr(text, "RmProfilingAdminOnly: 1") != NULL;
    free(text);
    if (!restricted)
        return found(doctor, HEALTH_GOOD, "open to every user");
    return geteuid() == 0 ? found(doctor, HEALTH_GOOD, "reserved to the administrator, which you are")
                          : found(doctor, HEALTH_BAD, "reserved to the administrator");
}

/* Only after measuring: a process that has opened the driver cannot fork workers that use it. */
static enum health look_at_cupti(struct doctor *doctor)
{
    struct problem problem;
    doctor->gpu = gpu_plugin_load(&problem);
    return doctor->gpu ? found(doctor, HEALTH_GOOD, "loaded") : found(doctor, HEALTH_BAD, problem.text);
}

static enum health look_at_gpu(struct doctor *doctor)
{
    struct problem problem;
    struct run run = {0};
    if (!doctor->gpu)
        return found(doctor, HEALTH_UNKNOWN, "not known: CUPTI asks for it");
    struct session *session = ARRAY_GROW(run.sessions, run.session_count);
    enum health health = HEALTH_GOOD;
    if (doctor->gpu->count(&problem) <= 0 ||
        doctor->gpu->describe(doctor->options->device, &run.device, session, &problem) < 0)
        health = found(doctor, HEALTH_BAD, problem.text);
    else
        snprintf(doctor->text, sizeof doctor->text, "%s, driver %s (CUDA %s)", run.device.name,
                 session->facts[SESSION_DRIVER] ? session->facts[SESSION_DRIVER] : "unknown",
                 session->facts[SESSION_CUDA]);
    run_release(&run);
    return health;
}

/* To add a check: a row, with what mends what it finds bad. What it looks at stands in the way of those above it. */
static const struct doctor_check checks[] = {
    {"kernel library", "build it, with `make` or as ci/README.md says, and name it with --kernels LIB.so", false,
     look_at_library},
    {"measuring", "mend what says FAIL below; where nothing does, `cugate run -k` this kernel alone says more", false,
     look_at_measuring},
    {"counter access",
     "put `options nvidia NVreg_RestrictProfilingToAdminUsers=0` into /etc/modprobe.d/nvidia-profiling.conf and "
     "reboot, or run as root; in a container add --cap-add=SYS_ADMIN",
     true, look_at_permission},
    {"CUPTI",
     "install CUPTI of the CUDA toolkit's version (`ci/install_deps.sh gpu`, or the package cuda-cupti), and keep "
     "libcugate_cupti.so beside cugate",
     true, look_at_cupti},
    {"GPU",
     "see that `nvidia-smi` lists a GPU: install the driver (one of the toolkit's CUDA version or newer); start a "
     "container with --gpus all; --device N chooses another one",
     true, look_at_gpu},
};

const struct doctor_check *doctor_checks(size_t *count)
{
    *count = ARRAY_SIZE(checks);
    return checks;
}

#define FINDING_COLUMN 22

/* "FAIL  GPU             no NVIDIA driver here", and below it the remedy. */
void doctor_say(const struct text *text, const struct doctor_check *check, enum health health, const char *words)
{
    static const char *const marks[] = {[HEALTH_GOOD] = "ok", [HEALTH_UNKNOWN] = "-", [HEALTH_BAD] = "FAIL"};
    static const enum ink inks[] = {[HEALTH_GOOD] = INK_GREEN, [HEALTH_UNKNOWN] = INK_PLAIN, [HEALTH_BAD] = INK_RED};
    int column = text_print(text, inks[health], "%-4s", marks[health]);
    column += text_print(text, INK_PLAIN, "  %-14s  ", check->title);
    text_wrap(text, INK_PLAIN, column, FINDING_COLUMN, words);
    if (health == HEALTH_GOOD)
        return;
    column = text_print(text, INK_PLAIN, "%*s", FINDING_COLUMN, "");
    column += text_print(text, INK_BOLD, "remedy: ");
    text_wrap(text, INK_PLAIN, column, FINDING_COLUMN + 2, check->remedy);
}

static int cmd_doctor(const struct options *options)
{
    const struct text text = {
        .stream = stdout, .color = options_color(options, stdout), .columns = terminal_columns(stdout)};
    struct metrics metrics;
    struct doctor doctor = {.options = options};
    if (options_read_metrics(options, &metrics) < 0)
        return EXIT_USAGE;
    if (options_measurement(&doctor.measurement, options, &metrics) < 0) {
        metrics_release(&metrics);
        return EXIT_USAGE;
    }
    if (options->config.path) {
        const struct doctor_check config = {.title = CONFIG_FILE};
        doctor_say(&text, &config, HEALTH_GOOD, options->config.words ? options->config.words : options->config.path);
    }
    const bool counts = doctor.measurement.backend->provides & PROVIDES_COUNTERS;
    for (size_t i = 0; i < ARRAY_SIZE(checks); i++) {
        if (checks[i].of_counters && !counts)
            continue;
        const enum health health = checks[i].look(&doctor);
        doctor_say(&text, &checks[i], health, doctor.text);
    }
    text_wrap(&text, doctor.good ? INK_GREEN : INK_RED, 0, 2,
              doctor.good ? "this machine can measure"
                          : "this machine cannot measure: mend what says FAIL, from the bottom up");
    free(doctor.kernel);
    metrics_release(&metrics);
    return doctor.good ? EXIT_SAME : EXIT_NOT_MEASURED;
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
               "remedy for each thing that is not ok.",
    .example = "cugate doctor",
    .takes = takes,
    .minimum = 0, .maximum = 0, .run = cmd_doctor,
};
/* clang-format on */
