#include "wire.h"

#include "base/base.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static void send_bytes(int pipe, const void *bytes, size_t length)
{
    while (length > 0) {
        const ssize_t written = write(pipe, bytes, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            _exit(EXIT_FAILURE); /* the parent is gone */
        bytes = (const char *)bytes + written;
        length -= (size_t)written;
    }
}

void message_send(int pipe, enum message_kind kind, const char *text)
{
    const char kind_byte = (char)kind;
    const uint32_t size = (uint32_t)strlen(text);
    send_bytes(pipe, &kind_byte, 1);
    send_bytes(pipe, &size, sizeof size);
    send_bytes(pipe, text, size);
}
