/* Accepting in three steps: gather the new rows out of the runs, merge them into the family files in memory, write.
 * Only the last one touches the disk. */
#include "baseline.h"
#include "baseline_files.h"
#include "util.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static const char *collector_of(const struct run *run)
{
    const char *name = run->session_count > 0 ? run->sessions[0].facts[SESSION_COLLECTOR] : NULL;
    return name ? name : "unknown";
}

static int check_sessions(const char *name, const struct run *run, const char *other_name, const struct run *other)
{
    for (size_t i = 0; i < run->session_count; i++)
        for (size_t j = 0; j < other->session_count; j++)
            if (session_is_equal(&run->sessions[i], &other->sessions[j])) {
                error("%s and %s are the same session (%s), which counts once: leave one out", other_name, name,
                      run->sessions[i].facts[SESSION_DATE] ? run->sessions[i].facts[SESSION_DATE] : "no date");
                return EXIT_USAGE;
            }
    return 0;
}

/* Two runs whose rows cannot stand beside each other in a baseline. */
static int check_pair(const char *name, const struct run *run, const char *other_name, const struct run *other)
{
    char difference[512];
    device_difference(&run->device, &other->device, difference, sizeof difference);
    if (*difference) {
        error("%s and %s are of different devices: %s. Accept them one by one", name, other_name, difference);
        return EXIT_BASELINE;
    }
    if (strcmp(collector_of(run), collector_of(other)) != 0) {
        error("%s was measured by the collector %s, but %s by %s: their values have no common meaning", name,
              collector_of(run), other_name, collector_of(other));
        return EXIT_BASELINE;
    }
    return 0;
}

static int check_runs(const struct acceptance *acceptance, const struct run *runs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!runs[i].device.name) {
            error("%s does not say on which GPU it was measured: measure again", acceptance->names[i]);
            return EXIT_USAGE;
        }
        for (size_t j = 0; j < i; j++) {
            int result = check_pair(acceptance->names[i], &runs[i], acceptance->names[j], &runs[j]);
            if (result == 0)
                result = check_sessions(acceptance->names[i], &runs[i], acceptance->names[j], &runs[j]);
            if (result != 0)
                return result;
        }
        for (size_t j = 0; j < runs[i].note_count; j++) {
            const struct metric_note *note = &runs[i].notes[j];
            const struct metric_note *first = run_find_note(&runs[0], note->name);
            if (first && !note_is_equal(first, note)) {
                error("%s defines %s as %s in %s, but %s as %s in %s: measure again with the same metric files",
                      acceptance->names[i], note->name, note->counter, note->unit, acceptance->names[0], first->counter,
                      first->unit);
                return EXIT_BASELINE;
            }
        }
    }
    return 0;
}

/* The collector is no part of a device's key, but a value depends on it all the same. */
static int check_old(const struct baseline_files *files, const struct run *run, const char *name)
{
    for (size_t i = 0; i < files->count; i++) {
        const struct run *old = &files->list[i].run;
        if (old->session_count > 0 && strcmp(collector_of(old), collector_of(run)) != 0) {
            error("%s was measured by the collector %s, but %s by %s: remove the old baseline, or keep this one "
                  "elsewhere "
                  "with --baselines",
                  name, collector_of(run), files->list[i].path, collector_of(old));
            return EXIT_BASELINE;
        }
    }
    return 0;
}

static bool is_fresh(const struct run *fresh, const char *id, const char *metric)
{
    const struct result *result = run_find(fresh, id);
    return result && result_find(result, metric);
}

/* Rows of an old definition that would stay beside rows of a new one. */
static int check_notes(const struct baseline_files *files, const struct run *fresh)
{
    for (size_t f = 0; f < files->count; f++) {
        const struct run *old = &files->list[f].run;
        for (size_t n = 0; n < old->note_count; n++) {
            const struct metric_note *note = run_find_note(fresh, old->notes[n].name);
            if (!note || note_is_equal(note, &old->notes[n]))
                continue;
            for (size_t i = 0; i < old->result_count; i++) {
                const char *id = old->results[i].id;
                if (!result_find(&old->results[i], note->name) || is_fresh(fresh, id, note->name))
                    continue;
                error("%s is now %s in %s, but %s holds %s of %s as %s in %s: accept that row as well, or remove the "
                      "kernel from the file when it is gone",
                      note->name, note->counter, note->unit, files->list[f].path, note->name, id, old->notes[n].counter,
                      old->notes[n].unit);
                return EXIT_BASELINE;
            }
        }
    }
    return 0;
}

/* Whether sessions of the baseline before still have a row in the file. */
static bool keeps_old_rows(const struct run *old, const struct run *fresh)
{
    for (size_t i = 0; i < old->result_count; i++)
        for (size_t j = 0; j < old->results[i].row_count; j++)
            if (!is_fresh(fresh, old->results[i].id, old->results[i].rows[j].metric))
                return true;
    return false;
}

static bool holds_metric(const struct run *run, const char *metric)
{
    for (size_t i = 0; i < run->result_count; i++)
        if (result_find(&run->results[i], metric))
            return true;
    return false;
}

/* Moves the fresh rows of a kernel into its family's run. */
static void merge_result(struct run *run, struct result *fresh, bool all_metrics)
{
    bool is_new = !run_find(run, fresh->id);
    struct result *result = run_add(run, fresh->id);
    if (is_new || all_metrics)
        result_copy_facts(result, fresh);
    for (size_t i = 0; i < fresh->row_count; i++) {
        struct row *row = result_add(result, fresh->rows[i].metric);
        char *metric = row->metric;
        row_clear(row);
        *row = fresh->rows[i];
        row->metric = metric;
        free(fresh->rows[i].metric);
    }
    fresh->row_count = 0;
}

static void merge_notes(struct run *run, const struct run *fresh)
{
    for (size_t i = 0; i < fresh->note_count; i++)
        run_set_note(run, &fresh->notes[i]);
    for (size_t i = run->note_count; i-- > 0;)
        if (!holds_metric(run, run->notes[i].name))
            run_remove_note(run, &run->notes[i]);
}

static void add_sessions(struct run *run, const struct run *from, const char *reason)
{
    char *own_reason = x_strdup(reason);
    for (size_t i = 0; i < from->session_count; i++) {
        struct session session = from->sessions[i]; /* borrows */
        session.facts[SESSION_REASON] = own_reason;
        run_add_session(run, &session);
    }
    free(own_reason);
}

static void merge(struct baseline_files *files, struct run *fresh, const struct acceptance *acceptance,
                  const struct run *runs, size_t count)
{
    for (size_t i = 0; i < fresh->result_count; i++)
        baseline_files_add(files, fresh->results[i].id, &runs[0].device)->changed = true;
    for (size_t i = 0; i < files->count; i++) {
        struct run *run = &files->list[i].run;
        if (files->list[i].changed && !keeps_old_rows(run, fresh))
            run_forget_sessions(run);
    }
    for (size_t i = 0; i < fresh->result_count; i++) {
        struct result *result = &fresh->results[i];
        struct run *run = &baseline_files_add(files, result->id, NULL)->run;
        merge_result(run, result, acceptance->metric_count == 0);
        for (size_t j = 0; j < count; j++)
            if (run_find(&runs[j], result->id))
                add_sessions(run, &runs[j], acceptance->reason);
    }
    for (size_t i = 0; i < files->count; i++)
        if (files->list[i].changed)
            merge_notes(&files->list[i].run, fresh);
}

/* Writes every changed file beside its place, and only when all of them are on the disk puts them there. */
static int write_files(const struct baseline_files *files)
{
    int result = -1;
    size_t opened = 0;
    size_t done = 0;
    struct whole_file *pending = x_calloc(files->count, sizeof *pending);
    if (make_folders(files->folder) < 0)
        goto out;
    for (size_t i = 0; i < files->count; i++) {
        struct whole_file *file = &pending[opened];
        if (!files->list[i].changed)
            continue;
        if (whole_file_open(file, files->list[i].path) < 0)
            goto out;
        opened++;
        errno = 0;
        if (run_write(&files->list[i].run, file->stream) < 0 || fsync(fileno(file->stream)) < 0) {
            error("cannot write %s: %s; the baseline is as it was", files->list[i].path, strerror(errno));
            goto out;
        }
    }
    for (; done < opened; done++)
        if (whole_file_commit(&pending[done]) < 0) {
            done++;
            goto out;
        }
    result = 0;
out:
    for (; done < opened; done++)
        whole_file_abandon(&pending[done]);
    free(pending);
    return result;
}

/* Two accepts at once must not lose each other's rows. The lock ends when the descriptor is closed. */
static int lock_folder(const char *folder)
{
    if (make_folders(folder) < 0)
        return -1;
    const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0 && flock(descriptor, LOCK_EX) == 0)
        return descriptor;
    if (descriptor >= 0)
        close(descriptor);
    return error("cannot lock %s: %s", folder, strerror(errno));
}

int baseline_accept(const struct acceptance *acceptance, const struct run *runs, size_t count,
                    struct accepted *accepted)
{
    struct baseline_files files = {0};
    struct run fresh = {0};
    *accepted = (struct accepted){0};
    if (count == 0)
        BUG("nothing to accept");
    int lock = -1;
    int result = check_runs(acceptance, runs, count);
    if (result == 0)
        result = baseline_gather(&fresh, acceptance, runs, count);
    if (result == 0 && (lock = lock_folder(acceptance->baselines)) < 0)
        result = EXIT_USAGE;
    if (result == 0)
        result = baseline_files_read(&files, acceptance->baselines, &runs[0].device);
    if (result == 0)
        result = check_old(&files, &runs[0], acceptance->names[0]);
    if (result == 0)
        result = check_notes(&files, &fresh);
    if (result == 0) {
        accepted->kernels = fresh.result_count;
        for (size_t i = 0; i < fresh.result_count; i++)
            accepted->rows += fresh.results[i].row_count;
        merge(&files, &fresh, acceptance, runs, count);
        if (write_files(&files) < 0)
            result = EXIT_USAGE;
    }
    if (result != 0)
        *accepted = (struct accepted){0};
    if (lock >= 0)
        close(lock);
    run_release(&fresh);
    baseline_files_release(&files);
    return result;
}
