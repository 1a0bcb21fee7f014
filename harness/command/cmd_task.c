/* Makes a task for `cugate referee` without a GPU: launches of a reference, as the command line states them, on inputs
 * that are made here, with the results that the reference leaves on a simulated GPU. */
#include "gpu/gpu.h"
#include "names/names.h"

#include "outputs.h"
#include "swap_options.h"

#include <inttypes.h>
#include <unistd.h>

struct own_options {
    int seed;
};

#define ARRAYS_FROM UINT64_C(0x7d0000000000) /* where nothing else of a process is, as a rule */
#define ARRAY_EVERY (UINT64_C(32) << 20)
#define FILE_MOST ((size_t)4 << 30)
enum { LAUNCHES_MOST = 100 };

/* All state of the command. It is empty at first and released at the end. */
struct task {
    const struct options *options;
    struct metrics metrics;
    struct measurement measurement; /* of the simulated GPU that executes the reference */
    struct run about;               /* that GPU, and when the task was made */
    int capability;
    char *folder, *code, *stated, *computed, *made; /* files made here; code may be the one that was named */
    struct task_launch *launches;
    size_t launch_count;
    struct triton_launch described; /* beside the reference */
    char **ids;
    char *description; /* path of the GPU's */
    struct prove prove;
};

/* ---- The GPU ---- */

static int describe_gpu(struct task *task, const char *path)
{
    struct gpu gpu;
    struct problem problem;
    if (gpu_read(&gpu, path, &problem) < 0)
        return error("%s", problem.text);
    gpu_as_device(&gpu, &task->about.device);
    task->capability = gpu_capability(&gpu);
    return 0;
}

/* ---- The code ---- */

/* Has nvcc compile the reference, if it is source code. */
static int find_code(struct task *task)
{
    const char *path = task->options->arguments[0], *ending = strrchr(path, '.'), *named = getenv("NVCC");
    static const char own[] = "/usr/local/cuda/bin/nvcc";
    struct supervised supervised;
    struct problem problem;
    if (!ending || strcmp(ending, ".cu") != 0) {
        task->code = x_strdup(path);
        return 0;
    }
    OWNED_TEXT nvcc = named && strchr(named, '/') ? x_strdup(named) : program_on_path(named && *named ? named : "nvcc");
    if (!nvcc)
        nvcc = x_strdup(own);
    task->code = x_sprintf("%s/reference.cubin", task->folder);
    OWNED_TEXT architecture = x_sprintf("-arch=sm_%d", task->capability);
    const char *const words[] = {nvcc, "-cubin", "-lineinfo", architecture, "-o", task->code, path, NULL};
    int failed = 0;
    if (access(nvcc, X_OK) < 0)
        failed =
            error("%s needs nvcc, which is not on the PATH: install the CUDA toolkit, set NVCC, or name a cubin", path);
    else if (supervised_start(&supervised, words, &problem) < 0)
        failed = error("%s", problem.text);
    else if (supervised_end(&supervised) != 0)
        failed =
            error("nvcc cannot compile %s for sm_%d: if it needs other options, compile a cubin yourself and pass that",
                  path, task->capability);
    return failed;
}

/* ---- The launches as capsules, before they run ---- */

/* Sets the bytes of an argument where the code has it. -1 after error(). */
static int place_argument(struct capsule *capsule, const struct entry *entry, size_t number, const void *bytes,
                          unsigned size, bool exact)
{
    const struct parameter *parameter = &entry->parameters[number];
    if (parameter->size != size)
        return error("argument %zu of %s has %u bytes, but %u were given", number + 1, capsule->id, parameter->size,
                     size);
    memcpy(capsule->bytes + parameter->offset, bytes, size);
    capsule->arguments[number] = (struct argument){.offset = parameter->offset, .size = size, .exact = exact};
    return 0;
}

/* Adds memory that holds those bytes. */
static void add_range(struct capsule *capsule, struct capsule_writer *writer, const unsigned char *bytes, uint64_t size,
                      uint64_t address, enum memory_kind kind)
{
    const struct blob blob = capsule_writer_blob(writer, bytes, size);
    struct memory_range *range = ARRAY_GROW(capsule->ranges, capsule->range_count);
    *range = (struct memory_range){.kind = kind, .address = address, .size = size, .before = blob.pages};
    range->after = x_calloc(pages_of(size) + 1, sizeof *range->after);
    /* All of it may be changed, and so is restored before each launch. */
    memcpy(range->after, range->before, pages_of(size) * sizeof *range->after);
}

static int add_argument(struct task *task, struct capsule *capsule, struct capsule_writer *writer,
                        const struct entry *entry, const struct task_launch *launch, size_t number, uint64_t *address)
{
    const struct task_argument *argument = &launch->arguments[number];
    uint64_t size = task_array_size(argument);
    OWNED_MEMORY char *bytes = NULL;
    size_t length = 0;
    if (argument->kind == TASK_SCALAR)
        return place_argument(capsule, entry, number, argument->scalar, task_argument_size(argument), false);
    if (argument->kind == TASK_FILE) {
        TRY(file_read(argument->path, FILE_MOST, &bytes, &length));
        size = length;
    } else if (size <= FILE_MOST) {
        bytes = x_calloc(size + 1, 1);
    }
    int failed = size == 0 || size > FILE_MOST
                     ? error("argument %zu of %s points to %" PRIu64 " bytes, but must point to 1 byte to 4 GiB",
                             number + 1, capsule->id, size)
                     : 0;
    if (argument->kind == TASK_INPUT && failed == 0)
        task_fill(argument, (unsigned char *)bytes,
                  (uint64_t)(OWN(task->options)->seed < 0 ? 1 : OWN(task->options)->seed) * 1000 + number);
    if (failed == 0) {
        add_range(capsule, writer, (unsigned char *)bytes, size, *address,
                  argument->kind == TASK_SCRATCH ? MEMORY_SCRATCH : MEMORY_DEVICE);
        failed = place_argument(capsule, entry, number, address, sizeof *address, task_is_exact(argument));
    }
    *address += (size + ARRAY_EVERY - 1) / ARRAY_EVERY * ARRAY_EVERY;
    return failed;
}

static void extents_text(char *text, size_t size, const unsigned extents[3])
{
    const int used = snprintf(text, size, "%u", extents[0]);
    if (extents[1] > 1 || extents[2] > 1)
        snprintf(text + used, size - (size_t)used, extents[2] > 1 ? "x%ux%u" : "x%u", extents[1], extents[2]);
}

/* Returns the id of a launch, as `cugate run -- PROGRAM` names it, of the task, with a number where an earlier one has
 * it. Caller frees. */
static char *id_of(const struct task *task, const char *function, const struct task_launch *launch, size_t number)
{
    char grid[40], block[40], shared[16] = "";
    OWNED_TEXT program = file_short_name(task->options->output), *kernel = kernel_short_name(function);
    extents_text(grid, sizeof grid, launch->grid);
    extents_text(block, sizeof block, launch->block);
    if (launch->shared > 0)
        snprintf(shared, sizeof shared, ",%u", launch->shared);
    char *id = x_sprintf("%s/%s@%s,%s%s", program, kernel, grid, block, shared);
    size_t before = 0;
    for (size_t i = 0; i < number; i++)
        before += strncmp(task->ids[i], id, strlen(id)) == 0 && strchr("#", task->ids[i][strlen(id)]);
    if (before > 0)
        x_append(&id, "#", "%zu", before + 1);
    return id;
}

/* Lays out the arguments of a task that is several launches, as a function of them would have them. */
static void lay_out(struct entry *entry, const struct task_launch *launch)
{
    entry->parameters = x_calloc(launch->count + 1, sizeof *entry->parameters);
    entry->parameter_count = launch->count;
    for (size_t i = 0; i < launch->count; i++) {
        const unsigned size = task_argument_size(&launch->arguments[i]);
        entry->parameters[i].offset = (entry->parameter_bytes + size - 1) / size * size;
        entry->parameters[i].size = size;
        entry->parameter_bytes = entry->parameters[i].offset + size;
    }
}

static int add_launch(struct task *task, struct capsule_writer *writer, size_t number)
{
    const struct task_launch *launch = &task->launches[number];
    char *name = NULL, *read = NULL;
    OWNED(replacement) code = {0};
    OWNED(entry) laid_out = {0};
    uint64_t address = ARRAYS_FROM;
    if (launch->step_count == 0 && kernel_find(task->code, launch->function, &name, &read) < 0)
        return -1;
    name = name ? name : x_strdup(launch->function);
    read = read ? read : x_strdup(launch->function);
    task->ids[number] = id_of(task, read, launch, number);
    struct capsule capsule = {
        .id = x_strdup(task->ids[number]),
        .function = name,
        .shared = launch->shared > 0 ? launch->shared : task->described.shared,
        .shared_limit = launch->shared > 0 ? launch->shared : task->described.shared,
        .proof = PROOF_NONE,
        .launches = 1,
        .launch = 1,
        .time_ns = NAN,
    };
    memcpy(capsule.grid, launch->grid, sizeof capsule.grid);
    memcpy(capsule.block, launch->block, sizeof capsule.block);
    if (launch->step_count > 0)
        lay_out(&laid_out, launch);
    const struct entry *entry = launch->step_count > 0 ? &laid_out : &code.entry;
    int failed = launch->step_count > 0 ? 0 : replacement_find(&code, task->code, capsule.function, task->capability);
    if (failed == 0 && task->described.found && entry->parameter_count == launch->count + TRITON_POINTERS)
        task_launch_add_pointers(&task->launches[number]);
    const size_t takes = entry->parameter_count;
    const bool as_triton = takes == launch->count + TRITON_POINTERS && entry->parameters[takes - 1].size == 8 &&
                           entry->parameters[takes - 2].size == 8;
    if (failed == 0 && takes != launch->count)
        failed =
            error("%s takes %zu argument%s, but %zu were given%s", read, takes, plural(takes), launch->count,
                  as_triton ? "; if Triton compiled it, the last two are its own null pointers: add u64=0, u64=0" : "");
    if (failed == 0) {
        capsule.byte_count = entry->parameter_bytes;
        capsule.bytes = x_calloc(capsule.byte_count + 1, 1);
        capsule.argument_count = launch->count;
        capsule.arguments = x_calloc(launch->count + 1, sizeof *capsule.arguments);
    }
    for (size_t i = 0; i < launch->count && failed == 0; i++)
        failed = add_argument(task, &capsule, writer, entry, launch, i, &address);
    if (failed == 0)
        failed = launch->step_count > 0 ? replacement_steps(&code, task->code, &capsule, launch->steps,
                                                            launch->step_count, task->capability)
                                        : replacement_check(&code, &capsule, task->capability);
    const char *unset = failed == 0 ? image_unset_constant(&code.image) : NULL;
    if (unset)
        failed = error("the constant %s of %s has no value, because no host code runs here: initialise it in the "
                       "source, make it an argument, or leave it out",
                       unset, task->options->arguments[0]);
    if (failed == 0)
        capsule.code = capsule_writer_blob(writer, code.bytes, code.size);
    if (failed == 0 && capsule_writer_add(writer, &capsule) < 0)
        failed = error("%s", writer->problem.text);
    capsule_release(&capsule);
    free(read);
    return failed;
}

static int state_launches(struct task *task)
{
    struct capsule_writer writer;
    int failed = capsule_writer_open(&writer, task->stated, NULL);
    if (failed < 0)
        error("%s", writer.problem.text);
    else {
        writer.file.is_brief = true;
        if ((failed = capsule_writer_about(&writer, &task->about)) < 0)
            error("%s", writer.problem.text);
        for (size_t i = 0; i < task->launch_count && failed == 0; i++)
            if ((failed = add_launch(task, &writer, i)) < 0)
                error("in --launch '%s'", task->options->launches[i]);
        if (failed == 0 && (failed = capsule_writer_end(&writer)) < 0)
            error("%s", writer.problem.text);
        capsule_writer_abandon(&writer);
    }
    return failed;
}

/* ---- What the reference leaves ---- */

static int compute(struct task *task)
{
    struct draws draws = {.measurement = &task->measurement, .keep = UINT64_MAX};
    for (size_t i = 0; i < task->launch_count; i++) /* of outputs that are 0 it is tried whether they are written */
        for (size_t k = 0; k < task->launches[i].count && k < 64; k++)
            draws.keep &= ~((uint64_t)(task->launches[i].arguments[k].kind == TASK_OUTPUT) << k);
    task->prove = (struct prove){
        .from = task->stated,
        .to = task->computed,
        .draws = &draws,
        .timeout = options_timeout(task->options),
        .progress = isatty(STDERR_FILENO) && !task->options->quiet,
    };
    int code = measure_prove(&task->prove);
    task->prove.draws = NULL;
    for (size_t i = 0; i < task->prove.count && code == EXIT_SAME; i++)
        if (task->prove.results[i].refused)
            code = error("cannot run %s: %s", task->prove.results[i].id, task->prove.results[i].refused) < 0
                       ? EXIT_NOT_MEASURED
                       : code;
    return code;
}

/* Says which launches leave a part of their outputs as it is, as where a grid is too small. */
static void warn_unwritten(const struct task *task)
{
    for (size_t i = 0; i < task->launch_count; i++) {
        const struct proof_result *result = &task->prove.results[i];
        uint64_t bytes = 0; /* what is filled is counted in words of 8 */
        for (size_t k = 0; k < task->launches[i].count; k++)
            if (task->launches[i].arguments[k].kind == TASK_OUTPUT)
                bytes += task_array_size(&task->launches[i].arguments[k]) / 8 * 8;
        if (!result->unfilled && result->drawn.filled < bytes)
            warning("%s: of %" PRIu64 " bytes of outputs, %" PRIu64
                    " are not overwritten: is the grid too small, an output too large, or does the kernel add to it?",
                    result->id, bytes, bytes - result->drawn.filled);
    }
}

/* Copies what was computed, with the ids of the task and its tolerance. */
static int write_task(struct task *task, const char *path)
{
    OWNED(capsules) computed = {0};
    struct capsule_writer writer;
    struct compared compared;
    struct problem problem;
    double tolerance;
    enum value_type type;
    TRY_AS(EXIT_USAGE, read_tolerance(task->options, &tolerance, &type));
    if (capsules_open(&computed, task->computed, false, &problem) < 0)
        return error("%s", problem.text), EXIT_USAGE;
    int failed = capsule_writer_open(&writer, path, page_compress_zstd);
    if (failed == 0)
        failed = capsule_writer_about(&writer, &computed.about);
    for (size_t i = 0; i < computed.count && failed == 0; i++) {
        struct capsule capsule = computed.list[i];
        capsule.id = task->ids[i];
        capsule.tolerance = tolerance;
        capsule.type = tolerance > 0 ? type : VALUE_F16;
        if (capsules_compared(&computed, &computed.list[i], &compared, &problem) < 0)
            failed = problem_set(&writer.problem, "%s", problem.text);
        else if (compared.changed == 0)
            failed = problem_set(
                &writer.problem,
                "%s leaves only zeros in its outputs and changes nothing else, so code that does nothing would be "
                "right: are all outputs among the arguments, and do these inputs give results other than 0?",
                capsule.id);
        else
            failed = capsule_writer_copy(&writer, &computed, &capsule, NULL);
    }
    return capsule_writer_finish(&writer, failed) < 0 ? EXIT_USAGE : EXIT_SAME;
}

/* Has the referee judge the reference by its own task: what is wrong or undecided of it would be so of each candidate.
 * Returns an exit code. */
static int judge_itself(const struct task *task, const char *path)
{
    const struct options *options = task->options;
    const struct referee_request request = {
        .task = path,
        .swap = {.code = task->code, .quiet = true},
        .metrics = &task->metrics,
        .measurement = task->measurement,
        .way = ORIGIN_COMPUTED,
        .seed = 1,
        .draws = 2,
        .explain = -1,
    };
    OWNED(referee_inputs) inputs = {0};
    OWNED(referee_result) refereed = {0};
    struct problem said = {""}, *before = error_into(&said);
    int code = referee_draw(&inputs, &request);
    if (code == EXIT_SAME)
        code = referee_judge(&refereed, &request, &inputs);
    error_into(before);
    const char *why = code == EXIT_SAME ? referee_result_why(&refereed) : said.text;
    code = code == EXIT_SAME ? (int)refereed.exit_code : code;
    if (code == EXIT_NOT_MEASURED)
        error("%s cannot be a reference, because it fails its own task: %s; if sums vary in order, add --tolerance",
              options->arguments[0], why ? why : exit_code_name(EXIT_NOT_MEASURED));
    else if (code == EXIT_UNSURE && !options->quiet)
        warning("the reference does not pass its own task: %s", why ? why : exit_code_name(EXIT_UNSURE));
    else if (code == EXIT_USAGE)
        error("%s", said.text);
    return code == EXIT_NOT_MEASURED || code == EXIT_INTERRUPTED || code == EXIT_USAGE ? code : EXIT_SAME;
}

static void release(struct task *task)
{
    for (size_t i = 0; i < task->launch_count; i++) {
        task_launch_release(&task->launches[i]);
        free(task->ids[i]);
    }
    free(task->launches);
    triton_release(&task->described);
    free(task->ids);
    free(task->description);
    prove_release(&task->prove);
    run_release(&task->about);
    metrics_release(&task->metrics);
    if (task->folder)
        remove_temporary_folder(task->folder);
    free(task->code);
    free(task->stated);
    free(task->computed);
    free(task->made);
}

/* Everything that can be wrong with the command line is said before anything is computed. */
static int prepare(struct task *task, struct options *computing)
{
    const struct options *options = task->options;
    double tolerance;
    enum value_type type;
    task->launches = x_calloc(options->launch_count + 1, sizeof *task->launches);
    task->ids = x_calloc(options->launch_count + 1, sizeof *task->ids);
    for (size_t i = 0; i < options->launch_count; i++)
        if (task->launch_count++, task_launch_parse(&task->launches[i], options->launches[i]) < 0)
            return error("in --launch '%s'", options->launches[i]);
    if (triton_read(&task->described, options->arguments[0]) < 0 || output_expect_file(options->output) < 0 ||
        read_tolerance(options, &tolerance, &type) < 0 || options_read_metrics(options, &task->metrics) < 0 ||
        !(task->folder = make_temporary_folder()))
        return -1;
    EACH(struct task_launch, launch, task->launches, task->launch_count) {
        if (launch->block[0] == 0) /* Triton's description has it */
            memcpy(launch->block, (unsigned[3]){task->described.threads, 1, 1}, sizeof launch->block);
        if (launch->block[0] == 0)
            return error("between <<< and >>> write the grid and the block");
    }
    task->stated = x_sprintf("%s/stated.capsule", task->folder);
    task->computed = x_sprintf("%s/computed.capsule", task->folder);
    task->made = x_sprintf("%s/task.capsule", task->folder);
    computing->way = ORIGIN_COMPUTED;
    computing->description = task->description = options_find_gpu(options);
    if (!computing->description || describe_gpu(task, computing->description) < 0 ||
        options_measurement(&task->measurement, computing, &task->metrics) < 0)
        return -1;
    task->measurement.subject = SUBJECT_CAPSULES; /* which are made of what the command was given */
    return 0;
}

static int cmd_task(const struct options *options)
{
    struct options computing = *options;
    struct task task = {.options = options};
    if (options->launch_count == 0)
        die(EXIT_USAGE, "no launch: add --launch 'NAME<<<GRID, BLOCK>>>(ARGUMENT, ...)', as in --help");
    if (options->launch_count > LAUNCHES_MOST)
        die(EXIT_USAGE, "a task has at most %d launches", LAUNCHES_MOST);
    if (!options->output)
        die(EXIT_USAGE, "no output file: add -o TASK.capsule");
    struct interrupts interrupts;
    int code = EXIT_USAGE;
    if (interrupts_open(&interrupts) < 0) /* Ctrl-C is held back, so that the folder goes */
        return EXIT_NOT_MEASURED;
    task.about.sessions = x_calloc(1, sizeof *task.about.sessions);
    task.about.session_count = 1;
    measure_complete_session(task.about.sessions);
    if (prepare(&task, &computing) == 0 && find_code(&task) == 0 && state_launches(&task) == 0 &&
        (code = compute(&task)) == EXIT_SAME && (code = write_task(&task, task.made)) == EXIT_SAME &&
        (code = judge_itself(&task, task.made)) == EXIT_SAME &&
        (code = write_task(&task, options->output)) == EXIT_SAME && !options->quiet) {
        warn_unwritten(&task);
        fprintf(stderr,
                "%s: %zu launch%s of %s, with the results of a simulated %s\n"
                "next: cugate referee %s --code CANDIDATE.cubin --simulate%s\n",
                options->output, task.launch_count, plural_of(task.launch_count, "", "es"), options->arguments[0],
                task.about.device.name, options->output,
                options->tolerance ? "" : " (results must match bit for bit; --tolerance 1e-5 allows rounding)");
    }
    release(&task);
    return interrupts_close(&interrupts) ? EXIT_INTERRUPTED : code;
}

/* clang-format off */
static const struct option_row *const takes[] = {
    OPTION(.name = "launch", .argument = "LAUNCH", .kind = KIND_LIST, .place = PLACE(launches),
           .doc = "'NAME<<<GRID, BLOCK[, SHARED]>>>(ARGUMENT, ...)'; repeatable: each becomes a kernel of the task"),
    OPTION(.name = "output", .letter = 'o', .argument = "TASK.capsule", .kind = KIND_TEXT, .place = PLACE(output),
           .doc = "write the task to this file"),
    OPTION(.name = "gpu", .argument = "GPU", .kind = KIND_TEXT, .place = PLACE(gpu),
           .doc = "GPU to execute the reference for, such as H200 (default: `gpu` in cugate.ini)"),
    OPTION(.name = "seed", .argument = "N", .kind = KIND_INTEGER, .place = OWN_PLACE(seed), .minimum = 0, .maximum = 1000000000,
           .doc = "seed for the input values (default: 1)"),
    &option_tolerance, &option_type, &option_metrics, &option_timeout, NULL,
};

const struct command command_task = {
    OWN_DEFAULTS(.seed = -1),
    .name = "task",
    .arguments = "REFERENCE.cu|REFERENCE.cubin",
    .summary = "make a task for the referee from a kernel, without a GPU",
    .details = "Executes each launch of the reference on a simulated GPU and keeps its inputs and results in one file. "
               "`cugate referee TASK.capsule --code CANDIDATE.cubin --simulate` then judges other code against it, on fresh inputs.\n"
               "NAME is the kernel's name in the source, with template arguments if it is ambiguous, or its name in the machine "
               "code. GRID and BLOCK are X, XxY or XxYxZ. An ARGUMENT is a scalar, TYPE=VALUE; a pointer to an input that the "
               "kernel may change, TYPE:COUNT:VALUES; a pointer to a pure output, out:TYPE:COUNT, initially 0; a pointer to memory for "
               "intermediate values, scratch:TYPE:COUNT, initially random; or a pointer to the contents of a file, file:PATH. TYPE is f64, f32, f16, bf16, i64, i32, i16, i8, u64, u32, u16 or u8. VALUES are "
               "uniform:LEAST:MOST (default for floats: uniform:-1:1), normal:MEAN:DEVIATION, constant:VALUE, permutation "
               "(0 to COUNT - 1), sorted:LEAST:MOST or offsets:LAST (from 0 to LAST, sorted).\n"
               "--tolerance applies to floats; integers must match exactly. The referee draws inputs that look like the values here: "
               "a range given here is not guaranteed. Write a null pointer as u64=0, a bool as u8, a struct as u64 words.\n"
               "A .cu is compiled by nvcc (NVCC, or the PATH). \n"
               "A reference of several launches is written 'norm(out:f32:64, f32:4096, scratch:f32:64) { sums<<<64, 64>>>(3, 2); "
               "scale<<<1, 64>>>(1, 3, f32=2); }': the arguments of the task, then launches in order, whose arguments are numbers of the "
               "task's arguments, or TYPE=VALUE. A candidate is one function that takes all of the task's arguments (--launch), "
               "or launches of its own in NAME.json.",
    .exits = EXITS({EXIT_SAME, "the task was written"}, {EXIT_USAGE, NULL},
                   {EXIT_NOT_MEASURED, "the reference cannot run, or has a fault"}, {EXIT_INTERRUPTED, NULL}),
    .example = "cugate task softmax.cu --launch 'softmax<<<64, 128>>>(out:f32:65536, f32:65536:normal:0:1, i32=1024)' -o softmax.capsule",
    .takes = takes,
    .minimum = 1, .maximum = 1, .run = cmd_task,
};
/* clang-format on */
