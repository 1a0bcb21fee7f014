"""Numbers as people read them."""

from __future__ import annotations

import math
import random
import re

import pytest
from reports import units


@pytest.mark.parametrize(
    ("number", "unit", "text"),
    [
        (None, "ns", "n/a"),
        (math.nan, "ns", "n/a"),
        (math.inf, "count", "n/a"),
        (-math.inf, "%", "n/a"),
        # Times are in the largest unit of which they are one at least.
        (0, "ns", "0 ns"),
        (0.5, "ns", "0.500 ns"),
        (1, "ns", "1 ns"),
        (999, "ns", "999 ns"),
        (999.5, "ns", "999.5 ns"),
        (1000, "ns", "1 us"),
        (84_700, "ns", "84.70 us"),
        (123_456, "ns", "123.5 us"),
        (1_234_567, "ns", "1.235 ms"),
        (1.5e9, "ns", "1.500 s"),
        (3.6e12, "ns", "3600 s"),
        (1e15, "ns", "1,000,000 s"),
        # Counts are told to the last one, then in millions.
        (0, "count", "0"),
        (39_740, "count", "39,740"),
        (9_999_999, "count", "9,999,999"),
        (10_000_000, "count", "10 M"),
        (16_252_928, "count", "16.25 M"),
        (12_345.5, "count", "12,346"),
        (12_345_678.5, "count", "12.35 M"),
        (0.5, "count", "0.500"),
        # What has a prefix.
        (999, "B", "999 B"),
        (1000, "B", "1 kB"),
        (2_147_483_648, "B", "2.147 GB"),
        (2.7e12, "B/s", "2.700 TB/s"),
        (67e12, "FLOP/s", "67 TFLOP/s"),
        (1_980_000_000, "Hz", "1.980 GHz"),
        # What has none.
        (100, "%", "100 %"),
        (27.4321, "%", "27.43 %"),
        (99.99, "%", "99.99 %"),
        (12_345.678, "%", "12,346 %"),
        (0.25, "ratio", "0.250"),
        (32, "warps", "32 warps"),
        (32, "", "32"),
        # What is not 0 does not read 0.
        (0.001, "%", "0.001 %"),
        (0.00042, "%", "0.00042 %"),
        (1e-6, "ratio", "0.0000010"),
        (-0.0, "%", "0 %"),
        (-84_700, "ns", "-84.70 us"),
        (-0.5, "%", "-0.500 %"),
    ],
)
def test_value(number: float | None, unit: str, text: str) -> None:
    assert units.value(number, unit) == text


@pytest.mark.parametrize(
    ("base", "now", "unit", "text"),
    [
        (None, 1, "ns", "n/a"),
        (1, None, "ns", "n/a"),
        (math.nan, 1, "ns", "n/a"),
        (1, math.inf, "ns", "n/a"),
        (5, 5, "ns", "0"),
        (0, 0, "count", "0"),
        (100, 101, "ns", "+1.00 %"),
        (100_000, 100_001, "ns", "less than 0.01 %"),
        (50.0, 49.999, "%", "less than 0.01 points"),
        (100, 99.5, "ns", "-0.50 %"),
        (33_800, 84_700, "ns", "+150.59 %"),
        (50, 0, "ns", "-100.00 %"),
        (100, 999, "count", "+899.00 %"),
        (1_048_576, 17_301_504, "count", "16.5 x"),
        (70.5, 60.25, "%", "-10.25 points"),
        (0, 12.5, "%", "+12.50 points"),
        (0, 16_252_928, "count", "+16.25 M (from 0)"),
        (0, 500, "ns", "+500 ns (from 0)"),
    ],
)
def test_change(base: float | None, now: float | None, unit: str, text: str) -> None:
    assert units.change(base, now, unit) == text


@pytest.mark.parametrize(
    ("largest", "unit", "scale"),
    [
        (0, "ns", (1.0, "ns")),
        (999, "ns", (1.0, "ns")),
        (1000, "ns", (1e3, "us")),
        (-2e9, "ns", (1e9, "s")),
        (math.nan, "ns", (1.0, "ns")),
        (math.inf, "B/s", (1.0, "B/s")),
        (4.8e12, "B/s", (1e12, "TB/s")),
        (9_999, "count", (1.0, "")),
        (10_000, "count", (1e3, "k")),
        (9.9e6, "count", (1e3, "k")),
        (1e7, "count", (1e6, "M")),
        (100, "%", (1.0, "%")),
        (2, "ratio", (1.0, "")),
    ],
)
def test_scale_of(largest: float, unit: str, scale: tuple[float, str]) -> None:
    assert units.scale_of(largest, unit) == scale


def test_any_number_is_told_to_a_thousandth() -> None:
    """Whatever its size: no exponent, and what is read is near what it was."""
    chance = random.Random(1)
    sizes = {"": 1, "T": 1e12, "G": 1e9, "M": 1e6, "k": 1e3, "ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "%": 1}
    for _ in range(5000):
        number = chance.choice((-1, 1)) * 10 ** chance.uniform(-3, 14)
        unit = chance.choice(("ns", "count", "B/s", "%", "ratio"))
        text = units.value(number, unit)
        told = re.fullmatch(r"(-?[0-9,]+(?:\.[0-9]+)?)(?: ([TGMkumns%]*)(?:B/s)?)?", text)
        assert told, (number, unit, text)
        assert float(told[1].replace(",", "")) * sizes[told[2] or ""] == pytest.approx(number, rel=6e-4, abs=6e-4)
