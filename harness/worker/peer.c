#include "peer.h"

#include "base/base.h"

#include <sys/socket.h>
#include <sys/time.h>

enum { STEP = 1 << 16 };

void peer_open(struct peer *peer, pid_t process, int pipe)
{
    const struct timeval patience = {.tv_sec = PEER_SECONDS};
    *peer = (struct peer){.process = process, .pipe = pipe};
    setsockopt(pipe, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

bool peer_read(struct peer *peer)
{
    ssize_t got;
    if (peer->capacity - peer->length < STEP) {
        peer->capacity = peer->length * 2 + STEP;
        peer->buffer = x_realloc(peer->buffer, peer->capacity, 1);
    }
    do
        got = read(peer->pipe, peer->buffer + peer->length, STEP);
    while (got < 0 && errno == EINTR);
    peer->length += got > 0 ? (size_t)got : 0;
    return got > 0;
}

int peer_take(struct peer *peer, struct message *message)
{
    return message_take(peer->buffer, &peer->length, message);
}

void peer_close(struct peer *peer)
{
    if (peer->pipe >= 0)
        close(peer->pipe);
    free(peer->buffer);
    *peer = (struct peer){.process = peer->process, .pipe = -1};
}
