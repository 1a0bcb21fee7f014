"""Launches kernels of a cubin by the driver's functions through ctypes, which gives the interpreter's lock back meanwhile.

Usage: launches.py KERNELS.cubin [COUNT]
"""

import ctypes
import sys
import threading


def must(result):
    """Ends the program when a call of the driver failed."""
    if result != 0:
        sys.exit(f"launches.py: a call of the driver answered {result}")


class Gpu:
    """A module and 256 numbers, which its kernels work on."""

    def __init__(self, image):
        self.driver = ctypes.CDLL("libcuda.so.1")
        context, self.module, self.numbers = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint64()
        must(self.driver.cuInit(0))
        must(self.driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
        must(self.driver.cuCtxSetCurrent(context))
        must(self.driver.cuModuleLoadData(ctypes.byref(self.module), image))
        must(self.driver.cuMemAlloc_v2(ctypes.byref(self.numbers), 1024))
        self.context = context

    def launch(self, name, blocks):
        """Launches a kernel by its name."""
        function, count, value = ctypes.c_void_p(), ctypes.c_int(256), ctypes.c_int(1)
        must(self.driver.cuModuleGetFunction(ctypes.byref(function), self.module, name))
        places = (ctypes.c_void_p * 3)(*map(ctypes.addressof, (self.numbers, count, value)))
        must(self.driver.cuLaunchKernel(function, blocks, 1, 1, 256, 1, 1, 0, None, places, None))


def forward(gpu):
    gpu.launch(b"add_one", 64)


def backward(gpu):
    gpu.launch(b"large", 16)


def in_a_thread(gpu):
    must(gpu.driver.cuCtxSetCurrent(gpu.context))
    gpu.launch(b"tiny", 1)


def main():
    with open(sys.argv[1], "rb") as file:
        gpu = Gpu(file.read())
    for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 8):
        forward(gpu)
        backward(gpu)
        thread = threading.Thread(target=in_a_thread, args=(gpu,))
        thread.start()
        thread.join()
    must(gpu.driver.cuCtxSynchronize())
    print("launches.py: done")


main()
