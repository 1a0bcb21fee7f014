/* Judges code that another toolchain made. The same source then has other instructions, registers and spills, and what
 * that costs is a question of time: pairs with the base build decide, and counts say why. Without a GPU there is no
 * time, and counts decide as far as they can. */
#include "judge_parts.h"

#include <math.h>
#include <string.h>

/* Whether all compilers of a list, "ptxas 12.8.93, ptxas 13.0.88", are in another. */
static bool has_all(const char *list, const char *compilers)
{
    while (*compilers) {
        const size_t length = strcspn(compilers, ",");
        const char *at = list;
        for (; *at && !(strcspn(at, ",") == length && strncmp(at, compilers, length) == 0); at += strspn(at, ", "))
            at += strcspn(at, ",");
        if (!*at)
            return false;
        compilers += length;
        compilers += strspn(compilers, ", ");
    }
    return true;
}

/* Whether some compiler took the place of another. A program that launches what a further one made has not changed its
 * compiler. */
static bool is_replaced(const char *was, const char *is)
{
    return !has_all(is, was) && !has_all(was, is);
}

/* Returns the compiler of the run if no session of the row has the same, else NULL. *was is one of theirs. */
static const char *compiler_of_others(const struct sides *sides, const struct result *base, const struct row *row,
                                      const char **was)
{
    const char *now = newest_fact(sides->run, SESSION_COMPILER);
    *was = NULL;
    for (size_t i = 0; i < row->session_count && now; i++) {
        const char *compiler = fact_of(sides, base, row, i, SESSION_COMPILER);
        if (compiler && !is_replaced(compiler, now))
            return NULL;
        *was = compiler ? compiler : *was;
    }
    return *was ? now : NULL;
}

const char *other_compiler(const struct sides *sides, const struct result *base, const struct row *row,
                           const char **was)
{
    *was = NULL;
    if (row->from_base_build) /* somebody asks how the two builds differ, whatever made them */
        return NULL;
    return compiler_of_others(sides, base, row, was);
}

/* A compiler that differs is the reason. Else, in a program, packages and libraries that make kernels may. */
static const char *other_toolchain(const struct comparison *comparison, const struct sides *sides,
                                   const struct result *base, const struct result *now, const char **was)
{
    *was = NULL;
    if (same_code(base, now))
        return NULL;
    for (size_t i = 0; i < base->row_count; i++) {
        const char *is = compiler_of_others(sides, base, &base->rows[i], was);
        if (is)
            return is;
    }
    *was = comparison->makers_was;
    return comparison->makers_are;
}

const char *compare_other_toolchain(const struct comparison *comparison, const struct run *baseline,
                                    const struct result *base, const struct run *run, const struct result *now,
                                    const char **was)
{
    const struct sides sides = {.baseline = baseline, .run = run};
    return other_toolchain(comparison, &sides, base, now, was);
}

/* What the times of a kernel say together. They are no worse only where pairs show it: a limit may hide a percent. */
static enum paired paired_times(const struct comparison *comparison, size_t first, size_t *pairs)
{
    enum paired all = PAIRED_UNDECIDED;
    *pairs = 0;
    for (size_t i = first; i < comparison->count; i++) {
        const struct judgement *judgement = &comparison->list[i];
        if (!judgement->metric || judgement->metric->class != METRIC_TIME || !judgement->compared)
            continue;
        if (judgement->verdict == VERDICT_REGRESSED)
            return PAIRED_WORSE;
        if (judgement->pairs == 0)
            continue;
        if (judgement->paired != PAIRED_SAME && judgement->paired != PAIRED_BETTER)
            return PAIRED_UNDECIDED;
        all = PAIRED_SAME;
        *pairs = judgement->pairs;
    }
    return all;
}

/* Whether the row is worse and may be so by the compiler's choice. */
static bool is_choice(const struct judgement *judgement)
{
    return judgement->worse && judgement->compared && judgement->metric && judgement->metric->class != METRIC_TIME &&
           !is_metric_of_program(judgement->metric) &&
           (judgement->verdict == VERDICT_REGRESSED || judgement->verdict == VERDICT_UNSURE);
}

static void revise_timed(struct judgement *judgement, enum paired times, size_t pairs, const char *was, const char *is)
{
    if (times == PAIRED_WORSE)
        return;
    judgement->verdict = times == PAIRED_SAME ? VERDICT_TRADED : VERDICT_UNSURE;
    if (times == PAIRED_SAME)
        set_reason(judgement, "code of another toolchain, %s -> %s: %zu pairs do not show its time %g %% worse", was,
                   is, pairs, 100 * RULE_MARGIN);
    else
        set_reason(judgement,
                   "code of another toolchain, %s -> %s: its time decides, by pairs with a base build (--against)", was,
                   is);
}

/* Where no kernel ran on a GPU, a count that moved by a little says nothing of the time. */
static void revise_counted(struct judgement *judgement, const char *was, const char *is)
{
    if (judgement->metric->class == METRIC_STATIC ||
        !(fabs(judgement->change) <= RULE_TOOLCHAIN * fabs(judgement->base)))
        return;
    judgement->verdict = VERDICT_TRADED;
    set_reason(judgement, "code of another toolchain, %s -> %s, and less than %g %%: measuring says what it costs", was,
               is, 100 * RULE_TOOLCHAIN);
}

void revise_toolchain(struct comparison *comparison, size_t first, const struct sides *sides, const struct result *base,
                      const struct result *now)
{
    const char *was, *is = base && now ? other_toolchain(comparison, sides, base, now, &was) : NULL;
    if (!is || sides->origin->code_only)
        return;
    size_t pairs;
    const enum paired times = paired_times(comparison, first, &pairs);
    for (size_t i = first; i < comparison->count; i++) {
        struct judgement *judgement = &comparison->list[i];
        if (!is_choice(judgement))
            continue;
        if (sides->origin->computed)
            revise_counted(judgement, was, is);
        else
            revise_timed(judgement, times, pairs, was, is);
    }
}
