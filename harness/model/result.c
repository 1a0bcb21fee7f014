#include "result.h"

/* clang-format off */
static const char *const status_names[RESULT_STATUSES] = {
    [RESULT_OK]        = "ok",
    [RESULT_WRONG]     = "wrong result",
    [RESULT_FAILED]    = "failed",
    [RESULT_CRASHED]   = "crashed",
    [RESULT_HUNG]      = "hung",
    [RESULT_NOT_BUILT] = "not built",
};
/* clang-format on */

const char *result_status_name(enum result_status status)
{
    return status_names[status];
}

bool result_is_not_simulated(const struct result *result)
{
    return result->status == RESULT_FAILED && result->reason &&
           strncmp(result->reason, RESULT_NOT_SIMULATED, strlen(RESULT_NOT_SIMULATED)) == 0;
}

bool result_is_elsewhere(const struct result *result)
{
    return result->status == RESULT_FAILED && result->reason &&
           strncmp(result->reason, RESULT_ELSEWHERE, strlen(RESULT_ELSEWHERE)) == 0;
}

bool row_is_open(const struct row *row)
{
    return row->state == VALUE_NOT_COUNTED && row->reason && strncmp(row->reason, ROW_OPEN, strlen(ROW_OPEN)) == 0;
}

bool result_is_not_computed(const struct result *result)
{
    return result_is_not_simulated(result) || result_is_elsewhere(result) || result->status == RESULT_HUNG;
}

void row_clear(struct row *row)
{
    for (size_t i = 0; i < row->session_count; i++)
        free(row->sessions[i].samples);
    free(row->sessions);
    free(row->pairs);
    free(row->reason);
    if (row->previous) {
        free(row->previous->date);
        free(row->previous->commit);
        free(row->previous->reason);
        free(row->previous);
    }
    char *const metric = row->metric;
    memset(row, 0, sizeof *row);
    row->metric = metric;
    row->state = VALUE_NOT_COUNTED;
}

bool row_is_annotated(const struct row *row)
{
    return row->pair_count > 0 || row->has_readings || row->has_drift_reference || row->previous;
}

void row_add_session(struct row *row, const double *samples, size_t count)
{
    if (count == 0)
        BUG("a session of %s has no sample", row->metric);
    for (size_t i = 0; i < count; i++)
        if (!isfinite(samples[i]) || samples[i] < 0) {
            row_clear(row);
            return;
        }
    struct session_samples *session = ARRAY_GROW(row->sessions, row->session_count);
    session->samples = x_calloc(count, sizeof *session->samples);
    session->count = count;
    session->session = row->session_count - 1;
    memcpy(session->samples, samples, count * sizeof *samples);
    row->state = VALUE_MEASURED;
}

void row_add_pair(struct row *row, double base, double head)
{
    if (!isfinite(base) || !isfinite(head) || base < 0 || head < 0)
        BUG("%s: %g and %g are not a pair", row->metric, base, head);
    *ARRAY_GROW(row->pairs, row->pair_count) = (struct pair){base, head};
}

size_t row_equal_readings(const struct row *row)
{
    size_t count = 0;
    for (size_t i = 0; i < row->session_count; i++)
        for (size_t k = 0; k < row->sessions[i].count; k++, count++)
            if (row->sessions[i].samples[k] != row->sessions[0].samples[0])
                return 0;
    return row->has_readings ? row->readings : count;
}

double row_session_value(const struct row *row, size_t session)
{
    if (session >= row->session_count)
        BUG("%s has no session %zu", row->metric, session);
    return median(row->sessions[session].samples, row->sessions[session].count);
}

double row_value(const struct row *row)
{
    if (row->state != VALUE_MEASURED || row->session_count == 0)
        BUG("%s was not measured, so it has no value", row->metric);
    /* The mean is updated value by value, so that it is exact when all values are equal. */
    long double mean = 0;
    for (size_t i = 0; i < row->session_count; i++)
        mean += ((long double)row_session_value(row, i) - mean) / (long double)(i + 1);
    return (double)mean;
}

void result_forget_inputs(struct result *result)
{
    free(result->inputs);
    result->inputs = NULL;
}

static void release_launches(struct result *result)
{
    for (size_t i = 0; i < result->launch_count; i++) {
        free(result->launches[i].function);
        free(result->launches[i].code);
        free(result->launches[i].mix);
    }
    free(result->launches);
    result->launches = NULL;
    result->launch_count = 0;
    result_forget_inputs(result);
}

static void release_rows(struct result *result)
{
    for (size_t i = 0; i < result->row_count; i++) {
        row_clear(&result->rows[i]);
        free(result->rows[i].metric);
    }
    free(result->rows);
    result->rows = NULL;
    result->row_count = 0;
}

static void parts_release(struct time_part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(parts[i].name);
    free(parts);
}

static void estimated_release(struct estimated_time *estimated)
{
    if (estimated) {
        parts_release(estimated->moved, estimated->moved_count);
        parts_release(estimated->busy, estimated->busy_count);
        free(estimated->model);
        free(estimated->bound_by);
        free(estimated->refused);
    }
    free(estimated);
}

static struct time_part *parts_copy(const struct time_part *from, size_t count)
{
    struct time_part *to = x_calloc(count, sizeof *to);
    for (size_t i = 0; i < count; i++)
        to[i] = (struct time_part){x_strdup(from[i].name), from[i].part};
    return to;
}

static struct estimated_time *estimated_copy(const struct estimated_time *from)
{
    if (!from)
        return NULL;
    struct estimated_time *to = x_calloc(1, sizeof *to);
    *to = *from;
    to->model = x_strdup(from->model);
    to->bound_by = x_strdup(from->bound_by);
    to->refused = x_strdup(from->refused);
    to->moved = parts_copy(from->moved, from->moved_count);
    to->busy = parts_copy(from->busy, from->busy_count);
    return to;
}

void result_release(struct result *result)
{
    release_rows(result);
    release_launches(result);
    profile_release(&result->profile);
    profile_release(&result->base_profile);
    sessions_release(result->sessions, result->session_count);
    free(result->launched_by);
    free(result->unpaired);
    free(result->varies);
    free(result->not_proved);
    estimated_release(result->estimated);
    free(result->doubt);
    free(result->outside);
    free(result->suppressed);
    free(result->near);
    free(result->former_id);
    free(result->elsewhere);
    free(result->reason);
    free(result->id);
    *result = (struct result){0};
}

void result_fail(struct result *result, enum result_status status, const char *reason)
{
    release_rows(result);
    profile_release(&result->profile);
    profile_release(&result->base_profile);
    free(result->elsewhere);
    free(result->reason);
    result->elsewhere = NULL;
    result->status = status;
    result->reason = x_strdup(reason);
}

void result_note_elsewhere(struct result *result, const char *how)
{
    if (!how || (result->elsewhere && strcmp(result->elsewhere, how) == 0))
        return;
    char *both = x_sprintf("%s%s%s", result->elsewhere ? result->elsewhere : "", result->elsewhere ? "; " : "", how);
    free(result->elsewhere);
    result->elsewhere = both;
}

void result_set_session(struct result *result, size_t session)
{
    for (size_t i = 0; i < result->row_count; i++)
        for (size_t k = 0; k < result->rows[i].session_count; k++)
            result->rows[i].sessions[k].session = session;
}

size_t result_session(const struct result *result)
{
    const struct row *first = FIND(row, result->rows, result->row_count, row->session_count > 0);
    return first ? first->sessions[0].session : 0;
}

struct row *result_find(const struct result *result, const char *metric)
{
    return find_by_name(result->rows, result->row_count, sizeof *result->rows, metric);
}

const struct row *result_measured(const struct result *result, const char *metric)
{
    const struct row *row = result && metric ? result_find(result, metric) : NULL;
    return row && row->state == VALUE_MEASURED ? row : NULL;
}

double result_value(const struct result *result, const char *metric)
{
    const struct row *row = result_measured(result, metric);
    return row ? row_value(row) : NAN;
}

struct row *result_add(struct result *result, const char *metric)
{
    const size_t place = place_of_name(result->rows, result->row_count, sizeof *result->rows, metric);
    if (place < result->row_count && strcmp(result->rows[place].metric, metric) == 0)
        return &result->rows[place];
    struct row *row = ARRAY_INSERT(result->rows, result->row_count, place);
    row->metric = x_strdup(metric);
    row->state = VALUE_NOT_COUNTED;
    return row;
}

void result_add_like(struct result *result, const struct result *from, char *const *globs, size_t glob_count)
{
    OWNED_MEMORY const char **missing = NULL;
    size_t count = 0;
    for (size_t i = 0; i < from->row_count; i++)
        if (glob_any(globs, glob_count, from->rows[i].metric) && !result_find(result, from->rows[i].metric))
            *ARRAY_GROW(missing, count) = from->rows[i].metric;
    for (size_t i = 0; i < count; i++)
        *ARRAY_GROW(result->rows, result->row_count) =
            (struct row){.metric = x_strdup(missing[i]), .state = VALUE_NOT_COUNTED};
    if (count > 0)
        SORT(result->rows, result->row_count, by_text);
}

bool result_remove(struct result *result, const char *metric)
{
    struct row *row = result_find(result, metric);
    if (!row)
        return false;
    row_clear(row);
    free(row->metric);
    const size_t after = --result->row_count - (size_t)(row - result->rows);
    memmove(row, row + 1, after * sizeof *row);
    return true;
}

size_t result_uncounted(const struct result *result)
{
    size_t count = 0;
    for (size_t i = 0; i < result->row_count; i++)
        count += result->rows[i].state == VALUE_NOT_COUNTED;
    return count;
}

size_t result_failed_rows(const struct result *result)
{
    size_t count = result_uncounted(result);
    for (size_t i = 0; i < result->row_count; i++)
        count -= row_is_open(&result->rows[i]);
    return count;
}

void result_copy_facts(struct result *to, const struct result *from)
{
    release_launches(to);
    to->bytes = from->bytes;
    to->flops = from->flops;
    if (from->seconds > 0)
        to->seconds = from->seconds;
    for (size_t i = 0; i < from->launch_count; i++) {
        struct launch *launch = ARRAY_GROW(to->launches, to->launch_count);
        *launch = from->launches[i];
        launch->function = x_strdup(from->launches[i].function);
        launch->code = x_strdup(from->launches[i].code);
        launch->mix = x_strdup(from->launches[i].mix);
    }
    to->inputs = x_strdup(from->inputs);
    free(to->launched_by);
    to->launched_by = x_strdup(from->launched_by);
    free(to->varies);
    to->varies = x_strdup(from->varies);
    free(to->not_proved);
    to->not_proved = x_strdup(from->not_proved);
    to->blocks = from->blocks;
    to->blocks_executed = from->blocks_executed;
    free(to->doubt);
    to->doubt = x_strdup(from->doubt);
    free(to->outside);
    to->outside = x_strdup(from->outside);
    free(to->suppressed);
    to->suppressed = x_strdup(from->suppressed);
    estimated_release(to->estimated);
    to->estimated = estimated_copy(from->estimated);
}

static int order_of_launches(const struct launch *a, const struct launch *b)
{
    const bool unknown = !a->code && !b->code;
    const int code = unknown ? order_of_texts(a->function, b->function) : order_of_texts(a->code, b->code);
    const int grid = memcmp(a->grid, b->grid, sizeof a->grid), block = memcmp(a->block, b->block, sizeof a->block);
    const int shared = (a->shared > b->shared) - (a->shared < b->shared);
    const int carve_out = (a->carve_out > b->carve_out) - (a->carve_out < b->carve_out);
    const int times = (a->times > b->times) - (a->times < b->times);
    return code ? code : grid ? grid : block ? block : shared ? shared : carve_out ? carve_out : times;
}

int order_of_code(const struct result *a, const struct result *b)
{
    int order = (a->launch_count > b->launch_count) - (a->launch_count < b->launch_count);
    for (size_t i = 0; i < a->launch_count && order == 0; i++)
        order = order_of_launches(&a->launches[i], &b->launches[i]);
    return order;
}

bool result_has_code(const struct result *result)
{
    bool known = result->launch_count > 0;
    for (size_t i = 0; i < result->launch_count && known; i++)
        known = result->launches[i].code;
    return known;
}

bool result_has_code_of_others(const struct result *result)
{
    return result->launch_count > 0 && ALL(i, result->launch_count, !result->launches[i].code);
}

bool same_code(const struct result *base, const struct result *now)
{
    return result_has_code(base) && order_of_code(base, now) == 0;
}

bool same_inputs(const struct result *base, const struct result *now)
{
    return base->inputs && now->inputs && strcmp(base->inputs, now->inputs) == 0 && same_code(base, now);
}

bool same_work(const struct result *base, const struct result *now, const struct metrics *metrics)
{
    if (base->launch_count == 0 || order_of_code(base, now) != 0)
        return false;
    size_t compared = 0;
    for (size_t m = 0; m < metrics->count; m++) {
        const struct row *was = result_measured(base, metrics->list[m].name);
        const struct row *is = result_measured(now, metrics->list[m].name);
        if (metrics->list[m].class != METRIC_EXACT || !was || !is || row_equal_readings(was) == 0)
            continue;
        if (row_value(was) != row_value(is))
            return false;
        compared++;
    }
    return compared > 0;
}

void result_demangle(struct result *result)
{
    const size_t count = result->launch_count + result->profile.count;
    OWNED_MEMORY char ***names = x_calloc(count, sizeof *names);
    for (size_t i = 0; i < result->launch_count; i++)
        names[i] = &result->launches[i].function;
    for (size_t i = 0; i < result->profile.count; i++)
        names[result->launch_count + i] = &result->profile.list[i].function;
    demangle(names, count);
    profile_sort(&result->profile);
}
