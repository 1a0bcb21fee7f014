"""Formats numbers for people: scaled, with three or four digits and their unit, as the harness does.
tests/data/units.txt tests both.
"""

from __future__ import annotations

import math
import re

_PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
_TIMES = ((1e9, "s"), (1e6, "ms"), (1e3, "us"), (1.0, "ns"))
_SCALED = frozenset({"B", "B/s", "FLOP/s", "Hz", "count"})
_WHOLE_BELOW = 1e7  # below this, counts are printed in full

NO_VALUE = "n/a"


# Formats numbers by the harness's rule: so many significant digits, and each scale from 1 of itself on.
_WORDED = {
    "ns": (3, ((1.0, " ns"), (1e3, " us"), (1e6, " ms"), (1e9, " s"))),
    "B": (3, ((1.0, " B"), (1e3, " kB"), (1e6, " MB"), (1e9, " GB"))),
    "B/s": (3, ((1.0, " B/s"), (1e3, " kB/s"), (1e6, " MB/s"), (1e9, " GB/s"), (1e12, " TB/s"))),
    "FLOP/s": (3, ((1.0, " FLOP/s"), (1e6, " MFLOP/s"), (1e9, " GFLOP/s"), (1e12, " TFLOP/s"))),
    "Hz": (3, ((1.0, " Hz"), (1e3, " kHz"), (1e6, " MHz"), (1e9, " GHz"))),
    "count": (4, ((1.0, ""), (1e6, " M"), (1e9, " G"))),
    "ratio": (4, ((1.0, ""),)),
}


def _digits(number: float, digits: int, trim: bool) -> str:
    """Formats so many significant digits, without an exponent as far as possible."""
    limit = 10**digits
    if number < 1 - 1 / limit / 2 or number >= 1e7:
        text = f"{number:.{digits}g}"
    else:
        places = digits - 1
        while places > 0 and number >= 10 ** (digits - places) * (1 - 1 / limit / 2):
            places -= 1
        text = f"{number:.{places}f}"
    return text.rstrip("0").rstrip(".") if trim and "." in text and "e" not in text else text


def scale_of(largest: float, unit: str) -> tuple[float, str]:
    """Returns the divisor and the unit's name for drawing a series up to `largest`."""
    largest = abs(largest) if math.isfinite(largest) else 0.0
    if unit == "ns":
        return next(((size, name) for size, name in _TIMES if largest >= size), (1.0, "ns"))
    if unit in _SCALED:
        for size, prefix in _PREFIXES:
            if largest >= (size if unit != "count" else 10 * size):
                return size, prefix if unit == "count" else f"{prefix}{unit}"
    return 1.0, "" if unit in ("count", "ratio") else unit


def value(number: float | None, unit: str) -> str:
    """Formats one value with its unit, for example 84.7 us; "n/a" without one."""
    if number is None or not math.isfinite(number):
        return NO_VALUE
    magnitude = abs(number)
    sign = "-" if number < 0 else ""
    digits, scales = _WORDED.get(unit, (4, ((1.0, f" {unit}".rstrip()),)))
    if unit == "count" and magnitude < _WHOLE_BELOW - 0.5:
        scales = scales[:1]
    size, suffix = [scale for scale in scales if scale == scales[0] or magnitude >= 0.9995 * scale[0]][-1]
    if unit == "count" and size == 1.0 and (magnitude >= 1000 or magnitude == round(magnitude)):
        return f"{sign}{round(magnitude):,}"
    return f"{sign}{_digits(magnitude / size, digits, size == 1.0)}{suffix}"


def _points(number: float, digits: int) -> str:
    return f"{number:.{digits}g} point{'' if number == 1 else 's'}"


def limit(number: float | None, unit: str) -> str:
    """Formats how far a value may move: in points for a percentage."""
    if number is None or not math.isfinite(number) or unit != "%":
        return value(number, unit)
    return _points(number, 3)


def change(base: float | None, now: float | None, unit: str) -> str:
    """Formats how far now is from base: in points for a percentage, as a share where base is not 0, else absolute."""
    if base is None or now is None or not math.isfinite(base) or not math.isfinite(now):
        return NO_VALUE
    moved = float(f"{now - base:.9g}")  # rounded as in the harness
    if moved == 0:
        return "0"
    if unit == "%":
        return ("+" if moved > 0 else "-") + _points(abs(moved), 4)
    if base == 0:
        return f"+{value(now, unit)} (from 0)"
    percent = 100 * ((now - base) / base)
    times = now / base
    if times >= 10:
        return f"{times:.1f} x" if times < 99.95 else f"{times:,.0f} x" if times < 999999.5 else f"{times:.3g} x"
    return "<0.1 %" if abs(percent) < 0.05 else f"{percent:+.1f} %"


def cell(number: float | None, unit: str) -> str:
    """Formats one value for a column of a table: as value() does, but with as many decimals in each row where rows have
    one unit.
    """
    if number is None or not math.isfinite(number) or unit not in ("%", "ratio"):
        return value(number, unit)
    sign, suffix = ("-" if number < 0 else ""), " %" if unit == "%" else ""
    if 0 < abs(number) < 0.005:
        return f"{'>-' if number < 0 else '<'}0.01{suffix}"
    return f"{sign}{abs(number):,.2f}{suffix}" if abs(number) < _WHOLE_BELOW else value(number, unit)


def exact(number: float | None, unit: str) -> str:
    """Formats a value with all of its digits that may tell something."""
    return NO_VALUE if number is None or not math.isfinite(number) else f"{number:,.10g} {unit}".removesuffix(" count")


def change_cell(base: float | None, now: float | None, unit: str) -> str:
    """Formats a change for a column of a table: as change() does, but points with two decimals in each row."""
    moved = now - base if base is not None and now is not None else 0.0
    if unit != "%" or not 0 < abs(moved) < _WHOLE_BELOW:
        return change(base, now, unit)
    return f"{moved:+,.2f} points" if abs(moved) >= 0.005 else "<0.01 points"


_UUID = re.compile(r"\b((?:GPU|MIG)-[0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")


def gpu(text: str) -> str:
    """Shortens the UUIDs of GPUs in a text: what follows the first part tells nobody more."""
    return _UUID.sub(r"\1", text)


def night(date: str) -> str:
    """Formats a night: 2026-11-21 22:00 UTC."""
    return date[:16].replace("T", " ") + " UTC"
