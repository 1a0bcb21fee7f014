/* graph.h - what graphs are made of. graph.c has the nodes; cudart_graph.c and cudart_graph_node.c are CUDA's
 * functions. */
#ifndef GRAPH_H
#define GRAPH_H

#include <cuda_runtime_api.h>

#include <stdbool.h>
#include <stddef.h>

/* A launch: CUDA's own description of it, and what that lacks. */
struct launch_work {
    struct cudaKernelNodeParams params;
    bool cooperative;
    dim3 cluster;       /* 0: the launch asks for none */
    unsigned carve_out; /* as struct launch has it; 0: the kernel's */
    /* Where its arguments are a copy: the number of pointers, and the bytes of them and of the values behind them. */
    size_t argument_count, argument_size;
};

/* Does the work of a node. To add a kind of work: one of these, and a field of the union. */
typedef cudaError_t node_run(const struct CUgraphNode_st *node);
node_run node_launch;                         /* cudart_launch.c */
node_run node_copy, node_fill;                /* cudart_copy.c */
node_run node_record;                         /* cudart_stream.c */
node_run node_host, node_child, node_nothing; /* graph.c */
node_run node_condition;                      /* cudart_graph_condition.c */

/* A node that does other graphs, as often as a value says which kernels set. */
struct condition_work {
    cudaGraphConditionalHandle handle;
    enum cudaGraphConditionalNodeType type;
    cudaGraph_t *bodies; /* owned, each of them too */
    unsigned count;
};

struct CUgraphNode_st {
    cudaGraph_t graph;
    node_run *run;
    enum cudaGraphNodeType type;
    union {
        struct launch_work launch; /* its arguments are a copy, which is owned */
        struct cudaMemcpy3DParms copy;
        struct cudaMemsetParams fill;
        struct cudaHostNodeParams host;
        cudaGraph_t child; /* owned */
        cudaEvent_t event;
        struct cudaMemAllocNodeParams allocation; /* memory that is there from the beginning */
        void *freed;
        struct condition_work condition;
    };
    cudaGraphNode_t *before; /* nodes that it depends on */
    size_t before_count;
    cudaGraphNode_t original; /* of a node of an executable graph: the node that it is a copy of */
    bool off;                 /* of an executable graph: it is passed over */
    size_t place;             /* while nodes are put in order, or copied: where the node is */
};

struct CUgraph_st {
    cudaGraphNode_t *nodes;
    size_t count;
};

/* An executable graph is a copy whose nodes are in order. */
struct CUgraphExec_st {
    cudaGraph_t graph;
    unsigned long long flags;
};

cudaGraph_t graph_new(void);
void graph_free(cudaGraph_t graph);
/* Makes *clone a graph of its own with the same nodes. */
void graph_clone(cudaGraph_t *clone, cudaGraph_t graph);
/* Puts the nodes in an order in which each is behind those that it depends on, and else as they were added. False: some
 * depend on each other. */
bool graph_put_in_order(cudaGraph_t graph);
cudaError_t graph_run(cudaGraph_t graph);

/* Adds a node after those that it depends on. NULL: an argument is wrong. */
cudaGraphNode_t graph_add_after(cudaGraphNode_t *made, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
                                enum cudaGraphNodeType type, node_run *run);
/* Adds a node that depends on the one that was added last. */
cudaGraphNode_t graph_add_behind(cudaGraph_t graph, enum cudaGraphNodeType type, node_run *run);
void graph_depend(cudaGraphNode_t node, cudaGraphNode_t before);

/* Replaces what a node does by what another of the same type does. */
void graph_replace_work(cudaGraphNode_t node, const struct CUgraphNode_st *from);

/* Adds a node that does other graphs, which the caller fills. In cudart_graph_condition.c. */
cudaError_t graph_add_condition(cudaGraphNode_t *made, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
                                struct cudaConditionalNodeParams *params);
/* Sets the values of all conditions of a graph that is launched to their defaults. In cudart_graph_condition.c. */
void graph_begin(cudaGraph_t graph);

/* Makes *kept the same launch with a copy of its arguments, which the caller frees (params.kernelParams). In
 * cudart_launch.c. */
cudaError_t launch_keep(struct launch_work *kept, const struct launch_work *work);

#endif
