#include "explain.h"

#include "occupancy_gap.h"

static void tell(struct explained_pattern *explained, const struct pattern *pattern, const struct profile *profile)
{
    *explained = (struct explained_pattern){
        .pattern = pattern,
        .kind = pattern->kind,
        .known = pattern_is_known(pattern, profile),
        .total = NAN,
        .whole = NAN,
        .part = NAN,
    };
    if (!explained->known)
        return;
    explained->total = pattern_total(pattern, profile);
    explained->hotspot_count = pattern_hotspots(pattern, profile, NULL, explained->hotspots, EXPLAIN_HOTSPOTS);
    if (explained->kind == EXPLAINED_FAULT) {
        explained->of = pattern->of;
        explained->whole = pattern_whole(pattern, profile);
        explained->part = explained->total / explained->whole;
    }
}

static int rank_of(const struct explained_pattern *explained)
{
    if (explained->pattern->sum.count == 0)
        return 0;
    if (explained->kind == EXPLAINED_TIME)
        return 2;
    return explained->kind == EXPLAINED_FAULT ? 1 : 3;
}

/* Orders patterns: stalls first, then faults by their share of their whole, then instructions, then the others. */
static int by_weight(const void *left, const void *right)
{
    const struct explained_pattern *a = left, *b = right;
    const int rank_a = rank_of(a), rank_b = rank_of(b);
    if (rank_a != rank_b)
        return rank_a - rank_b;
    const double one = isnan(a->part) ? -1 : a->part, other = isnan(b->part) ? -1 : b->part;
    if (one != other)
        return one > other ? -1 : 1;
    if (a->kind == EXPLAINED_PLAIN)
        return strcmp(a->pattern->name, b->pattern->name);
    return a->pattern < b->pattern ? -1 : a->pattern > b->pattern;
}

static void explain_patterns(struct explanation *explanation)
{
    const struct profile *profile = &explanation->result->profile;
    size_t count;
    const struct pattern *list = pattern_list(&count);
    for (size_t i = 0; i < count; i++)
        if (list[i].kind != EXPLAINED_ESTIMATED || profile->estimated) /* what is measured lacks no estimate */
            tell(ARRAY_GROW(explanation->patterns, explanation->pattern_count), &list[i], profile);
    SORT(explanation->patterns, explanation->pattern_count, by_weight);
}

static int by_share(const void *left, const void *right)
{
    const struct explained_stall *a = left, *b = right;
    if (a->share != b->share)
        return a->share > b->share ? -1 : 1;
    return strcmp(a->reason, b->reason);
}

/* Sums up all samples, or estimated stalls, then makes one entry for each reason: a file may name very many. */
static void sum_stalls(struct explanation *explanation)
{
    const struct profile *profile = &explanation->result->profile;
    struct explained_stall *list = NULL;
    size_t count = 0, kept = 0;
    double all = 0;
    for (size_t i = 0; i < profile->count && profile_stall_unit(profile) > 0; i++)
        EACH(const struct stall, stall, profile->list[i].stalls, profile->list[i].stall_count) {
            *ARRAY_GROW(list, count) = (struct explained_stall){stall->reason, stall->samples};
            all += stall->samples;
        }
    if (count == 0 || all <= 0 || !isfinite(all)) {
        free(list);
        return;
    }
    SORT(list, count, by_text);
    for (size_t i = 0; i < count; i++) {
        list[i].share /= all;
        if (kept > 0 && strcmp(list[kept - 1].reason, list[i].reason) == 0)
            list[kept - 1].share += list[i].share;
        else
            list[kept++] = list[i];
    }
    SORT(list, kept, by_share);
    explanation->stalls = list;
    explanation->stall_count = kept;
}

void explain_make(struct explanation *explanation, const struct run *run, const struct result *result)
{
    *explanation = (struct explanation){
        .run = run,
        .result = result,
        .has_profile = result->profile.counted || result->profile.period,
    };
    explain_launches(explanation);
    roofline_of(&explanation->roofline, run, result);
    explain_patterns(explanation);
    sum_stalls(explanation);
}

void explain_release(struct explanation *explanation)
{
    free(explanation->launches);
    free(explanation->patterns);
    free(explanation->stalls);
    *explanation = (struct explanation){0};
}
