"""Compiles a kernel by NVRTC and launches it by the driver's functions, through CUDA Python, for tests/gpu/exec.sh."""

import ctypes

from cuda.bindings import driver, nvrtc

SOURCE = rb"""
extern "C" __global__ void saxpy(const float *x, float *out, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = 2 * x[i] + out[i];
}
"""
COUNT = 1 << 22


def must(answer: tuple) -> object:
    """What a call answered behind its status; ends the program when it failed."""
    status, *values = answer
    if int(status) != 0:
        raise SystemExit(f"bindings: {status}")
    return values[0] if len(values) == 1 else values


def compile_source() -> bytes:
    program = must(nvrtc.nvrtcCreateProgram(SOURCE, b"saxpy.cu", 0, [], []))
    must(nvrtc.nvrtcCompileProgram(program, 1, [b"--gpu-architecture=sm_90"]))
    code = b" " * must(nvrtc.nvrtcGetCUBINSize(program))
    must(nvrtc.nvrtcGetCUBIN(program, code))
    return code


def main() -> None:
    must(driver.cuInit(0))
    device = must(driver.cuDeviceGet(0))
    must(driver.cuCtxSetCurrent(must(driver.cuDevicePrimaryCtxRetain(device))))
    module = must(driver.cuModuleLoadData(compile_source()))
    kernel = must(driver.cuModuleGetFunction(module, b"saxpy"))
    x, out = (must(driver.cuMemAlloc(4 * COUNT)) for _ in range(2))
    must(driver.cuMemsetD32(x, 0x3F800000, COUNT))
    must(driver.cuMemsetD32(out, 0, COUNT))
    arguments = ((int(x), int(out), COUNT), (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int))
    for _ in range(60):
        must(driver.cuLaunchKernel(kernel, COUNT // 256, 1, 1, 256, 1, 1, 0, 0, arguments, 0))
    first = ctypes.c_float()
    must(driver.cuMemcpyDtoH(ctypes.addressof(first), out, 4))
    print(f"the first number is {first.value:.0f}")


if __name__ == "__main__":
    main()
