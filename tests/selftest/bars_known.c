/* Q7: counts of instrumented code that a check on a GPU does not read again. */
#include "selftest.h"

#define KERNEL "made/up"
#define FOLLOWING "shared_bank_conflicts" /* but for noise it follows from code, launches and inputs */

/* To add a change: a row. The kernel has instructions, which the hardware counts, and the rows of instrumented code. */
static const struct change {
    const char *words;
    bool known;                                            /* before the kernel runs: they need not be read */
    bool unjudged;                                         /* they were not, and that is right; else each is missing */
    const char *inputs, *code, *compiler, *cupti, *driver; /* of the run; NULL: as in the baseline; "": unknown */
    unsigned grid;                                         /* 0: as in the baseline */
    const char *row;                                       /* of the baseline: */
    double second;                                         /* its value in the second session; 0: the row is absent */
    double instructions;                                   /* of the run; 0: as in the baseline */
    const char *earlier; /* CUPTI of the session that the row is of, before the newest */
    bool others;         /* in the baseline the code is unknown: it is that of others */
    bool reads;          /* the run has read what follows but for noise */
    bool unlaunched;     /* the run is dry, and did not get as far as a launch */
    bool program;
} changes[] = {
    {"nothing has changed: known, and not judged", .known = true, .unjudged = true},
    {"other inputs: read", .inputs = "caff"},
    {"inputs that nobody knows: read", .inputs = ""},
    {"other code: read", .code = "beef"},
    {"code that nobody knows: read", .code = ""},
    {"another grid: read", .grid = 2},
    {"another compiler: read", .compiler = "nvcc 13.5.37"},
    {"another CUPTI: read", .cupti = "130500"},
    {"counts by another CUPTI, before a session by this one: read", .earlier = "120000"},
    {"a compiler that nobody knows: known", .known = true, .unjudged = true, .compiler = ""},
    {"a count that the baseline lacks: read", .unjudged = true, .row = "branch_targets"},
    {"a count that varied in the baseline: read", .row = "branch_targets", .second = 8},
    {"a count of the hardware that varied: read", .row = "instructions", .second = 1001},
    {"a count of the hardware that is not the baseline's: missing, and read then", .known = true, .instructions = 1001},
    {"what follows but for noise may vary: known", .known = true, .unjudged = true, .row = FOLLOWING, .second = 8},
    {"what follows, and the baseline lacks: read", .unjudged = true, .row = FOLLOWING},
    {"another driver of the same code: known", .known = true, .unjudged = true, .driver = "590.1"},
    {"code of others, not yet launched: known", .known = true, .code = "", .others = true, .unlaunched = true},
    {"code of others, launched alike: known", .known = true, .unjudged = true, .code = "", .others = true,
     .reads = true},
    {"code of others, and what follows was not read: missing", .known = true, .code = "", .others = true},
    {"code of others by another driver: read", .code = "", .others = true, .reads = true, .driver = "590.1"},
    {"code of others on another grid: read", .code = "", .others = true, .reads = true, .grid = 2},
    {"own code where that of others was: read", .code = "f00d", .others = true, .reads = true},
    {"code of others in a program: by the rules of programs", .known = true, .code = "", .others = true, .reads = true,
     .program = true},
    {"code of others that counts otherwise: missing, and read then", .known = true, .code = "", .others = true,
     .reads = true, .instructions = 1001},
};

static void describe(struct run *run, const char *inputs, const char *code, unsigned grid, const char *compiler,
                     const char *cupti, const char *driver, bool program)
{
    struct result *result = run_add(run, KERNEL);
    if (grid > 0)
        put_launch(result, *code ? code : NULL, grid);
    result->inputs = *inputs ? x_strdup(inputs) : NULL;
    struct session *session = ARRAY_GROW(run->sessions, run->session_count);
    session->facts[SESSION_COLLECTOR] = x_strdup(program ? "exec" : "cupti");
    session->facts[SESSION_DATE] = x_strdup("2026-11-28T08:00:00.000Z");
    session->facts[SESSION_COMPILER] = *compiler ? x_strdup(compiler) : NULL;
    session->facts[SESSION_CUPTI] = *cupti ? x_strdup(cupti) : NULL;
    session->facts[SESSION_DRIVER] = x_strdup(driver);
}

static void make_baseline(struct run *baseline, const struct change *change, const struct metrics *metrics)
{
    for (size_t m = 0; m < metrics->count; m++) {
        const char *name = metrics->list[m].name;
        const bool hardware = strcmp(name, "instructions") == 0,
                   special = change->row && strcmp(name, change->row) == 0;
        const double value = hardware ? 1000 : 7;
        if ((hardware || metric_may_be_known(&metrics->list[m])) && !(special && change->second == 0))
            row_add_session(put_row(baseline, KERNEL, name, value, 1), special ? &change->second : &value, 1);
    }
    for (int i = 0; i < 2 && change->earlier; i++) /* the sessions of the rows */
        ARRAY_GROW(baseline->sessions, baseline->session_count)->facts[SESSION_CUPTI] = x_strdup(change->earlier);
    describe(baseline, change->others ? "" : "cafe", change->others ? "" : "f00d", 1, "nvcc 13.0.88", "130001", "580.1",
             change->program);
}

static void make_run(struct run *run, const struct change *change)
{
    put_row(run, KERNEL, "instructions", change->instructions > 0 ? change->instructions : 1000, 1);
    if (change->reads)
        put_row(run, KERNEL, FOLLOWING, 7, 1);
    describe(run, change->inputs ? change->inputs : "cafe", change->code ? change->code : "f00d",
             change->unlaunched ? 0
             : change->grid > 0 ? change->grid
                                : 1,
             change->compiler ? change->compiler : "nvcc 13.0.88", change->cupti ? change->cupti : "130001",
             change->driver ? change->driver : "580.1", change->program);
}

/* Whether every row that may be known, of which there is one at least, is told and not judged, but for what was read.
 */
static bool is_unjudged(const struct comparison *comparison, bool reads)
{
    size_t told = 0;
    for (size_t i = 0; i < comparison->count; i++) {
        const struct judgement *judgement = &comparison->list[i];
        if (!judgement->metric || !metric_may_be_known(judgement->metric) || (reads && judgement->metric->follows))
            continue;
        if (judgement->verdict != VERDICT_INFO || !judgement->reason ||
            !strstr(judgement->reason, "known since 2026-11-28"))
            return false;
        told++;
    }
    return told > 0;
}

void q7_known(struct selftest *selftest)
{
    for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
        const struct change *change = &changes[i];
        OWNED(run) baseline = {0}, run = {0};
        OWNED(comparison) comparison;
        make_baseline(&baseline, change, &selftest->metrics);
        make_run(&run, change);
        const bool known =
            counts_are_known(&baseline, run_find(&baseline, KERNEL), &run, run_find(&run, KERNEL), &selftest->metrics);
        compare_runs(&comparison, &baseline, &run, &selftest->metrics, NULL);
        expect_all(selftest, known == change->known && is_unjudged(&comparison, change->reads) == change->unjudged, 1,
                   change->words);
    }
    size_t days = 0;
    for (long day = 20000; day < 20000 + KNOWN_READ; day++)
        days += counts_have_their_day(KERNEL, day);
    expect_all(selftest, days == 1, 1, "each kernel is read all the same on one of so many days");
}
