#include "baseline/baseline.h"

#include "check_parts.h"
#include "comparable.h"

/* Whether a GPU of that capability could run some of the machine code. */
static bool has_code_for(const struct cubin *cubin, int capability)
{
    return FIND(built, cubin->list, cubin->count,
                built->capability / 10 == capability / 10 && built->capability <= capability);
}

/* Whether a baseline's device fits. A capability as device is for functions of files: see check_files. */
static bool is_meant(const struct device *device, const struct cubin *fitting)
{
    return !static_files_is_device(device) && (!fitting || has_code_for(fitting, static_facts_capability(device)));
}

/* Lists the folders, "nvidia-h100, nvidia-h200", or only those that fit the library. Caller frees. */
static char *folder_names(const struct baseline_devices *devices, const struct cubin *fitting)
{
    char *names = x_strdup("");
    for (size_t i = 0; i < devices->count; i++)
        if (is_meant(&devices->list[i].device, fitting))
            x_append(&names, ", ", "%s", devices->list[i].folder);
    return names;
}

/* Finds the device that --static=NAME names. */
static int find_named(const struct check_request *request, const struct baseline_devices *devices,
                      const struct cubin *cubin, const struct device **device)
{
    for (size_t i = 0; i < devices->count; i++) {
        if (strcmp(devices->list[i].folder, request->gpu) != 0 || !is_meant(&devices->list[i].device, NULL))
            continue;
        *device = &devices->list[i].device;
        if (has_code_for(cubin, static_facts_capability(*device)))
            return 0;
        return FAIL(EXIT_NOT_MEASURED,
                    "%s has no machine code for %s, whose compute capability is %s: build it with nvcc -arch=sm_%d",
                    request->measurement.kernels, (*device)->name, (*device)->compute_capability,
                    static_facts_capability(*device));
    }
    OWNED_TEXT names = folder_names(devices, NULL);
    return FAIL(EXIT_BASELINE, "there is no baseline '%s' in %s; it has %s", request->gpu, request->baselines,
                *names ? names : "none");
}

/* Finds the only device that the library has code for. */
static int find_fitting(const struct check_request *request, const struct baseline_devices *devices,
                        const struct cubin *cubin, const struct device **device)
{
    size_t count = 0;
    for (size_t i = 0; i < devices->count; i++)
        if (is_meant(&devices->list[i].device, cubin) && count++ == 0)
            *device = &devices->list[i].device;
    if (count == 1)
        return 0;
    OWNED_TEXT names = folder_names(devices, count > 1 ? cubin : NULL);
    if (count > 1)
        error("%zu baselines fit the machine code in %s: %s; choose one: --static=NAME, or `gpu = NAME` in cugate.ini",
              count, request->measurement.kernels, names);
    else
        error("%s has no baseline for any GPU that %s has machine code for; it has %s. Build the kernels for one of "
              "these GPUs, or measure on yours and accept the run",
              request->baselines, request->measurement.kernels, *names ? names : "none");
    return count > 1 ? EXIT_USAGE : EXIT_BASELINE;
}

/* Reads the baseline of the chosen device. */
static int read_baseline(const struct check_request *request, struct run *baseline, char **name)
{
    OWNED(baseline_devices) devices = {0};
    OWNED(cubin) cubin = {0};
    const struct device *device = NULL;
    int code = EXIT_USAGE;
    TRY_AS(EXIT_USAGE, baseline_devices_read(&devices, request->baselines));
    if (cubin_read(&cubin, request->measurement.kernels) == 0 && cubin.count == 0)
        error("%s contains no readable machine code for a GPU, so --static has nothing to judge",
              request->measurement.kernels);
    else if (cubin.count > 0)
        code = request->gpu ? find_named(request, &devices, &cubin, &device)
                            : find_fitting(request, &devices, &cubin, &device);
    if (code == 0) {
        code = baseline_read(baseline, request->baselines, device);
        *name = baseline_folder(request->baselines, device);
    }
    return code;
}

/* Asks the library for its facts. A file of machine code alone has none, and is judged by its code. */
static int ask_library(const struct check_request *request, const char *path, struct library_facts *facts)
{
    struct problem problem;
    const int code = library_facts_read(facts, path, request->measurement.timeout, &problem);
    if (code == EXIT_USAGE)
        warning("the library's kernels and compiler are unknown: %s", problem.text);
    else if (code != 0)
        error("%s", problem.text);
    return code == EXIT_USAGE ? 0 : code;
}

void check_take_base(struct run *baseline, struct run *base)
{
    struct run taken = {.device = base->device};
    base->device = (struct device){0};
    run_stand_in(&taken, base);
    for (size_t i = 0; i < base->note_count; i++)
        run_set_note(&taken, &base->notes[i]);
    run_release(base);
    run_release(baseline);
    *baseline = taken;
}

/* Reads the code of the base build for the launches of the baseline, whose place it takes. */
static int read_base(const struct check_request *request, struct run *baseline, char **name)
{
    OWNED(library_facts) facts = {0};
    struct run base;
    TRY_CODE(ask_library(request, request->against, &facts));
    TRY_AS(EXIT_USAGE, static_facts_run(&base, baseline, request->against, &facts, request->metrics));
    check_take_base(baseline, &base);
    free(*name);
    *name = x_sprintf("%s, read now", request->against);
    return 0;
}

int check_static(const struct check_request *request, struct run *run, struct run *baseline, char **name)
{
    OWNED(library_facts) facts = {0};
    TRY_CODE(read_baseline(request, baseline, name));
    TRY_CODE(ask_library(request, request->measurement.kernels, &facts));
    TRY_AS(EXIT_USAGE, static_facts_run(run, baseline, request->measurement.kernels, &facts, request->metrics));
    for (size_t i = 0; i < run->session_count; i++)
        measure_complete_session(&run->sessions[i]);
    if (request->against)
        TRY_CODE(read_base(request, baseline, name));
    gate_keep_metrics(baseline, run, request->metrics); /* removes rows that need a GPU */
    return 0;
}
