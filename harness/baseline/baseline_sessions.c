/* The sessions of one kernel's file: from which of them a new value is, and which are still needed. */

#include "baseline_files.h"

ORDER_OF(by_place, size_t)

/* Returns the sorted indices of the sessions that a row's values are from. Caller frees. */
static size_t *places_of(const struct row *row)
{
    size_t *places = x_calloc(row->session_count, sizeof *places);
    for (size_t i = 0; i < row->session_count; i++)
        places[i] = row->sessions[i].session;
    SORT(places, row->session_count, by_place);
    return places;
}

void baseline_forget_known(const struct row *old, struct row *fresh)
{
    size_t *known = places_of(old), kept = 0;
    EACH(struct session_samples, session, fresh->sessions, fresh->session_count) {
        if (bsearch(&session->session, known, old->session_count, sizeof *known, by_place))
            free(session->samples);
        else
            fresh->sessions[kept++] = *session;
    }
    fresh->session_count = kept;
    free(known);
}

/* Adds the reason for accepting to a session that is there already. */
static void add_reason(struct session *session, const char *reason)
{
    char **old = &session->facts[SESSION_REASON];
    if (!*old || !strstr(*old, reason))
        x_append(old, "; ", "%s", reason);
}

/* Adds a session in the form that a baseline file keeps. */
static void add_session(struct run *run, const struct session *session, const char *reason)
{
    struct session *added = ARRAY_GROW(run->sessions, run->session_count);
    session_copy(added, session);
    free(added->facts[SESSION_REASON]);
    added->facts[SESSION_REASON] = x_strdup(reason);
    memset(added->roofs, 0, sizeof added->roofs); /* judging does not need a session's peaks */
}

/* Returns the index, among all candidates' sessions, of the newest session that measured the kernel. It tells when the
 * kernel was accepted if no value does. */
static size_t newest_candidate(const struct merging *merging, const char *kernel)
{
    size_t newest = 0, place = 0;
    for (size_t i = 0; i < merging->count; i++) {
        const struct run *run = merging->candidates[i].run;
        place += run->session_count;
        if (run_find(run, kernel))
            newest = place - 1;
    }
    return newest;
}

/* Returns the sorted indices, among all candidates' sessions, of those that the kernel's new values are from, and of
 * the newest. Caller frees. */
static size_t *used_places(const struct merging *merging, const struct result *fresh, size_t *count)
{
    size_t *places = NULL, all = 0;
    *ARRAY_GROW(places, all) = newest_candidate(merging, fresh->id);
    for (size_t i = 0; i < fresh->row_count; i++)
        for (size_t k = 0; k < fresh->rows[i].session_count; k++)
            *ARRAY_GROW(places, all) = fresh->rows[i].sessions[k].session;
    SORT(places, all, by_place);
    *count = 0;
    for (size_t i = 0; i < all; i++)
        if (*count == 0 || places[*count - 1] != places[i])
            places[(*count)++] = places[i];
    return places;
}

/* Adds these sessions to the file. Returns the index of each in the file. Caller frees. */
static size_t *add_sessions(const struct merging *merging, struct run *run, const size_t *places, size_t count)
{
    const char *reason = merging->acceptance->reason;
    const size_t had = run->session_count;
    struct session *all = x_calloc(had + count, sizeof *all); /* the list is owned, its elements are borrowed */
    size_t *added = x_calloc(count, sizeof *added);
    for (size_t i = 0; i < had; i++)
        all[i] = run->sessions[i];
    for (size_t i = 0; i < count; i++)
        all[had + i] = *merging->sessions[places[i]];
    OWNED_MEMORY size_t *first = first_of_equals(all, had + count, sizeof *all, by_session);
    for (size_t i = 0; i < count; i++) {
        const size_t same = first[had + i];
        if (same < had)
            add_reason(&run->sessions[same], reason);
        else if (same == had + i)
            add_session(run, &all[same], reason);
        added[i] = same < had ? same : same == had + i ? run->session_count - 1 : added[same - had];
    }
    free(all);
    return added;
}

void baseline_add_sessions(const struct merging *merging, struct run *run, struct result *fresh)
{
    size_t count;
    OWNED_MEMORY size_t *places = used_places(merging, fresh, &count);
    OWNED_MEMORY size_t *added = add_sessions(merging, run, places, count);
    for (size_t i = 0; i < fresh->row_count; i++)
        for (size_t k = 0; k < fresh->rows[i].session_count; k++) {
            size_t *place = &fresh->rows[i].sessions[k].session;
            const size_t *found = bsearch(place, places, count, sizeof *places, by_place);
            *place = added[found - places];
        }
}

void baseline_forget_unused(struct run *run, struct result *result)
{
    const size_t count = run->session_count;
    size_t *places = x_calloc(count + 1, sizeof *places); /* for each session 1 if it is used; later its new index */
    size_t kept = 0;
    for (size_t i = 0; i < result->row_count; i++)
        for (size_t k = 0; k < result->rows[i].session_count; k++)
            if (result->rows[i].sessions[k].session < count)
                places[result->rows[i].sessions[k].session] = 1;
    const bool any = ANY(s, count, places[s] > 0);
    for (size_t s = 0; s < count; s++) {
        if (places[s] > 0 || (!any && s + 1 == count)) {
            run->sessions[kept] = run->sessions[s];
            places[s] = kept++;
            continue;
        }
        for (size_t fact = 0; fact < SESSION_FACTS; fact++)
            free(run->sessions[s].facts[fact]);
    }
    run->session_count = kept;
    for (size_t i = 0; i < result->row_count; i++)
        for (size_t k = 0; k < result->rows[i].session_count; k++)
            if (result->rows[i].sessions[k].session < count)
                result->rows[i].sessions[k].session = places[result->rows[i].sessions[k].session];
    free(places);
}
