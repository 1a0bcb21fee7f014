#include "prove.h"

#include "measure.h"

#include "base/base.h"
#include "capsule/capsule.h"
#include "worker/worker.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_SECONDS 20.0

/* What a child is to prove: capsules from..to of a file. It leaves a file for each. */
struct proof_job {
    const char *path, *folder;
    const struct draws *draws; /* NULL: they are proved */
    size_t from, to;
    unsigned care; /* how often it was tried before, with less each time: enum draw_care, or careful from 1 */
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

/* Writes a capsule for each draw, and says after each that it goes on. */
static int draw_one(int pipe, struct player *player, const struct proof_job *job, const struct capsule *capsule,
                    struct capsule_writer *writer, struct drawn *drawn, char *why, size_t why_size,
                    struct problem *problem)
{
    uint64_t seed = job->draws->seed;
    int result = 0;
    for (const char *at = capsule->id; *at; at++)
        seed = seed * 31 + (unsigned char)*at;
    for (unsigned i = 0; i <= job->draws->count && result == 0; i++) {
        struct drawn one;
        char *id = x_sprintf("%s~%u", capsule->id, i);
        const struct draw_request request = {.id = id,
                                             .seed = seed + i,
                                             .inputs = i > 0,
                                             .last = i == job->draws->count,
                                             .care = (enum draw_care)job->care};
        result = capsule_draw(player, capsule, &request, writer, &one, why, why_size, problem);
        drawn->changed += one.changed;
        drawn->same += one.same;
        drawn->filled += one.filled;
        char number[32];
        snprintf(number, sizeof number, "%td", capsule - player->capsules->list);
        message_send(pipe, MESSAGE_START, number);
        free(id);
    }
    return result;
}

static int prove_one(int pipe, struct player *player, const struct proof_job *job, size_t number, bool *in_part,
                     struct drawn *drawn, char *why, size_t why_size, struct problem *problem)
{
    const struct capsule *capsule = &player->capsules->list[number];
    struct capsule_writer writer;
    char *path = path_of(job->folder, number);
    int result = capsule_writer_open(&writer, path, NULL);
    writer.file.is_brief = true;
    if (result == 0)
        result = capsule_writer_about(&writer, &player->capsules->about);
    if (result < 0)
        problem_set(problem, "%s", writer.problem.text);
    else if (job->draws)
        result = draw_one(pipe, player, job, capsule, &writer, drawn, why, why_size, problem);
    else
        result = capsule_prove(player, capsule, job->care > 0, &writer, in_part, why, why_size, problem);
    if (result == 0 && capsule_writer_end(&writer) < 0)
        result = problem_set(problem, "%s", writer.problem.text);
    capsule_writer_abandon(&writer);
    free(path);
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
    problem_set(problem, "the collector %s executes no capsules", backend->name);
    return NULL;
}

/* What a child says of a capsule: its number, with a + where it was looked through in part; in the next line why it is
 * refused; and in the last one what its memory was taken for. */
static void send_result(int pipe, size_t number, bool in_part, const struct drawn *drawn, const char *failed,
                        const char *why)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = x_memstream(&text, &size);
    char *line = x_strdup(why);
    text_make_harmless(line, ' ');
    fprintf(stream, "%zu%s\n%s%s\n%" PRIu64 " %" PRIu64 " %" PRIu64, number, in_part ? "+" : "", failed, line,
            drawn->filled, drawn->changed, drawn->same);
    fclose(stream);
    message_send(pipe, MESSAGE_RESULT, text);
    free(line);
    free(text);
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
            send_result(pipe, i, false, &(struct drawn){0}, "", "it was not chosen");
            continue;
        }
        bool in_part = false;
        struct drawn drawn = {0};
        const int result = prove_one(pipe, &player, job, i, &in_part, &drawn, why, sizeof why, &problem);
        if (result < 0 && job->care + 1 < tries_of(job->draws))
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
    struct capsules capsules; /* without their pages' content */
    size_t at;                /* the capsule that is being proved */
    bool begun;               /* the child has begun with it */
    char *failure;            /* why nothing can be replayed */
    struct interrupts interrupts;
};

static void settle(struct proving *proving, bool in_part, unsigned care, const char *why, const char *drawn)
{
    struct proof_result *result = &proving->prove->results[proving->at++];
    char *next = (char *)drawn;
    result->in_part = in_part;
    result->careful = care > 0;
    result->unfilled = care == DRAW_UNFILLED;
    result->drawn.filled = strtoull(next, &next, 10);
    result->drawn.changed = strtoull(next, &next, 10);
    result->drawn.same = strtoull(next, &next, 10);
    if (*why) {
        result->refused = x_strdup(why);
        text_make_harmless(result->refused, ' ');
    }
    proving->begun = false;
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
    if (message->kind == MESSAGE_START)
        proving->begun = true;
    else if (message->kind == MESSAGE_RESULT && (*end == '\n' || strncmp(end, "+\n", 2) == 0)) {
        char *why = strchr(end, '\n') + 1, *drawn = strchr(why, '\n');
        if (!drawn)
            return false;
        *drawn = '\0';
        settle(proving, *end == '+', care, why, drawn + 1);
    }
    return true;
}

/* Has one child prove capsules from the one that is next. Returns an exit code. */
static int run_child(struct proving *proving, size_t to, unsigned care, char **how)
{
    const struct proof_job job = {proving->prove->from, proving->folder, proving->prove->draws, proving->at, to, care};
    /* A kernel may not end on memory that is not its own; carefully it gets the time that it may take. */
    const double limit = care > 0 || proving->prove->timeout < FIRST_SECONDS ? proving->prove->timeout : FIRST_SECONDS;
    struct peer child, *list[] = {&child};
    enum child_event event = CHILD_SAID;
    bool goes_on = true;
    *how = NULL;
    if (child_start(&child, prove_all, &job) < 0)
        return EXIT_NOT_MEASURED;
    while (goes_on && event == CHILD_SAID) {
        struct message message = {0};
        const double deadline = now_seconds() + limit;
        size_t which = 0;
        event = child_next_of(list, &deadline, 1, proving->interrupts.descriptor, &which, &message);
        goes_on = event == CHILD_SAID && take(proving, care, &message);
        free(message.text);
    }
    char *ended = child_end(&child, event == CHILD_SAID || event == CHILD_ENDED);
    if (event == CHILD_QUIET)
        *how = x_sprintf("its replay did not end within %g s", limit);
    else
        *how = x_sprintf("its replay ended the process: %s", ended ? ended : "nobody knows how");
    free(ended);
    return event == CHILD_INTERRUPTED ? EXIT_INTERRUPTED : EXIT_SAME;
}

/* Proves all. A capsule on which the child ended is tried again, alone and with nothing dropped. */
static int run_children(struct proving *proving)
{
    const size_t count = proving->prove->count;
    char *how;
    int code = EXIT_SAME;
    while (proving->at < count && code == EXIT_SAME && !proving->failure) {
        const size_t first = proving->at;
        code = run_child(proving, count, 0, &how);
        free(how);
        if (proving->at == count || !proving->begun || code != EXIT_SAME) {
            if (proving->at == first && !proving->failure && code == EXIT_SAME)
                proving->failure = x_strdup("the process that replays ended before it began");
            continue;
        }
        const size_t at = proving->at;
        const unsigned tries = tries_of(proving->prove->draws);
        for (unsigned care = 1; care < tries && proving->at == at && code == EXIT_SAME; care++) {
            proving->begun = false;
            code = run_child(proving, at + 1, care, &how);
            if (proving->begun && proving->at == at && code == EXIT_SAME && care + 1 == tries)
                settle(proving, false, care, how, "");
            free(how);
        }
    }
    if (proving->prove->progress)
        fprintf(stderr, "\r                              \r");
    if (code == EXIT_SAME && proving->failure) {
        error("nothing can be replayed here: %s", proving->failure);
        code = EXIT_NOT_MEASURED;
    }
    return code;
}

/* Copies what was proved into one file. */
static int join(struct proving *proving)
{
    struct prove *prove = proving->prove;
    struct capsule_writer writer;
    int failed = capsule_writer_open(&writer, prove->to, page_compress_zstd);
    if (failed == 0)
        failed = capsule_writer_about(&writer, &proving->capsules.about);
    for (size_t i = 0; i < prove->count && failed == 0; i++) {
        struct capsules one;
        if (prove->results[i].refused)
            continue;
        char *path = path_of(proving->folder, i);
        failed = capsules_open(&one, path, false, &writer.problem);
        if (failed == 0) {
            struct compared compared = {0};
            prove->results[i].varies = one.list[0].proof == PROOF_VARIES;
            if (prove->results[i].varies)
                failed = capsules_compared(&one, &one.list[0], &compared, &writer.problem);
            prove->results[i].uncompared = compared.changed > 0 && compared.masked == compared.changed;
            for (size_t k = 0; k < one.count && failed == 0; k++) {
                if (prove->draws && (failed = capsules_compared(&one, &one.list[k], &compared, &writer.problem)) < 0)
                    break;
                const double part = compared.changed > 0 ? (double)compared.masked / (double)compared.changed : 0;
                prove->results[i].uncounted = fmax(prove->results[i].uncounted, part);
                failed = capsule_writer_copy(&writer, &one, &one.list[k], NULL);
            }
            capsules_release(&one);
        }
        free(path);
    }
    if (failed == 0)
        failed = capsule_writer_end(&writer);
    if (failed < 0)
        error("%s", writer.problem.text);
    capsule_writer_abandon(&writer);
    return failed < 0 ? EXIT_USAGE : EXIT_SAME;
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
    if (interrupts_open(&proving.interrupts) < 0)
        return EXIT_NOT_MEASURED;
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
