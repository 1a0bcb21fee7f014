/* What a program may pay with, and what it may have lost. Its own row says how often it launched anything, and for how
 * long the GPU worked: a gain there pays for more work of its kernels, unless that gain is work that is gone. */
#include "judge_parts.h"

static bool is_improved_program(const struct judgement *judgement)
{
    return judgement->metric && judgement->metric->class == METRIC_TIME && judgement->verdict == VERDICT_IMPROVED &&
           row_kind(judgement->kernel) == ROW_PROGRAM;
}

/* Whether it is of a program's launches, which are no more than before. */
static bool is_launched_as_well(const struct judgement *judgement)
{
    return judgement->metric && computed_counter_of(judgement->metric) == COMPUTED_LAUNCHES && judgement->compared &&
           (judgement->verdict == VERDICT_SAME || judgement->verdict == VERDICT_IMPROVED) &&
           row_kind(judgement->kernel) == ROW_PROGRAM;
}

/* Whether the judgement is of a program's kernel whose machine code is the baseline's. */
static bool is_of_same_code(const struct judgement *judgement, const struct sides *sides)
{
    const struct result *base = run_find(sides->baseline, judgement->kernel),
                        *now = run_find(sides->run, judgement->kernel);
    return base && now && same_code(base, now);
}

/* Whether the judgement is of memory that is set more often, and the program's GPU time fell by more than that takes.
 */
static bool is_paid_fill(const struct judgement *judgement, const struct sides *sides, const struct judgement *program)
{
    const enum computed_counter counter = computed_counter_of(judgement->metric);
    const struct result *base = program_of(sides->baseline, program->kernel),
                        *now = program_of(sides->run, program->kernel);
    return (counter == COMPUTED_FILLS || counter == COMPUTED_FILL_BYTES) && base && now &&
           program_value(sides->metrics, now, COMPUTED_FILL_TIME) -
                   program_value(sides->metrics, base, COMPUTED_FILL_TIME) <
               -program->change;
}

static bool is_elapsed(const struct judgement *judgement)
{
    return judgement->metric && computed_counter_of(judgement->metric) == COMPUTED_ELAPSED;
}

/* Whether the program's kernels keep the GPU busy for no longer than before, which is known on both sides. */
static bool is_busy_as_before(const struct sides *sides, const char *program)
{
    const struct result *base = program_of(sides->baseline, program), *now = program_of(sides->run, program);
    return base && now &&
           program_value(sides->metrics, now, COMPUTED_BUSY_TIME) <=
               (1 + RULE_INEXACT) * program_value(sides->metrics, base, COMPUTED_BUSY_TIME);
}

/* Whether a shorter elapsed time, which includes what the host does, pays for that: calls of the host, and GPU time in
 * which kernels that overlap count twice. */
static bool is_paid_by_elapsed(const struct judgement *judgement, const struct sides *sides)
{
    static const enum computed_counter calls[] = {COMPUTED_LAUNCHES,    COMPUTED_FILLS,
                                                  COMPUTED_ALLOCATIONS, COMPUTED_STREAM_CALLS,
                                                  COMPUTED_HOST_CALLS,  COMPUTED_SYNCHRONIZATIONS};
    const enum computed_counter counter = computed_counter_of(judgement->metric);
    const bool is_call = ANY(i, ARRAY_SIZE(calls), calls[i] == counter);
    return is_call || (counter == COMPUTED_GPU_TIME && judgement->verdict == VERDICT_REGRESSED &&
                       is_busy_as_before(sides, judgement->kernel));
}

/* What one more of a program's calls, or a byte, is taken to cost, in ns. */
static const struct price {
    enum computed_counter counter;
    double each;
} prices[] = {{COMPUTED_LAUNCHES, RULE_CALL_COST},
              {COMPUTED_STREAM_CALLS, RULE_STREAM_CALL_COST},
              {COMPUTED_ALLOCATIONS, RULE_ALLOCATION_COST},
              {COMPUTED_SYNCHRONIZATIONS, RULE_CALL_COST},
              {COMPUTED_COPIES, RULE_CALL_COST},
              {COMPUTED_FILLS, RULE_CALL_COST},
              {COMPUTED_COPY_ROWS, RULE_COPY_ROW_COST},
              {COMPUTED_COPY_BYTES, RULE_COPY_COST},
              {COMPUTED_HOST_COPY_BYTES, RULE_COPY_COST},
              {COMPUTED_PAGEABLE_COPY_BYTES, RULE_COPY_COST},
              {COMPUTED_FILL_BYTES, RULE_FILL_COST}};
enum { OF_HOST = 3 }; /* so many of them cost the host time that no other row judges */

/* Returns what a program has more of the first `count` of them, in ns; HUGE_VAL where one side counted them and the
 * other did not. */
static double cost_of_more(const struct sides *sides, const char *program, size_t count)
{
    const struct result *was = program_of(sides->baseline, program), *is = program_of(sides->run, program);
    double cost = was && is ? 0 : HUGE_VAL;
    for (size_t i = 0; was && is && i < count; i++) {
        const double before = program_value(sides->metrics, was, prices[i].counter),
                     after = program_value(sides->metrics, is, prices[i].counter);
        cost += isnan(before) != isnan(after) ? HUGE_VAL : prices[i].each * fmax(0, after - before);
    }
    return cost;
}

/* Work of a program's kernels that the run launches less than half as often, that it launches less often, and of what
 * may be in their place: new kernels, and what others do more. It is GPU time, in ns; of what was computed,
 * instructions; or what a metric counts, where it may be that some of it was not. */
struct work {
    double gone, fewer, instead;
    double fresh; /* what new kernels do; NAN: it was not counted of all */
    bool unknown; /* it was not counted of all that moved */
    /* Of a computed program, in ns: what its launches were estimated to take, and take more, most likely and at most;
     * and what its kernels take more, and those took that are gone. NAN: it is not known of all. */
    struct {
        double before, more, most, grown, gone;
    } time;
};

/* Returns a count of a launch; NAN where it is not known. */
static double count_of(const struct metrics *metrics, const struct result *result, enum exact_counter counter)
{
    const struct metric *metric = FIND(one, metrics->list, metrics->count,
                                       exact_counter_of(one) == counter && result_measured(result, one->name));
    return metric ? result_value(result, metric->name) : NAN;
}

/* Returns a count of all launches of a kernel or program. */
static double sum_of(const struct metrics *metrics, const struct result *result, enum exact_counter counter)
{
    return count_of(metrics, result, counter) *
           (row_kind(result->id) != ROW_KERNEL ? 1 : program_launches(metrics, result));
}

/* twin: of the other side; counts of the same code need not have been read again. by: NULL: time or instructions. */
static double work_of(const struct sides *sides, const struct result *result, const struct result *twin,
                      const struct metric *by)
{
    const struct row *row = by ? result_measured(result, by->name) : NULL;
    if (by && !row)
        row = twin && same_code(result, twin) ? result_measured(twin, by->name) : NULL;
    if (by)
        return row ? row_value(row) * program_launches(sides->metrics, result) : NAN;
    return sides->origin->computed ? sum_of(sides->metrics, result, EXACT_INSTRUCTIONS)
                                   : program_time(sides->metrics, result, NULL);
}

/* Adds what a kernel is estimated to take, often times, and the other side's of it share times as often. */
static void add_estimate(struct work *work, const struct sides *sides, const struct result *one,
                         const struct result *other, bool is_now, double often, double share)
{
    struct estimated_change pair = {.known = one->estimated && one->estimated->ns > 0};
    if (other)
        estimate_change(&pair, sides, one, other);
    const double ns = pair.known && one->estimated ? often * one->estimated->ns : NAN,
                 more = is_now ? ns : ns * (share * pair.likely - 1);
    const double floor = other && !same_code(one, other) ? share * often * RULE_ESTIMATED_FLOOR : 0;
    work->time.before += is_now ? 0 : ns;
    work->time.more += more;
    work->time.most += other ? ns * (share * pair.most - 1) + floor : more + RULE_ESTIMATED_OFF * ns;
    work->time.grown += fmax(0, more);
    work->time.gone += other ? 0 : fmax(0, -more);
}

static void add_work(struct work *work, const struct sides *sides, const struct result *one, const struct run *there,
                     bool is_now, const struct metric *by)
{
    const struct result *other = run_find(there, one->id);
    const double often = program_launches(sides->metrics, one), done = work_of(sides, one, other, by);
    const double share = other ? program_launches(sides->metrics, other) / often : 0, kept = fmin(1, share);
    const double more = other ? fmax(0, done - work_of(sides, other, one, by)) : done;
    const bool stays = by && kept >= 1 && other && same_code(one, other); /* counts of it need not have been read */
    const double moved = stays ? 0 : is_now ? more : done * (1 - kept);
    work->unknown |= isnan(moved) && (is_now || kept < 1);
    work->fresh += is_now && !other ? done : 0;
    if (!isnan(moved))
        *(is_now ? &work->instead : kept >= RULE_LOST_LAUNCHES ? &work->fewer : &work->gone) += moved;
    if (sides->origin->computed && !(is_now && other))
        add_estimate(work, sides, one, other, is_now, often, share);
}

static struct work compare_work(const struct sides *sides, const char *program, const struct metric *by)
{
    const struct run *runs[] = {sides->baseline, sides->run};
    struct work work = {0};
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < runs[side]->result_count; i++)
            if (is_kernel_of(runs[side]->results[i].id, program))
                add_work(&work, sides, &runs[side]->results[i], runs[1 - side], side == 1, by);
    return work;
}

/* Whether a kernel of other code takes longer by no more than the work that is gone from the program: it may do that
 * work. */
static bool takes_over(const struct judgement *judgement, const struct sides *sides, const char *program)
{
    const struct result *now = run_find(sides->run, judgement->kernel);
    return now && judgement->change * program_launches(sides->metrics, now) <= compare_work(sides, program, NULL).gone;
}

/* Whether kernels of other code count no more in addition, all together, than the kernels did that are gone; and, if
 * such took time, a tenth of what this one did: what two kernels did costs one of them some instructions more. */
static bool takes_over_counts(const struct judgement *judgement, const struct sides *sides, const char *program)
{
    const struct result *base = run_find(sides->baseline, judgement->kernel),
                        *now = run_find(sides->run, judgement->kernel);
    const struct metric *metric = judgement->metric;
    if ((metric->class != METRIC_EXACT && metric->class != METRIC_STEADY) || metric->better != METRIC_LOWER ||
        metric->weight || is_metric_of_program(metric) || is_of_same_code(judgement, sides))
        return false;
    const double own = base && compare_work(sides, program, NULL).gone > 0 ? work_of(sides, base, now, metric) : 0;
    const struct work work = compare_work(sides, program, metric);
    return !work.unknown && work.instead <= work.gone + fmax(0, RULE_SAME_CODE * own);
}

/* Whether fewer launches of other code each do more, and all launches of the kernel together take clearly less time: as
 * a kernel that is faster, it may pay for that. */
static bool takes_less_in_all(const struct judgement *judgement, const struct sides *sides)
{
    const struct result *base = run_find(sides->baseline, judgement->kernel),
                        *now = run_find(sides->run, judgement->kernel);
    if (!base || !now || row_kind(judgement->kernel) != ROW_KERNEL || is_metric_of_program(judgement->metric) ||
        !result_has_code(base) || !result_has_code(now) || same_code(base, now) || judgement->wants_session)
        return false;
    return program_launches(sides->metrics, now) < program_launches(sides->metrics, base) &&
           program_time(sides->metrics, now, NULL) < (1 - RULE_SAME_CODE) * program_time(sides->metrics, base, NULL);
}

/* Whether the judgement is worse by what may be paid for. */
static bool may_be_paid(const struct judgement *judgement, const struct sides *sides)
{
    return judgement->metric && judgement->worse && !judgement->metric->never_paid && !sides->metrics->never_paid &&
           (judgement->verdict == VERDICT_REGRESSED || judgement->verdict == VERDICT_UNSURE);
}

/* Whether it says that there are more launches, in the program or of a kernel in it, or allocations; that memory is set
 * more often; that the same machine code takes longer by its arguments; that other code does what is gone, or more at a
 * time; or what other code is like, such as its occupancy, which costs time or nothing. Busy time pays for calls alone,
 * elapsed time as above. Copies and waits are no part of the GPU time, and what they cost has no bound. */
static bool is_more_work(const struct judgement *judgement, const struct sides *sides, const struct judgement *whole)
{
    const enum computed_counter counter = computed_counter_of(judgement->metric);
    const bool is_count = counter == COMPUTED_LAUNCHES || counter == COMPUTED_STREAM_CALLS ||
                          counter == COMPUTED_ALLOCATIONS || is_paid_fill(judgement, sides, whole);
    if (is_elapsed(judgement) || is_elapsed(whole))
        return !is_elapsed(judgement) && is_paid_by_elapsed(judgement, sides);
    if (is_count || computed_counter_of(whole->metric) == COMPUTED_BUSY_TIME)
        return is_count;
    return takes_less_in_all(judgement, sides) ||
           (judgement->metric->class == METRIC_STATIC && !is_of_same_code(judgement, sides)) ||
           (judgement->metric->class == METRIC_TIME &&
            (is_of_same_code(judgement, sides) || takes_over(judgement, sides, whole->kernel))) ||
           takes_over_counts(judgement, sides, whole->kernel);
}

/* Whether what is gone was done by instructions that others execute more: a kernel that took it over may take hardly
 * longer. */
static bool is_replaced_by_instructions(const struct sides *sides, const char *program, double replaced)
{
    const struct metric *instructions =
        FIND(one, sides->metrics->list, sides->metrics->count, exact_counter_of(one) == EXACT_INSTRUCTIONS);
    const struct work work = instructions ? compare_work(sides, program, instructions) : (struct work){.unknown = true};
    return !work.unknown && work.instead > replaced * (work.gone + work.fewer);
}

/* A program that does less may be better, or may have lost its work. Where kernels with a part of its time are gone, or
 * most of its launches, and hardly anything is in their place, only a person knows. In place of most of it more than
 * hardly anything is needed. */
static void revise_lost_work(struct judgement *program, const struct sides *sides)
{
    const bool computed = sides->origin->computed;
    if ((computed ? !is_launched_as_well(program) : !is_improved_program(program)) ||
        computed_counter_of(program->metric) == COMPUTED_BUSY_TIME || is_elapsed(program))
        return;
    const struct work work = compare_work(sides, program->kernel, NULL);
    const double lost = work.gone + work.fewer,
                 whole = computed
                             ? sum_of(sides->metrics, run_find(sides->baseline, program->kernel), EXACT_INSTRUCTIONS)
                             : program->base;
    const bool most = lost >= RULE_LOST_WORK * whole;
    const double replaced = most ? RULE_REPLACED_MOST : RULE_REPLACED;
    if (!(lost > 0) || (work.gone < RULE_LOST_KERNELS * whole && !most) || work.instead > replaced * lost ||
        is_replaced_by_instructions(sides, program->kernel, replaced))
        return;
    program->verdict = VERDICT_UNSURE;
    set_reason(program,
               "kernels that made up %.0f %% of its %s are gone or launched less often, and other kernels took over "
               "only %.1f %%: accept the run if that work is no longer needed",
               100 * lost / whole, computed ? "instructions" : "GPU time", 100 * work.instead / whole);
}

/* Without a GPU nothing judges a new kernel: it has no baseline, and the program no time. So where launches are not
 * more than before, a new kernel may execute no more than the kernels that are gone. */
static void revise_heavier_kernels(struct judgement *program, const struct sides *sides)
{
    if (!sides->origin->computed || !is_launched_as_well(program))
        return;
    const struct work work = compare_work(sides, program->kernel, NULL);
    const double lost = work.gone + work.fewer;
    if (work.fresh <= (1 + RULE_SAME_CODE) * lost)
        return;
    program->verdict = VERDICT_UNSURE;
    if (isnan(work.fresh) || lost == 0)
        set_reason(program, "the instructions of its new kernels, or of those they replace, were not counted: accept "
                            "the run if the new kernels are intended");
    else
        set_reason(
            program,
            "its new kernels execute %.1f times the instructions of those they replace: accept the run if intended",
            work.fresh / lost);
}

/* A program cannot have worked less, or launched less, than its kernels together: its record is not whole. */
static void revise_less_than_parts(struct judgement *program, const struct sides *sides)
{
    const struct metric *metric = program->metric;
    const struct run *run = sides->run;
    double parts = 0;
    const enum computed_counter counter = metric ? computed_counter_of(metric) : COMPUTED_NONE;
    if ((counter != COMPUTED_GPU_TIME && counter != COMPUTED_LAUNCHES) || program->verdict == VERDICT_REGRESSED ||
        !program->has_now || row_kind(program->kernel) != ROW_PROGRAM)
        return;
    for (size_t i = 0; i < run->result_count; i++)
        if (is_kernel_of(run->results[i].id, program->kernel) && result_measured(&run->results[i], metric->name))
            parts += result_value(&run->results[i], metric->name);
    if (parts <= program->now * (counter == COMPUTED_LAUNCHES ? 1 : 1 + RULE_INEXACT))
        return;
    char all[64], sum[64];
    program->verdict = VERDICT_UNSURE;
    set_reason(program,
               "its kernels add up to %s, more than the program's own %s: a record is missing, so measure again",
               metric_format(metric, parts, sum, sizeof sum), metric_format(metric, program->now, all, sizeof all));
}

/* Where the program's computing is judged, its GPU time is too if a kernel waits that did not, or by other code. */
static void revise_new_waits(struct judgement *program, const struct sides *sides)
{
    if (!program->metric || computed_counter_of(program->metric) != COMPUTED_GPU_TIME || !program->compared ||
        program->verdict != VERDICT_INFO || program->change - program->drift <= program->limit)
        return;
    for (size_t i = 0; i < sides->run->result_count; i++) {
        const struct result *now = &sides->run->results[i], *base = run_find(sides->baseline, now->id);
        if (!program_communicates(now) || program_of(sides->run, now->id) != run_find(sides->run, program->kernel) ||
            (base && program_communicates(base) && (!result_has_code(now) || same_code(base, now))))
            continue;
        program->verdict = VERDICT_UNSURE;
        set_reason(program,
                   "it increased, and the new kernel %s waits for other processes: accept the run if this is intended",
                   now->id);
        return;
    }
}

/* Says what a program's elapsed time or busy time is worse by. How kernels overlap that the host launches too slowly
 * depends on it. */
static void revise_overlap(struct judgement *program, const struct sides *sides)
{
    if (!program->metric || !program->compared || !judgement_is_worse(program))
        return;
    if (is_elapsed(program) && is_busy_as_before(sides, program->kernel))
        add_reason(program, "its kernels take as long as before: the GPU waits longer for the host or for copies");
    if (computed_counter_of(program->metric) != COMPUTED_BUSY_TIME)
        return;
    const struct result *now = program_of(sides->run, program->kernel);
    add_reason(program, "its kernels overlap less: on average %.2f run at a time, instead of %.2f",
               overlap_of(sides->metrics, now),
               overlap_of(sides->metrics, program_of(sides->baseline, program->kernel)));
    if (program->verdict != VERDICT_REGRESSED || program->pairs > 0 ||
        !(program_value(sides->metrics, now, COMPUTED_GPU_BUSY) < RULE_IDLE))
        return;
    program->verdict = VERDICT_UNSURE;
    add_reason(program, "the GPU is idle most of the time, so this may be the host; --against a base build settles it");
}

/* A kernel of a program whose stores are all gone may have lost its work, and so may one in another shape without a GPU
 * that writes half as much, or less than before by the same code: nothing verifies a program's results but the program.
 * Atomics may be in their place. */
static void revise_silenced(struct judgement *judgement, const struct sides *sides)
{
    const struct result *now = run_find(sides->run, judgement->kernel),
                        *base = run_find(sides->baseline, judgement->kernel);
    if (!judgement->metric || exact_counter_of(judgement->metric) != EXACT_GLOBAL_STORES || !now || !base ||
        judgement->verdict != VERDICT_IMPROVED || judgement->base == 0 ||
        count_of(sides->metrics, now, EXACT_ATOMICS) > count_of(sides->metrics, base, EXACT_ATOMICS))
        return;
    const double wrote = base->former_id && sides->origin->computed ? writes_of(base) : 0;
    const bool same =
        result_has_code(base) && result_has_code(now) && strcmp(base->launches[0].code, now->launches[0].code) == 0;
    const bool less = wrote > 0 && writes_of(now) <= (same ? 1 - RULE_INEXACT : RULE_LOST_LAUNCHES) * wrote;
    if (judgement->now != 0 && !less)
        return;
    judgement->verdict = VERDICT_UNSURE;
    set_reason(
        judgement,
        "the kernel %s: accept the run if atomics or bulk copies write its results, or if its results are not needed",
        judgement->now == 0 ? "no longer stores anything"
        : same              ? "stores less by the same machine code in its new shape"
                            : "stores at most half as much in its new shape");
}

/* A kernel that is launched less than half as often without a GPU: as one that is gone. */
static void revise_hardly_launched(struct judgement *judgement)
{
    if (!judgement->metric || computed_counter_of(judgement->metric) != COMPUTED_LAUNCHES ||
        row_kind(judgement->kernel) != ROW_KERNEL || judgement->verdict != VERDICT_IMPROVED ||
        judgement->now >= RULE_LOST_LAUNCHES * judgement->base)
        return;
    judgement->verdict = VERDICT_UNSURE;
    set_reason(judgement, "launched less than half as often: accept the run if the work is not needed");
}

/* Whether the launches of a computed program, no more than before, take less time in all, whichever constant of the
 * model is wrong, and by more than the host may take longer; and read and write no more, unless they take far less. */
static bool is_faster_in_all(const struct judgement *program, const struct sides *sides, const struct work *work)
{
    static const enum exact_counter traffic[] = {EXACT_GLOBAL_LOAD_SECTORS, EXACT_GLOBAL_STORE_SECTORS};
    const struct result *was = run_find(sides->baseline, program->kernel), *is = run_find(sides->run, program->kernel);
    const bool grows =
        ANY(i, ARRAY_SIZE(traffic),
            !(sum_of(sides->metrics, is, traffic[i]) <= (1 + RULE_INEXACT) * sum_of(sides->metrics, was, traffic[i])));
    return work->time.most < 0 && cost_of_more(sides, program->kernel, OF_HOST) <= -work->time.more &&
           -work->time.more > (grows ? RULE_ESTIMATED_OFF : RULE_ESTIMATED_GAIN) * work->time.before;
}

static double more_of(const struct sides *sides, const char *kernel, enum exact_counter counter)
{
    return sum_of(sides->metrics, run_find(sides->run, kernel), counter) -
           sum_of(sides->metrics, run_find(sides->baseline, kernel), counter);
}

/* Whether a kernel that does more is of what made a computed program faster: its launches are fewer and take less in
 * all; what kernels do more takes no longer than those did that are gone; or it reads more, since others write more. */
static bool is_of_gain(const struct judgement *judgement, const struct sides *sides, const struct work *work,
                       const char *program)
{
    const char *kernel = judgement->kernel;
    const struct result *base = run_find(sides->baseline, kernel), *now = run_find(sides->run, kernel);
    struct work own = {0};
    if (!base || !now || row_kind(kernel) != ROW_KERNEL || is_metric_of_program(judgement->metric))
        return false;
    add_work(&own, sides, base, sides->run, false, NULL);
    const double reads = more_of(sides, kernel, EXACT_GLOBAL_LOAD_SECTORS);
    return (own.gone + own.fewer > 0 && own.time.most < 0) ||
           (work->time.gone > 0 && work->time.grown <= work->time.gone) ||
           (reads > 0 && reads <= RULE_SEVERAL * more_of(sides, program, EXACT_GLOBAL_STORE_SECTORS) &&
            more_of(sides, kernel, EXACT_GLOBAL_STORE_SECTORS) <= 0);
}

/* Whether a kernel is gone, and others do its work: they execute a part of its instructions more, and take no longer
 * for that. Not if nobody executes half of the program's instructions any more. */
static bool is_replaced(const struct judgement *judgement, const struct sides *sides, const struct work *work,
                        const char *program)
{
    const double whole = sum_of(sides->metrics, run_find(sides->baseline, program), EXACT_INSTRUCTIONS);
    return !judgement->metric && judgement->verdict == VERDICT_UNSURE && !run_find(sides->run, judgement->kernel) &&
           !work->unknown && work->instead >= RULE_REPLACED_MOST * work->gone &&
           work->gone - work->instead < RULE_LOST_WORK * whole && work->time.grown <= work->time.gone;
}

/* What a program does in place of costlier calls: stream-ordered allocations are two calls each, and the host no longer
 * waits for the GPU; a copy of rows replaces a copy of each; a launch that is gone overlaps no other. Copies that are
 * more have a row of their own, and may lengthen a chain. */
static void revise_replaced_calls(struct judgement *program, const struct sides *sides)
{
    static const struct {
        enum computed_counter counter, gone;
        double each;
        const char *words;
    } replaced[] = {{COMPUTED_STREAM_CALLS, COMPUTED_ALLOCATIONS, 2, "allocations that make the host wait for the GPU"},
                    {COMPUTED_HOST_CALLS, COMPUTED_ALLOCATIONS, 2, "allocations that make the host wait for the GPU"},
                    {COMPUTED_COPY_ROWS, COMPUTED_COPIES, 1, "copies"},
                    {COMPUTED_LONGEST_CHAIN, COMPUTED_COPIES, -1, "copies, which have a row of their own"},
                    {COMPUTED_PROGRAMMATIC, COMPUTED_LAUNCHES, 1, "launches"}};
    const struct result *was = program_of(sides->baseline, program->kernel),
                        *is = program_of(sides->run, program->kernel);
    for (size_t i = 0; i < ARRAY_SIZE(replaced) && may_be_paid(program, sides); i++) {
        const double gone =
            program_value(sides->metrics, was, replaced[i].gone) - program_value(sides->metrics, is, replaced[i].gone);
        if (computed_counter_of(program->metric) != replaced[i].counter ||
            !(gone != 0 && fabs(program->change) <= replaced[i].each * gone))
            continue;
        program->verdict = VERDICT_TRADED;
        set_reason(program, "trade-off: %g %s %s", fabs(gone), gone > 0 ? "fewer" : "more", replaced[i].words);
    }
}

/* What a program has more of, which all together costs next to none of its GPU time: a copy while it starts, say. */
static void revise_next_to_nothing(struct judgement *program, const struct sides *sides)
{
    const struct price *price =
        row_kind(program->kernel) == ROW_PROGRAM && may_be_paid(program, sides)
            ? FIND(one, prices, ARRAY_SIZE(prices), one->counter == computed_counter_of(program->metric))
            : NULL;
    if (!price)
        return;
    const double whole =
        sides->origin->computed
            ? compare_work(sides, program->kernel, NULL).time.before
            : program_value(sides->metrics, program_of(sides->baseline, program->kernel), COMPUTED_GPU_TIME);
    if (!(cost_of_more(sides, program->kernel, ARRAY_SIZE(prices)) <= RULE_NEXT_TO_NOTHING * whole))
        return;
    program->verdict = VERDICT_SAME;
    program->worse = false;
    program->limit = RULE_NEXT_TO_NOTHING * whole / price->each;
    set_reason(program, "it costs less than %g %% of the program's GPU time", 100 * RULE_NEXT_TO_NOTHING);
}

void revise_programs(struct comparison *comparison, const struct sides *sides)
{
    for (size_t i = 0; i < comparison->count && sides->origin->own_caches; i++) {
        revise_silenced(&comparison->list[i], sides);
        if (sides->origin->computed)
            revise_hardly_launched(&comparison->list[i]);
    }
    for (size_t p = 0; p < comparison->count; p++)
        if (row_kind(comparison->list[p].kernel) != ROW_KERNEL) {
            revise_overlap(&comparison->list[p], sides);
            revise_new_waits(&comparison->list[p], sides);
            revise_less_than_parts(&comparison->list[p], sides);
            revise_lost_work(&comparison->list[p], sides);
            revise_heavier_kernels(&comparison->list[p], sides);
            revise_replaced_calls(&comparison->list[p], sides);
            revise_next_to_nothing(&comparison->list[p], sides);
        }
    EACH(struct judgement, program, comparison->list, comparison->count) {
        /* What one side does not know of it may pay for what is in doubt. */
        program->wants_pairs |= is_elapsed(program) && !program->compared &&
                                ANY(i, comparison->count,
                                    comparison->list[i].verdict <= VERDICT_UNSURE &&
                                        is_of_family(comparison->list[i].kernel, program->kernel));
        const bool computed = sides->origin->computed && is_launched_as_well(program),
                   timed = is_improved_program(program) &&
                           (is_elapsed(program) || cost_of_more(sides, program->kernel, OF_HOST) <= -program->change);
        const struct work work = computed ? compare_work(sides, program->kernel, NULL) : (struct work){0};
        if (computed ? !is_faster_in_all(program, sides, &work) : !timed)
            continue;
        EACH(struct judgement, judgement, comparison->list, comparison->count) {
            const bool gone = computed && is_replaced(judgement, sides, &work, program->kernel);
            if (!is_of_family(judgement->kernel, program->kernel) ||
                (!gone &&
                 !(may_be_paid(judgement, sides) && (computed ? is_of_gain(judgement, sides, &work, program->kernel)
                                                              : is_more_work(judgement, sides, program)))))
                continue;
            judgement->verdict = gone ? VERDICT_INFO : VERDICT_TRADED;
            comparison->gone += gone;
            set_reason(judgement, "%s: the program's %s", gone ? "gone, and other kernels do its work" : "trade-off",
                       computed              ? "launches are estimated to take less time in all"
                       : is_elapsed(program) ? "elapsed time improved"
                       : computed_counter_of(program->metric) == COMPUTED_BUSY_TIME ? "busy time improved"
                                                                                    : "GPU time improved");
        }
    }
}
