"""Reads from metric files what run files lack: which metrics have a plot on each kernel's page, and what they are."""

from __future__ import annotations

import configparser
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from cugate_reports.units import value

HERE = Path(__file__).resolve().parent
# A wheel has the files within the package. The tree and `make install` have them two folders up.
METRICS = HERE / "metrics" if (HERE / "metrics").is_dir() else HERE.parents[1] / "metrics"


class PageError(Exception):
    """The pages cannot be made; the text says why and what to do."""


@dataclass(frozen=True)
class Panel:
    """A metric that has a plot on each kernel's page."""

    metric: str
    title: str


def is_optional(text: str) -> bool:
    """Whether a file says so above its sections: it is read only where it is named."""
    above = itertools.takewhile(lambda line: not line.startswith("["), text.splitlines())
    return any(line.startswith("optional") for line in above)


@dataclass(frozen=True)
class Floor:
    """The change up to which a metric counts as not moved: the larger of a share of the baseline, in %, and an
    amount.
    """

    words: str  # the floor in words: "2 %" or "250 ns"
    share: float
    amount: float

    def of(self, base: float) -> float:
        return max(self.share / 100 * abs(base), self.amount)


def _floor(words: str) -> Floor | None:
    """Parses "2 % and 250 ns"; None for a text that it does not know, which pages then treat as no floor."""
    share = amount = 0.0
    told = []
    for part in words.split(" and "):
        number, _, unit = part.strip().partition(" ")
        try:
            if unit == "%":
                share = float(number)
            else:
                amount = float(number)
        except ValueError:
            return None
        told.append(value(float(number), unit))
    return Floor(" or ".join(told), share, amount)


def _all(key: str, folder: Path) -> Iterator[tuple[str, str]]:
    """The metrics that have a key, with its value without the comment behind it."""
    for path in sorted(folder.glob("*.ini")):
        for name, section in _sections(path).items():
            if words := section.get(key, "").partition(";")[0].strip():
                yield name, words


@cache
def floors(folder: Path = METRICS) -> dict[str, Floor]:
    """The floors of the metrics that have one, by name."""
    return {name: floor for name, words in _all("floor", folder) if (floor := _floor(words))}


@cache
def betters(folder: Path = METRICS) -> dict[str, str]:
    """Which direction of a metric is better, lower or higher, by name."""
    return dict(_all("better", folder))


@cache
def docs(folder: Path = METRICS) -> dict[str, str]:
    """What each metric is, by name."""
    return {
        name: " ".join(section["doc"].split())
        for path in sorted(folder.glob("*.ini"))
        for name, section in _sections(path).items()
        if "doc" in section
    }


def _sections(path: Path) -> configparser.ConfigParser:
    metrics = configparser.ConfigParser(interpolation=None, comment_prefixes=(";", "#"))
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        first = next((place for place, line in enumerate(lines) if line.startswith("[")), 0)
        above = ["" if line.startswith("optional") else line for line in lines[:first]]  # drops keys above all sections
        metrics.read_string("\n".join(above + lines[first:]), str(path))
    except (OSError, UnicodeDecodeError, configparser.Error) as reason:
        raise PageError(f"{path}: cannot be read as metric definitions: {reason}") from reason
    return metrics


def headlines(folder: Path = METRICS) -> tuple[Panel, ...]:
    """The metrics with a headline, in the order of the files' names and their sections, as the gate's table has them.

    Files are those that cugate reads, which checks them. PageError when one cannot be read or none has a headline: then
    pages without plots would look as if there were nothing to see.
    """
    panels = []
    for path in sorted(folder.glob("*.ini")):
        metrics = _sections(path)
        try:
            if is_optional(path.read_text(encoding="utf-8")):
                continue
            panels += [
                Panel(name, metrics[name]["title"]) for name in metrics.sections() if "headline" in metrics[name]
            ]
        except KeyError as reason:
            raise PageError(f"{path}: cannot be read as metric definitions: {reason}") from reason
    if not panels:
        raise PageError(f"{folder}: no metric there has a headline; pages take their plots from cugate's metric files")
    return tuple(panels)
