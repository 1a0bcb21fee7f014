#include "baseline/baseline.h"

#include "check_parts.h"

/* Returns the capability in a name, "sm_90" or "sm-90" as a baseline's folder; else 0. */
static int named_capability(const char *name)
{
    char *end;
    if ((strncmp(name, "sm_", 3) != 0 && strncmp(name, "sm-", 3) != 0) || strspn(name + 3, "0123456789") == 0)
        return 0;
    const long capability = strtol(name + 3, &end, 10);
    end += *end == 'a' || *end == 'f'; /* sm_100a: what code may use of this capability beyond others */
    return *end == '\0' && capability >= 10 && capability <= 255 ? (int)capability : 0;
}

static bool all_fit(const struct check_request *request, const struct static_files *files, int capability)
{
    return ALL(i, request->file_count, static_files_fit(files, i, capability));
}

/* Lists the capabilities that have baselines: "sm_80, sm_90". Also counts those that all files have code for; the last
 * of these is *capability. Caller frees. */
static char *find_baselines(const struct check_request *request, const struct static_files *files,
                            const struct baseline_devices *devices, size_t *fitting, int *capability)
{
    char *names = x_strdup("");
    *fitting = 0;
    for (size_t i = 0; i < devices->count; i++) {
        const struct device *device = &devices->list[i].device;
        if (!static_files_is_device(device))
            continue;
        x_append(&names, ", ", "%s", device->name);
        if (all_fit(request, files, static_facts_capability(device))) {
            *capability = static_facts_capability(device);
            ++*fitting;
        }
    }
    return names;
}

/* Finds the only capability that has a baseline; without any baseline the only one that the files have code for. */
static int find_capability(const struct check_request *request, const struct static_files *files, int *capability)
{
    OWNED(baseline_devices) devices = {0};
    size_t fitting;
    if (request->against) /* then no baseline judges */
        devices = (struct baseline_devices){0};
    else if (baseline_devices_read(&devices, request->baselines) < 0)
        return EXIT_USAGE;
    OWNED_TEXT names = find_baselines(request, files, &devices, &fitting, capability);
    OWNED_TEXT built = static_files_architectures(files, SIZE_MAX);
    int code = 0;
    if (fitting == 0 && !*names)
        *capability = named_capability(built);
    if (fitting > 1) {
        code = FAIL(EXIT_USAGE, "several baselines fit the machine code: %s; choose one with --static=sm_NN", names);
    } else if (fitting == 0 && *names) {
        code = FAIL(EXIT_BASELINE,
                    "%s has baselines of %s, but the files have machine code for %s: build them for that GPU, or start "
                    "a baseline with --static=sm_NN",
                    request->baselines, names, built);
    } else if (*capability == 0) {
        code = FAIL(EXIT_USAGE, "the files have machine code for %s: choose one with --static=sm_NN", built);
    }
    return code;
}

static int choose_capability(const struct check_request *request, const struct static_files *files, int *capability)
{
    if (!request->gpu)
        return find_capability(request, files, capability);
    *capability = named_capability(request->gpu);
    if (*capability > 0)
        return 0;
    return FAIL(EXIT_USAGE, "--static=%s is not a compute capability such as sm_90", request->gpu);
}

static int expect_code(char *const *paths, size_t count, const struct static_files *files, int capability)
{
    for (size_t i = 0; i < count; i++) {
        if (static_files_fit(files, i, capability))
            continue;
        OWNED_TEXT built = static_files_architectures(files, i);
        return FAIL(EXIT_NOT_MEASURED, "%s has no machine code for sm_%d, only for %s: build it for both", paths[i],
                    capability, built);
    }
    return 0;
}

/* A file may be called otherwise than the base's, and has the same functions. */
static void name_alike(struct static_files *base, const struct static_files *files)
{
    if (base->count != 1 || files->count != 1)
        return;
    free(base->list[0].family);
    base->list[0].family = x_strdup(files->list[0].family);
}

/* Reads the files of the base build, which stand in for a baseline. */
static int read_base(const struct check_request *request, const struct static_files *files, int capability,
                     struct run *baseline, char **name)
{
    OWNED(static_files) base_files = {0};
    OWNED_TEXT against = x_strdup(request->against);
    struct run base;
    const struct run none = {0};
    TRY_AS(EXIT_USAGE, static_files_read(&base_files, &against, 1));
    TRY_CODE(expect_code(&against, 1, &base_files, capability));
    name_alike(&base_files, files);
    static_files_run(&base, &base_files, capability, &none, request->metrics);
    check_take_base(baseline, &base);
    *name = x_sprintf("%s, read now", against);
    return EXIT_SAME;
}

static int read_baseline(const struct check_request *request, const struct device *device, struct run *baseline,
                         char **name)
{
    *name = baseline_folder(request->baselines, device);
    const int code = baseline_read(baseline, request->baselines, device);
    return code == EXIT_BASELINE && !baseline_exists(request->baselines, device)
               ? EXIT_SAME
               : code; /* without one it is said, and nothing is judged */
}

int check_files(const struct check_request *request, struct run *run, struct run *baseline, char **name)
{
    OWNED(static_files) files = {0};
    struct device device = {0};
    int capability = 0;
    TRY_AS(EXIT_USAGE, static_files_read(&files, request->files, request->file_count));
    TRY_CODE(choose_capability(request, &files, &capability));
    TRY_CODE(expect_code(request->files, request->file_count, &files, capability));
    static_files_device(&device, capability);
    const int code = request->against ? read_base(request, &files, capability, baseline, name)
                                      : read_baseline(request, &device, baseline, name);
    free(device.name);
    free(device.compute_capability);
    if (code != EXIT_SAME)
        return code;
    static_files_run(run, &files, capability, baseline, request->metrics);
    measure_complete_session(&run->sessions[0]);
    return EXIT_SAME;
}
