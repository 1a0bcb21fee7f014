/* Executes capsules. Their memory is at the addresses of the program, and only while a capsule is launched can its
 * ranges be accessed, so that an access beyond an array fails as that of a kernel library does.
 *
 * Blocks of a launch are left out that are proved to do as others (machine/classes.c), but of code that was swapped all
 * are executed: nobody has vouched for a single one of them. Those are executed later whose result somebody needs. */
#include "sim_capsule.h"

#include "cudart/cudart.h"

#include <inttypes.h>

static int begin(struct problem *problem)
{
    static bool watched;
    if (!watched) /* whose code it is, nobody knows */
        memory_watch(NULL, NULL);
    watched = true;
    return runtime_gpu() ? 0 : problem_set(problem, "no description of a GPU to simulate is given");
}

static int say(cudaError_t error, struct problem *problem)
{
    const char *reason = runtime_reason();
    return error == cudaSuccess ? 0 : problem_set(problem, "%s", reason ? reason : cudaGetErrorString(error));
}

/* ---- Blocks that were left out ---- */

static const struct capsule *launched; /* the last one of which blocks were left out */

/* Ranges that are memory of the GPU now: during a launch, and after one in another order, which is compared. */
static uint64_t *shown;
static size_t shown_count;

static void hide_ranges(void)
{
    while (shown_count > 0)
        device_hide(runtime_machine(), shown[--shown_count]);
}

static void show_ranges(const struct capsule *capsule)
{
    hide_ranges();
    EACH(const struct memory_range, range, capsule->ranges, capsule->range_count) {
        if (range->kind == MEMORY_VARIABLE || range->size == 0)
            continue;
        device_show(runtime_machine(), range->address, range->size);
        *ARRAY_GROW(shown, shown_count) = range->address;
    }
}

static int settle_all(struct problem *problem)
{
    if (!grid_has_left(runtime_machine()))
        return 0;
    show_ranges(launched);
    function_settle(NULL, 0, false);
    hide_ranges();
    return say(runtime_lost(), problem);
}

/* Whether it is memory of a variable, since no range of a capsule is to be found between launches. Blocks that were
 * left out may read it as a constant. */
static bool is_variable(uint64_t address)
{
    struct allocation allocation;
    return device_find(runtime_machine(), address, &allocation);
}

static int settle(uint64_t address, size_t size, bool reads, struct problem *problem)
{
    const bool touched = grid_touches(runtime_machine(), address, size, reads) || (!reads && is_variable(address));
    return touched ? settle_all(problem) : 0;
}

/* Of each range something is to be known, which is compared. */
static int settle_unknown(const struct capsule *capsule, struct problem *problem)
{
    bool known = true;
    EACH(const struct memory_range, range, capsule->ranges, capsule->range_count)
        if (range->kind != MEMORY_VARIABLE && range->size > 0)
            known &= grid_written(runtime_machine(), range->address, range->size, NULL, 0) > 0;
    return known ? 0 : settle_all(problem);
}

/* ---- Memory ---- */

static int reserve(uint64_t address, uint64_t size, struct problem *problem)
{
    if (device_reserve(runtime_machine(), address, size))
        return 0;
    return problem_set(
        problem,
        "the capsules need the addresses 0x%" PRIx64 " to 0x%" PRIx64
        ", but this process has other memory there; run the command again, because addresses differ between processes",
        address, address + size);
}

static int back(uint64_t address, uint64_t size, enum memory_kind kind, struct problem *problem)
{
    (void)kind; /* kernels access both alike */
    if (device_back(runtime_machine(), address, size))
        return 0;
    return problem_set(problem, "cannot allocate %" PRIu64 " bytes at 0x%" PRIx64 " for a capsule", size, address);
}

/* What blocks that were left out would leave there is seen by nobody. */
static int unback(uint64_t address, uint64_t size, struct problem *problem)
{
    if (grid_touches(runtime_machine(), address, size, false))
        grid_forget(runtime_machine());
    if (device_unback(runtime_machine(), address, size))
        return 0;
    return problem_set(problem, "cannot free the capsule's memory at 0x%" PRIx64, address);
}

/* No kernel can reach it: one could write the right result into the copy of what is restored before it runs again. */
static int allocate(uint64_t size, uint64_t *address, struct problem *problem)
{
    *address = device_allocate(runtime_machine(), size);
    device_withhold(runtime_machine(), *address);
    if (!*address)
        return problem_set(problem, "cannot allocate a copy of %" PRIu64 " bytes of a capsule", size);
    inputs_add(INPUT_ALLOCATED, (const uint64_t[]){*address, size}, 2, NULL, 0);
    return 0;
}

/* No block can have it, see above. */
static int free_memory(uint64_t address, struct problem *problem)
{
    inputs_add(INPUT_FREED, &address, 1, NULL, 0);
    return device_free(runtime_machine(), address)
               ? 0
               : problem_set(problem, "no allocation begins at 0x%" PRIx64, address);
}

/* Copies what is not equal already. So zeros that nobody wrote take no memory. */
static void copy_bytes(unsigned char *to, const unsigned char *from, size_t size)
{
    enum { STEP = 4096 };
    for (size_t at = 0; at < size; at += STEP) {
        const size_t length = size - at < STEP ? size - at : STEP;
        if (memcmp(to + at, from + at, length) != 0)
            memcpy(to + at, from + at, length);
    }
}

static int write_memory(uint64_t address, const void *bytes, size_t size, struct problem *problem)
{
    TRY(settle(address, size, false, problem));
    inputs_add(INPUT_COPIED, (const uint64_t[]){address, 0}, 2, bytes, size);
    copy_bytes(device_bytes(runtime_machine(), address), bytes, size);
    return 0;
}

/* Reading says nothing of inputs, unlike in a kernel library: nothing is done that depends on what was read. */
static int read_memory(void *bytes, uint64_t address, size_t size, struct problem *problem)
{
    TRY(settle(address, size, true, problem));
    memcpy(bytes, device_bytes(runtime_machine(), address), size);
    return 0;
}

static int read_known(void *bytes, uint64_t address, size_t size, struct problem *problem)
{
    if (is_variable(address) || grid_written(runtime_machine(), address, size, NULL, 0) == SIZE_MAX)
        return read_memory(bytes, address, size, problem);
    grid_copy_known(runtime_machine(), address, bytes, size);
    return 0;
}

static int copy(uint64_t to, uint64_t from, size_t size, struct problem *problem)
{
    if (settle(to, size, false, problem) < 0 || settle(from, size, true, problem) < 0)
        return -1;
    inputs_add(INPUT_COPIED, (const uint64_t[]){to, from, size}, 3, NULL, 0);
    copy_bytes(device_bytes(runtime_machine(), to), device_bytes(runtime_machine(), from), size);
    return 0;
}

static int fill(uint64_t address, int byte, size_t size, struct problem *problem)
{
    TRY(settle(address, size, false, problem));
    inputs_add(INPUT_FILLED, (const uint64_t[]){address, (uint64_t)byte}, 2, NULL, 0);
    inputs_add(INPUT_ROWS, (const uint64_t[]){0, size, 1}, 3, NULL, 0);
    memset(device_bytes(runtime_machine(), address), byte, size);
    return 0;
}

/* ---- Machine code ---- */

/* Reads a copy, since libelf may write to it. */
static int check_capability(const void *image, size_t size, struct problem *problem)
{
    struct image read;
    OWNED_TEXT copy = x_calloc(size, 1);
    memcpy(copy, image, size);
    elf_version(EV_CURRENT);
    const bool is_image = image_read(&read, "the machine code of a capsule", 0, copy, size) == 0;
    const int built = read.capability, capability = gpu_capability(runtime_gpu());
    image_release(&read);
    if (!is_image)
        return problem_set(problem, "cannot read the machine code, see the error above");
    if (built / 10 == capability / 10 && built <= capability)
        return 0;
    return problem_set(problem, "the machine code is for compute capability %d.%d, but the GPU has %d.%d", built / 10,
                       built % 10, capability / 10, capability % 10);
}

/* Notes with the runtime what cannot be simulated, since it may be asked for the reason. Returns -1. */
static int refuse(struct problem *problem)
{
    static const char prefix[] = "not simulated: ";
    const bool says_so = strncmp(problem->text, prefix, strlen(prefix)) == 0;
    runtime_not_simulated("%s", problem->text + (says_so ? strlen(prefix) : 0));
    return problem_set(problem, "%s", runtime_reason());
}

/* Machine code that was loaded stays, decoded as it is, for the next capsule with the same code: what launches did is
 * counted by its functions. */
static int load(const void *image, size_t size, void **module, struct problem *problem)
{
    *module = module_loaded(runtime_machine(), image, size);
    if (*module)
        return 0;
    struct module *made =
        check_capability(image, size, problem) == 0 ? module_open(runtime_machine(), image, size, problem) : NULL;
    if (!made)
        return refuse(problem);
    *module = made;
    return 0;
}

static int unload(void *module, struct problem *problem)
{
    (void)module, (void)problem; /* it stays: see above */
    return 0;
}

static int find_variable(void *module, const char *name, uint64_t *address, uint64_t *size, struct problem *problem)
{
    const struct variable *variable = module_variable(module, name);
    if (!variable)
        return problem_set(problem, "the machine code has no variable %s", name);
    *address = variable->address;
    *size = variable->size;
    return 0;
}

/* ---- Launches ---- */

/* Finds the function, and checks what the capsule says of it. */
static struct function *find_function(struct module *module, const struct capsule *capsule, struct problem *problem)
{
    struct function *function = module_function(module, capsule->function);
    if (!function)
        problem_set(problem, "the machine code has no function %s", capsule->function);
    else if (function->entry.parameter_bytes > capsule->byte_count)
        problem_set(problem, "%s takes %u bytes of arguments, but the capsule has %zu", capsule->function,
                    function->entry.parameter_bytes, capsule->byte_count);
    else
        return function;
    return NULL;
}

static unsigned order; /* of blocks, of the next launches */

static void turn(bool backwards)
{
    order = backwards;
}

static int launch(void *module, const struct capsule *capsule, const unsigned char *bytes, struct problem *problem)
{
    struct grid grid = {
        .function = find_function(module, capsule, problem),
        .blocks = {capsule->grid[0], capsule->grid[1], capsule->grid[2]},
        .threads = {capsule->block[0], capsule->block[1], capsule->block[2]},
        .shared = capsule->shared,
        .carve_out = capsule->carve_out,
        .parameters = bytes,
        .cooperative = capsule->cooperative,
        .order = order,
        .untrusted = capsule->swapped || capsule->step_count > 0, /* a step may read what any block of another left */
        .cluster = {capsule->cluster[0], capsule->cluster[1], capsule->cluster[2]},
    };
    if (!grid.function || settle_all(problem) < 0)
        return -1;
    cudaError_t error = runtime_lost();
    if (error == cudaSuccess)
        error = function_check(&grid, capsule->shared_limit, capsule->large_cluster);
    if (error != cudaSuccess)
        return say(error, problem);
    show_ranges(capsule);
    error = function_run(&grid);
    if (!runtime_machine()->outcomes.watching)
        hide_ranges();
    launched = capsule;
    return error == cudaSuccess ? settle_unknown(capsule, problem) : say(error, problem);
}

static int wait_for_all(struct problem *problem)
{
    return say(runtime_lost(), problem);
}

const struct capsule_device sim_capsule_device = {
    .begin = begin,
    .reserve = reserve,
    .back = back,
    .unback = unback,
    .allocate = allocate,
    .free = free_memory,
    .load = load,
    .unload = unload,
    .variable = find_variable,
    .write = write_memory,
    .read = read_memory,
    .read_known = read_known,
    .copy = copy,
    .fill = fill,
    .launch = launch,
    .wait = wait_for_all,
    .turn = turn,
};
