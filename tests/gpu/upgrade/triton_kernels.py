"""Compiles ten Triton kernels for sm_90 and writes OUT/NAME.cubin and OUT/launch.txt, the table of their launches.

    PYTHONPATH=FOLDER_OF_TRITON python3 triton_kernels.py OUT

Needs no GPU. Each version of Triton may choose other warps, shared memory and parameters: the table has what it chose.
"""

import pathlib
import re
import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, at < n) + tl.load(y + at, at < n), at < n)


@triton.jit
def softmax(out, rows, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    v = tl.load(rows + row * columns + at, at < columns, -float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(out + row * columns + at, e / tl.sum(e, 0), at < columns)


@triton.jit
def layernorm(out, rows, weight, bias, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    v = tl.load(rows + row * columns + at, inside, 0.0)
    mean = tl.sum(v, 0) / columns
    d = tl.where(inside, v - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(d * d, 0) / columns + eps)
    v = d * scale * tl.load(weight + at, inside) + tl.load(bias + at, inside)
    tl.store(out + row * columns + at, v, inside)


@triton.jit
def matmul(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GELU: tl.constexpr):
    blocks = tl.cdiv(n, BN)
    row = tl.program_id(0) // blocks * BM + tl.arange(0, BM)
    column = tl.program_id(0) % blocks * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    at_a = a + row[:, None] * k + inner[None, :]
    at_b = b + inner[:, None] * n + column[None, :]
    sums = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, k, BK):
        sums = tl.dot(tl.load(at_a), tl.load(at_b), sums)
        at_a += BK
        at_b += BK * n
    if GELU:
        sums = sums / (1 + tl.exp(-1.702 * sums))
    tl.store(c + row[:, None] * n + column[None, :], sums.to(tl.float16))


@triton.jit
def attention(q, k, v, out, length, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    base = tl.program_id(1) * length * D
    row = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    query = tl.load(q + base + row[:, None] * D + d[None, :])
    most = tl.full((BM,), -float("inf"), tl.float32)
    sums = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for first in range(0, length, BN):
        column = first + tl.arange(0, BN)
        keys = tl.load(k + base + column[None, :] * D + d[:, None])
        s = tl.dot(query, keys) * scale
        now = tl.maximum(most, tl.max(s, 1))
        p = tl.exp2(s - now[:, None])
        old = tl.exp2(most - now)
        sums = sums * old + tl.sum(p, 1)
        values = tl.load(v + base + column[:, None] * D + d[None, :])
        acc = tl.dot(p.to(tl.float16), values, acc * old[:, None])
        most = now
    tl.store(out + base + row[:, None] * D + d[None, :], (acc / sums[:, None]).to(tl.float16))


@triton.jit
def dropout(x, out, n, p, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = tl.rand(seed, at) > p
    v = tl.load(x + at, at < n)
    tl.store(out + at, tl.where(keep, v / (1 - p), 0.0), at < n)


@triton.jit
def column_sums(x, out, rows, columns, BM: tl.constexpr, BN: tl.constexpr):
    column = tl.program_id(0) * BN + tl.arange(0, BN)
    sums = tl.zeros((BM, BN), tl.float32)
    for first in range(0, rows, BM):
        row = first + tl.arange(0, BM)
        sums += tl.load(x + row[:, None] * columns + column[None, :])
    tl.store(out + column, tl.sum(sums, 0))


@triton.jit
def transpose(x, out, n, B: tl.constexpr):
    row = tl.program_id(0) * B + tl.arange(0, B)
    column = tl.program_id(1) * B + tl.arange(0, B)
    v = tl.load(x + row[:, None] * n + column[None, :])
    tl.store(out + column[:, None] * n + row[None, :], tl.trans(v))


@triton.jit
def cumulative(x, out, columns, BLOCK: tl.constexpr):
    at = tl.program_id(0) * columns + tl.arange(0, BLOCK)
    tl.store(out + at, tl.cumsum(tl.load(x + at), 0))


M = 1 << 20
FLOATS, HALVES = "p%d", "h%d"
ELEMENTS = 32 * M
BLOCKS = f"{ELEMENTS // 1024},1,1"
BIG = FLOATS % (4 * ELEMENTS)
ROW = FLOATS % 4096
MATRIX = HALVES % (2 * 4 * M)
TOKENS = HALVES % (2 * 16 * 4096 * 64)
DOT = {"BM": 128, "BN": 128, "BK": 64}
F, H = "*fp32", "*fp16"

# To add a kernel: a row. Its name, the function, constants, options, grid, and of each parameter the type and argument.
KERNELS = [
    ("add", add, {"BLOCK": 1024}, {}, BLOCKS, [(F, BIG), (F, BIG), (F, BIG), ("i32", f"i{ELEMENTS}")]),
    ("softmax", softmax, {"BLOCK": 1024}, {}, "32768,1,1", [(F, BIG), (F, BIG), ("i32", "i1024")]),
    ("layernorm", layernorm, {"BLOCK": 1024}, {}, "32768,1,1",
     [(F, BIG), (F, BIG), (F, ROW), (F, ROW), ("i32", "i1024"), ("fp32", "f1e-5")]),
    ("matmul", matmul, {**DOT, "GELU": False}, {"num_warps": 8, "num_stages": 3}, "256,1,1",
     [(H, MATRIX)] * 3 + [("i32", "i2048")] * 3),
    ("matmul_gelu", matmul, {**DOT, "BN": 64, "GELU": True}, {"num_warps": 4, "num_stages": 4}, "512,1,1",
     [(H, MATRIX)] * 3 + [("i32", "i2048")] * 3),
    ("attention", attention, {"BM": 128, "BN": 64, "D": 64}, {"num_warps": 8, "num_stages": 3}, "32,16,1",
     [(H, TOKENS)] * 4 + [("i32", "i4096"), ("fp32", "f0.18")]),
    ("dropout", dropout, {"BLOCK": 1024}, {}, BLOCKS,
     [(F, BIG), (F, BIG), ("i32", f"i{ELEMENTS}"), ("fp32", "f0.5"), ("i32", "i12345")]),
    ("column_sums", column_sums, {"BM": 32, "BN": 64}, {}, "256,1,1",
     [(F, BIG), (F, FLOATS % 65536), ("i32", "i2048"), ("i32", "i16384")]),
    ("transpose", transpose, {"B": 64}, {}, "64,64,1", [(F, FLOATS % (64 * M))] * 2 + [("i32", "i4096")]),
    ("cumulative", cumulative, {"BLOCK": 1024}, {}, "32768,1,1", [(F, BIG), (F, BIG), ("i32", "i1024")]),
]  # fmt: skip


def compile_kernel(function, constants, options, parameters):
    names = [n for n in function.arg_names if n not in constants]
    signature = dict(zip(names, (type_ for type_, _ in parameters), strict=True))
    # Pointers and multiples of 16 are known to be such, as when a program launches the kernel.
    attributes = {}
    for i, name in enumerate(function.arg_names):
        argument = dict(zip(names, (a for _, a in parameters), strict=True)).get(name, "")
        if argument[:1] in ("p", "h") or (argument[:1] == "i" and int(argument[1:]) % 16 == 0):
            attributes[(i,)] = [["tt.divisibility", 16]]
    signature.update(dict.fromkeys(constants, "constexpr"))
    source = ASTSource(
        function, signature, {(function.arg_names.index(n),): v for n, v in constants.items()}, attributes
    )
    return triton.compile(source, target=GPUTarget("cuda", 90, 32), options=options)


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    lines = []
    for name, function, constants, options, grid, parameters in KERNELS:
        compiled = compile_kernel(function, constants, options, parameters)
        (out / f"{name}.cubin").write_bytes(compiled.asm["cubin"])
        # The entry has the parameters of the source, then pointers to scratch memory that newer versions append.
        entry = re.search(r"\.entry \w+\((.*?)\)", compiled.asm["ptx"], re.DOTALL)[1]
        extra = entry.count(".param") - len(parameters)
        arguments = [argument for _, argument in parameters] + ["0"] * extra
        warps = int(re.search(r"\.reqntid (\d+)", compiled.asm["ptx"])[1])
        meta = compiled.metadata
        lines.append(f"{name}.cubin {meta.name} {grid} {warps},1,1 {meta.shared} {' '.join(arguments)}\n")
    (out / "launch.txt").write_text("".join(lines))
    print(triton.__version__, len(lines), "kernels")


if __name__ == "__main__":
    main()
