#include "baseline.h"
#include "baseline_files.h"
#include "util.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

char *baseline_folder(const char *baselines, const struct device *device)
{
    char *name = slug(device->name ? device->name : "");
    char *folder = x_sprintf("%s/%s", baselines, *name ? name : "unknown");
    free(name);
    return folder;
}

static bool is_run_file(const char *name)
{
    size_t length = strlen(name);
    return length > 5 && strcmp(name + length - 5, ".json") == 0;
}

static bool is_folder(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* By bytes: '.' and '/' come before every character of a family's or variant's name, so the files are in the order of
 * their kernels. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* The names in a folder; none when it does not exist. -1 after error(). */
static int list_folder(const char *folder, struct dirent ***entries)
{
    int count = scandir(folder, entries, is_visible, by_name);
    if (count >= 0)
        return count;
    *entries = NULL;
    return errno == ENOENT ? 0 : error("cannot read the baselines in %s: %s", folder, strerror(errno));
}

/* Reads one file and checks that it belongs here. */
static int read_kernel(struct kernel_file *file, const struct device *device)
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
        if (strcmp(file->run.results[i].id, file->id) != 0) {
            error("%s holds %s, but a baseline file holds the one kernel that its path names: move it to its place, or "
                  "remove it",
                  file->path, file->run.results[i].id);
            return EXIT_USAGE;
        }
    if (file->run.result_count > 0)
        return 0;
    error("%s holds no kernel: remove it, and accept %s anew", file->path, file->id);
    return EXIT_USAGE;
}

static int read_family(struct baseline_files *files, const char *family, const struct device *device)
{
    struct dirent **entries;
    char *folder = x_sprintf("%s/%s", files->folder, family);
    int count = list_folder(folder, &entries);
    int result = count < 0 ? EXIT_USAGE : 0;
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        if (result == 0 && is_run_file(name)) {
            struct kernel_file *file = ARRAY_ADD(files->list, files->count);
            file->id = x_sprintf("%s/%.*s", family, (int)(strlen(name) - strlen(".json")), name);
            file->path = x_sprintf("%s/%s", folder, name);
            result = read_kernel(file, device);
        }
        free(entries[i]);
    }
    free(entries);
    free(folder);
    return result;
}

int baseline_files_read(struct baseline_files *files, const char *baselines, const struct device *device)
{
    struct dirent **entries;
    *files = (struct baseline_files){.folder = baseline_folder(baselines, device)};
    int count = list_folder(files->folder, &entries);
    int result = count < 0 ? EXIT_USAGE : 0;
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        char *path = x_sprintf("%s/%s", files->folder, name);
        if (result == 0 && is_folder(path)) {
            result = read_family(files, name, device);
        } else if (result == 0 && is_run_file(name)) {
            error(
                "%s would not be read: a baseline is one file a kernel, %s/FAMILY/VARIANT.json. Remove it, and accept "
                "runs of its kernels anew",
                path, files->folder);
            result = EXIT_USAGE;
        }
        free(path);
        free(entries[i]);
    }
    free(entries);
    return result;
}

void baseline_files_release(struct baseline_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        free(files->list[i].id);
        free(files->list[i].path);
        run_release(&files->list[i].run);
    }
    free(files->list);
    free(files->folder);
    *files = (struct baseline_files){0};
}

char *baseline_files_path(const struct baseline_files *files, const char *id)
{
    return x_sprintf("%s/%s.json", files->folder, id);
}

struct kernel_file *baseline_files_find(const struct baseline_files *files, const char *id)
{
    for (size_t i = 0; i < files->count; i++)
        if (strcmp(files->list[i].id, id) == 0)
            return &files->list[i];
    return NULL;
}

struct kernel_file *baseline_files_add(struct baseline_files *files, const char *id, const struct device *device)
{
    struct kernel_file *file = baseline_files_find(files, id);
    if (file)
        return file;
    file = ARRAY_ADD(files->list, files->count);
    file->id = x_strdup(id);
    file->path = baseline_files_path(files, id);
    file->run.device = *device;
    file->run.device.name = x_strdup(device->name);
    file->run.device.compute_capability = x_strdup(device->compute_capability);
    return file;
}

struct session *baseline_find_session(const struct run *baseline, const struct session *session)
{
    struct session wanted = *session; /* borrows */
    wanted.facts[SESSION_REASON] = NULL;
    for (size_t i = 0; i < baseline->session_count; i++) {
        struct session known = baseline->sessions[i];
        known.facts[SESSION_REASON] = NULL;
        if (session_is_equal(&known, &wanted))
            return &baseline->sessions[i];
    }
    return NULL;
}

/* Adds the notes of a file. Rows of different counters have no common meaning, so they must agree. Of what else a
 * definition says, the strictest stands for all: what is laxer now is so for some rows. */
static int merge_notes(struct run *baseline, const struct kernel_file *file)
{
    for (size_t i = 0; i < file->run.note_count; i++) {
        const struct metric_note *note = &file->run.notes[i];
        const struct metric_note *known = run_find_note(baseline, note->name);
        if (known && !note_is_equal(known, note)) {
            error("%s defines %s as %s in %s, other files beside it as %s in %s: accept a new run of all kernels",
                  file->path, note->name, note->counter, note->unit, known->counter, known->unit);
            return EXIT_BASELINE;
        }
        char *words = NULL;
        if (!known || (!known->judged && note->judged) || note_compare(note, known, &words) == NOTE_WEAKENED)
            run_set_note(baseline, note);
        free(words);
    }
    return 0;
}

/* By date first, so that the newest is the last; then by anything, so that the order is always the same. */
static int by_date(const void *a, const void *b)
{
    const struct session *left = a, *right = b;
    int order = 0;
    for (size_t fact = SESSION_DATE; fact < SESSION_FACTS && order == 0; fact++)
        order = strcmp(left->facts[fact] ? left->facts[fact] : "", right->facts[fact] ? right->facts[fact] : "");
    return order;
}

bool baseline_exists(const char *baselines, const struct device *device)
{
    char *folder = baseline_folder(baselines, device);
    struct dirent **entries;
    bool found = false;
    const int count = list_folder(folder, &entries);
    for (int i = 0; i < count; i++) {
        char *path = x_sprintf("%s/%s", folder, entries[i]->d_name);
        found |= is_folder(path);
        free(path);
        free(entries[i]);
    }
    free(entries);
    free(folder);
    return found;
}

int baseline_read(struct run *baseline, const char *baselines, const struct device *device)
{
    struct baseline_files files;
    *baseline = (struct run){0};
    int result = baseline_files_read(&files, baselines, device);
    if (result == 0 && files.count == 0) {
        error("there is no baseline for %s in %s: measure with `cugate aa --save sessions` and keep what it measured "
              "with "
              "`cugate accept sessions/*.json --reason TEXT`",
              device->name ? device->name : "an unknown GPU", files.folder);
        result = EXIT_BASELINE;
    }
    for (size_t i = 0; i < files.count && result == 0; i++) {
        struct run *run = &files.list[i].run;
        for (size_t j = 0; j < run->session_count; j++)
            if (!baseline_find_session(baseline, &run->sessions[j]))
                run_add_session(baseline, &run->sessions[j]);
        for (size_t j = 0; j < run->result_count; j++) {
            struct result *kernel = ARRAY_ADD(baseline->results, baseline->result_count);
            *kernel = run->results[j]; /* one a file: read_kernel has seen to it */
            kernel->sessions = run->sessions;
            kernel->session_count = run->session_count;
        }
        run->result_count = run->session_count = 0; /* baseline owns them now */
        run->sessions = NULL;
        result = merge_notes(baseline, &files.list[i]);
    }
    if (result == 0) {
        struct run *first = &files.list[0].run;
        if (baseline->session_count > 0)
            qsort(baseline->sessions, baseline->session_count, sizeof *baseline->sessions, by_date);
        baseline->device = first->device;
        first->device = (struct device){0};
    } else {
        run_release(baseline);
    }
    baseline_files_release(&files);
    return result;
}
