"""Two Triton kernels, for tests/gpu/exec.sh. --block is the tile size of both: of add_kernel it decides the grid too,
of sum_kernel, whose grid is fixed, the machine code alone."""

import argparse

import torch
import triton
import triton.language as tl

PROGRAMS = 264  # two for each SM of an H200


@triton.jit
def add_kernel(x, y, out, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    tl.store(out + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


@triton.jit
def sum_kernel(x, sums, count, BLOCK: tl.constexpr):
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(tl.program_id(0) * BLOCK, count, tl.num_programs(0) * BLOCK):
        at = start + tl.arange(0, BLOCK)
        total += tl.load(x + at, mask=at < count, other=0.0)
    tl.store(sums + tl.program_id(0), tl.sum(total))


def main() -> None:
    options = argparse.ArgumentParser(description="Add and sum vectors.")
    options.add_argument("--block", type=int, default=1024)
    options.add_argument("--count", type=int, default=1 << 24)
    options.add_argument("--launches", type=int, default=10)
    options.add_argument("--device", default="cuda")
    options = options.parse_args()
    torch.manual_seed(1)
    x = torch.rand(options.count).to(options.device)
    y = torch.rand(options.count).to(options.device)
    out = torch.empty_like(x)
    sums = torch.empty(PROGRAMS, device=options.device)
    for _ in range(options.launches):
        add_kernel[(triton.cdiv(options.count, options.block),)](x, y, out, options.count, BLOCK=options.block)
        sum_kernel[(PROGRAMS,)](out, sums, options.count, BLOCK=options.block)
    print(f"out {out.cpu().double().sum().item()!r}")
    print(f"sums {sums.cpu().double().sum().item()!r}")


if __name__ == "__main__":
    main()
