#include "capsule_support.h"
#include "test.h"

#include "capsule/capsule_text.h"

/* Machine code and memory. The first page of memory is whole. */
static unsigned char code[300], memory[2 * CAPSULE_PAGE + 100], changed[2 * CAPSULE_PAGE + 100];

static void fill(void)
{
    for (size_t i = 0; i < sizeof code; i++)
        code[i] = (unsigned char)(i * i >> 3);
    for (size_t i = 0; i < CAPSULE_PAGE; i++)
        memory[i] = (unsigned char)(1 + i / 700);
    memory[2 * CAPSULE_PAGE] = 5; /* and 99 zeros; the page before it has zeros alone */
    memcpy(changed, memory, sizeof memory);
    changed[CAPSULE_PAGE + 3] = 7;
}

struct run made_about(void)
{
    struct run run = {.device = {.name = x_strdup("NVIDIA H200"), .sm_count = 132, .memory_bytes = 150754820096}};
    struct session session = {.facts = {[SESSION_DATE] = (char[]){"2026-11-21T08:00:00Z"}}};
    run_add_session(&run, &session);
    return run;
}

/* Pages that the launch did not change are PAGE_SAME. */
static struct blob after(struct capsule_writer *writer, const struct blob *before)
{
    struct blob blob = capsule_writer_blob(writer, changed, sizeof changed);
    for (size_t i = 0; i < pages_of(blob.size); i++)
        if (blob.pages[i] == before->pages[i])
            blob.pages[i] = PAGE_SAME;
    return blob;
}

static void add_first(struct capsule_writer *writer, const struct blob *image, const struct blob *before,
                      const struct blob *later)
{
    uint32_t bits[] = {PAGE_ZERO, capsule_writer_page(writer, "\1\0\0\200", 4), PAGE_ZERO};
    struct argument arguments[] = {{.size = 8, .exact = true}, {.offset = 8, .size = 4}};
    struct memory_range ranges[] = {
        {MEMORY_DEVICE, NULL, 0x7fc000000000, before->size, before->pages, later->pages, bits},
        {MEMORY_VARIABLE, (char[]){"_ZN3netE5scale"}, 0x7fc200000100, image->size, image->pages, image->pages, NULL},
    };
    const struct capsule capsule = {.id = (char[]){"train/softmax<float>@256,32x4"},
                                    .function = (char[]){"_Z7softmaxIfEvPT_i"},
                                    .code = *image,
                                    .swapped = (char[]){"other.cubin"},
                                    .grid = {32, 4, 1},
                                    .block = {256, 1, 1},
                                    .shared = 4096,
                                    .cluster = {2, 1, 1},
                                    .shared_limit = 49152,
                                    .carve_out = 51,
                                    .cooperative = true,
                                    .overlaps = true,
                                    .large_cluster = true,
                                    .bytes = (unsigned char[]){0, 0, 0, 0, 0xc0, 0x7f, 0, 0, 16, 0, 0, 0xff},
                                    .byte_count = 12,
                                    .arguments = arguments,
                                    .argument_count = ARRAY_SIZE(arguments),
                                    .ranges = ranges,
                                    .range_count = ARRAY_SIZE(ranges),
                                    .tolerance = 1e-05,
                                    .type = VALUE_F32,
                                    .proof = PROOF_VARIES,
                                    .launches = 7,
                                    .launch = 3,
                                    .time_ns = 18700.5,
                                    .launched_by = (char[]){"train.py:41 caf\xc3\xa9"}};
    cr_expect_eq(capsule_writer_add(writer, &capsule), 0);
}

static void add_second(struct capsule_writer *writer, const struct blob *image, const struct blob *before)
{
    uint32_t same[] = {PAGE_SAME, PAGE_SAME, PAGE_SAME};
    struct argument taken = {.offset = 0, .size = 4};
    struct capsule_step step = {.function = (char[]){"half"},
                                .grid = {2, 1, 1},
                                .block = {64, 1, 1},
                                .shared = 16,
                                .bytes = (unsigned char[]){1, 0, 0, 0},
                                .byte_count = 4,
                                .arguments = &taken,
                                .argument_count = 1};
    struct memory_range range = {MEMORY_HOST, NULL, 0x200000, before->size, before->pages, same, NULL};
    const struct capsule capsule = {.id = (char[]){"train/scale@1"},
                                    .function = (char[]){"scale"},
                                    .code = *image,
                                    .grid = {1, 1, 1},
                                    .block = {1, 1, 1},
                                    .ranges = &range,
                                    .range_count = 1,
                                    .steps = &step,
                                    .step_count = 1,
                                    .launches = 1,
                                    .launch = 1,
                                    .time_ns = NAN};
    cr_expect_eq(capsule_writer_add(writer, &capsule), 0);
}

void made_add(struct capsule_writer *writer, int number)
{
    fill();
    OWNED(blob) image = capsule_writer_blob(writer, code, sizeof code);
    OWNED(blob) before = capsule_writer_blob(writer, memory, sizeof memory);
    if (number == 1) {
        OWNED(blob) later = after(writer, &before);
        add_first(writer, &image, &before, &later);
    } else {
        add_second(writer, &image, &before);
    }
}

char *made_capsules(const char *folder, const char *name, page_compress *compress)
{
    struct capsule_writer writer;
    OWNED(run) about = made_about();
    char *path = x_sprintf("%s/%s", folder, name);
    cr_assert_eq(capsule_writer_open(&writer, path, compress), 0, "%s", writer.problem.text);
    cr_expect_eq(capsule_writer_about(&writer, &about), 0);
    made_add(&writer, 1);
    made_add(&writer, 2);
    cr_assert_eq(capsule_writer_end(&writer), 0, "%s", writer.problem.text);
    return path;
}

struct capsules opened_capsules(const char *path, bool cut)
{
    struct capsules capsules;
    struct problem problem = {0};
    cr_assert_eq(capsules_open(&capsules, path, cut, &problem), 0, "%s", problem.text);
    return capsules;
}

static void expect_equal_pages(const struct capsules *a, uint32_t page_a, const struct capsules *b, uint32_t page_b)
{
    static unsigned char bytes_a[CAPSULE_PAGE], bytes_b[CAPSULE_PAGE];
    struct problem problem = {0};
    cr_expect_eq(page_a == PAGE_SAME, page_b == PAGE_SAME);
    if (page_a == PAGE_SAME)
        return;
    cr_expect_eq(capsules_page(a, page_a, bytes_a, &problem), 0, "%s", problem.text);
    cr_expect_eq(capsules_page(b, page_b, bytes_b, &problem), 0, "%s", problem.text);
    cr_expect_eq(memcmp(bytes_a, bytes_b, sizeof bytes_a), 0, "pages %u and %u differ", page_a, page_b);
}

static void expect_equal_lists(const struct capsules *a, const uint32_t *pages_a, const struct capsules *b,
                               const uint32_t *pages_b, uint64_t size)
{
    cr_assert_eq(pages_a == NULL, pages_b == NULL);
    for (size_t i = 0; pages_a && i < pages_of(size); i++)
        expect_equal_pages(a, pages_a[i], b, pages_b[i]);
}

static void expect_equal_ranges(const struct capsules *a, const struct memory_range *range_a, const struct capsules *b,
                                const struct memory_range *range_b)
{
    cr_expect_eq(range_a->kind, range_b->kind);
    cr_expect_eq(order_of_texts(range_a->variable, range_b->variable), 0);
    cr_expect_eq(range_a->address, range_b->address);
    cr_assert_eq(range_a->size, range_b->size);
    expect_equal_lists(a, range_a->before, b, range_b->before, range_a->size);
    expect_equal_lists(a, range_a->after, b, range_b->after, range_a->size);
    expect_equal_lists(a, range_a->varies, b, range_b->varies, range_a->size);
}

/* All but code and ranges, whose pages have other numbers. test_capsule_text.c has the whole text. */
static void expect_equal_launches(const struct capsule *a, const struct capsule *b)
{
    struct capsule one = *a, other = *b;
    size_t length;
    one.range_count = other.range_count = 0;
    one.code = other.code = (struct blob){0};
    OWNED_TEXT text = capsule_text(&one, &length), *expected = capsule_text(&other, &length);
    cr_expect_str_eq(text, expected);
}

void expect_equal_capsules(const struct capsules *a, const struct capsules *b)
{
    cr_assert_eq(a->count, b->count);
    cr_expect_eq(order_of_texts(a->about.device.name, b->about.device.name), 0);
    cr_expect_eq(a->about.session_count, b->about.session_count);
    for (size_t i = 0; i < a->count; i++) {
        const struct capsule *one = &a->list[i], *other = &b->list[i];
        expect_equal_launches(one, other);
        cr_assert_eq(one->code.size, other->code.size);
        expect_equal_lists(a, one->code.pages, b, other->code.pages, one->code.size);
        cr_assert_eq(one->range_count, other->range_count);
        for (size_t k = 0; k < one->range_count; k++)
            expect_equal_ranges(a, &one->ranges[k], b, &other->ranges[k]);
    }
}

int read_all_pages(const struct capsules *capsules, struct problem *problem)
{
    static unsigned char bytes[CAPSULE_PAGE];
    for (uint32_t page = 0; page < capsules->page_count; page++)
        TRY(capsules_page(capsules, page, bytes, problem));
    return 0;
}
