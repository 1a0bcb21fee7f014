#include "test.h"
#include "worker/child.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>

static const struct {
    enum message_kind kind;
    const char *text;
} sent[] = {
    {MESSAGE_KERNELS, "a/one\na/two\n"},
    {MESSAGE_DEVICE, "{}"},
    {MESSAGE_START, ""},
    {MESSAGE_RESULT, "x"},
    {MESSAGE_FAILURE, "no GPU \"here\"\n\xc3\xa9"},
    {MESSAGE_NO_MATCH, ""},
    {MESSAGE_END, ""},
};

/* Puts all of sent[] into the buffer, as it comes through the pipe. */
static size_t all_messages(char *buffer)
{
    size_t length = 0;
    for (size_t i = 0; i < ARRAY_SIZE(sent); i++) {
        const uint32_t size = (uint32_t)strlen(sent[i].text);
        buffer[length++] = (char)sent[i].kind;
        memcpy(buffer + length, &size, sizeof size);
        memcpy(buffer + length + sizeof size, sent[i].text, size);
        length += sizeof size + size;
    }
    return length;
}

/* Takes all messages in the buffer and compares them with sent[] from *next on. */
static void take_all(char *buffer, size_t *length, size_t *next)
{
    struct message message;
    for (; message_take(buffer, length, &message) > 0; ++*next) {
        cr_assert_lt(*next, ARRAY_SIZE(sent));
        cr_expect_eq(message.kind, sent[*next].kind);
        cr_expect_str_eq(message.text, sent[*next].text);
        free(message.text);
    }
}

Test(wire, messages_are_whole_wherever_the_pipe_cuts_them)
{
    char stream[256];
    const size_t total = all_messages(stream);
    cr_assert_leq(total, sizeof stream);
    for (size_t cut = 0; cut <= total; cut++) {
        /* The buffer has the exact size, so a sanitizer finds reads beyond its end. */
        OWNED_TEXT buffer = x_calloc(total, 1);
        size_t next = 0, length = cut;
        memcpy(buffer, stream, cut);
        take_all(buffer, &length, &next);
        memcpy(buffer + length, stream + cut, total - cut);
        length += total - cut;
        take_all(buffer, &length, &next);
        cr_expect_eq(next, ARRAY_SIZE(sent), "cut at %zu", cut);
        cr_expect_eq(length, 0, "cut at %zu", cut);
    }
}

Test(wire, what_is_no_message_is_refused_at_once)
{
    static const struct {
        uint32_t size;
        const char *text;
        size_t length; /* how many bytes of the text have arrived */
        int taken;
    } cases[] = {
        {MESSAGE_LIMIT + 1, "", 0, -1}, {UINT32_MAX, "x", 1, -1}, {3, "a\0b", 3, -1},
        {MESSAGE_LIMIT, "x", 1, 0},     {3, "a\0b", 2, 0},        {0, "", 0, 1},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char buffer[16] = {MESSAGE_RESULT};
        struct message message = {0};
        memcpy(buffer + 1, &cases[i].size, sizeof cases[i].size);
        memcpy(buffer + 1 + sizeof cases[i].size, cases[i].text, cases[i].length);
        size_t length = 1 + sizeof cases[i].size + cases[i].length;
        cr_expect_eq(message_take(buffer, &length, &message), cases[i].taken, "case %zu", i);
        free(message.text);
    }
}

/* ---- Messages with a process of an unmodified program, over a socket ---- */

static void open_pair(int ends[2])
{
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
}

/* The text is longer than a socket takes at once. */
Test(wire, a_long_text_is_written_and_read_in_parts)
{
    int ends[2];
    OWNED_TEXT text = x_sprintf("%0*d", 3000000, 7);
    open_pair(ends);
    const pid_t child = fork();
    if (child == 0)
        _exit(message_write(ends[0], MESSAGE_DEVICE, text) ? 0 : 1);
    struct message message;
    cr_assert(message_read(ends[1], &message));
    cr_expect_eq(message.kind, MESSAGE_DEVICE);
    cr_expect_str_eq(message.text, text);
    int status;
    waitpid(child, &status, 0);
    cr_expect_eq(status, 0);
    free(message.text);
    close(ends[0]);
    close(ends[1]);
}

/* There must be no signal, because the program is not ours to end. */
Test(wire, the_other_side_may_be_gone)
{
    struct message message;
    int ends[2];
    open_pair(ends);
    close(ends[1]);
    cr_expect_not(message_write(ends[0], MESSAGE_HELLO, "1"));
    cr_expect_not(message_read(ends[0], &message));
    cr_expect_null(message.text);
    close(ends[0]);
    cr_expect_not(message_write(ends[0], MESSAGE_HELLO, "1"));
    cr_expect_not(message_read(ends[0], &message));
}

Test(wire, a_message_that_breaks_off_or_is_too_long_is_none)
{
    static const struct {
        const char *bytes;
        size_t length;
    } cases[] = {{"", 0}, {"H", 1}, {"H\x02\0\0", 4}, {"H\x02\0\0\0x", 6}, {"H\xff\xff\xff\xffx", 6}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct message message;
        int ends[2];
        open_pair(ends);
        cr_assert_eq(write(ends[0], cases[i].bytes, cases[i].length), (ssize_t)cases[i].length);
        close(ends[0]);
        cr_expect_not(message_read(ends[1], &message), "case %zu", i);
        cr_expect_null(message.text);
        close(ends[1]);
    }
}

Test(wire, a_socket_that_takes_no_more_for_its_time_is_given_up)
{
    const struct timeval patience = {.tv_usec = 50000};
    int ends[2];
    OWNED_TEXT text = x_sprintf("%0*d", 3000000, 7);
    open_pair(ends);
    cr_assert_eq(setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience), 0);
    cr_expect_not(message_write(ends[0], MESSAGE_ANSWER, text));
    close(ends[0]);
    close(ends[1]);
}

static void hang(int pipe, const void *none)
{
    (void)pipe, (void)none;
    for (;;)
        pause();
}

/* Nobody reads the parent's answers when a library sends a message on its own. */
Test(wire, a_child_that_does_not_read_keeps_nobody_waiting, .timeout = 60)
{
    struct peer child;
    OWNED_TEXT text = x_sprintf("%0*d", 4 << 20, 7);
    cr_assert_eq(child_start(&child, hang, NULL), 0);
    cr_expect_not(message_write(child.pipe, MESSAGE_ITEM, text));
    free(child_end(&child, false));
}
