#include "list_capsules.h"

enum { WIDTH = 32 };

/* Writes 256, 32x4 or 8x8x2. */
static const char *extents(const unsigned of[3], char *text)
{
    if (of[2] != 1)
        snprintf(text, WIDTH, "%ux%ux%u", of[0], of[1], of[2]);
    else if (of[1] != 1)
        snprintf(text, WIDTH, "%ux%u", of[0], of[1]);
    else
        snprintf(text, WIDTH, "%u", of[0]);
    return text;
}

/* Writes 18.7 us, 4.19 MB. */
static const char *scaled(double number, const char *const *units, char *text)
{
    if (isnan(number))
        return "-";
    while (number >= 999.5 && units[1]) {
        number /= 1000;
        units++;
    }
    snprintf(text, WIDTH, "%.3g %s", number, *units);
    return text;
}

static double memory_of(const struct capsule *capsule)
{
    double bytes = 0;
    for (size_t i = 0; i < capsule->range_count; i++)
        bytes += (double)capsule->ranges[i].size;
    return bytes;
}

static void list_capsule(const struct capsule *capsule, int width)
{
    static const char *const times[] = {"ns", "us", "ms", "s", NULL}, *const sizes[] = {"B", "kB", "MB", "GB", NULL};
    static const char *const proofs[] = {
        [PROOF_NONE] = "not replayed", [PROOF_IDENTICAL] = "identical", [PROOF_VARIES] = "except varying bits"};
    char grid[WIDTH], block[WIDTH], memory[WIDTH], time[WIDTH], launch[WIDTH], within[WIDTH] = "";
    if (capsule->tolerance > 0)
        snprintf(within, sizeof within, ", within %g as %s", capsule->tolerance, value_type_name(capsule->type));
    snprintf(launch, sizeof launch, "%zu of %zu", capsule->launch, capsule->launches);
    print_wrapped(4, "%-*s %11s %9s %8s %13s %8s  %s%s%s%s%s%s", width, capsule->id, extents(capsule->grid, grid),
                  extents(capsule->block, block), scaled(memory_of(capsule), sizes, memory), launch,
                  scaled(capsule->time_ns, times, time), proofs[capsule->proof],
                  capsule->launched_by ? ", launched by " : "", capsule->launched_by ? capsule->launched_by : "",
                  capsule->swapped ? ", with code of " : "", capsule->swapped ? capsule->swapped : "", within);
}

static bool is_chosen(const struct capsule *capsule, const struct options *options)
{
    return glob_any(options->globs, options->glob_count, capsule->id);
}

static void print_table(const struct capsules *capsules, const struct options *options)
{
    const struct run *about = &capsules->about;
    int width = (int)strlen("kernel");
    for (size_t i = 0; i < capsules->count; i++)
        if (is_chosen(&capsules->list[i], options) && (int)strlen(capsules->list[i].id) > width)
            width = (int)strlen(capsules->list[i].id);
    if (capsules->has_about)
        print_harmless("captured on %s, %s\n\n", about->device.name,
                       about->session_count > 0 && about->sessions[0].facts[SESSION_DATE]
                           ? about->sessions[0].facts[SESSION_DATE]
                           : "at an unknown time");
    print_harmless("%-*s %11s %9s %8s %13s %8s  %s\n", width, "kernel", "grid", "block", "memory", "launch", "time",
                   "replayed");
    for (size_t i = 0; i < capsules->count; i++)
        if (is_chosen(&capsules->list[i], options))
            list_capsule(&capsules->list[i], width);
}

int list_capsules(const struct options *options)
{
    OWNED(capsules) capsules = {0};
    struct problem problem;
    if (capsules_open(&capsules, options->kernels, false, &problem) < 0)
        return FAIL(EXIT_USAGE, "%s", problem.text);
    const int found = capsules_check_globs(&capsules, options->globs, options->glob_count);
    if (found == 0)
        print_table(&capsules, options);
    return found < 0 ? EXIT_USAGE : EXIT_SAME;
}
