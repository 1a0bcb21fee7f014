#include "base/base.h"
#include "capsule/capsule.h"
#include "cubin/cubin.h"

#include "kernel_find.h"
#include "list_capsules.h"
#include "swapping.h"

#include <ctype.h>
#include <errno.h>

enum { TOLD = 6 }; /* so many names are told */

/* How the launches of chosen capsules change, beside their code. */
struct changes {
    unsigned block[3], grid[3]; /* 0: as it is */
    bool has_shared;
    unsigned shared;
    unsigned ctas;    /* blocks of a cluster that the code is for; 0: not known */
    char version[32]; /* of Triton, which made it; "" where not known */
    double tolerance;
    enum value_type type;
    char *function; /* in the machine code; NULL: the capsule's */
    uint64_t exact; /* arguments that point to what has no tolerance, a bit each */
};

struct swap {
    const struct options *options;
    const char *to;
    bool warns; /* of variables that the program's code has not */
    struct capsules capsules;
    struct capsule_writer writer;
    struct changes changes;
    size_t swapped;
};

/* ---- The command line ---- */

/* Reads X, X,Y or X,Y,Z into three extents; without a text they stay 0. */
static int read_extents(const char *option, const char *text, unsigned extents[3])
{
    const char *at = text;
    for (size_t i = 0; text && i < 3; i++) {
        char *end;
        errno = 0;
        const unsigned long number = isdigit((unsigned char)*at) ? strtoul(at, &end, 10) : 0;
        if (number == 0 || number > INT32_MAX || errno)
            break;
        extents[i] = (unsigned)number;
        if (!*end) {
            for (size_t rest = i + 1; rest < 3; rest++)
                extents[rest] = 1;
            return 0;
        }
        if (*end != ',')
            break;
        at = end + 1;
    }
    return text ? error("%s needs one to three whole numbers, such as 256 or 32,4, not '%s'", option, text) : 0;
}

static int read_shared(struct changes *changes, const char *text)
{
    char *end;
    if (!text)
        return 0;
    errno = 0;
    const unsigned long bytes = strtoul(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end || errno || bytes > 1 << 20)
        return error("--shared needs bytes, a whole number of at most %d, not '%s'", 1 << 20, text);
    changes->shared = (unsigned)bytes;
    changes->has_shared = true;
    return 0;
}

int read_tolerance(const struct options *options, double *tolerance, enum value_type *type)
{
    const char *text = options->tolerance;
    char *end = NULL;
    *tolerance = 0;
    *type = VALUE_F32;
    if (!text)
        return options->type ? error("--type %s needs --tolerance: add it", options->type) : 0;
    *tolerance = strtod(text, &end);
    if (end == text || *end || !(*tolerance > 0 && *tolerance < 1))
        return error("--tolerance needs a number between 0 and 1, such as 1e-5, not '%s'", text);
    if (options->type)
        *type = value_type_of(options->type);
    if (*type >= VALUE_TYPES)
        return error("--type needs f16, bf16, f32 or f64, not '%s'", options->type);
    return 0;
}

int read_arguments(const char *option, const char *text, uint64_t *bits)
{
    for (const char *at = text; at;) {
        char *end;
        const unsigned long number = isdigit((unsigned char)*at) ? strtoul(at, &end, 10) : 0;
        if (number == 0 || number > 64 || (*end && *end != ','))
            return error("--%s needs numbers of arguments from 1, such as 2 or 2,5, not '%s'", option, text);
        *bits |= UINT64_C(1) << (number - 1);
        at = *end ? end + 1 : NULL;
    }
    return 0;
}

static int read_exact(struct changes *changes, const char *text)
{
    if (read_arguments("exact", text, &changes->exact) < 0)
        return -1;
    return text && changes->tolerance == 0 ? error("--exact needs --tolerance: add it") : 0;
}

/* Takes the launch that is described beside the code, unless an option says otherwise. */
static int read_description(struct changes *changes, const char *path, const char *function)
{
    struct triton_launch launch;
    char *read;
    if (triton_read(&launch, path) < 0)
        return -1;
    if (changes->grid[0] == 0)
        memcpy(changes->grid, launch.grid, sizeof changes->grid);
    if (changes->block[0] == 0)
        memcpy(changes->block, launch.block, sizeof changes->block);
    if (!changes->has_shared && launch.bytes >= 0)
        changes->shared = (unsigned)launch.bytes;
    changes->has_shared |= launch.bytes >= 0;
    function = function ? function : *launch.function ? launch.function : NULL;
    if (function && kernel_find(path, function, &changes->function, &read) < 0)
        return -1;
    if (function)
        free(read);
    if (!launch.found)
        return 0;
    if (launch.threads == 0)
        return error("the JSON next to %s describes an impossible launch: compile it again", path);
    if (changes->block[0] == 0)
        memcpy(changes->block, (const unsigned[]){launch.threads, 1, 1}, sizeof changes->block);
    if (!changes->has_shared)
        changes->shared = launch.shared;
    changes->has_shared = true;
    changes->ctas = launch.ctas;
    snprintf(changes->version, sizeof changes->version, "%s", launch.version);
    return 0;
}

static int read_changes(struct changes *changes, const struct options *options)
{
    if (read_extents("--block", options->block, changes->block) < 0 ||
        read_extents("--grid", options->grid, changes->grid) < 0 || read_shared(changes, options->shared) < 0 ||
        read_tolerance(options, &changes->tolerance, &changes->type) < 0 || read_exact(changes, options->exact) < 0)
        return -1;
    return read_description(changes, options->code, options->function);
}

/* ---- The launch ---- */

static unsigned cluster_of(const struct capsule *capsule)
{
    return capsule->cluster[0] > 0 ? capsule->cluster[0] * capsule->cluster[1] * capsule->cluster[2] : 1;
}

static int change_launch(struct capsule *capsule, const struct changes *changes, const char *path)
{
    if (changes->ctas > 0 && changes->ctas != cluster_of(capsule))
        return error("%s is for clusters of %u block%s, but the launch of %s has %u: compile it with num_ctas=%u", path,
                     changes->ctas, plural(changes->ctas), capsule->id, cluster_of(capsule), cluster_of(capsule));
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
    struct argument *arguments = x_calloc(capsule->argument_count + 1, sizeof *arguments);
    for (size_t i = 0; i < capsule->argument_count; i++) {
        arguments[i] = capsule->arguments[i];
        arguments[i].exact |= tolerance > 0 && i < 64 && exact >> i & 1; /* what the task states stays */
        if (arguments[i].exact && arguments[i].size == sizeof(uint64_t))
            exact &= ~(UINT64_C(1) << i);
    }
    if (exact == 0)
        return arguments;
    free(arguments);
    error("--exact: argument %d of %s is not a pointer", __builtin_ctzll(exact) + 1, capsule->id);
    return NULL;
}

static int swap_one(struct swap *swap, const struct capsule *capsule, int capability)
{
    const struct options *options = swap->options;
    struct capsule changed = *capsule; /* it borrows all */
    struct replacement replacement;
    struct compared compared;
    struct argument *const arguments = mark_exact(capsule, swap->changes.tolerance, swap->changes.exact);
    if (!arguments)
        return -1;
    changed.arguments = arguments;
    changed.function = swap->changes.function ? swap->changes.function : capsule->function;
    changed.swapped = *swap->changes.version ? x_sprintf("%s by triton %s", options->code, swap->changes.version)
                                             : x_strdup(options->code);
    changed.proof = PROOF_NONE;
    if (swap->changes.tolerance > 0) {
        changed.tolerance = swap->changes.tolerance;
        changed.type = swap->changes.type;
    }
    int result = -1;
    if (replacement_find(&replacement, options->code, changed.function, capability) == 0 &&
        change_launch(&changed, &swap->changes, options->code) == 0 &&
        replacement_check(&replacement, &changed, capability) == 0 &&
        check_compared(&swap->capsules, capsule, &compared) == 0 &&
        (!swap->warns || replacement_warn(&replacement, &swap->capsules, &changed) == 0)) {
        OWNED(blob) code = capsule_writer_blob(&swap->writer, replacement.bytes, replacement.size);
        result = capsule_writer_copy(&swap->writer, &swap->capsules, &changed, &code);
        if (result < 0)
            error("%s", swap->writer.problem.text);
        else if (!options->quiet)
            say_swapped(&changed, capsule, &replacement, &compared);
    }
    replacement_release(&replacement);
    free(changed.swapped);
    free(arguments);
    return result;
}

static bool is_chosen(const struct swap *swap, size_t i)
{
    return glob_any(swap->options->globs, swap->options->glob_count, swap->capsules.list[i].id);
}

static int write_all(struct swap *swap, int capability)
{
    const struct capsules *capsules = &swap->capsules;
    if (capsule_writer_open(&swap->writer, swap->to, page_compress_zstd) < 0)
        return error("%s", swap->writer.problem.text);
    int result = capsule_writer_about(&swap->writer, &capsules->about);
    for (size_t i = 0; i < capsules->count && result == 0; i++) {
        if (is_chosen(swap, i))
            result = swap_one(swap, &capsules->list[i], capability);
        else if ((result = capsule_writer_copy(&swap->writer, capsules, &capsules->list[i], NULL)) < 0)
            error("%s", swap->writer.problem.text);
        swap->swapped += is_chosen(swap, i);
    }
    if (result < 0)
        capsule_writer_abandon(&swap->writer);
    else if ((result = capsule_writer_end(&swap->writer)) < 0)
        error("%s", swap->writer.problem.text);
    return result;
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

int swap_file(const struct options *options, const char *from, const char *to, bool warns)
{
    struct swap swap = {.options = options, .to = to, .warns = warns};
    struct problem problem;
    int failed = -1, capability = 0;
    if (read_changes(&swap.changes, options) < 0) {
        free(swap.changes.function);
        return -1;
    }
    if (capsules_open(&swap.capsules, from, false, &problem) < 0)
        error("%s", problem.text);
    else if (capsules_check_globs(&swap.capsules, options) == 0 && (capability = capability_of(&swap.capsules)) > 0)
        failed = write_all(&swap, capability);
    if (failed == 0 && !options->quiet)
        say_all(&swap);
    capsules_release(&swap.capsules);
    free(swap.changes.function);
    return failed;
}
