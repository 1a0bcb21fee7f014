#include "swap.h"

#include "cubin.h"

#include "names/names.h"

enum { TOLD = 6 }; /* so many names are told */

struct swap {
    struct swap_request asked; /* with what is described beside the code */
    unsigned ctas;             /* blocks of a cluster that the code is for; 0: not known */
    char version[32];          /* of Triton, which made it; "" where not known */
    char *function;            /* in the machine code; NULL: the capsule's */
    struct triton_launch described;
    struct replacement found; /* for the last capsule, and for the next of the same function */
    struct capsules capsules;
    struct capsule_writer writer;
    size_t swapped;
};

/* Takes the launch that is described beside the code, unless an option says otherwise. */
static int read_description(struct swap *swap)
{
    struct swap_request *changes = &swap->asked;
    const char *path = changes->code, *function = changes->function;
    char *read;
    TRY(triton_read(&swap->described, path));
    const struct triton_launch launch = swap->described;
    if (changes->grid[0] == 0)
        memcpy(changes->grid, launch.grid, sizeof changes->grid);
    if (changes->block[0] == 0)
        memcpy(changes->block, launch.block, sizeof changes->block);
    if (!changes->has_shared && launch.bytes >= 0)
        changes->shared = (unsigned)launch.bytes;
    changes->has_shared |= launch.bytes >= 0;
    function = function ? function : *launch.function ? launch.function : NULL;
    if (function && kernel_find(path, function, &swap->function, &read) < 0)
        return -1;
    if (function)
        free(read);
    if (!launch.found || launch.launch_count > 0)
        return 0;
    if (launch.threads == 0)
        return error("the JSON next to %s describes an impossible launch: compile it again", path);
    if (changes->block[0] == 0)
        memcpy(changes->block, (const unsigned[]){launch.threads, 1, 1}, sizeof changes->block);
    if (!changes->has_shared)
        changes->shared = launch.shared;
    changes->has_shared = true;
    swap->ctas = launch.ctas;
    snprintf(swap->version, sizeof swap->version, "%s", launch.version);
    return 0;
}

/* ---- The launch ---- */

static unsigned cluster_of(const struct capsule *capsule)
{
    return capsule->cluster[0] > 0 ? capsule->cluster[0] * capsule->cluster[1] * capsule->cluster[2] : 1;
}

static int change_launch(struct capsule *capsule, const struct swap *swap, bool is_one)
{
    const struct swap_request *changes = &swap->asked;
    if (!is_one && (changes->block[0] > 0 || changes->grid[0] > 0 || changes->has_shared))
        return error("%s consists of several launches, whose shapes no option can change: write them as \"launches\" "
                     "in the JSON next to %s, or name one function with --function",
                     capsule->id, changes->code);
    if (swap->ctas > 0 && swap->ctas != cluster_of(capsule))
        return error("%s is for clusters of %u block%s, but the launch of %s has %u: compile it with num_ctas=%u",
                     changes->code, swap->ctas, plural(swap->ctas), capsule->id, cluster_of(capsule),
                     cluster_of(capsule));
    if (changes->block[0] > 0)
        memcpy(capsule->block, changes->block, sizeof capsule->block);
    if (changes->grid[0] > 0)
        memcpy(capsule->grid, changes->grid, sizeof capsule->grid);
    if (changes->has_shared)
        capsule->shared = changes->shared;
    if (capsule->shared > capsule->shared_limit) /* a program that launches it raises the limit */
        capsule->shared_limit = capsule->shared;
    return 0;
}

/* Refuses a launch of whose result nothing is compared: any code would be right. */
static int check_compared(const struct capsules *capsules, const struct capsule *capsule, struct compared *compared)
{
    struct problem problem;
    if (capsules_compared(capsules, capsule, compared, &problem) < 0)
        return error("%s", problem.text);
    if (compared->masked < compared->changed)
        return 0;
    return error("the result of %s %s, so other code cannot be compared with it: choose other kernels with -k",
                 capsule->id,
                 compared->changed > 0 ? "varies completely from replay to replay" : "equals the previous memory");
}

static void put_extents(FILE *stream, const char *what, const unsigned now[3], const unsigned was[3])
{
    if (memcmp(now, was, 3 * sizeof *now) != 0)
        fprintf(stream, ", %s of %ux%ux%u instead of %ux%ux%u", what, now[0], now[1], now[2], was[0], was[1], was[2]);
}

/* Says what became of a capsule. */
static void say_swapped(const struct capsule *now, const struct capsule *was, const struct replacement *replacement,
                        const struct compared *compared)
{
    OWNED_TEXT compiler = image_compiler(&replacement->image);
    fprintf(stderr, "%s: code of %s%s%s", now->id, replacement->path, compiler ? ", by " : "",
            compiler ? compiler : "");
    if (now->step_count > 0)
        fprintf(stderr, ", in %zu launch%s", now->step_count, plural_of(now->step_count, "", "es"));
    if (strcmp(now->function, was->function) != 0)
        fprintf(stderr, ", function %s instead of %s", now->function, was->function);
    put_extents(stderr, "a block", now->block, was->block);
    put_extents(stderr, "a grid", now->grid, was->grid);
    if (now->shared != was->shared)
        fprintf(stderr, ", %u bytes of dynamic shared memory instead of %u", now->shared, was->shared);
    if (now->tolerance > 0)
        fprintf(stderr, ", results within %g as %s", now->tolerance, value_type_name(now->type));
    for (size_t i = 0; i < now->argument_count; i++)
        if (now->tolerance > 0 && now->arguments[i].exact)
            fprintf(stderr, ", but those of argument %zu exact", i + 1);
    if (compared->masked > 0)
        fprintf(stderr, ", %.3g %% of the result varies and is not compared",
                100 * (double)compared->masked / (double)compared->changed);
    fputc('\n', stderr);
}

/* ---- The file ---- */

/* Returns the compute capability of the GPU of the capture, 90 for 9.0; 0 after error(). */
static int capability_of(const struct capsules *capsules)
{
    const int capability = static_facts_capability(&capsules->about.device);
    if (capability == 0)
        error("%s does not name the GPU of its kernels: capture them again", capsules->path);
    return capability;
}

/* Returns the arguments with those marked that point to what has no tolerance; without one, as they are. NULL after
 * error(). Caller frees. */
static struct argument *mark_exact(const struct capsule *capsule, double tolerance, uint64_t exact)
{
    struct argument *arguments = x_calloc(capsule->argument_count + TRITON_POINTERS, sizeof *arguments);
    for (size_t i = 0; i < capsule->argument_count; i++) {
        arguments[i] = capsule->arguments[i];
        arguments[i].exact |= tolerance > 0 && i < 64 && exact >> i & 1; /* what the task states stays */
        if (arguments[i].exact && arguments[i].size == sizeof(uint64_t))
            exact &= ~(UINT64_C(1) << i);
    }
    if (exact == 0)
        return arguments;
    free(arguments);
    return FAIL(NULL, "--exact: argument %d of %s is not a pointer", __builtin_ctzll(exact) + 1, capsule->id);
}

/* Triton's code takes null pointers that no source has, so a launch of CUDA's gets them, and one of Triton's has them
 * for nothing. arguments: of the capsule, with room for them. */
static void fit_pointers(struct capsule *capsule, struct argument *arguments, const struct entry *entry, bool is_triton)
{
    static const unsigned char null[TRITON_POINTERS * sizeof(uint64_t)];
    const size_t has = capsule->argument_count, takes = entry->parameter_count;
    if (is_triton && takes == has + TRITON_POINTERS) {
        unsigned char *bytes = x_calloc(entry->parameter_bytes + capsule->byte_count, 1);
        memcpy(bytes, capsule->bytes, capsule->byte_count);
        capsule->bytes = bytes;
        capsule->byte_count = entry->parameter_bytes;
        for (size_t i = has; i < takes; i++)
            arguments[i] = (struct argument){.offset = entry->parameters[i].offset, .size = entry->parameters[i].size};
        capsule->argument_count = takes;
    } else if (has == takes + TRITON_POINTERS && arguments[takes].size == sizeof(uint64_t) &&
               arguments[takes + 1].size == sizeof(uint64_t) &&
               memcmp(capsule->bytes + arguments[takes].offset, null, sizeof null) == 0) {
        capsule->argument_count = takes;
    }
}

static int swap_one(struct swap *swap, const struct capsule *capsule, int capability, const char *to)
{
    const struct swap_request *asked = &swap->asked;
    struct capsule changed = *capsule; /* it borrows all */
    struct replacement *const found = &swap->found;
    struct compared compared;
    struct argument *const arguments = mark_exact(capsule, asked->tolerance, asked->exact);
    if (!arguments)
        return -1;
    changed.arguments = arguments;
    changed.function = swap->function ? swap->function : capsule->function;
    changed.swapped = *swap->version ? x_sprintf("%s by triton %s", asked->code, swap->version) : x_strdup(asked->code);
    changed.proof = PROOF_NONE;
    if (asked->tolerance > 0) {
        changed.tolerance = asked->tolerance;
        changed.type = asked->type;
    }
    int result = -1;
    if (swap->function || swap->described.launch_count > 0) {
        changed.steps = NULL;
        changed.step_count = 0;
    }
    struct capsule_step *const kept = changed.steps;
    const bool is_one = swap->function || swap->described.launch_count + changed.step_count == 0;
    if (!is_one || !found->function || strcmp(found->function, changed.function) != 0)
        replacement_release(found);
    const bool fits = !is_one || replacement_turn(found, asked->code, changed.function, capability) == 0;
    if (fits && is_one)
        fit_pointers(&changed, arguments, &found->entry, swap->described.found);
    if (fits && change_launch(&changed, swap, is_one) == 0 &&
        (swap->function || swap->described.launch_count == 0
             ? replacement_fit(found, asked->code, &changed, capability)
             : replacement_steps(found, asked->code, &changed, swap->described.launches, swap->described.launch_count,
                                 capability)) == 0 &&
        check_compared(&swap->capsules, capsule, &compared) == 0 &&
        (!asked->warns || replacement_warn(found, &swap->capsules, &changed) == 0)) {
        OWNED(blob) code = {0};
        if (to)
            code = capsule_writer_blob(&swap->writer, found->bytes, found->size);
        result = to ? capsule_writer_copy(&swap->writer, &swap->capsules, &changed, &code) : 0;
        if (result == 0 && !asked->quiet)
            say_swapped(&changed, capsule, found, &compared);
    }
    if (changed.steps != kept)
        capsule_steps_release(changed.steps, changed.step_count);
    if (changed.bytes != capsule->bytes)
        free(changed.bytes);
    free(changed.swapped);
    free(arguments);
    return result;
}

static bool is_chosen(const struct swap *swap, size_t i)
{
    return glob_any(swap->asked.globs, swap->asked.glob_count, swap->capsules.list[i].id);
}

/* to: NULL where nothing is written. */
static int swap_all(struct swap *swap, int capability, const char *to)
{
    const struct capsules *capsules = &swap->capsules;
    struct capsule_writer *writer = &swap->writer;
    int result = !to ? 0
                 : capsule_writer_open(writer, to, page_compress_zstd) < 0
                     ? -1
                     : capsule_writer_about(writer, &capsules->about);
    for (size_t i = 0; i < capsules->count && result == 0; i++) {
        if (is_chosen(swap, i))
            result = swap_one(swap, &capsules->list[i], capability, to);
        else if (to)
            result = capsule_writer_copy(writer, capsules, &capsules->list[i], NULL);
        swap->swapped += is_chosen(swap, i);
    }
    return to ? capsule_writer_finish(writer, result) : result;
}

/* Says of which capsules the code is another now, and which stay as they are. */
static void say_all(const struct swap *swap)
{
    const size_t stay = swap->capsules.count - swap->swapped;
    size_t told = 0;
    fprintf(stderr, "%zu of %zu kernel%s with other code, not replayed yet", swap->swapped, swap->capsules.count,
            plural(swap->capsules.count));
    for (size_t i = 0; i < swap->capsules.count; i++)
        if (!is_chosen(swap, i) && told++ < TOLD)
            fprintf(stderr, "%s%s", told == 1 ? "; unchanged: " : ", ", swap->capsules.list[i].id);
    if (stay > TOLD)
        fprintf(stderr, " and %zu more", stay - TOLD);
    fputc('\n', stderr);
}

int capsules_check_globs(const struct capsules *capsules, char *const *globs, size_t count)
{
    OWNED_MEMORY const char **ids = x_calloc(capsules->count + 1, sizeof *ids);
    int result = 0;
    for (size_t i = 0; i < capsules->count; i++)
        ids[i] = capsules->list[i].id;
    for (size_t g = 0; g < count && result == 0; g++)
        result = kernel_names_find(globs[g], ids, capsules->count, capsules->path);
    return result;
}

int swap_file(const struct swap_request *request, const char *from, const char *to)
{
    struct swap swap = {.asked = *request};
    struct problem problem;
    int failed = read_description(&swap), capability = 0;
    if (failed == 0 && (failed = capsules_open(&swap.capsules, from, false, &problem)) < 0)
        error("%s", problem.text);
    if (failed == 0)
        failed = capsules_check_globs(&swap.capsules, request->globs, request->glob_count);
    if (failed == 0 && (capability = capability_of(&swap.capsules)) == 0)
        failed = -1;
    if (failed == 0)
        failed = swap_all(&swap, capability, to);
    if (failed == 0 && !request->quiet)
        say_all(&swap);
    replacement_release(&swap.found);
    capsules_release(&swap.capsules);
    triton_release(&swap.described);
    free(swap.function);
    return failed;
}
