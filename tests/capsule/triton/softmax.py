"""Kernels of Triton that tests/scripts/swap.sh puts into a capsule: compile.py makes cubins of them.

The first is what a program has launched, the others are what somebody would have in its place.
"""

import triton
import triton.language as tl


@triton.jit
def softmax(out, x, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    value = tl.load(x + row * columns + at, mask=inside, other=-float("inf"))
    power = tl.exp(value - tl.max(value, axis=0))
    tl.store(out + row * columns + at, power / tl.sum(power, axis=0), mask=inside)


@triton.jit
def softmax_base_2(out, x, columns, BLOCK: tl.constexpr):
    """Has fewer instructions, and other last bits."""
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    value = tl.load(x + row * columns + at, mask=inside, other=-float("inf")) * 1.4426950408889634
    power = tl.exp2(value - tl.max(value, axis=0))
    tl.store(out + row * columns + at, power / tl.sum(power, axis=0), mask=inside)


@triton.jit
def softmax_scattered(out, x, columns, BLOCK: tl.constexpr):
    """Is right, but neighbouring lanes read numbers that are far from each other."""
    row = tl.program_id(0)
    thread = tl.arange(0, BLOCK)
    at = thread % 32 * (BLOCK // 32) + thread // 32
    inside = at < columns
    value = tl.load(x + row * columns + at, mask=inside, other=-float("inf"))  # the line to blame
    power = tl.exp(value - tl.max(value, axis=0))
    tl.store(out + row * columns + at, power / tl.sum(power, axis=0), mask=inside)


@triton.jit
def softmax_wrong(out, x, columns, BLOCK: tl.constexpr):
    """Has fewer instructions, but counts zeros behind the end of a row."""
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    value = tl.load(x + row * columns + at, mask=inside, other=0.0) * 1.4426950408889634
    power = tl.exp2(value - tl.max(value, axis=0))
    tl.store(out + row * columns + at, power / tl.sum(power, axis=0), mask=inside)
