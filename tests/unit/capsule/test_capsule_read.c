#include "test.h"

#include "capsule/capsule_record.h"
#include "capsule_support.h"

static char *folder;
static unsigned char *bytes; /* of the file "a" */
static size_t size;

/* Makes the file "a". */
static void make(page_compress *compress)
{
    folder = scratch_make();
    cr_assert_eq(chdir(folder), 0);
    free(made_capsules(".", "a", compress));
    bytes = bytes_of("a", &size);
}

DO(enter(void), make(NULL));
DO(enter_small(void), make(page_compress_zstd));

static void leave(void)
{
    free(bytes);
    scratch_remove(folder);
}

/* Opens a file that has to be refused, with these words. */
static void expect_refused(const char *path, bool cut, const char *words)
{
    OWNED(capsules) capsules;
    struct problem problem = {0};
    HEAR(result, capsules_open(&capsules, path, cut, &problem));
    cr_expect_eq(result, -1, "%s", words);
    cr_expect_str_eq(said, "", "the caller prints");
    cr_expect(strstr(problem.text, words), "\"%s\" lacks \"%s\"", problem.text, words);
    cr_expect(!capsules.path && !capsules.list && !capsules.pages && !capsules.about.sessions, "something is left");
}

Test(capsule_read, what_was_written_is_read, .init = enter, .fini = leave)
{
    OWNED(capsules) raw = opened_capsules("a", false);
    free(made_capsules(".", "b", page_compress_zstd));
    OWNED(capsules) small = opened_capsules("b", false);
    cr_assert_eq(raw.count, 2);
    cr_expect_eq(raw.page_count, 5);
    cr_expect_str_eq(raw.about.device.name, "NVIDIA H200");
    cr_expect_str_eq(raw.about.sessions[0].facts[SESSION_DATE], "2026-11-21T08:00:00Z");
    expect_equal_capsules(&raw, &small);

    struct problem problem = {0};
    const struct memory_range *range = &raw.list[0].ranges[0];
    unsigned char *memory =
        capsules_blob(&small, &(struct blob){range->size, small.list[0].ranges[0].before}, &problem);
    cr_assert(memory, "%s", problem.text);
    for (size_t i = 0; i < range->size; i++)
        cr_assert_eq(memory[i], i < CAPSULE_PAGE ? 1 + i / 700 : i == 2 * CAPSULE_PAGE ? 5 : 0, "byte %zu", i);
    free(memory);
    static unsigned char page[CAPSULE_PAGE];
    cr_assert_eq(capsules_page(&raw, range->varies[1], page, &problem), 0);
    cr_expect_arr_eq(page, "\1\0\0\200\0\0\0\0", 8);
}

Test(capsule_read, a_file_says_what_it_is, .init = enter, .fini = leave)
{
    cr_expect(capsules_is_file("a"));
    cr_expect(!capsules_is_file("none"));
    cr_expect(!capsules_is_file("."));
    write_bytes("b", bytes, FILE_HEAD - 1);
    cr_expect(!capsules_is_file("b"));
    write_bytes("b", "{\"schema\": 1, \"device\": {}}", 27);
    cr_expect(!capsules_is_file("b"));
    cr_assert_eq(mkfifo("pipe", 0600), 0);
    cr_expect(!capsules_is_file("pipe"), "and nothing waits for its writer");
}

Test(capsule_read, what_is_no_file_of_capsules_is_refused, .init = enter, .fini = leave)
{
    expect_refused("none", false, "cannot read none: No such file or directory");
    expect_refused(".", false, "cannot read .: not a regular file");
    cr_assert_eq(mkfifo("pipe", 0600), 0);
    expect_refused("pipe", false, "cannot read pipe: not a regular file");
    write_bytes("b", "", 0);
    expect_refused("b", true, "b is not a capsule file: it has only 0 bytes");
    write_bytes("b", "{\"schema\": 1, \"device\": {}}", 27);
    expect_refused("b", false, "b is not a capsule file: it does not begin with \"cugate capsules\"");
    bytes[FILE_MARK] = 2;
    write_bytes("b", bytes, size);
    expect_refused("b", false, "b has format version 2, and this cugate reads version 1: update cugate");
    bytes[FILE_MARK] = 0;
    write_bytes("b", bytes, size);
    expect_refused("b", false, "b has format version 0, which cugate never wrote");
}

/* Expects what was opened of a changed file to be what the file was: capsules, and each page that can be read. */
static bool is_damage_seen(const struct capsules *changed, const struct capsules *was,
                           unsigned char (*pages)[CAPSULE_PAGE])
{
    static unsigned char page[CAPSULE_PAGE];
    struct problem problem = {0};
    bool seen = changed->count < was->count || changed->page_count < was->page_count;
    cr_assert(changed->count <= was->count && changed->page_count <= was->page_count);
    for (uint32_t i = 0; i < changed->page_count; i++) {
        if (capsules_page(changed, i, page, &problem) < 0) {
            expect_word(problem.text, "is damaged: page");
            seen = true;
            continue;
        }
        cr_assert_eq(memcmp(page, pages[i], sizeof page), 0, "page %u is another", i);
    }
    for (size_t i = 0; i < changed->count; i++)
        cr_assert_str_eq(changed->list[i].id, was->list[i].id);
    return seen;
}

/* Writes a byte of the file "b". */
static void put_byte(size_t i, unsigned char byte)
{
    const int file = open("b", O_WRONLY);
    cr_assert_eq(pwrite(file, &byte, 1, (off_t)i), 1);
    close(file);
}

/* Changes each byte in three ways, and its neighbours in three others; of the large page only some bytes. To who takes
 * a cut file, what only the end says is lost. In a compressed page some bits have no meaning, so that it comes out as
 * it was. */
static void flip_all(bool all_seen)
{
    static const unsigned char flips[] = {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xff};
    OWNED(capsules) was = opened_capsules("a", false);
    static unsigned char pages[8][CAPSULE_PAGE];
    struct problem none = {0};
    cr_assert_leq(was.page_count, ARRAY_SIZE(pages));
    for (uint32_t i = 0; i < was.page_count; i++)
        cr_assert_eq(capsules_page(&was, i, pages[i], &none), 0);
    write_bytes("b", bytes, size);
    for (size_t i = 0; i<size; i += i> 2000 && i + 4000 < size ? 997 : 1)
        for (size_t k = 2 * (i % 3); k < 2 * ARRAY_SIZE(flips); k += k % 2 ? 5 : 1) {
            struct capsules changed;
            struct problem problem = {0};
            put_byte(i, bytes[i] ^ flips[k / 2]);
            if (capsules_open(&changed, "b", k % 2 > 0, &problem) == 0) {
                const bool seen = is_damage_seen(&changed, &was, pages);
                cr_assert(seen || !all_seen || k % 2 > 0, "byte %zu, flipped by %02x, is not seen", i, flips[k / 2]);
                capsules_release(&changed);
            } else {
                cr_assert_neq(problem.text[0], '\0', "byte %zu: no message", i);
            }
            put_byte(i, bytes[i]);
        }
}

Test(capsule_read, a_flipped_byte_is_seen, .init = enter, .fini = leave)
{
    flip_all(true);
}

Test(capsule_read, a_flipped_byte_of_a_compressed_file_changes_no_page, .init = enter_small, .fini = leave)
{
    flip_all(false);
}

Test(capsule_read, of_a_cut_file_the_capsules_that_are_whole, .init = enter_small, .fini = leave)
{
    OWNED(capsules) was = opened_capsules("a", false);
    size_t before = 0;
    for (size_t length = 0; length < size; length++) {
        OWNED(capsules) part = {0};
        struct problem problem = {0};
        write_bytes("b", bytes, length);
        expect_refused("b", false, length < FILE_HEAD ? "b is not a capsule file" : "b is incomplete");
        if (length < FILE_HEAD) {
            expect_refused("b", true, "b is not a capsule file");
            continue;
        }
        cr_assert_eq(capsules_open(&part, "b", true, &problem), 0, "%zu bytes: %s", length, problem.text);
        cr_assert(part.count == before || part.count == before + 1);
        before = part.count;
        cr_assert_eq(read_all_pages(&part, &problem), 0, "%s", problem.text);
        const size_t all = was.count;
        was.count = part.count;
        if (part.has_about)
            expect_equal_capsules(&part, &was);
        was.count = all;
    }
    cr_expect_eq(before, was.count);
}

/* Writes the file "b": the head of "a" and these records, whose hashes are right. */
static void write_records(const struct record *records, const char *const *contents, size_t count)
{
    FILE *file = fopen("b", "w");
    cr_assert(file && fwrite(bytes, 1, FILE_HEAD, file) == FILE_HEAD);
    for (size_t i = 0; i < count; i++) {
        unsigned char head[RECORD_HEAD];
        struct record record = records[i];
        content_hash(record.kind == RECORD_PAGE_ZSTD ? RECORD_PAGE : record.kind, contents[i], record.size,
                     record.hash);
        record_put(head, &record);
        cr_assert_eq(fwrite(head, 1, sizeof head, file), sizeof head);
        cr_assert_eq(fwrite(contents[i], 1, record.size, file), record.size);
    }
    cr_assert_eq(fclose(file), 0);
}

#define ABOUT                                                                                                          \
    "{\"device\": {\"sm_count\": 1, \"memory_bytes\": 1}, \"kernels\": {}, \"metrics\": {}, \"schema\": 1, "           \
    "\"sessions\": []}"
#define RESULTS                                                                                                        \
    "{\"device\": {\"sm_count\": 1, \"memory_bytes\": 1}, \"kernels\": {\"a/b\": {\"status\": \"ok\", \"bytes\": 0, "  \
    "\"flops\": 0, \"launches\": [], \"metrics\": {}}}, \"metrics\": {}, \"schema\": 1, \"sessions\": []}"

Test(capsule_read, records_that_no_cugate_writes_are_refused, .init = enter, .fini = leave)
{
    static char large[CAPSULE_PAGE + 1];
    static const struct {
        uint32_t kind, size;
        const char *content, *words;
    } cases[] = {
        {0, 0, "", "b is damaged: the record at byte 44 is of the unknown kind 0"},
        {6, 1, "x", "b is damaged: the record at byte 44 is of the unknown kind 6"},
        {RECORD_PAGE, 0, "", "b: page 0 has 0 bytes, but a page has 1 to 65536"},
        {RECORD_PAGE, CAPSULE_PAGE + 1, large, "b: page 0 has 65537 bytes"},
        {RECORD_PAGE_ZSTD, CAPSULE_PAGE, large, "b: page 0 has 65536 bytes, but a page has 1 to 65535"},
        {RECORD_ABOUT, 0, "", "b: about is empty"},
        {RECORD_ABOUT, 2, "{}", "b: about: schema: is missing"},
        {RECORD_ABOUT, sizeof RESULTS - 1, RESULTS, "also has results"},
        {RECORD_CAPSULE, 0, "", "b: capsule 1 is empty"},
        {RECORD_CAPSULE, 2, "{}", "b: capsule 1: arguments: is missing"},
        {RECORD_END, 7, large, "b: its trailer does not match the number of its pages and capsules"},
        {RECORD_END, 8, "\1\0\0\0\0\0\0\0", "b: its trailer does not match"},
        {RECORD_END, 8, "\0\0\0\0\1\0\0\0", "b: its trailer does not match"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        write_records(&(struct record){.kind = cases[i].kind, .size = cases[i].size}, &cases[i].content, 1);
        expect_refused("b", false, cases[i].words);
        expect_refused("b", true, cases[i].words);
    }
    const struct record twice[] = {{.kind = RECORD_ABOUT, .size = sizeof ABOUT - 1},
                                   {.kind = RECORD_ABOUT, .size = sizeof ABOUT - 1}};
    write_records(twice, (const char *const[]){ABOUT, ABOUT}, 2);
    expect_refused("b", false, "b names the GPU of its capsules twice");
    const struct record ended[] = {{.kind = RECORD_END, .size = 8}, {.kind = RECORD_PAGE, .size = 1}};
    write_records(ended, (const char *const[]){large, "x"}, 2);
    expect_refused("b", true, "b is damaged: it has data behind its trailer");
}

Test(capsule_read, a_record_need_not_be_there_to_be_refused, .init = enter, .fini = leave)
{
    /* One that says to be large, in a file that is: nothing is allocated for it. */
    unsigned char head[RECORD_HEAD];
    record_put(head, &(struct record){.kind = RECORD_CAPSULE, .size = UINT32_MAX});
    memcpy(bytes + FILE_HEAD, head, sizeof head);
    write_bytes("b", bytes, FILE_HEAD + sizeof head);
    cr_assert_eq(truncate("b", (off_t)1 << 33), 0);
    expect_refused("b", false, "the record at byte 44 has 4294967295 bytes, more than the limit of 134217728");
}

Test(capsule_read, a_file_that_becomes_shorter_is_told_and_so_is_a_blob_that_does_not_fit, .init = enter, .fini = leave)
{
    OWNED(capsules) a = opened_capsules("a", false);
    struct problem problem = {0};
    static unsigned char page[CAPSULE_PAGE];
    cr_assert_eq(truncate("a", 1000), 0);
    cr_expect_eq(capsules_page(&a, 1, page, &problem), -1);
    expect_word(problem.text, "a was truncated while it was read");
    cr_expect_null(capsules_blob(&a, &(struct blob){a.list[1].ranges[0].size, a.list[1].ranges[0].before}, &problem));
    cr_expect_null(capsules_blob(&a, &(struct blob){.size = (uint64_t)1 << 62}, &problem));
    expect_word(problem.text, "a: cannot allocate 4611686018427387904 bytes");
}

static void read_one(void *data, size_t i)
{
    unsigned char page[CAPSULE_PAGE];
    const struct capsules *capsules = data;
    struct problem problem = {0};
    for (int round = 0; round < 50; round++)
        cr_assert_eq(capsules_page(capsules, (uint32_t)((i + (size_t)round) % capsules->page_count), page, &problem), 0,
                     "%s", problem.text);
}

Test(capsule_read, any_thread_may_read, .init = enter_small, .fini = leave)
{
    OWNED(capsules) a = opened_capsules("a", false);
    in_parallel(64, read_one, &a);
}
