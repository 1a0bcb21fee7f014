"""Tests numbers as people read them."""

from __future__ import annotations

from pathlib import Path

import pytest

from cugate_reports import units


def rows(path: Path) -> list[tuple[str, str]]:
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return [(call.strip(), text) for call, _, text in (line.partition(" =") for line in lines)]


@pytest.mark.parametrize(("call", "text"), rows(Path("tests/data/units.txt")))
def test_numbers_are_worded_as_the_harness_words_them(call: str, text: str) -> None:
    kind, first, second = call.split()
    text = text.strip()
    if kind == "value":
        assert units.value(float(second), first) == text
        return
    said = units.change(float(first), float(second), "%" if kind == "points" else "ns")
    assert said == (text if text != "from 0" else "+5 ns (from 0)")


@pytest.mark.parametrize(("call", "text"), rows(Path(__file__).with_name("units.txt")))
def test_numbers_are_worded(call: str, text: str) -> None:
    name, unit, *words = call.split()
    numbers = [None if word == "None" else float(word) for word in words]
    said = getattr(units, name)(*numbers, "" if unit == "-" else unit)
    assert (said if isinstance(said, str) else f"{said[0]:g} {said[1]}").strip() == text.strip()
