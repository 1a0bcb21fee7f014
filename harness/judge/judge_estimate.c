/* Judges a kernel that was computed by the time that its launches are estimated to take (struct estimated_time). Both
 * sides are estimated by the same model, so that most of its error is in both. */
#include "judge_parts.h"

/* The time is no metric of a file: no sample has it, and it is never among measured times. */
static const struct metric estimated_time = {
    .name = (char[]){"estimated_time"},
    .title = (char[]){"Estimated time"},
    .counter = (char[]){""},
    .unit = (char[]){"ns"},
    .doc = (char[]){"Time of the launches, estimated by replaying the warps of one SM. Not measured."},
    .file = (char[]){""},
    .class = METRIC_EXACT,
    .better = METRIC_LOWER,
};

/* ---- The change ---- */

static double part_of(const struct estimated_time *estimated, const char *constant)
{
    const struct time_part *moved =
        FIND(one, estimated->moved, estimated->moved_count, strcmp(one->name, constant) == 0);
    return moved ? moved->part : 1;
}

/* Lets each constant of one side that moves its time be wrong, on both sides alike. */
static void widen(struct estimated_change *change, const struct estimated_time *of, const struct estimated_time *was,
                  const struct estimated_time *now)
{
    for (size_t i = 0; i < of->moved_count; i++) {
        const char *constant = of->moved[i].name;
        const double part = part_of(now, constant) / part_of(was, constant);
        const double factor = exp(RULE_CONSTANTS * fabs(log(part)));
        change->least = fmin(change->least, change->likely / factor);
        change->most = fmax(change->most, change->likely * factor);
    }
}

/* Returns a count; NAN where it was not counted. */
static double count_of(const struct sides *sides, const struct result *result, enum computed_counter counter)
{
    const struct metric *metric = FIND(one, sides->metrics->list, sides->metrics->count, is_computed(one, counter));
    return metric ? result_value(result, metric->name) : NAN;
}

/* Whether the sides differ, or may, in what the model was hardly calibrated for: atomics in global memory, and sleeps.
 */
static bool is_uncalibrated(const struct sides *sides, const struct result *base, const struct result *now)
{
    static const enum computed_counter counters[] = {COMPUTED_ATOMICS, COMPUTED_SLEEP};
    bool differs = false;
    for (size_t i = 0; i < ARRAY_SIZE(counters); i++) {
        const double was = count_of(sides, base, counters[i]), is = count_of(sides, now, counters[i]);
        differs |= !(fabs(is - was) <= RULE_UNCALIBRATED * fmax(was, is));
    }
    return differs;
}

static bool is_known(const struct estimated_time *estimated)
{
    return estimated && estimated->model && estimated->ns > 0;
}

/* Returns why there is no change to tell, or NULL. */
static const char *why_unknown(const struct estimated_time *was, const struct estimated_time *now)
{
    const char *refused = was && was->refused ? was->refused : now && now->refused ? now->refused : NULL;
    if (refused)
        return refused;
    if (!is_known(was) || !is_known(now))
        return is_known(was) ? "this run has no estimated time" : "the baseline has no estimated time";
    return strcmp(was->model, now->model) == 0 ? NULL : "another version of the timing model estimated the baseline";
}

/* Whether more may be done by the counts, and only a model that was never compared with such a GPU says that it hides
 * behind other waits. */
static bool is_hidden_work(const struct sides *sides, const struct result *base, const struct result *now)
{
    bool verified = sides->run->session_count > 0;
    for (size_t i = 0; i < sides->run->session_count; i++)
        verified &= !sides->run->sessions[i].facts[SESSION_SILICON];
    struct estimate was, is;
    estimate_time(&was, &sides->run->device, base);
    estimate_time(&is, &sides->run->device, now);
    estimate_pair(&was, &is);
    return !verified && !(was.known && is.known && is.time <= was.time);
}

/* What many launches take more or less together counts, once that is what another launch costs. */
static double floor_of(const struct sides *sides, const struct result *base, const struct result *now)
{
    const double often = fmin(program_launches(sides->metrics, base), program_launches(sides->metrics, now));
    return often > 0 ? fmin(RULE_ESTIMATED_FLOOR, RULE_CALL_COST / often) : RULE_ESTIMATED_FLOOR;
}

void estimate_change(struct estimated_change *change, const struct sides *sides, const struct result *base,
                     const struct result *now)
{
    const struct estimated_time *was = base->estimated, *is = now->estimated;
    *change = (struct estimated_change){.unknown = why_unknown(was, is)};
    if (change->unknown)
        return;
    change->known = true;
    change->likely = change->least = change->most = is->ns / was->ns;
    widen(change, was, was, is);
    widen(change, is, was, is);
    if (is_uncalibrated(sides, base, now)) {
        change->least = fmin(change->least, change->likely / RULE_UNCALIBRATED_FACTOR);
        change->most = fmax(change->most, change->likely * RULE_UNCALIBRATED_FACTOR);
    }
    const double floor = floor_of(sides, base, now), limit = fmax(RULE_ESTIMATED * was->ns, floor);
    if (is->ns - was->ns > floor && change->likely > 1 + RULE_ESTIMATED && change->least > 1)
        change->way = ESTIMATED_SLOWER;
    else if (was->ns - is->ns > RULE_ESTIMATED_FLOOR && change->likely < 1 - RULE_ESTIMATED_GAIN && change->most <= 1)
        change->way = ESTIMATED_FASTER;
    else if (change->likely > 1 + RULE_ESTIMATED && change->least > 1)
        change->way = ESTIMATED_CLOSE;
    else if ((change->most - 1) * was->ns <= limit)
        change->way = is_hidden_work(sides, base, now) ? ESTIMATED_HIDDEN : ESTIMATED_EQUAL;
}

const char *estimated_words(const struct estimated_change *change, char *text, size_t size)
{
    static const char *const words[] = {"faster", "slower"};
    const bool slower = change->likely > 1, mixed = (change->least < 1) != (change->most < 1);
    const double from = slower ? change->least : change->most, to = slower ? change->most : change->least;
    const double likely = 100 * fabs(change->likely - 1), first = 100 * fabs(from - 1), last = 100 * fabs(to - 1);
    const int digits = last < 10; /* behind the point */
    if (fmax(last, first) < 0.05) {
        snprintf(text, size, "the same estimated time");
        return text;
    }
    const int length =
        snprintf(text, size, "the kernel is estimated to be about %.*f %% %s ", digits, likely, words[slower]);
    if (mixed)
        snprintf(text + length, size - (size_t)length, "(%.*f %% %s to %.*f %% %s)", digits, first, words[from > 1],
                 digits, last, words[to > 1]);
    else
        snprintf(text + length, size - (size_t)length, "(%.*f to %.*f %%)", digits, first, digits, last);
    return text;
}

bool asks_for_time(const struct metrics *metrics)
{
    /* whoever judges a few metrics by name may not ask for times */
    return ANY(m, metrics->count, strcmp(metrics->list[m].counter, COUNTER_TIME) == 0);
}

/* Fewer loads, say, may miss the caches more often. */
void judge_unknown(struct comparison *comparison, size_t first, const struct sides *sides, const struct result *base,
                   const struct result *now, const char *why)
{
    const bool built = base->row_count > 0 && base->rows[0].from_base_build;
    const bool expected = built || is_known(base->estimated) || run_origin(sides->baseline)->computed;
    bool decided = !expected || !asks_for_time(sides->metrics) || order_of_code(base, now) == 0;
    for (size_t i = first; i < comparison->count; i++)
        decided |= comparison->list[i].verdict <= VERDICT_UNSURE;
    if (decided)
        return;
    struct judgement *row = add_judgement(comparison, now->id, &estimated_time, VERDICT_UNSURE);
    row->has_base = is_known(base->estimated);
    row->base = row->has_base ? base->estimated->ns : 0;
    row->has_now = is_known(now->estimated);
    row->now = row->has_now ? now->estimated->ns : 0;
    set_reason(row, "its code changed and its time could not be estimated (%s): measure on a GPU to decide", why);
}

void judge_estimate(struct comparison *comparison, const struct sides *sides, const struct result *base,
                    const struct result *now, const struct estimated_change *change)
{
    char words[160];
    if (!change->known || !asks_for_time(sides->metrics))
        return;
    const bool same = same_code(base, now); /* of a library, whose base build has the same inputs */
    const enum verdict verdict = change->way == ESTIMATED_SLOWER
                                     ? (same && !sides->origin->own_caches ? VERDICT_UNSURE : VERDICT_REGRESSED)
                                 : change->way == ESTIMATED_FASTER ? VERDICT_IMPROVED
                                                                   : VERDICT_SAME;
    struct judgement *row = add_judgement(comparison, now->id, &estimated_time, verdict);
    row->compared = row->has_base = row->has_now = row->computed = true;
    row->base = base->estimated->ns;
    row->now = now->estimated->ns;
    row->change = row->now - row->base;
    row->limit = fmax(RULE_ESTIMATED * row->base, floor_of(sides, base, now));
    row->worse = change->way == ESTIMATED_SLOWER;
    row->share = verdict == VERDICT_SAME ? 0 : 1;
    row->base_sessions = row->run_sessions = 1;
    set_reason(row, "%s; limited by %s%s", estimated_words(change, words, sizeof words),
               now->estimated->bound_by ? now->estimated->bound_by : "unknown",
               same ? "; the same machine code and launch: its arguments or data differ" : "");
}
