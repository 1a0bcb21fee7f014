/* Keeps a launch of the program as a capsule: before it all memory that it can reach, and afterwards what it changed
 * there. Every process writes a file of its own, which the parent joins with others. */
#include "keep.h"
#include "groups.h"

#include <sys/mman.h>

#define RANGE_LIMIT ((uint64_t)8 << 30) /* bytes of all memory that a launch can reach */
enum { PIECE = 64 * CAPSULE_PAGE };

/* The launch that is being kept; the process's mutex protects it. */
static struct {
    struct capsule capsule;
    struct reach reach;
    CUmodule module;
} kept;

/* Copies of memory before the launch: addresses for as much as there can be, of which no more is taken from the system
 * than was needed at once so far. */
static struct {
    unsigned char *bytes;
    uint64_t used;
} copies;

static const char *home; /* the folder of the file */
static struct capsule_writer writer;
static bool writes; /* it was opened, for the first launch that is kept */

/* ---- Memory ---- */

static int copy_from(unsigned char *bytes, const struct reached *range, uint64_t at, size_t size,
                     struct problem *problem)
{
    if (range->kind == MEMORY_HOST) {
        memcpy(bytes, (const void *)(uintptr_t)(range->address + at), size); /* NOLINT(performance-no-int-to-ptr) */
        return 0;
    }
    return cuda_check("reading memory that it can access", cuMemcpyDtoH(bytes, range->address + at, size), problem);
}

static unsigned char *room_for(uint64_t size)
{
    if (!copies.bytes) {
        void *bytes =
            mmap(NULL, RANGE_LIMIT, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (bytes == MAP_FAILED)
            return NULL;
        madvise(bytes, RANGE_LIMIT, MADV_HUGEPAGE);
        copies.bytes = bytes;
    }
    copies.used += size;
    return copies.used <= RANGE_LIMIT ? copies.bytes + copies.used - size : NULL;
}

/* Reads a range as it is before the launch, and follows pointers in it. */
static int take_before(size_t place, struct problem *problem)
{
    struct reached *range = &kept.reach.list[place];
    if (range->device >= 0 && range->device != kept.reach.device)
        return problem_set(problem, "it can access memory of another GPU");
    kept.reach.size += range->size;
    if (kept.reach.size > RANGE_LIMIT)
        return problem_set(problem,
                           "it can access more than %.0f GB, including one range of %.1f GB: if the program "
                           "preallocates memory, switch that off (XLA_PYTHON_CLIENT_PREALLOCATE=false)",
                           (double)RANGE_LIMIT / 1e9, (double)range->size / 1e9);
    range->before = room_for(range->size);
    if (!range->before)
        return problem_set(problem, "no memory for a copy of the %.1f GB that it can access",
                           (double)kept.reach.size / 1e9);
    TRY(copy_from(range->before, range, 0, range->size, problem));
    reach_follow(&kept.reach, range->before, range->size, sizeof(uint64_t));
    return 0;
}

/* Adds the variables of the machine code, which the parent named. */
static void take_variables(const char *names)
{
    char *copy = x_strdup(names), *rest = NULL;
    for (const char *name = strtok_r(copy, "\n", &rest); name; name = strtok_r(NULL, "\n", &rest)) {
        CUdeviceptr address;
        size_t size;
        if (cuModuleGetGlobal(&address, &size, kept.module, name) == CUDA_SUCCESS && size > 0)
            *ARRAY_GROW(kept.reach.list, kept.reach.count) = (struct reached){
                .address = address, .size = size, .kind = MEMORY_VARIABLE, .variable = x_strdup(name), .device = -1};
    }
    free(copy);
}

static int take_memory(const struct launch_group *group, struct problem *problem)
{
    TRY(cuda_check("identifying the GPU", cuCtxGetDevice(&kept.reach.device), problem));
    if (group->variables)
        take_variables(group->variables);
    reach_follow(&kept.reach, kept.capsule.bytes, kept.capsule.byte_count, 1);
    for (size_t i = 0; i < kept.reach.count; i++)
        TRY(take_before(i, problem));
    return 0;
}

/* ---- The file ---- */

static void open_file(void)
{
    if (writes)
        return;
    OWNED_TEXT path = x_sprintf("%s/%d.capsule", home, (int)getpid());
    writes = true;
    capsule_writer_open(&writer, path, NULL); /* what goes wrong shows when the capsule is added */
    writer.file.is_brief = true;
}

/* Writes a range with what the launch changed in it. */
static int write_range(const struct reached *range, unsigned char *piece, struct problem *problem)
{
    const size_t pages = pages_of(range->size);
    struct memory_range *written = ARRAY_GROW(kept.capsule.ranges, kept.capsule.range_count);
    *written = (struct memory_range){
        .kind = range->kind,
        .variable = x_strdup(range->variable),
        .address = range->address,
        .size = range->size,
        .before = x_calloc(pages, sizeof *written->before),
        .after = x_calloc(pages, sizeof *written->after),
    };
    for (uint64_t at = 0; at < range->size; at += PIECE) {
        const size_t size = range->size - at < PIECE ? (size_t)(range->size - at) : PIECE;
        TRY(copy_from(piece, range, at, size, problem));
        for (size_t in = 0; in < size; in += CAPSULE_PAGE) {
            const size_t page = (at + in) / CAPSULE_PAGE, length = size - in < CAPSULE_PAGE ? size - in : CAPSULE_PAGE;
            const unsigned char *before = range->before + at + in;
            written->before[page] = capsule_writer_page(&writer, before, length);
            written->after[page] =
                memcmp(before, piece + in, length) == 0 ? PAGE_SAME : capsule_writer_page(&writer, piece + in, length);
        }
    }
    return 0;
}

static int write_capsule(const struct launch_group *group, struct problem *problem)
{
    OWNED_MEMORY unsigned char *piece = x_calloc(PIECE, 1);
    int failed = 0;
    open_file();
    for (size_t i = 0; i < kept.reach.count && failed == 0; i++)
        failed = write_range(&kept.reach.list[i], piece, problem);
    TRY(failed);
    kept.capsule.id = x_strdup(group->id);
    kept.capsule.function = x_strdup(group->shape.function->name);
    kept.capsule.launch = group->shares[0].launches + 1;
    kept.capsule.launches = kept.capsule.launch;
    return capsule_writer_add(&writer, &kept.capsule) == 0 ? 0 : problem_set(problem, "%s", writer.problem.text);
}

/* ---- A launch ---- */

static void say(struct launch_group *group, const struct problem *problem)
{
    OWNED_TEXT text = x_sprintf("%s\n%s", group->id, problem ? problem->text : "");
    link_say(MESSAGE_KEPT, text);
    group->first = 0; /* nothing more is wanted of it */
}

static void release(void)
{
    capsule_release(&kept.capsule);
    reach_release(&kept.reach);
    copies.used = 0;
}

void keep_open(const char *folder)
{
    home = folder;
}

bool keep_is_wanted(const struct launch_group *group)
{
    return group && group->id && !group->graph && group->first > 0 && group->shares[0].launches >= group->skip;
}

bool keep_begin(struct launch_group *group, CUpti_CallbackId id, const CUpti_CallbackData *call)
{
    struct problem problem;
    kept.module = module_of_function(group->shape.function->handle);
    if (arguments_take(&kept.capsule, id, call->functionParams, &problem) == 0 &&
        cuda_check("waiting for earlier work", cuCtxSynchronize(), &problem) == 0 && take_memory(group, &problem) == 0)
        return true;
    say(group, &problem);
    release();
    return false;
}

void keep_end(struct launch_group *group, bool good)
{
    struct problem problem;
    if (!good)
        problem_set(&problem, "the launch failed");
    const bool done = good && cuda_check("waiting for its end", cuCtxSynchronize(), &problem) == 0 &&
                      write_capsule(group, &problem) == 0;
    say(group, done ? NULL : &problem);
    release();
}

int keep_end_all(struct problem *problem)
{
    return writes && capsule_writer_end(&writer) < 0 ? problem_set(problem, "%s", writer.problem.text) : 0;
}
