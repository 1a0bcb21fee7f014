"""Launches a kernel that numba compiles, for tests/gpu/exec.sh."""

import numpy
from numba import cuda


@cuda.jit
def saxpy(x, y, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = 2 * x[i] + y[i]


def main() -> None:
    x = cuda.to_device(numpy.ones(1 << 22, dtype=numpy.float32))
    y = cuda.to_device(numpy.ones(1 << 22, dtype=numpy.float32))
    out = cuda.device_array_like(x)
    for _ in range(40):
        saxpy[1 << 14, 256](x, y, out)
    print(f"sum {out.copy_to_host().sum():.0f}")


if __name__ == "__main__":
    main()
