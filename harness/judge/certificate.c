#include "certificate.h"

#include <inttypes.h>

/* Parts of all arithmetic of the reference. A type is used where it has a quarter, and another takes its place where it
 * does a tenth: elements that are converted at an end of a loop are less. Where hardly any is left, nobody knows how
 * the result came about. */
#define TYPE_USED 0.25
#define TYPE_TAKEN 0.1
#define TYPE_LEFT 0.125
/* Of one drawn result no more may be as far off as rounding takes the reference: of honest kernels it is 51 %. */
#define LOOSE_MOST 0.75

/* So much more than their mean a block or warp may do, as a multiple of what the reference's does. */
#define UNEVEN 2.0
#define SEE_RESULT "not judged: see the row \"result\""

const char *certificate_rule_name(enum certificate_rule rule)
{
    static const char *const names[CERTIFICATE_RULES] = {"result",    "inputs",    "outputs",
                                                         "precision", "execution", "shares"};
    return names[rule];
}

const char *certificate_outcome_name(enum certificate_outcome outcome)
{
    static const char *const names[] = {"passed", "allowed", "undecided", "refused"};
    return names[outcome];
}

const char *certificate_allow_name(unsigned bit)
{
    static const char *const names[CERTIFICATE_ALLOWS] = {"tensor", "precision", "unexecuted", "varying", "nan"};
    return names[bit];
}

static struct certificate_row row(enum certificate_outcome outcome, char *words)
{
    return (struct certificate_row){outcome, words};
}

/* ---- The result ---- */

/* Code that is right for the sizes or orders of the task alone, or without NaNs, may be what is wanted. */
static char *of_these_sizes(const struct certificate_facts *facts, const struct result *now)
{
    char *words = NULL;
    size_t size = 0, listed = 0;
    FILE *stream = x_memstream(&words, &size);
    const char form = now->id[strlen(now->id) - 1];
    const bool order = form == LETTER_ORDERS, nans = form == LETTER_NANS, sizes = form == LETTER_SIZES;
    fprintf(stream, "with %s: %s%s%s; to judge only %s, add %s",
            nans    ? "NaN among its inputs"
            : order ? "other orders"
            : sizes ? "other sizes"
                    : "scalar arguments of 0, 1, another parity or the other sign",
            result_status_name(now->status), now->reason ? ": " : "", now->reason ? now->reason : "",
            nans ? "numbers" : "the captured ones", nans ? "--allow nan" : "--keep ");
    for (size_t i = 0; i < facts->input_count && !nans; i++)
        if ((order   ? facts->inputs[i].reorders
             : sizes ? *facts->inputs[i].size != 0
                     : *facts->inputs[i].value && !*facts->inputs[i].size) &&
            facts->inputs[i].moves)
            fprintf(stream, "%s%u", listed++ > 0 ? "," : "", facts->inputs[i].argument);
    fclose(stream);
    return words;
}

static struct certificate_row judge_result(const struct certificate_facts *facts)
{
    const struct result *off = NULL; /* on the inputs that it is off the most on */
    struct certificate_row open = {CERTIFICATE_UNDECIDED, NULL};
    if (facts->undrawn)
        return row(CERTIFICATE_UNDECIDED, x_strdup("the candidate was not run, because no inputs were drawn"));
    for (size_t i = 0; i < facts->count; i++) {
        const struct result *base = facts->base[i], *now = facts->now[i];
        const char *inputs = i == 0 ? "the captured inputs" : "drawn inputs";
        const bool open_now = now->status != RESULT_OK && result_is_not_simulated(now);
        const bool fails = now->status != RESULT_OK && !open_now;
        if (base ? base->status != RESULT_OK : now->status == RESULT_OK) { /* with what fails nothing is compared */
            free(open.words);
            open.words = x_sprintf("the reference itself fails on %s: %s", inputs,
                                   base && base->reason ? base->reason : "not run");
        } else if (fails && drawn_name_has_form(now->id)) {
            free(open.words);
            open.words = of_these_sizes(facts, now);
        } else if (fails) {
            free(open.words);
            return row(CERTIFICATE_REFUSED,
                       x_sprintf("on %s: %s%s%s%s", inputs, result_status_name(now->status), now->reason ? ": " : "",
                                 now->reason ? now->reason : "",
                                 facts->tolerance > 0 || !now->reason || !strstr(now->reason, RESULT_ROUNDED)
                                     ? ""
                                     : "; no tolerance was stated: if this is rounding, add --tolerance 1e-5"));
        } else if (open_now && !open.words) {
            open.words = x_strdup(now->reason);
        }
    }
    if (open.words)
        return open;
    for (size_t i = 0; i < facts->count; i++)
        if (facts->now[i]->near && (!off || facts->now[i]->off > off->off))
            off = facts->now[i];
    if (facts->count == 0 || facts->count < facts->wanted)
        return row(CERTIFICATE_REFUSED,
                   x_sprintf("the candidate ran on only %zu of %zu inputs", facts->count, facts->wanted));
    if (facts->uncounted > 0)
        return row(facts->allowed & ALLOW_VARYING ? CERTIFICATE_ALLOWED : CERTIFICATE_UNDECIDED,
                   x_sprintf("%.3g %% of the reference's results vary from launch to launch and are not compared",
                             100 * facts->uncounted));
    if (facts->undecided > 0)
        return row(facts->allowed & ALLOW_VARYING ? CERTIFICATE_ALLOWED : CERTIFICATE_UNDECIDED,
                   x_sprintf("argument %u: %" PRIu64 " word%s of the result %s infinite, NaN or close to overflow on "
                             "all drawn inputs, so not compared there",
                             facts->undecided_argument, facts->undecided, plural((size_t)facts->undecided),
                             facts->undecided == 1 ? "is" : "are"));
    if (facts->loose > LOOSE_MOST)
        return row(facts->allowed & ALLOW_VARYING ? CERTIFICATE_ALLOWED : CERTIFICATE_UNDECIDED,
                   x_sprintf("%.2g %% of one drawn result may be as far off as rounding takes the reference: more than "
                             "%.2g %% says too little",
                             100 * facts->loose, 100 * LOOSE_MOST));
    char within[64] = "bit for bit";
    OWNED_TEXT beyond = x_strdup("");
    if (facts->overflows > 0)
        x_append(&beyond, "", "; %.2g %% of one drawn result overflows and is not compared", 100 * facts->overflows);
    if (facts->loose > 0)
        x_append(&beyond, "", "; %.2g %% of one drawn result may be as far off as rounding takes the reference",
                 100 * facts->loose);
    if (facts->tolerance > 0)
        snprintf(within, sizeof within, "within %.3g as %s", facts->tolerance, facts->type);
    return row(CERTIFICATE_PASSED,
               x_sprintf("its results match the reference's %s on the captured inputs and %zu others%s%s%s", within,
                         facts->count - 1, off ? "; not bit for bit: " : "", off ? off->near : "", beyond));
}

static bool is_in_part(const struct certificate_input *input)
{
    return strchr(input->parts, '0') != NULL;
}

char *certificate_input_words(const struct certificate_input *input)
{
    char *words = NULL;
    size_t size = 0;
    FILE *stream = x_memstream(&words, &size);
    if (input->argument > 0)
        fprintf(stream, "argument %u", input->argument);
    else
        fputs("memory that no argument points to", stream);
    if (*input->value)
        fprintf(stream, " = %s: ", input->value);
    else
        fprintf(stream, " (%" PRIu64 " byte%s): ", input->bytes, plural((size_t)input->bytes));
    if (input->of_grid)
        fputs("kept, because the grid has as many blocks", stream);
    else if (input->kept)
        fprintf(stream, "kept as captured (%s)", input->kept);
    else if (*input->size)
        fprintf(stream, input->multiple > 1 ? "%s in one draw, kept a multiple of %" PRIu64 : "%s in one draw",
                input->size, input->multiple);
    else if (is_in_part(input))
        fprintf(stream, "some parts of it do not change the result: %s", input->parts);
    else if (input->moves)
        fprintf(stream, "%s the result%s", *input->parts ? "each part changes" : "changes",
                input->reorders ? "; one draw also reorders it" : "");
    else
        fputs(input->within ? "it changes the result only within the tolerance" : "it does not change the result",
              stream);
    fclose(stream);
    return words;
}

/* An input counts as an argument, however few bytes it has: a bias, a mask, a scale. */
static struct certificate_row judge_inputs(const struct certificate_facts *facts)
{
    if (facts->undrawn)
        return row(CERTIFICATE_UNDECIDED, x_sprintf("no new inputs were drawn: %s", facts->undrawn));
    char *words = NULL, *numbers = NULL;
    size_t sizes[2] = {0, 0}, moving = 0, open = 0, asked = 0;
    FILE *stream = x_memstream(&words, &sizes[0]), *keep = x_memstream(&numbers, &sizes[1]);
    size_t all = 0;
    for (size_t i = 0; i < facts->input_count; i++) {
        moving += facts->inputs[i].moves;
        all += !facts->inputs[i].of_grid;
    }
    fprintf(stream, "%zu of %zu input%s redrawn; each one changes the result", moving, all,
            all == 1 ? " was" : "s were");
    EACH(const struct certificate_input, input, facts->inputs, facts->input_count) {
        if (input->of_grid || (input->moves && !is_in_part(input)))
            continue;
        OWNED_TEXT one = certificate_input_words(input);
        fprintf(stream, "; %s", one);
        if (!input->asked && input->argument > 0)
            fprintf(keep, "%s%u", ftell(keep) > 0 ? "," : "", input->argument);
        open += !input->asked;
        asked += input->asked;
    }
    fclose(keep);
    if (*numbers)
        fprintf(stream, "; to accept %s, add --keep %s", strchr(numbers, ',') ? "them" : "it", numbers);
    fclose(stream);
    free(numbers);
    return row(open > 0 || moving == 0 ? CERTIFICATE_UNDECIDED
               : asked > 0             ? CERTIFICATE_ALLOWED
                                       : CERTIFICATE_PASSED,
               words);
}

static struct certificate_row judge_outputs(const struct certificate_facts *facts)
{
    if (facts->undrawn)
        return row(CERTIFICATE_UNDECIDED,
                   x_strdup("no output was filled with a pattern, because no inputs were drawn"));
    if (facts->unfilled)
        return row(CERTIFICATE_UNDECIDED,
                   x_strdup("no output was filled with a pattern, because the pattern makes the reference fail"));
    return row(
        CERTIFICATE_PASSED,
        facts->filled > 0
            ? x_sprintf("%" PRIu64 " bytes of output were filled with a pattern before each launch", facts->filled)
            : x_strdup("no output was filled with a pattern, because the reference reads all outputs"));
}

/* ---- Precision ---- */

enum { TYPES = 3 };
static const char *const types[TYPES] = {"fp64", "fp32", "fp16"}; /* the most precise first */

/* Whether a count depends on which block or warp comes first: then the verdict on its speed is open too, unless its
 * time is estimated. */
static bool is_open(const struct result *result, const char *metric)
{
    const struct row *found = result_find(result, metric);
    return found && row_is_open(found);
}

/* Reads how much arithmetic is of each type, or of a more precise one. Returns 1; 0 when there is none; -1 when nobody
 * knows. Counters also count constants that compilers set by instructions of halves, and conversions: only the
 * simulator tells them apart. */
static int read_work(const struct result *result, bool no_singles, bool no_halves, double work[TYPES])
{
    const double converted = result_value(result, "fp16_conversions");
    double all = 0;
    for (size_t i = 0; i < TYPES; i++) {
        char metric[32];
        snprintf(metric, sizeof metric, "%s_arithmetic", types[i]);
        const double counted = result_value(result, metric);
        all += (no_halves && i == 2) || (no_singles && i == 1 && all > 0) ? 0
               : i < 2 || isnan(converted)                                ? counted
                                                                          : 2 * (counted - converted); /* packed */
        work[i] = all;
    }
    return isnan(all) ? -1 : all > 0;
}

static enum tensor_cores uses_tensor_cores(const struct result *result)
{
    enum tensor_cores uses = result->launch_count > 0 ? TENSOR_UNUSED : TENSOR_UNKNOWN;
    EACH(const struct launch, launch, result->launches, result->launch_count) {
        if (launch->has_machine && launch->machine.tensor == TENSOR_USED)
            return TENSOR_USED;
        if (!launch->has_machine || launch->machine.tensor == TENSOR_UNKNOWN)
            uses = TENSOR_UNKNOWN;
    }
    return uses;
}

/* Whether it does about as much less of everything as of arithmetic: by another way, and not in other types. */
static bool saves_all(const struct result *now, const struct result *base, double part)
{
    return result_value(now, "instructions") * TYPE_LEFT <= result_value(base, "instructions") * part;
}

/* Judges what was done on one of the inputs. */
static struct certificate_row judge_types(const struct certificate_facts *facts, size_t at)
{
    const struct result *base = facts->base[at], *now = facts->now[at];
    const unsigned allowed = facts->allowed;
    double was[TYPES], is[TYPES], counted[TYPES]; /* counted: of the reference, as the code's are */
    const enum tensor_cores used = uses_tensor_cores(base), uses = uses_tensor_cores(now);
    if (used == TENSOR_UNUSED && uses == TENSOR_USED)
        return row(allowed & ALLOW_TENSOR ? CERTIFICATE_ALLOWED : CERTIFICATE_REFUSED,
                   x_strdup("it uses tensor cores, but the reference does not"));
    if (used == TENSOR_UNUSED && uses == TENSOR_UNKNOWN)
        return row(CERTIFICATE_UNDECIDED, x_strdup("it is unknown whether it uses tensor cores"));
    const int had = read_work(base, facts->base_no_singles, facts->base_no_halves, was),
              has = read_work(now, facts->no_singles, facts->no_halves, is);
    if (had == 0)
        return row(CERTIFICATE_PASSED, x_strdup("the reference does no floating-point arithmetic of a counted type"));
    if (had > 0 && is_open(now, "fp32_arithmetic") && facts->no_halves && was[0] < was[TYPES - 1] * TYPE_USED)
        return row(
            CERTIFICATE_PASSED,
            x_strdup("its amount of arithmetic depends on the order of blocks, but all of it is fp32 or better"));
    if (had < 0 || has < 0)
        return row(CERTIFICATE_UNDECIDED, x_strdup("its arithmetic, or the reference's, was not counted"));
    if (has == 0 && (used == TENSOR_USED || uses == TENSOR_USED))
        return row(CERTIFICATE_PASSED, x_strdup("both use tensor cores"));
    if (has == 0)
        return row(allowed & ALLOW_PRECISION ? CERTIFICATE_ALLOWED : CERTIFICATE_UNDECIDED,
                   x_strdup("it does no floating-point arithmetic, but the reference does"));
    const double all = was[TYPES - 1];
    (void)read_work(base, facts->base_no_singles && facts->no_singles, facts->base_no_halves && facts->no_halves,
                    counted);
    for (size_t i = 0; i + 1 < TYPES; i++) {
        const double below = (is[TYPES - 1] - is[i] - (counted[TYPES - 1] - counted[i])) / all;
        if (was[i] >= all * TYPE_USED && below > TYPE_TAKEN)
            return row(allowed & ALLOW_PRECISION ? CERTIFICATE_ALLOWED : CERTIFICATE_REFUSED,
                       x_sprintf("its arithmetic in types below %s is %.0f %% of all the reference's arithmetic",
                                 types[i], 100 * below));
        if (was[i] >= all * TYPE_USED && is[i] < was[i] * TYPE_LEFT && !saves_all(now, base, is[i] / was[i]) &&
            used != TENSOR_USED && uses != TENSOR_USED)
            return row(
                allowed & ALLOW_PRECISION ? CERTIFICATE_ALLOWED : CERTIFICATE_UNDECIDED,
                x_sprintf("its %s%s arithmetic is %.2g %% of the reference's; the rest uses types that are not counted",
                          types[i], i > 0 ? " or better" : "", 100 * is[i] / was[i]));
    }
    return row(CERTIFICATE_PASSED, x_strdup("it uses the same arithmetic types as the reference"));
}

static struct certificate_row judge_precision(const struct certificate_facts *facts)
{
    struct certificate_row worst = row(CERTIFICATE_UNDECIDED, x_strdup(SEE_RESULT));
    for (size_t i = 0; i < facts->count; i++) {
        const struct result *base = facts->base[i], *now = facts->now[i];
        struct certificate_row one = {CERTIFICATE_UNDECIDED, NULL};
        if (base && base->status == RESULT_OK && now->status == RESULT_OK)
            one = judge_types(facts, i);
        else
            one.words = x_strdup(SEE_RESULT);
        const bool is_worse = i == 0 || one.outcome > worst.outcome;
        free(is_worse ? worst.words : one.words);
        worst = is_worse ? one : worst;
    }
    return worst;
}

/* ---- Execution ---- */

/* On a GPU a read beyond an array finds something, and a write beyond it may go unseen. */
static struct certificate_row judge_execution(const struct certificate_facts *facts)
{
    const enum certificate_outcome open =
        facts->allowed & ALLOW_UNEXECUTED ? CERTIFICATE_ALLOWED : CERTIFICATE_UNDECIDED;
    const char *doubt = NULL;
    for (size_t i = 0; i < facts->count; i++) {
        const struct result *executed = facts->executed[i];
        const char *reason = executed && executed->reason ? executed->reason : "";
        if (executed && executed == facts->now[i] && executed->status != RESULT_OK)
            return row(CERTIFICATE_UNDECIDED, x_strdup(SEE_RESULT));
        /* A process that died is no fault of the code: it may have had too little memory. */
        if (!executed || executed->status == RESULT_HUNG || executed->status == RESULT_CRASHED ||
            result_is_not_simulated(executed))
            return row(open, x_sprintf("not executed by the simulator%s%s", *reason ? ": " : "", reason));
        if (executed->status == RESULT_WRONG) /* as a race would, or a rounding that no GPU does */
            return row(open, x_sprintf("its result differs in the simulator: %s", reason));
        if (executed->status != RESULT_OK)
            return row(CERTIFICATE_REFUSED,
                       x_sprintf("the simulator reports: %s: %s", result_status_name(executed->status), reason));
        const struct result *base = facts->base[i];
        if (executed->doubt && !(base && base->doubt))
            doubt = executed->doubt;
    }
    if (facts->count == 0)
        return row(CERTIFICATE_UNDECIDED, x_strdup(SEE_RESULT));
    return row(doubt ? open : CERTIFICATE_PASSED,
               x_sprintf("the simulator found no access outside the task's memory%s%s", doubt ? "; but " : "",
                         doubt ? doubt : ""));
}

/* ---- Shares ---- */

/* How much more than the mean the block and the warp do that execute most. */
struct shares {
    double block, warp;
};

static struct shares shares_of(const struct result *result)
{
    double blocks = 0, warps = 0;
    EACH(const struct launch, launch, result->launches, result->launch_count) {
        const double all = (double)launch->grid[0] * launch->grid[1] * launch->grid[2];
        blocks += all;
        const unsigned of_block = (launch->block[0] * launch->block[1] * launch->block[2] + 31) / 32;
        warps += all * of_block;
    }
    const double instructions = result_value(result, "instructions");
    return (struct shares){result_value(result, "busiest_block") * blocks / instructions,
                           result_value(result, "longest_warp") * warps / instructions};
}

/* Whether the estimates are known and the bands in which they are meet, or it is faster. */
static bool is_hardly_slower(const struct result *now, const struct result *base)
{
    return now->estimated && base->estimated && !now->estimated->refused && !base->estimated->refused &&
           now->estimated->low <= base->estimated->high;
}

/* Counts alone know nothing of blocks and warps that wait for one that does all. On a GPU that takes its time. Drawn
 * inputs may be uneven themselves: of these only sleeps count. */
static struct certificate_row judge_shares(const struct certificate_facts *facts)
{
    for (size_t i = 0; i < facts->count; i++) {
        const struct result *base = facts->base[i], *now = facts->now[i];
        if (now != facts->executed[i])
            return row(CERTIFICATE_PASSED, x_strdup("not needed: its time was measured"));
        if (!base || base->status != RESULT_OK || now->status != RESULT_OK)
            return row(CERTIFICATE_UNDECIDED, x_strdup(SEE_RESULT));
        const double sleeps = result_value(now, "sleep_time"), slept = result_value(base, "sleep_time");
        if (!(sleeps <= slept) && !is_open(now, "sleep_time"))
            return row(
                CERTIFICATE_UNDECIDED,
                x_sprintf("its warps sleep for %.3g ns, those of the reference for %.3g ns: measure on a GPU to decide",
                          sleeps, slept));
    }
    if (facts->count == 0)
        return row(CERTIFICATE_UNDECIDED, x_strdup(SEE_RESULT));
    const struct result *base = facts->base[0], *now = facts->now[0];
    const struct shares shares = shares_of(now), were = shares_of(base);
    if (is_open(now, "busiest_block"))
        return row(CERTIFICATE_PASSED,
                   x_strdup("the work of its blocks and warps depends on their order, so only its speed can show it"));
    if (isnan(shares.block + shares.warp + were.block + were.warp + result_value(now, "sleep_time")))
        return row(CERTIFICATE_UNDECIDED, x_strdup("the work of its blocks and warps was not counted"));
    const bool uneven = shares.block > UNEVEN * were.block || shares.warp > UNEVEN * were.warp;
    if (uneven && !is_hardly_slower(now, base))
        return row(CERTIFICATE_UNDECIDED,
                   x_sprintf("the busiest block does %.3g x the average work, the longest warp %.3g x; in the "
                             "reference: %.3g x and %.3g x. Measure on a GPU to decide",
                             shares.block, shares.warp, were.block, were.warp));
    return row(CERTIFICATE_PASSED, x_sprintf("the busiest block does %.3g x the average work, the longest warp %.3g x",
                                             shares.block, shares.warp));
}

/* ---- All ---- */

struct certificate certificate_make(const struct certificate_facts *facts)
{
    static struct certificate_row (*const judges[CERTIFICATE_RULES])(const struct certificate_facts *facts) = {
        [CERTIFICATE_RESULT] = judge_result,       [CERTIFICATE_INPUTS] = judge_inputs,
        [CERTIFICATE_OUTPUTS] = judge_outputs,     [CERTIFICATE_PRECISION] = judge_precision,
        [CERTIFICATE_EXECUTION] = judge_execution, [CERTIFICATE_SHARES] = judge_shares,
    };
    struct certificate certificate = {.kernel = facts->kernel};
    for (size_t i = 0; i < CERTIFICATE_RULES; i++)
        certificate.rows[i] = judges[i](facts);
    certificate.input_count = facts->input_count;
    certificate.inputs = x_calloc(facts->input_count + 1, sizeof *certificate.inputs);
    for (size_t i = 0; i < facts->input_count; i++)
        certificate.inputs[i] = facts->inputs[i];
    return certificate;
}

void certificate_release(struct certificate *certificate)
{
    for (size_t i = 0; i < CERTIFICATE_RULES; i++)
        free(certificate->rows[i].words);
    free(certificate->inputs);
}

enum certificate_outcome certificate_worst(const struct certificate *certificate)
{
    enum certificate_outcome worst = CERTIFICATE_PASSED;
    for (size_t i = 0; i < CERTIFICATE_RULES; i++)
        worst = certificate->rows[i].outcome > worst ? certificate->rows[i].outcome : worst;
    return worst == CERTIFICATE_ALLOWED ? CERTIFICATE_PASSED : worst;
}

enum certificate_outcome certificates_worst(const struct certificate *list, size_t count, size_t *with)
{
    enum certificate_outcome worst = CERTIFICATE_PASSED;
    *with = 0;
    for (size_t i = 0; i < count; i++) {
        const enum certificate_outcome outcome = certificate_worst(&list[i]);
        *with = outcome > worst ? 1 : *with + (outcome == worst);
        worst = outcome > worst ? outcome : worst;
    }
    return worst;
}
