#include "baseline.h"

#include "baseline_files.h"

#include <errno.h>
#include <sys/stat.h>

char *baseline_folder(const char *baselines, const struct device *device)
{
    OWNED_TEXT name = slug(device->name ? device->name : "");
    return x_sprintf("%s/%s", baselines, *name ? name : "unknown");
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

/* Lists the names in a folder in byte order; none when it does not exist. -1 after error(). */
static int list_folder(const char *folder, struct dirent ***entries)
{
    int count = scandir(folder, entries, is_visible, by_entry_name);
    if (count >= 0)
        return count;
    *entries = NULL;
    return errno == ENOENT ? 0 : error("cannot read the baselines in %s: %s", folder, strerror(errno));
}

/* Returns the path of a kernel's file. Caller frees. */
static char *path_of(const struct baseline_files *files, const char *id)
{
    OWNED_TEXT below = id_path(id);
    return x_sprintf("%s/%s.json", files->folder, below);
}

/* Checks that a file is of this kernel and this device. */
static int check_kernel(const struct baseline_files *files, struct kernel_file *file, const struct device *device)
{
    char difference[512];
    device_difference(device, &file->run.device, difference, sizeof difference);
    if (*difference)
        return FAIL(EXIT_BASELINE,
                    "%s is the baseline of a different device; the run's device has %s. Measure on the baseline's "
                    "device, or keep a separate baseline for this one with --baselines",
                    file->path, difference);
    for (size_t i = 0; i < file->run.result_count; i++) {
        const char *id = file->run.results[i].id;
        OWNED_TEXT place = path_of(files, id);
        const bool is_there = strcmp(place, file->path) == 0;
        if (!is_there)
            return FAIL(EXIT_USAGE, "%s holds %s, but its path names another kernel: move the file, or remove it",
                        file->path, id);
        free(file->id);
        file->id = x_strdup(id);
    }
    if (file->run.result_count > 0)
        return 0;
    return FAIL(EXIT_USAGE, "%s contains no kernels: delete it, and accept %s again", file->path, file->id);
}

static int list_family(struct baseline_files *files, const char *family)
{
    OWNED_MEMORY struct dirent **entries = NULL;
    OWNED_TEXT folder = x_sprintf("%s/%s", files->folder, family);
    int count = list_folder(folder, &entries);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        if (is_run_file(name)) {
            struct kernel_file *file = ARRAY_GROW(files->list, files->count);
            file->id = x_sprintf("%s/%.*s", family, (int)(strlen(name) - strlen(".json")), name);
            file->path = x_sprintf("%s/%s", folder, name);
        }
        free(entries[i]);
    }
    return count < 0 ? EXIT_USAGE : 0;
}

static int read_listed(struct baseline_files *files)
{
    OWNED_MEMORY struct run *runs = x_calloc(files->count, sizeof *runs);
    OWNED_MEMORY const char **paths = x_calloc(files->count, sizeof *paths);
    for (size_t i = 0; i < files->count; i++)
        paths[i] = files->list[i].path;
    const int result = runs_read(runs, paths, files->count) < 0 ? EXIT_USAGE : 0;
    for (size_t i = 0; i < files->count; i++)
        files->list[i].run = runs[i];
    return result;
}

int baseline_files_read(struct baseline_files *files, const char *baselines, const struct device *device)
{
    OWNED_MEMORY struct dirent **entries = NULL;
    *files = (struct baseline_files){.folder = baseline_folder(baselines, device)};
    int count = list_folder(files->folder, &entries);
    int result = count < 0 ? EXIT_USAGE : 0;
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        OWNED_TEXT path = x_sprintf("%s/%s", files->folder, name);
        if (result == 0 && is_folder(path)) {
            result = list_family(files, name);
        } else if (result == 0 && is_run_file(name)) {
            result = FAIL(EXIT_USAGE,
                          "%s is not a baseline file: a baseline has one file per kernel, %s/FAMILY/VARIANT.json. "
                          "Remove it, and accept runs of its kernels again",
                          path, files->folder);
        }
        free(entries[i]);
    }
    if (result == 0)
        result = read_listed(files);
    for (size_t i = 0; i < files->count && result == 0; i++)
        result = check_kernel(files, &files->list[i], device);
    sort_by_name(files->list, files->count, sizeof *files->list);
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

struct kernel_file *baseline_files_find(const struct baseline_files *files, const char *id)
{
    return find_by_name(files->list, files->count, sizeof *files->list, id);
}

void baseline_files_add(struct baseline_files *files, const struct run *run, const struct device *device)
{
    const size_t known = files->count;
    for (size_t i = 0; i < run->result_count; i++) {
        const char *id = run->results[i].id;
        if (find_by_name(files->list, known, sizeof *files->list, id))
            continue;
        struct kernel_file *file = ARRAY_GROW(files->list, files->count);
        file->id = x_strdup(id);
        file->path = path_of(files, id);
        file->run.device = *device;
        file->run.device.name = x_strdup(device->name);
        file->run.device.compute_capability = x_strdup(device->compute_capability);
    }
    sort_by_name(files->list, files->count, sizeof *files->list);
}

void baseline_files_rename(struct baseline_files *files, struct kernel_file *file, const char *id)
{
    free(file->id);
    free(file->path);
    file->id = x_strdup(id);
    file->path = path_of(files, id);
    sort_by_name(files->list, files->count, sizeof *files->list);
}

/* Adds the sessions of all files to the baseline, each once, whatever it was accepted for. */
static void merge_sessions(struct run *baseline, const struct baseline_files *files)
{
    struct session *all = NULL; /* the list is owned, its elements are borrowed */
    size_t count = 0;
    for (size_t i = 0; i < files->count; i++)
        for (size_t k = 0; k < files->list[i].run.session_count; k++)
            *ARRAY_GROW(all, count) = files->list[i].run.sessions[k];
    OWNED_MEMORY size_t *first = first_of_equals(all, count, sizeof *all, by_session);
    for (size_t i = 0; i < count; i++)
        if (first[i] == i)
            session_copy(ARRAY_GROW(baseline->sessions, baseline->session_count), &all[i]);
    SORT(baseline->sessions, baseline->session_count, by_session_and_reason);
    free(all);
}

/* Adds the notes (definitions of metrics) of a file. Files must agree on the counter, since values of different
 * counters cannot be compared. Where the definitions differ in anything else, the strictest one is kept: a laxer one
 * now is laxer for some rows. */
static int merge_notes(struct run *baseline, const struct kernel_file *file)
{
    EACH(const struct metric_note, note, file->run.notes, file->run.note_count) {
        const struct metric_note *known = run_find_note(baseline, note->name);
        if (known && !note_is_equal(known, note))
            return FAIL(EXIT_BASELINE,
                        "%s defines %s as %s in %s, but other files define it as %s in %s: accept a run of all kernels",
                        file->path, note->name, note->counter, note->unit, known->counter, known->unit);
        OWNED_TEXT words = NULL;
        if (!known || (!known->judged && note->judged) || note_compare(note, known, &words) == NOTE_WEAKENED)
            run_set_note(baseline, note);
    }
    return 0;
}

bool baseline_exists(const char *baselines, const struct device *device)
{
    OWNED_TEXT folder = baseline_folder(baselines, device);
    OWNED_MEMORY struct dirent **entries = NULL;
    bool found = false;
    const int count = list_folder(folder, &entries);
    for (int i = 0; i < count; i++) {
        OWNED_TEXT path = x_sprintf("%s/%s", folder, entries[i]->d_name);
        found |= is_folder(path);
        free(entries[i]);
    }
    return found;
}

/* Returns which other devices have baselines, for a message: "; baselines has nvidia-h100, nvidia-h200". Empty without
 * any. Caller frees. */
static char *tell_others(const char *baselines)
{
    char *words = x_strdup("");
    OWNED_MEMORY struct dirent **entries = NULL;
    const int count = list_folder(baselines, &entries);
    for (int i = 0; i < count; i++) {
        OWNED_TEXT path = x_sprintf("%s/%s", baselines, entries[i]->d_name);
        if (is_folder(path))
            x_append(&words, "", "%s%s%s%s", *words ? ", " : "; ", *words ? "" : baselines, *words ? "" : " has ",
                     entries[i]->d_name);
        free(entries[i]);
    }
    return words;
}

int baseline_read(struct run *baseline, const char *baselines, const struct device *device)
{
    OWNED(baseline_files) files = {0};
    *baseline = (struct run){0};
    int result = baseline_files_read(&files, baselines, device);
    if (result == 0 && files.count == 0) {
        OWNED_TEXT others = tell_others(baselines), *here = *files.folder == '/' ? NULL : realpath(".", NULL);
        result = FAIL(EXIT_BASELINE, "no baseline for %s in %s%s%s%s", device->name ? device->name : "an unknown GPU",
                      here ? here : "", here ? "/" : "", files.folder, others);
    }
    if (result == 0)
        merge_sessions(baseline, &files);
    for (size_t i = 0; i < files.count && result == 0; i++) {
        struct run *run = &files.list[i].run;
        for (size_t j = 0; j < run->result_count; j++) {
            struct result *kernel = ARRAY_GROW(baseline->results, baseline->result_count);
            *kernel = run->results[j]; /* check_kernel made sure that there is one in each file */
            kernel->sessions = run->sessions;
            kernel->session_count = run->session_count;
        }
        run->result_count = run->session_count = 0; /* the baseline owns the run's results and sessions now */
        run->sessions = NULL;
        result = merge_notes(baseline, &files.list[i]);
    }
    if (result == 0) {
        struct run *first = &files.list[0].run;
        baseline->device = first->device;
        first->device = (struct device){0};
    } else {
        run_release(baseline);
    }
    return result;
}

/* Returns the path of the first run file in the folder, or at most `depth` below it; or NULL. Caller frees. */
static char *first_file(const char *folder, int depth)
{
    OWNED_MEMORY struct dirent **entries = NULL;
    char *found = NULL;
    const int count = scandir(folder, &entries, is_visible, by_entry_name);
    for (int i = 0; i < count; i++) {
        OWNED_TEXT path = x_sprintf("%s/%s", folder, entries[i]->d_name);
        if (!found && is_run_file(entries[i]->d_name))
            found = x_strdup(path);
        else if (!found && depth > 0)
            found = first_file(path, depth - 1); /* first_file returns NULL when path is no folder */
        free(entries[i]);
    }
    return found;
}

static int add_device(struct baseline_devices *devices, const char *name, const char *path)
{
    OWNED(run) run = {0};
    TRY(run_read(&run, path));
    *ARRAY_GROW(devices->list, devices->count) = (struct baseline_device){x_strdup(name), run.device};
    run.device = (struct device){0};
    return 0;
}

int baseline_devices_read(struct baseline_devices *devices, const char *baselines)
{
    OWNED_MEMORY struct dirent **entries = NULL;
    int result = 0;
    *devices = (struct baseline_devices){0};
    const int count = scandir(baselines, &entries, is_visible, by_entry_name);
    if (count < 0 && errno != ENOENT)
        return error("cannot read the baseline folder %s: %s; pass the right folder with --baselines", baselines,
                     strerror(errno));
    for (int i = 0; i < count; i++) {
        OWNED_TEXT folder = x_sprintf("%s/%s", baselines, entries[i]->d_name);
        OWNED_TEXT path = result == 0 ? first_file(folder, 1) : NULL;
        if (path)
            result = add_device(devices, entries[i]->d_name, path);
        free(entries[i]);
    }
    if (result < 0)
        baseline_devices_release(devices);
    return result;
}

void baseline_devices_release(struct baseline_devices *devices)
{
    for (size_t i = 0; i < devices->count; i++) {
        free(devices->list[i].folder);
        free(devices->list[i].device.name);
        free(devices->list[i].device.compute_capability);
    }
    free(devices->list);
    *devices = (struct baseline_devices){0};
}
