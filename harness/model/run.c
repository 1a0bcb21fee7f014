#include "run.h"

void shard_release(struct shard *shard)
{
    free_texts(shard->kernels, shard->kernel_count);
    free(shard->code);
    *shard = (struct shard){0};
}

void run_release(struct run *run)
{
    for (size_t i = 0; i < run->result_count; i++)
        result_release(&run->results[i]);
    run_forget_sessions(run);
    run_forget_notes(run);
    shard_release(&run->shard);
    free(run->results);
    free(run->device.name);
    free(run->device.compute_capability);
    *run = (struct run){0};
}

struct result *run_find(const struct run *run, const char *id)
{
    return find_by_name(run->results, run->result_count, sizeof *run->results, id);
}

struct result *run_add(struct run *run, const char *id)
{
    const size_t place = place_of_name(run->results, run->result_count, sizeof *run->results, id);
    if (place < run->result_count && strcmp(run->results[place].id, id) == 0)
        return &run->results[place];
    struct result *result = ARRAY_INSERT(run->results, run->result_count, place);
    result->id = x_strdup(id);
    return result;
}

void run_add_like(struct run *run, const struct run *from, char *const *globs, size_t glob_count)
{
    OWNED_MEMORY const char **missing = NULL;
    size_t count = 0;
    for (size_t i = 0; i < from->result_count; i++)
        if (glob_any(globs, glob_count, from->results[i].id) && !run_find(run, from->results[i].id))
            *ARRAY_GROW(missing, count) = from->results[i].id;
    for (size_t i = 0; i < count; i++)
        ARRAY_GROW(run->results, run->result_count)->id = x_strdup(missing[i]);
    if (count > 0)
        SORT(run->results, run->result_count, by_text);
}

size_t run_keep(struct run *run, const bool *kept)
{
    const size_t before = run->result_count;
    run->result_count = 0;
    for (size_t i = 0; i < before; i++)
        if (kept[i])
            run->results[run->result_count++] = run->results[i];
        else
            result_release(&run->results[i]);
    return before - run->result_count;
}

void run_filter(struct run *run, char *const *globs, size_t glob_count)
{
    OWNED_MEMORY bool *kept = x_calloc(run->result_count, sizeof *kept);
    for (size_t i = 0; i < run->result_count; i++)
        kept[i] = glob_any(globs, glob_count, run->results[i].id);
    run_keep(run, kept);
}

const char *run_fact(const struct run *run, enum session_fact fact)
{
    return run->session_count > 0 ? run->sessions[run->session_count - 1].facts[fact] : NULL;
}

bool run_has_other_host(const struct run *run, const struct result *base)
{
    const char *now = run_fact(run, SESSION_HOST_CODE), *was = NULL;
    for (size_t i = 0; i < base->session_count; i++) /* the newest is the last */
        was = base->sessions[i].facts[SESSION_HOST_CODE];
    return was && (!now || strcmp(was, now) != 0); /* so it is where it could not be read */
}

static const char *collector_of(const struct session *session)
{
    const char *name = session->facts[SESSION_COLLECTOR];
    return name ? name : "unknown";
}

const char *run_collector(const struct run *run, const char **other)
{
    const char *first = run->session_count > 0 ? collector_of(&run->sessions[0]) : "unknown";
    *other = NULL;
    for (size_t i = 1; i < run->session_count && !*other; i++)
        if (strcmp(collector_of(&run->sessions[i]), first) != 0)
            *other = collector_of(&run->sessions[i]);
    return first;
}

const struct origin *run_origin(const struct run *run)
{
    const char *other, *collector = run_collector(run, &other);
    return origin_find(other ? NULL : collector);
}

void run_add_session(struct run *run, const struct session *session)
{
    if (!ANY(i, run->session_count, session_is_equal(&run->sessions[i], session)))
        session_copy(ARRAY_GROW(run->sessions, run->session_count), session);
}

const struct session *run_session(const struct run *run, const struct session_samples *samples)
{
    if (run->session_count == 0)
        return NULL;
    return &run->sessions[samples->session < run->session_count ? samples->session : run->session_count - 1];
}

const char *run_row_fact(const struct run *run, const struct row *row, enum session_fact fact)
{
    const struct session *newest = row->session_count > 0   ? run_session(run, &row->sessions[row->session_count - 1])
                                   : run->session_count > 0 ? &run->sessions[run->session_count - 1]
                                                            : NULL;
    return newest ? newest->facts[fact] : NULL;
}

void run_forget_sessions(struct run *run)
{
    sessions_release(run->sessions, run->session_count);
    run->sessions = NULL;
    run->session_count = 0;
}

/* Adds the sessions of `more` to the run. Returns, for each, its index among the sessions of the run. Caller frees. */
static size_t *add_sessions(struct run *run, const struct run *more)
{
    size_t *places = x_calloc(more->session_count + 1, sizeof *places);
    for (size_t i = 0; i < more->session_count; i++) {
        run_add_session(run, &more->sessions[i]);
        while (!session_is_equal(&run->sessions[places[i]], &more->sessions[i]))
            places[i]++;
    }
    return places;
}

static void append_rows(struct result *to, const struct result *from, const size_t *places, size_t count)
{
    EACH(struct row, row, to->rows, to->row_count) {
        const struct row *more = result_find(from, row->metric);
        if (row->state != VALUE_MEASURED || !more || more->state != VALUE_MEASURED)
            continue;
        for (size_t k = 0; k < more->session_count && row->state == VALUE_MEASURED; k++) {
            const size_t place = more->sessions[k].session;
            row_add_session(row, more->sessions[k].samples, more->sessions[k].count);
            if (row->state == VALUE_MEASURED && place < count)
                row->sessions[row->session_count - 1].session = places[place];
        }
    }
}

void run_take(struct run *run, struct run *more)
{
    OWNED_MEMORY size_t *places = add_sessions(run, more);
    for (size_t i = 0; i < more->result_count; i++) {
        struct result *taken = &more->results[i], *result = run_add(run, taken->id);
        for (size_t r = 0; r < taken->row_count; r++)
            for (size_t s = 0; s < taken->rows[r].session_count; s++) {
                size_t *session = &taken->rows[r].sessions[s].session;
                *session = places[*session < more->session_count ? *session : more->session_count - 1];
            }
        result_release(result);
        *result = *taken;
    }
    free(more->results);
    more->results = NULL;
    more->result_count = 0;
    for (size_t i = 0; i < more->note_count; i++)
        run_set_note(run, &more->notes[i]);
}

void run_append(struct run *run, const struct run *more)
{
    OWNED_MEMORY size_t *places = add_sessions(run, more);
    EACH(struct result, result, run->results, run->result_count) {
        const struct result *from = run_find(more, result->id);
        if (from && result->seconds == 0)
            result->seconds = from->seconds;
        if (!from || result->status != RESULT_OK)
            continue;
        if (from->status == RESULT_OK) {
            append_rows(result, from, places, more->session_count);
            result_note_elsewhere(result, from->elsewhere);
            continue;
        }
        result_fail(result, from->status, from->reason);
    }
}

enum exit_code run_exit_code(const struct run *run)
{
    bool any = false, elsewhere = false;
    for (size_t i = 0; i < run->result_count; i++) {
        enum result_status status = run->results[i].status;
        if ((status != RESULT_OK && status != RESULT_NOT_BUILT) || result_failed_rows(&run->results[i]) > 0)
            return EXIT_NOT_MEASURED;
        any |= status == RESULT_OK;
        elsewhere |= run->results[i].elsewhere != NULL;
    }
    return !any ? EXIT_NOT_MEASURED : elsewhere ? EXIT_UNSURE : EXIT_SAME;
}
