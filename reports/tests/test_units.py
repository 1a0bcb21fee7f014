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


@pytest.mark.parametrize(
    ("unit", "numbers", "words"),
    [
        ("%", (100.0, 8.351, 0.00042, 0.0, -0.001), ["100.00 %", "8.35 %", "<0.01 %", "0.00 %", ">-0.01 %"]),
        ("ratio", (4096.0, 0.1686, 1e9), ["4,096.00", "0.17", "1e+09"]),
        ("count", (39740.0,), ["39,740"]),
        ("ns", (84700.0, float("nan")), ["84.7 us", "n/a"]),
    ],
)
def test_a_column_of_a_table_has_as_many_decimals_in_each_row(
    unit: str, numbers: tuple[float, ...], words: list[str]
) -> None:
    assert [units.cell(number, unit) for number in numbers] == words


def test_changes_in_a_column_have_as_many_decimals() -> None:
    pairs = ((50.0, 50.4685), (50.0, 49.0), (50.0, 50.001), (50.0, 50.0), (None, 1.0))
    points = [units.change_cell(base, now, "%") for base, now in pairs]
    assert points == ["+0.47 points", "-1.00 points", "<0.01 points", "0", "n/a"]
    assert [units.change_cell(100.0, now, "ns") for now in (814.05, 101.0)] == ["+714.0 %", "+1.0 %"]
