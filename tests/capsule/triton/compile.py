#!/usr/bin/env python3
"""Compiles softmax.py for compute capability 9.0, without a GPU, into cubins beside it.

    pip install triton==3.6.0 && tests/capsule/triton/compile.py

The cubins here are what that made, by the ptxas 12.8.93 that Triton brings. They are kept because Triton is too large
to be installed for a test. Beside each is Triton's description of it, of which only what is of this kernel is kept.
"""

import json
import pathlib
import re

import softmax
import triton
from triton.backends.compiler import GPUTarget
from triton.backends.nvidia.compiler import CUDABackend
from triton.compiler import ASTSource

FOLDER = pathlib.Path(__file__).resolve().parent
KEPT = ("name", "num_warps", "num_ctas", "shared", "target", "triton_version")
ALIGNED = [["tt.divisibility", 16]]

make_cubin = CUDABackend.make_cubin


def make_cubin_anywhere(self, source, *arguments):
    """Makes the same cubin wherever this tree and Triton are: line information names files without their folders."""
    source = re.sub(r'(\.file\s+\d+ )"[^"]*/softmax\.py"', r'\1"tests/capsule/triton/softmax.py"', source)
    source = re.sub(r'(\.file\s+\d+ )"[^"]*/triton/language/', r'\1"triton/language/', source)
    return make_cubin(self, source, *arguments)


def compile_kernel(function, num_warps):
    source = ASTSource(
        fn=function,
        signature={"out": "*fp32", "x": "*fp32", "columns": "i32", "BLOCK": "constexpr"},
        constexprs={(3,): 1024},
        attrs={(0,): ALIGNED, (1,): ALIGNED},
    )
    kernel = triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": num_warps})
    (FOLDER / f"{kernel.metadata.name}.cubin").write_bytes(kernel.asm["cubin"])
    facts = kernel.metadata._asdict()
    facts["target"] = facts["target"].__dict__
    text = json.dumps({key: facts[key] for key in KEPT}, indent=1)
    (FOLDER / f"{kernel.metadata.name}.json").write_text(text + "\n")


if __name__ == "__main__":
    CUDABackend.make_cubin = make_cubin_anywhere
    compile_kernel(softmax.softmax, 8)
    compile_kernel(softmax.softmax_base_2, 4)
    compile_kernel(softmax.softmax_scattered, 8)
    compile_kernel(softmax.softmax_wrong, 4)
