/* Merges what formats have read: observations of one kernel become its samples, and kernels get their ids. */
#include "import_parts.h"

#include "names/names.h"

#include <xxhash.h>

#define FAMILY_LENGTH 80   /* limits of the parts of an id: a longer part is cut, and ends with a hash of */
#define VARIANT_LENGTH 150 /* the whole; with that, both are within the limits of a run file */

struct observation *import_add(struct import *import, char *key, char *family, char *variant)
{
    struct observation *observation = ARRAY_GROW(import->list, import->count);
    observation->key = key;
    observation->place = import->count - 1;
    observation->session = import->session_count - 1;
    observation->family = family;
    observation->variant = variant;
    return observation;
}

const struct metric *import_metric(const struct import *import, const char *counter)
{
    const struct metrics *metrics = import->request->metrics;
    return FIND(one, metrics->list, metrics->count, metric_has_counter(one, counter));
}

const struct metric *import_needed_metric(const struct import *import, const char *counter)
{
    const struct metric *metric = import_metric(import, counter);
    if (!metric)
        error("no metric has the counter %s, as which times of %s are imported: name another folder with --metrics",
              counter, import->request->format->name);
    return metric;
}

void import_number(struct observation *observation, const struct metric *metric, double number)
{
    char text[32];
    snprintf(text, sizeof text, "%g", number);
    if (isfinite(number) && number >= 0)
        *ARRAY_GROW(observation->readings, observation->reading_count) =
            (struct reading){.metric = metric, .state = VALUE_MEASURED, .number = round_value(number)};
    else
        import_no_number(observation, metric, text);
}

void import_no_number(struct observation *observation, const struct metric *metric, const char *text)
{
    *ARRAY_GROW(observation->readings, observation->reading_count) = (struct reading){
        .metric = metric, .state = VALUE_NOT_COUNTED, .reason = x_sprintf("the file has \"%.64s\"", text)};
}

/* ---- Ids ---- */

char *import_words(const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    char *words = x_calloc(strlen(text) + 2, 1);
    size_t length = 0;
    for (; *text; text++) {
        const bool is_mark = strchr(ID_MARKS, *text);
        if (is_mark && length == 0)
            words[length++] = '_';
        if (is_mark || strchr(plain, *text))
            words[length++] = *text;
        else if (length == 0 || words[length - 1] != '_')
            words[length++] = '_';
    }
    if (length == 0)
        words[length++] = '_';
    return words;
}

static unsigned digits_of(const char *text)
{
    return (unsigned)XXH3_64bits(text, strlen(text));
}

static char *cut(const char *words, size_t limit)
{
    return strlen(words) <= limit ? x_strdup(words) : x_sprintf("%.*s~%08x", (int)limit - 9, words, digits_of(words));
}

/* Prints extents without trailing ones: 4096x1x1 becomes "4096". */
static void put_extents(char text[64], const unsigned of[3])
{
    snprintf(text, 64, of[2] != 1 ? "%ux%ux%u" : of[1] != 1 ? "%ux%u" : "%u", of[0], of[1], of[2]);
}

/* Returns the variant of a launch: its function and its shape, as in <<<4096, 256>>>. */
static char *launch_words(const struct launch *launch, const char *name)
{
    char grid[64], block[64], shared[32] = "";
    if (launch->grid[0] == 0)
        return import_words(name);
    put_extents(grid, launch->grid);
    put_extents(block, launch->block);
    if (launch->shared > 0)
        snprintf(shared, sizeof shared, ",%u", launch->shared);
    OWNED_TEXT whole = x_sprintf("%s@%s,%s%s", name, grid, block, shared);
    return import_words(whole);
}

/* Demangles the names of kernels where they are mangled, and shortens them. */
static void name_launches(struct import *import)
{
    OWNED_MEMORY char ***functions = NULL;
    OWNED_MEMORY struct observation **of = NULL;
    size_t count = 0, same = 0;
    EACH(struct observation, observation, import->list, import->count) {
        if (observation->variant)
            continue;
        *ARRAY_GROW(functions, count) = &observation->launch.function;
        *ARRAY_GROW(of, same) = observation;
    }
    demangle((char **const *)functions, count);
    OWNED_MEMORY const char **whole = x_calloc(count, sizeof *whole);
    OWNED_MEMORY char **names = x_calloc(count, sizeof *names);
    for (size_t i = 0; i < count; i++)
        whole[i] = *functions[i];
    kernel_unique_names(whole, count, names);
    for (size_t i = 0; i < count; i++) {
        of[i]->variant = launch_words(&of[i]->launch, names[i]);
        free(names[i]);
    }
}

/* A kernel: the observations with one key. */
struct group {
    char *id; /* first member, as by_text expects */
    const struct observation *first;
    size_t count;
};

static char *make_id(const struct observation *observation, bool is_alone)
{
    OWNED_TEXT family = cut(observation->family, FAMILY_LENGTH), *variant = cut(observation->variant, VARIANT_LENGTH);
    return is_alone ? x_sprintf("%s/%s", family, variant)
                    : x_sprintf("%s/%s~%08x", family, variant, digits_of(observation->key));
}

/* Gives ids to the groups and sorts them by id. Names that would become equal ids get digits, a hash of the name. */
static int name_groups(const struct import *import, struct group *groups, size_t count)
{
    OWNED_MEMORY bool *shared = x_calloc(count, sizeof *shared);
    for (size_t i = 0; i < count; i++)
        groups[i].id = make_id(groups[i].first, true);
    SORT(groups, count, by_text);
    for (size_t i = 1; i < count; i++)
        if (strcmp(groups[i - 1].id, groups[i].id) == 0)
            shared[i - 1] = shared[i] = true;
    for (size_t i = 0; i < count; i++)
        if (shared[i]) {
            free(groups[i].id);
            groups[i].id = make_id(groups[i].first, false);
        }
    SORT(groups, count, by_text);
    for (size_t i = 1; i < count; i++)
        if (strcmp(groups[i - 1].id, groups[i].id) == 0)
            return error("%s: two kernels would both be named %s: give them more distinct names", import->name,
                         groups[i].id);
    return 0;
}

/* ---- Results ---- */

/* Adds a reading to its row. One reading without a number leaves the row without any; the most severe state counts. */
static void add_reading(struct result *result, const struct reading *reading, size_t session)
{
    struct row *row = result_find(result, reading->metric->name);
    if (!row) {
        row = result_add(result, reading->metric->name);
        row->state = VALUE_MEASURED;
    }
    if (reading->state != VALUE_MEASURED && row->state != VALUE_NOT_COUNTED) {
        row_clear(row);
        row->state = reading->state;
        row->reason = x_strdup(reading->reason);
    }
    if (reading->state != VALUE_MEASURED || row->state != VALUE_MEASURED)
        return;
    if (row->session_count == 0 || row->sessions[row->session_count - 1].session != session)
        ARRAY_GROW(row->sessions, row->session_count)->session = session;
    struct session_samples *last = &row->sessions[row->session_count - 1];
    *ARRAY_GROW(last->samples, last->count) = reading->number;
}

static void note_metrics(struct run *run, const struct result *result, const struct metrics *metrics)
{
    for (size_t i = 0; i < result->row_count; i++)
        if (!run_find_note(run, result->rows[i].metric)) {
            const struct metric_note note = note_of_metric(metrics_find(metrics, result->rows[i].metric));
            run_set_note(run, &note);
        }
}

/* Returns the failed observation of a kernel, which overrides all others. An error overrides a skipped benchmark. */
static const struct observation *find_failed(const struct group *group)
{
    const struct observation *found = NULL;
    EACH(const struct observation, observation, group->first, group->count)
        if (observation->status != RESULT_OK && (!found || found->status == RESULT_NOT_BUILT))
            found = observation;
    return found;
}

/* Refuses two benchmarks with one name: nobody could tell which is which in the next file. */
static int check_order(const struct import *import, const struct group *group)
{
    for (size_t i = 1; i < group->count; i++) {
        const struct observation *before = &group->first[i - 1], *observation = &group->first[i];
        if (before->session == observation->session && before->ordinal >= observation->ordinal)
            return error("%s: two benchmarks are named %s: rename one", import->name, group->id);
    }
    return 0;
}

static void fill_result(struct result *result, const struct group *group)
{
    const struct observation *failed = find_failed(group), *last = &group->first[group->count - 1];
    if (failed) {
        result->status = failed->status;
        result->reason = x_strdup(failed->reason);
    }
    if (last->launch.function && last->launch.grid[0] > 0) {
        struct launch *launch = ARRAY_GROW(result->launches, result->launch_count);
        *launch = last->launch;
        launch->function = x_strdup(last->launch.function);
        launch->times = 1;
    }
    for (size_t i = 0; i < group->count && !failed; i++)
        for (size_t k = 0; k < group->first[i].reading_count; k++)
            add_reading(result, &group->first[i].readings[k], group->first[i].session);
}

static int by_key_and_place(const void *left, const void *right)
{
    const struct observation *a = left, *b = right;
    const int order = strcmp(a->key, b->key);
    return order ? order : (a->place > b->place) - (a->place < b->place);
}

int import_merge(struct import *import, struct run *run)
{
    OWNED_MEMORY struct group *groups = NULL;
    size_t count = 0;
    name_launches(import);
    SORT(import->list, import->count, by_key_and_place);
    for (size_t i = 0; i < import->count; i++) {
        if (i == 0 || strcmp(import->list[i - 1].key, import->list[i].key) != 0)
            ARRAY_GROW(groups, count)->first = &import->list[i];
        groups[count - 1].count++;
    }
    int result = count > 0 ? name_groups(import, groups, count) : 0;
    for (size_t i = 0; i < count && result == 0; i++) {
        struct result *kernel = ARRAY_GROW(run->results, run->result_count);
        kernel->id = x_strdup(groups[i].id);
        result = check_order(import, &groups[i]);
        fill_result(kernel, &groups[i]);
        note_metrics(run, kernel, import->request->metrics);
    }
    for (size_t i = 0; i < count; i++)
        free(groups[i].id);
    return result;
}

void import_release(struct import *import)
{
    EACH(struct observation, observation, import->list, import->count) {
        for (size_t k = 0; k < observation->reading_count; k++)
            free(observation->readings[k].reason);
        free(observation->readings);
        free(observation->launch.function);
        free(observation->reason);
        free(observation->variant);
        free(observation->family);
        free(observation->key);
    }
    free(import->list);
    sessions_release(import->sessions, import->session_count);
    free(import->device.name);
    free(import->device.compute_capability);
    *import = (struct import){0};
}
