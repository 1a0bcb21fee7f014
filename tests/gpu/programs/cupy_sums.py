"""A CuPy script, for tests/gpu/exec.sh: element-wise kernels, CUB's sums, a matrix product by cuBLAS and a kernel of
its own."""

import argparse

import cupy

count_odd = cupy.RawKernel(
    r"""
extern "C" __global__ void count_odd(const int *values, int count, unsigned long long *odd)
{
    unsigned mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        mine += values[i] & 1;
    atomicAdd(odd, mine);
}
""",
    "count_odd",
)


def main() -> None:
    options = argparse.ArgumentParser(description="Sums by CuPy.")
    options.add_argument("--rounds", type=int, default=20)
    options.add_argument("--count", type=int, default=1 << 24)
    options = options.parse_args()
    side = 2048
    total, odd = cupy.zeros((), cupy.float64), cupy.zeros(1, cupy.uint64)
    for turn in range(options.rounds):
        values = cupy.arange(options.count, dtype=cupy.float32) + turn
        total += cupy.sqrt(values).sum(dtype=cupy.float64)
        square = values[: side * side].reshape(side, side) / options.count
        total += (square @ square.T).sum(dtype=cupy.float64)
        count_odd((264,), (256,), (values.astype(cupy.int32), cupy.int32(options.count), odd))
    print(f"total {float(total)!r}")
    print(f"odd {int(odd[0])}")


if __name__ == "__main__":
    main()
