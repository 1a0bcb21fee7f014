"""Numbers as people read them: scaled, with three or four digits and their unit."""

from __future__ import annotations

import math

_PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
_TIMES = ((1e9, "s"), (1e6, "ms"), (1e3, "us"), (1.0, "ns"))
_SCALED = frozenset({"B", "B/s", "FLOP/s", "Hz", "count"})
_WHOLE_BELOW = 1e7  # counts are told to the last one up to here

NO_VALUE = "n/a"


def _digits(number: float) -> str:
    """Four significant digits, never in the form 1e+06, whole numbers below 10,000 as they are."""
    if number == round(number) and abs(number) < 10000:
        return f"{number + 0:.0f}"  # -0.0 + 0 is 0.0
    size = math.floor(math.log10(abs(number)))
    places = max(0, 3 - max(0, size)) if size >= -3 else 1 - size  # what is not 0 does not read 0.000
    return f"{number:,.{places}f}"


def scale_of(largest: float, unit: str) -> tuple[float, str]:
    """The divisor and the unit's name in which a series up to `largest` is drawn."""
    largest = abs(largest) if math.isfinite(largest) else 0.0
    if unit == "ns":
        return next(((size, name) for size, name in _TIMES if largest >= size), (1.0, "ns"))
    if unit in _SCALED:
        for size, prefix in _PREFIXES:
            if largest >= (size if unit != "count" else 10 * size):
                return size, prefix if unit == "count" else f"{prefix}{unit}"
    return 1.0, "" if unit in ("count", "ratio") else unit


def value(number: float | None, unit: str) -> str:
    """One value with its unit, for example 84.70 us; "n/a" without one."""
    if number is None or not math.isfinite(number):
        return NO_VALUE
    if unit == "count" and abs(number) < _WHOLE_BELOW and (number == round(number) or abs(number) >= 1000):
        return f"{number:,.0f}"
    size, name = scale_of(number, unit)
    return f"{_digits(number / size)} {name}".rstrip()


def limit(number: float | None, unit: str) -> str:
    """How far a value may move: in points for a percentage."""
    return value(number, unit) if unit != "%" else value(number, "points")


def change(base: float | None, now: float | None, unit: str) -> str:
    """How far now is from base: in points for a percentage, as a share where base is not 0, else absolute."""
    if base is None or now is None or not math.isfinite(base) or not math.isfinite(now):
        return NO_VALUE
    if now == base:
        return "0"
    if unit == "%":
        return f"{now - base:+.2f} points" if abs(now - base) >= 0.005 else "less than 0.01 points"
    if base == 0:
        return f"+{value(now, unit)} (from 0)"
    share = (now - base) / base
    if share >= 99:
        return f"{now / base:,.0f} x"
    if share >= 9:
        return f"{now / base:.1f} x"
    return f"{100 * share:+.2f} %" if abs(share) >= 5e-5 else "less than 0.01 %"
