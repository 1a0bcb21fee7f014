/* Finds the group of a launch: launches that are alike are one group. That is done at every launch, so what the driver
 * hands over is looked up in trees. The parent is asked once for each group. */
#include "groups.h"
#include "launch.h"

#include <inttypes.h>
#include <search.h>

/* Limits the groups, so that a program that never launches the same shape twice does not fill the memory, here and in
 * the parent. */
enum { GROUPS_MAX = 5000 };

struct handle {
    CUfunction handle;
    const struct launched_function *function;
};

/* A kernel of a graph. */
struct node {
    CUgraphNode node, within; /* within: the node of the graph that holds the graph of this one; else the node itself */
    struct launch_shape shape;
    bool off; /* launches of the graph leave it out */
};

struct graph {
    CUgraphExec exec;
    struct node *nodes;
    size_t count;
    struct launch_group *group; /* NULL: the parent was not asked yet */
    bool spoilt;
};

/* The group of a graph by its text. A graph that is made anew for each step is the same group each time. */
struct told_group {
    char *text; /* how the parent was asked for it */
    struct launch_group *group;
};

static void *functions, *handles, *groups, *graphs, *graph_groups; /* trees of <search.h> */
static struct launch_group **all;
static size_t count;

static int by_function(const void *left, const void *right)
{
    const struct launched_function *a = left, *b = right;
    const int order = strcmp(a->module, b->module);
    return order ? order : strcmp(a->name, b->name);
}

static int by_pointer(const void *a, const void *b)
{
    return ((uintptr_t)a > (uintptr_t)b) - ((uintptr_t)a < (uintptr_t)b);
}

ORDER_BY(by_handle, struct handle, handle)

static int by_shape(const void *left, const void *right)
{
    const struct launch_shape *a = &((const struct launch_group *)left)->shape,
                              *b = &((const struct launch_group *)right)->shape;
    const int function = by_pointer(a->function, b->function);
    const int grid = function ? function : memcmp(a->grid, b->grid, sizeof a->grid);
    const int block = grid ? grid : memcmp(a->block, b->block, sizeof a->block);
    return block ? block : (a->shared > b->shared) - (a->shared < b->shared);
}

ORDER_BY(by_exec, struct graph, exec)

static int by_told_text(const void *left, const void *right)
{
    return strcmp(((const struct told_group *)left)->text, ((const struct told_group *)right)->text);
}

/* Returns the element of the tree that equals *key. If there is none, puts a copy of *key there and returns that. */
static void *intern(void **tree, const void *key, size_t size, int (*order)(const void *, const void *))
{
    void **found = tfind(key, tree, order);
    if (found)
        return *found;
    void *copy = x_calloc(1, size);
    memcpy(copy, key, size);
    if (!tsearch(copy, tree, order))
        BUG("no memory for a launch");
    return copy;
}

/* ---- Functions ---- */

static const struct launched_function *function_of(CUfunction handle, const char *name)
{
    const struct handle key = {.handle = handle};
    struct handle *known = intern(&handles, &key, sizeof key, by_handle);
    if (!name)
        name = "unknown";
    /* Otherwise the driver gave this handle to another function. */
    if (known->function && strcmp(known->function->name, name) == 0)
        return known->function;
    struct launched_function function = {.handle = handle, .name = x_strdup(name)};
    modules_of_function(handle, name, function.module);
    struct launched_function *kept = intern(&functions, &function, sizeof function, by_function);
    if (kept->name != function.name)
        free(function.name);
    kept->handle = handle;
    known->function = kept;
    return kept;
}

void functions_forget(void)
{
    tdestroy(handles, free);
    handles = NULL;
}

/* ---- Groups ---- */

static void tell_shape(FILE *stream, const struct launch_shape *shape)
{
    const struct launched_function *function = shape->function;
    link_put_launch(stream, shape->grid, shape->block, shape->shared, 0, function->module, function->name);
}

/* Asks the parent what it wants of the group: "SKIP FIRST KNOWN HOLDS ID", then names of variables, a line each, if
 * launches are kept. Owns text from then on. */
static void ask(struct launch_group *group, char *text)
{
    char *answer = NULL, *end;
    if (link_ask(MESSAGE_GROUP, text, &answer) && *answer) {
        group->skip = strtoul(answer, &end, 10);
        group->first = strtoul(end, &end, 10);
        group->known = strtoul(end, &end, 10);
        group->holds = strtoul(end, &end, 10);
        char *more = strchr(end, '\n');
        if (more) {
            *more++ = '\0';
            group->variables = x_strdup(more);
        }
        if (*end == ' ' && end[1])
            group->id = x_strdup(end + 1);
    }
    free(answer);
    free(text);
}

static char *question(const char *kind, const struct launch_shape *shapes, size_t shape_count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = x_memstream(&text, &size);
    fprintf(stream, "%s\n", kind);
    for (size_t i = 0; i < shape_count; i++)
        tell_shape(stream, &shapes[i]);
    fclose(stream);
    return text;
}

static struct launch_group *add_group(struct launch_group *group)
{
    group->shares = x_calloc(bounds_shares(), sizeof *group->shares);
    *ARRAY_GROW(all, count) = group;
    return group;
}

struct launch_group *group_of_launch(CUfunction handle, const unsigned grid[3], const unsigned block[3],
                                     unsigned shared, const char *name)
{
    struct launch_group key = {.shape = {.function = function_of(handle, name), .shared = shared}};
    memcpy(key.shape.grid, grid, sizeof key.shape.grid);
    memcpy(key.shape.block, block, sizeof key.shape.block);
    struct launch_group **known = tfind(&key, &groups, by_shape);
    if (known)
        return *known;
    if (count == GROUPS_MAX)
        return NULL;
    struct launch_group *group = add_group(intern(&groups, &key, sizeof key, by_shape));
    ask(group, question("launch", &group->shape, 1));
    return group;
}

struct set_counts *group_counted(struct launch_group *group, size_t set)
{
    while (group->counted_count <= set)
        *ARRAY_GROW(group->counted, group->counted_count) = (struct set_counts){0};
    return &group->counted[set];
}

struct launch_group *const *groups_all(size_t *all_count)
{
    *all_count = count;
    return all;
}

static struct stretches sequence;

void group_count_launch(struct launch_group *group, unsigned bounds)
{
    if (bounds)
        stretches_add(&sequence, &group->last, group->graph ? group->kernels : 1);
    for (size_t i = 0; i < bounds_shares(); i++)
        group->shares[i].launches += bounds >> i & 1;
}

static void tell_missed(FILE *stream, const struct launch_group *group)
{
    fprintf(stream, "%zu", group->counted_count > 0 ? group->counted[0].missed : 0);
    for (size_t set = 1; set < group->counted_count; set++)
        fprintf(stream, ",%zu", group->counted[set].missed);
}

static void tell_shares(FILE *stream, const struct launch_group *group)
{
    for (size_t i = 0; i < bounds_shares(); i++) {
        const struct launch_share *share = &group->shares[i];
        const bool is_cold = share->timed == 0 && share->cold_ns > 0;
        fprintf(stream, "%c%zu/%zu/%" PRIu64, i > 0 ? ',' : ' ', share->launches, is_cold ? 1 : share->timed,
                is_cold ? share->cold_ns : share->time_ns);
    }
}

char *groups_tell(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = x_memstream(&text, &size);
    stretches_end(&sequence);
    for (size_t i = 0; i < count; i++) {
        if (!all[i]->id)
            continue;
        fprintf(stream, "%zu %zu %d ", all[i]->launches, all[i]->due, stretches_are_behind(&sequence, all[i]->last));
        tell_missed(stream, all[i]);
        tell_shares(stream, all[i]);
        fprintf(stream, " %.0Lf/%.0Lf %s\n", fminl(all[i]->alone_ns, all[i]->ran_ns), all[i]->ran_ns, all[i]->id);
    }
    fclose(stream);
    return text;
}

/* ---- Graphs ---- */

/* Adds the kernels of a graph, which is that of a node; NULL: it is the whole. */
static void take_nodes(struct graph *graph, CUgraph from, CUgraphNode within);

static struct launch_shape shape_of_node(const CUDA_KERNEL_NODE_PARAMS *kernel)
{
    const char *name = NULL;
    CUfunction handle = kernel->func ? kernel->func : (CUfunction)kernel->kern;
    if (cuFuncGetName(&name, handle) != CUDA_SUCCESS && cuKernelGetName(&name, (CUkernel)handle) != CUDA_SUCCESS)
        name = NULL;
    return (struct launch_shape){
        .function = function_of(handle, name),
        .grid = {kernel->gridDimX, kernel->gridDimY, kernel->gridDimZ},
        .block = {kernel->blockDimX, kernel->blockDimY, kernel->blockDimZ},
        .shared = kernel->sharedMemBytes,
    };
}

static void take_kernel(struct graph *graph, CUgraphNode node, CUgraphNode within)
{
    CUDA_KERNEL_NODE_PARAMS kernel = {0};
    if (cuGraphKernelNodeGetParams(node, &kernel) == CUDA_SUCCESS)
        *ARRAY_GROW(graph->nodes, graph->count) =
            (struct node){.node = node, .within = within ? within : node, .shape = shape_of_node(&kernel)};
}

static void take_node(struct graph *graph, CUgraphNode node, CUgraphNode within)
{
    CUgraphNodeType type;
    CUgraph child;
    if (cuGraphNodeGetType(node, &type) != CUDA_SUCCESS)
        return;
    if (type == CU_GRAPH_NODE_TYPE_KERNEL)
        take_kernel(graph, node, within);
    else if (type == CU_GRAPH_NODE_TYPE_GRAPH && cuGraphChildGraphNodeGetGraph(node, &child) == CUDA_SUCCESS)
        take_nodes(graph, child, within ? within : node);
}

static void take_nodes(struct graph *graph, CUgraph from, CUgraphNode within)
{
    size_t nodes = 0;
    if (cuGraphGetNodes(from, NULL, &nodes) != CUDA_SUCCESS || nodes == 0)
        return;
    CUgraphNode *list = x_calloc(nodes, sizeof(CUgraphNode));
    if (cuGraphGetNodes(from, list, &nodes) == CUDA_SUCCESS)
        for (size_t i = 0; i < nodes; i++)
            take_node(graph, list[i], within);
    free(list);
}

void graph_take(CUgraphExec exec, CUgraph from)
{
    graph_forget(exec);
    const struct graph key = {.exec = exec};
    take_nodes(intern(&graphs, &key, sizeof key, by_exec), from, NULL);
}

void graph_forget(CUgraphExec exec)
{
    const struct graph key = {.exec = exec};
    struct graph **known = tfind(&key, &graphs, by_exec);
    if (!known)
        return;
    struct graph *graph = *known;
    tdelete(&key, &graphs, by_exec);
    free(graph->nodes);
    free(graph);
}

void graph_spoil(CUgraphExec exec)
{
    const struct graph key = {.exec = exec};
    struct graph *graph = intern(&graphs, &key, sizeof key, by_exec);
    graph->group = NULL;
    graph->spoilt = true;
}

bool graph_is_spoilt(CUgraphExec exec)
{
    const struct graph key = {.exec = exec};
    struct graph **known = tfind(&key, &graphs, by_exec);
    return known && (*known)->spoilt;
}

/* Returns the node in the graph, and forgets the graph's group, which will be another one. NULL: it is not known. */
static struct node *node_to_change(CUgraphExec exec, CUgraphNode node)
{
    const struct graph key = {.exec = exec};
    struct graph **known = tfind(&key, &graphs, by_exec);
    for (size_t i = 0; known && i < (*known)->count; i++)
        if ((*known)->nodes[i].node == node) {
            (*known)->group = NULL;
            return &(*known)->nodes[i];
        }
    return NULL;
}

void graph_set_kernel(CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *kernel)
{
    struct node *changed = node_to_change(exec, node);
    if (changed)
        changed->shape = shape_of_node(kernel);
    else
        graph_spoil(exec);
}

/* The driver takes only a graph of the same nodes. */
void graph_set_inner(CUgraphExec exec, CUgraphNode node, CUgraph inner)
{
    struct graph taken = {0};
    const struct graph key = {.exec = exec};
    struct graph **known = tfind(&key, &graphs, by_exec);
    size_t next = 0;
    take_nodes(&taken, inner, node);
    for (size_t i = 0; known && i < (*known)->count; i++)
        if ((*known)->nodes[i].within == node && next < taken.count)
            (*known)->nodes[i].shape = taken.nodes[next++].shape;
    if (known && next == taken.count)
        (*known)->group = NULL;
    else
        graph_spoil(exec);
    free(taken.nodes);
}

void graph_enable_node(CUgraphExec exec, CUgraphNode node, bool enabled)
{
    CUgraphNodeType type;
    struct node *changed = node_to_change(exec, node);
    if (changed)
        changed->off = !enabled;
    else if (cuGraphNodeGetType(node, &type) != CUDA_SUCCESS || type == CU_GRAPH_NODE_TYPE_KERNEL)
        graph_spoil(exec);
}

size_t graph_kernels(CUgraphExec exec)
{
    const struct graph key = {.exec = exec};
    struct graph **known = tfind(&key, &graphs, by_exec);
    size_t kernels = 0;
    for (size_t i = 0; known && i < (*known)->count; i++)
        kernels += !(*known)->nodes[i].off;
    return kernels;
}

/* Returns the question about a graph, with the kernels that it launches. Caller frees. */
static char *question_of_graph(const struct graph *graph)
{
    OWNED_MEMORY struct launch_shape *shapes = x_calloc(graph->count + 1, sizeof *shapes);
    size_t shape_count = 0;
    for (size_t i = 0; i < graph->count; i++)
        if (!graph->nodes[i].off)
            shapes[shape_count++] = graph->nodes[i].shape;
    return question("graph", shapes, shape_count);
}

struct launch_group *group_of_graph(CUgraphExec exec)
{
    const struct graph key = {.exec = exec};
    struct graph *graph = intern(&graphs, &key, sizeof key, by_exec);
    if (graph->group || graph->spoilt)
        return graph->group;
    struct told_group told = {.text = question_of_graph(graph)};
    struct told_group *kept = intern(&graph_groups, &told, sizeof told, by_told_text);
    if (kept->text != told.text)
        free(told.text);
    if (!kept->group && count < GROUPS_MAX) {
        kept->group = add_group(x_calloc(1, sizeof *kept->group));
        kept->group->graph = true;
        kept->group->kernels = graph_kernels(exec);
        ask(kept->group, x_strdup(kept->text));
    }
    graph->group = kept->group;
    return graph->group;
}
