#include "gate.h"

#include <stdlib.h>
#include <string.h>

/* The kernels of one or two runs, and their families, to suggest from. */
struct names {
    char **ids, **families;
    size_t count, family_count;
};

static void add_names(struct names *names, const struct run *run)
{
    for (size_t i = 0; run && i < run->result_count; i++) {
        const char *id = run->results[i].id;
        *ARRAY_ADD(names->ids, names->count) = x_strdup(id);
        *ARRAY_ADD(names->families, names->family_count) = x_sprintf("%.*s", (int)strcspn(id, "/"), id);
    }
}

static void release_names(struct names *names)
{
    for (size_t i = 0; i < names->count; i++) {
        free(names->ids[i]);
        free(names->families[i]);
    }
    free(names->ids);
    free(names->families);
}

/* Says what was probably meant: the nearest id for a variant, a whole family for `transpose` alone or a slip in it. */
static int no_match(const char *glob, const struct names *names)
{
    char *family = x_sprintf("%.*s", (int)strcspn(glob, "/"), glob);
    const char *id = nearest_name(glob, (const char *const *)names->ids, names->count);
    const char *near = nearest_name(family, (const char *const *)names->families, names->count);
    free(family);
    if (id && strchr(glob, '/') && !strpbrk(glob, "*?["))
        return error("no kernel matches -k '%s'; did you mean %s?", glob, id);
    if (near)
        return error("no kernel matches -k '%s'; did you mean '%s/*'?", glob, near);
    return error("no kernel matches -k '%s'; `cugate list` names them", glob);
}

static bool matches(const struct run *run, char *const *glob)
{
    for (size_t i = 0; run && i < run->result_count; i++)
        if (glob_any(glob, 1, run->results[i].id))
            return true;
    return false;
}

int gate_filter(struct run *run, struct run *baseline, const struct options *options)
{
    int result = 0;
    struct names names = {0};
    add_names(&names, run);
    add_names(&names, baseline);
    for (size_t i = 0; i < options->glob_count && result == 0; i++)
        if (!matches(run, &options->globs[i]) && !matches(baseline, &options->globs[i]))
            result = no_match(options->globs[i], &names);
    release_names(&names);

    run_filter(run, options->globs, options->glob_count);
    if (baseline)
        run_filter(baseline, options->globs, options->glob_count);
    return result;
}

/* The first collector that is not that one, which may be NULL; unknown ones are not held against a file. */
static const char *other_collector(const struct run *run, const char *collector)
{
    for (size_t i = 0; i < run->session_count; i++) {
        const char *name = run->sessions[i].facts[SESSION_COLLECTOR];
        if (name && (!collector || strcmp(name, collector) != 0))
            return name;
    }
    return NULL;
}

int gate_comparable(const struct run *run, const struct run *baseline)
{
    char difference[512];
    device_difference(&run->device, &baseline->device, difference, sizeof difference);
    if (*difference)
        return error("the two cannot be compared, the run is of another device than the baseline: %s", difference);

    /* Either side may have several: what is not the first of the other side is another. */
    const char *ours = other_collector(run, NULL), *theirs = other_collector(baseline, NULL);
    const char *other = ours ? other_collector(baseline, ours) : NULL;
    if (!other && theirs && (ours = other_collector(run, theirs)))
        other = theirs;
    if (other)
        return error("the two cannot be compared: the run was measured by the collector %s, the baseline by %s", ours,
                     other);
    return 0;
}

int gate_print(const struct reporter *reporter, struct report *report, const struct options *options, FILE *stream)
{
    report->color = options_color(options, stream);
    report->quiet = options->quiet;
    report->verbose = options->verbose;
    report->power = options->power;
    report->baselines = strcmp(options->baselines, OPTIONS_BASELINES) == 0 ? NULL : options->baselines;
    return reporter->print(report, stream);
}

/* ---- Reports ---- */

static const struct reporter *find_reporter(const char *option, const char *name)
{
    const struct reporter *found = reporter_find(name);
    if (found)
        return found;

    size_t count;
    const struct reporter *list = reporter_list(&count);
    char *names = x_strdup("");
    for (size_t i = 0; i < count; i++) {
        char *longer = x_sprintf("%s%s%s", names, i == 0 ? "" : i + 1 == count ? " or " : ", ", list[i].name);
        free(names);
        names = longer;
    }
    error("%s needs %s, not '%s'", option, names, name);
    free(names);
    return NULL;
}

static int open_report(struct gate_reports *reports, const char *option, const char *format, const char *file)
{
    const struct reporter *reporter = find_reporter(option, format);
    if (!reporter)
        return -1;
    struct gate_report *report = ARRAY_ADD(reports->list, reports->count);
    report->reporter = reporter;
    return whole_file_open(&report->file, file);
}

int gate_reports_open(struct gate_reports *reports, const struct options *options)
{
    int result = open_report(reports, "--format", options->format, options->output ? options->output : "-");
    for (size_t i = 0; i < options->report_count && result == 0; i++) {
        const char *report = options->reports[i];
        char *format = x_sprintf("%.*s", (int)strcspn(report, "="), report);
        result = open_report(reports, "--report", format, options_report_file(report));
        free(format);
    }
    return result;
}

int gate_reports_print(struct gate_reports *reports, struct report *report, const struct options *options)
{
    int result = 0;
    for (size_t i = 0; i < reports->count; i++) {
        struct whole_file *file = &reports->list[i].file;
        gate_print(reports->list[i].reporter, report, options, file->stream);
        if (whole_file_commit(file) < 0) /* also when the stream failed */
            result = -1;
    }
    return result;
}

void gate_reports_release(struct gate_reports *reports)
{
    for (size_t i = 0; i < reports->count; i++)
        whole_file_abandon(&reports->list[i].file);
    free(reports->list);
    *reports = (struct gate_reports){0};
}
