"""All figures. Each is a function from data of views.py to a matplotlib figure; axes have units."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.lines import Line2D

from cugate_reports import units
from cugate_reports.drawing import (
    BAND,
    BLUE,
    COLD,
    GREEN,
    GRID,
    HOT,
    INK,
    MUTED,
    ORANGE,
    PAPER,
    PURPLE,
    RED,
    SHADE,
    SMALL,
    Drawing,
    axis_label,
    beside_names,
    new,
    night_ticks,
    plain,
    shorten,
)
from cugate_reports.nights import VERDICTS, Mark
from cugate_reports.views import Gate, HeatMap, RooflineView, Series
from cugate_reports.week import Slower

_DOTS = 60  # up to so many nights, each night has a dot


def tell_nights(
    figure: Drawing, axes: Axes, dates: list[str], commits: list[str], columns: dict[str, list[str]]
) -> None:
    """Sets the text for each night: its date, the columns' values, and its commit where any night has one."""
    if any(commits):
        columns = {**columns, "commit": commits}
    figure.heads = list(columns)
    for night, words in enumerate(zip(*columns.values(), strict=True)):
        figure.tell(axes, night, None, units.night(dates[night]), *words)


# ---- A kernel over nights -------------------------------------------------------------------------------------------


def _boxes(low: np.ndarray, high: np.ndarray) -> list[list[tuple[float, float]]]:
    """Returns the band of limits as rectangles, one for each run of nights with equal limits, half a night wider on
    each side.

    So a band of one night is visible, and one of many equal nights is small in the file.
    """
    boxes = []
    breaks = np.flatnonzero((np.diff(low) != 0) | (np.diff(high) != 0)) + 1
    for nights in np.split(np.arange(len(low)), breaks):
        first, last, bottom, top = nights[0] - 0.5, nights[-1] + 0.5, low[nights[0]], high[nights[0]]
        if math.isfinite(bottom) and math.isfinite(top):
            boxes.append([(first, bottom), (last, bottom), (last, top), (first, top)])
    return boxes


def _panel(axes: Axes, series: Series) -> None:
    nights = np.arange(len(series.values))
    finite = series.values[np.isfinite(series.values)]
    size, unit = units.scale_of(float(finite.max()), series.unit)
    boxes = _boxes(series.low / size, series.high / size)
    if boxes:
        axes.add_collection(PolyCollection(boxes, facecolors=BAND, linewidths=0))
    dots = {"marker": "o", "markersize": 3} if len(nights) <= _DOTS else {}
    axes.plot(nights, series.values / size, color=BLUE, **dots)
    if np.any(np.isfinite(series.most) & (series.most > series.least)):
        for end in (series.least, series.most):
            axes.plot(nights, end / size, color=MUTED, linewidth=0.6)
    if series.red:
        axes.plot(series.red, series.values[series.red] / size, "X", color=RED, markersize=6, linestyle="none")
    for change in series.changes:
        axes.plot(change, series.values[change] / size, "D", color=ORANGE, markeredgecolor=INK, markersize=6)
    axes.set_title(axis_label(series.panel.title, unit))
    axes.margins(y=0.15)
    axes.yaxis.set_major_formatter(lambda tick, _: f"{tick:,.6g}")
    if not finite.any() and not series.high[np.isfinite(series.high)].any():
        axes.set_ylim(-0.15, 1)  # the value was always 0: an axis around that would have negative numbers
        axes.set_yticks([0])
        return
    spread = float(np.ptp(finite)) / size
    middle = float(finite.mean()) / size
    if spread < 0.01 * abs(middle) and not boxes:
        axes.set_ylim(middle * 0.98, middle * 1.02)  # noise far below a percent must not look like mountains


# Marks: kind, height as a share of the panel's, colour, style.
_MARKS = (("gpu_uuid", 0.08, MUTED, "-"), ("accepted", 1, PURPLE, ":"), ("environment", 1, MUTED, "--"))


def _kind_of(mark: Mark) -> str:
    return mark.fact if mark.fact in ("gpu_uuid", "accepted") else "environment"


def lettered(marks: Sequence[Mark]) -> list[tuple[str, Mark]]:
    """Returns the marks that a plot names by a letter: all but changes of the GPU, which a pool makes every night."""
    named = [mark for mark in marks if mark.fact != "gpu_uuid"]
    return [(chr(ord("A") + place) if place < 26 else f"{place + 1}", mark) for place, mark in enumerate(named)]


def _letters(marks: Sequence[Mark], least: float) -> list[tuple[str, float]]:
    """Returns letters and their positions above a plot. Marks that are too close share a text, such as A-C."""
    groups: list[list[tuple[str, Mark]]] = []
    for letter, mark in lettered(marks):
        if groups and mark.night - groups[-1][-1][1].night < least:
            groups[-1].append((letter, mark))
        else:
            groups.append([(letter, mark)])
    return [
        (
            group[0][0] if len(group) == 1 else f"{group[0][0]}-{group[-1][0]}",
            (group[0][1].night + group[-1][1].night) / 2 - 0.5,
        )
        for group in groups
    ]


# Of the named parts of a program: colour, hatch.
_FILLINGS = ((BLUE, ""), (ORANGE, ""), (GREEN, ""), (PURPLE, ""), (BLUE, "////"), (ORANGE, "...."))


def _stack(axes: Axes, stack: list[tuple[str, np.ndarray]]) -> None:
    """Stacks the times of a program's parts, in ns, for each night; nothing where they are NaN."""
    total = sum(times for _, times in stack)
    size, unit = units.scale_of(float(np.nanmax(total)), "ns")
    edges, below = np.arange(len(total) + 1) - 0.5, np.zeros(len(total))
    for (name, times), (colour, hatch) in zip(stack, [*_FILLINGS[: len(stack) - 1], (BAND, "")], strict=True):
        top = below + times / size
        look = {"facecolor": "none", "edgecolor": colour, "hatch": hatch} if hatch else {"facecolor": colour}
        axes.stairs(top, edges, baseline=below, fill=True, linewidth=0, label=shorten(name, 52), **look)
        below = top
    axes.set_ylim(0, float(np.nanmax(below)) * 1.05 or 1.0)
    axes.set_title(axis_label("GPU time by function", unit))
    axes.yaxis.set_major_formatter(plain)


def kernel_nights(
    dates: list[str],
    commits: list[str],
    series: list[Series],
    marks: Sequence[Mark],
    stack: list[tuple[str, np.ndarray]],
) -> Drawing:
    """Draws panels above each other over the same nights. marks are those of all kernels and this kernel's
    acceptances. stack: the parts of a program, see programs.Program; empty for a kernel.
    """
    tall, legend = (1.0, 0.1 + 0.18 * len(stack)) if stack else (0.0, 0.0)
    rows = len(series) + bool(stack)
    ratios = [2] * bool(stack) + [1] * len(series)
    figure, panels = new(0.95 + 1.1 * rows + tall + legend, rows=rows, sharex=True, height_ratios=ratios)
    if stack:
        _stack(panels[0], stack)
        handles, names = panels[0].get_legend_handles_labels()
        figure.legend(handles[::-1], names[::-1], loc="upper left", bbox_to_anchor=(0.1, 1))  # as they are stacked
    for axes, one in zip(panels[bool(stack) :], series, strict=True):
        _panel(axes, one)
    for axes in panels:
        # All marks of a kind are one collection, since a pool of GPUs has a mark for each night.
        for kind, top, colour, style in _MARKS:
            places = [mark.night - 0.5 for mark in marks if _kind_of(mark) == kind]
            if places and (kind != "gpu_uuid" or axes is panels[-1]):
                where = axes.get_xaxis_transform()
                axes.vlines(places, 0, top, colors=colour, linestyles=style, linewidth=1, transform=where)
    for words, place in _letters(marks, 0.06 * len(dates)):
        panels[0].annotate(
            words, (place, 1), xycoords=("data", "axes fraction"), ha="center", va="bottom", fontsize=SMALL, color=INK
        )
    night_ticks(panels[-1], dates)
    panels[-1].set_xlabel("night (UTC)")
    if lettered(marks):
        panels[0].set_title(panels[0].get_title("left"), pad=16)
    height = figure.get_figheight()
    figure.subplots_adjust(0.14, 0.5 / height, 0.92, 1 - (0.45 + legend) / height, hspace=0.55)
    told = {one.panel.title: [units.value(v, one.unit) for v in one.values] for one in series}
    told |= {shorten(name): [units.value(v, "ns") for v in times] for name, times in stack}
    tell_nights(figure, panels[0], dates, commits, told)
    return figure


WEEK_LINES = 6  # kernels that the figure of the week draws

# Of the kernels of a week: colour, marker.
_LINES = ((BLUE, "o"), (ORANGE, "s"), (GREEN, "^"), (PURPLE, "D"), (RED, "v"), (INK, "x"))


def week(dates: list[str], commits: list[str], slower: list[Slower]) -> Drawing:
    """Draws how much longer than before each kernel took, or how much more it did, of the worst ones, over these
    nights.
    """
    shown = slower[:WEEK_LINES]
    legend = 0.1 + 0.18 * len(shown)
    figure, (axes,) = new(2.1 + legend)
    columns = {}
    for (colour, marker), one in zip(_LINES, shown, strict=False):
        more = 100 * (one.values / one.before - 1)
        axes.plot(more, color=colour, marker=marker, markersize=4, label=shorten(one.kernel, 52))
        columns[shorten(one.kernel)] = [units.change(one.before, value, one.unit) for value in one.values]
    axes.axhline(0, color=MUTED, linewidth=0.8)
    axes.set_ylabel(f"{'longer' if all(one.is_timed for one in shown) else 'more'} than before, %")
    axes.yaxis.set_major_formatter(plain)
    axes.margins(y=0.12)
    night_ticks(axes, dates)
    axes.set_xlabel("night (UTC)")
    height = figure.get_figheight()
    figure.legend(loc="upper left", bbox_to_anchor=(0.1, 1))
    figure.subplots_adjust(0.15, 0.5 / height, 0.92, 1 - (0.1 + legend) / height)
    tell_nights(figure, axes, dates, commits, columns)
    return figure


# ---- Heat map -------------------------------------------------------------------------------------------------------

_STEPS = (-3, -1, -0.33, 0.33, 1, 3)


def heat_map(heat: HeatMap) -> Drawing:
    """Draws changes in limits, kernels down and metrics across, what is worse in hot colours. A cross marks what the
    gate called regressed.
    """
    colours = ListedColormap([*COLD, SHADE, *HOT])
    norm = BoundaryNorm([-1e9, *_STEPS, 1e9], colours.N)
    rows, columns = heat.moves.shape
    figure, (axes,) = new(1.75 + 0.7 + 0.155 * rows)
    shown = np.ma.masked_invalid(np.clip(heat.moves, -1e8, 1e8) + np.where(np.isnan(heat.moves), math.nan, 0))
    mesh = axes.pcolormesh(shown, cmap=colours, norm=norm, edgecolors="none")
    crosses = np.argwhere(heat.verdicts == VERDICTS.index("regressed"))
    axes.plot(
        crosses[:, 1] + 0.5, crosses[:, 0] + 0.5, "X", color=PAPER, markeredgecolor=INK, markersize=6, linestyle="none"
    )
    names = [shorten(kernel) for kernel in heat.kernels]
    left = beside_names(names)
    axes.set_yticks(np.arange(rows) + 0.5, names, fontsize=SMALL)
    axes.set_xticks(
        np.arange(columns) + 0.5, [shorten(metric, 24) for metric in heat.metrics], rotation=90, fontsize=SMALL
    )
    axes.xaxis.tick_top()
    axes.invert_yaxis()
    axes.grid(False)
    axes.tick_params(length=0)
    height = figure.get_figheight()
    figure.subplots_adjust(left, 0.7 / height, 0.99, 1 - 1.75 / height)
    bar = figure.add_axes((left, 0.48 / height, 0.98 - left, 0.12 / height))
    scale = figure.colorbar(mesh, cax=bar, orientation="horizontal", spacing="uniform", ticks=_STEPS)
    scale.set_label("worse (+) or better (-), in limits; x: regressed", fontsize=SMALL)
    scale.ax.set_xticklabels([f"{step:+g}" for step in _STEPS])
    for row, column in np.argwhere(np.isfinite(heat.limits)):
        words = heat_words(heat, row, column)
        figure.tell(axes, (column, column + 1), (row, row + 1), heat.kernels[row], *words)
    return figure


def heat_words(heat: HeatMap, row: int, column: int) -> list[str]:
    """Returns the text of a cell: "time 32.2 us -> 94.3 us, +192.4 %; limit 2.14 us: regressed"."""
    metric, base, now = heat.metrics[column], heat.bases[row, column], heat.nows[row, column]
    unit = heat.units.get(metric, "")
    moved = f"{units.value(base, unit)} -> {units.value(now, unit)}, {units.change(base, now, unit)}"
    limit = f"limit {units.limit(heat.limits[row, column], unit)}"
    return [metric, moved, f"{limit}: {VERDICTS[heat.verdicts[row, column]]}"]


# ---- The GPU --------------------------------------------------------------------------------------------------------

_BOUNDS = {
    "dram": ("o", BLUE, "device memory"),
    "shared": ("s", GREEN, "shared memory"),
    "compute": ("^", RED, "arithmetic"),
    "issue": ("D", PURPLE, "issue slots"),
    "latency": ("v", ORANGE, "latency"),
    "unknown": ("x", MUTED, "not known"),
}


def bound_words(bound: str) -> str:
    """Returns what a kernel is bound by, in the figure's words."""
    return _BOUNDS[bound][2] if bound in _BOUNDS else bound


def _roofs(axes: Axes, view: RooflineView, low: float, high: float) -> None:
    """Draws the roofs, with their names where no kernel can be: beside the plot, and above the slope of memory."""
    bandwidth = view.bandwidth or 0.0
    across = np.geomspace(low, high, 200)
    peaks = sorted(view.peaks.items(), key=lambda item: item[1])
    bottom, top = (math.log(end) for end in axes.get_ylim())
    last = -math.inf
    for name, peak in peaks:
        axes.plot(across, np.minimum(across * bandwidth, peak) / 1e12, color=MUTED, linewidth=1)
        height = (math.log(peak / 1e12) - bottom) / (top - bottom)
        last = max(height, last + 0.05)  # a line of text takes a twentieth
        words = f"{shorten(name.upper(), 10)} {plain(peak / 1e12)}"
        axes.annotate(words, (1.01, last), xycoords="axes fraction", va="center", fontsize=SMALL, annotation_clip=False)
    ridge = min([*view.peaks.values(), bandwidth * high]) / bandwidth
    place = math.sqrt(low * max(min(ridge, high), low))
    axes.annotate(
        f"device memory, {bandwidth / 1e12:.2f} TB/s",
        (place, place * bandwidth / 1e12),
        xytext=(0.02, 0.97),
        textcoords="axes fraction",
        va="top",
        fontsize=SMALL,
        arrowprops={"arrowstyle": "-", "color": MUTED, "linewidth": 0.7},
    )


def roofline(view: RooflineView) -> Drawing:
    """Rate over intensity, both axes logarithmic; the roofs are what this GPU reached."""
    figure, (axes,) = new(4.2)
    drawn = [point for point in view.points if 1e-9 < point.intensity < 1e12 and point.rate < 1e24]
    intensities = [point.intensity for point in drawn] or [1.0]
    low, high = min(intensities) / 3, max(max(intensities) * 3, 100)
    axes.set_xscale("log")
    axes.set_yscale("log")
    rates = [point.rate for point in drawn if point.rate > 0] or [1e12]
    # above all roofs there is room for a name
    axes.set_ylim(min(rates) / 2e12, 6 * max([*rates, *view.peaks.values()]) / 1e12)
    if view.bandwidth:
        _roofs(axes, view, low, high)
    used = []
    for bound, (marker, colour, words) in _BOUNDS.items():
        points = [point for point in drawn if (point.bound if point.bound in _BOUNDS else "unknown") == bound]
        if points:
            used.append(Line2D([], [], marker=marker, color=colour, linestyle="none", label=words))
            axes.plot(
                [point.intensity for point in points],
                [point.rate / 1e12 for point in points],
                marker,
                color=colour,
                markeredgecolor=PAPER if marker != "x" else colour,
                linestyle="none",
                markersize=7,
            )
        for point in points:
            rate, intensity = units.value(point.rate, "FLOP/s"), units.value(point.intensity, "ratio")
            near = "" if point.share is None else f"; {100 * point.share:.1f} % of its nearest roof"
            said = f"bound by {words}{near}"
            figure.tell(axes, point.intensity, point.rate / 1e12, point.kernel, f"{rate} at {intensity} FLOP/B", said)
    axes.xaxis.set_major_formatter(plain)
    axes.yaxis.set_major_formatter(plain)
    axes.set_xlim(low, high * 1.05)
    axes.set_xlabel("intensity, FLOP a byte of device memory")
    axes.set_ylabel("rate, TFLOP/s")
    figure.legend(
        handles=used, title="bound by", loc="upper left", ncols=3, bbox_to_anchor=(0.12, 1), title_fontsize=SMALL
    )
    figure.subplots_adjust(0.15, 0.12, 0.83, 0.82)
    return figure


# ---- The gate -------------------------------------------------------------------------------------------------------


# Verdict: colour, hatch.
STACKED = {
    "regressed": (RED, ""),
    "missing": (INK, ""),
    "unexpected-pass": (PURPLE, ""),
    "unsure": (ORANGE, "////"),
    "improved": (GREEN, "...."),
}


def verdict_nights(dates: list[str], commits: list[str], counts: np.ndarray, trend: np.ndarray, of: str) -> Drawing:
    """How long the kernels took (Nights.trend, of what is in `of`), and below it the kernels by verdict in each night,
    what is red, unsure or improved; counts as Nights.counts.
    """
    any_bar = bool(counts[:, [VERDICTS.index(verdict) for verdict in STACKED]].any())
    figure, panels = new(3.9 if any_bar else 2.4, rows=1 + any_bar, sharex=True, height_ratios=[3, 2][: 1 + any_bar])
    above, axes = panels[0], panels[-1]
    share = 100 * (trend - 1)
    above.axhline(0, color=MUTED, linewidth=0.8)
    above.plot(share, color=BLUE, **({"marker": "o", "markersize": 3} if len(dates) <= _DOTS else {}))
    red = np.flatnonzero(counts[:, [VERDICTS.index(verdict) for verdict in ("regressed", "missing")]].any(axis=1))
    above.plot(red, share[red], "X", color=RED, markersize=6, linestyle="none")
    above.set_title(f"{of} against the first night, %")
    least, most = (float(end(np.nan_to_num(share))) for end in (np.min, np.max))
    above.set_ylim(min(1.2 * least, -1.0), max(1.2 * most, 1.0))  # noise must not look like mountains
    above.yaxis.set_major_formatter(plain)
    bottom = np.zeros(len(dates))
    for verdict, (colour, hatch) in STACKED.items() if any_bar else ():
        heights = counts[:, VERDICTS.index(verdict)].astype(float)
        places = np.flatnonzero(heights)  # a bar without height would still have an edge
        if not len(places):
            continue
        axes.bar(
            places,
            heights[places],
            0.9,
            bottom[places],
            facecolor=colour if not hatch else "none",
            edgecolor=colour,
            hatch=hatch,
            linewidth=0.5,
            label=verdict,
        )
        bottom += heights
    if any_bar:
        axes.set_ylim(0, max(1.0, bottom.max() * 1.05))
        axes.set_title("Kernels by verdict")
        axes.yaxis.get_major_locator().set_params(integer=True)
        figure.legend(loc="upper left", ncols=3, bbox_to_anchor=(0.1, 1))
    night_ticks(axes, dates)
    axes.set_xlabel("night (UTC)")
    axes.grid(axis="x", visible=False)
    figure.subplots_adjust(0.13, 0.13 if any_bar else 0.2, 0.92, 0.82 if any_bar else 0.88, hspace=0.35)
    told = {verdict: [f"{count:,.0f}" for count in counts[:, place]] for place, verdict in enumerate(VERDICTS)}
    words = ["" if np.isnan(one) else f"{one:+.2f} %" for one in share]
    tell_nights(figure, axes, dates, commits, {of: words, **{name: told[name] for name in (*STACKED, "same")}})
    return figure


def symmetry(gate: Gate) -> Drawing:
    """Draws, for unchanged code judged by itself, the rows beyond the limit to either side, in 1,000."""
    labels, worse, better = [], [], []
    for view in gate.views:
        for one in view.classes:
            if one.worse or one.better:
                labels.append(shorten(f"{one.metric_class}, {view.by}"))
                worse.append(1000 * one.worse / one.rows)
                better.append(1000 * one.better / one.rows)
    figure, (axes,) = new(1.0 + 0.22 * len(labels))
    places = np.arange(len(labels))
    axes.barh(places, [-value for value in better], color=GREEN, height=0.7, label="to the better")
    axes.barh(places, worse, color=RED, height=0.7, label="to the worse")
    most = max([*worse, *better, 0.1])
    for place, (left, right) in enumerate(zip(better, worse, strict=True)):
        axes.annotate(f"{left:.2g}", (-left - 0.02 * most, place), ha="right", va="center", fontsize=SMALL)
        axes.annotate(f"{right:.2g}", (right + 0.02 * most, place), ha="left", va="center", fontsize=SMALL)
        words = f"to the worse {right:.3g} of 1,000 rows", f"to the better {left:.3g}"
        figure.tell(axes, (-1.2 * most, 1.2 * most), (place - 0.5, place + 0.5), labels[place], *words)
    axes.axvline(0, color=INK, linewidth=0.8)
    axes.set_xlim(-1.2 * most, 1.2 * most)
    axes.xaxis.set_major_formatter(lambda value, _: f"{abs(value):g}")
    axes.set_yticks(places, labels, fontsize=SMALL)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.set_xlabel("rows beyond the limit, of 1,000 judged")
    axes.grid(axis="y", visible=False)
    height = figure.get_figheight()
    figure.legend(loc="upper left", ncols=2, bbox_to_anchor=(0.3, 1))
    figure.subplots_adjust(beside_names(labels), 0.48 / height, 0.97, 1 - 0.3 / height)
    return figure


def detectable(gate: Gate) -> Drawing:
    """The smallest slow-down of each kernel that is caught in 99 of 100 cases, smallest first."""
    figure, (axes,) = new(2.6)
    shares = [100 * share for _, share in gate.detectable]
    axes.step(shares, np.arange(1, len(shares) + 1), where="post", color=BLUE)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.xaxis.set_minor_formatter(lambda value, _: f"{value:g}" if f"{value:e}"[0] in "25" else "")
    axes.tick_params(axis="x", which="minor", labelsize=9, pad=5)
    for place, (kernel, share) in enumerate(gate.detectable, start=1):
        figure.tell(axes, 100 * share, place, kernel, f"from {units.value(100 * share, '%')} on")
    axes.set_xlabel("smallest slow-down that is caught, % of the kernel's time")
    axes.set_ylabel("kernels")
    axes.yaxis.get_major_locator().set_params(integer=True)
    axes.set_ylim(0, len(shares) + 1)
    axes.grid(which="both", color=GRID, linewidth=0.5)
    figure.subplots_adjust(0.12, 0.2, 0.96, 0.95)
    return figure
