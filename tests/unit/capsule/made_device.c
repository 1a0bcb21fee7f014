#include "made_device.h"
#include "test.h"

#define VARIABLES 0x600000000000 /* of the first module; each has others */
#define COPIES 0x500000000000
enum { TABLE_SIZE = 64, CELL_SIZE = 8, CELL = 128, MODULE_SIZE = 256 };

enum made_fault made_device_fault;
size_t made_refused = SIZE_MAX, made_calls;
size_t made_reserved, made_backed, made_regions, made_loaded;
uint64_t made_copied;

struct region {
    uint64_t begin, size;
    unsigned char *bytes;
};

static struct region regions[64];
static uint64_t copies, modules;

static int refused(struct problem *problem)
{
    return made_calls++ == made_refused ? problem_set(problem, "made-up refusal") : 0;
}

/* Memory is never zero at first. */
static void add_region(uint64_t begin, uint64_t size)
{
    cr_assert_lt(made_regions, ARRAY_SIZE(regions));
    regions[made_regions++] = (struct region){begin, size, x_calloc(size, 1)};
    memset(regions[made_regions - 1].bytes, 0xa5, size);
}

static void remove_region(uint64_t begin, uint64_t size)
{
    for (size_t i = 0; i < made_regions; i++)
        if (regions[i].begin == begin && (size == 0 || regions[i].size == size)) {
            free(regions[i].bytes);
            regions[i] = regions[--made_regions];
            return;
        }
    cr_assert_fail("nothing of %llu bytes begins at 0x%llx", (unsigned long long)size, (unsigned long long)begin);
}

unsigned char *made_memory(uint64_t address, size_t size)
{
    for (size_t i = 0; i < made_regions; i++)
        if (address >= regions[i].begin && address - regions[i].begin < regions[i].size) {
            cr_assert_leq(size, regions[i].size - (address - regions[i].begin));
            return regions[i].bytes + (address - regions[i].begin);
        }
    cr_assert_fail("there is no memory at 0x%llx", (unsigned long long)address);
    return NULL;
}

uint64_t made_table(void)
{
    return VARIABLES + modules * 4096;
}

uint64_t made_cell(void)
{
    return made_table() + CELL;
}

/* ---- The device ---- */

static int begin(struct problem *problem)
{
    return refused(problem);
}

static int reserve(uint64_t address, uint64_t size, struct problem *problem)
{
    cr_expect_eq(address % (32 << 20), 0);
    cr_expect_eq(size % (32 << 20), 0);
    made_reserved++;
    return refused(problem);
}

static int back(uint64_t address, uint64_t size, enum memory_kind kind, struct problem *problem)
{
    cr_expect_eq(address % (2 << 20), 0);
    cr_expect_eq(size % (2 << 20), 0);
    cr_expect_eq(kind, address == MADE_HOST ? MEMORY_HOST : MEMORY_DEVICE);
    TRY(refused(problem));
    made_backed++;
    add_region(address, size);
    return 0;
}

static int unback(uint64_t address, uint64_t size, struct problem *problem)
{
    (void)problem;
    remove_region(address, size);
    made_backed--;
    return 0;
}

static int allocate(uint64_t size, uint64_t *address, struct problem *problem)
{
    TRY(refused(problem));
    *address = COPIES + copies++ * ((uint64_t)1 << 30);
    add_region(*address, size);
    return 0;
}

static int give_back(uint64_t address, struct problem *problem)
{
    (void)problem;
    remove_region(address, 0);
    return 0;
}

/* The loader relocates three words of the table. */
static int load(const void *image, size_t size, void **module, struct problem *problem)
{
    cr_expect_geq(size, 4);
    cr_expect_eq(memcmp(image, "\177ELF", 4), 0);
    TRY(refused(problem));
    modules++;
    made_loaded++;
    add_region(made_table(), MODULE_SIZE);
    const uint64_t words[] = {MADE_FUNCTION, made_cell(), 7, MADE_FUNCTION};
    memset(made_memory(made_table(), MODULE_SIZE), 0, MODULE_SIZE);
    memcpy(made_memory(made_table(), sizeof words), words, sizeof words);
    *module = made_memory(made_table(), MODULE_SIZE);
    return 0;
}

static int unload(void *module, struct problem *problem)
{
    (void)problem;
    for (size_t i = 0; i < made_regions; i++)
        if (regions[i].bytes == module) {
            remove_region(regions[i].begin, regions[i].size);
            made_loaded--;
            return 0;
        }
    cr_assert_fail("no such module");
    return -1;
}

static int variable(void *module, const char *name, uint64_t *address, uint64_t *size, struct problem *problem)
{
    (void)module;
    const bool is_table = strcmp(name, "table") == 0;
    if (made_device_fault == MADE_NO_VARIABLE)
        return problem_set(problem, "there is no variable %s", name);
    *address = is_table ? made_table() : made_cell();
    *size = is_table ? TABLE_SIZE : CELL_SIZE;
    return refused(problem);
}

static int write_memory(uint64_t address, const void *bytes, size_t size, struct problem *problem)
{
    memcpy(made_memory(address, size), bytes, size);
    return refused(problem);
}

static int read_memory(void *bytes, uint64_t address, size_t size, struct problem *problem)
{
    memcpy(bytes, made_memory(address, size), size);
    return refused(problem);
}

static int copy(uint64_t to, uint64_t from, size_t size, struct problem *problem)
{
    memcpy(made_memory(to, size), made_memory(from, size), size);
    made_copied += size;
    return refused(problem);
}

static int fill(uint64_t address, int byte, size_t size, struct problem *problem)
{
    memset(made_memory(address, size), byte, size);
    return refused(problem);
}

static uint64_t get(uint64_t address)
{
    uint64_t word;
    memcpy(&word, made_memory(address, sizeof word), sizeof word);
    return word;
}

static void put(uint64_t address, uint64_t word)
{
    memcpy(made_memory(address, sizeof word), &word, sizeof word);
}

/* Adds 1 to each word. */
static void add(const uint64_t *arguments)
{
    const size_t size = ADD_COUNT * sizeof(uint32_t);
    uint32_t *to = (uint32_t *)(void *)made_memory(arguments[0], size);
    const uint32_t *from = (const uint32_t *)(const void *)made_memory(arguments[1], size);
    for (size_t i = 0; i < ADD_COUNT; i++)
        to[i] = from[i] + 1;
    if (made_device_fault == MADE_WRONG) {
        to[20000] ^= 0x10000;
        to[30000] ^= 0x101;
    }
}

/* Counts in the cell to which the slot points, and leaves there a pointer right behind it. Counts in the table, and
 * puts a pointer to the cell there. */
static void follow(const uint64_t *arguments)
{
    const uint64_t cell = get(arguments[0]), table = arguments[1];
    cr_expect_eq(get(table), MADE_FUNCTION, "the loader's word is not there");
    cr_expect_eq(get(table + 8), cell);
    cr_expect_eq(get(table + 24), MADE_SLOT);
    put(cell, get(cell) + 1);
    put(arguments[0], cell + CELL_SIZE);
    put(table + 16, get(table + 16) + 1);
    put(table + 40, made_device_fault == MADE_WRONG ? cell + 1 : cell);
}

static void make_noise(const uint64_t *arguments)
{
    static unsigned char noise;
    unsigned char *memory = made_memory(arguments[0], 100);
    for (size_t i = 0; i < 100; i++)
        memory[i] = (unsigned char)(noise++ | 0x80);
    if (made_device_fault == MADE_WRONG)
        memory[99] = 0;
}

static int launch(void *module, const struct capsule *capsule, const unsigned char *bytes, struct problem *problem)
{
    uint64_t arguments[2] = {0};
    (void)module;
    memcpy(arguments, bytes, capsule->byte_count);
    if (made_device_fault == MADE_NO_LAUNCH)
        return problem_set(problem, "made-up refusal");
    TRY(refused(problem));
    if (strcmp(capsule->function, "add") == 0)
        add(arguments);
    else if (strcmp(capsule->function, "follow") == 0)
        follow(arguments);
    else
        make_noise(arguments);
    return 0;
}

static int wait_for_all(struct problem *problem)
{
    return refused(problem);
}

const struct capsule_device made_device = {
    .begin = begin,
    .reserve = reserve,
    .back = back,
    .unback = unback,
    .allocate = allocate,
    .free = give_back,
    .load = load,
    .unload = unload,
    .variable = variable,
    .write = write_memory,
    .read = read_memory,
    .copy = copy,
    .fill = fill,
    .launch = launch,
    .wait = wait_for_all,
};
