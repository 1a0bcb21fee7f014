"""How figures look, and how they get into a page: one figure gives an SVG for the page, light and dark, and a PNG
beside it.

In the SVG each colour of the palette is a CSS variable of templates/style.css, so that a page's theme is the
figure's; the PNG is on white. Text stays text. Colours are those of Okabe and Ito, which colour-blind readers tell
apart, and no figure says by colour alone what it says."""

from __future__ import annotations

import io
import logging
import re
import warnings
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import quoteattr

import matplotlib
import numpy as np

matplotlib.use("Agg")

import matplotlib.style
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

# The palette, on white; each is a variable in style.css.
INK = "#1b1f24"
MUTED = "#57606a"
GRID = "#d8dee4"
BAND = "#d3e5f5"
SHADE = "#eceff2"
BLUE = "#0072b2"
RED = "#d55e00"
GREEN = "#009e73"
ORANGE = "#e69f00"
PURPLE = "#cc79a7"
PAPER = "#fefefe"
COLD = ("#2166ac", "#67a9cf", "#b3d3e8")  # colours of cold cells, the largest move first
HOT = ("#f8c9ae", "#ef8a62", "#b2182b")  # colours of hot cells, the smallest move first
_VARIABLES = {
    INK: "ink",
    MUTED: "muted",
    GRID: "grid",
    BAND: "band",
    SHADE: "cell",
    BLUE: "blue",
    RED: "red",
    GREEN: "green",
    ORANGE: "orange",
    PURPLE: "purple",
    PAPER: "paper",
    **dict(zip(COLD, ("cold3", "cold2", "cold1"), strict=True)),
    **dict(zip(HOT, ("hot1", "hot2", "hot3"), strict=True)),
}

WIDTH = 4.8  # inches: on a phone of 328 pixels the smallest text is still 8 pixels high, and nothing is cut
SMALL = 8.5  # size of the smallest text in points

_STYLE = {
    "svg.fonttype": "none",
    "text.parse_math": False,  # a kernel may be called $x$
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.labelsize": 9,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "legend.fontsize": SMALL,
    "legend.frameon": False,
    "axes.titlelocation": "left",
    "axes.titley": 1.0,  # set explicitly: finding it takes a quarter of the drawing
    "axes.titlepad": 5,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "text.color": INK,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "lines.linewidth": 1.3,
    "axes.prop_cycle": matplotlib.cycler(color=[BLUE, ORANGE, GREEN, PURPLE, RED]),
}
matplotlib.rcParams.update(_STYLE)
# It warns of names in scripts that the font of the PNG lacks, which does not concern those who wait for the page.
logging.getLogger("matplotlib").setLevel(logging.ERROR)
warnings.filterwarnings("ignore", r"Glyph .* missing from font", UserWarning)

_TAG = re.compile(r"<[^<>]+>")
_DECIMALS = re.compile(r"(\.\d\d)\d+")
_COLOUR = re.compile("|".join(_VARIABLES))
_GROUP_ID = re.compile(r'<g id="[^"]*"')
_FONTS = re.compile(r"'DejaVu Sans'[^;\"]*")
_HEAD = re.compile(r"^.*?<svg[^>]*?viewBox=\"([^\"]*)\"[^>]*>", re.DOTALL)
_DROPPED = re.compile(r"<metadata>.*?</metadata>|<style[^>]*>.*?</style>", re.DOTALL)


Extent = float | tuple[float, float]  # a place on an axis, or a range


class Drawing(Figure):
    """A figure that knows the texts of its points, which the page shows for the point under the mouse
    (templates/script.js).
    """

    def __init__(self, **arguments: object):
        super().__init__(**arguments)  # type: ignore[arg-type]
        self.heads: Sequence[str] = ()  # titles of the words of a point, if all points have the same
        self._told: list[tuple[Axes, Extent, Extent | None, Sequence[str]]] = []

    def tell(self, axes: Axes, x: Extent, y: Extent | None, *words: str) -> None:
        """Adds the text of a point (in data coordinates), a heading first. Without y it is for the whole height of the
        figure.
        """
        self._told.append((axes, x, y, words))

    def points(self) -> dict[str, object] | None:
        """Returns the points for the page, after drawing: positions in thousandths of the figure's size, from left and
        top.
        """
        found: list[list[object]] = []
        for axes, x, y, words in self._told:
            across, down = (extent if isinstance(extent, tuple) else (extent, extent) for extent in (x, y or 0.0))
            corners = axes.transData.transform(list(zip(across, down, strict=True)))
            if not np.isfinite(corners if y is not None else corners[:, 0]).all():
                continue
            left, top, right, bottom = self._thousandths(corners)
            found.append([left if y is None else [left, top, right, bottom], *words])
        return {"heads": self.heads, "points": found} if found else None

    def _thousandths(self, corners: np.ndarray) -> list[int]:
        (left, right), (bottom, top) = np.sort(corners.T / [[self.bbox.width], [self.bbox.height]])
        places = np.nan_to_num(np.array([left, 1 - top, right, 1 - bottom]))
        return np.round(1000 * np.clip(places, 0, 1)).astype(int).tolist()


def new(height: float, rows: int = 1, columns: int = 1, **arguments: object) -> tuple[Drawing, list[Axes]]:
    """Returns an empty figure of the common width, and its axes row by row."""
    figure = Drawing(figsize=(WIDTH, height))
    axes = figure.subplots(rows, columns, squeeze=False, **arguments)
    return figure, list(axes.flat)


def shorten(name: str, most: int = 34) -> str:
    """Shortens a name to fit beside an axis. The middle is left out, since both ends tell variants apart."""
    name = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in name)
    return name if len(name) <= most else f"{name[: most // 2 - 1]}\N{HORIZONTAL ELLIPSIS}{name[-(most // 2 - 1) :]}"


def beside_names(names: Sequence[str]) -> float:
    """Returns how far from the left a plot begins, as a share of the width, so that names beside it are whole."""
    longest = max((len(name) for name in names), default=0)
    return min(0.58, max(0.14, 0.04 + longest * 0.62 * SMALL / 72 / WIDTH))


def plain(number: float, _place: object = None) -> str:
    """Formats a number for an axis or a bar: 0.001, 12.3, 4,567; without powers, also for logarithmic axes."""
    return f"{number:,.0f}" if 1000 <= abs(number) < 1e7 else f"{number:.3g}"


def axis_label(title: str, unit: str) -> str:
    """Returns an axis label: "Time, us"; counts in words: "Bank conflicts, millions"."""
    words = {"k": "thousands", "M": "millions", "G": "billions", "T": "trillions"}.get(unit, unit)
    return f"{title}, {words}" if words else title


def night_ticks(axes: Axes, dates: Sequence[str], most: int = 4) -> None:
    """Labels an axis of nights, always including the newest: with days, or with minutes if the nights are within few
    days.
    """
    count = len(dates)
    step = max(1, -(-count // most))
    places = list(range(count - 1, -1, -step))
    days = len({date[:10] for date in dates})
    cut = slice(0, 10) if days > count // 2 and days > 1 else slice(5, 16)
    axes.set_xticks(places, [dates[place][cut].replace("T", " ") for place in places])
    axes.set_xlim(-0.5, max(count - 0.5, 0.5))


def _inline(svg: str, label: str) -> str:
    """Returns the SVG for a page: it has the page's size, fonts and colours."""
    svg = _DROPPED.sub("", svg)
    head = f'<svg viewBox="{_HEAD.match(svg)[1]}" role="img" aria-label={quoteattr(label)}>'  # type: ignore[index]
    svg = _GROUP_ID.sub("<g", head + _HEAD.sub("", svg, count=1))

    def of_tag(match: re.Match[str]) -> str:
        if match[0].startswith("<svg"):
            return match[0]  # the SVG's head contains names, which stay
        tag = _DECIMALS.sub(r"\1", match[0])
        tag = _COLOUR.sub(lambda colour: f"var(--{_VARIABLES[colour[0]]})", tag)
        return _FONTS.sub("var(--font)", tag)

    return _TAG.sub(of_tag, svg)


def save(figure: Figure, folder: Path, name: str, label: str) -> str:
    """Writes folder/name.png and returns the SVG for the page. label describes the figure in words; it is escaped
    here.
    """
    matplotlib.rcParams["svg.hashsalt"] = name  # makes ids differ between pages, and each page the same every time
    text = io.StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    FigureCanvasSVG(figure).print_svg(text, metadata=nothing)
    figure.set_facecolor("white")
    FigureCanvasAgg(figure)
    figure.savefig(folder / f"{name}.png", dpi=150, metadata={"Software": None})
    return _inline(text.getvalue(), label)


def warm() -> None:
    """Draws a figure for nobody. The first one of a process takes longer, since fonts are read and much is looked up;
    forked processes then have all that.
    """
    figure, _ = new(1.0)
    FigureCanvasSVG(figure).print_svg(io.StringIO())
    FigureCanvasAgg(figure).draw()
