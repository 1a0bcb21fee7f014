"""Kernels of Triton in small shapes, one launch each, for recordings that the simulator is judged by: what the
tutorials are about (sums, softmax, products, dropout, layer norm, attention, groups, persistent blocks, descriptors),
written anew, and every special function. Data have few bits, so that files stay small. Arguments choose kernels by
name."""

import sys

import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice

KERNELS = {}


def kernel(function):
    KERNELS[function.__name__] = function
    return function


def numbers(*shape, dtype=torch.float32, least=-16, most=16, scale=0.125):
    generator = torch.Generator().manual_seed(1 + sum(shape))
    return (torch.randint(least, most, shape, generator=generator) * scale).to(dtype).cuda()


@triton.jit
def add_kernel(x, y, out, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < count) + tl.load(y + at, mask=at < count), mask=at < count)


@kernel
def add():
    x, y = numbers(3000), numbers(3000)
    add_kernel[(3,)](x, y, torch.empty_like(x), 3000, BLOCK=1024)


@triton.jit
def softmax_kernel(x, out, columns, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.load(x + tl.program_id(0) * columns + at, mask=at < columns, other=-float("inf"))
    powers = tl.exp(row - tl.max(row, 0))
    tl.store(out + tl.program_id(0) * columns + at, powers / tl.sum(powers, 0), mask=at < columns)


@kernel
def softmax():
    x = numbers(8, 700)
    softmax_kernel[(8,)](x, torch.empty_like(x), 700, BLOCK=1024)


@triton.jit
def special_kernel(x, out, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at)
    p = tl.abs(v) + 0.3
    tl.store(out + at, tl.exp(v))
    tl.store(out + count + at, tl.log(p))
    tl.store(out + 2 * count + at, tl.sin(v))
    tl.store(out + 3 * count + at, tl.cos(v))
    tl.store(out + 4 * count + at, tl.rsqrt(p))
    tl.store(out + 5 * count + at, tl.sqrt(p))
    tl.store(out + 6 * count + at, tl.sigmoid(v))
    tl.store(out + 7 * count + at, tl.erf(v))
    tl.store(out + 8 * count + at, libdevice.tanh(v))
    tl.store(out + 9 * count + at, libdevice.fast_sinf(v))
    tl.store(out + 10 * count + at, libdevice.fast_powf(p, v))
    tl.store(out + 11 * count + at, libdevice.rsqrt(p))
    fast = tl.inline_asm_elementwise("tanh.approx.f32 $0, $1;", "=r,r", [v], dtype=tl.float32, is_pure=True, pack=1)
    tl.store(out + 12 * count + at, fast)
    tl.store(out + 13 * count + at, tl.div_rn(v, p))


@kernel
def special():
    x = numbers(512, least=-400, most=400, scale=0.03125)
    special_kernel[(2,)](x, torch.empty(14 * 512, device="cuda"), 512, BLOCK=256)


@triton.jit
def matmul_kernel(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, ACTIVATION: tl.constexpr):
    m, n, k = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        left = tl.load(a + m[:, None] * K + (start + k)[None, :], mask=(start + k)[None, :] < K, other=0.0)
        right = tl.load(b + (start + k)[:, None] * N + n[None, :], mask=(start + k)[:, None] < K, other=0.0)
        total = tl.dot(left, right, total)
    if ACTIVATION:
        total = total * tl.sigmoid(total)
    tl.store(c + m[:, None] * N + n[None, :], total.to(c.dtype.element_ty))


def product(dtype, activation=False, tile=64, warps=4):
    a, b = numbers(128, 96, dtype=dtype), numbers(96, 128, dtype=dtype)
    c = torch.empty(128, 128, device="cuda", dtype=torch.float32 if dtype.itemsize != 2 else dtype)
    matmul_kernel[(128 // tile, 2)](
        a, b, c, 128, 128, 96, BM=tile, BN=64, BK=32, ACTIVATION=activation, num_warps=warps
    )


@kernel
def matmul_fp16():
    product(torch.float16)


@kernel
def matmul_bf16_silu():
    product(torch.bfloat16, True)


@kernel
def matmul_tf32():
    product(torch.float32)


@kernel
def matmul_fp8():
    product(torch.float8_e4m3fn)


@kernel
def matmul_fp16_small_tile():
    product(torch.float16, tile=32, warps=2)


@kernel
def matmul_fp16_two_groups():
    product(torch.float16, tile=128, warps=8)


def allocate(size, _alignment, _stream):
    return torch.empty(size, device="cuda", dtype=torch.int8)


@triton.jit
def descriptor_kernel(
    a,
    b,
    c,
    M,
    N,
    K,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    PROGRAMS: tl.constexpr,
    SPECIALIZE: tl.constexpr,
):
    left = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    right = tl.make_tensor_descriptor(b, [N, K], [K, 1], [BN, BK])
    out = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    across = tl.cdiv(N, BN)
    for tile in tl.range(
        tl.program_id(0), tl.cdiv(M, BM) * across, PROGRAMS, flatten=not SPECIALIZE, warp_specialize=SPECIALIZE
    ):
        m, n = tile // across * BM, tile % across * BN
        total = tl.zeros((BM, BN), dtype=tl.float32)
        for k in range(0, K, BK):
            total = tl.dot(left.load([m, k]), right.load([n, k]).T, total)
        out.store([m, n], total.to(tl.float16))


def by_descriptors(programs, specialize):
    triton.set_allocator(allocate)
    a, b = numbers(256, 128, dtype=torch.float16), numbers(128, 128, dtype=torch.float16)
    c = torch.empty(256, 128, device="cuda", dtype=torch.float16)
    descriptor_kernel[(programs,)](
        a, b, c, 256, 128, 128, BM=128, BN=64, BK=64, PROGRAMS=programs, SPECIALIZE=specialize, num_stages=3
    )


@kernel
def descriptors():
    by_descriptors(4, False)


@kernel
def persistent():
    by_descriptors(2, False)


@kernel
def specialized():
    by_descriptors(2, True)


@triton.jit
def dropout_kernel(x, out, count, p, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = tl.rand(seed, at) > p
    tl.store(out + at, tl.where(keep, tl.load(x + at, mask=at < count) / (1 - p), 0.0), mask=at < count)


@kernel
def dropout():
    x = numbers(2000)
    dropout_kernel[(2,)](x, torch.empty_like(x), 2000, 0.25, 123, BLOCK=1024)


@triton.jit
def norm_kernel(x, out, weight, bias, mean_out, scale_out, columns, eps, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + at, mask=at < columns, other=0.0).to(tl.float32)
    mean = tl.sum(v, 0) / columns
    centred = tl.where(at < columns, v - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(centred * centred, 0) / columns + eps)
    tl.store(mean_out + row, mean)
    tl.store(scale_out + row, scale)
    w, b = tl.load(weight + at, mask=at < columns), tl.load(bias + at, mask=at < columns)
    tl.store(out + row * columns + at, centred * scale * w + b, mask=at < columns)


@triton.jit
def norm_backward_kernel(
    dout, x, weight, mean, scale, dx, dweight, locks, columns, GROUPS: tl.constexpr, BLOCK: tl.constexpr
):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    inside = at < columns
    v = tl.load(x + row * columns + at, mask=inside, other=0.0).to(tl.float32)
    d = tl.load(dout + row * columns + at, mask=inside, other=0.0).to(tl.float32)
    w = tl.load(weight + at, mask=inside, other=0.0).to(tl.float32)
    s = tl.load(scale + row)
    normal = tl.where(inside, (v - tl.load(mean + row)) * s, 0.0)
    wd = tl.where(inside, w * d, 0.0)
    tl.store(
        dx + row * columns + at,
        (wd - normal * (tl.sum(normal * wd, 0) / columns) - tl.sum(wd, 0) / columns) * s,
        mask=inside,
    )
    lock, sums = locks + row % GROUPS, dweight + row % GROUPS * columns + at
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(sums, tl.load(sums, mask=inside) + d * normal, mask=inside)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@kernel
def layer_norm():
    x, w, b = numbers(16, 300, dtype=torch.float16), numbers(300), numbers(300)
    mean, scale = torch.empty(16, device="cuda"), torch.empty(16, device="cuda")
    norm_kernel[(16,)](x, torch.empty_like(x), w, b, mean, scale, 300, 1e-5, BLOCK=512)
    norm_backward_kernel[(16,)](
        numbers(16, 300),
        x,
        w,
        mean,
        scale,
        torch.empty(16, 300, device="cuda"),
        torch.zeros(16, 300, device="cuda"),
        torch.zeros(16, dtype=torch.int32, device="cuda"),
        300,
        GROUPS=16,
        BLOCK=512,
    )


@triton.jit
def attention_kernel(
    q, k, v, out, length, scale, CAUSAL: tl.constexpr, WIDTH: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr
):
    head = tl.program_id(1) * length * WIDTH
    m, n, d = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, WIDTH)
    queries = tl.load(q + head + m[:, None] * WIDTH + d[None, :])
    most = tl.full((BM,), -float("inf"), tl.float32)
    sums = tl.zeros((BM,), tl.float32)
    total = tl.zeros((BM, WIDTH), tl.float32)
    end = (tl.program_id(0) + 1) * BM if CAUSAL else length
    for start in range(0, end, BN):
        keys = tl.load(k + head + (start + n)[None, :] * WIDTH + d[:, None])
        score = tl.dot(queries, keys) * (scale * 1.44269504)
        if CAUSAL:
            score = tl.where(m[:, None] >= (start + n)[None, :], score, -float("inf"))
        now = tl.maximum(most, tl.max(score, 1))
        powers = tl.exp2(score - now[:, None])
        again = tl.exp2(most - now)
        sums = sums * again + tl.sum(powers, 1)
        total = total * again[:, None]
        total = tl.dot(
            powers.to(v.dtype.element_ty), tl.load(v + head + (start + n)[:, None] * WIDTH + d[None, :]), total
        )
        most = now
    tl.store(out + head + m[:, None] * WIDTH + d[None, :], (total / sums[:, None]).to(out.dtype.element_ty))


@kernel
def attention():
    for causal in (False, True):
        q, k, v = (numbers(2, 128 + 0 * i, 64, dtype=torch.float16, least=-8 + i, most=8) for i in range(3))
        attention_kernel[(2, 2)](q, k, v, torch.empty_like(q), 128, 0.125, CAUSAL=causal, WIDTH=64, BM=64, BN=32)


@triton.jit
def grouped_kernel(pointers, sizes, groups, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    tile, last = tl.program_id(0), 0
    for g in range(groups):
        M, N, K = tl.load(sizes + g * 3), tl.load(sizes + g * 3 + 1), tl.load(sizes + g * 3 + 2)
        tiles = tl.cdiv(M, BM) * tl.cdiv(N, BN)
        while tile >= last and tile < last + tiles:
            a = tl.load(pointers + g * 3).to(tl.pointer_type(tl.float16))
            b = tl.load(pointers + g * 3 + 1).to(tl.pointer_type(tl.float16))
            c = tl.load(pointers + g * 3 + 2).to(tl.pointer_type(tl.float16))
            m = (tile - last) // tl.cdiv(N, BN) * BM + tl.arange(0, BM)
            n = (tile - last) % tl.cdiv(N, BN) * BN + tl.arange(0, BN)
            k = tl.arange(0, BK)
            total = tl.zeros((BM, BN), dtype=tl.float32)
            for start in range(tl.cdiv(K, BK)):
                total = tl.dot(
                    tl.load(a + m[:, None] * K + (start * BK + k)[None, :]),
                    tl.load(b + (start * BK + k)[:, None] * N + n[None, :]),
                    total,
                )
            tl.store(c + m[:, None] * N + n[None, :], total.to(tl.float16))
            tile += tl.num_programs(0)
        last += tiles


@kernel
def grouped():
    kept, addresses, sizes = [], [], []
    for m, n, k in ((64, 64, 32), (128, 64, 64), (64, 128, 32)):
        a, b = numbers(m, k, dtype=torch.float16), numbers(k, n, dtype=torch.float16)
        c = torch.empty(m, n, device="cuda", dtype=torch.float16)
        kept += [a, b, c]
        addresses += [a.data_ptr(), b.data_ptr(), c.data_ptr()]
        sizes += [m, n, k]
    grouped_kernel[(3,)](
        torch.tensor(addresses, device="cuda"),
        torch.tensor(sizes, dtype=torch.int32, device="cuda"),
        3,
        BM=64,
        BN=64,
        BK=32,
    )
    torch.cuda.synchronize()


@triton.jit
def sums_kernel(x, out, counts, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.program_id(0) * BLOCK
    v = tl.load(x + row + at)
    tl.store(out + row + at, tl.cumsum(v, 0))
    tl.store(counts + tl.program_id(0), tl.argmax(v, 0))
    tl.atomic_add(counts + 100, tl.sum((v > 0).to(tl.int32), 0))


@triton.jit
def sort_kernel(x, out, bins, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    v = tl.load(x + tl.program_id(0) * BLOCK + at)
    tl.store(out + tl.program_id(0) * BLOCK + at, tl.sort(v))
    tl.store(bins + tl.program_id(0) * 32 + tl.arange(0, 32), tl.histogram((v * 8).to(tl.int32) & 31, 32))


@kernel
def sums():
    x = numbers(4, 512)
    sums_kernel[(4,)](x, torch.empty_like(x), torch.zeros(128, dtype=torch.int32, device="cuda"), BLOCK=512)
    x = numbers(4, 256)
    sort_kernel[(4,)](x, torch.empty_like(x), torch.zeros(128, dtype=torch.int32, device="cuda"), BLOCK=256)


@triton.jit
def loss_kernel(x, targets, losses, columns, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + at, mask=at < columns, other=-float("inf"))
    most = tl.max(v, 0)
    total = tl.log(tl.sum(tl.exp(v - most), 0)) + most
    tl.store(losses + row, total - tl.load(x + row * columns + tl.load(targets + row)))


@kernel
def loss():
    x = numbers(16, 500)
    loss_kernel[(16,)](x, torch.arange(16, device="cuda"), torch.empty(16, device="cuda"), 500, BLOCK=512)


def main() -> None:
    for name in sys.argv[1:] or KERNELS:
        try:
            KERNELS[name]()
            torch.cuda.synchronize()
        except Exception as problem:  # what this version of Triton cannot compile is no reason to lose the others
            print(name, type(problem).__name__, str(problem)[:300], file=sys.stderr)


if __name__ == "__main__":
    main()
