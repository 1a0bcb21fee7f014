"""What the metric files say that run files do not: which metrics have a plot on each kernel's page."""

from __future__ import annotations

import configparser
import itertools
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
# In a wheel the files are within the package; in the tree, and where `make install` puts both, two folders up.
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


def headlines(folder: Path = METRICS) -> tuple[Panel, ...]:
    """The metrics with a headline, in the order of the files' names and their sections, as the gate's table has them.

    Files are those that cugate reads, which checks them. PageError when one cannot be read or none has a headline: then
    pages without plots would look as if there were nothing to see.
    """
    panels = []
    for path in sorted(folder.glob("*.ini")):
        metrics = configparser.ConfigParser(interpolation=None, comment_prefixes=(";", "#"))
        try:
            text = path.read_text(encoding="utf-8")
            if is_optional(text):
                continue
            metrics.read_string(text, str(path))
            panels += [
                Panel(name, metrics[name]["title"]) for name in metrics.sections() if "headline" in metrics[name]
            ]
        except (OSError, UnicodeDecodeError, configparser.Error, KeyError) as reason:
            raise PageError(f"{path}: cannot be read as metric definitions: {reason}") from reason
    if not panels:
        raise PageError(f"{folder}: no metric there has a headline; pages take their plots from cugate's metric files")
    return tuple(panels)
