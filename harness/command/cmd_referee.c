#include "outputs.h"
#include "referee_turns.h"
#include "swap_options.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <xxhash.h>

struct own_options {
    int draws, jobs;  /* 0: not given */
    int seed;         /* -1: not given */
    const char *keep; /* as it is typed */
    char **allowed;   /* followed by its count: KIND_LIST */
    size_t allowed_count;
};

enum { DRAWS = 2, SEED_MOST = 1000000000 };

/* What is asked by the command line, and the candidates of a folder. It is empty at first and released at the end. */
struct referee_job {
    const struct options *options;
    struct metrics metrics;
    struct outputs outputs;         /* of one candidate */
    struct measurement cross_check; /* on a GPU: how a CPU executes it as well */
    char *gpu;                      /* and which it simulates */
    struct referee_request request;
    struct referee_inputs inputs;
    int draw_code;               /* exit code of drawing them */
    struct problem draw_problem; /* and why that failed */
    struct dirent **entries;
    int entry_count;
};

/* ---- The command line ---- */

static int read_allowed(unsigned *allowed, const struct options *options)
{
    for (size_t i = 0; i < OWN(options)->allowed_count; i++) {
        unsigned at = 0;
        while (at < CERTIFICATE_ALLOWS && strcmp(certificate_allow_name(at), OWN(options)->allowed[i]) != 0)
            at++;
        if (at == CERTIFICATE_ALLOWS)
            return error("--allow needs tensor, precision, unexecuted, varying or nan, not '%s'",
                         OWN(options)->allowed[i]);
        *allowed |= 1u << at;
    }
    return 0;
}

/* Has a CPU execute the candidate as well, where it is measured on a GPU. Without a description of that GPU it is not
 * executed, after error(). */
static void request_cross_check(struct referee_job *job)
{
    struct options computing = *job->options;
    computing.way = ORIGIN_COMPUTED;
    job->gpu = options_find_gpu(&computing);
    if (!job->gpu)
        return;
    job->cross_check = job->request.measurement;
    job->cross_check.globs = NULL;
    job->cross_check.glob_count = 0;
    job->cross_check.timeout = options_timeout(&computing);
    job->cross_check.backend = backend_find(origin_of(ORIGIN_COMPUTED)->collector);
    job->cross_check.gpu = job->gpu;
    job->cross_check.devices = (struct device_list){0};
    job->cross_check.label = "executing on the CPU";
    job->request.cross_check = &job->cross_check;
}

/* Everything that can be wrong with the command line is said before anything is drawn. */
static int read_request(struct referee_job *job)
{
    const struct options *options = job->options;
    struct referee_request *request = &job->request;
    *request = (struct referee_request){
        .task = options->arguments[0],
        .metrics = &job->metrics,
        .way = options->way,
        .seed = OWN(options)->seed,
        .draws = OWN(options)->draws > 0 ? (unsigned)OWN(options)->draws : DRAWS,
        .explain = options->explain,
    };
    if (read_allowed(&request->allowed, options) < 0 ||
        read_arguments("keep", OWN(options)->keep, &request->keep) < 0 || read_swap(options, &request->swap) < 0 ||
        options_read_metrics(options, &job->metrics) < 0 ||
        options_measurement(&request->measurement, options, &job->metrics) < 0)
        return -1;
    request->swap.quiet = true;
    if (options->way != ORIGIN_COMPUTED)
        request_cross_check(job);
    return 0;
}

static void release(struct referee_job *job)
{
    for (int i = 0; i < job->entry_count; i++)
        free(job->entries[i]);
    free(job->entries);
    referee_inputs_release(&job->inputs);
    outputs_release(&job->outputs);
    free(job->gpu);
    metrics_release(&job->metrics);
}

/* ---- Printing ---- */

/* Returns the hash of a file in hexadecimal; NULL where it cannot be read. Caller frees. */
static char *hash_of(const char *path)
{
    OWNED_MEMORY char *bytes = NULL;
    size_t size;
    struct problem ignored, *before = error_into(&ignored);
    const int failed = file_read(path, (size_t)16 << 30, &bytes, &size);
    error_into(before);
    if (failed < 0)
        return NULL;
    const XXH128_hash_t hash = XXH3_128bits(bytes, size);
    return x_sprintf("%016" PRIx64 "%016" PRIx64, hash.high64, hash.low64);
}

/* Prints what came of a candidate: as a report, or among several as a line of text or JSON. Without refereed it was not
 * judged, and `why` says why. Returns its exit code. */
static int print_candidate(struct referee_job *job, const struct referee_result *refereed, int code, const char *why,
                           FILE *list)
{
    const struct options *options = job->options;
    const char *path = job->request.swap.code, *slash = strrchr(path, '/');
    const bool is_json = strcmp(options->format, "json") == 0;
    const struct run nothing = {0};
    const struct check *check = refereed ? &refereed->check : NULL;
    const bool has_baseline = check && check->has_baseline;
    OWNED_TEXT task = hash_of(options->arguments[0]), *candidate = hash_of(path);
    const struct referee_report referee = {
        .request = &job->request, .refereed = refereed, .reason = why, .task_hash = task, .code_hash = candidate};
    struct report report = {
        .metrics = &job->metrics,
        .run = check ? &check->run : &nothing,
        .baseline = has_baseline ? &check->baseline : NULL,
        .comparison = has_baseline ? &check->comparison : NULL,
        .diagnosis = has_baseline ? &check->diagnosis : NULL,
        .baseline_name = options->arguments[0],
        .certificates = refereed ? refereed->certificates : NULL,
        .certificate_count = refereed ? refereed->certificate_count : 0,
        .exit_code = (enum exit_code)code,
        .candidate = list ? path : NULL,
        .referee = &referee,
    };
    const char *worst = refereed ? referee_result_why(refereed) : why;
    int printed = 0;
    if (!list)
        printed = outputs_print(&job->outputs, &report, options);
    else if (is_json)
        printed = output_print(format_find(DOCUMENT_CHECK, "json", "--format"), &report, options, list);
    else
        fprintf(list, "%-10s exit %d  %-32s %s\n",
                refereed ? certificate_outcome_name(refereed->outcome) : "not judged", code, slash ? slash + 1 : path,
                worst               ? worst
                : code == EXIT_SAME ? ""
                                    : exit_code_name((enum exit_code)code));
    return printed < 0 ? EXIT_USAGE : code;
}

/* ---- Candidates ---- */

static int referee_one(struct referee_job *job)
{
    const struct options *options = job->options;
    OWNED(referee_result) refereed = {0};
    int code = EXIT_USAGE;
    /* What does not fit is said before anything is drawn. */
    if (outputs_open(&job->outputs, options) == 0 && swap_file(&job->request.swap, job->request.task, NULL) == 0) {
        code = referee_draw(&job->inputs, &job->request);
        if (!options->quiet)
            fprintf(stderr, "inputs drawn with --seed %d\n", OWN(options)->seed);
        if (code == EXIT_SAME)
            code = referee_judge(&refereed, &job->request, &job->inputs);
        if (code == EXIT_SAME)
            code = print_candidate(job, &refereed, (int)refereed.exit_code, NULL, NULL);
    }
    return code;
}

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

static void print_lost(const void *self, size_t number, const char *why, FILE *stream)
{
    struct referee_job job = *(const struct referee_job *)self;
    OWNED_TEXT path = x_sprintf("%s/%s", job.options->code, job.entries[number]->d_name);
    job.request.swap.code = path;
    (void)print_candidate(&job, NULL, EXIT_NOT_MEASURED, why, stream);
}

/* In a process of its own: messages become the reason in its line. */
static int judge_candidate(const void *self, size_t number, FILE *stream)
{
    struct referee_job job = *(const struct referee_job *)self;
    OWNED_TEXT path = x_sprintf("%s/%s", job.options->code, job.entries[number]->d_name);
    OWNED(referee_result) refereed = {0};
    struct problem said = job.draw_problem, *before = error_into(&said);
    job.request.swap.code = path;
    int code = job.draw_code;
    if (code == EXIT_SAME)
        code = referee_judge(&refereed, &job.request, &job.inputs);
    error_into(before);
    const bool judged = code == EXIT_SAME;
    if (code != EXIT_INTERRUPTED)
        code = print_candidate(&job, judged ? &refereed : NULL, judged ? (int)refereed.exit_code : code,
                               judged || !*said.text ? NULL : said.text, stream);
    return code;
}

static int referee_folder(struct referee_job *job)
{
    const struct options *options = job->options;
    struct atomic_file list;
    const bool is_json = strcmp(options->format, "json") == 0;
    if ((!is_json && strcmp(options->format, "text") != 0) || options->report_count + options->out_count > 0)
        return FAIL(EXIT_USAGE, "a folder of candidates gives one list: use --format text or json, and -o FILE");
    const int count = job->entry_count = scandir(options->code, &job->entries, is_candidate, by_entry_name);
    if (count < 0)
        error("cannot read %s: %s", options->code, strerror(errno));
    else if (count == 0)
        error("%s has no candidates (.cubin, .fatbin or .so files)", options->code);
    if (count <= 0 || atomic_file_open(&list, options->output ? options->output : "-") < 0)
        return EXIT_USAGE;
    struct problem *before = error_into(&job->draw_problem);
    job->draw_code = referee_draw(&job->inputs, &job->request);
    error_into(before);
    if (job->draw_code == EXIT_USAGE || job->draw_code == EXIT_INTERRUPTED) {
        error("%s", job->draw_problem.text);
        atomic_file_abandon(&list);
        return job->draw_code;
    }
    fprintf(stderr, "%d candidate%s on inputs drawn with --seed %d\n", count, plural((size_t)count),
            OWN(options)->seed);
    const struct referee_turns turns = {.count = (size_t)count,
                                        .jobs = OWN(options)->jobs > 0 ? (size_t)OWN(options)->jobs : 1,
                                        .judge = judge_candidate,
                                        .lost = print_lost,
                                        .self = job};
    const int worst = referee_take_turns(&turns, list.stream);
    if (worst == EXIT_INTERRUPTED)
        atomic_file_abandon(&list);
    return worst != EXIT_INTERRUPTED && atomic_file_commit(&list) < 0 ? EXIT_USAGE : worst;
}

/* Ctrl-C is held back, so that the folder goes. */
static int cmd_referee(const struct options *options)
{
    struct interrupts interrupts;
    struct own_options *own = options->own;
    struct stat facts;
    unsigned drawn = 0;
    if (!options->code)
        die(EXIT_USAGE, "no candidate: add --code FILE, a cubin, fatbin, library or program, or a folder of them");
    if (own->seed < 0 && getrandom(&drawn, sizeof drawn, 0) != sizeof drawn)
        die(EXIT_USAGE, "this system cannot provide a random seed: add --seed N");
    if (own->seed < 0)
        own->seed = (int)(drawn % SEED_MOST);
    TRY_AS(EXIT_NOT_MEASURED, interrupts_open(&interrupts));
    const bool is_folder = stat(options->code, &facts) == 0 && S_ISDIR(facts.st_mode);
    struct referee_job job = {.options = options};
    memory_limit(2 * (size_t)(own->jobs > 0 ? own->jobs : 1)); /* it has a process for the reference, too */
    const int code = read_request(&job) < 0 ? EXIT_USAGE : is_folder ? referee_folder(&job) : referee_one(&job);
    release(&job);
    return interrupts_close(&interrupts) ? EXIT_INTERRUPTED : code;
}

/* clang-format off */
static const struct option_row *const takes[] = {
    OPTION(.name = "code", .argument = "FILE", .kind = KIND_TEXT, .place = PLACE(code),
           .doc = "the candidate: a cubin, fatbin, shared library or program, or a folder of candidates"),
    &option_k, &option_launch, &option_tolerance, &option_type, &option_exact,
    OPTION(.name = "seed", .argument = "N", .kind = KIND_INTEGER, .place = OWN_PLACE(seed), .minimum = 0, .maximum = SEED_MOST,
           .doc = "seed for the inputs; an earlier verdict's seed reproduces it (default: random)"),
    OPTION(.name = "draws", .argument = "N", .kind = KIND_INTEGER, .place = OWN_PLACE(draws), .minimum = 1, .maximum = 100,
           .doc = "number of further inputs to judge each kernel on (default: 2)"),
    OPTION(.name = "jobs", .argument = "N", .kind = KIND_INTEGER, .place = OWN_PLACE(jobs), .minimum = 1, .maximum = 1000,
           .doc = "judge N candidates of a folder at once (default: 1)"),
    OPTION(.name = "keep", .argument = "N[,N]...", .kind = KIND_TEXT, .place = OWN_PLACE(keep),
           .doc = "arguments to keep at their captured values, counted from 1; a candidate may rely on these values"),
    OPTION(.name = "allow", .argument = "RULE", .kind = KIND_LIST, .place = OWN_PLACE(allowed),
           .doc = "do not refuse for RULE: tensor, precision, unexecuted, varying or nan; repeatable"),
    &option_simulate, &option_output, &option_format, &option_report, &option_metrics, &option_collector, &option_device,
    &option_samples, &option_timeout, NULL,
};

const struct command command_referee = {
    OWN_DEFAULTS(.seed = -1),
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
               "undecided too, unless --allow varying. A candidate that is wrong only where an input is NaN is also undecided, unless --allow nan. Then both are compared as by `cugate check`: pairs of times on a GPU, exact counts "
               "with --simulate.\n"
               "JSON has a score (the speedup over the reference, 0 unless the candidate passed), the rules that did not pass "
               "(`reasons`; also `memory`), all settings, and hashes of both files. A process that simulates may take half of the machine's "
               "memory, divided by --jobs, or less with `ulimit -m`.\n"
               "In a folder each .cubin, .fatbin and .so is a candidate, on the same inputs: one line each, or with --format json its "
               "whole report. NAME.json next to NAME.cubin may have its launch: {\"function\": \"softmax\", \"grid\": [64, 2], \"block\": 128, "
               "\"shared\": 4096}; options override it. Or several launches, whose arguments are positions in the task's list: {\"launches\": "
               "[\"sums<<<64, 64>>>(3, 2)\", \"scale<<<1, 64>>>(1, 3, f32=2)\"]}. The exit code is the worst. Without --tolerance the task's own applies; `cugate swap TASK --code TASK "
               "--tolerance X -o NEW` sets it. To compare with the last accepted code, make NEW by `cugate swap TASK --code ACCEPTED "
               "-o NEW`, and judge a candidate that TASK passed by NEW too.",
    .exits = EXITS({EXIT_SAME, "every result is right, and the candidate is not slower"},
                   {EXIT_REGRESSED, "every result is right, but the candidate is slower"},
                   {EXIT_USAGE, "an option, a file or a candidate is invalid, so nothing was judged"},
                   {EXIT_UNSURE, "no error was found, but something is undecided"},
                   {EXIT_NOT_MEASURED, "the candidate is wrong, refused or could not be measured"}, {EXIT_INTERRUPTED, NULL}),
    .example = "cugate referee softmax.capsule --code candidate.cubin --tolerance 1e-5 --simulate",
    .takes = takes,
    .minimum = 1, .maximum = 1, .replays_argument = true, .ways = WAYS_OF_LIBRARY | WAY(COMPUTED), .run = cmd_referee,
};
/* clang-format on */
