/* Checks whether this machine can measure by measuring one kernel with one sample. The other checks find what prevents
 * it. Without a kernel library nothing is measured, but programs bring their own kernels (`cugate run -- PROGRAM`). */

#include "command.h"
#include "doctor.h"

#include <unistd.h>

/* The state that checks share, and the finding of the last one. */
struct doctor {
    const struct options *options;
    struct measurement measurement;
    bool no_library; /* no library was named, and cugate has none of its own */
    char *kernel;    /* id of the kernel that is measured; NULL: no kernel can be */
    const struct gpu_plugin *gpu;
    struct problem no_gpu; /* why there is no GPU, once that was checked */
    const char *remedy;    /* a remedy that replaces the one of the check's row */
    char text[2048];
};

/* Chooses a light kernel: of a family that needs little and runs anywhere, else the first that launches. */
static char *choose_kernel(const struct library_facts *library)
{
    const char *first = NULL;
    EACH(const struct kernel_facts, kernel, library->kernels, library->count) {
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

__attribute__((format(printf, 2, 3))) static void add_text(struct doctor *doctor, const char *format, ...)
{
    const size_t used = strlen(doctor->text);
    va_list list;
    va_start(list, format);
    vsnprintf(doctor->text + used, sizeof doctor->text - used, format, list);
    va_end(list);
}

#define NAME_IT "pass it with --kernels LIB.so, or set `kernels` in " CONFIG_FILE

static enum health look_at_library(struct doctor *doctor)
{
    const struct options *options = doctor->options;
    OWNED(library_facts) library = {0};
    struct problem problem;
    if (options_find_library(options, &problem) < 0) {
        doctor->no_library = options_library_is_own(options);
        if (doctor->no_library)
            return found(doctor, HEALTH_UNKNOWN, "none: only needed to gate your own kernels");
        doctor->remedy = NAME_IT;
        return found(doctor, HEALTH_BAD, problem.text);
    }
    if (library_facts_read(&library, options->kernels, options_timeout(options), &problem) != 0)
        return found(doctor, HEALTH_BAD, problem.text);
    size_t built = 0;
    for (size_t i = 0; i < library.count; i++)
        built += library.kernels[i].not_built == NULL;
    snprintf(doctor->text, sizeof doctor->text, "%s: %zu kernel%s, %zu of them built", options->kernels, library.count,
             plural(library.count), built);
    doctor->kernel = choose_kernel(&library);
    return doctor->kernel ? HEALTH_GOOD : HEALTH_BAD;
}

static enum health measure_on(struct doctor *doctor, int ordinal)
{
    struct measurement measurement = doctor->measurement;
    measurement.globs = &doctor->kernel;
    measurement.glob_count = 1;
    measurement.samples = 1;
    measurement.progress = false;
    measurement.devices = (struct device_list){.list = {ordinal}, .count = 1};
    OWNED(run) run = {0};
    const int code = measure_run(&measurement, &run);
    const struct result *result = run_find(&run, doctor->kernel);
    size_t measured = 0;
    for (size_t i = 0; result && i < result->row_count; i++)
        measured += result->rows[i].state == VALUE_MEASURED;
    const bool good = code == EXIT_SAME && result && result->status == RESULT_OK && measured > 0;
    if (good)
        snprintf(doctor->text, sizeof doctor->text, "%s: %zu of %zu metric%s", doctor->kernel, measured,
                 result->row_count, plural(result->row_count));
    else if (result && result->reason)
        snprintf(doctor->text, sizeof doctor->text, "%s: %s: %s", doctor->kernel, result_status_name(result->status),
                 result->reason);
    else
        found(doctor, HEALTH_BAD, "see the error above");
    return good ? HEALTH_GOOD : HEALTH_BAD;
}

/* Measures on each GPU. */
static enum health look_at_measuring(struct doctor *doctor)
{
    if (doctor->no_library) {
        doctor->remedy = "`cugate run -- PROGRAM` measures the kernels of a program";
        return found(doctor, HEALTH_UNKNOWN, "not tried, because there is no kernel library to measure");
    }
    if (!doctor->kernel)
        return found(doctor, HEALTH_UNKNOWN, "not tried, because there is no kernel to measure");
    if ((doctor->measurement.backend->provides & PROVIDES_COUNTERS) && gpu_driver_is_absent())
        return found(doctor, HEALTH_UNKNOWN, "not tried, because there is no NVIDIA driver");
    const struct device_list *devices = &doctor->measurement.devices;
    enum health health = measure_on(doctor, devices->list[0]);
    for (size_t i = 1; i < devices->count && health == HEALTH_GOOD; i++)
        health = measure_on(doctor, devices->list[i]);
    if (devices->count > 1 && health == HEALTH_GOOD)
        add_text(doctor, ", on each of %zu GPUs", devices->count);
    return health;
}

/* Looks at the kernel module's setting RmProfilingAdminOnly, which restricts counters to root. */
static enum health look_at_permission(struct doctor *doctor)
{
    static const char params[] = "/proc/driver/nvidia/params";
    OWNED_TEXT text = NULL;
    size_t length;
    if (access(params, R_OK) != 0)
        return found(doctor, HEALTH_UNKNOWN, "unknown: /proc/driver/nvidia/params cannot be read here");
    if (file_read(params, 1 << 20, &text, &length) < 0)
        return found(doctor, HEALTH_UNKNOWN, "unknown: see the error above");
    const bool restricted = strstr(text, "RmProfilingAdminOnly: 1") != NULL;
    if (!restricted)
        return found(doctor, HEALTH_GOOD, "open to every user");
    return geteuid() == 0 ? found(doctor, HEALTH_GOOD, "administrators only (you are one)")
                          : found(doctor, HEALTH_BAD, "administrators only");
}

/* Loads the plugin; NULL with the reason in no_gpu. */
static const struct gpu_plugin *load_cupti(struct doctor *doctor)
{
    if (!doctor->gpu && !*doctor->no_gpu.text)
        doctor->gpu = gpu_plugin_load(&doctor->no_gpu);
    return doctor->gpu;
}

static enum health look_at_cupti(struct doctor *doctor)
{
    if (load_cupti(doctor))
        return found(doctor, HEALTH_GOOD, "loaded");
    found(doctor, HEALTH_BAD, doctor->no_gpu.text);
    doctor->text[strcspn(doctor->text, ";")] = '\0'; /* the rest of the text is a remedy, which the row has too */
    return HEALTH_BAD;
}

/* Checks that another GPU is of the same model as the first. */
static enum health look_at_another(struct doctor *doctor, int ordinal, const struct device *first)
{
    struct problem problem;
    OWNED(run) run = {0};
    char difference[512];
    struct session *session = ARRAY_GROW(run.sessions, run.session_count);
    enum health health = HEALTH_GOOD;
    if (doctor->gpu->describe(ordinal, &run.device, session, &problem) < 0) {
        health = found(doctor, HEALTH_BAD, problem.text);
    } else {
        device_difference(&run.device, first, difference, sizeof difference);
        if (*difference) {
            add_text(doctor, "; GPU %d is a different model: %s", ordinal, difference);
            doctor->remedy = "a run needs GPUs of one model: choose them with --device";
            health = HEALTH_BAD;
        } else {
            add_text(doctor, "; also GPU %d", ordinal);
        }
    }
    return health;
}

static enum health look_at_gpu(struct doctor *doctor)
{
    struct problem problem;
    OWNED(run) run = {0};
    if (gpu_driver_is_absent()) /* without a driver no other finding matters */
        return found(doctor, HEALTH_BAD, "no NVIDIA driver here (libcuda.so.1 was not found)");
    if (!load_cupti(doctor))
        return found(doctor, HEALTH_UNKNOWN, "unknown, because CUPTI is missing");
    struct session *session = ARRAY_GROW(run.sessions, run.session_count);
    const struct device_list *devices = &doctor->measurement.devices;
    const int count = doctor->gpu->count(&problem);
    enum health health = HEALTH_GOOD;
    if (count <= 0 || doctor->gpu->describe(devices->list[0], &run.device, session, &problem) < 0)
        health = found(doctor, HEALTH_BAD, problem.text);
    else
        snprintf(doctor->text, sizeof doctor->text, "%s, driver %s (CUDA %s)", run.device.name,
                 session->facts[SESSION_DRIVER] ? session->facts[SESSION_DRIVER] : "unknown",
                 session->facts[SESSION_CUDA]);
    if (health == HEALTH_GOOD && count > 1 && devices->count < 2)
        add_text(doctor, "; one of %d GPUs: --device all shares the kernels among those of one model", count);
    for (size_t i = 1; i < devices->count && health == HEALTH_GOOD; i++)
        health = look_at_another(doctor, devices->list[i], &run.device);
    return health;
}

/* Asks the simulator's plugin. It stands in for the runtime of CUDA in the process that loads it, so this is the last
 * check that is made. */
static enum health look_at_simulating(struct doctor *doctor)
{
    struct problem problem;
    const struct sim_plugin *sim = sim_plugin_load(&problem);
    if (!sim || sim->ready(&problem) != 0) {
        found(doctor, HEALTH_UNKNOWN, problem.text);
        doctor->text[strcspn(doctor->text, ":")] = '\0'; /* the rest of the text is a remedy, which the row has too */
        return HEALTH_UNKNOWN;
    }
    OWNED_TEXT names = options_gpu_names(doctor->options);
    snprintf(doctor->text, sizeof doctor->text, "by --simulate, for %s",
             *names ? names : "what --simulate=FILE.ini describes");
    return HEALTH_GOOD;
}

/* To add a check: a row with a remedy. Rows are in order: if one fails, those below it may fail because of it. */
/* clang-format off */
static const struct doctor_check checks[] = {
    {.title = "GPU", .of_counters = true, .opens_driver = true, .look = look_at_gpu,
     .remedy = "`nvidia-smi` must list a GPU: install a driver of the toolkit's CUDA version or newer; start a "
               "container with --gpus all; --device N chooses another GPU"},
    {.title = "CUPTI", .of_counters = true, .opens_driver = true, .look = look_at_cupti,
     .remedy = "install CUPTI of the CUDA toolkit's version (`ci/install_deps.sh gpu`), and run `make` again",
     .remedy_installed = "install CUDA toolkit 13 in /usr/local/cuda, or run `sudo cugate-fetch cupti`"},
    {.title = "counter access", .of_counters = true, .look = look_at_permission,
     .remedy = "put `options nvidia NVreg_RestrictProfilingToAdminUsers=0` into /etc/modprobe.d/nvidia-profiling.conf "
               "and reboot, or run as root; in a container, add --cap-add=SYS_ADMIN"},
    {.title = "kernel library", .look = look_at_library,
     .remedy = "`make` builds cugate's own library; for another one, " NAME_IT,
     .remedy_installed = "build one with <cugate/kernel.hpp>, and " NAME_IT},
    {.title = "measuring", .look = look_at_measuring,
     .remedy = "fix the FAIL lines above; if there are none, run this kernel with `cugate run -k`"},
    {.title = "computing", .opens_driver = true, .look = look_at_simulating,
     .remedy = "`make` installs NVIDIA's disassembler; without a network it prints the alternatives",
     .remedy_installed = "`sudo cugate-fetch` installs NVIDIA's disassembler"},
};
enum { MEASURING = 4, COMPUTING }; /* rows of the table */
/* clang-format on */

const struct doctor_check *doctor_checks(size_t *count)
{
    *count = ARRAY_SIZE(checks);
    return checks;
}

#define FINDING_COLUMN 22

/* Prints "FAIL  GPU             no NVIDIA driver here", and the remedy below. */
void doctor_say(const struct text *text, const char *title, const struct diagnosed *finding)
{
    static const char *const marks[] = {[HEALTH_GOOD] = "ok", [HEALTH_UNKNOWN] = "-", [HEALTH_BAD] = "FAIL"};
    static const enum ink inks[] = {[HEALTH_GOOD] = INK_GREEN, [HEALTH_UNKNOWN] = INK_PLAIN, [HEALTH_BAD] = INK_RED};
    int column = text_print(text, inks[finding->health], "%-4s", marks[finding->health]);
    column += text_print(text, INK_PLAIN, "  %-14s  ", title);
    text_wrap(text, INK_PLAIN, column, FINDING_COLUMN, finding->words);
    if (finding->health == HEALTH_GOOD)
        return;
    column = text_print(text, INK_PLAIN, "%*s", FINDING_COLUMN, "");
    column += text_print(text, INK_BOLD, "remedy: ");
    text_wrap(text, INK_PLAIN, column, FINDING_COLUMN + 2, finding->remedy);
}

/* Sets *words to what the machine can do by these findings. Returns the exit code of the command. */
static enum exit_code conclude(const struct doctor *doctor, const struct diagnosed *findings, const char **words)
{
    enum health worst = HEALTH_GOOD; /* among the checks that measuring programs needs too */
    for (size_t i = 0; i < ARRAY_SIZE(checks); i++)
        if (checks[i].of_counters && findings[i].health > worst)
            worst = findings[i].health;
    *words = "this machine can measure";
    if (findings[MEASURING].health == HEALTH_GOOD)
        return EXIT_SAME;
    *words = "this machine cannot measure: fix the first FAIL line";
    if (!doctor->no_library)
        return EXIT_NOT_MEASURED;
    *words = "nothing was measured: pass a kernel library with --kernels";
    if (!(doctor->measurement.backend->provides & PROVIDES_COUNTERS))
        return EXIT_NOT_MEASURED;
    *words = "this machine cannot measure programs either (`cugate run -- PROGRAM`): fix the first FAIL line";
    if (worst == HEALTH_BAD)
        return EXIT_NOT_MEASURED;
    *words = "programs were not tried: `cugate run -- PROGRAM` shows whether this machine can measure them";
    if (worst == HEALTH_UNKNOWN)
        return EXIT_NOT_MEASURED;
    *words = "this machine can measure programs: `cugate run -- PROGRAM`";
    return EXIT_SAME;
}

/* Says what needs no GPU. */
static void say_what_works(const struct text *text, const struct diagnosed *computing)
{
    static const char *const works[][2] = {
        {"cugate check --simulate", "computes counts of a kernel library, of captured launches, or of -- PROGRAM"},
        {"cugate check --static FILE...", "judges registers, spills and occupancy of any machine code"},
        {"cugate check --replay RUN.json", "judges a run measured elsewhere; cugate-report shows it"},
    };
    text_wrap(text, INK_PLAIN, 0, 2, "works here without a GPU:");
    for (size_t i = computing->health == HEALTH_GOOD ? 0 : 1; i < ARRAY_SIZE(works); i++) {
        const int column = text_print(text, INK_PLAIN, "  %-30s  ", works[i][0]);
        text_wrap(text, INK_PLAIN, column, column, works[i][1]);
    }
}

static void look(struct doctor *doctor, const struct doctor_check *check, struct diagnosed *finding)
{
    doctor->remedy = check->remedy_installed && program_is_installed() ? check->remedy_installed : check->remedy;
    finding->health = check->look(doctor);
    finding->words = x_strdup(doctor->text);
    finding->remedy = doctor->remedy;
}

/* Makes all checks. Those that open the driver are made last, wherever their rows are: a process that has opened it
 * cannot fork workers that use it. */
static enum exit_code examine(struct doctor *doctor, const struct text *text)
{
    const bool counts = doctor->measurement.backend->provides & PROVIDES_COUNTERS;
    struct diagnosed findings[ARRAY_SIZE(checks)] = {0};
    for (int opens_driver = 0; opens_driver <= 1; opens_driver++)
        for (size_t i = 0; i < ARRAY_SIZE(checks); i++)
            if (checks[i].opens_driver == (opens_driver == 1) && (counts || !checks[i].of_counters))
                look(doctor, &checks[i], &findings[i]);
    const char *words;
    const enum exit_code code = conclude(doctor, findings, &words);
    for (size_t i = 0; i < ARRAY_SIZE(checks); i++)
        if (findings[i].words)
            doctor_say(text, checks[i].title, &findings[i]);
    text_wrap(text, code == EXIT_SAME ? INK_GREEN : INK_RED, 0, 2, words);
    if (code != EXIT_SAME)
        say_what_works(text, &findings[COMPUTING]);
    for (size_t i = 0; i < ARRAY_SIZE(checks); i++)
        free(findings[i].words);
    return code;
}

static int cmd_doctor(const struct options *options)
{
    const struct text text = {
        .stream = stdout, .color = options_color(options, stdout), .columns = terminal_columns(stdout)};
    OWNED(metrics) metrics = {0};
    struct doctor doctor = {.options = options};
    if (options_read_metrics(options, &metrics) < 0 || options_measurement(&doctor.measurement, options, &metrics) < 0)
        return EXIT_USAGE;
    if (options->config.path) {
        const struct diagnosed config = {.health = HEALTH_GOOD,
                                         .words = options->config.words ? options->config.words : options->config.path};
        doctor_say(&text, CONFIG_FILE, &config);
    }
    const enum exit_code code = examine(&doctor, &text);
    free(doctor.kernel);
    return code;
}

/* clang-format off */
static const struct option_row *const takes[] = {
    &option_kernels, &option_metrics, &option_collector, &option_device, &option_timeout, NULL,
};

const struct command command_doctor = {
    .name = "doctor",
    .arguments = "",
    .summary = "check whether this machine can measure, and how to fix it",
    .details = "Checks the GPU, its driver, the permission to read counters and the kernel library. For each problem "
               "it prints the remedy. If this machine cannot measure, it lists what works without measuring.",
    .exits = EXITS({EXIT_SAME, "everything is ok"},
                   {EXIT_USAGE, NULL},
                   {EXIT_NOT_MEASURED, "this machine cannot measure"}),
    .example = "cugate doctor",
    .takes = takes,
    .minimum = 0, .maximum = 0, .run = cmd_doctor,
};
/* clang-format on */
