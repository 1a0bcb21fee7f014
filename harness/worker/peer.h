/* peer.h - a process that sends messages: a worker that cugate started, or a process of an unmodified program. */
#pragma once

#include "wire.h"

#include <sys/types.h>

struct peer {
    pid_t process;
    int pipe;     /* to read from and, with message_write, to write to; -1: it was closed */
    char *buffer; /* what came and is no whole message yet */
    size_t length, capacity;
};

/* Seconds that a peer may take to read what it is told: who does not read keeps this process no longer. One that is
 * well reads at once, and what it is told fits into the socket. */
#define PEER_SECONDS 1

/* The descriptor is the peer's from here on. */
void peer_open(struct peer *peer, pid_t process, int pipe);

/* Reads what has come, and waits for it where nothing has. False at its end. */
bool peer_read(struct peer *peer);

/* The next whole message of what was read, as message_take has it: 1; 0: there is none yet; -1: that is no message. */
int peer_take(struct peer *peer, struct message *message);

/* Listens no more. The process is left as it is. */
void peer_close(struct peer *peer);
