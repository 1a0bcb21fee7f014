"""Compiles two kernels by CUTLASS DSL for sm_90a: OUT/NAME.cubin, and OUT/launch.txt, the table of their launches.

    PYTHONPATH=FOLDER_OF_IT python3 cutlass_kernels.py OUT

Needs no GPU from 4.5 on. Before, it wants the driver's library.
"""

import os
import pathlib
import re
import sys

out = pathlib.Path(sys.argv[1]).resolve()
out.mkdir(parents=True, exist_ok=True)
os.chdir(out)
os.environ.update(CUTE_DSL_ARCH="sm_90a", CUTE_DSL_KEEP="cubin,ptx", CUTE_DSL_DUMP_DIR=str(out))

import cutlass  # noqa: E402  after what it reads
import cutlass.cute as cute  # noqa: E402
from cutlass.cute.runtime import make_ptr  # noqa: E402

FLOATS = 32 << 20


@cute.kernel
def axpy_kernel(x: cute.Tensor, y: cute.Tensor, a: cutlass.Float32):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    threads, _, _ = cute.arch.block_dim()
    i = block * threads + thread
    y[i] = a * x[i] + y[i]


@cute.jit
def axpy(at_x: cute.Pointer, at_y: cute.Pointer, a: cutlass.Float32):
    x = cute.make_tensor(at_x, cute.make_layout(FLOATS))
    y = cute.make_tensor(at_y, cute.make_layout(FLOATS))
    axpy_kernel(x, y, a).launch(grid=(FLOATS // 256, 1, 1), block=(256, 1, 1))


# Each warp scales by the root of the mean square of its 2048 numbers.
@cute.kernel
def rows_kernel(x: cute.Tensor, y: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    total = cutlass.Float32(0.0)
    for k in range(64):
        v = x[block * 8192 + k * 128 + thread]
        total = total + v * v
    for k in cutlass.range_constexpr(5):
        total = total + cute.arch.shuffle_sync_bfly(total, 16 >> k)
    scale = cute.math.rsqrt(total / 2048.0 + 1e-5)
    for k in range(64):
        y[block * 8192 + k * 128 + thread] = x[block * 8192 + k * 128 + thread] * scale


@cute.jit
def rows(at_x: cute.Pointer, at_y: cute.Pointer):
    x = cute.make_tensor(at_x, cute.make_layout(FLOATS))
    y = cute.make_tensor(at_y, cute.make_layout(FLOATS))
    rows_kernel(x, y).launch(grid=(FLOATS // 8192, 1, 1), block=(128, 1, 1))


array = make_ptr(cutlass.Float32, 1 << 20, cute.AddressSpace.gmem, assumed_align=16)
cute.compile(axpy, array, array, cutlass.Float32(1.0))
cute.compile(rows, array, array)

# To add a kernel: a row. Its name, grid, block and arguments.
BYTES = 4 * FLOATS
launches = {
    "axpy": f"{FLOATS // 256},1,1 256,1,1 0 p{BYTES} p{BYTES} f0.5",
    "rows": f"{FLOATS // 8192},1,1 128,1,1 0 p{BYTES} p{BYTES}",
}
lines = []
for name, launch in launches.items():
    (ptx,) = out.glob(f"*_{name}_*.ptx")
    entry = re.search(rb"\.entry (\w+)\(", ptx.read_bytes())[1].decode()
    ptx.with_suffix(".cubin").rename(out / f"{name}.cubin")
    ptx.unlink()
    lines.append(f"{name}.cubin {entry} {launch}\n")
(out / "launch.txt").write_text("".join(lines))
print(cutlass.__version__, len(lines), "kernels")
