/* Reads what Nsight Compute prints as CSV. Of its raw page, ncu --csv --page raw, a line is a launch. Without --page a
 * line is a metric of one, and lines of one ID are a launch. Launches of one kernel with the same shape become its
 * samples.
 *
 *     ==PROF== Connected to process 4711
 *     "ID","Process ID","Process Name","Host Name","Kernel Name",...,"Block Size","Grid
 * Size",...,"CC","gpu__time_...",...
 *     "","","","","",...,"","",...,"","us",...
 *     "0","4711","app","127.0.0.1","scale(float *, int)",...,"(256, 1, 1)","(4096, 1, 1)",...,"9.0","12.50",...
 *
 *     "ID","Process ID","Process Name","Host Name","Kernel Name",...,"Metric Name","Metric Unit","Metric Value"
 *     "0","4711","app","127.0.0.1","scale(float *, int)",...,"gpu__time_duration.sum","us","12.50" */
#include "csv.h"
#include "import_parts.h"
#include "ncu_unit.h"

/* The columns that are no counters. */
enum column {
    COLUMN_ID,
    COLUMN_PROCESS,
    COLUMN_HOST,
    COLUMN_KERNEL,
    COLUMN_BLOCK,
    COLUMN_GRID,
    COLUMN_DEVICE,
    COLUMN_CAPABILITY,
    COLUMN_GPU,
    COLUMN_SMS,
    COLUMN_SHARED,
    COLUMN_METRIC,
    COLUMN_UNIT,
    COLUMN_VALUE,
    COLUMNS
};

static const char *const titles[COLUMNS] = {
    [COLUMN_ID] = "ID",
    [COLUMN_PROCESS] = "Process Name",
    [COLUMN_HOST] = "Host Name",
    [COLUMN_KERNEL] = "Kernel Name",
    [COLUMN_BLOCK] = "Block Size",
    [COLUMN_GRID] = "Grid Size",
    [COLUMN_DEVICE] = "Device",
    [COLUMN_CAPABILITY] = "CC",
    [COLUMN_GPU] = "device__attribute_display_name",
    [COLUMN_SMS] = "device__attribute_multiprocessor_count",
    [COLUMN_SHARED] = "launch__shared_mem_per_block_dynamic",
    [COLUMN_METRIC] = "Metric Name",
    [COLUMN_UNIT] = "Metric Unit",
    [COLUMN_VALUE] = "Metric Value",
};

/* What the details page calls counters. Others of its names stand for another counter in each version of ncu. */
static const struct {
    const char *name, *counter;
} details[] = {
    {"Duration", "gpu__time_duration.sum"},
    {"Achieved Occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active"},
    {"Executed Instructions", "smsp__inst_executed.sum"},
    {"L1/TEX Hit Rate", "l1tex__t_sector_hit_rate.pct"},
};

struct counter {
    size_t column;
    const struct metric *metric;
    double scale;
};

struct ncu {
    struct import *import;
    struct csv csv;
    size_t width;           /* number of fields in a row */
    size_t places[COLUMNS]; /* for each enum column its index in the file; SIZE_MAX where it is missing */
    double shared_scale;    /* factor to bytes for shared memory; 0: unknown unit */
    struct counter *counters;
    size_t counter_count;
    char *device;               /* device of the launches before */
    bool by_metric;             /* a line is a metric */
    char *id;                   /* of the launch of the line before, where it is */
    struct observation *launch; /* that launch; NULL: there is none yet */
    size_t known;               /* lines whose metric the metric files have */
};

/* Returns a field of the current row; NULL when the column is missing. */
static const char *field(const struct ncu *ncu, enum column column)
{
    return ncu->places[column] < ncu->csv.count ? ncu->csv.fields[ncu->places[column]] : NULL;
}

/* Skips lines that are no rows. ncu prints its own before, behind and (for errors) between the rows; the program prints
 * before them. */
static int skip_others(struct ncu *ncu, const char *begin)
{
    static const char failed[] = "==ERROR==";
    struct csv *csv = &ncu->csv;
    while (csv_has_more(csv) && strncmp(csv->rest, begin, strlen(begin)) != 0) {
        const int length = (int)strcspn(csv->rest, "\r\n");
        if (strncmp(csv->rest, failed, strlen(failed)) == 0)
            return error("%s:%zu: ncu failed, so its output is incomplete: %.*s", csv->name, csv->line, length,
                         csv->rest);
        if (ncu->width > 0 && length > 0 && strncmp(csv->rest, "==", 2) != 0)
            return error("%s:%zu: is not a row of the table: \"%.*s\"", csv->name, csv->line, length > 64 ? 64 : length,
                         csv->rest);
        csv_skip_line(csv);
    }
    return 0;
}

/* Refuses a second column of the same name, because the two could differ. */
static int expect_once(const struct csv *csv, size_t column)
{
    const char *const *titles_read = (const char *const *)csv->fields;
    return name_index(csv->fields[column], titles_read, column) == column
               ? 0
               : error("%s:%zu: the table has the column \"%s\" twice: print it again, with a single ncu", csv->name,
                       csv->line - 1, csv->fields[column]);
}

static bool has_counter(const struct ncu *ncu, const struct metric *metric)
{
    return ANY(i, ncu->counter_count, ncu->counters[i].metric == metric);
}

static int read_head(struct ncu *ncu)
{
    static const char begin[] = "\"ID\",";
    struct csv *csv = &ncu->csv;
    TRY(skip_others(ncu, begin));
    if (!csv_has_more(csv))
        return error("%s has no ncu table: it should be output of `ncu --csv`", csv->name);
    TRY(csv_read(csv));
    ncu->width = csv->count;
    for (enum column c = 0; c < COLUMNS; c++) {
        const size_t place = name_index(titles[c], (const char *const *)csv->fields, csv->count);
        ncu->places[c] = place < csv->count ? place : SIZE_MAX;
    }
    for (size_t i = 0; i < csv->count; i++) {
        const struct metric *metric = import_metric(ncu->import, csv->fields[i]);
        const bool is_read = metric || name_index(csv->fields[i], titles, COLUMNS) < COLUMNS;
        if (is_read && expect_once(csv, i) < 0)
            return -1;
        if (metric && !has_counter(ncu, metric)) /* when two counters are of one metric, the first one */
            *ARRAY_GROW(ncu->counters, ncu->counter_count) = (struct counter){i, metric, 1};
    }
    if (ncu->places[COLUMN_KERNEL] == SIZE_MAX)
        return error("%s:%zu: the table has no column \"%s\"", csv->name, csv->line - 1, titles[COLUMN_KERNEL]);
    ncu->by_metric = ncu->places[COLUMN_METRIC] != SIZE_MAX;
    if (ncu->by_metric && (ncu->places[COLUMN_ID] == SIZE_MAX || ncu->places[COLUMN_UNIT] == SIZE_MAX ||
                           ncu->places[COLUMN_VALUE] == SIZE_MAX))
        return error(
            "%s:%zu: the table has one metric per line, but lacks one of the columns \"%s\", \"%s\" and \"%s\"",
            csv->name, csv->line - 1, titles[COLUMN_ID], titles[COLUMN_UNIT], titles[COLUMN_VALUE]);
    if (ncu->counter_count == 0 && !ncu->by_metric)
        return error("%s: none of its columns is a counter of the metric files, for example gpu__time_duration.sum; "
                     "`cugate list metrics` lists them all, for ncu --metrics",
                     csv->name);
    return 0;
}

/* On the details page a line of a metric ends before the columns of rules. */
static int expect_width(const struct ncu *ncu, size_t line)
{
    const bool is_short = ncu->by_metric && field(ncu, COLUMN_VALUE) && field(ncu, COLUMN_UNIT);
    return ncu->csv.count == ncu->width || (is_short && ncu->csv.count < ncu->width)
               ? 0
               : error("%s:%zu: has %zu fields, but the table has %zu columns", ncu->csv.name, line, ncu->csv.count,
                       ncu->width);
}

static int read_unit(const struct ncu *ncu, size_t line, const char *unit, struct counter *counter)
{
    return ncu_unit(unit, counter->metric->unit, &counter->scale)
               ? 0
               : error("%s:%zu: the unit of %s is \"%.32s\", which is not a unit of %s in %s: use --print-units base",
                       ncu->csv.name, line, counter->metric->name, unit, counter->metric->name, counter->metric->unit);
}

static int read_units(struct ncu *ncu)
{
    const size_t line = ncu->csv.line;
    TRY(skip_others(ncu, "\""));
    if (!csv_has_more(&ncu->csv))
        return error("%s has no launch, so ncu profiled no kernel", ncu->csv.name);
    if (csv_read(&ncu->csv) < 0 || expect_width(ncu, line) < 0)
        return -1;
    if (*field(ncu, COLUMN_ID))
        return error("%s:%zu: the row of units after the titles is missing", ncu->csv.name, line);
    for (size_t i = 0; i < ncu->counter_count; i++)
        TRY(read_unit(ncu, line, ncu->csv.fields[ncu->counters[i].column], &ncu->counters[i]));
    const char *shared = field(ncu, COLUMN_SHARED);
    if (!shared || !ncu_unit(shared, "B", &ncu->shared_scale))
        ncu->shared_scale = 0;
    return 0;
}

/* Parses extents such as "(4096, 1, 1)"; older versions print them without brackets. */
static bool read_extents(const char *text, unsigned extents[3])
{
    text += *text == '(';
    for (size_t i = 0; i < 3; i++) {
        char *end;
        text += strspn(text, " ");
        const unsigned long long number = strtoull(text, &end, 10);
        if (*text < '1' || *text > '9' || number > UINT32_MAX || (i < 2 && *end != ','))
            return false;
        extents[i] = (unsigned)number;
        text = end + (i < 2);
    }
    return strcmp(text, ")") == 0 || !*text;
}

static int read_launch(const struct ncu *ncu, size_t line, struct launch *launch)
{
    const char *grid = field(ncu, COLUMN_GRID), *block = field(ncu, COLUMN_BLOCK);
    const char *shared = field(ncu, COLUMN_SHARED);
    double bytes;
    launch->function = x_strdup(field(ncu, COLUMN_KERNEL));
    if (!*launch->function)
        return error("%s:%zu: names no kernel", ncu->csv.name, line);
    if (grid && block && (!read_extents(grid, launch->grid) || !read_extents(block, launch->block)))
        return error("%s:%zu: \"%.64s\" and \"%.64s\" are not a grid and a block", ncu->csv.name, line, grid, block);
    if (!shared || !ncu_number(shared, &bytes) || bytes == 0)
        return 0;
    if (ncu->shared_scale != 1 || bytes < 0 || bytes > UINT32_MAX)
        return error(
            "%s:%zu: shared memory of \"%.32s\" is not an exact number of bytes: print it with --print-units base",
            ncu->csv.name, line, shared);
    launch->shared = (unsigned)bytes;
    return 0;
}

/* Whether a ratio has no meaning because its weight was counted and is 0. */
static bool is_of_nothing(const struct observation *observation, const struct metric *metric)
{
    for (size_t i = 0; metric->weight && i < observation->reading_count; i++) {
        const struct reading *reading = &observation->readings[i];
        if (strcmp(reading->metric->name, metric->weight) == 0)
            return reading->state == VALUE_MEASURED && reading->number == 0;
    }
    return false;
}

/* Reads a number. In some languages a point stands between thousands, so that 18.980 ns are 19 us: what is a whole
 * number, and has a point with three digits behind it, is refused. */
static int read_number(const struct ncu *ncu, size_t line, const struct counter *counter, const char *text,
                       struct observation *observation)
{
    double number;
    const char *const point = strchr(text, '.');
    const bool whole =
        counter->scale == 1 && (strcmp(counter->metric->unit, "ns") == 0 || strcmp(counter->metric->unit, "B") == 0 ||
                                strcmp(counter->metric->unit, "count") == 0);
    if (whole && point && point > text && point - text <= 3 && strlen(point) == 4 &&
        strspn(point + 1, "0123456789") == 3)
        return error("%s:%zu: %s is %s, which may have a thousands separator: print it again with LC_ALL=C",
                     ncu->csv.name, line, counter->metric->name, text);
    if (ncu_number(text, &number))
        import_number(observation, counter->metric, number * counter->scale);
    else
        import_no_number(observation, counter->metric, text);
    return 0;
}

static int read_counters(const struct ncu *ncu, size_t line, struct observation *observation)
{
    for (size_t i = 0; i < ncu->counter_count; i++)
        TRY(read_number(ncu, line, &ncu->counters[i], ncu->csv.fields[ncu->counters[i].column], observation));
    return 0;
}

/* Of a launch that is read whole: ratios of nothing do not apply. */
static void settle_ratios(struct observation *observation)
{
    EACH(struct reading, reading, observation->readings, observation->reading_count) {
        if (reading->state != VALUE_NOT_COUNTED || !is_of_nothing(observation, reading->metric))
            continue;
        free(reading->reason);
        reading->reason = NULL;
        reading->state = VALUE_NOT_APPLICABLE;
    }
}

static bool has_reading(const struct observation *observation, const struct metric *metric)
{
    return ANY(i, observation->reading_count, observation->readings[i].metric == metric);
}

/* Reads the metric of a line. Of two counters of one metric the first one is taken. */
static int read_metric(struct ncu *ncu, size_t line, struct observation *observation)
{
    const char *name = field(ncu, COLUMN_METRIC);
    for (size_t i = 0; i < ARRAY_SIZE(details); i++)
        name = strcmp(name, details[i].name) == 0 ? details[i].counter : name;
    struct counter counter = {0, import_metric(ncu->import, name), 1};
    if (!counter.metric || has_reading(observation, counter.metric))
        return 0;
    ncu->known++;
    return read_unit(ncu, line, field(ncu, COLUMN_UNIT), &counter) < 0
               ? -1
               : read_number(ncu, line, &counter, field(ncu, COLUMN_VALUE), observation);
}

/* Takes a text of the row that must be the same in all rows. */
static int take_text(const struct ncu *ncu, size_t line, enum column column, char **text)
{
    const char *found = field(ncu, column);
    if (!found || !*found)
        return 0;
    if (*text && strcmp(*text, found) != 0)
        return error(
            "%s:%zu: is from %s %.64s, but earlier rows are from %.64s: profile one GPU per file, with --devices",
            ncu->csv.name, line, titles[column], found, *text);
    if (!*text)
        *text = x_strdup(found);
    return 0;
}

static int read_row(struct ncu *ncu, struct device *device, struct session *session)
{
    const size_t line = ncu->csv.line;
    double sms;
    if (csv_read(&ncu->csv) < 0 || expect_width(ncu, line) < 0 ||
        take_text(ncu, line, COLUMN_DEVICE, &ncu->device) < 0 ||
        take_text(ncu, line, COLUMN_CAPABILITY, &device->compute_capability) < 0 ||
        take_text(ncu, line, COLUMN_GPU, &device->name) < 0)
        return -1;
    const char *host = field(ncu, COLUMN_HOST), *count = field(ncu, COLUMN_SMS);
    if (host && *host && !session->facts[SESSION_HOST])
        session->facts[SESSION_HOST] = x_strdup(host);
    if (count && ncu_number(count, &sms) && sms >= 1 && sms < 1e6)
        device->sm_count = (long long)sms;
    const char *process = field(ncu, COLUMN_PROCESS), *id = field(ncu, COLUMN_ID);
    process = process && *process ? process : "program";
    if (ncu->launch && id && strcmp(ncu->id, id) == 0)
        return read_metric(ncu, line, ncu->launch);
    struct launch launch = {0};
    if (read_launch(ncu, line, &launch) < 0) {
        free(launch.function);
        return -1;
    }
    char *key = x_sprintf("%s\n%s\n%u %u %u %u %u %u %u", process, launch.function, launch.grid[0], launch.grid[1],
                          launch.grid[2], launch.block[0], launch.block[1], launch.block[2], launch.shared);
    struct observation *observation = import_add(ncu->import, key, import_words(process), NULL);
    observation->ordinal = (long long)observation->place; /* a kernel may have many launches */
    observation->launch = launch;
    if (!ncu->by_metric)
        return read_counters(ncu, line, observation);
    free(ncu->id);
    ncu->id = x_strdup(id);
    ncu->launch = observation;
    return read_metric(ncu, line, observation);
}

int import_ncu(struct import *import, const char *text, size_t length, struct device *device, struct session *session)
{
    struct ncu ncu = {.import = import};
    const size_t first = import->count;
    int result = csv_open(&ncu.csv, import->name, text, length);
    if (result == 0)
        result = read_head(&ncu);
    if (result == 0 && !ncu.by_metric)
        result = read_units(&ncu);
    while (result == 0) {
        result = skip_others(&ncu, "\"");
        if (result < 0 || !csv_has_more(&ncu.csv))
            break;
        result = read_row(&ncu, device, session);
    }
    for (size_t i = first; i < import->count; i++)
        settle_ratios(&import->list[i]);
    if (result == 0 && ncu.by_metric && ncu.known == 0)
        result = error("%s: none of its metrics is a counter of the metric files, for example gpu__time_duration.sum; "
                       "`cugate list metrics` lists them all, for ncu --metrics",
                       import->name);
    free(ncu.id);
    free(ncu.device);
    free(ncu.counters);
    csv_release(&ncu.csv);
    return result;
}
