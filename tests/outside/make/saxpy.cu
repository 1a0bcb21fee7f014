#include <cugate/kernel.hpp>

__global__ void saxpy_kernel(const float *x, const float *y, float *out)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 2 * x[i] + y[i];
}

struct saxpy {
    cugate::array<float> x, y, out;
    int open()
    {
        CUGATE_TRY(x.fill(1 << 14, 1));
        CUGATE_TRY(y.fill(1 << 14, 2));
        return out.allocate(1 << 14);
    }
    int restore() { return out.poison(); }
    void launch() { saxpy_kernel<<<out.count / 256, 256>>>(x.data, y.data, out.data); }
    int verify(cugate::why &why)
    {
        return out.compare(why, [&](size_t i) { return 2 * x.host[i] + y.host[i]; }, 1e-6);
    }
};

CUGATE_LIBRARY(cugate::family<saxpy>("saxpy", "out = 2 x + y")
                   .variant("simple", "an element a thread", [](saxpy &s) { s.launch(); }))
