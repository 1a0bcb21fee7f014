/* groups.h - launches that are alike, and what becomes of them. */
#pragma once

#include "modules.h"

/* A function, as launches name it. */
struct launched_function {
    CUfunction handle;
    char *name; /* the name in machine code */
    char module[MODULE_NAME];
};

/* A kernel and how it is launched. */
struct launch_shape {
    const struct launched_function *function;
    unsigned grid[3], block[3], shared;
};

/* Launches that are alike: of one function in one shape, or of one graph. */
struct launch_group {
    struct launch_shape shape; /* all 0 for a graph */
    bool graph;                /* it is of launches of a graph, */
    size_t kernels;            /* which has so many kernels */
    char *id;                  /* the parent's name for it; NULL: the parent does not want it */
    size_t skip, first;        /* how many launches to leave out, and how many to measure then at most */
    size_t known;              /* so many readings of a set are enough if they are alike */
    size_t holds;    /* no session is open for so many launches, from one of it on: it waits for others, or the
                      * program times them itself */
    size_t seen;     /* which launch of those that may be measured was its last one: sets_follow() */
    size_t launches; /* how many launches there were */
    size_t due;      /* launches that were to be measured, if nothing had prevented it */
    struct launch_share *shares; /* those that count, then for each NVTX range of the request those within it */
    size_t last;                 /* kernels that the process had launched when it launched this one last */
    size_t asked;                /* how many of its launches were asked who makes them */
    bool begun;                 /* a launch was measured; the first one in a process is colder than those that follow */
    char *variables;            /* names of its machine code's variables, a line each, if launches are kept; or NULL */
    struct set_counts *counted; /* from group_counted(): in each set of metrics */
    size_t counted_count;
    long double ran_ns, alone_ns; /* of its kernels that were not measured, and their share of it: busy.c */
    bool loaded;                  /* one began: busy.c */
};

/* Launches of a group: all that count, or those within one NVTX range. */
struct launch_share {
    size_t launches;
    size_t timed;     /* how many of them have a time that is known, from activity records: activity.c */
    uint64_t time_ns; /* how long these took together */
    uint64_t cold_ns; /* how long the process's first launch of the group took, which counts where no other is timed */
};

/* What became of a group's launches in one set of metrics. */
struct set_counts {
    size_t taken;      /* how many were measured, after the cold one */
    size_t readings;   /* the same with it */
    double *exact;     /* the exact counts of the first; NULL: none was read yet */
    bool strays;       /* those of another were not the same */
    size_t cold, warm; /* launches of a graph that were the first of a session; measured launches that were not */
    size_t missed;     /* how many were wanted in this set while another was counted */
};

/* Returns the group of a launch. The parent is asked about a new one. NULL when there are too many groups. */
struct launch_group *group_of_launch(CUfunction handle, const unsigned grid[3], const unsigned block[3],
                                     unsigned shared, const char *name);
struct launch_group *group_of_graph(CUgraphExec exec);
bool graph_is_spoilt(CUgraphExec exec); /* whether graph_spoil() is why it has no group */
size_t graph_kernels(CUgraphExec exec); /* how many kernels a launch of it runs */
struct set_counts *group_counted(struct launch_group *group, size_t set); /* valid until asked for another set */
void group_count_launch(struct launch_group *group, unsigned bounds);     /* bounds: from bounds_now() */
/* Notes what an executable graph launches, so that group_of_graph() knows. */
void graph_take(CUgraphExec exec, CUgraph from);
void graph_forget(CUgraphExec exec);
void graph_spoil(CUgraphExec exec); /* nobody knows how the graph was changed, so its launches are of no group */
/* Note that a node of it launches that kernel or that graph from now on, or that it is left out of its launches. */
void graph_set_kernel(CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *kernel);
void graph_set_inner(CUgraphExec exec, CUgraphNode node, CUgraph inner);
void graph_enable_node(CUgraphExec exec, CUgraphNode node, bool enabled);
struct launch_group *const *groups_all(size_t *all_count);
void functions_forget(void); /* forgets the handles of all functions */
/* Returns a line for each group: its launches, how many of them were due, whether (1) it was launched in the first part
 * of the program only, those that were missed in each set, its shares as LAUNCHES/TIMED/NS, its ALONE/RAN, and its id.
 * The first part ends where the longest stretch without a new group begins. Caller frees. */
char *groups_tell(void);
