"""Figures that compare a family's variants side by side, and what the blocking of GEMM needs."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes

from cugate_reports import units
from cugate_reports.drawing import (
    BLUE,
    GREEN,
    ORANGE,
    PAPER,
    RED,
    SMALL,
    Drawing,
    axis_label,
    beside_names,
    new,
    plain,
    shorten,
)
from cugate_reports.views import BlockingRow, LadderView


def _bars(figure: Drawing, axes: Axes, view: LadderView, title: str, values: list[float], unit: str) -> None:
    """Draws one panel: a bar for each variant, the vendor's reference in green."""
    places = np.arange(len(view.rungs))
    size, scaled = units.scale_of(np.nanmax([*values, 0.0]), unit)
    known = [value / size if math.isfinite(value) else 0.0 for value in values]
    colours = [GREEN if rung.variant == view.reference else BLUE for rung in view.rungs]
    axes.barh(places, known, color=colours, height=0.7)
    top = max(known) or 1.0
    texts = [plain(value / size) if math.isfinite(value) else units.NO_VALUE for value in values]
    for place, (rung, value) in enumerate(zip(view.rungs, values, strict=True)):
        axes.annotate(texts[place], (known[place] + 0.02 * top, place), va="center", fontsize=SMALL)
        words = f"{title} {units.value(value, unit)}"
        share = view.share_words(rung) if title == "Time" else ""
        figure.tell(axes, (0, 1.25 * top), (place - 0.5, place + 0.5), rung.kernel, words, share)
    axes.set_xlim(0, top * (1.05 + 0.07 * max(map(len, texts))))  # the numbers stand beside the bars
    axes.set_ylim(len(view.rungs) - 0.4, -0.6)
    axes.set_title(axis_label(title, scaled))
    axes.grid(axis="y", visible=False)
    axes.tick_params(axis="y", length=0)
    axes.locator_params(axis="x", nbins=3)
    axes.xaxis.set_major_formatter(plain)


def ladder(view: LadderView) -> Drawing:
    """Draws each variant's time and counters, where any variant has more than 0."""
    shown = view.panels()
    names = [shorten(rung.variant, 26) for rung in view.rungs]
    left = beside_names(names)
    columns = min(2 if left < 0.36 else 1, len(shown))  # titles need their space
    rows = -(-len(shown) // columns)
    figure, panels = new(0.35 + rows * (0.5 + 0.2 * len(view.rungs)), rows=rows, columns=columns, sharey=True)
    for axes, (title, values, unit) in zip(panels, shown, strict=False):
        _bars(figure, axes, view, title, values, unit)
    for axes in panels[len(shown) :]:
        axes.set_visible(False)
    for axes in panels[::columns]:
        axes.set_yticks(np.arange(len(view.rungs)), names, fontsize=SMALL)
    height = figure.get_figheight()
    gap = rows * 0.5 / max(height - 0.35 - rows * 0.5, 0.1)
    figure.subplots_adjust(left, 0.27 / height, 0.98, 1 - 0.3 / height, wspace=0.12, hspace=gap)
    return figure


def literature(view: LadderView) -> Drawing:
    """Draws how much faster each variant is than the first, here and as published on another GPU and in another
    year.
    """
    rungs = [rung for rung in view.rungs if rung.published_speedup and rung.speedup]
    figure, (axes,) = new(1.15 + 0.32 * len(rungs))
    places = np.arange(len(rungs))
    axes.barh(places - 0.19, [rung.speedup for rung in rungs], color=BLUE, height=0.36, label="here")
    axes.barh(
        places + 0.19,
        [rung.published_speedup for rung in rungs],
        color="none",
        edgecolor=ORANGE,
        hatch="////",
        height=0.36,
        label=f"published: {shorten(view.literature.gpu, 24)}",
    )
    for place, rung in enumerate(rungs):
        words = f"here {plain(rung.speedup)} times as fast as the first", f"published {plain(rung.published_speedup)}"
        figure.tell(
            axes, (0, max(rung.speedup, rung.published_speedup)), (place - 0.5, place + 0.5), rung.kernel, *words
        )
    names = [shorten(rung.variant, 26) for rung in rungs]
    axes.set_yticks(places, names)
    axes.set_ylim(len(rungs) - 0.4, -0.6)
    axes.set_xlabel("times as fast as the first rung")
    axes.grid(axis="y", visible=False)
    height = figure.get_figheight()
    figure.legend(loc="upper left", ncols=2, bbox_to_anchor=(0.1, 1))
    figure.subplots_adjust(beside_names(names), 0.5 / height, 0.98, 1 - 0.3 / height)
    return figure


def gemm_blocking(rows: list[BlockingRow]) -> Drawing:
    """Draws the bandwidth from beyond the SM that a square block needs at the arithmetic peak, over its side, and each
    variant's.
    """
    figure, (axes,) = new(3.6)
    sides = np.geomspace(8, 512, 100)
    for width, colour, name in ((4, BLUE, "FP32"), (8, GREEN, "FP64")):
        mine = [row for row in rows if row.blocking.width == width and row.bandwidth]
        if not mine:
            continue
        axes.plot(sides, mine[0].roof / 2 * width * 2 / sides / 1e12, color=colour, label=f"needed at the {name} roof")
        seen: dict[tuple[float, float], list[str]] = {}
        for row in mine:
            side = 2 / (1 / row.blocking.rows + 1 / row.blocking.columns)
            needs = f"needs {units.value(row.bandwidth.needs, 'B/s')} from beyond the SM"
            figure.tell(axes, side, row.bandwidth.needs / 1e12, row.kernel, needs)
            seen.setdefault((side, row.bandwidth.needs / 1e12), []).append(row.kernel.split("/")[1])
        for (side, needs), names in seen.items():
            axes.plot(side, needs, "o", color=colour, markeredgecolor=PAPER, markersize=7)
            words = names[0] + (f" and {len(names) - 1} more" if len(names) > 1 else "")
            beside = {"xytext": (6, 5), "ha": "left", "va": "bottom"}
            if width == 4:  # below the slope, since the other precision's is often the same line
                beside = {"xytext": (-6, -4), "ha": "right", "va": "top"}
            axes.annotate(f"{name} {words}", (side, needs), textcoords="offset points", fontsize=SMALL, **beside)
    roof = next((row.bandwidth.has for row in rows if row.bandwidth), None)
    if roof:
        axes.axhline(roof / 1e12, color=RED, linestyle="--", label="device memory, measured")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(plain)
    axes.yaxis.set_minor_formatter(lambda *_: "")
    axes.set_xticks([8, 16, 32, 64, 128, 256, 512], ["8", "16", "32", "64", "128", "256", "512"])
    axes.set_xlabel("side of a block's tile of C, elements")
    axes.set_ylabel("bandwidth, TB/s")
    axes.legend(loc="upper right")
    figure.subplots_adjust(0.14, 0.16, 0.97, 0.97)
    return figure
