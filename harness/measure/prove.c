#include "prove.h"

#include "measure.h"

#include <inttypes.h>

#define FIRST_SECONDS 20.0

/* What a child is to prove: capsules from..to of a file. It leaves a file for each. */
struct proof_job {
    const char *path, *folder;
    const struct draws *draws; /* NULL: they are proved */
    size_t from, to;
    unsigned care; /* how often it was tried before, with less each time: enum draw_care, or careful from 1 */
    const unsigned char *ways; /* of draws: as struct draw_request has them, for the first capsule */
};

/* Returns how often a capsule is tried. */
static unsigned tries_of(const struct draws *draws)
{
    return draws ? DRAW_CARES : 2;
}

/* ---- The child ---- */

__attribute__((noreturn)) static void give_up(int pipe, const struct problem *problem)
{
    message_send(pipe, MESSAGE_FAILURE, problem->text);
    _exit(EXIT_FAILURE);
}

static char *path_of(const char *folder, size_t number)
{
    return x_sprintf("%s/%zu.capsule", folder, number);
}

/* The child that draws. */
struct trial {
    int pipe;
    size_t number; /* of the capsule */
    bool tries;    /* a launch may fail now, and another child goes on with less */
};

/* Says that it goes on, and with which array. */
static void say_trial(void *self, size_t array, enum draw_way way)
{
    struct trial *trial = self;
    char text[64] = "";
    trial->tries = array < DRAWN_MOST;
    snprintf(text, sizeof text, "%zu %zu %d", trial->number, array, (int)way);
    message_send(trial->pipe, MESSAGE_START, text);
}

/* Writes a capsule for each draw. */
static int draw_one(struct trial *trial, struct player *player, const struct proof_job *job,
                    const struct capsule *capsule, struct capsule_writer *writer, struct drawn *drawn, char *why,
                    size_t why_size, struct problem *problem)
{
    static const unsigned char boldly[DRAWN_MOST];
    static const uint64_t anew = UINT64_C(0x9e3779b97f4a7c15);
    static const char letters[DRAW_FORMS] = {
        [FORM_SIZES] = LETTER_SIZES, LETTER_ORDERS, LETTER_NANS, LETTER_ZEROS, LETTER_ONES, LETTER_OTHERS};
    const unsigned char *const ways = trial->number == job->from ? job->ways : boldly;
    const bool given = job->draws->tolerance > 0;
    uint64_t seed = job->draws->seed;
    int result = 0;
    for (const char *at = capsule->id; *at; at++)
        seed = seed * 31 + (unsigned char)*at;
    for (unsigned i = 0; i < job->draws->count + (job->draws->count > 0 ? DRAW_FORMS : 1) && result == 0; i++) {
        const enum draw_form form = i > job->draws->count ? (enum draw_form)(i - job->draws->count) : FORM_CAPTURED;
        const size_t first = FIRST(k, drawn->count, drawn_has_form(&drawn->arrays[k], form)); /* of those it changes */
        const size_t own = DRAWN_MOST - DRAW_FORMS + form; /* where a form is left out alone that fails */
        if (form != FORM_CAPTURED &&
            (first == drawn->count || ways[own] != DRAW_BOLDLY || (form == FORM_NANS && !job->draws->nans)))
            continue;
        if (form >= FORM_NANS)
            say_trial(trial, own, DRAW_BOLDLY);
        else if (form != FORM_CAPTURED) /* which may fail together */
            say_trial(trial, first,
                      (enum draw_way)((drawn->arrays[first].way | (form == FORM_ORDERS ? DRAW_WHOLE : 0)) -
                                      (form == FORM_ORDERS)));
        const bool far = i > 0 && i < job->draws->count &&
                         ANY(k, drawn->count, drawn->arrays[k].far || drawn->arrays[k].kind == DRAWN_INTEGERS);
        OWNED_TEXT id = form != FORM_CAPTURED ? x_sprintf("%s~%c", capsule->id, letters[form])
                        : far                 ? x_sprintf("%s~%u%c", capsule->id, i, LETTER_FAR)
                                              : x_sprintf("%s~%u", capsule->id, i);
        const struct draw_request request = {.id = id,
                                             .seed = seed + i + job->care * anew,
                                             .place = seed,
                                             .inputs = i > 0,
                                             .last = i >= job->draws->count,
                                             .form = form,
                                             .narrow = job->draws->narrow,
                                             .keep = job->draws->keep,
                                             .tolerance = given ? job->draws->tolerance : capsule->tolerance,
                                             .type = given ? job->draws->type : capsule->type,
                                             .care = (enum draw_care)job->care,
                                             .ways = ways,
                                             .tries = say_trial,
                                             .self = trial};
        result = capsule_draw(player, capsule, &request, writer, drawn, why, why_size, problem);
        if (result == 0)
            say_trial(trial, DRAWN_MOST, DRAW_KEPT);
    }
    return result;
}

static int prove_one(struct trial *trial, struct player *player, const struct proof_job *job, bool *in_part,
                     struct drawn *drawn, char *why, size_t why_size, struct problem *problem)
{
    const struct capsule *capsule = &player->capsules->list[trial->number];
    struct capsule_writer writer;
    OWNED_TEXT path = path_of(job->folder, trial->number);
    int result = capsule_writer_open(&writer, path, NULL);
    writer.file.is_brief = true;
    if (result == 0)
        result = capsule_writer_about(&writer, &player->capsules->about);
    if (result < 0)
        problem_set(problem, "%s", writer.problem.text);
    else if (job->draws)
        result = draw_one(trial, player, job, capsule, &writer, drawn, why, why_size, problem);
    else
        result = capsule_prove(player, capsule, job->care > 0, &writer, in_part, why, why_size, problem);
    if (result == 0 && capsule_writer_end(&writer) < 0)
        result = problem_set(problem, "%s", writer.problem.text);
    capsule_writer_abandon(&writer);
    return result;
}

/* Returns what executes the capsules; NULL with *problem. */
static const struct capsule_device *device_of(const struct proof_job *job, struct problem *problem)
{
    if (!job->draws) {
        const struct gpu_plugin *gpu = gpu_plugin_load(problem);
        return gpu ? gpu->capsule_device : NULL;
    }
    const struct measurement *measurement = job->draws->measurement;
    const struct backend *backend = measurement->backend;
    const struct job described = {
        .library = job->path, .metrics = measurement->metrics, .backend = backend, .gpu = measurement->gpu};
    if (backend->prepare && backend->prepare(&described, problem) != 0)
        return NULL;
    if (backend->capsule_device)
        return backend->capsule_device(problem);
    problem_set(problem, "the collector %s cannot run capsules", backend->name);
    return NULL;
}

/* What is told of an array. */
#define DRAWN_FIELDS(F)                                                                                                \
    F(argument)                                                                                                        \
    F(size) F(kind) F(way) F(effect) F(asked) F(of_grid) F(reorders) F(parts) F(in_parts) F(is_scalar) F(value) F(drawn)
#define WRITE_FORMAT(name) " %" PRIu64
#define WRITE_FIELD(name) , (uint64_t)array->name
#define READ_FIELD(name) array->name = (__typeof__(array->name))strtoull(next, &next, 10);

/* Sends the result of a capsule in three lines: its number, with a + where it was looked through in part; why it is
 * refused, or nothing; the bytes that were filled, then the numbers of each array. */
static void send_result(int pipe, size_t number, bool in_part, const struct drawn *drawn, const char *failed,
                        const char *why)
{
    OWNED_TEXT text = NULL;
    size_t size = 0;
    FILE *stream = x_memstream(&text, &size);
    OWNED_TEXT line = x_strdup(why);
    text_make_harmless(line, ' ');
    fprintf(stream, "%zu%s\n%s%s\n%" PRIu64, number, in_part ? "+" : "", failed, line, drawn->filled);
    EACH(const struct drawn_array, array, drawn->arrays, drawn->count)
        fprintf(stream, DRAWN_FIELDS(WRITE_FORMAT) DRAWN_FIELDS(WRITE_FIELD));
    fclose(stream);
    message_send(pipe, MESSAGE_RESULT, text);
}

static void prove_all(int pipe, const void *data)
{
    const struct proof_job *job = data;
    struct capsules capsules;
    struct player player;
    struct problem problem;
    if (capsules_open(&capsules, job->path, false, &problem) < 0 || player_hold(&player, &capsules, &problem) < 0)
        give_up(pipe, &problem);
    const struct capsule_device *device = device_of(job, &problem);
    if (!device || player_open(&player, device, &problem) < 0 || device->begin(&problem) < 0)
        give_up(pipe, &problem);
    for (size_t i = job->from; i < job->to; i++) {
        char number[32], why[1024] = "";
        snprintf(number, sizeof number, "%zu", i);
        message_send(pipe, MESSAGE_START, number);
        if (job->draws && !glob_any(job->draws->globs, job->draws->glob_count, capsules.list[i].id)) {
            send_result(pipe, i, false, &(struct drawn){0}, "", "this kernel was not chosen");
            continue;
        }
        bool in_part = false;
        struct drawn drawn = {.count = 0};
        struct trial trial = {pipe, i, false};
        const int result = prove_one(&trial, &player, job, &in_part, &drawn, why, sizeof why, &problem);
        if (result < 0 && (trial.tries || job->care + 1 < tries_of(job->draws)))
            _exit(EXIT_FAILURE); /* it may have failed on memory that was zeroed, and is tried again */
        send_result(pipe, i, in_part, &drawn, result < 0 ? "its replay fails: " : "",
                    result > 0   ? why
                    : result < 0 ? problem.text
                                 : "");
        if (result < 0)
            _exit(EXIT_FAILURE); /* the GPU's context may be lost */
    }
    message_send(pipe, MESSAGE_END, "");
}

/* ---- The parent ---- */

struct proving {
    struct prove *prove;
    char *folder;
    struct capsules capsules;       /* without their pages' content */
    size_t at;                      /* the capsule that is being proved */
    double waited;                  /* for children that did not end with it */
    bool begun;                     /* the child has begun with it */
    size_t array;                   /* which of its arrays is tried; DRAWN_MOST: none */
    enum draw_way way;              /* and in which way */
    unsigned char ways[DRAWN_MOST]; /* in which its arrays are to be tried first */
    char *failure;                  /* why nothing can be replayed */
    struct interrupts interrupts;
};

static void take_drawn(struct drawn *drawn, const char *text)
{
    char *next = (char *)text;
    drawn->filled = strtoull(next, &next, 10);
    while (*next && drawn->count < DRAWN_MOST) {
        struct drawn_array *array = &drawn->arrays[drawn->count++];
        DRAWN_FIELDS(READ_FIELD)
        array->kind = array->kind < DRAWN_KINDS ? array->kind : DRAWN_ZEROS;
    }
}

static void begin_capsule(struct proving *proving)
{
    proving->begun = false;
    proving->waited = 0;
    proving->array = DRAWN_MOST;
    memset(proving->ways, DRAW_BOLDLY, sizeof proving->ways);
}

static void settle(struct proving *proving, bool in_part, unsigned care, const char *why, const char *drawn)
{
    struct proof_result *result = &proving->prove->results[proving->at++];
    result->in_part = in_part;
    result->careful = care > 0;
    result->unfilled = care == DRAW_UNFILLED;
    take_drawn(&result->drawn, drawn);
    if (*why) {
        result->refused = x_strdup(why);
        text_make_harmless(result->refused, ' ');
    }
    begin_capsule(proving);
    if (proving->prove->progress)
        fprintf(stderr, "\r%s %zu of %zu ", proving->prove->draws ? "drawing inputs of" : "replaying", proving->at,
                proving->prove->count);
}

/* False: the child has nothing more to say, or what it says is no result. */
static bool take(struct proving *proving, unsigned care, const struct message *message)
{
    char *end;
    if (message->kind == MESSAGE_FAILURE) {
        proving->failure = x_strdup(message->text);
        text_make_harmless(proving->failure, ' ');
        return false;
    }
    if (message->kind == MESSAGE_END || strtoul(message->text, &end, 10) != proving->at ||
        proving->at == proving->prove->count)
        return false;
    if (message->kind == MESSAGE_START) {
        const bool has_array = *end == ' ';
        proving->begun = true;
        proving->array = has_array ? strtoul(end, &end, 10) : DRAWN_MOST;
        proving->way = has_array ? (enum draw_way)strtoul(end, &end, 10) : DRAW_KEPT;
    } else if (message->kind == MESSAGE_RESULT && (*end == '\n' || strncmp(end, "+\n", 2) == 0)) {
        char *why = strchr(end, '\n') + 1, *drawn = strchr(why, '\n');
        if (!drawn)
            return false;
        *drawn = '\0';
        settle(proving, *end == '+', care, why, drawn + 1);
    }
    return true;
}

/* Whether the child ended on an array that it tried: another goes on, and tries that with less. */
static bool goes_on(struct proving *proving)
{
    const bool tried = proving->array < DRAWN_MOST;
    if (tried)
        proving->ways[proving->array] = (unsigned char)(proving->way + 1);
    proving->array = DRAWN_MOST;
    proving->waited = tried ? 0 : proving->waited;
    return tried;
}

/* Has one child prove capsules from the one that is next. Returns an exit code. */
static int run_child(struct proving *proving, size_t to, unsigned care, char **how)
{
    const struct proof_job job = {proving->prove->from, proving->folder, proving->prove->draws, proving->at, to, care,
                                  proving->ways};
    /* A kernel may not end on memory that is not its own; carefully it gets the time that it may take. */
    const double limit = care > 0 || proving->prove->timeout < FIRST_SECONDS ? proving->prove->timeout : FIRST_SECONDS;
    struct peer child, *list[] = {&child};
    enum child_event event = CHILD_SAID;
    bool goes_on = true;
    *how = NULL;
    TRY_AS(EXIT_NOT_MEASURED, child_start(&child, prove_all, &job));
    while (goes_on && event == CHILD_SAID) {
        struct message message = {0};
        const double deadline = now_seconds() + limit;
        size_t which = 0;
        event = child_next_of(list, &deadline, 1, proving->interrupts.descriptor, &which, &message);
        goes_on = event == CHILD_SAID && take(proving, care, &message);
        free(message.text);
    }
    OWNED_TEXT ended = child_end(&child, event == CHILD_SAID || event == CHILD_ENDED);
    proving->waited += event == CHILD_QUIET ? limit : 0;
    if (event == CHILD_QUIET)
        *how = x_sprintf("its replay did not finish within %g s", limit);
    else
        *how = x_sprintf("its process died during the replay: %s", ended ? ended : "unknown cause");
    return event == CHILD_INTERRUPTED ? EXIT_INTERRUPTED : EXIT_SAME;
}

/* Proves all. A capsule on which the child ended is tried again, alone and with nothing dropped. */
static int run_children(struct proving *proving)
{
    const size_t count = proving->prove->count;
    const unsigned tries = tries_of(proving->prove->draws);
    int code = EXIT_SAME;
    begin_capsule(proving);
    for (unsigned care = 0; proving->at < count && code == EXIT_SAME && !proving->failure;) {
        const size_t first = proving->at;
        OWNED_TEXT how = NULL;
        proving->begun = false;
        code = run_child(proving, care > 0 ? first + 1 : count, care, &how);
        const bool ended_at_it =
            proving->at < count && (proving->begun || care > 0) && code == EXIT_SAME && !proving->failure;
        if (ended_at_it && goes_on(proving))
            care = proving->at == first ? care : 0;
        else if (ended_at_it)
            care = proving->at == first ? care + 1 : 1;
        else if (proving->at == first && !proving->failure && code == EXIT_SAME)
            proving->failure = x_strdup("the replay process exited before its first replay");
        else
            care = 0;
        if (care == tries || (care > 0 && proving->waited >= proving->prove->timeout)) {
            settle(proving, false, care - 1, how, "");
            care = 0;
        }
    }
    if (proving->prove->progress)
        fprintf(stderr, "\r                              \r");
    if (code == EXIT_SAME && proving->failure)
        code = FAIL(EXIT_NOT_MEASURED, "cannot replay here: %s", proving->failure);
    return code;
}

/* Copies what was proved into one file. */
static int join(struct proving *proving)
{
    enum { FEW = 64 }; /* so small a part of a result may be compared on the captured inputs alone */
    struct prove *prove = proving->prove;
    struct capsule_writer writer;
    int failed = capsule_writer_open(&writer, prove->to, page_compress_zstd);
    if (failed == 0)
        failed = capsule_writer_about(&writer, &proving->capsules.about);
    for (size_t i = 0; i < prove->count && failed == 0; i++) {
        struct capsules one;
        if (prove->results[i].refused)
            continue;
        OWNED_TEXT path = path_of(proving->folder, i);
        failed = capsules_open(&one, path, false, &writer.problem);
        if (failed == 0) {
            struct compared compared = {0};
            uint64_t changed = 0;
            prove->results[i].varies = one.list[0].proof == PROOF_VARIES;
            if (prove->results[i].varies)
                failed = capsules_compared(&one, &one.list[0], &compared, &writer.problem);
            prove->results[i].uncompared = compared.changed > 0 && compared.masked == compared.changed;
            for (size_t k = 0; k < one.count && failed == 0; k++) {
                if (prove->draws && (failed = capsules_compared(&one, &one.list[k], &compared, &writer.problem)) < 0)
                    break;
                const double part = compared.changed > 0 ? (double)compared.masked / (double)compared.changed : 0;
                double *most =
                    one.list[k].proof == PROOF_VARIES ? &prove->results[i].uncounted : &prove->results[i].overflows;
                *most = fmax(*most, part);
                if (compared.changed > 0)
                    prove->results[i].loose =
                        fmax(prove->results[i].loose, (double)compared.loose / (double)compared.changed);
                changed = compared.changed > changed ? compared.changed : changed;
                failed = capsule_writer_copy(&writer, &one, &one.list[k], NULL);
            }
            if (failed == 0 && prove->draws) {
                failed = capsules_masked(&one, 1, prove->draws->count, &prove->results[i].undecided,
                                         &prove->results[i].of_argument, &writer.problem);
                if (prove->results[i].undecided <= changed / FEW)
                    prove->results[i].undecided = 0;
            }
            capsules_release(&one);
        }
    }
    return capsule_writer_finish(&writer, failed) < 0 ? EXIT_USAGE : EXIT_SAME;
}

static void list_results(struct prove *prove, const struct capsules *capsules)
{
    prove->count = capsules->count;
    prove->results = x_calloc(prove->count + 1, sizeof *prove->results);
    for (size_t i = 0; i < prove->count; i++)
        prove->results[i].id = x_strdup(capsules->list[i].id);
}

static int prove_and_join(struct proving *proving)
{
    const struct prove *prove = proving->prove;
    int code = run_children(proving);
    for (size_t i = 0; i < prove->count; i++)
        proving->prove->kept += !prove->results[i].refused;
    if (code == EXIT_SAME && prove->kept > 0)
        code = join(proving);
    free(proving->failure);
    return code;
}

int measure_prove(struct prove *prove)
{
    struct proving proving = {.prove = prove};
    struct problem problem;
    int code = EXIT_USAGE;
    TRY_AS(EXIT_NOT_MEASURED, interrupts_open(&proving.interrupts));
    if (capsules_open(&proving.capsules, prove->from, false, &problem) < 0) {
        error("%s", problem.text);
    } else {
        list_results(prove, &proving.capsules);
        proving.folder = make_temporary_folder();
        if (proving.folder) {
            code = prove_and_join(&proving);
            remove_temporary_folder(proving.folder);
        }
        capsules_release(&proving.capsules);
    }
    return interrupts_close(&proving.interrupts) && code == EXIT_SAME ? EXIT_INTERRUPTED : code;
}

void prove_release(struct prove *prove)
{
    for (size_t i = 0; i < prove->count; i++) {
        free(prove->results[i].id);
        free(prove->results[i].refused);
    }
    free(prove->results);
}
