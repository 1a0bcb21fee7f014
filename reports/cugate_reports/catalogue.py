"""Facts about the catalogue's families that no run file has, for the pages that compare variants.

A family that is not here is shown too: its variants by name, without a reference.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Ladder:
    """A family's variants in the order in which they improve. reference is the vendor's variant among them, or None."""

    rungs: tuple[str, ...]
    reference: str | None = None


# To add a family to the ladders: a row.
LADDERS = {
    "reduce": Ladder(
        (
            "global_strided",
            "interleaved_modulo",
            "interleaved_index",
            "sequential",
            "first_add",
            "unroll_last_warp",
            "unroll_full",
            "grid_stride",
            "grid_stride_ilp4",
            "warp_shuffle",
            "cub",
        ),
        "cub",
    ),
    "sgemm": Ladder(
        (
            "naive",
            "naive_launch_bounds",
            "tiled",
            "register_tile",
            "register_tile_transposed",
            "double_buffered",
            "warp_tile",
            "snake_order",
            "cublas",
        ),
        "cublas",
    ),
    "dgemm": Ladder(("naive", "tiled", "cublas"), "cublas"),
    "access": Ladder(
        (
            "coalesced",
            "half_warp_idle",
            "permuted",
            "misaligned",
            "stride2",
            "stride8",
            "stride32",
            "float3",
            "float3_staged",
            "float4",
        )
    ),
    "shared_bank": Ladder(("stride1", "permuted", "broadcast", "stride2", "stride8", "stride32", "padded")),
    "transpose": Ladder(("naive", "tiled", "padded")),
    "elementwise": Ladder(("column_blocks", "row_blocks", "split_branches", "lookup_table", "vector2")),
    "divergence": Ladder(("per_thread", "per_warp", "tiled_partition")),
    "occupancy": Ladder(("registers_free", "registers_capped", "shared_limited", "small_blocks")),
    "cached_reads": Ladder(("constant_same_address", "constant_scattered", "texture_local", "texture_scattered")),
    "dot": Ladder(("fp32", "half2", "dp4a")),
    "transfer": Ladder(("pageable", "pinned", "many_small", "one_large")),
    "hierarchy": Ladder(("thread_index",)),
}


@dataclass(frozen=True)
class Literature:
    """Published times of a family's variants in seconds, and their GPU. They are never drawn as bars, since GPU and
    year differ.
    """

    gpu: str
    times: dict[str, float]
    remark: str = ""


LITERATURE = {
    "reduce": Literature(
        "Tesla V100 PCIe",
        {
            "global_strided": 4.609e-3,
            "interleaved_modulo": 0.399e-3,
            "interleaved_index": 0.446e-3,
            "sequential": 0.378e-3,
            "grid_stride": 0.278e-3,
            "grid_stride_ilp4": 0.264e-3,
        },
        "343 GB/s of its 900 GB/s at the rung sequential; a plain shared-memory version took 0.624 ms",
    ),
    "elementwise": Literature(
        "a GPU that was not named",
        {"column_blocks": 1.12e-3, "row_blocks": 0.23e-3, "split_branches": 0.24e-3, "lookup_table": 0.24e-3},
    ),
}


@dataclass(frozen=True)
class Blocking:
    """How a GEMM variant is blocked.

    A block computes rows x columns of C, and holds a depth of k in shared memory, `stages` times (0: it uses none).
    A thread computes thread_rows x thread_columns. width is the size of an element in bytes.
    """

    rows: int
    columns: int
    depth: int
    thread_rows: int
    thread_columns: int
    threads: int
    stages: int
    width: int

    def needed_bandwidth(self, flop_rate: float) -> float:
        """Returns the bandwidth that a rate (FLOP/s) needs from beyond the SM, in bytes/s: rate / 2 x width x (1 / rows
        + 1 / columns).
        """
        return flop_rate / 2 * self.width * (1 / self.rows + 1 / self.columns)

    def shared_bytes(self) -> int:
        """Returns the shared memory of a block: (rows x depth + columns x depth) x width for each stage."""
        return (self.rows + self.columns) * self.depth * self.width * self.stages

    def registers(self) -> int:
        """Returns the 32-bit registers of a block for operands and sums: (rx + ry + rx ry) x threads, two for each
        double.
        """
        values = self.thread_rows + self.thread_columns + self.thread_rows * self.thread_columns
        return values * self.threads * (self.width // 4)


# Sizes from kernels/sgemm.cu and kernels/dgemm.cu. To add a variant: a row.
BLOCKINGS = {
    "sgemm/naive": Blocking(8, 32, 0, 1, 1, 256, 0, 4),
    "sgemm/tiled": Blocking(32, 32, 32, 1, 1, 1024, 1, 4),
    "sgemm/register_tile": Blocking(128, 128, 8, 8, 8, 256, 1, 4),
    "sgemm/register_tile_transposed": Blocking(128, 128, 8, 8, 8, 256, 1, 4),
    "sgemm/double_buffered": Blocking(128, 128, 8, 8, 8, 256, 2, 4),
    "sgemm/warp_tile": Blocking(128, 128, 8, 8, 16, 128, 4, 4),
    "sgemm/snake_order": Blocking(128, 128, 8, 8, 16, 128, 2, 4),
    "dgemm/naive": Blocking(8, 32, 0, 1, 1, 256, 0, 8),
    "dgemm/tiled": Blocking(64, 64, 16, 4, 8, 128, 2, 8),
}
