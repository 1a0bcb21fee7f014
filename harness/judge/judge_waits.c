/* Instructions outside of waits: they stand for the instructions of a kernel where how often a wait looks is chance. A
 * side that has no such row has its instructions, if it was computed and has no such wait; or its source lines, if a
 * GPU counted these. Then lines that wait are left out of both sides. */
#include "judge_parts.h"

static const struct row *instructions_of(const struct sides *sides, const struct result *result)
{
    const struct metrics *metrics = sides->metrics;
    const struct metric *metric = FIND(one, metrics->list, metrics->count, exact_counter_of(one) == EXACT_INSTRUCTIONS);
    return metric ? result_find(result, metric->name) : NULL;
}

static bool has_number(const struct row *row)
{
    return row && row->state == VALUE_MEASURED;
}

static bool was_computed(const struct sides *sides, const struct result *base, const struct row *row)
{
    const char *collector = row->session_count > 0 ? fact_of(sides, base, row, 0, SESSION_COLLECTOR) : NULL;
    return collector && origin_find(collector)->computed;
}

static bool has_counter(const struct result *result, enum line_counter counter)
{
    return result->profile.counted >> counter & 1;
}

/* Sums up the lines of both sides that do not wait. The measured side's are told by those of this run, so there has to
 * be one for each that waits here. The bounds of a sum are as far from it as those of the whole. */
static bool by_lines(const struct pairing *pairing, struct row *was, struct row *is)
{
    const struct profile *now = &pairing->now_result->profile, *base = &pairing->base_result->profile;
    const struct row *whole = pairing->now;
    double sums[2] = {0, profile_total(base, LINE_INSTRUCTIONS)};
    if (!has_number(whole) || !has_counter(pairing->now_result, LINE_OUTSIDE_WAITS) ||
        !has_counter(pairing->now_result, LINE_WAITS) || !has_counter(pairing->base_result, LINE_INSTRUCTIONS))
        return false;
    OWNED_MEMORY const struct profile_line **matched = profile_match(now, base);
    bool known = true;
    for (size_t i = 0; i < now->count; i++) {
        const bool waits = now->list[i].counts[LINE_WAITS] > 0;
        known &= !waits || matched[i];
        sums[0] += waits ? 0 : now->list[i].counts[LINE_OUTSIDE_WAITS];
        sums[1] -= waits && matched[i] ? matched[i]->counts[LINE_INSTRUCTIONS] : 0;
    }
    if (!known)
        return false;
    const struct session_samples *of = &whole->sessions[0];
    OWNED_MEMORY double *bounds = x_calloc(of->count, sizeof *bounds);
    for (size_t i = 0; i < of->count; i++)
        bounds[i] = sums[0] + of->samples[i] - row_value(whole);
    row_add_session(is, bounds, of->count);
    is->sessions[0].session = of->session;
    row_add_session(was, &sums[1], 1);
    was->metric = is->metric = whole->metric;
    return true;
}

bool stand_for_instructions(struct pairing *pairing, struct row *was, struct row *is)
{
    const struct row *base = instructions_of(pairing->sides, pairing->base_result),
                     *now = instructions_of(pairing->sides, pairing->now_result);
    if (has_number(base) && has_number(now))
        return false;
    if (!pairing->now)
        pairing->now = now;
    if (!pairing->base && has_number(base) && was_computed(pairing->sides, pairing->base_result, base))
        pairing->base = base;
    else if (!pairing->base && by_lines(pairing, was, is)) {
        pairing->base = was;
        pairing->now = is;
    }
    return true;
}

void excuse_instructions(struct comparison *comparison, size_t first)
{
    struct judgement *rows = comparison->list + first;
    const size_t count = comparison->count - first;
    const bool judged =
        ANY(i, count, rows[i].compared && rows[i].metric && is_computed(rows[i].metric, COMPUTED_OUTSIDE_WAITS));
    EACH(struct judgement, judgement, rows, count) {
        if (!judged || judgement->verdict != VERDICT_UNSURE || !judgement->metric || judgement->compared ||
            exact_counter_of(judgement->metric) != EXACT_INSTRUCTIONS)
            continue;
        judgement->verdict = VERDICT_INFO;
        set_reason(judgement,
                   "not judged, because the number of polls varies by chance; see the instructions outside waits");
    }
}
