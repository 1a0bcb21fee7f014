/* Programs of several streams for tests/sim/faults.sh, by a name: those that begin with "wrong_" have operations that
 * no event or wait orders. Without a name all others run. */
#include <cstdio>
#include <cstring>
#include <thread>
#include <unistd.h>

enum { COUNT = 1 << 14, BLOCK = 256, GRID = COUNT / BLOCK };

__global__ void produce(float *a, float k)
{
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    a[i] = k + i % 7;
}
__global__ void consume(const float *a, float *b)
{
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    b[i] = 2 * a[i];
}
__global__ void bytes(unsigned char *a, int from, int count, unsigned char k)
{
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < count; i += GRID * BLOCK)
        a[from + i] = k;
}
template <bool WAITS> __global__ void early(const float *first, const float *a, float *b)
{
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    const float k = first[i];
    if (WAITS)
        asm volatile("griddepcontrol.wait;" ::: "memory");
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    b[i] = k + a[i] + 1;
}
__global__ void counts(unsigned *at)
{
    atomicAdd(at, 1);
}
__global__ void tells(float *a, volatile int *flag)
{
    a[threadIdx.x] = 1;
    __syncthreads();
    __threadfence_system();
    if (threadIdx.x == 0)
        *flag = 1;
}
__global__ void hears(const float *a, float *b, volatile int *flag)
{
    if (threadIdx.x == 0)
        while (*flag == 0)
            continue;
    __syncthreads();
    b[threadIdx.x] = a[threadIdx.x];
}

static float *a, *b, *pinned, *from;
static unsigned *word;
static int *flag, *mapped;
static unsigned char *raw;
static cudaStream_t p, c, blocking;
static cudaEvent_t made, used, never;

#define PRODUCE(stream, k) produce<<<GRID, BLOCK, 0, stream>>>(a, k)
#define CONSUME(stream) consume<<<GRID, BLOCK, 0, stream>>>(a, b)
template <bool WAITS = true> static void overlap(float *first, float *in, float *out)
{
    cudaLaunchAttribute attribute = {cudaLaunchAttributeProgrammaticStreamSerialization, {}, {}};
    cudaLaunchConfig_t config = {GRID, BLOCK, 0, p, &attribute, 1};
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchKernelEx(&config, early<WAITS>, (const float *)first, (const float *)in, out);
}
static void wait(cudaStream_t later, cudaStream_t first, cudaEvent_t event)
{
    cudaEventRecord(event, first);
    cudaStreamWaitEvent(later, event, 0);
}
static cudaGraphExec_t recorded()
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(p, cudaStreamCaptureModeGlobal);
    PRODUCE(p, 4);
    cudaStreamEndCapture(p, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    return exec;
}

static void captured(void (*work)())
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(p, cudaStreamCaptureModeGlobal);
    work();
    cudaStreamEndCapture(p, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, p);
    cudaGraphLaunch(exec, p);
}
static void built(size_t edges)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t first, second;
    float k = 3;
    void *makes[] = {&a, &k}, *uses[] = {&a, &b};
    cudaKernelNodeParams one = {(void *)produce, GRID, BLOCK, 0, makes, nullptr}, two = {(void *)consume, GRID, BLOCK, 0, uses, nullptr};
    cudaGraphCreate(&graph, 0);
    cudaGraphAddKernelNode(&first, graph, nullptr, 0, &one);
    cudaGraphAddKernelNode(&second, graph, &first, edges, &two);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, 0);
}

/* clang-format off */
#define CASE(name, ...) {#name, [] { __VA_ARGS__; }},
static const struct {
    const char *name;
    void (*run)();
} cases[] = {
    CASE(events, for (int t = 0; t < 4; t++) { PRODUCE(p, t); wait(c, p, made); CONSUME(c); wait(p, c, used); })
    CASE(events_repeated, for (int t = 0; t < 6; t++) { PRODUCE(p, t % 2); wait(c, p, made); CONSUME(c); wait(p, c, used); })
    CASE(host_waits, PRODUCE(p, 1); cudaStreamSynchronize(p); CONSUME(c); cudaDeviceSynchronize(); PRODUCE(p, 2))
    CASE(asks, PRODUCE(p, 1); while (cudaStreamQuery(p)) continue; CONSUME(c); cudaEventRecord(used, c); while (cudaEventQuery(used)) continue; PRODUCE(p, 2))
    CASE(legacy, PRODUCE(blocking, 1); CONSUME(0); PRODUCE(blocking, 2))
    CASE(per_thread, PRODUCE(cudaStreamPerThread, 1); CONSUME(0); PRODUCE(cudaStreamPerThread, 2))
    CASE(halves, bytes<<<GRID, BLOCK, 0, p>>>(raw, 0, 1001, 1); bytes<<<GRID, BLOCK, 0, c>>>(raw, 1001, 2000, 2); cudaMemsetAsync(raw + 3001, 3, 999, p))
    CASE(counters, counts<<<GRID, BLOCK, 0, p>>>(word); counts<<<GRID, BLOCK, 0, c>>>(word))
    CASE(readers, consume<<<GRID, BLOCK, 0, p>>>(a, b); consume<<<GRID, BLOCK, 0, c>>>(a, from + COUNT))
    CASE(calls_back, static volatile bool done; PRODUCE(p, 1); cudaLaunchHostFunc(p, [](void *) { done = true; }, 0); while (!done) continue; CONSUME(c))
    CASE(threads, std::thread([] { PRODUCE(p, 21); cudaStreamSynchronize(p); }).join(); CONSUME(c))
    CASE(copies, pinned[1] = 1; cudaMemcpyAsync(a, pinned, COUNT * 4, cudaMemcpyHostToDevice, p); wait(c, p, made); CONSUME(c);
         cudaMemcpyAsync(pinned, b, COUNT * 4, cudaMemcpyDeviceToHost, c); cudaStreamSynchronize(c); if (pinned[1] != 2) puts("old"); PRODUCE(p, 3))
    CASE(reads_by_event, pinned[1] = 77; CONSUME(c); cudaMemcpyAsync(pinned, b, COUNT * 4, cudaMemcpyDeviceToHost, c); cudaEventRecord(used, c); while (cudaEventQuery(used)) continue; if (pinned[1] == 77) puts("old"))
    CASE(copies_through, cudaMemset(a, 0, COUNT * 4); cudaDeviceSynchronize(); cudaMemcpyAsync(pinned, a, COUNT * 4, cudaMemcpyDeviceToHost, c); consume<<<GRID, BLOCK, 0, c>>>(pinned, b);
         cudaMemcpyAsync(a, pinned, COUNT * 4, cudaMemcpyHostToDevice, c); cudaStreamSynchronize(c); float h; cudaMemcpy(&h, b + 1, 4, cudaMemcpyDefault); if (h != 0) puts("old"))
    CASE(same_values, bytes<<<GRID, BLOCK, 0, p>>>(raw, 0, 1000, 1); cudaDeviceSynchronize(); bytes<<<GRID, BLOCK, 0, p>>>(raw, 0, 1000, 1); bytes<<<GRID, BLOCK, 0, c>>>(raw, 0, 1000, 1); cudaDeviceSynchronize(); char h; cudaMemcpy(&h, raw, 1, cudaMemcpyDefault))
    CASE(pools, for (int t = 0; t < 3; t++) { float *m; cudaMallocAsync((void **)&m, COUNT * 4, t % 2 ? p : c); consume<<<GRID, BLOCK, 0, t % 2 ? p : c>>>(a, m); cudaFreeAsync(m, t % 2 ? p : c); })
    CASE(pools_ordered, float *m; cudaMallocAsync((void **)&m, COUNT * 4, p); wait(c, p, made); consume<<<GRID, BLOCK, 0, c>>>(a, m); wait(p, c, used); cudaFreeAsync(m, p); cudaMallocAsync((void **)&m, COUNT * 4, p); cudaStreamSynchronize(p); consume<<<GRID, BLOCK, 0, c>>>(m, b); cudaStreamSynchronize(c); cudaFree(m))
    CASE(tells_host, tells<<<1, BLOCK, 0, p>>>(a, mapped); while (*(volatile int *)mapped == 0) continue; CONSUME(c))
    CASE(flags, cudaMemset(a, 0, COUNT * 4); cudaDeviceSynchronize(); tells<<<1, BLOCK, 0, p>>>(a, flag); hears<<<1, BLOCK, 0, c>>>(a, b, flag))
    CASE(graph, cudaGraphExec_t exec = recorded(); cudaGraphLaunch(exec, p); wait(c, p, made); CONSUME(c); wait(p, c, used); cudaGraphLaunch(exec, p))
    CASE(forks, PRODUCE(p, 1); wait(c, p, made); wait(blocking, p, used); CONSUME(c); consume<<<GRID, BLOCK, 0, blocking>>>(a, from + COUNT); wait(p, c, made); wait(p, blocking, used); PRODUCE(p, 2))
    CASE(through_third, PRODUCE(p, 1); wait(blocking, p, made); wait(c, blocking, used); CONSUME(c))
    CASE(frees, float *m; cudaMalloc((void **)&m, 4); PRODUCE(p, 1); cudaFree(m); CONSUME(c))
    CASE(two_scratch_writers, PRODUCE(p, 11); PRODUCE(c, 12); cudaDeviceSynchronize(); PRODUCE(p, 3); CONSUME(p))
    CASE(reused, for (int t = 0; t < 3; t++) { pinned[1] = t; cudaMemcpyAsync(a, pinned, COUNT * 4, cudaMemcpyHostToDevice, p); cudaEventRecord(used, p); CONSUME(p); cudaEventSynchronize(used); })
    CASE(in_place, cudaMemcpyAsync(a, pinned, COUNT * 4, cudaMemcpyHostToDevice, p); CONSUME(p); cudaMemcpyAsync(pinned, b, COUNT * 4, cudaMemcpyDeviceToHost, p); cudaStreamSynchronize(p); pinned[1] = 0)
    CASE(kernel_changes, cudaMemcpyAsync(a, pinned, COUNT * 4, cudaMemcpyHostToDevice, p); produce<<<GRID, BLOCK, 0, p>>>(pinned, 2); cudaStreamSynchronize(p))
    CASE(waits_for_copy, PRODUCE(p, 1); cudaMemcpyAsync(from, a, 4, cudaMemcpyDeviceToDevice, p); float h; cudaMemcpyAsync(&h, from, 4, cudaMemcpyDeviceToHost, p); CONSUME(c))
    CASE(overlaps, float *d = from + COUNT; overlap(b, b, a); overlap(b, a, d); cudaStreamSynchronize(p); overlap<false>(d, a, b); PRODUCE(p, 1); overlap<false>(a, b, d))
    CASE(rectangle, cudaMemcpy2DAsync(pinned, 8, a, 16, 8, 5, cudaMemcpyDeviceToHost, p))
    CASE(graph_built, built(1))
    CASE(graph_branches, captured([] { PRODUCE(p, 1); wait(c, p, made); CONSUME(c); consume<<<GRID, BLOCK, 0, p>>>(a, from + COUNT); wait(p, c, used); PRODUCE(p, 2); }); CONSUME(p))
    CASE(graph_overlaps, captured([] { overlap(b, b, a); overlap(b, a, from + COUNT); }))

    CASE(wrong_graph_built, built(0))
    CASE(wrong_graph_branches, captured([] { PRODUCE(p, 1); wait(c, p, made); CONSUME(c); PRODUCE(p, 2); wait(p, c, used); }))
    CASE(wrong_graph_overlaps, captured([] { overlap(b, b, a); overlap(a, b, from + COUNT); }))
    CASE(wrong_overlaps, overlap(b, b, a); overlap(a, b, from + COUNT))
    CASE(wrong_overlaps_without, overlap(b, b, a); overlap<false>(b, a, from + COUNT))
    CASE(wrong_overlaps_again, for (int t = 0; t < 2; t++) { overlap(b, from + COUNT, a); if (t == 0) cudaStreamSynchronize(p); overlap(a, b, from + COUNT); })
    CASE(wrong_overlaps_two, overlap(b, b, a); overlap<false>(b, b, from + COUNT); overlap(a, b, from + COUNT))
    CASE(wrong_overlaps_store, overlap(b, a, from + COUNT); overlap<false>(b, b, a))
    CASE(wrong_repeated, PRODUCE(p, 1); wait(c, p, made); CONSUME(c); cudaDeviceSynchronize(); CONSUME(c); cudaDeviceSynchronize();
         cudaEventRecord(used, c); CONSUME(c); cudaStreamWaitEvent(p, used, 0); PRODUCE(p, 2)) // the third need not be executed
    CASE(wrong_alike, PRODUCE(p, 1); cudaDeviceSynchronize(); consume<<<GRID, BLOCK, 0, p>>>(a, a); consume<<<GRID, BLOCK, 0, c>>>(a, a))
    CASE(wrong_beside_mapped, consume<<<GRID, BLOCK, 0, p>>>(a, pinned); cudaMemsetAsync(a, 1, COUNT * 4, c))
    CASE(wrong_early, consume<<<GRID, BLOCK, 0, p>>>(from, b))
    CASE(wrong_no_wait, PRODUCE(p, 1); CONSUME(c))
    CASE(wrong_never_recorded, PRODUCE(p, 1); cudaStreamWaitEvent(c, never, 0); CONSUME(c))
    CASE(wrong_overwrites, for (int t = 0; t < 4; t++) { PRODUCE(p, t); wait(c, p, made); CONSUME(c); })
    CASE(wrong_overwrites_again, for (int t = 0; t < 6; t++) { PRODUCE(p, t % 2); wait(c, p, made); CONSUME(c); if (t < 4) wait(p, c, used); })
    CASE(wrong_copied, PRODUCE(p, 1); cudaMemcpyAsync(pinned, a, COUNT * 4, cudaMemcpyDeviceToHost, c))
    CASE(wrong_copied_over, CONSUME(c); cudaMemcpyAsync(a, pinned, COUNT * 4, cudaMemcpyHostToDevice, p))
    CASE(wrong_over_copied, cudaMemcpyAsync(pinned, a, COUNT * 4, cudaMemcpyDeviceToHost, c); PRODUCE(p, 2))
    CASE(wrong_filled, cudaMemsetAsync(b, 1, COUNT * 4, p); CONSUME(c); cudaDeviceSynchronize(); cudaMemcpy(pinned, b, 4, cudaMemcpyDefault))
    CASE(wrong_recorded_early, cudaEventRecord(made, p); PRODUCE(p, 1); cudaStreamWaitEvent(c, made, 0); CONSUME(c))
    CASE(wrong_way_round, PRODUCE(p, 1); wait(p, c, made); CONSUME(c))
    CASE(wrong_two_writers, PRODUCE(p, 1); PRODUCE(c, 2); cudaDeviceSynchronize(); CONSUME(c))
    CASE(wrong_default, PRODUCE(0, 1); CONSUME(c))
    CASE(wrong_memset, cudaMemset(a, 1, COUNT * 4); CONSUME(c))
    CASE(wrong_graph, cudaGraphExec_t exec = recorded(); cudaGraphLaunch(exec, p); CONSUME(c))
    CASE(wrong_host_waits_other, PRODUCE(p, 1); cudaStreamSynchronize(c); CONSUME(c))
    CASE(wrong_host_changes, cudaMemcpyAsync(a, pinned, COUNT * 4, cudaMemcpyHostToDevice, p); consume<<<GRID, BLOCK, 0, p>>>(a, b); pinned[7]++)
    CASE(wrong_host_reads, PRODUCE(c, 1); CONSUME(c); cudaMemcpyAsync(pinned, b, COUNT * 4, cudaMemcpyDeviceToHost, c); if (pinned[1] != 4) puts("old"))
    CASE(wrong_host_reads_other, PRODUCE(c, 1); CONSUME(c); cudaMemcpyAsync(pinned, b, COUNT * 4, cudaMemcpyDeviceToHost, c); cudaStreamSynchronize(p); if (pinned[1] != 4) puts("old"))
    CASE(wrong_pool_early, float *m; cudaMallocAsync((void **)&m, COUNT * 4, p); cudaMemsetAsync(m, 0, COUNT * 4, c); cudaMemcpyAsync(pinned, m, 4, cudaMemcpyDeviceToHost, c))
    CASE(wrong_pool_freed, float *m; cudaMallocAsync((void **)&m, COUNT * 4, p); wait(c, p, made); consume<<<GRID, BLOCK, 0, c>>>(m, b); cudaFreeAsync(m, p))
    CASE(wrong_pool_freed_by_host, float *m; cudaMallocAsync((void **)&m, COUNT * 4, p); consume<<<GRID, BLOCK, 0, p>>>(m, b); cudaFree(m))
    CASE(wrong_reads_count, counts<<<GRID, BLOCK, 0, p>>>(word); cudaMemcpyAsync(pinned, word, 4, cudaMemcpyDeviceToHost, c))
};
/* clang-format on */

int main(int count, char **arguments)
{
    alarm(60); /* a fault may leave the loops below without an end */
    cudaMalloc(&a, COUNT * 4);
    cudaMalloc(&b, COUNT * 4);
    cudaMalloc(&from, 2 * COUNT * 4);
    cudaMalloc(&raw, COUNT);
    cudaMalloc(&word, 4);
    cudaMalloc(&flag, 4);
    cudaMallocHost(&pinned, COUNT * 4);
    cudaMallocHost(&mapped, 4);
    for (int i = 0; i < COUNT; i++)
        pinned[i] = 1;
    produce<<<GRID, BLOCK>>>(from, 1); /* for wrong_early */
    cudaStreamCreateWithFlags(&p, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&c, cudaStreamNonBlocking);
    cudaStreamCreate(&blocking);
    cudaEventCreate(&made);
    cudaEventCreate(&used);
    cudaEventCreate(&never);
    for (const auto &one : cases)
        if (count > 1 ? strcmp(one.name, arguments[1]) == 0 : strncmp(one.name, "wrong_", 6) != 0) {
            one.run();
            cudaDeviceSynchronize();
            if (count == 1 && cudaGetLastError() != cudaSuccess)
                puts(one.name);
        }
    return (int)cudaDeviceSynchronize();
}
