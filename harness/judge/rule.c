#include "rule.h"

#include "distribution.h"

/* How many sessions a baseline needs before its spread alone says what may fail. Two say nothing about a spread, and a
 * time moves for more reasons. */
static const size_t sessions_needed[METRIC_CLASSES] = {
    [METRIC_STATIC] = 1, [METRIC_EXACT] = 3, [METRIC_STEADY] = 3, [METRIC_TIME] = RULE_SESSIONS, [METRIC_INFO] = 1,
};

size_t rule_sessions_needed(enum metric_class class)
{
    return sessions_needed[class];
}

/* Returns the values of a row's sessions. Caller frees. */
static double *session_values(const struct row *row)
{
    double *values = x_calloc(row->session_count, sizeof *values);
    for (size_t i = 0; i < row->session_count; i++)
        values[i] = row_session_value(row, i);
    return values;
}

struct spread rule_spread(const struct row *row)
{
    struct spread spread = {.mean = row_value(row), .sessions = row->session_count};
    if (row->session_count > 1) {
        OWNED_MEMORY double *values = session_values(row);
        spread.deviation = deviation_about(values, row->session_count, spread.mean);
        spread.freedom = (double)row->session_count - 1;
    }
    return spread;
}

/* The part of the limit that noise makes, without the factor t. */
static double prediction(const struct spread *base, size_t run_sessions)
{
    return base->deviation * sqrt(1 / (double)run_sessions + 1 / (double)base->sessions);
}

static const struct quantile *find_quantile(struct quantiles *quantiles, double freedom)
{
    struct quantile *quantile = &quantiles->known[(size_t)(fmin(freedom, 1e6) * 8) % ARRAY_SIZE(quantiles->known)];
    if (quantile->freedom != freedom)
        *quantile = (struct quantile){freedom, student_quantile(RULE_ALPHA, freedom),
                                      student_quantile(1 - RULE_POWER, freedom)};
    return quantile;
}

double rule_limit(struct quantiles *quantiles, double floor, const struct spread *base, size_t run_sessions)
{
    if (base->freedom == 0 || base->deviation == 0)
        return floor;
    return fmax(floor, find_quantile(quantiles, base->freedom)->alpha * prediction(base, run_sessions));
}

double rule_detectable(struct quantiles *quantiles, double floor, const struct spread *base, size_t run_sessions)
{
    if (base->freedom == 0)
        return NAN;
    if (base->deviation == 0)
        return floor;
    return rule_limit(quantiles, floor, base, run_sessions) +
           find_quantile(quantiles, base->freedom)->power * prediction(base, run_sessions);
}

struct metric rule_metric(const struct metric *metric, const struct origin *origin)
{
    struct metric judged = *metric; /* borrows all of it */
    if (origin == origin_of(ORIGIN_IMPORTED) && computed_counter_of(metric) == COMPUTED_WALL_TIME)
        judged.floor_absolute = 0;
    return judged;
}

double rule_floor(const struct metric *metric, double base)
{
    return fmax(metric->floor_absolute, metric->floor_relative * fabs(base));
}

size_t rule_pairs_needed(size_t pairs, double alpha)
{
    size_t needed = pairs + 1;
    while (needed > 0 && heads_at_least(needed, pairs) <= alpha)
        needed--;
    return needed + 1;
}

/* Returns the allowed chance of a false alarm at each look between RULE_EARLY and the pair at which counting may
 * decide. It is what counting leaves of RULE_ALPHA, in equal parts. */
static double early_alpha(size_t needed)
{
    const double counting = heads_at_least(needed, RULE_PAIR_COUNT);
    return (RULE_ALPHA - counting) / (double)(needed - RULE_EARLY);
}

/* Whether two pairs of a time that a prior knows are so far apart, both in this direction, that they decide. */
static bool two_decide(const struct row *row, const struct metric *metric, int sign)
{
    bool far = prior_of(metric, row->pairs[0].base, false).freedom > 0;
    for (size_t i = 0; i < 2; i++) {
        const double more = fmax(row->pairs[i].base, row->pairs[i].head),
                     less = fmin(row->pairs[i].base, row->pairs[i].head);
        far &=
            less > 0 && more > less * (1 + RULE_TWO_PAIRS) && (row->pairs[i].head > row->pairs[i].base) == (sign > 0);
    }
    return far;
}

/* Whether the first pairs decide so clearly that no further one is needed: 1 for up, -1 for down, else 0. A pair within
 * the margin ends it, so what one look decided is what all later looks find. */
static int decided_early(const struct row *row, const struct metric *metric)
{
    if (row->pair_count < 2)
        return 0;
    const int sign = row->pairs[0].head > row->pairs[0].base ? 1 : -1;
    if (two_decide(row, metric, sign))
        return sign;
    const double margin = fabs(log1p(sign * RULE_MARGIN));
    const size_t needed = rule_pairs_needed(RULE_PAIR_COUNT, RULE_ALPHA);
    const double alpha = early_alpha(needed);
    double mean = 0, squares = 0;
    for (size_t i = 0; i < row->pair_count && i + 1 < needed; i++) {
        const double moved = sign * log(row->pairs[i].head / row->pairs[i].base);
        const double count = (double)i + 1, off = moved - mean;
        if (!(moved > margin)) /* a pair within the margin, or without a number */
            return 0;
        mean += off / count;
        squares += off * (moved - mean);
        if (count < RULE_EARLY)
            continue;
        const double spread = fmax(sqrt(squares / (count - 1)), RULE_PAIR_SPREAD);
        if (mean - student_quantile(alpha, count - 1) * spread / sqrt(count) > margin)
            return sign;
    }
    return 0;
}

enum paired rule_pairs(const struct row *row, const struct metric *metric, size_t *worse, size_t *better)
{
    const enum metric_better better_is = metric->better;
    size_t up = 0, down = 0;
    for (size_t i = 0; i < row->pair_count; i++) {
        up += row->pairs[i].head > row->pairs[i].base * (1 + RULE_MARGIN);
        down += row->pairs[i].head < row->pairs[i].base * (1 - RULE_MARGIN);
    }
    const size_t count_worse = better_is == METRIC_LOWER ? up : down;
    const size_t count_better = better_is == METRIC_LOWER ? down : up;
    if (worse)
        *worse = count_worse;
    if (better)
        *better = count_better;

    const int early = decided_early(row, metric);
    if (early)
        return early == (better_is == METRIC_LOWER ? 1 : -1) ? PAIRED_WORSE : PAIRED_BETTER;

    /* Counting decides only what no further pair can change, so looking after each pair causes no false alarms. */
    const size_t planned = row->pair_count > RULE_PAIR_COUNT ? row->pair_count : RULE_PAIR_COUNT;
    const size_t needed = rule_pairs_needed(planned, RULE_ALPHA);
    const size_t doubtful = rule_pairs_needed(planned, RULE_DOUBT);
    const size_t left = planned - row->pair_count;
    if (count_worse >= needed)
        return PAIRED_WORSE;
    if (count_better >= needed)
        return PAIRED_BETTER;
    if (count_worse >= doubtful && count_worse + left < needed)
        return PAIRED_DOUBTFUL;
    return count_worse + left < doubtful && count_better + left < needed ? PAIRED_SAME : PAIRED_UNDECIDED;
}

ORDER_OF(by_value, double)

/* Whether the samples form two groups. Each needs at least two samples and a fifth of all, and the gap must be wide
 * compared with the groups. (Of five samples with a deviation of 2 %, one session in four shows a gap of 2 % by
 * chance.) */
static bool has_two_modes(const struct session_samples *session, double *low, double *high)
{
    bool found = false;
    const size_t count = session->count;
    const size_t min = count / 5 > 2 ? (count + 4) / 5 : 2;
    OWNED_MEMORY double *sorted = x_calloc(count, sizeof *sorted);
    memcpy(sorted, session->samples, count * sizeof *sorted);
    SORT(sorted, count, by_value);
    for (size_t i = min; i + min <= count && !found; i++) {
        *low = sorted[i - 1];
        *high = sorted[i];
        found = *high > *low * (1 + RULE_MODES) && *high - *low > 2 * fmax(*low - sorted[0], sorted[count - 1] - *high);
    }
    return found;
}

static size_t samples_near(const struct session_samples *session, double value)
{
    size_t near = 0;
    for (size_t i = 0; i < session->count; i++)
        near += fabs(session->samples[i] - value) <= RULE_CLOCK * value;
    return near;
}

double rule_clock_apart(const struct row *now_clock, const struct row *base_clock)
{
    const double ratio = now_clock && base_clock ? row_value(now_clock) / row_value(base_clock) : 1;
    return fmax(ratio, 1 / ratio) - 1;
}

bool rule_precondition(const struct row *now_clock, const struct row *base_clock, char *why, size_t size)
{
    why[0] = '\0';
    for (size_t i = 0; now_clock && i < now_clock->session_count; i++) {
        const struct session_samples *session = &now_clock->sessions[i];
        const size_t near = samples_near(session, row_session_value(now_clock, i));
        if ((double)near < RULE_SAMPLES_AT_CLOCK * (double)session->count) {
            snprintf(why, size, "the clock was unsteady: only %zu of %zu samples were within %g %% of their median",
                     near, session->count, 100 * RULE_CLOCK);
            return false;
        }
    }
    if (rule_clock_apart(now_clock, base_clock) <= RULE_CLOCK)
        return true;
    snprintf(why, size, "the clock was %.0f MHz, but %.0f MHz in the baseline", row_value(now_clock) / 1e6,
             row_value(base_clock) / 1e6);
    return false;
}

bool rule_two_groups(const struct row *now, double *low, double *high, char *why, size_t size)
{
    for (size_t i = 0; i < now->session_count; i++) {
        if (has_two_modes(&now->sessions[i], low, high)) {
            snprintf(why, size, "the samples form two groups: up to %.6g, and from %.6g", *low, *high);
            return true;
        }
    }
    return false;
}

/* Returns how far a value moved in the bad direction. It is rounded, so that 93.1 - 92.1 is not more than 1. */
static double worsening(const struct metric *metric, double value, double base)
{
    return round_value(metric->better == METRIC_LOWER ? value - base : base - value);
}

/* Returns the floor of this row. An exact row is compared exactly as long as both sides repeat. One that never repeated
 * is judged by its spread once that is known, and may be as bad as it was. */
static double floor_of(const struct metric *metric, const struct row *base, const struct row *now,
                       const struct spread *spread)
{
    if (metric->class != METRIC_EXACT && metric->class != METRIC_STATIC)
        return rule_floor(metric, spread->mean);
    if (row_equal_readings(base) > 0 && row_equal_readings(now) > 0)
        return 0;
    if (row_equal_readings(base) > 0 || spread->sessions < sessions_needed[METRIC_STEADY])
        return RULE_INEXACT * fabs(spread->mean);
    double floor = 0;
    for (size_t i = 0; i < base->session_count; i++)
        floor = fmax(floor, worsening(metric, row_session_value(base, i), spread->mean));
    return floor;
}

/* Returns the largest limit of a row whose baseline has too few sessions. With few sessions t makes limits of several
 * times the value, and then a doubled time would pass silently. */
static double provisional_limit(const struct metric *metric, double floor, const struct spread *base)
{
    return base->sessions < sessions_needed[metric->class] ? fmax(floor, RULE_DRIFT_REFERENCE * fabs(base->mean))
                                                           : HUGE_VAL;
}

/* Returns the spread of the means of GPUs. It is such that the limit for one more session is that for one more GPU. The
 * mean is over all sessions, so each GPU has a weight by its sessions. */
static struct spread spread_of_gpus(const struct row *base, const struct gpus *gpus, double mean)
{
    OWNED_MEMORY double *means = x_calloc(gpus->count, sizeof *means);
    OWNED_MEMORY size_t *counts = x_calloc(gpus->count, sizeof *counts);
    double weights = 0; /* sum of the squared weights */
    for (size_t i = 0; i < base->session_count; i++) {
        const size_t gpu = gpus->of[i];
        counts[gpu]++;
        means[gpu] += (row_session_value(base, i) - means[gpu]) / (double)counts[gpu];
    }
    for (size_t g = 0; g < gpus->count; g++)
        weights += pow((double)counts[g] / (double)base->session_count, 2);
    double middle = 0;
    for (size_t g = 0; g < gpus->count; g++)
        middle += means[g] / (double)gpus->count;
    const double deviation = deviation_about(means, gpus->count, middle);
    return (struct spread){mean, deviation * sqrt((1 + weights) / (1 + 1 / (double)gpus->count)), gpus->count,
                           (double)gpus->count - 1};
}

/* Returns the spread as the prior moderates it, while it is that of few sessions. */
static struct spread moderated(struct spread own, struct prior prior)
{
    if (own.sessions >= RULE_SESSIONS)
        return own;
    const double freedom = prior.freedom + own.freedom;
    const double squares = prior.freedom * pow(prior.deviation, 2) + own.freedom * pow(own.deviation, 2);
    own.deviation = freedom > 0 ? sqrt(squares / freedom) : 0;
    own.freedom = freedom;
    return own;
}

struct assessment rule_assess(struct quantiles *quantiles, const struct metric *metric, const struct row *base,
                              const struct row *now, double shift, const struct gpus *others, struct prior prior)
{
    struct assessment found = {.base = rule_spread(base), .now = row_value(now), .sessions = now->session_count};
    const double mean = found.base.mean;
    const double floor = floor_of(metric, base, now, &found.base);
    const double max = provisional_limit(metric, floor, &found.base);
    const bool by_gpu = others && others->count >= RULE_GPUS;
    const struct spread known = by_gpu ? spread_of_gpus(base, others, mean) : moderated(found.base, prior);
    const size_t independent = by_gpu ? 1 : found.sessions;
    const double limit_one = round_value(fmin(rule_limit(quantiles, floor, &known, 1), max));
    const double limit = rule_limit(quantiles, floor, &known, independent);
    found.limit = round_value(fmin(limit, max));
    found.chance = max == HUGE_VAL || prior.freedom > 0 ? round_value(limit) : HUGE_VAL;
    found.detectable = rule_detectable(quantiles, floor, &known, independent) - fmax(0, limit - max);
    found.drift = found.now - found.now / (1 + shift);

    size_t worse = 0, better = 0;
    for (size_t i = 0; i < now->session_count; i++) {
        const double moved = worsening(metric, row_session_value(now, i) / (1 + shift), mean);
        worse += moved > limit_one;
        better += moved < -limit_one;
    }
    found.agree = worse > better ? worse : better;
    const bool nonrepeating =
        metric->class == METRIC_EXACT && row_equal_readings(base) > 1 && row_equal_readings(now) == 0;
    if (worse == found.sessions)
        found.finding = FOUND_WORSE;
    else if (better == found.sessions)
        found.finding = FOUND_BETTER;
    else if (nonrepeating)
        found.finding = FOUND_NONREPEATING;
    else if (worsening(metric, found.now / (1 + shift), mean) > found.limit)
        found.finding = FOUND_MIXED;
    return found;
}
