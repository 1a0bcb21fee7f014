#include "base/base.h"
#include "cubin/cubin.h"
#include "gate/gate.h"

#include "command.h"
#include "list_capsules.h"
#include "outputs.h"
#include "swapping.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum { DRAWS = 2, SEED_MOST = 1000000000 };

/* All state of one candidate. It is empty at first and released at the end. */
struct refereeing {
    struct options options; /* those of the command line, with the files that are made here */
    FILE *list;             /* of several candidates: takes a line of each; or NULL */
    bool listed;            /* it has it */
    struct metrics metrics;
    struct outputs outputs;
    struct capsules task;
    char *folder, *reference, *candidate, *none; /* files made here, and a folder that is not there */
    struct prove drawing;
    struct run executed; /* on a GPU: of the candidate, by a CPU */
    struct check check;
    struct kernel_code codes[2]; /* of the candidate and of the reference */
    struct certificate *certificates;
    size_t certificate_count;
    unsigned allowed;
    uint64_t keep;         /* arguments whose inputs stay, a bit each */
    double gains;          /* sum of ln(time of the reference / time of the candidate) */
    size_t timed, untimed; /* of how many launches, and of how many it is not known */
    double tolerance;      /* of results; 0: none */
    const char *type;      /* of these */
};

/* ---- The command line ---- */

static int read_allowed(struct refereeing *refereeing, const struct options *options)
{
    static const struct {
        const char *name;
        unsigned bit;
    } rows[] = {{"tensor", ALLOW_TENSOR},
                {"precision", ALLOW_PRECISION},
                {"unexecuted", ALLOW_UNEXECUTED},
                {"varying", ALLOW_VARYING}};
    for (size_t i = 0; i < options->allowed_count; i++) {
        size_t at = 0;
        while (at < ARRAY_SIZE(rows) && strcmp(rows[at].name, options->allowed[i]) != 0)
            at++;
        if (at == ARRAY_SIZE(rows))
            return error("--allow needs tensor, precision, unexecuted or varying, not '%s'", options->allowed[i]);
        refereeing->allowed |= rows[at].bit;
    }
    return 0;
}

static bool is_chosen(const struct refereeing *refereeing, const char *id)
{
    return glob_any(refereeing->options.globs, refereeing->options.glob_count, id);
}

/* Everything that can be wrong with the command line or the task is said before anything is drawn. */
static int open_files(struct refereeing *refereeing)
{
    struct options *options = &refereeing->options;
    struct problem problem;
    if (capsules_open(&refereeing->task, options->arguments[0], false, &problem) < 0)
        return error("%s", problem.text);
    for (size_t i = 0; i < refereeing->task.count; i++)
        if (strlen(refereeing->task.list[i].id) + strlen("~100") > NAME_LENGTH - 1)
            return error("the name of %s is too long to number its inputs: capture it with a shorter --name",
                         refereeing->task.list[i].id);
    if (capsules_check_globs(&refereeing->task, options) < 0 || read_allowed(refereeing, options) < 0 ||
        read_arguments("keep", options->keep, &refereeing->keep) < 0 ||
        (!refereeing->list && outputs_open(&refereeing->outputs, options) < 0) ||
        options_read_metrics(options, &refereeing->metrics) < 0)
        return -1;
    refereeing->folder = make_temporary_folder();
    if (!refereeing->folder)
        return -1;
    refereeing->reference = x_sprintf("%s/reference.capsule", refereeing->folder);
    refereeing->candidate = x_sprintf("%s/candidate.capsule", refereeing->folder);
    refereeing->none = x_sprintf("%s/none", refereeing->folder);
    return 0;
}

/* ---- Inputs ---- */

static unsigned draws_of(const struct refereeing *refereeing)
{
    return refereeing->options.draws > 0 ? (unsigned)refereeing->options.draws : DRAWS;
}

/* Has the reference make what is right on inputs that were drawn. Returns 0 or an exit code. */
static int draw(struct refereeing *refereeing, const struct measurement *measurement)
{
    const struct options *options = &refereeing->options;
    const struct draws draws = {
        .measurement = measurement,
        .globs = options->globs,
        .glob_count = options->glob_count,
        .count = draws_of(refereeing),
        .seed = (uint64_t)options->seed,
        .narrow = refereeing->allowed & ALLOW_PRECISION,
        .keep = refereeing->keep,
        .tolerance = options->tolerance ? strtod(options->tolerance, NULL) : 0,
        .type = options->type ? value_type_of(options->type) : VALUE_F32,
    };
    refereeing->drawing = (struct prove){
        .from = options->arguments[0],
        .to = refereeing->reference,
        .draws = &draws,
        .timeout = options_timeout(options),
        .progress = isatty(STDERR_FILENO) && !options->quiet,
    };
    const int code = measure_prove(&refereeing->drawing);
    refereeing->drawing.draws = NULL;
    if (code != EXIT_SAME || refereeing->drawing.kept > 0)
        return code;
    for (size_t i = 0; i < refereeing->drawing.count; i++)
        if (is_chosen(refereeing, refereeing->drawing.results[i].id))
            error("%s cannot be judged on other inputs: %s", refereeing->drawing.results[i].id,
                  refereeing->drawing.results[i].refused);
    return EXIT_UNSURE;
}

/* ---- Certificates ---- */

/* Whether a result is of that kernel on some inputs: "KERNEL~1". */
static bool is_of(const char *id, const char *kernel)
{
    const size_t length = strlen(kernel);
    return strncmp(id, kernel, length) == 0 && id[length] == '~' && !strchr(id + length + 1, '~');
}

static bool has_other_sizes(const char *id)
{
    const size_t length = strlen(id);
    return length > 2 && strcmp(id + length - 2, "~n") == 0;
}

/* Whether the code of a kernel adds and multiplies no halves, as far as is known. */
static bool has_no_halves(struct kernel_code *code, const struct result *result)
{
    const int capability = static_facts_capability(&code->capsules.about.device);
    enum cubin_status status;
    const struct cubin *cubin = kernel_code_of(code, result->id);
    const struct cubin_function *function = NULL;
    if (cubin && result->launch_count == 1)
        function = cubin_find(cubin, result->launches[0].function, capability, &status);
    return function && !function->halves;
}

/* Adds the arrays that the launch may read. */
static void add_inputs(struct certificate_facts *facts, struct certificate_input *inputs, const struct drawn *drawn)
{
    bool sizes = false;
    for (size_t i = 0; i < drawn->count; i++) {
        const struct drawn_array *array = &drawn->arrays[i];
        sizes |= array->kind == DRAWN_SIZE && array->way < DRAW_KEPT;
        if (array->size > 0)
            inputs[facts->input_count++] = (struct certificate_input){
                .argument = array->argument,
                .bytes = array->size,
                .kept = array->way == DRAW_KEPT ? drawn_kind_name(array->kind) : NULL,
                .moves = array->effect == EFFECT_SEEN,
                .within = array->effect == EFFECT_WITHIN,
                .asked = array->asked,
                .is_size = array->kind == DRAWN_SIZE,
            };
    }
    facts->inputs = inputs;
    facts->wanted += sizes;
}

/* What holds of the candidate: the options, or what the task says. */
static void add_tolerance(struct certificate_facts *facts, const struct capsules *candidate)
{
    for (size_t i = 0; i < candidate->count; i++)
        if (is_of(candidate->list[i].id, facts->kernel)) {
            facts->tolerance = candidate->list[i].tolerance;
            facts->type = value_type_name(candidate->list[i].type);
        }
}

/* Returns the time of a launch, estimated where it was computed; NAN: it is not known. */
static double time_of(const struct refereeing *refereeing, const struct result *result)
{
    if (refereeing->options.way == ORIGIN_COMPUTED)
        return result && result->estimated ? result->estimated->ns : NAN;
    const struct row *row = result ? result_find(result, "time") : NULL;
    return row && row->state == VALUE_MEASURED ? row_value(row) : NAN;
}

static void add_gain(struct refereeing *refereeing, const struct result *now, const struct result *base)
{
    const double gain = log(time_of(refereeing, base) / time_of(refereeing, now));
    if (isfinite(gain)) {
        refereeing->gains += gain;
        refereeing->timed++;
    } else {
        refereeing->untimed++;
    }
}

static void certify(struct refereeing *refereeing, size_t number)
{
    struct certificate_input inputs[DRAWN_MOST] = {{0}};
    const struct proof_result *drawn = &refereeing->drawing.results[number];
    const struct check *check = &refereeing->check;
    struct certificate_facts facts = {
        .kernel = drawn->id,
        .undrawn = drawn->refused,
        .wanted = drawn->refused ? 0 : 1 + draws_of(refereeing),
        .filled = drawn->drawn.filled,
        .unfilled = drawn->unfilled,
        .uncounted = drawn->uncounted,
        .overflows = drawn->overflows,
        .undecided = drawn->undecided,
        .undecided_argument = drawn->of_argument,
        .allowed = refereeing->allowed,
    };
    add_inputs(&facts, inputs, &drawn->drawn);
    add_tolerance(&facts, &refereeing->codes[0].capsules);
    refereeing->tolerance = facts.tolerance;
    refereeing->type = facts.type;
    for (size_t i = 0; i < check->run.result_count; i++) {
        const struct result *now = &check->run.results[i];
        size_t count = facts.count, executed = facts.count;
        if (!is_of(now->id, drawn->id))
            continue;
        facts.sizes = has_other_sizes(now->id) ? facts.count : facts.sizes;
        *ARRAY_GROW(facts.now, count) = now;
        *ARRAY_GROW(facts.executed, executed) =
            refereeing->options.way == ORIGIN_COMPUTED ? now : run_find(&refereeing->executed, now->id);
        *ARRAY_GROW(facts.base, facts.count) = run_find(&check->baseline, now->id);
        if (!has_other_sizes(now->id))
            add_gain(refereeing, now, facts.base[facts.count - 1]);
    }
    if (facts.count > 0 && facts.base[0]) {
        facts.no_halves = has_no_halves(&refereeing->codes[0], facts.now[0]);
        facts.base_no_halves = has_no_halves(&refereeing->codes[1], facts.base[0]);
    }
    *ARRAY_GROW(refereeing->certificates, refereeing->certificate_count) = certificate_make(&facts);
    free(facts.base);
    free(facts.executed);
    free(facts.now);
}

/* ---- The verdict ---- */

static enum exit_code exit_code_of(const struct refereeing *refereeing)
{
    const enum exit_code code = check_exit_code(&refereeing->check);
    size_t with;
    const enum certificate_outcome worst =
        certificates_worst(refereeing->certificates, refereeing->certificate_count, &with);
    if (worst == CERTIFICATE_REFUSED)
        return EXIT_NOT_MEASURED;
    return worst == CERTIFICATE_UNDECIDED ? EXIT_UNSURE : code;
}

/* What is said of a candidate among several, as text: its outcome, and the first words that say why. */
static void list_line(FILE *list, const char *outcome, int code, const char *path, const char *why)
{
    const char *name = strrchr(path, '/');
    fprintf(list, "%-10s exit %d  %-32s %s\n", outcome, code, name ? name + 1 : path, why);
}

/* Returns the first words of a certificate that has that outcome; NULL: none has. */
static const char *first_words(const struct report *report, enum certificate_outcome outcome)
{
    for (size_t i = 0; i < report->certificate_count; i++)
        for (size_t k = 0; k < CERTIFICATE_RULES; k++)
            if (report->certificates[i].rows[k].outcome == outcome)
                return report->certificates[i].rows[k].words;
    return NULL;
}

/* Returns the hash of a file in hexadecimal; NULL where it cannot be read. Caller frees. */
static char *hash_of(const char *path)
{
    char *bytes;
    size_t size;
    struct problem ignored, *before = error_into(&ignored);
    const int failed = file_read(path, (size_t)16 << 30, &bytes, &size);
    error_into(before);
    if (failed < 0)
        return NULL;
    const XXH128_hash_t hash = XXH3_128bits(bytes, size);
    free(bytes);
    return x_sprintf("%016" PRIx64 "%016" PRIx64, hash.high64, hash.low64);
}

/* Prints a report with what was asked, and the score. Without a certificate it was not judged, and reason says why. */
static int print_refereed(struct refereeing *refereeing, struct report *report, const char *reason)
{
    const struct options *options = &refereeing->options;
    size_t with;
    const enum certificate_outcome worst = certificates_worst(report->certificates, report->certificate_count, &with);
    const bool judged = report->certificate_count > 0;
    const bool passed = judged && worst <= CERTIFICATE_ALLOWED && report->exit_code != EXIT_NOT_MEASURED;
    char *task = hash_of(options->arguments[0]), *code = hash_of(options->code);
    const struct refereed refereed = {
        .outcome = judged ? certificate_outcome_name(worst) : "not judged",
        .reason = reason,
        .task = options->arguments[0],
        .code = options->code,
        .task_hash = task,
        .code_hash = code,
        .score = !passed ? 0
                 : refereeing->untimed > 0 || refereeing->timed == 0
                     ? NAN
                     : exp(refereeing->gains / (double)refereeing->timed),
        .tolerance = refereeing->tolerance,
        .type = refereeing->tolerance > 0 ? refereeing->type : NULL,
        .draws = draws_of(refereeing),
        .keep = refereeing->keep,
        .allowed = options->allowed,
        .allowed_count = options->allowed_count,
    };
    report->refereed = &refereed;
    report->seed = options->seed;
    const int printed = refereeing->list ? output_print(format_find(DOCUMENT_CHECK, "json", "--format"), report,
                                                        options, refereeing->list)
                                         : outputs_print(&refereeing->outputs, report, options);
    free(code);
    free(task);
    return printed;
}

static int list_report(struct refereeing *refereeing, struct report *report)
{
    const struct options *options = &refereeing->options;
    size_t with;
    const enum certificate_outcome worst = certificates_worst(report->certificates, report->certificate_count, &with);
    const char *why = worst > CERTIFICATE_ALLOWED ? first_words(report, worst) : NULL;
    refereeing->listed = true;
    report->candidate = options->code;
    if (strcmp(options->format, "json") == 0)
        return print_refereed(refereeing, report, NULL);
    list_line(refereeing->list, certificate_outcome_name(worst), (int)report->exit_code, options->code,
              why                              ? why
              : report->exit_code == EXIT_SAME ? ""
                                               : exit_code_name(report->exit_code));
    return 0;
}

static int print(struct refereeing *refereeing)
{
    const struct check *check = &refereeing->check;
    struct report report = {
        .metrics = &refereeing->metrics,
        .run = &check->run,
        .baseline = check->has_baseline ? &check->baseline : NULL,
        .comparison = check->has_baseline ? &check->comparison : NULL,
        .diagnosis = check->has_baseline ? &check->diagnosis : NULL,
        .baseline_name = refereeing->options.arguments[0],
        .certificates = refereeing->certificates,
        .certificate_count = refereeing->certificate_count,
        .exit_code = exit_code_of(refereeing),
    };
    const int printed = refereeing->list ? list_report(refereeing, &report) : print_refereed(refereeing, &report, NULL);
    return printed < 0 ? EXIT_USAGE : (int)report.exit_code;
}

/* Puts the candidate's code into capsules of a file, those that the options choose or all. */
static int swap(const struct refereeing *refereeing, const char *from, const struct options *choice)
{
    struct options swapped = refereeing->options;
    swapped.globs = choice ? choice->globs : NULL;
    swapped.glob_count = choice ? choice->glob_count : 0;
    swapped.quiet = true;
    return swap_file(&swapped, from, refereeing->candidate, false);
}

/* Has a CPU execute the candidate as well, where it is measured on a GPU. Without a description of that GPU it is not
 * executed, after error(). */
static int execute(struct refereeing *refereeing, const struct measurement *measured)
{
    struct measurement measurement = *measured;
    struct options computing = refereeing->options;
    computing.way = ORIGIN_COMPUTED;
    char *gpu = options_find_gpu(&computing);
    measurement.timeout = options_timeout(&computing);
    measurement.backend = backend_find(origin_of(ORIGIN_COMPUTED)->collector);
    measurement.gpu = gpu;
    measurement.devices = (struct device_list){0};
    measurement.label = "executing on the CPU";
    const int code = gpu ? measure_run(&measurement, &refereeing->executed) : EXIT_SAME;
    free(gpu);
    return code == EXIT_INTERRUPTED ? code : EXIT_SAME;
}

/* Runs the reference and the candidate on the same inputs, and judges one by the other. */
static int judge(struct refereeing *refereeing, struct check_request *request)
{
    if (swap(refereeing, refereeing->reference, NULL) < 0)
        return EXIT_USAGE;
    if (refereeing->options.way != ORIGIN_COMPUTED && execute(refereeing, &request->measurement) != EXIT_SAME)
        return EXIT_INTERRUPTED;
    const int code = check_judge(&refereeing->check, request);
    if (code != EXIT_SAME || refereeing->check.measured == EXIT_INTERRUPTED)
        return code != EXIT_SAME ? code : EXIT_INTERRUPTED;
    /* Whoever made the task chose the sizes at which speed matters. */
    comparison_show_only(&refereeing->check.comparison, has_other_sizes,
                         "its sizes were drawn: only its results count");
    if (kernel_code_open(&refereeing->codes[0], refereeing->candidate) < 0 ||
        kernel_code_open(&refereeing->codes[1], refereeing->reference) < 0)
        return EXIT_USAGE;
    for (size_t i = 0; i < refereeing->task.count; i++)
        if (is_chosen(refereeing, refereeing->task.list[i].id))
            certify(refereeing, i);
    return print(refereeing);
}

static void release(struct refereeing *refereeing)
{
    prove_release(&refereeing->drawing);
    run_release(&refereeing->executed);
    check_release(&refereeing->check);
    kernel_code_close(&refereeing->codes[0]);
    kernel_code_close(&refereeing->codes[1]);
    outputs_release(&refereeing->outputs);
    for (size_t i = 0; i < refereeing->certificate_count; i++)
        certificate_release(&refereeing->certificates[i]);
    free(refereeing->certificates);
    if (refereeing->folder)
        remove_temporary_folder(refereeing->folder);
    free(refereeing->reference);
    free(refereeing->candidate);
    free(refereeing->none);
    capsules_release(&refereeing->task);
    metrics_release(&refereeing->metrics);
}

/* A candidate that could not be judged has a line too. */
static void list_failure(struct refereeing *refereeing, int code, const char *why)
{
    const struct options *options = &refereeing->options;
    const struct run nothing = {0};
    struct report report = {.metrics = &refereeing->metrics,
                            .run = &nothing,
                            .candidate = options->code,
                            .exit_code = (enum exit_code)code};
    if (strcmp(options->format, "json") == 0)
        print_refereed(refereeing, &report, *why ? why : NULL);
    else
        list_line(refereeing->list, "not judged", code, options->code, why);
}

/* drawn: has the inputs already; NULL: they are drawn here. */
static int judge_candidate(const struct options *options, FILE *list, const struct refereeing *drawn)
{
    struct refereeing refereeing = {.options = *options, .list = list};
    struct options *own = &refereeing.options;
    struct problem said = {""}, *before = list ? error_into(&said) : NULL;
    int code = EXIT_USAGE;
    if (open_files(&refereeing) == 0) {
        if (drawn) {
            free(refereeing.reference);
            refereeing.reference = x_strdup(drawn->reference);
            refereeing.drawing = drawn->drawing; /* of this process alone, which ends */
        }
        own->kernels = refereeing.candidate;
        own->against = refereeing.reference;
        own->baselines = refereeing.none;
        struct check_request request = {.metrics = &refereeing.metrics,
                                        .baselines = refereeing.none,
                                        .way = own->way,
                                        .gpu = own->gpu,
                                        .all = true,
                                        .against = refereeing.reference,
                                        .paired = own->way != ORIGIN_COMPUTED,
                                        .explain = own->explain};
        if (options_measurement(&request.measurement, own, &refereeing.metrics) == 0) {
            request.measurement.globs = NULL;
            request.measurement.glob_count = 0;
            /* What does not fit is said before anything is drawn. */
            code = swap(&refereeing, own->arguments[0], own) < 0 ? EXIT_USAGE
                   : drawn                                       ? EXIT_SAME
                                                                 : draw(&refereeing, &request.measurement);
            if (!options->quiet && !list)
                fprintf(stderr, "inputs by --seed %d\n", own->seed);
            if (code == EXIT_SAME)
                code = judge(&refereeing, &request);
        }
    }
    if (list)
        error_into(before);
    if (list && !refereeing.listed && code != EXIT_INTERRUPTED)
        list_failure(&refereeing, code, said.text);
    release(&refereeing);
    return code;
}

int referee_candidate(const struct options *options, FILE *list)
{
    return judge_candidate(options, list, NULL);
}

/* ---- Several candidates ---- */

/* What Triton writes beside a cubin, and source text, is none. */
static int is_candidate(const struct dirent *entry)
{
    static const char *const endings[] = {".cubin", ".fatbin", ".so"};
    const char *ending = strrchr(entry->d_name, '.');
    for (size_t i = 0; ending && i < ARRAY_SIZE(endings); i++)
        if (strcmp(ending, endings[i]) == 0)
            return 1;
    return 0;
}

/* A candidate of a folder, judged by a process of its own, so that several are at once and none ends the others. */
struct turn {
    struct options options;
    const struct refereeing *drawn;
    char *code, *said[2]; /* the candidate's path; files of its line or document, and of its messages */
    pid_t process;        /* -1: it could not be started */
};

static void take_turn(const void *data)
{
    const struct turn *turn = data;
    const int code = judge_candidate(&turn->options, stdout, turn->drawn);
    fflush(stdout);
    _exit(code);
}

static void start_turn(struct turn *turn, const struct options *options, const struct refereeing *drawn,
                       const char *name, const char *folder)
{
    int files[2];
    *turn = (struct turn){
        .options = *options, .drawn = drawn, .code = x_sprintf("%s/%s", options->code, name), .process = -1};
    turn->options.code = turn->code;
    for (size_t i = 0; i < 2; i++) {
        turn->said[i] = x_sprintf("%s/%s.%zu", folder, name, i);
        files[i] = open(turn->said[i], O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    }
    const struct process_start start = {.run = take_turn,
                                        .data = turn,
                                        .input = PROCESS_NOTHING,
                                        .output = files[0],
                                        .errors = files[1],
                                        .dies_with_us = true};
    if (files[0] >= 0 && files[1] >= 0)
        turn->process = process_start(&start);
    for (size_t i = 0; i < 2; i++)
        if (files[i] >= 0)
            close(files[i]);
}

/* Passes on a file of what it said. False: there is nothing in it. */
static bool pass_on(const char *path, FILE *stream)
{
    char *text;
    size_t length;
    if (file_read(path, (size_t)1 << 30, &text, &length) < 0)
        return false;
    fwrite(text, 1, length, stream);
    fflush(stream);
    free(text);
    return length > 0;
}

/* Waits for its end, and passes on what it said. One that has not said what came of it has a line all the same. Returns
 * its exit code. */
static int end_turn(struct turn *turn, FILE *list)
{
    const int code = turn->process < 0 ? EXIT_USAGE : process_exit_code(process_wait(turn->process));
    const bool is_cut = turn->process < 0 || code > EXIT_INTERRUPTED;
    (void)pass_on(turn->said[1], stderr);
    const bool has_line = !is_cut && (code == EXIT_INTERRUPTED || pass_on(turn->said[0], list));
    if (!has_line) {
        struct refereeing lost = {.options = turn->options, .list = list};
        OWNED_TEXT why = turn->process < 0 ? x_strdup("cannot start a process for it")
                                           : x_sprintf("its process ended with exit code %d", code);
        list_failure(&lost, EXIT_NOT_MEASURED, why);
    }
    for (size_t i = 0; i < 2; i++)
        free(turn->said[i]);
    free(turn->code);
    return has_line ? code : EXIT_NOT_MEASURED;
}

/* Judges each file of a folder on the same inputs. Returns the worst exit code. */
static int referee_all(const struct options *options, const struct refereeing *drawn, struct dirent **entries,
                       size_t count, FILE *list)
{
    const size_t jobs = options->jobs > 0 ? (size_t)options->jobs : 1;
    char *folder = make_temporary_folder();
    struct turn *turns = x_calloc(count, sizeof *turns);
    size_t begun = 0;
    int worst = folder ? EXIT_SAME : EXIT_USAGE;
    for (size_t i = 0; i < count && folder && (i < begun || worst != EXIT_INTERRUPTED); i++) {
        for (; begun < count && begun < i + jobs && worst != EXIT_INTERRUPTED; begun++)
            start_turn(&turns[begun], options, drawn, entries[begun]->d_name, folder);
        const int code = end_turn(&turns[i], list);
        worst = code > worst ? code : worst; /* 130 is the largest */
    }
    free(turns);
    if (folder)
        remove_temporary_folder(folder);
    return worst;
}

/* Draws inputs for all candidates. False: that fails, which each then says in its line. */
static bool draw_once(struct refereeing *refereeing)
{
    struct measurement measurement = {0};
    struct problem ignored, *before = error_into(&ignored);
    const bool drawn = options_measurement(&measurement, &refereeing->options, &refereeing->metrics) == 0 &&
                       draw(refereeing, &measurement) == EXIT_SAME;
    error_into(before);
    return drawn;
}

static int referee_folder(const struct options *options)
{
    struct atomic_file list;
    struct dirent **entries;
    const bool is_json = strcmp(options->format, "json") == 0;
    if ((!is_json && strcmp(options->format, "text") != 0) || options->report_count + options->out_count > 0) {
        error("a folder of candidates gives one list: use --format text or json, and -o FILE");
        return EXIT_USAGE;
    }
    struct refereeing probe = {.options = *options, .list = stderr};
    int count = -1;
    if (open_files(&probe) == 0) { /* what is wrong with the task is said once */
        count = scandir(options->code, &entries, is_candidate, by_entry_name);
        if (count < 0)
            error("cannot read %s: %s", options->code, strerror(errno));
        else if (count == 0)
            error("%s has no candidates (.cubin, .fatbin or .so files)", options->code);
    }
    if (count <= 0 || atomic_file_open(&list, options->output ? options->output : "-") < 0) {
        if (count >= 0)
            free(entries);
        release(&probe);
        return EXIT_USAGE;
    }
    const bool drawn = draw_once(&probe);
    fprintf(stderr, "%d candidate%s on inputs by --seed %d\n", count, plural((size_t)count), options->seed);
    const int worst = referee_all(options, drawn ? &probe : NULL, entries, (size_t)count, list.stream);
    release(&probe);
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    if (worst == EXIT_INTERRUPTED)
        atomic_file_abandon(&list);
    return worst != EXIT_INTERRUPTED && atomic_file_commit(&list) < 0 ? EXIT_USAGE : worst;
}

/* Ctrl-C is held back, so that the folder goes. */
static int cmd_referee(const struct options *options)
{
    struct interrupts interrupts;
    struct options own = *options;
    struct stat facts;
    unsigned drawn = 0;
    if (!options->code)
        die(EXIT_USAGE, "which code? add --code FILE: a cubin, fatbin, library or program, or a folder of them");
    if (own.seed < 0 && getrandom(&drawn, sizeof drawn, 0) != sizeof drawn)
        die(EXIT_USAGE, "this system cannot provide a random seed: add --seed N");
    if (own.seed < 0)
        own.seed = (int)(drawn % SEED_MOST);
    if (interrupts_open(&interrupts) < 0)
        return EXIT_NOT_MEASURED;
    const bool is_folder = stat(own.code, &facts) == 0 && S_ISDIR(facts.st_mode);
    const int code = is_folder ? referee_folder(&own) : referee_candidate(&own, NULL);
    return interrupts_close(&interrupts) ? EXIT_INTERRUPTED : code;
}

/* clang-format off */
static const struct option_row *const takes[] = {
    OPTION(.name = "code", .argument = "FILE", .kind = KIND_TEXT, .place = PLACE(code),
           .doc = "the candidate: a cubin, fatbin, shared library or program, or a folder of candidates"),
    &option_k, &option_function, &option_block, &option_grid, &option_shared, &option_tolerance, &option_type, &option_exact,
    OPTION(.name = "seed", .argument = "N", .kind = KIND_INTEGER, .place = PLACE(seed), .minimum = 0, .maximum = SEED_MOST,
           .doc = "seed for the inputs; an earlier verdict's seed reproduces it (default: random)"),
    OPTION(.name = "draws", .argument = "N", .kind = KIND_INTEGER, .place = PLACE(draws), .minimum = 1, .maximum = 100,
           .doc = "number of other inputs to judge each kernel on (default: 2)"),
    OPTION(.name = "jobs", .argument = "N", .kind = KIND_INTEGER, .place = PLACE(jobs), .minimum = 1, .maximum = 1000,
           .doc = "judge N candidates of a folder at once (default: 1)"),
    OPTION(.name = "keep", .argument = "N[,N]...", .kind = KIND_TEXT, .place = PLACE(keep),
           .doc = "arguments, numbered from 1, that keep their captured values: a candidate may rely on these"),
    OPTION(.name = "allow", .argument = "RULE", .kind = KIND_LIST, .place = PLACE(allowed),
           .doc = "do not refuse for RULE: tensor, precision, unexecuted or varying; repeatable"),
    &option_simulate, &option_output, &option_format, &option_report, &option_metrics, &option_collector, &option_device,
    &option_samples, &option_timeout, NULL,
};

const struct command command_referee = {
    .name = "referee",
    .arguments = "TASK.capsule",
    .summary = "judge untrusted kernels on fresh random inputs",
    .details = "TASK has captured launches of a correct kernel, the reference. FILE is the candidate, which takes the same "
               "arguments. Only its machine code runs, none of its host code.\n"
               "cugate draws new inputs, as different from the captured ones as the reference tolerates: floats of similar size, "
               "some larger, smaller, 0 or unchanged; integers in another order, some often, some never seen; sorted offsets; smaller or "
               "larger scalars. It names an input that has to stay, such as pointers, or that does not change the result: the verdict is "
               "then undecided unless --keep N accepts it. The reference computes the expected results. Pure outputs are filled with a "
               "pattern before each launch. The same --seed gives the same inputs.\n"
               "cugate refuses a candidate whose results differ, or differ by more than --tolerance; that uses tensor cores or fewer bits "
               "than the reference, unless --allow permits it; or that leaves data for the next launch in a variable of its own. On a GPU, "
               "the simulator also runs the candidate and reports out-of-bounds accesses. If it cannot run it, or disagrees, the verdict is "
               "undecided, unless --allow unexecuted. Results of the reference that vary from launch to launch are not compared, which is "
               "undecided too, unless --allow varying. Then both are compared as by `cugate check`: pairs of times on a GPU, exact counts "
               "with --simulate.\n"
               "JSON has a score (the speedup over the reference, 0 unless the candidate passed), the rules that did not pass "
               "(`reasons`), all settings, and hashes of both files.\n"
               "In a folder each .cubin, .fatbin and .so is a candidate, on the same inputs: one line each, or with --format json its "
               "whole report. NAME.json next to NAME.cubin may have its launch: {\"function\": \"softmax\", \"grid\": [64, 2], \"block\": 128, "
               "\"shared\": 4096}; an option comes first. The exit code is the worst. Without --tolerance the task's own counts; `cugate swap TASK --code TASK "
               "--tolerance X -o NEW` sets it. To compare with the last accepted code, make NEW by `cugate swap TASK --code ACCEPTED "
               "-o NEW`, and judge a candidate that TASK passed by NEW too.",
    .exits = EXITS({EXIT_SAME, "right, and not slower"}, {EXIT_REGRESSED, "right, and slower"}, {EXIT_USAGE, "an option, a file or a candidate is invalid: nothing was judged"},
                   {EXIT_UNSURE, "no error found, but something is undecided"},
                   {EXIT_NOT_MEASURED, "wrong, refused or not measured"}, {EXIT_INTERRUPTED, NULL}),
    .example = "cugate referee softmax.capsule --code candidate.cubin --tolerance 1e-5 --simulate",
    .takes = takes,
    .minimum = 1, .maximum = 1, .replays_argument = true, .ways = WAYS_OF_LIBRARY | WAY(COMPUTED), .run = cmd_referee,
};
/* clang-format on */
