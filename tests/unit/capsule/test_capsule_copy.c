#include "test.h"

#include "capsule_support.h"

/* Copies all capsules. */
static void copy(const char *from, const char *to, page_compress *compress)
{
    OWNED(capsules) capsules = opened_capsules(from, false);
    struct capsule_writer writer;
    cr_assert_eq(capsule_writer_open(&writer, to, compress), 0);
    cr_expect_eq(capsule_writer_about(&writer, &capsules.about), 0);
    for (size_t i = 0; i < capsules.count; i++)
        cr_expect_eq(capsule_writer_copy(&writer, &capsules, &capsules.list[i], NULL), 0, "%s", writer.problem.text);
    cr_assert_eq(capsule_writer_end(&writer), 0, "%s", writer.problem.text);
}

static void expect_equal_files(const char *a, const char *b)
{
    size_t size_a, size_b;
    unsigned char *bytes_a = bytes_of(a, &size_a), *bytes_b = bytes_of(b, &size_b);
    cr_expect(size_a == size_b && memcmp(bytes_a, bytes_b, size_a) == 0, "%s and %s differ", a, b);
    free(bytes_a);
    free(bytes_b);
}

Test(capsule_copy, a_copy_is_equal, .init = scratch_enter, .fini = scratch_leave)
{
    free(made_capsules(".", "raw", NULL));
    free(made_capsules(".", "small", page_compress_zstd));
    copy("raw", "raw2", NULL);
    copy("small", "small2", page_compress_zstd);
    expect_equal_files("raw", "raw2");
    expect_equal_files("small", "small2");
    copy("small", "raw3", NULL);
    copy("raw", "small3", page_compress_zstd);
    expect_equal_files("raw", "raw3");
    expect_equal_files("small", "small3");
}

Test(capsule_copy, files_are_merged_and_pages_are_there_once, .init = scratch_enter, .fini = scratch_leave)
{
    free(made_capsules(".", "a", page_compress_zstd));
    OWNED(capsules) a = opened_capsules("a", false);
    struct capsule_writer writer;
    cr_assert_eq(capsule_writer_open(&writer, "merged", NULL), 0);
    (void)capsule_writer_page(&writer, "so numbers are others", 21);
    cr_expect_eq(capsule_writer_about(&writer, &a.about), 0);
    for (int round = 0; round < 2; round++)
        for (size_t i = a.count; i-- > 0;)
            cr_expect_eq(capsule_writer_copy(&writer, &a, &a.list[i], NULL), 0);
    cr_expect_eq(writer.page_count, a.page_count + 1);
    cr_assert_eq(capsule_writer_end(&writer), 0);

    OWNED(capsules) merged = opened_capsules("merged", false);
    cr_assert_eq(merged.count, 4);
    for (size_t i = 0; i < a.count; i++) {
        struct capsules one = a, other = merged;
        one.list = &a.list[i];
        other.list = &merged.list[i == 0 ? 3 : 2];
        one.count = other.count = 1;
        expect_equal_capsules(&one, &other);
    }
}

Test(capsule_copy, other_code_takes_the_place_of_its_own, .init = scratch_enter, .fini = scratch_leave)
{
    free(made_capsules(".", "a", NULL));
    OWNED(capsules) a = opened_capsules("a", false);
    struct capsule_writer writer;
    struct problem problem = {0};
    cr_assert_eq(capsule_writer_open(&writer, "b", NULL), 0);
    OWNED(blob) code = capsule_writer_blob(&writer, "another", 7);
    struct blob none = {0};
    cr_expect_eq(capsule_writer_copy(&writer, &a, &a.list[1], &code), 0, "%s", writer.problem.text);
    cr_expect_eq(writer.page_count, 3, "its own is not copied: that, and two of memory");
    cr_expect_eq(capsule_writer_copy(&writer, &a, &a.list[1], &none), 0, "%s", writer.problem.text);
    cr_assert_eq(capsule_writer_end(&writer), 0, "%s", writer.problem.text);
    OWNED(capsules) b = opened_capsules("b", false);
    cr_expect_eq(b.list[0].code.size, 7);
    OWNED_MEMORY unsigned char *bytes = capsules_blob(&b, &b.list[0].code, &problem);
    cr_expect_arr_eq(bytes, "another", 7);
    cr_expect_eq(b.list[1].code.size, 0);
}

Test(capsule_copy, a_damaged_page_is_not_copied, .init = scratch_enter, .fini = scratch_leave)
{
    size_t size;
    free(made_capsules(".", "a", NULL));
    OWNED_MEMORY unsigned char *bytes = bytes_of("a", &size);
    unsigned char *page = memmem(bytes, size, "\1\1\1\1\1\1\1\1", 8);
    cr_assert(page);
    page[3] = 2;
    write_bytes("a", bytes, size);
    OWNED(capsules) a = opened_capsules("a", false);
    struct capsule_writer writer;
    cr_assert_eq(capsule_writer_open(&writer, "b", NULL), 0);
    cr_expect_eq(capsule_writer_copy(&writer, &a, &a.list[0], NULL), -1);
    expect_word(writer.problem.text, "a is damaged: page 1 at byte");
    cr_expect_eq(capsule_writer_copy(&writer, &a, &a.list[1], NULL), -1, "an error stays");
    cr_expect_eq(capsule_writer_end(&writer), -1);
    cr_expect_neq(access("b", F_OK), 0);
}
