#include "base/base.h"
#include "worker/wire.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

/* All of sent[] as it comes through the pipe. */
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

/* Takes what there is and checks it against sent[] from *next on. */
static void take_all(char *buffer, size_t *length, size_t *next)
{
    struct message message;
    while (message_take(buffer, length, &message) > 0) {
        cr_assert_lt(*next, ARRAY_SIZE(sent));
        cr_expect_eq(message.kind, sent[*next].kind);
        cr_expect_str_eq(message.text, sent[*next].text);
        free(message.text);
        ++*next;
    }
}

Test(wire, messages_are_whole_wherever_the_pipe_cuts_them)
{
    char stream[256];
    const size_t total = all_messages(stream);
    cr_assert_leq(total, sizeof stream);
    for (size_t cut = 0; cut <= total; cut++) {
        /* A buffer of the exact size, so that the sanitizer sees what reads past it. */
        char *buffer = x_calloc(total, 1);
        size_t next = 0, length = cut;
        memcpy(buffer, stream, cut);
        take_all(buffer, &length, &next);
        memcpy(buffer + length, stream + cut, total - cut);
        length += total - cut;
        take_all(buffer, &length, &next);
        cr_expect_eq(next, ARRAY_SIZE(sent), "cut at %zu", cut);
        cr_expect_eq(length, 0, "cut at %zu", cut);
        free(buffer);
    }
}

Test(wire, messages_may_come_byte_by_byte)
{
    char stream[256], buffer[256];
    const size_t total = all_messages(stream);
    size_t next = 0, length = 0;
    for (size_t i = 0; i < total; i++) {
        buffer[length++] = stream[i];
        take_all(buffer, &length, &next);
    }
    cr_expect_eq(next, ARRAY_SIZE(sent));
    cr_expect_eq(length, 0);
}

Test(wire, a_message_that_is_not_whole_stays)
{
    char stream[256], buffer[256];
    all_messages(stream);
    const size_t first = 1 + sizeof(uint32_t) + strlen(sent[0].text);
    for (size_t have = 0; have < first; have++) {
        struct message message;
        size_t length = have;
        memcpy(buffer, stream, have);
        cr_expect_eq(message_take(buffer, &length, &message), 0, "%zu bytes", have);
        cr_expect_eq(length, have);
        cr_expect_eq(memcmp(buffer, stream, have), 0);
    }
}

Test(wire, what_is_no_message_is_refused_at_once)
{
    static const struct {
        uint32_t size;
        const char *text;
        size_t length; /* of what came of it */
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
