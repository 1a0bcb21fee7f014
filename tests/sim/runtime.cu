/* What programs ask of the CUDA runtime and of the driver's functions that kernels call, for tests/sim/runtime.sh. It
 * prints a line for each thing that is right or wrong, and what kernels print. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        const cudaError_t error = (call);                                                                              \
        if (error != cudaSuccess) {                                                                                    \
            printf("wrong: %s: %s\n", #call, cudaGetErrorString(error));                                               \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static void judge(const char *name, const float *is, const float *has_to_be, int count)
{
    TRY(cudaDeviceSynchronize());
    for (int i = 0; i < count; i++)
        if (is[i] != has_to_be[i]) {
            printf("wrong: %s: %d is %g, not %g\n", name, i, is[i], has_to_be[i]);
            return;
        }
    printf("right: %s\n", name);
}

static float *results; /* managed memory */

/* ---- Textures: the operands of each form; test_cudart_texture.c has what they return ---- */

/* The texel at x, y, z is x + 10 * y + 100 * z. */
static cudaArray_t make_array(cudaExtent extent, unsigned flags)
{
    static float texels[10000];
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    const size_t rows = extent.height ? extent.height : 1, slices = extent.depth ? extent.depth : 1;
    cudaArray_t array;
    TRY(cudaMalloc3DArray(&array, &format, extent, flags));
    float *texel = texels;
    for (size_t z = 0; z < slices; z++)
        for (size_t y = 0; y < rows; y++)
            for (size_t x = 0; x < extent.width; x++)
                *texel++ = float(x + 10 * y + 100 * z);
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(texels, extent.width * sizeof(float), extent.width, rows);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(extent.width, rows, slices);
    copy.kind = cudaMemcpyHostToDevice;
    TRY(cudaMemcpy3D(&copy));
    return array;
}

static cudaResourceDesc resource_of(cudaArray_t array)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return resource;
}

static cudaTextureObject_t texture_of(cudaExtent extent, unsigned flags)
{
    const cudaResourceDesc resource = resource_of(make_array(extent, flags));
    cudaTextureDesc how = {};
    how.normalizedCoords = 1;
    how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = cudaAddressModeClamp;
    cudaTextureObject_t texture;
    TRY(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    return texture;
}

struct shapes {
    cudaTextureObject_t one, two, three, cube, layers, cubes, row;
};

__global__ void fetch(shapes s, float *out, float at)
{
    out[0] = tex1D<float>(s.one, at);
    out[1] = tex2D<float>(s.two, at, at + 0.25f);
    out[2] = tex3D<float>(s.three, at, at + 0.25f, at - 0.25f);
    out[3] = texCubemap<float>(s.cube, -1, at, -at);
    out[4] = tex2DLayered<float>(s.layers, at, at + 0.25f, 2);
    out[5] = texCubemapLayered<float>(s.cubes, at, -1, -at, 1);
    out[6] = tex2DLod<float>(s.two, at + 0.25f, at, 0);
    out[7] = tex2DGrad<float>(s.two, at + 0.25f, at, make_float2(at, 0), make_float2(0, at));
    const float4 corners = tex2Dgather<float4>(s.two, at, at + 0.125f, 0);
    out[8] = corners.x, out[9] = corners.y, out[10] = corners.z, out[11] = corners.w;
    const uchar4 four = tex1Dfetch<uchar4>(s.row, int(at * 8));
    out[12] = four.x, out[13] = four.y, out[14] = four.z, out[15] = four.w;
    const uchar4 some = tex1Dfetch<uchar4>(s.row, 1);
    out[16] = some.y + some.w;
}

__global__ void nearest(cudaTextureObject_t texture, const float *at, float *out)
{
    out[threadIdx.x] = tex1D<float>(texture, at[threadIdx.x]);
}

/* Beside a border of two texels, as an H200 read them: 21 bits of a coordinate count, or 22 of a long row's. */
static void test_borders()
{
    static const struct {
        unsigned width, coordinates[4];
    } rows[] = {{3, {0x3eaaaaaa, 0x3eaaaaab, 0x3eaaaaae, 0x3eaaaab5}},
                {10000, {0x38d1b717, 0x38d1b724, 0x38d1eb85, 0x38d288ce}}};
    static const float right[] = {0, 0, 0, 1};
    float *at;
    TRY(cudaMalloc(&at, sizeof right));
    for (const auto &row : rows) {
        TRY(cudaMemcpy(at, row.coordinates, sizeof right, cudaMemcpyHostToDevice));
        nearest<<<1, 4>>>(texture_of(make_cudaExtent(row.width, 0, 0), 0), at, results);
        judge("borders", results, right, 4);
    }
}

static void test_textures()
{
    static const unsigned char bytes[] = {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23, 30, 31, 32, 33};
    static const float right[] = {1, 21, 21, 100, 221, 911, 12, 12, 21, 22, 12, 11, 30, 31, 32, 33, 24};
    void *memory;
    TRY(cudaMalloc(&memory, sizeof bytes));
    TRY(cudaMemcpy(memory, bytes, sizeof bytes, cudaMemcpyHostToDevice));
    cudaResourceDesc row = {};
    row.resType = cudaResourceTypeLinear;
    row.res.linear.devPtr = memory;
    row.res.linear.desc = cudaCreateChannelDesc<uchar4>();
    row.res.linear.sizeInBytes = sizeof bytes;
    const cudaTextureDesc how = {};
    shapes s;
    s.one = texture_of(make_cudaExtent(4, 0, 0), 0);
    s.two = texture_of(make_cudaExtent(4, 4, 0), 0);
    s.three = texture_of(make_cudaExtent(4, 4, 2), 0);
    s.cube = texture_of(make_cudaExtent(2, 2, 6), cudaArrayCubemap);
    s.layers = texture_of(make_cudaExtent(4, 4, 3), cudaArrayLayered);
    s.cubes = texture_of(make_cudaExtent(2, 2, 12), cudaArrayCubemap | cudaArrayLayered);
    TRY(cudaCreateTextureObject(&s.row, &row, &how, nullptr));
    fetch<<<1, 1>>>(s, results, 0.375f);
    judge("textures", results, right, 17);
}

/* ---- Surfaces ---- */

__global__ void store(cudaSurfaceObject_t plane, cudaSurfaceObject_t layers, float *out)
{
    const int x = threadIdx.x;
    surf2Dwrite(float(x), plane, x * 4, 1);
    surf2Dwrite(make_float2(7, 8), plane, 8, 2);
    surf2Dwrite(9.0f, plane, 400, 1, cudaBoundaryModeZero);
    surf2DLayeredwrite(float(x * 2), layers, x * 4, 1, 2);
    __syncthreads();
    out[x] = surf2Dread<float>(plane, 12 - x * 4, 1);
    out[4 + x] = surf2Dread<float>(plane, x * 4, 2);
    out[8 + x] = surf2DLayeredread<float>(layers, x * 4, 1, 2);
    out[12] = surf2Dread<float>(plane, -4, 1, cudaBoundaryModeZero);
    out[13] = surf2Dread<float>(plane, 400, 1, cudaBoundaryModeClamp);
    out[14] = surf2Dread<unsigned char>(plane, 15, 1);
}

static void test_surfaces()
{
    static const float right[] = {3, 2, 1, 0, 20, 21, 7, 8, 0, 2, 4, 6, 0, 3, 0x40};
    cudaSurfaceObject_t plane, layers;
    cudaResourceDesc resource = resource_of(make_array(make_cudaExtent(4, 4, 0), cudaArraySurfaceLoadStore));
    TRY(cudaCreateSurfaceObject(&plane, &resource));
    resource = resource_of(make_array(make_cudaExtent(4, 4, 3), cudaArrayLayered | cudaArraySurfaceLoadStore));
    TRY(cudaCreateSurfaceObject(&layers, &resource));
    store<<<1, 4>>>(plane, layers, results);
    judge("surfaces", results, right, 15);
}

/* ---- What the driver does for kernels ---- */

__global__ void tell(const char *name, long long large)
{
    const char own[] = "own";
    if (threadIdx.x < 2)
        printf("%s %d.%u: %5.2f|%-4d|%c %s %lld %x %%\n", name, blockIdx.x, threadIdx.x, 1.5, -3, 'c', own, large, 255);
    if (blockIdx.x == 1 && threadIdx.x == 0)
        printf("the end\n");
}

__global__ void allocate(float **lists, float *out)
{
    float *own = static_cast<float *>(malloc(40));
    own[9] = threadIdx.x;
    lists[threadIdx.x] = own;
    __syncthreads();
    float *other = lists[31 - threadIdx.x];
    out[threadIdx.x] = other[9];
    __syncthreads();
    free(own);
    if (threadIdx.x == 0)
        out[32] = malloc(size_t(1) << 40) == nullptr;
}

struct large {
    float values[2000];
};
__global__ void take(const large parameter, float *out)
{
    out[threadIdx.x] = parameter.values[threadIdx.x * 500 + 499];
}

static void test_calls()
{
    float right[33], **lists;
    char *name;
    for (int i = 0; i < 33; i++)
        right[i] = i < 32 ? float(31 - i) : 1;
    TRY(cudaMallocManaged(&name, 8));
    strcpy(name, "block");
    tell<<<3, 32>>>(name, 1ll << 40);
    TRY(cudaDeviceSynchronize());
    TRY(cudaMalloc(&lists, 32 * sizeof *lists));
    allocate<<<1, 32>>>(lists, results);
    judge("malloc", results, right, 33);
    static large parameter;
    for (int i = 0; i < 4; i++)
        parameter.values[i * 500 + 499] = right[i] = float(i + 5);
    take<<<1, 4>>>(parameter, results);
    judge("arguments of 8 KB", results, right, 4);
}

/* ---- Graphs ---- */

__global__ void add(float *out, float value)
{
    *out += value;
}

__global__ void move(float *out, float *value)
{
    *out += *value;
    *value = 0;
}

static void test_graphs()
{
    cudaGraph_t graph;
    cudaGraphExec_t made;
    cudaStream_t stream;
    float *memory;
    TRY(cudaStreamCreate(&stream));
    TRY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    TRY(cudaMallocAsync(&memory, sizeof *memory, stream));
    TRY(cudaMemsetAsync(memory, 0, sizeof *memory, stream));
    for (int i = 0; i < 3; i++)
        add<<<1, 1, 0, stream>>>(memory, 1);
    move<<<1, 1, 0, stream>>>(results, memory);
    TRY(cudaFreeAsync(memory, stream));
    TRY(cudaStreamEndCapture(stream, &graph));
    TRY(cudaGraphInstantiate(&made, graph, 0));
    *results = 0;
    TRY(cudaGraphLaunch(made, stream));
    TRY(cudaGraphLaunch(made, stream));
    static const float right[] = {6};
    judge("a graph with memory, launched twice", results, right, 1);
}

int main()
{
    TRY(cudaMallocManaged(&results, 64 * sizeof *results));
    test_textures();
    test_borders();
    test_surfaces();
    test_calls();
    test_graphs();
    return 0;
}
