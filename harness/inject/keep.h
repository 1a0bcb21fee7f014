/* keep.h - launches that are kept as capsules. */
#pragma once

#include "capsule/capsule.h"
#include "cupti/cupti.h"

struct launch_group;

void keep_open(const char *folder); /* called once before: the process's file is to be in that folder, which stays */
/* Whether the next launch of the group is to be kept. */
bool keep_is_wanted(const struct launch_group *group);
/* Called before and after a launch that is kept. False: it cannot be, and the parent was told why. */
bool keep_begin(struct launch_group *group, CUpti_CallbackId id, const CUpti_CallbackData *call);
void keep_end(struct launch_group *group, bool good);
int keep_end_all(struct problem *problem); /* ends the process's file; -1 with *problem */

/* Takes what a launch was made with: its arguments and attributes. -1 with *problem: a replay could not do the same. */
int arguments_take(struct capsule *capsule, CUpti_CallbackId id, const void *params, struct problem *problem);

/* Memory that a launch can reach. */
struct reached {
    uint64_t address, size;
    enum memory_kind kind;
    int device;            /* its GPU; -1: none */
    char *variable;        /* as in struct memory_range */
    unsigned char *before; /* a copy, which whoever makes it owns; NULL until then */
};
struct reach {
    struct reached *list;
    size_t count;
    uint64_t size;    /* bytes that were copied */
    int device;       /* the GPU of the launch */
    uint64_t *misses; /* words that are no pointers */
};
/* Notes where memory is allocated; takes such calls of the driver. */
void reach_take(CUpti_CallbackId id, const CUpti_CallbackData *call);
extern const CUpti_CallbackId reach_calls[];
extern const size_t reach_call_count;
/* Adds the memory that pointers among the bytes point to, at multiples of step, unless it is in the list. */
void reach_follow(struct reach *reach, const unsigned char *bytes, size_t size, size_t step);
void reach_release(struct reach *reach);
