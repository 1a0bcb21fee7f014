/* An unmodified program that runs on a simulated GPU (`cugate run --simulate`). The program has loaded this library as
 * the runtime of CUDA. Each of its launches is executed and counted here, and told to the parent in the words in which
 * the library of the room inject tells of launches on a GPU (worker/wire.h).
 *
 * Counts of a launch may take several executions. Each begins with the memory that the first began with. Every launch
 * counts: at the end the parent is told their sums. The first of a shape tells its lines. */
#include "collector.h"
#include "repeats.h"

#include "cudart/cudart.h"
#include "names/names.h"

#include <dlfcn.h>
#include <fnmatch.h>
#include <pthread.h>

/* So many launches of a group are recorded, to get a time each; others have to count the same. */
enum { TIMED = 16 };

/* Launches of one kernel in one shape. */
struct alike {
    const struct function *function;
    unsigned grid[3], block[3], shared, carve_out; /* carve_out: of the first */
    char *id;                                      /* the parent's name for it; NULL: the parent does not want it */
    size_t skip;                                   /* how many launches to leave out */
    size_t launches, last;
    size_t counted, strays;      /* behind those, and how many of these count something else than the first */
    struct result one, all;      /* the rows of that; and those of all of them together, with what is said of any */
    struct launch_times times;   /* of launches that count something else than those before; */
    struct result counts[TIMED]; /* the rows of each of these */
    size_t untimed;              /* launches that count like none of these */
    unsigned suppressed;         /* a bit for each kind of doubt that is let pass */
    double ns;                   /* the estimated time of its first launch; 0: there is none */
};

/* The state of this process of the program. The runtime launches one kernel at a time, and the lock is for what other
 * threads tell meanwhile. */
static struct {
    pthread_mutex_t lock;
    struct request request;
    atomic_bool on; /* the parent listens */
    bool described; /* it knows the GPU, */
    bool forked;    /* and has not heard yet that this process was forked */
    struct launches log;
    bool has_chip;
    struct alike **list; /* sorted by by_shape() */
    size_t count;
    size_t ungrouped; /* launches that are of too many groups */
    struct stretches stretches;
} program = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* As many as the parent takes. */
enum { GROUPS_MAX = 5000 };

static run_launch run_told;

/* ---- What is told ---- */

static void say(enum message_kind kind, const char *text)
{
    pthread_mutex_lock(&program.lock);
    program.on = program.on && link_say(kind, text);
    pthread_mutex_unlock(&program.lock);
}

/* A kernel that failed, or what is not simulated. The parent decides by it, however the program ends. */
static void say_reason(const char *words)
{
    say(MESSAGE_FAILURE, words);
    program.on = false;
}

static void describe(void)
{
    OWNED(run) run = {0};
    struct session *session = ARRAY_GROW(run.sessions, run.session_count);
    const struct architecture *architecture = architecture_find(gpu_capability(runtime_gpu()));
    OWNED_TEXT text = NULL;
    size_t size = 0;
    gpu_as_device(runtime_gpu(), &run.device);
    if (!architecture || !architecture->verified)
        session->facts[SESSION_SILICON] = x_strdup("not verified");
    FILE *stream = x_memstream(&text, &size);
    const bool written = run_write(&run, stream) == 0;
    fclose(stream);
    if (written)
        say(MESSAGE_DEVICE, text);
    program.described = true;
}

/* ---- Launches that are alike ---- */

static int by_shape(const struct alike *a, const struct alike *b)
{
    if (a->function != b->function)
        return (uintptr_t)a->function > (uintptr_t)b->function ? 1 : -1;
    const int grid = memcmp(a->grid, b->grid, sizeof a->grid);
    const int block = grid ? grid : memcmp(a->block, b->block, sizeof a->block);
    return block ? block : (a->shared > b->shared) - (a->shared < b->shared);
}

/* By enum suppressed_kind. */
static const enum doubt_kind suppressible[] = {DOUBT_RACE, DOUBT_STREAMS, DOUBT_UNWRITTEN, DOUBT_OUTSIDE};

/* Returns the index of the first suppression of that kind for the function, by its short name or its whole one; their
 * count: there is none. */
static size_t find_suppression(const struct function *function, enum doubt_kind kind)
{
    const struct suppressions *all = &program.request.suppressed;
    if (all->count == 0)
        return 0;
    OWNED_TEXT name = x_strdup(function->text.name);
    demangle((char **[]){&name}, 1);
    OWNED_TEXT brief = kernel_short_name(name);
    size_t i = 0;
    while (i < all->count &&
           (suppressible[all->list[i].kind] != kind ||
            (fnmatch(all->list[i].function, brief, 0) != 0 && fnmatch(all->list[i].function, name, 0) != 0)))
        i++;
    return i;
}

/* Returns the kinds of doubts of the function that are let pass. */
static unsigned find_suppressed(const struct function *function)
{
    unsigned kinds = 0;
    for (enum doubt_kind kind = 0; kind < DOUBT_KINDS; kind++)
        kinds |= find_suppression(function, kind) < program.request.suppressed.count ? 1u << kind : 0;
    return kinds;
}

/* Tells of each kind of fault that the launch made and that was let pass. Returns whether there was one. */
static bool tell_suppressed(const struct alike *group, const struct function *function)
{
    bool any = false;
    for (enum doubt_kind kind = 0; kind < DOUBT_KINDS; kind++) {
        if (!(program.log.suppressed >> kind & 1) || !program.log.doubt.of[kind].any)
            continue;
        OWNED_TEXT text = x_sprintf("%zu %s\n%s", find_suppression(function, kind),
                                    group && group->id ? group->id : "-", program.log.doubt.of[kind].problem.text);
        say(MESSAGE_SUPPRESSED, text);
        any = true;
    }
    return any;
}

/* Asks the parent what it wants of the group: "SKIP FIRST KNOWN HOLDS ID". */
static void ask(struct alike *group)
{
    const struct module *module = group->function->module;
    char name[MODULE_NAME], *text = NULL, *answer = NULL, *end;
    size_t size = 0;
    FILE *stream = x_memstream(&text, &size);
    pthread_mutex_lock(&program.lock);
    link_say_module(program.request.folder, module->bytes, module->size, name);
    fprintf(stream, "launch\n");
    link_put_launch(stream, group->grid, group->block, group->shared, group->carve_out, name,
                    group->function->text.name);
    fclose(stream);
    program.on = link_ask(MESSAGE_GROUP, text, &answer);
    pthread_mutex_unlock(&program.lock);
    if (answer && *answer) {
        group->skip = strtoul(answer, &end, 10);
        for (size_t i = 0; i < 3; i++) /* all are counted, and nobody waits for another here */
            (void)strtoul(end, &end, 10);
        if (*end == ' ' && end[1])
            group->id = x_strdup(end + 1);
    }
    free(answer);
    free(text);
}

/* Returns where the group is in the list, or has its place there. */
static size_t find_place(const struct alike *group)
{
    BISECT(first, program.count, i, by_shape(program.list[i], group) < 0);
    return first;
}

/* NULL: there are too many. */
static struct alike *group_of(const struct grid *grid)
{
    struct alike key = {.function = grid->function, .shared = grid->shared, .carve_out = grid->carve_out};
    memcpy(key.grid, grid->blocks, sizeof key.grid);
    memcpy(key.block, grid->threads, sizeof key.block);
    const size_t place = find_place(&key);
    if (place < program.count && by_shape(program.list[place], &key) == 0)
        return program.list[place];
    if (program.count == GROUPS_MAX)
        return NULL;
    struct alike *group = x_calloc(1, sizeof *group);
    *group = key;
    (void)ARRAY_GROW(program.list, program.count);
    memmove(&program.list[place + 1], &program.list[place], (program.count - 1 - place) * sizeof *program.list);
    program.list[place] = group;
    group->suppressed = find_suppressed(grid->function);
    ask(group);
    return group;
}

static void forget_groups(void)
{
    for (size_t i = 0; i < program.count; i++) {
        free(program.list[i]->id);
        result_release(&program.list[i]->one);
        for (size_t k = 0; k < program.list[i]->times.count; k++)
            result_release(&program.list[i]->counts[k]);
        times_release(&program.list[i]->times);
        result_release(&program.list[i]->all);
        free(program.list[i]);
    }
    free(program.list);
    program.list = NULL;
    program.count = program.ungrouped = 0;
    program.stretches = (struct stretches){0};
}

/* Whether the next launch counts. */
static bool is_wanted(const struct alike *group)
{
    return group->id && group->launches >= group->skip;
}

static void keep_text(char **text, const char *more)
{
    if (!*text)
        *text = x_strdup(more);
}

/* Finds the time of a launch: its own if it was recorded just now, or that of an earlier one that counts the same. */
static void add_time(struct alike *group, const struct result *result)
{
    struct launch_times *times = &group->times, *now = &program.log.times;
    const size_t i = FIRST(k, times->count, result_counts_alike(&group->counts[k], result));
    if (i == times->count && now->count == 1) {
        result_add_up(&group->counts[i], result, &program.request.metrics);
        *ARRAY_GROW(times->list, times->count) = now->list[--now->count];
    }
    if (i < times->count)
        times->list[i]->often++;
    else
        group->untimed++;
}

/* Adds what a launch counts, and what is said of it. */
static void add_counts(struct alike *group, const struct result *result)
{
    if (group->counted++ == 0)
        result_add_up(&group->one, result, &program.request.metrics);
    else
        group->strays += !result_counts_alike(&group->one, result);
    result_add_up(&group->all, result, &program.request.metrics);
    add_time(group, result);
    keep_text(&group->all.doubt, result->doubt);
    keep_text(&group->all.outside, result->outside);
    keep_text(&group->all.varies, result->varies);
}

/* Tells of the first launch its lines; the parent knows how it was launched. */
static void tell_first(const struct alike *group)
{
    OWNED(result) first = {.id = x_strdup(group->id)}, timed = {0};
    launches_hand_over(&program.log, &first);
    timed.estimated = first.estimated;
    first.estimated = NULL;
    for (size_t i = 0; i < first.launch_count; i++)
        free(first.launches[i].function);
    free(first.launches);
    first.launches = NULL;
    first.launch_count = 0;
    OWNED_TEXT line = result_to_line(&first);
    say(MESSAGE_RESULT, line);
}

/* Tells what all launches of the group count together, and the mean of their times. */
static void tell_all(struct alike *group)
{
    group->times.wanted = group->untimed == 0;
    struct estimated_time *mean = group->all.estimated = times_together(&group->times);
    if (!mean && group->strays > 0) {
        mean = group->all.estimated = x_calloc(1, sizeof *mean);
        mean->refused = x_sprintf("%zu of its %zu launches have different counts than the first %d", group->untimed,
                                  group->counted, TIMED);
    } else if (mean) {
        mean->ns /= (double)group->counted;
        mean->low /= (double)group->counted;
        mean->high /= (double)group->counted;
    }
    group->all.id = x_strdup(group->id);
    OWNED_TEXT line = result_to_line(&group->all);
    say(MESSAGE_RESULT, line);
}

/* The reason goes to the kernel's row; say_reason() follows, since the program ends as it likes. */
static void tell_failure(const struct alike *group, const struct problem *problem, struct result *result)
{
    result->id = x_strdup(group->id);
    result_fail(result, RESULT_FAILED, problem->text);
    OWNED_TEXT line = result_to_line(result);
    say(MESSAGE_RESULT, line);
}

/* ---- A launch ---- */

/* A launch as a workload, which the orders execute as they do that of a kernel library. */
struct launched {
    const struct grid *grid;
    enum fault fault;
    struct problem problem; /* why an execution failed */
};

static int restore(void *self, struct problem *problem)
{
    (void)self, (void)problem;
    outcomes_restore(runtime_machine());
    heap_restore(runtime_machine());
    outside_forget(runtime_machine()); /* what the execution before printed */
    return 0;
}

static int execute(void *self, struct problem *problem)
{
    struct launched *launched = self;
    const int failed = launches_run(&program.log, launched->grid, &launched->fault, problem);
    if (failed < 0)
        launched->problem = *problem;
    return failed;
}

static int wait(void *self, struct problem *problem)
{
    (void)self, (void)problem; /* all is done when a launch returns */
    return 0;
}

/* A problem of an execution begins with what a workload does then, which is no word for a program's user. Any other is
 * that something depends on what the launch should not do: a fault. */
static void plain(const struct launched *launched, enum fault *fault, struct problem *problem)
{
    static const char prefix[] = "launch: ";
    const bool failed = strncmp(problem->text, prefix, strlen(prefix)) == 0;
    *fault = failed ? launched->fault : FAULT_OTHER;
    if (failed)
        *problem = launched->problem;
}

/* Lets the time of a launch pass that was counted. Those of a group take what is estimated of its first, whatever the
 * parent wants to know: so a program sees the same time by all options. Without an estimate it is as if each scheduler
 * issued an instruction in each cycle. */
static void pass(struct alike *group, const struct grid *grid)
{
    enum { SCHEDULERS = 4 };
    if (group && group->launches == 0) {
        OWNED(result) timed = {.estimated = times_together(&program.log.times)};
        group->ns = timed.estimated && !timed.estimated->refused ? timed.estimated->ns : 0;
    }
    const double cycles = gpu_cycles_per_ns(runtime_gpu());
    const int most = runtime_gpu()->attributes[cudaDevAttrMultiProcessorCount];
    const uint64_t blocks = grid_blocks(grid), sms = blocks < (uint64_t)most ? blocks : (uint64_t)most;
    const double issued = program.log.values->list[BOUND_LEAST][EXACT_INSTRUCTIONS] / (double)(sms * SCHEDULERS);
    runtime_pass_launch(group && group->ns > 0 ? group->ns : cycles > 0 ? issued / cycles : 0);
}

/* Executes and counts a launch. */
static int count(struct alike *group, const struct grid *grid, enum fault *fault, struct problem *problem)
{
    OWNED(result) result = {0};
    struct grid executed = *grid;
    struct launched launched = {.grid = &executed};
    const struct workload workload = {
        .id = grid->function->text.name, .self = &launched, .before = restore, .launch = execute, .wait = wait};
    program.log.times.wanted =
        program.has_chip && group && (group->launches == 0 || (group->counted < TIMED && is_wanted(group)));
    program.log.times.before = group ? &group->times : NULL;
    program.log.suppressed = group ? group->suppressed : find_suppressed(grid->function);
    runtime_machine()->stream_races->suppressed = program.log.suppressed >> DOUBT_STREAMS & 1;
    outcomes_restore_orders(runtime_machine(), true);
    heap_keep(runtime_machine());
    const uint64_t began = runtime_machine()->ns = atomic_load(&runtime_now()->clock_ns);
    executed.untrusted |= repeats_begin(grid) && group && !is_wanted(group);
    int failed = workload_count(&program.log, &workload, &program.request.metrics, &result, problem);
    outcomes_restore_orders(runtime_machine(), false);
    function_run_by(run_told, NULL); /* the log has put itself there */
    if (failed < 0)
        plain(&launched, fault, problem);
    else
        pass(group, grid);
    result.outside = outside_noted(runtime_machine());
    const bool suppressed = failed == 0 && tell_suppressed(group, grid->function);
    if (failed < 0 && group && group->id)
        tell_failure(group, problem, &result);
    else if (failed == 0 && group && is_wanted(group)) {
        if (group->counted == 0)
            tell_first(group);
        add_counts(group, &result);
    }
    repeats_end(failed == 0 && !suppressed && !result.outside && !result.doubt && !result.varies,
                (double)(atomic_load(&runtime_now()->clock_ns) - began),
                failed == 0 ? program.log.values->list[BOUND_LEAST][EXACT_INSTRUCTIONS] : 0, &result);
    times_release(&program.log.times);
    return failed;
}

/* Begins anew in a process that was forked: the parent hears of it as of any other. */
static void begin_again(void)
{
    program.forked = program.described = false;
    program.request = (struct request){0};
    forget_groups();
    program.on = link_open(&program.request);
}

static int run_told(void *data, const struct grid *grid, enum fault *fault, struct problem *problem)
{
    (void)data;
    if (program.forked)
        begin_again();
    if (!program.on) {
        runtime_pass_launch(0); /* nothing is counted any more, and no number of this process is trusted */
        return grid_run(grid, NULL, fault, problem);
    }
    if (!program.described)
        describe();
    struct alike *group = group_of(grid);
    double ns;
    const struct result *counts;
    if (group && group->launches > 0 && (group->counted > 0 || !is_wanted(group)) && repeats_find(grid, &ns, &counts)) {
        runtime_pass_launch(ns);
        if (is_wanted(group))
            add_counts(group, counts);
        group->launches++;
        stretches_add(&program.stretches, &group->last, 1);
        return 0;
    }
    /* What the launch before left out is not of this one, which may be executed several times. */
    if (grid_settle(runtime_machine(), fault, problem) < 0 || count(group, grid, fault, problem) < 0)
        return -1;
    if (!group) {
        program.ungrouped++;
        return 0;
    }
    group->launches++;
    stretches_add(&program.stretches, &group->last, 1);
    return 0;
}

/* ---- The beginning and the end ---- */

static void at_exit(void)
{
    NUMERIC_DEFAULT;
    char *text = NULL;
    size_t size = 0;
    if (!program.on || program.forked)
        return;
    function_settle(NULL, 0, false); /* blocks that were left out may make a fault */
    FILE *stream = x_memstream(&text, &size);
    const __typeof(runtime_now()->work) *work = &runtime_now()->work;
    fprintf(stream, "%zu %zu - %zu %zu - - - %zu %zu %zu %zu %zu %zu %zu %zu %zu %zu -", work->copies, work->copy_bytes,
            work->fills, work->fill_bytes, work->refused, work->synchronizations, work->allocations,
            work->host_copy_bytes, work->pageable_copy_bytes, work->stream_calls, work->longest_chain, work->calls,
            work->programmatic, work->copy_rows);
    fclose(stream);
    say(MESSAGE_WORK, text);
    free(text);
    for (size_t i = 0; i < program.count; i++)
        if (program.list[i]->counted > 0)
            tell_all(program.list[i]);
    stream = x_memstream(&text, &size);
    fprintf(stream, "0");
    for (enum unwatched_reason reason = 0; reason < UNWATCHED_REASONS; reason++)
        fprintf(stream, " %zu", reason == UNWATCHED_SHAPES ? program.ungrouped : 0);
    fprintf(stream, "\n");
    stretches_end(&program.stretches);
    for (size_t i = 0; i < program.count; i++) {
        const struct alike *group = program.list[i];
        if (group->id)
            fprintf(stream, "%zu %zu %d 0 %zu/0/0 0/0 %s\n", group->launches,
                    group->launches > group->skip ? group->launches - group->skip : 0,
                    stretches_are_behind(&program.stretches, group->last), group->launches, group->id);
    }
    fclose(stream);
    say(MESSAGE_END, text);
    free(text);
    program.on = false;
    link_close();
}

/* Memory of the GPU is a copy in a forked process, where a GPU's driver has none: what has launched cannot go on. */
static void after_fork(void)
{
    link_close();
    program.on = false;
    program.forked = true;
    struct runtime *runtime = runtime_now();
    memset(&runtime->work, 0, sizeof runtime->work);
    runtime->watched = false; /* the thread is not in this process */
    if (program.described)
        runtime->lost = cudaErrorInitializationError;
}

/* Whether this library was loaded in the runtime's name. cugate itself loads it by its own. */
static bool is_runtime(void)
{
    Dl_info about;
    const char *file = dladdr(&program, &about) && about.dli_fname ? strrchr(about.dli_fname, '/') : NULL;
    return file && strncmp(file, "/libcudart.so", strlen("/libcudart.so")) == 0;
}

/* Returns a function of a library that is needed here, if the program exports another one by its name, which would be
 * called in its place; NULL: there is none. */
static const char *replaced(void)
{
    static const struct {
        const char *library, *function; /* a package may have it as libzstd-1a2b3c4d.so.1 */
    } needed[] = {{"libjansson", "json_loadb"}, {"libzstd", "ZSTD_decompress"},  {"liblz4", "LZ4_decompress_safe"},
                  {"libxxhash", "XXH3_64bits"}, {"libinih", "ini_parse_stream"}, {"libelf", "elf_memory"},
                  {"libdw", "dwarf_begin_elf"}};
    Dl_info about;
    for (size_t i = 0; i < ARRAY_SIZE(needed); i++) {
        const void *found = dlsym(RTLD_DEFAULT, needed[i].function);
        const char *file = found && dladdr(found, &about) && about.dli_fname ? strrchr(about.dli_fname, '/') : NULL;
        if (found && !(file && strncmp(file + 1, needed[i].library, strlen(needed[i].library)) == 0))
            return needed[i].function;
    }
    return NULL;
}

__attribute__((constructor)) static void begin(void)
{
    NUMERIC_DEFAULT;
    struct problem problem;
    struct gpu gpu;
    if (!is_runtime() || !link_open(&program.request) || !program.request.gpu)
        return;
    program.on = true;
    runtime_now()->tell = say_reason;
    runtime_now()->has_clock = true;
    const char *function = replaced();
    if (function)
        problem_set(&problem,
                    "not simulated: the program exports its own %s, which cugate needs; link it without -rdynamic, "
                    "or with -Wl,--exclude-libs,ALL",
                    function);
    if (function || gpu_read(&gpu, program.request.gpu, &problem) < 0) {
        runtime_now()->lost = cudaErrorNotSupported;
        say_reason(problem.text);
        return;
    }
    runtime_set_gpu(&gpu);
    outside_allow(runtime_machine());
    const bool threads =
        ANY(m, program.request.metrics.count, exact_counts_threads(exact_counter_of(&program.request.metrics.list[m])));
    grid_ask_threads(runtime_machine(), threads);
    program.has_chip = gpu_as_chip(runtime_gpu(), &program.log.times.chip);
    function_run_by(run_told, NULL);
    pthread_atfork(NULL, NULL, after_fork);
    atexit(at_exit);
    at_quick_exit(at_exit);
}
