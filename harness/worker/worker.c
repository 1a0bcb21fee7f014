#include "worker.h"

/* Exit statuses of a worker. After an error it is WORKER_ENDED, and the parent starts another for the next kernel. */
enum { WORKER_DONE = 0, WORKER_ENDED = 1 };

/* Limits a batch: its kernels are lost when it fails, and none has a result before it ends. */
enum { MOST_IN_BATCH = 32 };

/* A kernel that has begun and has no result yet. */
struct begun {
    struct open_kernel open;
    struct workload workload;
    struct result result;
    bool waits; /* the kernel waits to be measured: it was verified once, or its collector needs no such launch */
};

struct worker {
    const struct job *job;
    int pipe;
    struct library library;
    struct kernel **chosen;
    size_t chosen_count;
    const struct collector *collector;
    void *collector_self;
    const struct kernel *opened;       /* a kernel of the open group; NULL: none is open */
    void *state;                       /* what opening it returned */
    struct begun begun[MOST_IN_BATCH]; /* kernels of the open group, in the order in which their results are due */
    size_t begun_count;
    size_t waiting; /* how many kernels wait to be measured */
};

__attribute__((noreturn)) static void give_up(const struct worker *worker, const char *why)
{
    message_send(worker->pipe, MESSAGE_FAILURE, why);
    _exit(WORKER_ENDED);
}

/* Sends the ids of the chosen kernels; or, after a glob that matches none, that glob and all ids. */
static void send_ids(const struct worker *worker, enum message_kind kind, const char *unmatched)
{
    OWNED_TEXT text = NULL;
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
}

/* Has the backend take over the addresses of the capsules. */
static int open_player(struct worker *worker, struct problem *problem)
{
    const struct backend *backend = worker->job->backend;
    if (!backend->capsule_device) {
        problem_set(problem,
                    "%s: the collector %s cannot measure capsules: use the collector cupti on a GPU, or --simulate",
                    worker->job->library, backend->name);
        return EXIT_USAGE;
    }
    const struct capsule_device *device = backend->capsule_device(problem);
    return device && player_open(&worker->library.player, device, problem) == 0 ? 0 : EXIT_NOT_MEASURED;
}

/* Opens the kernel library when the backend is prepared, since it may need the backend's CUDA runtime. The addresses of
 * capsules have to be held before anything is loaded that could take them. Returns 0, or an exit_code with *problem. */
static int open_library(struct worker *worker, struct problem *problem)
{
    const struct job *job = worker->job;
    struct library *library = &worker->library;
    const bool capsules = capsules_is_file(job->library);
    if (capsules && library_open(library, job->library, problem) < 0)
        return EXIT_USAGE;
    if (capsules && player_hold(&library->player, &library->capsules, problem) < 0)
        return EXIT_NOT_MEASURED;
    const int prepared = job->backend->prepare ? job->backend->prepare(job, problem) : 0;
    if (prepared != 0)
        return prepared;
    if (capsules)
        return open_player(worker, problem);
    return library_open(library, job->library, problem) < 0 ? EXIT_USAGE : 0;
}

static void choose_kernels(struct worker *worker)
{
    const struct job *job = worker->job;
    struct problem problem;
    const int opened = open_library(worker, &problem);
    if (opened != 0 && opened != EXIT_USAGE)
        give_up(worker, problem.text);
    if (opened != 0) {
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
    OWNED(run) run = {0};
    struct session *session = ARRAY_GROW(run.sessions, run.session_count);
    worker->collector = job->backend->load(job->what, &problem);
    if (worker->collector && !worker->collector->awaits_go)
        message_await_go(worker->pipe);
    if (!worker->collector || worker->collector->open(&worker->collector_self, job, &run.device, session, &problem) < 0)
        give_up(worker, problem.text);
    const struct capsule_device *device = worker->library.player.device;
    if (device && device->begin(&problem) < 0)
        give_up(worker, problem.text);
    session->facts[SESSION_COLLECTOR] = x_strdup(job->backend->name);
    if (job->backend->warm)
        session->facts[SESSION_CACHES] = x_strdup("warm, as restoring the inputs left them");
    session->facts[SESSION_COMPILER] = x_strdup(worker->library.table->compiler);
    session->facts[SESSION_FLAGS] = x_strdup(worker->library.table->flags);

    OWNED_TEXT text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream || run_write(&run, stream) < 0)
        give_up(worker, "out of memory");
    fclose(stream);
    message_send(worker->pipe, MESSAGE_DEVICE, text);
}

static int on_family(const struct worker *worker, bool is_open, struct problem *problem)
{
    const struct collector *collector = worker->collector;
    return collector->on_family ? collector->on_family(worker->collector_self, is_open, problem) : 0;
}

static void close_group(struct worker *worker)
{
    struct problem problem;
    if (!worker->opened)
        return;
    group_close(worker->opened, worker->state);
    worker->opened = NULL;
    if (on_family(worker, false, &problem) < 0)
        _exit(WORKER_ENDED); /* ends the worker; another one measures the rest */
}

/* Launches the kernel once unmeasured, and verifies its output. *launched is set when verifying launched kernels. */
static enum result_status warm_up(const struct worker *worker, const struct begun *kernel, bool *launched,
                                  struct problem *problem)
{
    const struct collector *collector = worker->collector;
    const struct workload *workload = &kernel->workload;
    if (workload_restore(workload, problem) < 0 || workload_wait(workload, problem) < 0 ||
        workload_run(workload, problem) < 0)
        return RESULT_FAILED;
    const size_t before = collector->launches ? collector->launches(worker->collector_self) : 0;
    const enum result_status status = kernel_verify(&kernel->open, problem);
    *launched = collector->launches && collector->launches(worker->collector_self) != before;
    return status;
}

/* Opens the kernel and its group, and warms the kernel up if that is needed. */
static enum result_status get_ready(struct worker *worker, struct begun *kernel, bool *launched,
                                    struct problem *problem)
{
    if (!worker->opened && (group_open(kernel->open.kernel, worker->library.table, &worker->state, problem) < 0 ||
                            on_family(worker, true, problem) < 0))
        return RESULT_FAILED;
    worker->opened = kernel->open.kernel;
    if (kernel_open(&kernel->open, worker->state, problem) < 0)
        return RESULT_FAILED;
    if (worker->job->dry || worker->collector->measures_first)
        return RESULT_OK;
    return warm_up(worker, kernel, launched, problem);
}

static enum result_status measure_one(const struct worker *worker, struct begun *kernel, struct problem *problem)
{
    if (worker->collector->measure(worker->collector_self, &kernel->workload, &kernel->result, problem) < 0)
        return RESULT_FAILED;
    return worker->job->dry || kernel->workload.known == KNOWN_ALL ? RESULT_OK : kernel_verify(&kernel->open, problem);
}

/* ---- Results ---- */

/* Sends the results of all kernels that have begun, and ends the process if it has to. */
static void send_results(struct worker *worker)
{
    bool failed = false;
    for (size_t i = 0; i < worker->begun_count; i++) {
        const struct replay *replay = worker->begun[i].open.replay;
        struct result *result = &worker->begun[i].result;
        if (replay && result->status == RESULT_OK)
            result->near = x_strdup(replay_near(replay, &result->off));
        OWNED_TEXT line = result_to_line(result);
        message_send(worker->pipe, MESSAGE_RESULT, line);
        failed |= result->status == RESULT_FAILED;
        result_release(result);
    }
    /* After an error the device's context may be lost, and every later result with it. Counts by line are of one kernel
     * a process. In a dry run the inputs of a kernel must not depend on kernels before it. */
    const bool alone = worker->job->dry || worker->job->what != PROVIDES_VALUES;
    if (failed || (worker->begun_count > 0 && alone))
        _exit(WORKER_ENDED);
    for (size_t i = 0; i < worker->begun_count; i++)
        kernel_close(&worker->begun[i].open);
    worker->begun_count = 0;
}

/* Ends the process because of an error that affects more than one kernel. */
__attribute__((noreturn)) static void lose(const struct worker *worker, const struct problem *problem)
{
    message_send(worker->pipe, MESSAGE_LOST, problem->text);
    _exit(WORKER_ENDED);
}

static void conclude(const struct worker *worker, struct begun *kernel, enum result_status status,
                     struct problem *problem)
{
    if (status == RESULT_FAILED && worker->collector->explain)
        worker->collector->explain(worker->collector_self, problem);
    if (status == RESULT_FAILED && worker->begun_count > 1)
        lose(worker, problem);
    if (status != RESULT_OK)
        result_fail(&kernel->result, status, problem->text);
}

/* ---- Batches ---- */

/* The kernels that wait to be measured, as struct batch needs them. */
struct waiting {
    const struct worker *worker;
    struct begun *kernels[MOST_IN_BATCH];
    char *wrong[MOST_IN_BATCH]; /* for each kernel how its output differed, or NULL */
};

static void batch_works(void *self, size_t i)
{
    const struct waiting *waiting = self;
    message_send(waiting->worker->pipe, MESSAGE_START, waiting->kernels[i]->result.id);
}

static int batch_verify(void *self, size_t i, struct problem *problem)
{
    struct waiting *waiting = self;
    const enum result_status status = kernel_verify(&waiting->kernels[i]->open, problem);
    if (status == RESULT_WRONG && !waiting->wrong[i])
        waiting->wrong[i] = x_strdup(problem->text);
    return status == RESULT_FAILED ? -1 : 0;
}

static void measure_batch(struct worker *worker)
{
    struct waiting waiting = {.worker = worker};
    const struct workload *workloads[MOST_IN_BATCH];
    struct result *results[MOST_IN_BATCH];
    struct batch batch = {
        .workloads = workloads, .results = results, .self = &waiting, .works = batch_works, .verify = batch_verify};
    struct problem problem = {0};
    EACH(struct begun, kernel, worker->begun, worker->begun_count) {
        if (!kernel->waits)
            continue;
        waiting.kernels[batch.count] = kernel;
        workloads[batch.count] = &kernel->workload;
        results[batch.count++] = &kernel->result;
    }
    if (worker->collector->measure_batch(worker->collector_self, &batch, &problem) < 0)
        lose(worker, &problem);
    for (size_t i = 0; i < batch.count; i++) {
        if (waiting.wrong[i])
            result_fail(results[i], RESULT_WRONG, waiting.wrong[i]);
        free(waiting.wrong[i]);
    }
}

/* Measures the waiting kernels; a single one is measured without a batch. Then all that began have a result. */
static void measure_waiting(struct worker *worker)
{
    struct problem problem = {0};
    if (worker->waiting > 1) {
        measure_batch(worker);
    } else if (worker->waiting == 1) {
        struct begun *kernel = worker->begun;
        while (!kernel->waits)
            kernel++;
        conclude(worker, kernel, measure_one(worker, kernel, &problem), &problem);
    }
    worker->waiting = 0;
    for (size_t i = 0; i < worker->begun_count; i++)
        worker->begun[i].waits = false;
}

/* ---- A kernel ---- */

/* Whether a kernel can be measured in a batch. Families that only copy cannot, since the host's clock times them. */
static bool can_be_in_batch(const struct worker *worker, const struct kernel *kernel)
{
    const struct job *job = worker->job;
    return worker->collector->measure_batch && job->what == PROVIDES_VALUES && !job->dry && !kernel->transfer;
}

static struct begun *begin(struct worker *worker, const struct kernel *kernel, char mark)
{
    message_send(worker->pipe, MESSAGE_START, kernel->id);
    struct begun *begun = &worker->begun[worker->begun_count++];
    *begun = (struct begun){.open = {.library = &worker->library, .kernel = kernel}};
    begun->workload = workload_of_kernel(&begun->open);
    begun->workload.known = mark == ITEM_KNOWN ? KNOWN_ALL : mark == ITEM_OF_OTHERS ? KNOWN_INSTRUMENTED : KNOWN_NOT;
    begun->result.id = x_strdup(kernel->id);
    begun->result.bytes = kernel->bytes;
    begun->result.flops = kernel->flops;
    if (kernel->capsule)
        begun->result.launched_by = x_strdup(kernel->capsule->launched_by);
    return begun;
}

/* Measures a kernel that is ready, after those that wait; or lets it wait for others of its family. */
static void measure_or_wait(struct worker *worker, struct begun *kernel, bool alone)
{
    if (alone)
        measure_waiting(worker);
    kernel->waits = true;
    worker->waiting++;
    if (alone)
        measure_waiting(worker);
}

static void take_kernel(struct worker *worker, const struct kernel *kernel, char mark)
{
    struct problem problem = {0};
    struct begun *begun = begin(worker, kernel, mark);
    if (worker->job->quiet && kernel->transfer) {
        result_fail(&begun->result, RESULT_FAILED, "the variant launches nothing");
    } else if (kernel->not_built) {
        result_fail(&begun->result, RESULT_NOT_BUILT, kernel->not_built);
    } else {
        bool launched = false;
        const enum result_status status = get_ready(worker, begun, &launched, &problem);
        conclude(worker, begun, status, &problem);
        if (status == RESULT_OK)
            measure_or_wait(worker, begun,
                            (launched && begun->workload.known != KNOWN_ALL) || !can_be_in_batch(worker, kernel));
    }
    if (worker->begun_count == MOST_IN_BATCH)
        measure_waiting(worker);
    if (worker->waiting == 0)
        send_results(worker);
}

/* ---- Work items ---- */

/* Returns the chosen kernel of that id. The parent asks only for ids that it was sent. */
static const struct kernel *find_kernel(const struct worker *worker, const char *id)
{
    for (size_t k = 0; k < worker->chosen_count; k++)
        if (strcmp(worker->chosen[k]->id, id) == 0)
            return worker->chosen[k];
    _exit(WORKER_ENDED);
}

/* Measures and sends until all kernels that have begun have a result. */
static void finish_waiting(struct worker *worker)
{
    measure_waiting(worker);
    send_results(worker);
}

/* Measures the kernels that the parent asks for next; false when it asks for none. */
static bool take_share(struct worker *worker)
{
    char *item = message_await(worker->pipe, MESSAGE_ITEM), *rest = NULL;
    bool any = false;
    for (char *id = strtok_r(item, "\n", &rest); id; id = strtok_r(NULL, "\n", &rest), any = true) {
        const bool is_marked = *id == ITEM_KNOWN || *id == ITEM_OF_OTHERS;
        const struct kernel *kernel = find_kernel(worker, id + is_marked);
        /* This comes before START: if closing the other group fails, that is not this kernel's fault. */
        if (worker->opened && worker->opened->group != kernel->group) {
            finish_waiting(worker);
            close_group(worker);
        }
        take_kernel(worker, kernel, *id);
    }
    finish_waiting(worker);
    free(item);
    return any;
}

/* Returns the size of the largest possible batch of the chosen kernels; 1 where there are no batches. */
static size_t largest_batch(const struct worker *worker)
{
    size_t largest = 1, size = 0;
    for (size_t k = 0; k < worker->chosen_count; k++) {
        const bool same = k > 0 && worker->chosen[k]->group == worker->chosen[k - 1]->group;
        const bool in_batch = can_be_in_batch(worker, worker->chosen[k]) && !worker->chosen[k]->not_built;
        size = (same ? size : 0) + in_batch;
        largest = size > largest ? size : largest;
    }
    return largest < MOST_IN_BATCH ? largest : MOST_IN_BATCH;
}

/* ---- Where the library ends the process ---- */

/* The worker of this process. Only what is called at its end reads it. */
static struct worker *working;
static pid_t process;

/* A library may call exit() or abort() when a call of the runtime fails. The collector may know why that was, and then
 * this is the kernel's result. */
static void tell_why(void)
{
    NUMERIC_DEFAULT;
    struct problem problem = {0};
    if (!working || process != getpid() || working->begun_count == 0 || !working->collector->explain)
        return;
    working->collector->explain(working->collector_self, &problem);
    if (!*problem.text)
        return;
    struct worker *worker = working;
    working = NULL;
    conclude(worker, &worker->begun[worker->begun_count - 1], RESULT_FAILED, &problem);
    send_results(worker);
}

/* Where abort() of the worker's own thread goes on. Nothing but tell_why() is done there. */
static sigjmp_buf aborted;
static _Thread_local bool has_place; /* this thread is the one that has it */

static void leave_abort(int signal_number)
{
    if (has_place && process == getpid())
        siglongjmp(aborted, signal_number);
}

static void watch_end(struct worker *worker)
{
    working = worker;
    process = getpid();
    has_place = true;
    atexit(tell_why);
    signal(SIGABRT, leave_abort);
}

static void measure_kernels(struct job *job, int pipe)
{
    struct worker worker = {.job = job, .pipe = pipe};
    choose_kernels(&worker);
    open_device(&worker);
    job->largest_batch = largest_batch(&worker);
    watch_end(&worker);
    if (sigsetjmp(aborted, 1) != 0) {
        tell_why();
        signal(SIGABRT, SIG_DFL);
        abort();
    }
    while (take_share(&worker))
        continue;
    close_group(&worker);
    worker.collector->close(worker.collector_self);
    message_send(pipe, MESSAGE_END, "");
    working = NULL;
}

/* Implements --device N: the worker sees only that GPU, so every library means the same one, whatever API it uses. If
 * CUDA_VISIBLE_DEVICES is a list already, its entry N remains. */
static void see_only(int device)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    OWNED_TEXT copy = x_strdup(visible ? visible : "");
    char *rest = NULL;
    char *entry = strtok_r(copy, ",", &rest);
    for (int i = 0; i < device && entry; i++)
        entry = strtok_r(NULL, ",", &rest);
    OWNED_TEXT number = visible ? x_strdup(entry ? entry : "") : x_sprintf("%d", device);
    setenv("CUDA_VISIBLE_DEVICES", number, 1);
}

/* Drops what the library prints, and hides the GPU from other libraries, such as cuBLAS: their context there would
 * disturb whoever measures. */
static void keep_quiet(void)
{
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
        _exit(WORKER_ENDED);
    setenv("CUDA_VISIBLE_DEVICES", "-1", 1);
}

static void worker_run(int pipe, const void *data)
{
    struct job job = *(const struct job *)data;
    job.pipe = pipe;
    see_only(job.device);
    if (job.quiet)
        keep_quiet();
    measure_kernels(&job, pipe);
}

int worker_start(struct peer *child, const struct job *job)
{
    return child_start(child, worker_run, job);
}
