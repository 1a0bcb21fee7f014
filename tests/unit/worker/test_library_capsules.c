#include "capsule/made_device.h"
#include "test.h"
#include "worker/library.h"
#include "worker/library_read.h"

static struct problem problem;

Test(library_capsules, each_capsule_is_a_kernel)
{
    AT_END(made_file_close) struct made_file made;
    AT_END(library_close) struct library library;
    made_file_open(&made);
    cr_assert_eq(library_open(&library, made.path, &problem), 0, "%s", problem.text);
    cr_assert_eq(library.count, MADE_COUNT);
    cr_expect_str_eq(library.kernels[MADE_ADD].id, "app/add@1");
    cr_expect_str_eq(library.kernels[MADE_ADD].doc, "launch 1 of 1, not replayed yet");
    cr_expect_eq(library.kernels[MADE_NOISY].capsule, &library.capsules.list[MADE_NOISY]);
    cr_expect_null(library.kernels[MADE_ADD].family);
    cr_expect_null(library.kernels[MADE_ADD].not_built);
    cr_expect_eq(library.kernels[MADE_AGAIN].group, 0);
    char *const globs[] = {"app/add@*", "app/sub@*"};
    cr_expect_eq(library_unmatched(&library, globs, ARRAY_SIZE(globs)), globs[1]);
    cr_expect_eq(capsules_same_code(&library.capsules, MADE_AGAIN), 0);
    cr_expect_eq(capsules_find(&library.capsules, "app/noisy@1"), &library.capsules.list[MADE_NOISY]);
    cr_expect_null(capsules_find(&library.capsules, "app/noisy"));
    OWNED(library_facts) facts = {0};
    cr_assert_eq(library_facts_read(&facts, made.path, 0, &problem), 0); /* no process, which would take longer */
    cr_assert_eq(facts.count, MADE_COUNT);
    cr_expect_str_eq(facts.kernels[MADE_ADD].doc, library.kernels[MADE_ADD].doc);
}

/* Writes a file of capsules with so many bytes of zeros each. */
static char *zeros(const char *folder, const char *const *ids, size_t count, uint64_t size)
{
    struct capsule_writer writer;
    char *path = x_sprintf("%s/zeros.capsule", folder);
    cr_assert_eq(capsule_writer_open(&writer, path, page_compress_zstd), 0, "%s", writer.problem.text);
    uint32_t *pages = x_calloc(pages_of(size), sizeof *pages), *same = x_calloc(pages_of(size), sizeof *same);
    for (size_t i = 0; i < pages_of(size); i++) {
        pages[i] = PAGE_ZERO;
        same[i] = PAGE_SAME;
    }
    OWNED(blob) code = capsule_writer_blob(&writer, "code", 4);
    struct memory_range range = {
        .kind = MEMORY_DEVICE, .address = 0x7d0000000000, .size = size, .before = pages, .after = same};
    for (size_t i = 0; i < count; i++) {
        const struct capsule capsule = {.id = (char *)ids[i],
                                        .function = (char[]){"f"},
                                        .code = code,
                                        .grid = {1, 1, 1},
                                        .block = {1, 1, 1},
                                        .ranges = &range,
                                        .range_count = 1,
                                        .proof = PROOF_IDENTICAL,
                                        .launches = 9,
                                        .launch = 2,
                                        .time_ns = 18700,
                                        .launched_by = (char[]){"train.py:41"},
                                        .swapped = (char[]){"other.cubin"}};
        capsule_writer_add(&writer, &capsule);
    }
    cr_assert_eq(capsule_writer_end(&writer), 0, "%s", writer.problem.text);
    free(pages);
    free(same);
    return path;
}

Test(library_capsules, neighbours_are_a_group_as_far_as_their_memory_is_not_too_much, .init = scratch_begin,
     .fini = scratch_leave)
{
    static const char *const ids[] = {"a/a@1", "a/b@1", "a/c@1", "a/d@1", "a/e@1"};
    OWNED_TEXT path = zeros(scratch, ids, ARRAY_SIZE(ids), (uint64_t)3 << 29);
    AT_END(library_close) struct library library;
    cr_assert_eq(library_open(&library, path, &problem), 0, "%s", problem.text);
    for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
        cr_expect_eq(library.kernels[i].group, i / 2, "kernel %zu", i);
    cr_expect_str_eq(library.kernels[0].doc,
                     "launch 2 of 9 by train.py:41, 18.7 us in the program, with code of other.cubin");
}

Test(library_capsules, ids_that_no_kernel_has_are_refused, .init = scratch_begin, .fini = scratch_leave)
{
    static const struct {
        const char *ids[2], *words;
    } cases[] = {
        {{"a/b@1", "no_id"}, "capsule 2: has the id \"no_id\""},
        {{"a/b c", "a/b"}, "capsule 1: has the id \"a/b c\""},
        {{"a/b@1", "a/b@1"}, "kernel a/b@1 exists twice"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        OWNED_TEXT path = zeros(scratch, cases[i].ids, 2, 100);
        struct library library;
        cr_expect_eq(library_open(&library, path, &problem), -1);
        cr_expect(strstr(problem.text, cases[i].words) && strstr(problem.text, path), "%s", problem.text);
        cr_expect_eq(library.count, 0);
    }
    OWNED_TEXT path = zeros(scratch, NULL, 0, 100);
    struct library library;
    cr_expect_eq(library_open(&library, path, &problem), -1);
    expect_word(problem.text, "contains no capsule");
}
