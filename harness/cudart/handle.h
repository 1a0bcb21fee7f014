/* handle.h - what a program has handles of, so that one which is none, or no more, is an error and not a crash. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum handle {
    HANDLE_STREAM,
    HANDLE_EVENT,
    HANDLE_GRAPH,
    HANDLE_EXEC,
    HANDLE_NODE,
    HANDLE_ARRAY,
    HANDLE_LINK,
    HANDLE_MEMORY
};

/* Returns zeros of a size, which are a handle until they are freed. */
void *handle_new(enum handle kind, size_t size);
void handle_free(void *handle);
bool handle_is(enum handle kind, const void *handle);
