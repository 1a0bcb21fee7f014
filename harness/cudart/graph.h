/* graph.h - a graph: nodes of work, each behind those that it depends on. What a stream captures comes behind what it
 * captured before, and behind the events that it waited for. */
#pragma once

#include <cuda_runtime_api.h>

#include <stdbool.h>
#include <stddef.h>

struct node_work;

/* A launch: CUDA's own description of it, and what that lacks. */
struct launch_work {
    struct cudaKernelNodeParams params;
    bool cooperative;
    bool overlaps;      /* by programmatic stream serialization */
    dim3 cluster;       /* 0: the launch asks for none */
    unsigned carve_out; /* as struct launch has it; 0: the kernel's */
};

/* A kind of work: what does it, and, where it owns something, what copies and frees that. NULL: there is nothing to do.
 */
struct node_kind {
    enum cudaGraphNodeType type;
    cudaError_t (*run)(const struct node_work *work);
    cudaError_t (*keep)(struct node_work *kept, const struct node_work *work);
    void (*release)(struct node_work *work);
};

/* The work of a node. To add a kind of work: a kind, and a field of the union. */
struct node_work {
    const struct node_kind *kind;
    union {
        struct launch_work launch; /* its arguments are a copy, which is owned */
        struct cudaMemcpy3DParms copy;
        struct cudaMemsetParams fill;
        struct cudaHostNodeParams host;
        cudaGraph_t child; /* owned */
        cudaEvent_t event;
    };
};

extern const struct node_kind node_launch;                       /* cudart_launch.c */
extern const struct node_kind node_copy, node_fill;              /* cudart_copy.c */
extern const struct node_kind node_record, node_wait;            /* cudart_stream.c */
extern const struct node_kind node_host, node_child, node_empty; /* graph.c */
/* Memory is there before the graph is done, and stays. */
extern const struct node_kind node_allocate, node_free; /* graph.c */

struct CUgraphNode_st {
    struct node_work work;
    cudaGraph_t graph;
    cudaGraphNode_t *after; /* what it depends on */
    size_t after_count;
    cudaGraphNode_t origin; /* what it is a copy of, or NULL */
    size_t chain;           /* how many launches and copies come one behind the other up to it */
    bool disabled;
    bool done;    /* by the launch that is running */
    size_t index; /* graph_number() sets it */
};

struct CUgraph_st {
    cudaGraphNode_t *nodes;
    size_t count;
    bool owned;   /* by a node of another graph */
    size_t chain; /* the longest of its nodes, once it has run, if only dry */
};

struct CUgraphExec_st {
    cudaGraph_t graph; /* owned */
    unsigned long long flags;
};

cudaGraph_t graph_new(void);
void graph_release(cudaGraph_t graph);
/* Sets *made to a copy, whose nodes have those of the graph as origin. */
cudaError_t graph_copy(cudaGraph_t *made, cudaGraph_t graph);
/* Does all work. A cycle is an error, also if nothing is done: with `dry`. */
cudaError_t graph_run(cudaGraph_t graph, bool dry);
/* Finds the copy of a node, also in graphs that are nodes. NULL: there is none. */
cudaGraphNode_t graph_find(cudaGraph_t graph, cudaGraphNode_t origin);
/* Sets the index of each node to its place in the graph. */
void graph_number(cudaGraph_t graph);

/* Adds a node that depends on nothing, and owns what the work does. */
cudaGraphNode_t graph_add(cudaGraph_t graph, const struct node_work *work);
/* Adds one behind what the stream has captured (cudart_stream.c). */
void graph_capture(cudaStream_t stream, const struct node_work *work);
void node_depend(cudaGraphNode_t node, cudaGraphNode_t on);
void node_remove(cudaGraphNode_t node);

/* Makes *kept the same work with copies of all that it owns. */
cudaError_t work_keep(struct node_work *kept, const struct node_work *work);
/* Sets an attribute of a launch (cudart_launch.c). */
cudaError_t launch_attribute(struct launch_work *work, cudaLaunchAttributeID id, const cudaLaunchAttributeValue *value);
void work_release(struct node_work *work);
