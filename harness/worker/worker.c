#include "worker.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a worker that ran into an error ends with; the parent starts another at the next kernel. */
enum { WORKER_DONE = 0, WORKER_ENDED = 1 };

struct worker {
    const struct job *job;
    int pipe;
    struct library library;
    struct kernel **chosen;
    size_t chosen_count;
    const struct collector *collector;
    void *collector_self;
    const struct cugate_family *family; /* the open one, or NULL */
    struct open_kernel open;            /* the one that is measured */
};

__attribute__((noreturn)) static void give_up(const struct worker *worker, const char *why)
{
    message_send(worker->pipe, MESSAGE_FAILURE, why);
    _exit(WORKER_ENDED);
}

/* The chosen kernels, or after a glob that matches none the glob and all that there are. */
static void send_ids(const struct worker *worker, enum message_kind kind, const char *unmatched)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        give_up(worker, "out of memory");
    if (unmatched)
        fprintf(stream, "-k '%s'\n", unmatched);
    for (size_t i = 0; i < (unmatched ? worker->library.count : worker->chosen_count); i++)
        fprintf(stream, "%s\n", unmatched ? worker->library.kernels[i].id : worker->chosen[i]->id);
    fclose(stream);
    message_send(worker->pipe, kind, text);
    free(text);
}

static void choose_kernels(struct worker *worker)
{
    const struct job *job = worker->job;
    struct problem problem;
    const int prepared = job->backend->prepare ? job->backend->prepare(job, &problem) : 0;
    if (prepared != 0 && prepared != EXIT_USAGE)
        give_up(worker, problem.text);
    if (prepared != 0 || library_open(&worker->library, job->library, &problem) < 0) {
        message_send(worker->pipe, MESSAGE_UNUSABLE, problem.text);
        _exit(WORKER_ENDED);
    }
    worker->chosen = x_calloc(worker->library.count, sizeof *worker->chosen);
    for (size_t k = 0; k < worker->library.count; k++) {
        if (glob_any(job->globs, job->glob_count, worker->library.kernels[k].id))
            worker->chosen[worker->chosen_count++] = &worker->library.kernels[k];
    }
    const char *unmatched =
        job->skip_unmatched ? NULL : library_unmatched(&worker->library, job->globs, job->glob_count);
    if (unmatched) {
        send_ids(worker, MESSAGE_NO_MATCH, unmatched);
        _exit(WORKER_DONE);
    }
    send_ids(worker, MESSAGE_KERNELS, NULL);
}

static void open_device(struct worker *worker)
{
    const struct job *job = worker->job;
    struct problem problem;
    struct run run = {0};
    struct session *session = ARRAY_GROW(run.sessions, run.session_count);
    worker->collector = job->backend->load(job->what, &problem);
    if (!worker->collector || worker->collector->open(&worker->collector_self, job, &run.device, session, &problem) < 0)
        give_up(worker, problem.text);
    session->facts[SESSION_COLLECTOR] = x_strdup(job->backend->name);
    session->facts[SESSION_COMPILER] = x_strdup(worker->library.table->compiler);
    session->facts[SESSION_FLAGS] = x_strdup(worker->library.table->flags);

    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream || run_write(&run, stream) < 0)
        give_up(worker, "out of memory");
    fclose(stream);
    message_send(worker->pipe, MESSAGE_DEVICE, text);
    free(text);
    run_release(&run);
}

static void close_family(struct worker *worker)
{
    if (worker->family)
        worker->family->close(worker->open.state);
    worker->family = NULL;
}

/* Compares the output of the last launch with the reference. */
static enum result_status verify(const struct open_kernel *open, const struct workload *workload,
                                 struct problem *problem)
{
    problem_set(problem, "the output differs from the reference");
    const int verified =
        open->kernel->family->verify(open->state, open->kernel->variant, problem->text, sizeof problem->text);
    if (verified == CUGATE_WRONG)
        return RESULT_WRONG;
    return workload_check(workload, "verify", verified, problem) < 0 ? RESULT_FAILED : RESULT_OK;
}

/* Once unmeasured, with the proof that its output is right. */
static enum result_status warm_up(const struct worker *worker, const struct workload *workload, struct problem *problem)
{
    if (workload_restore(workload, problem) < 0 || workload_settle(workload, problem) < 0 ||
        workload_run(workload, problem) < 0)
        return RESULT_FAILED;
    return verify(&worker->open, workload, problem);
}

static enum result_status measure_open(struct worker *worker, const struct workload *workload, struct result *result,
                                       struct problem *problem)
{
    const struct cugate_family *family = worker->open.kernel->family;
    if (!worker->family && workload_check(workload, "open", family->open(family, &worker->open.state), problem) < 0)
        return RESULT_FAILED;
    worker->family = family;
    if (worker->job->dry)
        return worker->collector->measure(worker->collector_self, workload, result, problem) < 0 ? RESULT_FAILED
                                                                                                 : RESULT_OK;
    if (!worker->collector->measures_first) {
        const enum result_status status = warm_up(worker, workload, problem);
        if (status != RESULT_OK)
            return status;
    }
    if (worker->collector->measure(worker->collector_self, workload, result, problem) < 0)
        return RESULT_FAILED;
    return verify(&worker->open, workload, problem);
}

static void measure_kernel(struct worker *worker, const struct kernel *kernel, struct result *result)
{
    struct problem problem = {0};
    result->id = x_strdup(kernel->id);
    result->bytes = kernel->variant->bytes;
    result->flops = kernel->variant->flops;
    if (!kernel->variant->launch) {
        result->status = RESULT_NOT_BUILT;
        result->reason = x_strdup(kernel->variant->not_built);
        return;
    }
    worker->open.library = worker->library.table;
    worker->open.kernel = kernel;
    const struct workload workload = workload_of_kernel(&worker->open);
    result->status = measure_open(worker, &workload, result, &problem);
    if (result->status == RESULT_FAILED && worker->collector->explain)
        worker->collector->explain(worker->collector_self, &problem);
    if (result->status != RESULT_OK)
        result->reason = x_strdup(problem.text);
}

static void measure_kernels(const struct job *job, int pipe)
{
    struct worker worker = {.job = job, .pipe = pipe};
    choose_kernels(&worker);
    open_device(&worker);
    for (size_t k = job->first; k < worker.chosen_count; k++) {
        /* Before the kernel starts: if this goes wrong, it is not that kernel's doing. */
        if (worker.family && worker.family != worker.chosen[k]->family)
            close_family(&worker);
        message_send(pipe, MESSAGE_START, worker.chosen[k]->id);
        struct result result = {0};
        measure_kernel(&worker, worker.chosen[k], &result);
        char *line = result_to_line(&result);
        message_send(pipe, MESSAGE_RESULT, line);
        /* After an error the device's context may be lost, and with it every later result. Lines are of one kernel. */
        if (result.status == RESULT_FAILED || job->what != PROVIDES_VALUES)
            _exit(WORKER_ENDED);
        free(line);
        result_release(&result);
    }
    close_family(&worker);
    worker.collector->close(worker.collector_self);
    message_send(pipe, MESSAGE_END, "");
}

/* --device N: the worker sees that one GPU only, so that every library, whatever API it uses, means the same one. A
 * list that is already in CUDA_VISIBLE_DEVICES is narrowed to its entry N. */
static void see_only(int device)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    char *copy = x_strdup(visible ? visible : "");
    char *rest = NULL;
    char *entry = strtok_r(copy, ",", &rest);
    for (int i = 0; i < device && entry; i++)
        entry = strtok_r(NULL, ",", &rest);
    char *number = visible ? x_strdup(entry ? entry : "") : x_sprintf("%d", device);
    setenv("CUDA_VISIBLE_DEVICES", number, 1);
    free(number);
    free(copy);
}

static void worker_run(int pipe, const void *data)
{
    const struct job *job = data;
    see_only(job->device);
    measure_kernels(job, pipe);
}

int worker_start(struct child *child, const struct job *job)
{
    return child_start(child, worker_run, job);
}
