#include "driver.h"

struct CUgraphNode_st {
    CUgraphNodeType type;
    struct launch launch;
    struct arguments arguments;
    void *parameters[PARAMETERS]; /* the arguments that the parameters of launch point to */
    struct CUgraph_st *child;     /* a copy of the inner graph */
    struct CUgraphNode_st *from;  /* of an executable graph: the node of the outer graph that it was made of */
    bool is_off;                  /* launches leave it out */
    struct CUgraphNode_st *next;
};

/* An executable graph: its kernels, and those of graphs in it, as they were when it was instantiated. */
struct CUgraphExec_st {
    struct CUgraph_st graph;
};

/* ---- Nodes ---- */

static struct CUgraphNode_st *add_node(struct CUgraph_st *graph, CUgraphNodeType type)
{
    struct CUgraphNode_st *node = calloc(1, sizeof *node);
    if (!node)
        abort();
    node->type = type;
    struct CUgraphNode_st **link = &graph->nodes;
    while (*link)
        link = &(*link)->next;
    *link = node;
    graph->count++;
    return node;
}

static void set_kernel(struct CUgraphNode_st *node, const struct launch *launch)
{
    node->launch = *launch;
    node->arguments = kernel_arguments(launch->parameters);
    node->parameters[0] = &node->arguments.data;
    node->parameters[1] = &node->arguments.count;
    node->parameters[2] = &node->arguments.value;
    node->launch.parameters = node->parameters;
}

static struct CUgraphNode_st *add_kernel(struct CUgraph_st *graph, const struct launch *launch)
{
    struct CUgraphNode_st *node = add_node(graph, CU_GRAPH_NODE_TYPE_KERNEL);
    set_kernel(node, launch);
    return node;
}

void graph_add_kernel(struct CUgraph_st *graph, const struct launch *launch)
{
    add_kernel(graph, launch);
}

/* Copies the kernels of a graph, and those of graphs in it, which are all from the same node; NULL: from their own. */
static void add_kernels_of(struct CUgraph_st *to, const struct CUgraph_st *graph, struct CUgraphNode_st *from)
{
    for (struct CUgraphNode_st *node = graph->nodes; node; node = node->next) {
        if (node->type == CU_GRAPH_NODE_TYPE_KERNEL)
            add_kernel(to, &node->launch)->from = from ? from : node;
        else if (node->child)
            add_kernels_of(to, node->child, from ? from : node);
    }
}

static void free_nodes(struct CUgraph_st *graph)
{
    for (struct CUgraphNode_st *node = graph->nodes, *next; node; node = next) {
        next = node->next;
        if (node->child) {
            free_nodes(node->child);
            memory_free(node->child);
        }
        free(node);
    }
    *graph = (struct CUgraph_st){0};
}

/* ---- Graphs ---- */

ANSWER(cuGraphCreate, (CUgraph * phGraph, unsigned flags), ((void)flags, SET(phGraph, memory_new(sizeof **phGraph))))

CUresult CUDAAPI cuGraphDestroy(CUgraph hGraph)
{
    REFUSE(!hGraph, CUDA_ERROR_INVALID_VALUE);
    free_nodes(hGraph);
    memory_free(hGraph);
    return CUDA_SUCCESS;
}

/* Of CUDA_KERNEL_NODE_PARAMS of any version. */
#define LAUNCH_OF(kernel)                                                                                              \
    (struct launch)                                                                                                    \
    {                                                                                                                  \
        .function = (kernel)->func ? (kernel)->func : (CUfunction)(void *)(kernel)->kern,                              \
        .grid = {(kernel)->gridDimX, (kernel)->gridDimY, (kernel)->gridDimZ},                                          \
        .block = {(kernel)->blockDimX, (kernel)->blockDimY, (kernel)->blockDimZ}, .shared = (kernel)->sharedMemBytes,  \
        .parameters = (kernel)->kernelParams,                                                                          \
    }

CUresult CUDAAPI cuGraphAddKernelNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                         size_t numDependencies, const CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    (void)dependencies, (void)numDependencies;
    const struct launch launch = LAUNCH_OF(nodeParams);
    struct CUfunc_st *function;
    REFUSE(!hGraph, CUDA_ERROR_INVALID_VALUE);
    TRY(launch_check(&launch, &function));
    return SET(phGraphNode, add_kernel(hGraph, &launch));
}

ANSWER(cuGraphAddEmptyNode,
       (CUgraphNode * phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies),
       ((void)dependencies, (void)numDependencies,
        hGraph ? SET(phGraphNode, add_node(hGraph, CU_GRAPH_NODE_TYPE_EMPTY)) : CUDA_ERROR_INVALID_VALUE))

/* Keeps only the kernels of the inner graph. */
CUresult CUDAAPI cuGraphAddChildGraphNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                          size_t numDependencies, CUgraph childGraph)
{
    (void)dependencies, (void)numDependencies;
    REFUSE(!hGraph || !childGraph, CUDA_ERROR_INVALID_VALUE);
    struct CUgraph_st *copy = memory_new(sizeof *copy);
    add_kernels_of(copy, childGraph, NULL);
    *phGraphNode = add_node(hGraph, CU_GRAPH_NODE_TYPE_GRAPH);
    (*phGraphNode)->child = copy;
    return CUDA_SUCCESS;
}

ANSWER(cuGraphChildGraphNodeGetGraph, (CUgraphNode hNode, CUgraph *phGraph),
       hNode && hNode->child ? SET(phGraph, hNode->child) : CUDA_ERROR_INVALID_VALUE)

CUresult CUDAAPI cuGraphGetNodes(CUgraph hGraph, CUgraphNode *nodes, size_t *numNodes)
{
    REFUSE(!hGraph || !numNodes, CUDA_ERROR_INVALID_VALUE);
    const size_t capacity = *numNodes;
    *numNodes = hGraph->count;
    if (!nodes)
        return CUDA_SUCCESS;
    size_t i = 0;
    for (struct CUgraphNode_st *node = hGraph->nodes; node && i < capacity; node = node->next)
        nodes[i++] = node;
    *numNodes = i;
    for (; i < capacity; i++)
        nodes[i] = NULL;
    return CUDA_SUCCESS;
}

ANSWER(cuGraphNodeGetType, (CUgraphNode hNode, CUgraphNodeType *type),
       hNode ? SET(type, hNode->type) : CUDA_ERROR_INVALID_VALUE)

CUresult CUDAAPI cuGraphKernelNodeGetParams_v2(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    REFUSE(!hNode || hNode->type != CU_GRAPH_NODE_TYPE_KERNEL, CUDA_ERROR_INVALID_VALUE);
    const struct launch *launch = &hNode->launch;
    const bool is_kernel = launch->function->handle == KERNEL;
    *nodeParams = (CUDA_KERNEL_NODE_PARAMS){
        .func = is_kernel ? NULL : launch->function,
        .kern = is_kernel ? (CUkernel)(void *)launch->function : NULL,
        .gridDimX = launch->grid[0],
        .gridDimY = launch->grid[1],
        .gridDimZ = launch->grid[2],
        .blockDimX = launch->block[0],
        .blockDimY = launch->block[1],
        .blockDimZ = launch->block[2],
        .sharedMemBytes = launch->shared,
        .kernelParams = launch->parameters,
    };
    return CUDA_SUCCESS;
}

/* ---- Executable graphs ---- */

static CUresult instantiate(CUgraphExec *exec, CUgraph graph)
{
    READY();
    REFUSE(!graph, CUDA_ERROR_INVALID_VALUE);
    struct CUgraphExec_st *made = memory_new(sizeof *made);
    add_kernels_of(&made->graph, graph, NULL);
    *exec = made;
    TELL(instantiated, context_current(), graph, made);
    return CUDA_SUCCESS;
}

SEEN(cuGraphInstantiateWithFlags, (CUgraphExec * phGraphExec, CUgraph hGraph, unsigned long long flags),
     instantiate(phGraphExec, hGraph), phGraphExec, hGraph, flags)

CUresult CUDAAPI cuGraphExecDestroy(CUgraphExec hGraphExec)
{
    REFUSE(!hGraphExec, CUDA_ERROR_INVALID_VALUE);
    free_nodes(&hGraphExec->graph);
    memory_free(hGraphExec);
    return CUDA_SUCCESS;
}

/* ---- Changes of an executable graph ---- */

/* Returns the next node that was made of that one; the first when last is NULL. */
static struct CUgraphNode_st *node_of(CUgraphExec exec, CUgraphNode from, const struct CUgraphNode_st *last)
{
    struct CUgraphNode_st *node = last ? last->next : exec ? exec->graph.nodes : NULL;
    while (node && node->from != from)
        node = node->next;
    return node;
}

static CUresult set_node(CUgraphExec exec, CUgraphNode from, struct launch launch)
{
    struct CUgraphNode_st *node = node_of(exec, from, NULL);
    struct CUfunc_st *function;
    REFUSE(!node || from->type != CU_GRAPH_NODE_TYPE_KERNEL, CUDA_ERROR_INVALID_VALUE);
    TRY(launch_check(&launch, &function));
    set_kernel(node, &launch);
    return CUDA_SUCCESS;
}

SEEN(cuGraphExecKernelNodeSetParams_v2,
     (CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS *nodeParams),
     set_node(hGraphExec, hNode, LAUNCH_OF(nodeParams)), hGraphExec, hNode, nodeParams)

/* Takes kernels only. */
SEEN(cuGraphExecNodeSetParams, (CUgraphExec hGraphExec, CUgraphNode hNode, CUgraphNodeParams *nodeParams),
     nodeParams->type == CU_GRAPH_NODE_TYPE_KERNEL ? set_node(hGraphExec, hNode, LAUNCH_OF(&nodeParams->kernel))
                                                   : CUDA_ERROR_NOT_SUPPORTED,
     hGraphExec, hNode, nodeParams)

static CUresult set_child(CUgraphExec exec, CUgraphNode from, CUgraph child)
{
    struct CUgraph_st flat = {0};
    add_kernels_of(&flat, child, NULL);
    struct CUgraphNode_st *node = node_of(exec, from, NULL);
    for (const struct CUgraphNode_st *other = flat.nodes; other && node; other = other->next) {
        set_kernel(node, &other->launch);
        node = node_of(exec, from, node);
    }
    free_nodes(&flat);
    return CUDA_SUCCESS;
}

SEEN(cuGraphExecChildGraphNodeSetParams, (CUgraphExec hGraphExec, CUgraphNode hNode, CUgraph childGraph),
     set_child(hGraphExec, hNode, childGraph), hGraphExec, hNode, childGraph)

static CUresult enable(struct CUgraphNode_st *node, unsigned enabled)
{
    return node ? SET(&node->is_off, !enabled) : CUDA_ERROR_INVALID_VALUE;
}

SEEN(cuGraphNodeSetEnabled, (CUgraphExec hGraphExec, CUgraphNode hNode, unsigned isEnabled),
     enable(node_of(hGraphExec, hNode, NULL), isEnabled), hGraphExec, hNode, isEnabled)

/* ---- Launches ---- */

static CUresult launch_graph(CUgraphExec exec)
{
    READY();
    REFUSE(!exec, CUDA_ERROR_INVALID_VALUE);
    struct standin_kernel *kernels = calloc(exec->graph.count + 1, sizeof *kernels);
    REFUSE(!kernels, CUDA_ERROR_OUT_OF_MEMORY);
    size_t count = 0;
    for (const struct CUgraphNode_st *node = exec->graph.nodes; node; node = node->next)
        if (!node->is_off && launch_run(&node->launch, &kernels[count]) == CUDA_SUCCESS)
            count++;
    TELL(graph_ran, context_current(), kernels, count);
    free(kernels);
    return CUDA_SUCCESS;
}

#define LAUNCH_GRAPH(name)                                                                                             \
    SEEN(name, (CUgraphExec hGraphExec, CUstream hStream), launch_graph(hGraphExec), hGraphExec, hStream)

LAUNCH_GRAPH(cuGraphLaunch)
LAUNCH_GRAPH(cuGraphLaunch_ptsz)
