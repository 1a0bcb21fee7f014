#include "machine/affine/footprint.h"
#include "test.h"

static const uint32_t nowhere[AXES_MOST] = {0};
static const struct ranges anywhere = {(struct range[]){{0, UINT64_MAX}}, 1, 1};

/* One access of block 0: where others do the same. */
struct accessed {
    int64_t by[AXES_MOST];
    uint64_t begin, end;
    bool writes;
};

/* Joins the accesses of a class of all blocks. */
static bool join(struct footprint *all, const struct footprint *more, const uint32_t *at, const unsigned *blocks)
{
    struct axis axes[AXES_MOST];
    struct box box[AXES_MOST] = {0};
    axes_of(axes, blocks);
    for (unsigned k = 0; k < AXES_MOST; k++)
        box[k].high = axes[k].most;
    return footprint_join(all, more, at, box, &anywhere);
}

static bool apart_in(struct footprint *all, unsigned kinds, unsigned others, const unsigned *blocks)
{
    struct axis axes[AXES_MOST];
    axes_of(axes, blocks);
    return footprint_apart(all, kinds, others, axes);
}

static bool are_apart(const struct accessed *list, size_t count, const unsigned *blocks)
{
    OWNED(footprint) one = {0}, all = {0};
    for (size_t i = 0; i < count; i++)
        cr_assert(footprint_add(&one, list[i].by, list[i].begin, list[i].end,
                                list[i].writes ? FOOTPRINT_WRITES : FOOTPRINT_READS));
    footprint_sort(&one);
    cr_assert(join(&all, &one, nowhere, blocks));
    const bool apart = apart_in(&all, FOOTPRINT_WRITES, FOOTPRINT_READS | FOOTPRINT_WRITES, blocks);
    return apart;
}

/* The same, of the accesses of each block. */
static bool each_apart(const struct accessed *list, size_t count, const unsigned *blocks)
{
    struct spot spots[4096];
    size_t filled = 0;
    for (unsigned n = blocks[0] * blocks[1] * blocks[2]; n-- > 0;)
        for (size_t i = 0; i < count; i++) {
            const uint64_t x = n % blocks[0], y = n / blocks[0] % blocks[1], z = n / blocks[0] / blocks[1],
                           by = x * (uint64_t)list[i].by[0] + y * (uint64_t)list[i].by[1] + z * (uint64_t)list[i].by[2];
            spots[filled++] = (struct spot){(list[i].begin + by) / 4 * 4, (list[i].end + by + 3) / 4 * 4, n,
                                            list[i].writes ? FOOTPRINT_WRITES : FOOTPRINT_READS};
        }
    return spots_apart(spots, filled);
}

static void expect_apart(const char *where, const char *text, const char *words)
{
    enum { B = 1 << 20 };
    const char *parts[3];
    const size_t count = split_at(text, "|", parts, 3) - 1;
    struct accessed list[2] = {0};
    unsigned blocks[3];
    for (size_t i = 0; i < 3; i++)
        blocks[i] = (unsigned)leading_number(&parts[0]);
    for (size_t i = 0; i < count; i++) {
        list[i].writes = strcmp(cut_at(&parts[i + 1], " "), "writes") == 0;
        list[i].begin = (uint64_t)(B + leading_number(&parts[i + 1]));
        list[i].end = (uint64_t)(B + leading_number(&parts[i + 1]));
        for (size_t k = 0; k < 3; k++)
            list[i].by[k] = (int64_t)leading_number(&parts[i + 1]);
    }
    const bool apart = strcmp(words, "apart") == 0;
    cr_expect_eq(are_apart(list, count, blocks), apart, "%s", where);
    cr_expect_eq(each_apart(list, count, blocks), apart, "%s", where);
}

TEXTS(footprint, blocks_that_write_what_others_access_meet, "tests/unit/machine/footprint.txt", expect_apart)

Test(footprint, ranges_are_merged_and_moved_to_block_0)
{
    static const int64_t by[AXES_MOST] = {100, 0, 0};
    static const uint32_t at[AXES_MOST] = {3, 0, 0};
    static const unsigned blocks[3] = {5, 1, 1};
    OWNED(footprint) one = {0}, all = {0};
    for (uint64_t i = 0; i < 10000; i++)
        footprint_add(&one, by, 1000 + i % 100 * 8, 1008 + i % 100 * 8, FOOTPRINT_WRITES);
    footprint_add(&one, (const int64_t[AXES_MOST]){0}, 5000, 5004, FOOTPRINT_READS);
    footprint_sort(&one);
    cr_expect_eq(one.list[0].of[1].count, 1);
    static const struct box row[AXES_MOST] = {{0, 4, 0}}, alone[AXES_MOST] = {{3, 3, 0}};
    cr_assert(footprint_join(&all, &one, at, row, &(struct ranges){0}));
    EXPECT_ALL(all.list[0].of[1].list[0].begin == 700, all.list[0].of[1].list[0].end == 1500);
    cr_expect_eq(all.list[1].of[0].count, 0, "nobody writes there");
    struct axis axes[AXES_MOST];
    axes_of(axes, blocks);
    struct ranges spans = footprint_reach(&all.list[0], FOOTPRINT_WRITES, axes);
    EXPECT_ALL(spans.count == 1, spans.list[0].begin == 700, spans.list[0].end == 1900);
    free(spans.list);
    /* What one block alone does may be as if the others did as well. */
    footprint_join(&all,
                   &(struct footprint){.list = (struct moved_ranges[]){{.of = {[1] = one.list[1].of[0]}}}, .count = 1},
                   at, alone, &anywhere);
    cr_expect_eq(all.list[0].of[1].count, 2);
}

/* Blocks that add to a word meet, but the caller may say that they do not matter. */
Test(footprint, kinds_are_told_apart)
{
    static const int64_t by[AXES_MOST] = {64, 0, 0}, nowhere_by[AXES_MOST] = {0};
    static const unsigned blocks[3] = {9, 1, 1};
    OWNED(footprint) all = {0}, one = {0}, more = {0};
    footprint_add(&one, by, 4096, 4160, FOOTPRINT_WRITES);
    footprint_add(&one, by, 8192, 8260, FOOTPRINT_ADDS);
    footprint_add(&one, nowhere_by, 8192, 8196, FOOTPRINT_READS);
    cr_assert(join(&all, &one, nowhere, blocks));
    cr_expect(apart_in(&all, FOOTPRINT_WRITES, FOOTPRINT_READS | FOOTPRINT_WRITES | FOOTPRINT_ADDS, blocks));
    cr_expect_not(apart_in(&all, FOOTPRINT_ADDS, FOOTPRINT_ADDS, blocks));
    cr_expect_not(apart_in(&all, FOOTPRINT_ADDS, FOOTPRINT_READS, blocks));
    footprint_add(&more, by, 8192 + 64 * 9, 8192 + 64 * 9 + 4, FOOTPRINT_WRITES);
    cr_assert(join(&all, &more, nowhere, blocks));
    cr_expect_not(apart_in(&all, FOOTPRINT_WRITES, FOOTPRINT_ADDS, blocks), "the last block's last word");
}

/* Of each pair of kinds: what a block did before, and what it did before another one that reaches farther. */
Test(footprint, blocks_may_read_or_add_together)
{
    static const bool meet[3][3] = {{false, true, true}, {true, true, true}, {true, true, false}};
    for (unsigned first = 0; first < 3; first++)
        for (unsigned second = 0; second < 3; second++) {
            struct spot spots[] = {
                {4096, 5000, 1, 1u << first}, {4100, 4104, 1, 1u << first}, {4200, 4204, 2, 1u << second}};
            struct spot farther[] = {
                {4096, 4300, 1, 1u << first}, {4100, 5000, 2, 1u << first}, {4200, 4204, 2, 1u << second}};
            cr_expect_eq(spots_apart(spots, 3), !meet[first][second], "%u %u", first, second);
            cr_expect_eq(spots_apart(farther, 3), !meet[first][second] && !meet[first][first], "%u %u", first, second);
        }
}

Test(footprint, atomics_are_moved_by_each_distance)
{
    OWNED(footprint) one = {0};
    struct hot_addresses distances = {0}, sum = {0};
    for (unsigned i = 0; i < 3; i++)
        footprint_add_hot(&one, (const int64_t[AXES_MOST]){4, 0, 0}, 4096 + i / 2 * 4, 7 - i);
    hot_add(&distances, 4, 10, 0);
    hot_add(&distances, 0, 1, 0);
    hot_merge_moved(&sum, &one.list[0].hot, &distances);
    const struct hot_address most = hot_most(&sum);
    EXPECT_ALL(sum.count == 3, most.address == 4100, most.count == 21, most.instruction == 5);
    hot_release(&distances);
    hot_release(&sum);
}

Test(footprint, accesses_that_leave_all_memory_do_not_fit)
{
    static const unsigned blocks[3] = {20050, 1, 1};
    static const struct {
        int64_t by;
        uint32_t at;
        bool fits;
    } rows[] = {{0x7ffffc00, 20003, false}, {0x7ffffc00, 16384, true},  {0x7ffffc00, 16385, false},
                {-0x7ffffc00, 0, false},    {-0x7ffffc00, 20049, true}, {4096, 20003, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const int64_t by[AXES_MOST] = {rows[i].by, 0, 0};
        const uint32_t at[AXES_MOST] = {rows[i].at, 0, 0};
        OWNED(footprint) one = {0};
        footprint_add(&one, by, UINT64_C(1) << 45, (UINT64_C(1) << 45) + 4, FOOTPRINT_READS);
        struct axis axes[AXES_MOST];
        axes_of(axes, blocks);
        cr_expect_eq(footprint_fits(&one, at, axes), rows[i].fits, "row %zu", i);
    }
}
