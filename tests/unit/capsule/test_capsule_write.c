#include "test.h"

#include "capsule_support.h"

#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

static void begin(struct capsule_writer *writer, const char *path)
{
    cr_assert_eq(capsule_writer_open(writer, path, NULL), 0, "%s", writer->problem.text);
}

Test(capsule_write, each_page_is_written_once, .init = scratch_enter, .fini = scratch_leave)
{
    static unsigned char bytes[CAPSULE_PAGE];
    struct capsule_writer writer;
    begin(&writer, "a");
    /* More pages than the table has at first. */
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < 5000; i++) {
            memcpy(bytes, &(uint32_t){i + 1}, sizeof i);
            cr_assert_eq(capsule_writer_page(&writer, bytes, sizeof i), i);
        }
    cr_expect_eq(writer.page_count, 5000);
    cr_expect_lt(writer.bytes, 5000 * 28 + 100);
    cr_assert_eq(capsule_writer_end(&writer), 0, "%s", writer.problem.text);
    OWNED(capsules) capsules = opened_capsules("a", false);
    struct problem problem;
    for (uint32_t i = 0; i < 5000; i++) {
        uint32_t number;
        cr_assert_eq(capsules_page(&capsules, i, bytes, &problem), 0);
        memcpy(&number, bytes, sizeof number);
        cr_assert_eq(number, i + 1);
    }
}

Test(capsule_write, zeros_take_no_room, .init = scratch_enter, .fini = scratch_leave)
{
    static unsigned char bytes[3 * CAPSULE_PAGE];
    struct capsule_writer writer;
    begin(&writer, "a");
    const uint64_t empty = writer.bytes;
    cr_expect_eq(capsule_writer_page(&writer, NULL, 0), PAGE_ZERO);
    cr_expect_eq(capsule_writer_page(&writer, bytes, 1), PAGE_ZERO);
    cr_expect_eq(capsule_writer_page(&writer, bytes, CAPSULE_PAGE), PAGE_ZERO);
    struct blob blob = capsule_writer_blob(&writer, bytes, sizeof bytes - 1);
    for (size_t i = 0; i < 3; i++)
        cr_expect_eq(blob.pages[i], PAGE_ZERO);
    cr_expect_eq(blob.size, sizeof bytes - 1);
    cr_expect_eq(writer.bytes, empty);
    blob_release(&blob);

    /* Nor do those at the end of a page, so pages that differ in them alone are one. */
    bytes[2] = 1;
    for (size_t size = 3; size < 40; size++)
        cr_expect_eq(capsule_writer_page(&writer, bytes, size), 0);
    cr_expect_eq(capsule_writer_page(&writer, bytes, CAPSULE_PAGE), 0);
    bytes[CAPSULE_PAGE - 1] = 1;
    cr_expect_eq(capsule_writer_page(&writer, bytes, CAPSULE_PAGE - 1), 0);
    cr_expect_eq(capsule_writer_page(&writer, bytes, CAPSULE_PAGE), 1);
    blob = capsule_writer_blob(&writer, NULL, 0);
    cr_expect_eq(blob.size, 0);
    blob_release(&blob);
    capsule_writer_abandon(&writer);
}

Test(capsule_write, a_file_has_its_name_when_it_is_whole, .init = scratch_enter, .fini = scratch_leave)
{
    struct capsule_writer writer;
    begin(&writer, "a");
    cr_expect(!is_there("a") && is_there("a.cugate-0.tmp"));
    capsule_writer_abandon(&writer);
    cr_expect(!is_there("a") && !is_there("a.cugate-0.tmp"));
    begin(&writer, "a");
    cr_expect_eq(capsule_writer_end(&writer), 0);
    cr_expect(is_there("a") && !is_there("a.cugate-0.tmp"));
    capsule_writer_abandon(&writer);
    cr_expect(is_there("a"), "it does nothing after an end");
    OWNED(capsules) capsules = opened_capsules("a", false);
    cr_expect(capsules.count == 0 && capsules.page_count == 0 && !capsules.has_about);
}

/* Whatever is written, the problem is the first, and nothing is left. */
static void expect_failure(struct capsule_writer *writer, const char *path, int reason)
{
    OWNED(run) about = made_about();
    const struct capsule capsule = {.id = (char[]){"a/b"}};
    cr_expect(strstr(writer->problem.text, "cannot write") && strstr(writer->problem.text, path) &&
                  strstr(writer->problem.text, strerror(reason)),
              "%s", writer->problem.text);
    OWNED_TEXT said = x_strdup(writer->problem.text);
    const uint64_t bytes = writer->bytes;
    cr_expect_eq(capsule_writer_about(writer, &about), -1);
    cr_expect_eq(capsule_writer_add(writer, &capsule), -1);
    cr_expect_eq(capsule_writer_page(writer, "x", 1), PAGE_ZERO);
    OWNED(blob) blob = capsule_writer_blob(writer, "x", 1);
    cr_expect_eq(blob.pages[0], PAGE_ZERO);
    cr_expect_eq(capsule_writer_end(writer), -1);
    cr_expect_eq(writer->bytes, bytes);
    cr_expect_str_eq(writer->problem.text, said);
    capsule_writer_abandon(writer);
}

Test(capsule_write, a_full_disk_is_told_and_leaves_nothing, .init = scratch_enter, .fini = scratch_leave)
{
    static unsigned char page[CAPSULE_PAGE];
    struct capsule_writer writer;
    cr_expect_eq(capsule_writer_open(&writer, "/dev/full", NULL), -1);
    expect_failure(&writer, "/dev/full", ENOSPC);

    signal(SIGXFSZ, SIG_IGN);
    write_bytes("a", "old", 3);
    begin(&writer, "a");
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){100000, RLIM_INFINITY});
    for (int i = 1; i < 4; i++) {
        memset(page, i, sizeof page);
        (void)capsule_writer_page(&writer, page, sizeof page);
    }
    cr_expect_eq(writer.page_count, 1);
    expect_failure(&writer, "/a", EFBIG);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
    size_t size;
    OWNED_MEMORY unsigned char *bytes = bytes_of("a", &size);
    EXPECT_ALL(size == 3, memcmp(bytes, "old", 3) == 0);
    cr_expect(!is_there("a.cugate-0.tmp"), "a temporary file was left behind");
}

Test(capsule_write, a_place_that_cannot_be_written_is_told_at_once, .init = scratch_enter, .fini = scratch_leave)
{
    struct capsule_writer writer;
    cr_expect_eq(capsule_writer_open(&writer, "none/a", NULL), -1);
    expect_failure(&writer, "none/a", ENOENT);
    cr_expect_eq(capsule_writer_open(&writer, ".", page_compress_zstd), -1);
    expect_failure(&writer, ".", EISDIR);
    if (geteuid() == 0)
        return; /* who may write everywhere */
    cr_assert_eq(mkdir("closed", 0500), 0);
    cr_expect_eq(capsule_writer_open(&writer, "closed/a", NULL), -1);
    expect_failure(&writer, "closed/a", EACCES);
}

Test(capsule_write, the_folder_may_vanish_before_the_end, .init = scratch_enter, .fini = scratch_leave)
{
    struct capsule_writer writer;
    cr_assert_eq(mkdir("folder", 0700), 0);
    begin(&writer, "folder/a");
    cr_assert_eq(unlink("folder/a.cugate-0.tmp"), 0);
    cr_assert_eq(rmdir("folder"), 0);
    cr_expect_eq(capsule_writer_end(&writer), -1);
    expect_failure(&writer, "folder/a", ENOENT);
}

Test(capsule_write, what_no_reader_would_take_is_refused, .init = scratch_enter, .fini = scratch_leave)
{
    struct capsule_writer writer;
    OWNED_TEXT name = malloc((128u << 20) + 1);
    cr_assert(name);
    memset(name, 'x', 128u << 20);
    name[128u << 20] = '\0';
    const struct capsule capsule = {.id = (char[]){"a/b"}, .function = name};
    begin(&writer, "a");
    cr_expect_eq(capsule_writer_add(&writer, &capsule), -1);
    expect_word(writer.problem.text, "the limit of 134217728");
    cr_expect_eq(writer.capsule_count, 0);
    cr_expect_eq(capsule_writer_end(&writer), -1);
    cr_expect(!is_there("a"));
}

static void write_some(const void *path)
{
    struct capsule_writer writer;
    struct run about = made_about();
    (void)capsule_writer_open(&writer, path, NULL);
    (void)capsule_writer_about(&writer, &about);
    made_add(&writer, 1);
    (void)capsule_writer_page(&writer, "a page of the next", 18);
}

Test(capsule_write, what_a_killed_process_wrote_can_be_read, .init = scratch_enter, .fini = scratch_leave)
{
    OWNED(capsules) capsules;
    struct problem problem = {0};
    process_kill(process_that(write_some, "a"));
    process_kill(process_that(write_some, "b"));
    cr_expect(!is_there("a") && is_there("a.cugate-0.tmp"), "another file's writer lets it be");
    cr_expect_eq(capsules_open(&capsules, "a.cugate-0.tmp", false, &problem), -1);
    expect_word(problem.text, "is incomplete");
    capsules = opened_capsules("a.cugate-0.tmp", true);
    free(made_capsules(".", "whole", NULL));
    OWNED(capsules) whole = opened_capsules("whole", false);
    cr_assert_eq(capsules.count, 1);
    whole.count = 1;
    expect_equal_capsules(&capsules, &whole);
    whole.count = 2;

    struct capsule_writer writer;
    begin(&writer, "a");
    cr_expect_str_eq(writer.file.temporary, "a.cugate-0.tmp", "the next writer of the same takes its place");
    capsule_writer_abandon(&writer);
    cr_expect(!is_there("a.cugate-0.tmp") && is_there("b.cugate-0.tmp"));
}

static void ignore(int signal)
{
    (void)signal;
}

/* Copies a pipe into a file, in small pieces and slowly. */
static pid_t drain(const char *from, const char *to)
{
    const pid_t child = fork();
    if (child == 0) {
        char piece[3001];
        const int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT, 0600);
        for (ssize_t got; (got = read(in, piece, sizeof piece)) > 0;) {
            if (write(out, piece, (size_t)got) != got)
                _exit(1);
            usleep(200);
        }
        _exit(0);
    }
    return child;
}

Test(capsule_write, signals_and_short_writes_lose_nothing, .init = scratch_enter, .fini = scratch_leave)
{
    static unsigned char bytes[20 * CAPSULE_PAGE];
    int status = -1;
    srand(1);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(rand() >> 8);
    cr_assert_eq(mkfifo("pipe", 0600), 0);
    const pid_t reader = drain("pipe", "a");
    const struct sigaction interrupt = {.sa_handler = ignore}; /* no SA_RESTART */
    struct capsule_writer writer;
    begin(&writer, "pipe");
    sigaction(SIGALRM, &interrupt, NULL);
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 500}, {0, 500}}, NULL);
    OWNED(blob) blob = capsule_writer_blob(&writer, bytes, sizeof bytes);
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    cr_assert_eq(capsule_writer_end(&writer), 0, "%s", writer.problem.text);
    waitpid(reader, &status, 0);
    cr_expect_eq(status, 0);

    OWNED(capsules) capsules = opened_capsules("a", false);
    struct problem problem = {0};
    OWNED_MEMORY unsigned char *back = capsules_blob(&capsules, &blob, &problem);
    cr_assert(back, "%s", problem.text);
    cr_expect_eq(memcmp(back, bytes, sizeof bytes), 0);
}
