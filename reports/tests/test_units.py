"""Tests numbers as people read them."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from cugate_reports import units

ROWS = [
    (*line.split(" = ")[0].split(), line.split(" = ")[1])
    for line in Path("tests/data/units.txt").read_text().splitlines()
    if line and not line.startswith("#")
]


@pytest.mark.parametrize("row", ROWS, ids=" ".join)
def test_numbers_are_worded_as_the_harness_words_them(row: tuple[str, str, str, str]) -> None:
    kind, first, second, text = row
    if kind == "value":
        assert units.value(float(second), first) == text
        return
    base, now = float(first), float(second)
    said = units.change(base, now, "%" if kind == "points" else "ns")
    assert said == (text if text != "from 0" else "+5 ns (from 0)")


@pytest.mark.parametrize("number", [None, math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_told(number: float | None) -> None:
    assert units.value(number, "ns") == "n/a"
    assert units.limit(number, "%") == "n/a"
    assert units.change(number, 1, "ns") == "n/a"
    assert units.change(1, number, "ns") == "n/a"


@pytest.mark.parametrize(
    ("number", "unit", "text"),
    [(32, "warps", "32 warps"), (32, "", "32"), (0.25, "registers", "0.25 registers")],
)
def test_units_of_later_versions_are_told(number: float, unit: str, text: str) -> None:
    assert units.value(number, unit) == text


@pytest.mark.parametrize(
    ("number", "unit", "text"), [(1, "%", "1 point"), (0.123456, "%", "0.123 points"), (940, "ns", "940 ns")]
)
def test_limit(number: float, unit: str, text: str) -> None:
    assert units.limit(number, unit) == text


@pytest.mark.parametrize(
    ("base", "now", "unit", "text"),
    [
        (5, 5, "ns", "0"),
        (0, 0, "count", "0"),
        (0, 16_252_928, "count", "+16.25 M (from 0)"),
        (100, 101, "ns", "+1.0 %"),
    ],
)
def test_change(base: float, now: float, unit: str, text: str) -> None:
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
