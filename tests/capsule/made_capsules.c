/* Makes a file of capsules as a capture would write it: the kernels of kernels.cu, with memory before and after that is
 * computed here.
 *
 *   made_capsules OUT.capsule CUBIN [WORD]...
 *
 * The words: `wrong`, of saxpy another output than it has; `short`, of saxpy an array that ends too early; `cluster`,
 * saxpy is launched in clusters; `at=ADDRESS`, memory begins there; `swapped=TEXT`, the code is from there; `seed=N`,
 * the data are others; `many`, the file has saxpy alone, in blocks of a thread each; `turn`, `product`, `inputs`,
 * `softmax` or `tasks`, it has that kernel alone, of turn.cu, product.cu, inputs.cu or triton/softmax.py, or those of
 * tasks.cu. */
#include "capsule/capsule.h"

enum { COUNT = 1 << 14, SIDE = 32, LANES = 32, NODES = 256, SHARED = SIDE * (SIDE + 1) * 4, THREADS = 256, WARPS = 8 };

#define MEGABYTE ((uint64_t)1 << 20)

/* What is to be made. */
struct making {
    struct capsule_writer writer;
    struct blob code;
    uint64_t at, seed;
    bool wrong, too_short, cluster;
    char *swapped;
    void (*alone)(struct making *making); /* makes the only kernel; NULL: there are those of kernels.cu */
};

/* Returns one of the numbers that arrays are made of. */
static uint64_t datum(const struct making *making, uint64_t array, uint64_t i)
{
    return ((making->seed + array) * 2654435761u + i * 40503u) % 1000;
}

/* Returns a page for each CAPSULE_PAGE bytes; PAGE_SAME where they are those of before. */
static uint32_t *pages(struct making *making, const void *bytes, size_t size, const void *before)
{
    uint32_t *list = x_calloc(pages_of(size), sizeof *list);
    for (size_t i = 0; i < pages_of(size); i++) {
        const size_t at = i * CAPSULE_PAGE, length = size - at < CAPSULE_PAGE ? size - at : CAPSULE_PAGE;
        const bool same = before && memcmp((const char *)bytes + at, (const char *)before + at, length) == 0;
        list[i] = same ? PAGE_SAME : capsule_writer_page(&making->writer, (const char *)bytes + at, length);
    }
    return list;
}

static struct memory_range *add_range(struct making *making, struct capsule *capsule, uint64_t address,
                                      const void *before, const void *after, size_t size)
{
    struct memory_range *range = ARRAY_GROW(capsule->ranges, capsule->range_count);
    *range = (struct memory_range){.kind = MEMORY_DEVICE,
                                   .address = address,
                                   .size = size,
                                   .before = pages(making, before, size, NULL),
                                   .after = pages(making, after, size, before)};
    return range;
}

static void add_variable(struct making *making, struct capsule *capsule, const char *name, uint64_t address,
                         const void *before, const void *after, size_t size)
{
    struct memory_range *range = add_range(making, capsule, address, before, after, size);
    range->kind = MEMORY_VARIABLE;
    range->variable = x_strdup(name);
}

static void add_argument(struct capsule *capsule, const void *value, unsigned size)
{
    const size_t offset = (capsule->byte_count + size - 1) / size * size;
    capsule->bytes = x_realloc(capsule->bytes, offset + size, 1);
    memset(capsule->bytes + capsule->byte_count, 0, offset - capsule->byte_count);
    memcpy(capsule->bytes + offset, value, size);
    capsule->byte_count = offset + size;
    *ARRAY_GROW(capsule->arguments, capsule->argument_count) =
        (struct argument){.offset = (unsigned)offset, .size = size};
}

static struct capsule begin(const struct making *making, const char *id, const char *function, unsigned blocks,
                            unsigned x, unsigned y)
{
    struct blob code = {.size = making->code.size, .pages = x_calloc(pages_of(making->code.size), sizeof(uint32_t))};
    memcpy(code.pages, making->code.pages, pages_of(code.size) * sizeof *code.pages);
    return (struct capsule){
        .id = x_strdup(id),
        .function = x_strdup(function),
        .code = code,
        .swapped = x_strdup(making->swapped),
        .grid = {blocks, 1, 1},
        .block = {x, y, 1},
        .shared_limit = 48 << 10,
        .proof = PROOF_IDENTICAL,
        .launches = 23,
        .launch = 12,
        .time_ns = 12340,
        .launched_by = x_strdup("train.py:31 in step"),
    };
}

static void end(struct making *making, struct capsule *capsule)
{
    capsule_writer_add(&making->writer, capsule);
    capsule_release(capsule);
}

/* Where bits of the output vary, nobody knows them, so they are others here than those that the kernel leaves. */
static void make_saxpy(struct making *making, const char *id, bool varies, unsigned threads)
{
    static float x[COUNT], y[COUNT], out[COUNT];
    static const uint32_t zeros[COUNT];
    static uint32_t mask[COUNT];
    struct capsule capsule = begin(making, id, "saxpy", COUNT / threads, threads, 1);
    const float a = 2;
    const uint64_t places[] = {making->at + 512, making->at + MEGABYTE, making->at + 3 * MEGABYTE};
    for (unsigned i = 0; i < COUNT; i++) {
        x[i] = (float)datum(making, 1, i);
        y[i] = (float)datum(making, 2, i);
        out[i] = a * x[i] + y[i];
        mask[i] = i % 100 == 7 ? 0xff : 0;
        if (varies)
            ((uint32_t *)(void *)out)[i] ^= mask[i] & 0x55;
    }
    if (making->wrong)
        out[1234] += 1;
    struct memory_range *range = add_range(making, &capsule, places[0], zeros, out, sizeof out);
    if (varies) {
        range->varies = pages(making, mask, sizeof mask, NULL);
        capsule.proof = PROOF_VARIES;
    }
    add_range(making, &capsule, places[1], x, x, sizeof x);
    add_range(making, &capsule, places[2], y, y, making->too_short ? sizeof y - 400 : sizeof y);
    for (size_t i = 0; i < ARRAY_SIZE(places); i++)
        add_argument(&capsule, &places[i], sizeof places[i]);
    add_argument(&capsule, &a, sizeof a);
    if (making->cluster)
        capsule.cluster[0] = 2, capsule.cluster[1] = capsule.cluster[2] = 1;
    end(making, &capsule);
}

static void make_many(struct making *making)
{
    make_saxpy(making, "train/saxpy@16384,1", false, 1);
}

static void make_transpose(struct making *making)
{
    float in[SIDE][SIDE], out[SIDE][SIDE], old[SIDE][SIDE];
    struct capsule capsule = begin(making, "train/transpose@1,32x32,4224", "transpose", 1, SIDE, SIDE);
    const uint64_t places[] = {making->at, making->at + sizeof in};
    for (unsigned i = 0; i < SIDE * SIDE; i++) {
        in[i / SIDE][i % SIDE] = out[i % SIDE][i / SIDE] = (float)datum(making, 3, i);
        old[i / SIDE][i % SIDE] = -1;
    }
    capsule.shared = SHARED;
    add_range(making, &capsule, places[0], old, out, sizeof out);
    add_range(making, &capsule, places[1], in, in, sizeof in)->kind = MEMORY_HOST;
    for (size_t i = 0; i < ARRAY_SIZE(places); i++)
        add_argument(&capsule, &places[i], sizeof places[i]);
    end(making, &capsule);
}

static void make_tally(struct making *making)
{
    static const unsigned steps[4] = {10, 20, 30, 40}; /* not those of the code: the program has set them */
    unsigned before[2 * LANES], after[2 * LANES];
    struct capsule capsule = begin(making, "train/tally@1,32", "tally", 1, LANES, 1);
    const uint64_t slot = making->at + 4 * MEGABYTE + 8, totals = making->at + ((uint64_t)1 << 32);
    const uint64_t half = totals + sizeof before / 2, behind = totals + sizeof before;
    for (unsigned i = 0; i < 2 * LANES; i++) {
        before[i] = 100 + i;
        after[i] = i < LANES ? before[i] : before[i] + steps[i % 4] + before[0];
    }
    add_range(making, &capsule, slot, &half, &behind, sizeof half);
    add_variable(making, &capsule, "totals", totals, before, after, sizeof before);
    add_variable(making, &capsule, "cursor", totals + 4096, &totals, &behind, sizeof totals);
    add_variable(making, &capsule, "steps", totals + 8192, steps, steps, sizeof steps);
    add_argument(&capsule, &slot, sizeof slot);
    end(making, &capsule);
}

/* Nodes of a list are nowhere near each other, and the arguments point to none of them. */
static void make_chain(struct making *making)
{
    uint64_t nodes[NODES][2], heads[LANES] = {0};
    unsigned sums[LANES] = {0}, zeros[LANES] = {0};
    struct capsule capsule = begin(making, "train/chain@1,32", "chain", 1, LANES, 1);
    const uint64_t memory = making->at + 6 * MEGABYTE;
    const uint64_t places[] = {memory, memory + MEGABYTE, memory + 2 * MEGABYTE};
    for (unsigned i = 0; i < NODES; i++) {
        const unsigned node = i * 37 % NODES, lane = i % 31; /* the last lane has no list */
        nodes[node][0] = heads[lane];
        nodes[node][1] = datum(making, 4, i);
        heads[lane] = places[2] + node * sizeof nodes[0];
        sums[lane] += (unsigned)nodes[node][1];
    }
    add_range(making, &capsule, places[0], zeros, sums, sizeof sums);
    add_range(making, &capsule, places[1], heads, heads, sizeof heads);
    add_range(making, &capsule, places[2], nodes, nodes, sizeof nodes);
    for (size_t i = 0; i < 2; i++)
        add_argument(&capsule, &places[i], sizeof places[i]);
    end(making, &capsule);
}

/* The kernel of turn.cu. */
static void make_turn(struct making *making)
{
    enum { ROWS = 48 };
    static unsigned before[ROWS * THREADS], after[ROWS * THREADS];
    struct capsule capsule = begin(making, "train/turn@1,256", "turn", 1, THREADS, 1);
    for (unsigned i = 0; i < ROWS * THREADS; i++) {
        before[i] = (unsigned)datum(making, 5, i);
        after[(ROWS - 1 - i / THREADS) * THREADS + i % THREADS] = before[i];
    }
    add_range(making, &capsule, making->at, before, after, sizeof before);
    add_argument(&capsule, &making->at, sizeof making->at);
    end(making, &capsule);
}

/* Returns a number as bfloat16, which is the upper half of a float, rounded. */
static uint16_t half_word(float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return (uint16_t)((word + 0x7fff + (word >> 16 & 1)) >> 16);
}

/* The kernel of product.cu. Elements are -1, 0 and 1, so that every sum is exact. */
static void make_product(struct making *making)
{
    enum { ROWS = 512, COLUMNS = 512, INNER = 256, BLOCKS_X = 16, BLOCKS_Y = 8 };
    static uint16_t a[ROWS][INNER], b[INNER][COLUMNS], out[ROWS][COLUMNS], zeros[ROWS][COLUMNS];
    static int left[ROWS][INNER], right[INNER][COLUMNS];
    const uint64_t places[] = {making->at, making->at + MEGABYTE, making->at + 2 * MEGABYTE};
    struct capsule capsule = begin(making, "train/product@16x8,256", "product", BLOCKS_X, THREADS, 1);
    capsule.grid[1] = BLOCKS_Y;
    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned k = 0; k < INNER; k++)
            a[row][k] = half_word((float)(left[row][k] = (int)(datum(making, row, k) % 3) - 1));
    for (unsigned k = 0; k < INNER; k++)
        for (unsigned column = 0; column < COLUMNS; column++)
            b[k][column] = half_word((float)(right[k][column] = (int)(datum(making, ROWS + k, column) % 3) - 1));
    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned column = 0; column < COLUMNS; column++) {
            int sum = 0;
            for (unsigned k = 0; k < INNER; k++)
                sum += left[row][k] * right[k][column];
            out[row][column] = half_word((float)sum);
        }
    add_range(making, &capsule, places[0], zeros, out, sizeof out);
    add_range(making, &capsule, places[1], a, a, sizeof a);
    add_range(making, &capsule, places[2], b, b, sizeof b);
    for (size_t i = 0; i < ARRAY_SIZE(places); i++)
        add_argument(&capsule, &places[i], sizeof places[i]);
    end(making, &capsule);
}

/* The kernel of triton/softmax.py, as Triton launches it: behind the arguments of the source it passes two of its own.
 * Results that are computed here are others than the kernel's in their last bits. */
static void make_softmax(struct making *making)
{
    enum { ROWS = 64, COLUMNS = 1000, EIGHT_WARPS = 256 };
    const unsigned columns = COLUMNS;
    static float x[ROWS][COLUMNS], out[ROWS][COLUMNS], zeros[ROWS][COLUMNS];
    const uint64_t places[] = {making->at, making->at + MEGABYTE}, nothing = 0;
    struct capsule capsule = begin(making, "train/softmax@64,256,32", "softmax", ROWS, EIGHT_WARPS, 1);
    for (unsigned row = 0; row < ROWS; row++) {
        double sum = 0;
        for (unsigned i = 0; i < COLUMNS; i++) {
            x[row][i] = (float)datum(making, 6 + row, i) / 100 - 9;
            sum += exp((double)x[row][i]);
        }
        for (unsigned i = 0; i < COLUMNS; i++)
            out[row][i] = (float)(exp((double)x[row][i]) / sum);
    }
    capsule.shared = 32;
    capsule.tolerance = 1e-5;
    capsule.type = VALUE_F32;
    add_range(making, &capsule, places[0], zeros, out, sizeof out);
    add_range(making, &capsule, places[1], x, x, sizeof x);
    add_argument(&capsule, &places[0], sizeof places[0]);
    add_argument(&capsule, &places[1], sizeof places[1]);
    add_argument(&capsule, &columns, sizeof columns);
    add_argument(&capsule, &nothing, sizeof nothing);
    add_argument(&capsule, &nothing, sizeof nothing);
    end(making, &capsule);
}

/* ---- The kernels of tasks.cu. What they leave is not computed, but a byte stands for it: a referee has the
 * reference's code make the right one ---- */

static struct capsule begin_task(const struct making *making, const char *function, unsigned blocks, double tolerance,
                                 enum value_type type)
{
    OWNED_TEXT id = x_sprintf("train/%s@%u,%d", function, blocks, THREADS);
    struct capsule capsule = begin(making, id, function, blocks, THREADS, 1);
    capsule.proof = PROOF_NONE;
    capsule.tolerance = tolerance;
    capsule.type = type;
    return capsule;
}

/* Adds an argument that points to an array, which is freed; NULL: to the output. */
static void add_array(struct making *making, struct capsule *capsule, void *bytes, size_t size)
{
    const uint64_t place = making->at + capsule->range_count * 16 * MEGABYTE;
    void *before = bytes ? bytes : x_calloc(size, 1), *after = x_calloc(size, 1);
    memset(after, 1, size);
    add_range(making, capsule, place, before, bytes ? bytes : after, size);
    add_argument(capsule, &place, sizeof place);
    free(before), free(after);
}

/* Returns numbers of both signs. */
static float *numbers(const struct making *making, uint64_t array, size_t count)
{
    float *list = x_calloc(count, sizeof *list);
    for (size_t i = 0; i < count; i++)
        list[i] = (float)datum(making, array, i) / 100 - 5;
    return list;
}

/* Returns numbers below `most`. */
static unsigned *integers(const struct making *making, uint64_t array, size_t count, unsigned most)
{
    unsigned *list = x_calloc(count, sizeof *list);
    for (size_t i = 0; i < count; i++)
        list[i] = (unsigned)(datum(making, array, i) + i) % most;
    return list;
}

static void make_rows(struct making *making) /* normalize and argmax */
{
    enum { ROWS = 16, COLUMNS = 512, COUNT_OF = ROWS * COLUMNS };
    const unsigned columns = COLUMNS;
    struct capsule capsule = begin_task(making, "normalize", ROWS / WARPS, 1e-2, VALUE_BF16);
    uint16_t *halves = x_calloc(COUNT_OF, sizeof *halves);
    for (size_t i = 0; i < COUNT_OF; i++)
        halves[i] = half_word((float)datum(making, 8 + i / COLUMNS, i % COLUMNS) / 100 - 4);
    add_array(making, &capsule, NULL, COUNT_OF * sizeof *halves);
    add_array(making, &capsule, halves, COUNT_OF * sizeof *halves);
    add_array(making, &capsule, numbers(making, 7, COLUMNS), COLUMNS * sizeof(float));
    add_argument(&capsule, &columns, sizeof columns);
    end(making, &capsule);
    capsule = begin_task(making, "argmax", ROWS / WARPS, 0, VALUE_F16);
    add_array(making, &capsule, NULL, ROWS * sizeof(unsigned));
    add_array(making, &capsule, numbers(making, 16, COUNT_OF), COUNT_OF * sizeof(float));
    add_argument(&capsule, &columns, sizeof columns);
    end(making, &capsule);
}

static void make_histogram(struct making *making)
{
    enum { BINS = 64, BLOCKS = 2, EACH = 4, COUNT_OF = BLOCKS * EACH * THREADS };
    struct capsule capsule = begin_task(making, "histogram", BLOCKS, 0, VALUE_F16);
    add_array(making, &capsule, NULL, BINS * sizeof(unsigned));
    add_array(making, &capsule, integers(making, 6, COUNT_OF, BINS), COUNT_OF * sizeof(unsigned));
    end(making, &capsule);
}

static void make_gather(struct making *making)
{
    enum { ROWS = 64, WIDTH = 64, OF_BLOCK = 32, COUNT_OF = ROWS * WIDTH };
    struct capsule capsule = begin_task(making, "gather", ROWS / OF_BLOCK, 0, VALUE_F16);
    unsigned *indices = x_calloc(ROWS, sizeof *indices);
    unsigned char *mask = x_calloc(ROWS, 1);
    for (unsigned i = 0; i < ROWS; i++) {
        indices[i] = i * 37 % ROWS; /* a permutation */
        mask[i] = datum(making, 10, i) % 4 > 0;
    }
    add_array(making, &capsule, NULL, COUNT_OF * sizeof(float));
    add_array(making, &capsule, numbers(making, 9, COUNT_OF), COUNT_OF * sizeof(float));
    add_array(making, &capsule, indices, ROWS * sizeof *indices);
    add_array(making, &capsule, mask, ROWS);
    end(making, &capsule);
}

static void make_sparse(struct making *making)
{
    enum { MOST = 16, ROWS = THREADS };
    struct capsule capsule = begin_task(making, "sparse", 1, 1e-5, VALUE_F32);
    unsigned *offsets = x_calloc(ROWS + 1, sizeof *offsets);
    for (unsigned row = 0; row < ROWS; row++)
        offsets[row + 1] = offsets[row] + (unsigned)(datum(making, 13, row) % MOST);
    const size_t filled = offsets[ROWS];
    add_array(making, &capsule, NULL, ROWS * sizeof(float));
    add_array(making, &capsule, numbers(making, 11, filled), filled * sizeof(float));
    add_array(making, &capsule, integers(making, 14, filled, ROWS), filled * sizeof(unsigned));
    add_array(making, &capsule, offsets, (ROWS + 1) * sizeof *offsets);
    add_array(making, &capsule, numbers(making, 12, ROWS), ROWS * sizeof(float));
    end(making, &capsule);
}

static void make_inputs(struct making *making)
{
    enum { ROWS = 512, LENGTH = 4, COUNT_OF = ROWS * LENGTH };
    struct capsule capsule = begin_task(making, "inputs", ROWS / THREADS, 1e-5, VALUE_F32);
    unsigned *index = x_calloc(COUNT_OF, sizeof *index), *offsets = x_calloc(ROWS + 1, sizeof *offsets);
    unsigned char *mask = x_calloc(ROWS, 1);
    float *weights = x_calloc(2, sizeof *weights);
    for (unsigned i = 0; i < COUNT_OF; i++)
        index[i] = i;
    for (unsigned i = 0; i <= ROWS; i++)
        offsets[i] = LENGTH * i;
    memset(mask, 1, ROWS);
    weights[0] = 1;
    add_array(making, &capsule, NULL, ROWS * sizeof(float));
    add_array(making, &capsule, numbers(making, 17, COUNT_OF), COUNT_OF * sizeof(float));
    add_array(making, &capsule, x_calloc(ROWS, sizeof(float)), ROWS * sizeof(float));
    add_array(making, &capsule, mask, ROWS);
    add_array(making, &capsule, index, COUNT_OF * sizeof *index);
    add_array(making, &capsule, offsets, (ROWS + 1) * sizeof *offsets);
    add_array(making, &capsule, weights, 2 * sizeof *weights);
    add_array(making, &capsule, x_calloc(ROWS, sizeof(unsigned)), ROWS * sizeof(unsigned));
    add_argument(&capsule, &(unsigned){ROWS}, sizeof(unsigned));
    add_argument(&capsule, &(unsigned){1}, sizeof(unsigned));
    end(making, &capsule);
}

static void make_tasks(struct making *making)
{
    make_rows(making);
    make_histogram(making);
    make_gather(making);
    make_sparse(making);
}

static void make_kernels(struct making *making)
{
    make_saxpy(making, "train/saxpy@64,256", false, 256);
    make_saxpy(making, "train/saxpy@64,256#2", true, 256);
    make_transpose(making);
    make_tally(making);
    make_chain(making);
}

static void read_word(struct making *making, char *word)
{
    if (strcmp(word, "wrong") == 0)
        making->wrong = true;
    else if (strcmp(word, "short") == 0)
        making->too_short = true;
    else if (strcmp(word, "cluster") == 0)
        making->cluster = true;
    else if (strcmp(word, "many") == 0)
        making->alone = make_many;
    else if (strcmp(word, "turn") == 0)
        making->alone = make_turn;
    else if (strcmp(word, "product") == 0)
        making->alone = make_product;
    else if (strcmp(word, "softmax") == 0)
        making->alone = make_softmax;
    else if (strcmp(word, "tasks") == 0)
        making->alone = make_tasks;
    else if (strcmp(word, "inputs") == 0)
        making->alone = make_inputs;
    else if (strncmp(word, "at=", 3) == 0)
        making->at = strtoull(word + 3, NULL, 16);
    else if (strncmp(word, "seed=", 5) == 0)
        making->seed = strtoull(word + 5, NULL, 10);
    else if (strncmp(word, "swapped=", 8) == 0)
        making->swapped = word + 8;
    else
        die(EXIT_USAGE, "what is %s?", word);
}

int main(int argc, char **argv)
{
    struct making making = {.at = 0x7d0000000000};
    char *image;
    size_t size;
    if (argc < 3 || file_read(argv[2], 64 * MEGABYTE, &image, &size) < 0 ||
        capsule_writer_open(&making.writer, argv[1], page_compress_zstd) < 0)
        die(EXIT_USAGE, "made_capsules OUT.capsule CUBIN [WORD]... %s", making.writer.problem.text);
    for (int i = 3; i < argc; i++)
        read_word(&making, argv[i]);
    struct run about = {.device = {.name = (char[]){"NVIDIA H200"}, .compute_capability = (char[]){"9.0"}}};
    struct session session = {.facts = {[SESSION_DATE] = (char[]){"2026-11-21T08:00:00Z"}}};
    about.sessions = &session;
    about.session_count = 1;
    capsule_writer_about(&making.writer, &about);
    making.code = capsule_writer_blob(&making.writer, image, size);
    if (making.alone)
        making.alone(&making);
    else
        make_kernels(&making);
    if (capsule_writer_end(&making.writer) < 0)
        die(EXIT_USAGE, "%s", making.writer.problem.text);
    blob_release(&making.code);
    free(image);
    return 0;
}
