/* A library that a user got wrong, for tests/scripts/own.sh, in the way that FAULT in the environment names. */
#include <cugate/kernel.hpp>

#include <cstdlib>
#include <stdexcept>

static bool fault(const char *name)
{
    const char *named = std::getenv("FAULT");
    return named && std::strcmp(named, name) == 0;
}

__global__ void fill_four(int *out)
{
    out[threadIdx.x] = 4;
}

struct four {
    cugate::array<int> out;
    int open(const cugate::point &at)
    {
        if (fault("open throws"))
            throw std::runtime_error("the input file is not there");
        return out.allocate(at[fault("open asks for another axis") ? "m" : "n"]);
    }
    int restore()
    {
        if (fault("restore launches wrongly"))
            fill_four<<<1, 4096>>>(out.data); // and asks for no error
        return out.poison();
    }
    int verify(const cugate_variant &, cugate::why &why)
    {
        if (fault("nothing is compared"))
            return cugate::array<int>().compare(why, [](size_t) { return 4; });
        return out.compare(why, [](size_t i) { return fault("an element differs") && i == 17 ? 5 : 4; });
    }
};

/* One number, by what NUMBERS says: "42 inf" is 42 where infinity is expected. */
struct number {
    cugate::array<float> out;
    float found = 0, expected = 0;
    int open()
    {
        if (const char *numbers = std::getenv("NUMBERS"))
            std::sscanf(numbers, "%f %f", &found, &expected);
        return out.fill(1, [&](size_t) { return found; });
    }
    int restore() { return out.reset(); }
    int verify(cugate::why &why)
    {
        return out.compare(why, [&](size_t) { return expected; }, 0.5);
    }
};

__global__ void keep(float *out)
{
    out[threadIdx.x] = out[threadIdx.x];
}

static int launch(four &f)
{
    if (fault("launch returns an error"))
        return cudaErrorNotSupported;
    fill_four<<<1, fault("launch fails") ? 4096 : fault("an element is left out") ? 31 : 32>>>(f.out.data);
    return 0;
}

static std::vector<cugate::value> sizes()
{
    if (fault("no value"))
        return {};
    if (fault("value twice"))
        return {32, 32};
    if (fault("value of other characters"))
        return {"3 2"};
    return {32};
}

CUGATE_LIBRARY(cugate::family<four>("four", "fours")
                   .axis(fault("axis of other characters") ? "N" : "n", sizes())
                   .axis(fault("axis twice") ? "n" : "type", {"int"})
                   .bytes([](const cugate::point &at) { return 4.0 * at[fault("bytes of another axis") ? "m" : "n"]; })
                   .variant("fill", "a thread an element", launch)
                   .flops(0)
                   .not_built("absent", "is not there", "four.h was not found"),
               cugate::family<number>("number", "a number").variant("kept", "as it is", [](number &n) {
                   keep<<<1, 1>>>(n.out.data);
               }))
