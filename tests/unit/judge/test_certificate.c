#include "judge/judge.h"
#include "test.h"

/* What is known of a kernel that ran on that many inputs. */
#define FACTS(was, is, ran, inputs_run, ...)                                                                           \
    FIELDS(.kernel = "k/v", .base = (was), .now = (is), .executed = (ran), .count = (inputs_run), __VA_ARGS__)

static void put_values(struct result *result, const char *const *metrics, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct row *row = ARRAY_GROW(result->rows, result->row_count);
        *row = (struct row){.metric = x_strdup(metrics[i]), .state = VALUE_MEASURED};
        row_add_session(row, &values[i], 1);
    }
}

/* A kernel on one of its inputs: arithmetic in fp64, fp32 and fp16, what of that only converts, and whether by tensor
 * cores. */
static struct result result_of(const double work[4], enum tensor_cores tensor)
{
    static const char *const metrics[] = {"fp16_arithmetic", "fp16_conversions", "fp32_arithmetic", "fp64_arithmetic"};
    const double values[] = {work[2], work[3], work[1], work[0]};
    struct result result = {.id = x_strdup("k/v~0")};
    put_values(&result, metrics, values, isnan(*work) ? 0 : ARRAY_SIZE(values));
    *ARRAY_GROW(result.launches, result.launch_count) =
        (struct launch){.function = x_strdup("f"), .has_machine = true, .machine = {.tensor = tensor}};
    return result;
}

/* Expects what a rule says of the facts, and these words in it. */
static void expect_rule(const struct certificate_facts *facts, enum certificate_rule rule,
                        enum certificate_outcome outcome, const char *words, size_t place)
{
    OWNED(certificate) certificate = certificate_make(facts);
    const struct certificate_row *row = &certificate.rows[rule];
    cr_expect_eq(row->outcome, outcome, "row %zu: %s", place, row->words);
    cr_expect(strstr(row->words, words), "row %zu: %s", place, row->words);
}

static enum tensor_cores tensor_named(const char *name)
{
    return strcmp(name, "used") == 0 ? TENSOR_USED : strcmp(name, "unused") == 0 ? TENSOR_UNUSED : TENSOR_UNKNOWN;
}

static void expect_precision(const char *where, const char *text, const char *outcome)
{
    const char *parts[5];
    cr_assert_eq(split_at(text, ";", parts, ARRAY_SIZE(parts)), ARRAY_SIZE(parts), "%s", where);
    struct result results[2];
    for (size_t i = 0; i < 2; i++) {
        double work[4] = {0, 0, 0, NAN};
        for (size_t k = 0; k < ARRAY_SIZE(work) && *parts[i]; k++)
            work[k] = leading_number(&parts[i]);
        results[i] = result_of(work, tensor_named(parts[2 + i] + 1));
    }
    const struct result *bases[] = {&results[0]}, *nows[] = {&results[1]};
    const struct certificate_facts facts =
        FACTS(bases, nows, nows, 1, .wanted = 1, .no_halves = strstr(parts[4], " no_halves"),
              .base_no_halves = strstr(parts[4], "base_no_halves"),
              .allowed = strstr(parts[4], "precision") ? ALLOW_PRECISION
                         : strstr(parts[4], "tensor")  ? ALLOW_TENSOR
                                                       : 0);
    OWNED(certificate) certificate = certificate_make(&facts);
    const struct certificate_row *row = &certificate.rows[CERTIFICATE_PRECISION];
    cr_expect_str_eq(certificate_outcome_name(row->outcome), outcome, "%s: %s", where, row->words);
    for (size_t i = 0; i < 2; i++)
        result_release(&results[i]);
}

TEXTS(certificate, precision_is_the_references, "tests/unit/judge/certificate.txt", expect_precision)

/* What one launch of 4 blocks of 64 threads executes, and for how long it is estimated to take. */
static struct result shared_result(double instructions, double busiest, double longest, double sleeps, double ns,
                                   struct estimated_time *estimated)
{
    static const char *const metrics[] = {"busiest_block", "instructions", "longest_warp", "sleep_time"};
    const double values[] = {busiest, instructions, longest, sleeps};
    struct result result = {.id = x_strdup("k/v~0")};
    put_values(&result, metrics, values, ARRAY_SIZE(values));
    *ARRAY_GROW(result.launches, result.launch_count) = (struct launch){.grid = {4, 1, 1}, .block = {64, 1, 1}};
    *estimated = (struct estimated_time){.ns = ns, .low = ns * 0.9, .high = ns * 1.1};
    return result;
}

Test(certificate, work_is_shared)
{
    const struct {
        double instructions, busiest, longest, sleeps, ns;
        enum certificate_outcome outcome;
        const char *words;
    } rows[] = {
        {800, 200, 100, 0, 1000, CERTIFICATE_PASSED, "busiest block does 1 x the average work, the longest warp 1 x"},
        {800, 800, 400, 0, 2000, CERTIFICATE_UNDECIDED,
         "busiest block does 4 x the average work, the longest warp 4 x"},
        {800, 200, 200, 0, 2000, CERTIFICATE_PASSED, "longest warp 2"},
        {800, 200, 201, 0, 2000, CERTIFICATE_UNDECIDED, "longest warp 2.01"},
        {100, 100, 50, 0, 1100, CERTIFICATE_PASSED, "busiest block does 4 x the average work"},
        {800, 200, 100, 32, 1000, CERTIFICATE_UNDECIDED, "sleep for 32 ns, those of the reference for 0 ns"},
        {NAN, 200, 100, 0, 1000, CERTIFICATE_UNDECIDED, "was not counted"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct estimated_time estimated[2];
        struct result base = shared_result(800, 200, 100, 0, 1000, &estimated[0]);
        struct result now = shared_result(rows[i].instructions, rows[i].busiest, rows[i].longest, rows[i].sleeps,
                                          rows[i].ns, &estimated[1]);
        const struct result *bases[] = {&base}, *nows[] = {&now}, *others[] = {NULL};
        struct certificate_facts facts = FACTS(bases, nows, nows, 1, .wanted = 1);
        base.estimated = &estimated[0];
        now.estimated = &estimated[1];
        expect_rule(&facts, CERTIFICATE_SHARES, rows[i].outcome, rows[i].words, i);
        facts.executed = others;
        expect_rule(&facts, CERTIFICATE_SHARES, CERTIFICATE_PASSED, "not needed: its time was measured", 0);
        base.estimated = now.estimated = NULL;
        result_release(&base);
        result_release(&now);
    }
}

Test(certificate, a_result_is_right_on_all_inputs)
{
    const struct {
        enum result_status base, now;
        size_t wanted;
        const char *reason, *undrawn;
        enum certificate_outcome outcome;
        const char *words;
    } rows[] = {
        {RESULT_OK, RESULT_OK, 2, NULL, NULL, CERTIFICATE_PASSED, "on the captured inputs and 1 others"},
        {RESULT_OK, RESULT_WRONG, 2, "at byte 3", NULL, CERTIFICATE_REFUSED,
         "on drawn inputs: wrong result: at byte 3"},
        {RESULT_OK, RESULT_WRONG, 2,
         "is 0x1 instead of 0x2 (as f32 0.50001 instead of 0.5, which may be rounding); 4 bytes differ", NULL,
         CERTIFICATE_REFUSED, "differ; no tolerance was stated: if this is rounding, add --tolerance 1e-5"},
        {RESULT_OK, RESULT_HUNG, 2, NULL, NULL, CERTIFICATE_REFUSED, "on drawn inputs: hung"},
        {RESULT_OK, RESULT_FAILED, 2, RESULT_NOT_SIMULATED "X", NULL, CERTIFICATE_UNDECIDED, "not simulated: X"},
        {RESULT_WRONG, RESULT_OK, 2, NULL, NULL, CERTIFICATE_UNDECIDED, "the reference itself fails on drawn inputs"},
        {RESULT_FAILED, RESULT_FAILED, 2, "reads nothing", NULL, CERTIFICATE_UNDECIDED,
         "the reference itself fails on"},
        {RESULT_OK, RESULT_OK, 3, NULL, NULL, CERTIFICATE_REFUSED, "ran on only 2 of 3 inputs"},
        {RESULT_OK, RESULT_OK, 2, NULL, "it changes a variable", CERTIFICATE_UNDECIDED, "no inputs were drawn"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct result good = {.id = "k/v~0"}, base = {.id = "k/v~1", .status = rows[i].base};
        const struct result now = {.id = "k/v~1", .status = rows[i].now, .reason = (char *)rows[i].reason};
        const struct result *bases[] = {&good, &base}, *nows[] = {&good, &now};
        const struct certificate_facts facts =
            FACTS(bases, nows, nows, 2, .wanted = rows[i].wanted, .undrawn = rows[i].undrawn);
        expect_rule(&facts, CERTIFICATE_RESULT, rows[i].outcome, rows[i].words, i);
    }
}

Test(certificate, what_a_gpu_forgives_is_seen_by_execution)
{
    const struct {
        enum result_status executed;
        const char *reason;
        bool absent;
        const char *doubt;
        unsigned allowed;
        enum certificate_outcome outcome;
        const char *words;
    } rows[] = {
        {RESULT_OK, NULL, false, NULL, 0, CERTIFICATE_PASSED, "found no access outside the task's memory"},
        {RESULT_OK, NULL, false, "a word that nobody wrote", 0, CERTIFICATE_UNDECIDED, "but a word that nobody wrote"},
        {RESULT_OK, NULL, false, "a word", ALLOW_UNEXECUTED, CERTIFICATE_ALLOWED, "but a word"},
        {RESULT_FAILED, "reads beyond", false, NULL, ALLOW_UNEXECUTED, CERTIFICATE_REFUSED, "failed: reads beyond"},
        {RESULT_CRASHED, "signal 9", false, NULL, 0, CERTIFICATE_UNDECIDED, "not executed by the simulator: signal 9"},
        {RESULT_CRASHED, "signal 9", false, NULL, ALLOW_UNEXECUTED, CERTIFICATE_ALLOWED, "signal 9"},
        {RESULT_FAILED, RESULT_NOT_SIMULATED "X", false, NULL, 0, CERTIFICATE_UNDECIDED,
         "not executed by the simulator: not simul"},
        {RESULT_FAILED, RESULT_NOT_SIMULATED "X", false, NULL, ALLOW_UNEXECUTED, CERTIFICATE_ALLOWED, "not executed"},
        {RESULT_HUNG, NULL, false, NULL, 0, CERTIFICATE_UNDECIDED, "not executed by the simulator"},
        {RESULT_WRONG, "at byte 3", false, NULL, 0, CERTIFICATE_UNDECIDED,
         "result differs in the simulator: at byte 3"},
        {RESULT_OK, NULL, true, NULL, 0, CERTIFICATE_UNDECIDED, "not executed by the simulator"},
        {RESULT_OK, NULL, true, NULL, ALLOW_PRECISION, CERTIFICATE_UNDECIDED, "not executed by the simulator"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct result now = {.id = "k/v~0"};
        const struct result executed = {.id = "k/v~0",
                                        .status = rows[i].executed,
                                        .reason = (char *)rows[i].reason,
                                        .doubt = (char *)rows[i].doubt};
        const struct result *nows[] = {&now, &now}, *all[] = {&executed, rows[i].absent ? NULL : &executed};
        const struct certificate_facts facts = FACTS(nows, nows, all, 2, .wanted = 2, .allowed = rows[i].allowed);
        expect_rule(&facts, CERTIFICATE_EXECUTION, rows[i].outcome, rows[i].words, i);
    }
}

Test(certificate, what_varies_and_what_is_off_are_told)
{
    struct result near = {.id = "k/v~0", .near = "2 f32 values", .off = 0.1};
    struct result nearer = {.id = "k/v~1", .near = "1 f32 value", .off = 0.01};
    const struct result not_simulated = {
        .id = "k/v~1", .status = RESULT_FAILED, .reason = RESULT_NOT_SIMULATED "a clock"};
    const struct result *nows[] = {&near, &nearer}, *open[] = {&near, &not_simulated}, *bases[] = {&near, NULL};
    struct certificate_facts facts = FACTS(nows, nows, nows, 2, .wanted = 2);
    expect_rule(&facts, CERTIFICATE_RESULT, CERTIFICATE_PASSED,
                "bit for bit on the captured inputs and 1 others; not bit for bit: 2 f32 values", 0);
    facts.tolerance = 0.9;
    facts.type = "f16";
    expect_rule(&facts, CERTIFICATE_RESULT, CERTIFICATE_PASSED, "match the reference's within 0.9 as f16 on", 0);
    facts.overflows = 0.25;
    expect_rule(&facts, CERTIFICATE_RESULT, CERTIFICATE_PASSED, "25 % of one drawn result overflows", 0);
    facts.loose = 0.5;
    expect_rule(&facts, CERTIFICATE_RESULT, CERTIFICATE_PASSED, "50 % of one drawn result may be as far off", 0);
    facts.loose = 0.76;
    expect_rule(&facts, CERTIFICATE_RESULT, CERTIFICATE_UNDECIDED, "76 % of one drawn result may be", 0);
    facts.loose = 0;
    facts.undecided = 1;
    facts.undecided_argument = 4;
    expect_rule(&facts, CERTIFICATE_RESULT, CERTIFICATE_UNDECIDED,
                "argument 4: 1 word of the result is infinite, NaN or", 0);
    facts.uncounted = 0.5;
    expect_rule(&facts, CERTIFICATE_RESULT, CERTIFICATE_UNDECIDED, "50 % of the reference's results vary", 0);
    facts.allowed = ALLOW_VARYING;
    expect_rule(&facts, CERTIFICATE_RESULT, CERTIFICATE_ALLOWED, "", 0);
    facts.now = facts.executed = open;
    facts.base = bases; /* with what fails nothing is compared */
    expect_rule(&facts, CERTIFICATE_RESULT, CERTIFICATE_UNDECIDED, RESULT_NOT_SIMULATED "a clock", 0);
}

Test(certificate, what_is_wrong_with_other_sizes_alone_is_undecided)
{
    const struct result right = {.id = "k/v~1"};
    struct result wrong = {.id = "k/v~n", .status = RESULT_WRONG, .reason = "byte 4"};
    const struct result *nows[] = {&right, &wrong}, *bases[] = {&right, &right};
    const struct certificate_input inputs[] = {{.argument = 3, .bytes = 4, .moves = true, .size = "3"},
                                               {.argument = 4, .bytes = 64, .moves = true, .reorders = true},
                                               {.argument = 5, .bytes = 4, .moves = true, .size = "7"},
                                               {.argument = 6, .bytes = 4, .moves = true, .value = "2"}};
    struct certificate_facts facts = FACTS(bases, nows, nows, 2, .inputs = inputs, .input_count = 4, .wanted = 2);
    expect_rule(&facts, CERTIFICATE_RESULT, CERTIFICATE_UNDECIDED,
                "with other sizes: wrong result: byte 4; to judge only the captured ones, add --keep 3,5", 0);
    wrong.id = "k/v~o";
    expect_rule(&facts, CERTIFICATE_RESULT, CERTIFICATE_UNDECIDED,
                "with other orders: wrong result: byte 4; to judge only the captured ones, add --keep 4", 0);
    wrong.id = "k/v~x";
    expect_rule(&facts, CERTIFICATE_RESULT, CERTIFICATE_UNDECIDED,
                "with NaN among its inputs: wrong result: byte 4; to judge only numbers, add --allow nan", 0);
    wrong.id = "k/v~s";
    expect_rule(&facts, CERTIFICATE_RESULT, CERTIFICATE_UNDECIDED, "to judge only the captured ones, add --keep 6", 0);
    wrong.id = "k/v~2";
    expect_rule(&facts, CERTIFICATE_RESULT, CERTIFICATE_REFUSED, "wrong result: byte 4", 1);
}

Test(certificate, each_input_counts)
{
    static const struct certificate_input moving = {.argument = 2, .bytes = 65536, .parts = "1111", .moves = true},
                                          bias = {.argument = 3, .bytes = 4, .kept = "zeros"},
                                          asked = {.argument = 3, .bytes = 4, .kept = "zeros", .asked = true},
                                          still = {.argument = 4, .bytes = 1}, list = {.bytes = 8, .kept = "pointers"},
                                          hidden = {.argument = 5, .bytes = 8, .within = true},
                                          in_part = {.argument = 6, .bytes = 64, .parts = "1101", .moves = true},
                                          of_grid = {.argument = 8, .value = "64", .kept = "size", .of_grid = true},
                                          scalar = {.argument = 7, .value = "512", .kept = "size"};
    const struct {
        size_t count;
        const struct certificate_input inputs[2];
        enum certificate_outcome outcome;
        const char *words, *undrawn;
    } rows[] = {
        {1, {moving}, CERTIFICATE_PASSED, "1 of 1 input was redrawn; each one changes the result", NULL},
        {2,
         {moving, bias},
         CERTIFICATE_UNDECIDED,
         "; argument 3 (4 bytes): kept as captured (zeros); to accept it, add --keep 3",
         NULL},
        {2, {moving, asked}, CERTIFICATE_ALLOWED, "1 of 2 inputs were redrawn", NULL},
        {2, {moving, still}, CERTIFICATE_UNDECIDED, "argument 4 (1 byte): it does not change", NULL},
        {2, {moving, hidden}, CERTIFICATE_UNDECIDED, "(8 bytes): it changes the result only", NULL},
        {2,
         {moving, list},
         CERTIFICATE_UNDECIDED,
         "memory that no argument points to (8 bytes): kept as captured (pointers)",
         NULL},
        {2, {moving, in_part}, CERTIFICATE_UNDECIDED, "some parts of it do not change the result: 1101", NULL},
        {2, {moving, scalar}, CERTIFICATE_UNDECIDED, "; argument 7 = 512: kept as captured (size)", NULL},
        {2, {moving, of_grid}, CERTIFICATE_PASSED, "1 of 1 input was redrawn", NULL},
        {2, {bias, still}, CERTIFICATE_UNDECIDED, "; to accept them, add --keep 3,4", NULL},
        {1, {asked}, CERTIFICATE_UNDECIDED, "0 of 1 input", NULL},
        {0, {asked}, CERTIFICATE_UNDECIDED, "0 of 0 inputs", NULL},
        {1, {moving}, CERTIFICATE_UNDECIDED, "no new inputs were drawn: why", "why"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct certificate_facts facts = {
            .inputs = rows[i].inputs, .input_count = rows[i].count, .undrawn = rows[i].undrawn};
        expect_rule(&facts, CERTIFICATE_INPUTS, rows[i].outcome, rows[i].words, i);
    }
}

Test(certificate, what_was_filled_decides_and_so_does_the_worst)
{
    const struct {
        struct certificate_facts facts;
        enum certificate_outcome outputs, worst;
    } rows[] = {
        {{.filled = 16}, CERTIFICATE_PASSED, CERTIFICATE_REFUSED},
        {{.filled = 0}, CERTIFICATE_PASSED, CERTIFICATE_REFUSED},
        {{.unfilled = true}, CERTIFICATE_UNDECIDED, CERTIFICATE_REFUSED},
        {{.undrawn = "why"}, CERTIFICATE_UNDECIDED, CERTIFICATE_UNDECIDED},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct certificate_facts facts = rows[i].facts;
        facts.wanted = 1; /* and it was run on none */
        OWNED(certificate) certificate = certificate_make(&facts);
        cr_expect_eq(certificate.rows[CERTIFICATE_OUTPUTS].outcome, rows[i].outputs, "row %zu", i);
        cr_expect_eq(certificate_worst(&certificate), rows[i].worst, "row %zu", i);
    }
    const struct certificate allowed = {.rows = {[CERTIFICATE_INPUTS] = {.outcome = CERTIFICATE_ALLOWED}}};
    cr_expect_eq(certificate_worst(&allowed), CERTIFICATE_PASSED);
}
