/* A library as a new user writes one, for tests/scripts/own.sh: three kernels, with sizes and types. */
#include <cugate/kernel.hpp>
#include <cuda_fp16.h>

#ifndef STRIDE
#define STRIDE 1
#endif

__global__ void saxpy_simple(float *out, const float *x, const float *y, unsigned n)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 2 * x[i * STRIDE % n] + y[i]; // the line to blame
}

struct saxpy {
    cugate::array<float> x, y, out;
    int open(const cugate::point &at)
    {
        CUGATE_TRY(x.fill(at["n"], 1)); // random numbers, from this seed
        CUGATE_TRY(y.fill(at["n"], 2));
        return out.allocate(at["n"]);
    }
    int restore() { return out.poison(); }
    int verify(cugate::why &why)
    {
        return out.compare(why, [&](size_t i) { return 2 * x.host[i * STRIDE % x.count] + y.host[i]; }, 1e-6);
    }
};

template <class T> __global__ void twice_in_place(T *x)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] *= T(2);
}

template <class T> struct twice {
    cugate::array<T> x;
    int open() { return x.fill(1 << 14, [](size_t i) { return float(i % 1000); }); }
    int restore() { return x.reset(); }
    int verify(cugate::why &why) { return x.compare(why, [&](size_t i) { return x.host[i] * T(2); }); }
};

template <class T> cugate::definition twice_of(const char *type)
{
    return cugate::family<twice<T>>("twice", "x *= 2")
        .axis("type", {type})
        .bytes(2.0 * sizeof(T) * (1 << 14))
        .variant("in_place", "an element a thread", [](twice<T> &t) { twice_in_place<<<64, 256>>>(t.x.data); });
}

CUGATE_LIBRARY(cugate::family<saxpy>("saxpy", "out = 2 x + y")
                   .axis("n", {1 << 16, 1 << 12, 1000 * 256})
                   .bytes([](const cugate::point &at) { return 12.0 * at["n"]; })
                   .variant("simple", "an element a thread",
                            [](saxpy &s) {
                                const unsigned n = s.out.count;
                                saxpy_simple<<<n / 256, 256>>>(s.out.data, s.x.data, s.y.data, n);
                            }),
               twice_of<float>("float"), twice_of<__half>("half"))
