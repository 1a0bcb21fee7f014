/* Chooses which metric files are read, and merges those of several folders into one list. */

#include "metric.h"

#include <errno.h>
#include <sys/stat.h>

#define METRIC_FILE_LIMIT (1u << 20)
#define SUFFIX ".ini"

static int read_metric_file(struct metrics *metrics, const char *path)
{
    OWNED_TEXT text = NULL;
    size_t length;
    TRY(file_read(path, METRIC_FILE_LIMIT, &text, &length));
    return strlen(text) == length ? metrics_read_text(metrics, path, text)
                                  : error("%s contains a NUL byte: it is not a text file", path);
}

static int is_metric_file(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name), suffix = strlen(SUFFIX);
    return entry->d_name[0] != '.' && length > suffix && strcmp(entry->d_name + length - suffix, SUFFIX) == 0;
}

/* Lists the metric files of a folder in byte order. Returns their number, or -1. */
static int list_files(const char *folder, struct dirent ***entries)
{
    *entries = NULL;
    return scandir(folder, entries, is_metric_file, by_entry_name);
}

static void forget_files(struct dirent **entries, int count)
{
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
}

/* Adds the metrics of a folder. `optional` says whether optional files are read as well. */
static int read_folder(struct metrics *metrics, const char *folder, bool optional)
{
    struct dirent **entries;
    const int count = list_files(folder, &entries);
    if (count < 0)
        return error("cannot read the metric files in %s: %s; pass the right folder with --metrics", folder,
                     strerror(errno));
    int result = count > 0 ? 0 : error("%s has no metric files (*.ini); pass the right folder with --metrics", folder);
    const size_t before = metrics->count;
    for (int i = 0; i < count && result == 0; i++) {
        const size_t kept = metrics->count;
        OWNED_TEXT path = x_sprintf("%s/%s", folder, entries[i]->d_name);
        result = read_metric_file(metrics, path);
        if (!optional && metrics->count > kept && metrics->list[kept].optional) /* so is its whole file */
            metrics_cut(metrics, kept);
    }
    if (result == 0 && metrics->count == before)
        result = error("the metric files in %s are all optional or empty: add one with --metrics +%s/%s", folder,
                       folder, entries[0]->d_name);
    forget_files(entries, count);
    return result;
}

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static bool is_there(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0;
}

/* Reports an unknown --metrics +NAME and what it might have meant. */
static int refuse_set(const char *name, const char *shipped)
{
    struct dirent **entries;
    const int count = list_files(shipped, &entries);
    OWNED_MEMORY const char **names = x_calloc(count > 0 ? (size_t)count : 1, sizeof *names);
    OWNED_TEXT all = x_strdup("");
    for (int i = 0; i < count; i++) {
        entries[i]->d_name[strlen(entries[i]->d_name) - strlen(SUFFIX)] = '\0';
        names[i] = entries[i]->d_name;
        x_append(&all, ", ", "%s", names[i]);
    }
    const char *near = count > 0 ? nearest_name(name, names, (size_t)count) : NULL;
    error("--metrics +%s: no such folder or file%s%s%s%s%s", name, near ? "; did you mean +" : "", near ? near : "",
          near ? "?" : "", *all ? (near ? " There are " : "; cugate has ") : "", all);
    forget_files(entries, count > 0 ? count : 0);
    return -1;
}

static int read_set(struct metrics *metrics, const char *name, const char *shipped)
{
    if (is_folder(name))
        return read_folder(metrics, name, false);
    if (is_there(name))
        return read_metric_file(metrics, name);
    OWNED_TEXT path = x_sprintf("%s/%s" SUFFIX, shipped, name);
    return !strchr(name, '/') && is_there(path) ? read_metric_file(metrics, path) : refuse_set(name, shipped);
}

static bool same_laws(const struct laws *a, const struct laws *b)
{
    if (a->count != b->count)
        return false;
    return ALL(i, a->count, strcmp(a->list[i].text, b->list[i].text) == 0);
}

/* Returns the first key in which two definitions differ, or NULL. */
static const char *differing_key(const struct metric *a, const struct metric *b)
{
    const struct {
        const char *key;
        bool differs;
    } keys[] = {
        {"counter", order_of_texts(a->counter, b->counter) != 0},
        {"unit", order_of_texts(a->unit, b->unit) != 0},
        {"class", a->class != b->class},
        {"better", a->better != b->better},
        {"floor", a->floor_absolute != b->floor_absolute || a->floor_relative != b->floor_relative},
        {"weight", order_of_texts(a->weight, b->weight) != 0},
        {"few", a->few != b->few},
        {"clock", order_of_texts(a->clock, b->clock) != 0},
        {"trade", order_of_texts(a->trade, b->trade) != 0},
        {"trades", a->never_paid != b->never_paid},
        {"known", a->follows != b->follows},
        {"law", !same_laws(&a->laws, &b->laws)},
        {"title", order_of_texts(a->title, b->title) != 0},
        {"headline", order_of_texts(a->headline, b->headline) != 0},
        {"doc", order_of_texts(a->doc, b->doc) != 0},
    };
    const size_t i = FIRST(k, ARRAY_SIZE(keys), keys[k].differs);
    return i < ARRAY_SIZE(keys) ? keys[i].key : NULL;
}

/* Moves the metrics of a set into the list. Two different definitions of one name are refused: nobody could tell which
 * one a baseline was judged by. */
static int add_set(struct metrics *metrics, struct metrics *set)
{
    EACH(struct metric, metric, set->list, set->count) {
        const struct metric *there = metrics_find(metrics, metric->name);
        const char *key = there ? differing_key(there, metric) : NULL;
        if (key)
            return error("%s:%d: [%s] is also defined at %s:%d, with another %s: rename or remove one", metric->file,
                         metric->line, metric->name, there->file, there->line, key);
        if (there)
            continue;
        metric->asked = true;
        *ARRAY_GROW(metrics->list, metrics->count) = *metric;
        *metric = (struct metric){0};
    }
    return 0;
}

int metrics_read_sets(struct metrics *metrics, const char *folder, char *const *sets, size_t count, const char *shipped)
{
    *metrics = (struct metrics){0};
    int result = read_folder(metrics, folder, false);
    for (size_t i = 0; i < count && result == 0; i++) {
        OWNED(metrics) set = {0};
        result = read_set(&set, sets[i], shipped);
        if (result == 0)
            result = add_set(metrics, &set);
    }
    if (result == 0)
        result = metrics_check(metrics);
    if (result < 0)
        metrics_release(metrics);
    return result;
}

int metrics_read_folder(struct metrics *metrics, const char *folder)
{
    return metrics_read_sets(metrics, folder, NULL, 0, folder);
}
