// Machine code for the programs of made_program.c. What each kernel does without a GPU is in driver_kernels.c, by its name:
// nothing here runs, but what reads machine code finds names, registers, shared memory and source lines. Built twice:
// with OTHER there is another add_one and nothing else, as two builds of one program have, or two modules of Triton.

extern "C" __global__ void add_one(int *data, int count, int value)
{
#ifdef OTHER
    __shared__ int before[128]; // the stand-in counts more instructions for it
    before[threadIdx.x % 128] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = before[(threadIdx.x + value) % 128] + 1;
#else
    if (threadIdx.x < count)
        data[threadIdx.x] += 1;
#endif
}

#ifndef OTHER
extern "C" __global__ void add_value(int *data, int count, int value)
{
    if (threadIdx.x < count)
        data[threadIdx.x] += value;
}

template <typename T> __global__ void scale(T *data, int count, int value)
{
    if (threadIdx.x < count)
        data[threadIdx.x] *= value;
}
template __global__ void scale<int>(int *, int, int);
template __global__ void scale<unsigned>(unsigned *, int, int);

extern "C" __global__ void pin(int *data, int count, int value)
{
    if (threadIdx.x < count)
        data[threadIdx.x] += 1;
}

extern "C" __global__ void tiny(int *data, int count, int value)
{
}

// Its local array is on the stack.
extern "C" __global__ void large(int *data, int count, int value)
{
    int local[24];
    for (int i = 0; i < 24; i++)
        local[i * value % 24] = data[i];
    data[threadIdx.x] += local[threadIdx.x % 24] + 1;
}

extern "C" __global__ void restless(int *data, int count, int value)
{
    while (atomicAdd(data, 0) < value)
        ;
    data[threadIdx.x] += 1;
}

extern "C" __global__ void spin(int *data, int count, int value)
{
    while (*(int volatile *)data != value)
        ;
}

extern "C" __global__ void noise(int *data, int count, int value)
{
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        data[0] = (int)clock64();
        data[8] += 1;
        for (int k = 0; k <= data[1]; k++)
            data[(k + 1) << 14] = 1;
    }
}

extern "C" __global__ void linked(int *data, int count, int value)
{
    int *numbers = *(int **)data;
    if (threadIdx.x < count && blockIdx.x == 0)
        numbers[threadIdx.x] += value;
}

extern "C" __global__ void hidden(int *data, int count, int value)
{
    int *numbers = (int *)~*(unsigned long long *)data;
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        numbers[0] += 1;
        data[2] += numbers[0];
    }
}

extern "C" __global__ void behind(int *data, int count, int value)
{
    if (threadIdx.x < value && blockIdx.x == 0)
        data[(int)threadIdx.x - value] += 1;
}

extern "C" __global__ void settle(int *data, int count, int value)
{
    if (threadIdx.x < count)
        data[threadIdx.x] = value;
}

// The first page counts launches, the second has inputs, and the third has results. Of few numbers all are in one page.
extern "C" __global__ void counted(int *data, int count, int value)
{
    const int page = count < 128 ? 128 : 64 << 8;
    if (blockIdx.x == 0 && threadIdx.x < count)
        data[2 * page + threadIdx.x] = data[page + threadIdx.x] * value;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        data[0] += 1;
}

// The first page has indices into the numbers of the second, and the third has results.
extern "C" __global__ void gather(int *data, int count, int value)
{
    const int page = 64 << 8;
    if (blockIdx.x == 0 && threadIdx.x < count)
        data[2 * page + threadIdx.x] = data[page + data[threadIdx.x]] + value;
}

// Wrong code in place of counted: it computes nothing.
extern "C" __global__ void count_alone(int *data, int count, int value)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        data[0] += 1;
}

// It stands for what XLA's autotuner holds the GPU with, by its name in machine code.
extern "C" __global__ void _ZN15stream_executor3gpu12_GLOBAL__N_111DelayKernelEv(int *data, int count, int value)
{
    if (threadIdx.x < count)
        data[threadIdx.x] += 1;
}

// It stands for a collective of NCCL, whose names begin so.
extern "C" __global__ void ncclDevKernel_AllReduce(int *data, int count, int value)
{
    if (threadIdx.x < count)
        data[threadIdx.x] += 1;
}
#endif
