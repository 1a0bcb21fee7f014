#include "baseline.h"
#include "baseline_files.h"
#include "util.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

char *baseline_folder(const char *baselines, const struct device *device)
{
    char *name = slug(device->name ? device->name : "");
    char *folder = x_sprintf("%s/%s", baselines, *name ? name : "unknown");
    free(name);
    return folder;
}

static bool is_of_family(const char *id, const char *family)
{
    size_t length = strlen(family);
    return strncmp(id, family, length) == 0 && id[length] == '/';
}

static int is_family_file(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return entry->d_name[0] != '.' && length > 5 && strcmp(entry->d_name + length - 5, ".json") == 0;
}

/* By bytes: '.' and '/' come before every character of a family's name, so the files are in the order of their
 * kernels. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Reads one file and checks that it belongs here. */
static int read_family(struct family_file *file, const struct device *device)
{
    char difference[512];
    if (run_read(&file->run, file->path) < 0)
        return EXIT_USAGE;
    device_difference(device, &file->run.device, difference, sizeof difference);
    if (*difference) {
        error("%s is the baseline of another device: this one has %s. Measure on that device, or keep this one's "
              "baselines in another folder with --baselines",
              file->path, difference);
        return EXIT_BASELINE;
    }
    for (size_t i = 0; i < file->run.result_count; i++)
        if (!is_of_family(file->run.results[i].id, file->family)) {
            error("%s holds %s, which is not of family %s: a baseline file holds the family it is named after",
                  file->path, file->run.results[i].id, file->family);
            return EXIT_USAGE;
        }
    return 0;
}

int baseline_files_read(struct baseline_files *files, const char *baselines, const struct device *device)
{
    struct dirent **entries = NULL;
    int result = 0;
    *files = (struct baseline_files){.folder = baseline_folder(baselines, device)};
    int count = scandir(files->folder, &entries, is_family_file, by_name);
    if (count < 0 && errno != ENOENT) {
        error("cannot read the baselines in %s: %s", files->folder, strerror(errno));
        return EXIT_USAGE;
    }
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        if (result == 0) {
            struct family_file *file = ARRAY_ADD(files->list, files->count);
            file->family = x_sprintf("%.*s", (int)(strlen(name) - strlen(".json")), name);
            file->path = x_sprintf("%s/%s", files->folder, name);
            result = read_family(file, device);
        }
        free(entries[i]);
    }
    free(entries);
    return result;
}

void baseline_files_release(struct baseline_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        free(files->list[i].family);
        free(files->list[i].path);
        run_release(&files->list[i].run);
    }
    free(files->list);
    free(files->folder);
    *files = (struct baseline_files){0};
}

struct family_file *baseline_files_add(struct baseline_files *files, const char *id, const struct device *device)
{
    for (size_t i = 0; i < files->count; i++)
        if (is_of_family(id, files->list[i].family))
            return &files->list[i];
    struct family_file *file = ARRAY_ADD(files->list, files->count);
    file->family = x_sprintf("%.*s", (int)strcspn(id, "/"), id);
    file->path = x_sprintf("%s/%s.json", files->folder, file->family);
    file->run.device = *device;
    file->run.device.name = x_strdup(device->name);
    file->run.device.compute_capability = x_strdup(device->compute_capability);
    return file;
}

/* Adds the notes of a family. Rows by different definitions have no common meaning, so they must agree. */
static int merge_notes(struct run *baseline, const struct family_file *file)
{
    for (size_t i = 0; i < file->run.note_count; i++) {
        const struct metric_note *note = &file->run.notes[i];
        const struct metric_note *known = run_find_note(baseline, note->name);
        if (known && note_is_equal(known, note))
            continue;
        if (known) {
            error("%s defines %s as %s in %s, other files beside it as %s in %s: accept a new run of all kernels",
                  file->path, note->name, note->counter, note->unit, known->counter, known->unit);
            return EXIT_BASELINE;
        }
        run_set_note(baseline, note);
    }
    return 0;
}

int baseline_read(struct run *baseline, const char *baselines, const struct device *device)
{
    struct baseline_files files;
    *baseline = (struct run){0};
    int result = baseline_files_read(&files, baselines, device);
    if (result == 0 && files.count == 0) {
        error("there is no baseline for %s in %s: measure with `cugate run -o run.json`, at least three times, and "
              "keep the runs with `cugate accept run*.json --reason TEXT`",
              device->name ? device->name : "an unknown GPU", files.folder);
        result = EXIT_BASELINE;
    }
    for (size_t i = 0; i < files.count && result == 0; i++) {
        struct run *run = &files.list[i].run;
        for (size_t j = 0; j < run->session_count; j++)
            run_add_session(baseline, &run->sessions[j]);
        for (size_t j = 0; j < run->result_count; j++)
            *ARRAY_ADD(baseline->results, baseline->result_count) = run->results[j];
        run->result_count = 0; /* baseline owns them now */
        result = merge_notes(baseline, &files.list[i]);
    }
    if (result == 0) {
        struct run *first = &files.list[0].run;
        baseline->device = first->device;
        first->device = (struct device){0};
    } else {
        run_release(baseline);
    }
    baseline_files_release(&files);
    return result;
}
