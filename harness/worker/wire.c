#include "wire.h"

#include "base/base.h"

#include <inttypes.h>
#include <sys/socket.h>

#define LEFT_MOST 1e9 /* seconds; a text stays short */

void headway_to_text(const struct launch_headway *headway, char text[HEADWAY_TEXT])
{
    snprintf(text, HEADWAY_TEXT, "%" PRIu64 " %" PRIu64 " %.0f", headway->done, headway->count,
             fmin(headway->left, LEFT_MOST));
}

bool headway_from_text(struct launch_headway *headway, const char *text)
{
    char *count, *left, *end;
    headway->done = strtoull(text, &count, 10);
    headway->count = strtoull(count, &left, 10);
    headway->left = strtod(left, &end);
    const bool good = count > text && left > count && end > left && *end == '\0' && strlen(text) < HEADWAY_TEXT &&
                      strspn(text, "0123456789 ") >= (size_t)(left - text) &&
                      strspn(left, "-0123456789 ") == strlen(left) && headway->count > 0 &&
                      headway->done <= headway->count && headway->left >= -1;
    if (!good)
        *headway = (struct launch_headway){0};
    return good;
}

int message_take(char *buffer, size_t *length, struct message *message)
{
    const size_t head = 1 + sizeof(uint32_t);
    uint32_t size;
    if (*length < head)
        return 0;
    memcpy(&size, buffer + 1, sizeof size);
    if (size > MESSAGE_LIMIT)
        return -1;
    if (*length - head < size)
        return 0;
    if (memchr(buffer + head, '\0', size))
        return -1;
    message->kind = (enum message_kind)buffer[0];
    message->text = x_calloc(size + (size_t)1, 1);
    memcpy(message->text, buffer + head, size);
    *length -= head + size;
    memmove(buffer, buffer + head + size, *length);
    return 1;
}

/* Writing to a pipe without a reader raises a signal, which could end a program that is not ours. send() on a socket
 * can avoid it. */
static ssize_t write_some(int descriptor, const char *bytes, size_t length)
{
    const ssize_t sent = send(descriptor, bytes, length, MSG_NOSIGNAL);
    return sent < 0 && errno == ENOTSOCK ? write(descriptor, bytes, length) : sent;
}

static bool write_bytes(int descriptor, const void *bytes, size_t length)
{
    for (const char *next = bytes; length > 0;) {
        const ssize_t written = write_some(descriptor, next, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        next += written;
        length -= (size_t)written;
    }
    return true;
}

bool message_write(int descriptor, enum message_kind kind, const char *text)
{
    const char letter = (char)kind;
    const uint32_t size = (uint32_t)strlen(text);
    return write_bytes(descriptor, &letter, 1) && write_bytes(descriptor, &size, sizeof size) &&
           write_bytes(descriptor, text, size);
}

void message_send(int pipe, enum message_kind kind, const char *text)
{
    if (!message_write(pipe, kind, text))
        _exit(EXIT_FAILURE); /* the parent no longer exists */
}

static bool read_bytes(int descriptor, void *bytes, size_t length)
{
    for (char *next = bytes; length > 0;) {
        const ssize_t got = read(descriptor, next, length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        next += got;
        length -= (size_t)got;
    }
    return true;
}

bool message_read(int descriptor, struct message *message)
{
    char letter;
    uint32_t size;
    *message = (struct message){0};
    if (!read_bytes(descriptor, &letter, 1) || !read_bytes(descriptor, &size, sizeof size) || size > MESSAGE_LIMIT)
        return false;
    message->kind = (enum message_kind)letter;
    message->text = x_calloc(size + (size_t)1, 1);
    if (read_bytes(descriptor, message->text, size))
        return true;
    free(message->text);
    message->text = NULL;
    return false;
}

char *message_await(int pipe, enum message_kind kind)
{
    struct message message;
    if (!message_read(pipe, &message) || message.kind != kind)
        _exit(EXIT_FAILURE);
    return message.text;
}

void message_await_go(int pipe)
{
    free(message_await(pipe, MESSAGE_GO));
}
