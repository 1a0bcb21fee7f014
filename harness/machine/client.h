/* client.h - a program that uses the machine as a library (cugate/machine.h): its functions, which hear of what is
 * executed, how far a launch may go, and where it failed. */
#pragma once

#include "cugate/machine.h"
#include "machine/launch/launch.h"

#include <stdatomic.h>

struct block;
struct warp;

/* Why a launch was ended that is neither done nor at fault. */
enum client_end { CLIENT_NOT, CLIENT_LIMIT, CLIENT_STOPPED, CLIENT_MEMORY };

struct client {
    struct client_hook {
        cugate_hook_function *call; /* NULL: nobody hears */
        void *user;
    } hooks[CUGATE_HOOK_KINDS];
    bool calls;       /* any of them is there. Then one thread executes the launch. */
    uint64_t steps;   /* instructions of warps that it may execute; 0: any number */
    double until;     /* when it ends, by now_seconds(); 0: never */
    atomic_bool stop; /* another thread asks for its end */
    atomic_ullong executed;
    atomic_int ended; /* an enum client_end */
    bool failed;      /* and where, by its first block that did: */
    uint64_t number;
    cugate_fault fault;
    char text[sizeof(struct problem)];
    /* What is executed now; an access is told once it is done, before anything else is. */
    struct warp *warp;
    const struct instruction *code;
    uint32_t lanes;
    bool waits;
    cugate_event access;
    const struct block *there; /* whose shared memory it is */
    uint64_t addresses[LANES];
    unsigned char values[LANES * 16];
};

static inline bool client_calls(const struct client *client)
{
    return client && client->calls;
}

void client_step(struct warp *warp, const struct instruction *code, uint32_t lanes); /* before it is executed */
/* So many instructions were. Returns why the launch has to end; NULL: it does not. */
const char *client_check(struct client *client, uint64_t steps);
void client_fails(struct block *block);

/* For a function that hears of an event, of the warp that it is of. False: there is no such register. */
bool client_register(const cugate_event *event, bool uniform, unsigned number, unsigned lane, uint32_t *value);
bool client_predicate(const cugate_event *event, unsigned number, uint32_t *lanes);
