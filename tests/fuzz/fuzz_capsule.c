/* fuzz_capsule - any bytes as a file of capsules, as they are and with hashes and counts that are right. What opens can
 * be read, written and opened again as equal. */
#include "capsule/capsule_record.h"
#include "capsule/capsule_text.h"
#include "capsule/capsule_zstd.h"
#include "fuzz.h"

#include <sys/mman.h>

/* ---- Where copies are written. ---- */

static char *folder, *copies[2];

static void remove_folder(void)
{
    rmdir(folder);
    for (size_t i = 0; i < ARRAY_SIZE(copies); i++)
        free(copies[i]);
    free(folder);
}

static void make_folder(void)
{
    const char *base = getenv("TMPDIR");
    folder = x_sprintf("%s/cugate-fuzz-XXXXXX", base ? base : "/tmp");
    require(mkdtemp(folder), "there is no folder for copies");
    for (size_t i = 0; i < ARRAY_SIZE(copies); i++)
        copies[i] = x_sprintf("%s/%zu", folder, i);
    atexit(remove_folder);
}

/* ---- Comparing. ---- */

/* Returns the pages, each as a number that its content makes. NULL: one of them is damaged. */
static uint32_t *contents_of(const struct capsules *capsules, const uint32_t *pages, uint64_t size)
{
    static unsigned char bytes[CAPSULE_PAGE];
    unsigned char hash[HASH_SIZE];
    struct problem problem;
    uint32_t *list = x_calloc(pages_of(size), sizeof *list);
    for (size_t i = 0; i < pages_of(size); i++) {
        list[i] = pages[i];
        if (pages[i] == PAGE_SAME || pages[i] == PAGE_ZERO)
            continue;
        if (capsules_page(capsules, pages[i], bytes, &problem) < 0) {
            require(problem.text[0], "a page is damaged without a message");
            free(list);
            return NULL;
        }
        content_hash(RECORD_PAGE, bytes, sizeof bytes, hash);
        list[i] = get_number(hash) >> 1;
    }
    return list;
}

static bool describe_range(const struct capsules *capsules, const struct memory_range *from, struct memory_range *range)
{
    *range = *from;
    range->before = contents_of(capsules, from->before, from->size);
    range->after = contents_of(capsules, from->after, from->size);
    range->varies = from->varies ? contents_of(capsules, from->varies, from->size) : NULL;
    return range->before && range->after && (range->varies || !from->varies);
}

/* Returns all that a capsule says and holds as a text. NULL: a page of it is damaged. */
static char *description(const struct capsules *capsules, const struct capsule *capsule)
{
    struct capsule other = *capsule;
    size_t length;
    other.code.pages = contents_of(capsules, capsule->code.pages, capsule->code.size);
    other.ranges = x_calloc(capsule->range_count, sizeof *other.ranges);
    bool whole = other.code.pages != NULL;
    for (size_t i = 0; i < capsule->range_count; i++)
        whole = describe_range(capsules, &capsule->ranges[i], &other.ranges[i]) && whole;
    char *text = whole ? capsule_text(&other, &length) : NULL;
    for (size_t i = 0; i < capsule->range_count; i++) {
        free(other.ranges[i].before);
        free(other.ranges[i].after);
        free(other.ranges[i].varies);
    }
    free(other.ranges);
    free(other.code.pages);
    return text;
}

static bool is_whole(const struct capsules *capsules)
{
    bool whole = true;
    for (size_t i = 0; i < capsules->count; i++) {
        OWNED_TEXT text = description(capsules, &capsules->list[i]);
        whole &= text != NULL;
    }
    return whole;
}

static void check_equal(const struct capsules *a, const struct capsules *b)
{
    require(a->count == b->count, "capsules are lost");
    for (size_t i = 0; i < a->count; i++) {
        OWNED_TEXT one = description(a, &a->list[i]), *other = description(b, &b->list[i]);
        require(one && other && strcmp(one, other) == 0, "a capsule changed on its way through a file");
    }
}

static void check_equal_files(const char *a, const char *b)
{
    char *text_a, *text_b;
    size_t size_a, size_b;
    require(file_read(a, SIZE_MAX / 2, &text_a, &size_a) == 0, "a copy cannot be read");
    require(file_read(b, SIZE_MAX / 2, &text_b, &size_b) == 0, "a copy of a copy cannot be read");
    require(size_a == size_b && memcmp(text_a, text_b, size_a) == 0, "a copy of a copy is another file");
    free(text_a);
    free(text_b);
}

/* ---- The target. ---- */

static struct capsules copied(const struct capsules *capsules, const char *path)
{
    struct capsule_writer writer;
    struct capsules copy;
    struct problem problem = {0};
    require(capsule_writer_open(&writer, path, page_compress_zstd) == 0, writer.problem.text);
    (void)capsule_writer_about(&writer, &capsules->about);
    for (size_t i = 0; i < capsules->count; i++)
        (void)capsule_writer_copy(&writer, capsules, &capsules->list[i], NULL);
    require(capsule_writer_end(&writer) == 0, writer.problem.text);
    require(capsules_open(&copy, path, false, &problem) == 0, problem.text);
    return copy;
}

static void check_code(const struct capsules *capsules)
{
    struct problem problem = {0};
    for (size_t i = 0; i < capsules->count; i++) {
        const struct blob *code = &capsules->list[i].code;
        unsigned char *bytes = code->size < 1u << 24 ? capsules_blob(capsules, code, &problem) : NULL;
        require(bytes || code->size >= 1u << 24, "the code of a whole capsule cannot be read");
        free(bytes);
    }
}

static void check_file(const char *path, bool cut)
{
    struct capsules capsules;
    struct problem problem = {0};
    if (capsules_open(&capsules, path, cut, &problem) < 0) {
        require(problem.text[0] && !capsules.list && !capsules.pages,
                "a file is refused without a message, or not all");
        return;
    }
    if (is_whole(&capsules)) {
        check_code(&capsules);
        OWNED(capsules) copy = copied(&capsules, copies[0]), again = copied(&copy, copies[1]);
        check_equal(&capsules, &copy);
        check_equal(&copy, &again);
        check_equal_files(copies[0], copies[1]);
        unlink(copies[0]);
        unlink(copies[1]);
    }
    capsules_release(&capsules);
}

/* Puts hashes and counts right, which no fuzzer finds. */
static void repair(unsigned char *bytes, size_t size)
{
    static unsigned char page[CAPSULE_PAGE];
    uint32_t pages = 0, capsules = 0;
    for (size_t at = FILE_HEAD; at < size && size - at >= RECORD_HEAD;) {
        struct record record = record_get(bytes + at);
        unsigned char *content = bytes + at + RECORD_HEAD;
        if (record.size > size - at - RECORD_HEAD)
            return;
        if (record.kind == RECORD_END && record.size == END_SIZE) {
            put_number(content, pages);
            put_number(content + 4, capsules);
        }
        if (record.kind == RECORD_PAGE_ZSTD)
            content_hash(RECORD_PAGE, page, page_expand_zstd(page, sizeof page, content, record.size), record.hash);
        else
            content_hash(record.kind, content, record.size, record.hash);
        record_put(bytes + at, &record);
        pages += record.kind == RECORD_PAGE || record.kind == RECORD_PAGE_ZSTD;
        capsules += record.kind == RECORD_CAPSULE;
        at += RECORD_HEAD + record.size;
    }
}

static void check_bytes(const unsigned char *bytes, size_t size)
{
    const int file = memfd_create("fuzz", MFD_CLOEXEC);
    require(file >= 0 && write(file, bytes, size) == (ssize_t)size, "there is no memory for a file");
    OWNED_TEXT path = x_sprintf("/proc/self/fd/%d", file);
    check_file(path, false);
    check_file(path, true);
    close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!folder)
        make_folder();
    check_bytes(data, size);
    unsigned char *repaired = x_calloc(size, 1);
    memcpy(repaired, data, size);
    repair(repaired, size);
    check_bytes(repaired, size);
    free(repaired);
    return 0;
}
