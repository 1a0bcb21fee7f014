/* graph.h - a graph: what streams put into it while they were captured, in that order. It does not change afterwards,
 * so those who have it share it. */
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
};

/* Does the work of a node. To add a kind of work: one of these, and a field of the union. */
typedef cudaError_t node_run(const struct CUgraphNode_st *node);
node_run node_launch;                         /* cudart_launch.c */
node_run node_copy, node_fill;                /* cudart_copy.c */
node_run node_host, node_child, node_nothing; /* graph.c */

struct CUgraphNode_st {
    node_run *run;
    enum cudaGraphNodeType type;
    union {
        struct launch_work launch; /* its arguments are a copy, which is owned */
        struct cudaMemcpy3DParms copy;
        struct cudaMemsetParams fill;
        struct cudaHostNodeParams host;
        cudaGraph_t child; /* shared */
    };
};

struct CUgraph_st {
    cudaGraphNode_t *nodes;
    size_t count;
    unsigned users;
};

struct CUgraphExec_st {
    cudaGraph_t graph; /* shared */
    unsigned long long flags;
};

/* Makes a graph that has one user; graph_share() adds one, and graph_release() takes one away. */
cudaGraph_t graph_new(void);
cudaGraph_t graph_share(cudaGraph_t graph);
void graph_release(cudaGraph_t graph);
cudaError_t graph_run(cudaGraph_t graph);
/* Adds a node behind the others. */
cudaGraphNode_t graph_add(cudaGraph_t graph, enum cudaGraphNodeType type, node_run *run);

#endif
