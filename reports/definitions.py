"""What the metric files say that run files do not: which metrics have a plot on each kernel's page."""

from __future__ import annotations

import configparser
from dataclasses import dataclass
from pathlib import Path

METRICS = Path(__file__).resolve().parent.parent / "metrics"


@dataclass(frozen=True)
class Panel:
    """A metric that has a plot on each kernel's page."""

    metric: str
    title: str


def headlines(folder: Path = METRICS) -> tuple[Panel, ...]:
    """The metrics with a headline, in the order of the files' names and their sections, as the gate's table has them.
    Files are those that cugate reads, which checks them; OSError or configparser.Error when one cannot be read."""
    panels = []
    for path in sorted(folder.glob("*.ini")):
        metrics = configparser.ConfigParser(
            interpolation=None, comment_prefixes=(";", "#"), inline_comment_prefixes=None
        )
        metrics.read_string(path.read_text(encoding="utf-8"), str(path))
        panels += [Panel(name, metrics[name]["title"]) for name in metrics.sections() if "headline" in metrics[name]]
    return tuple(panels)
