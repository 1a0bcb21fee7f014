"""The data behind each page and figure, as plain values that tests can compare with numbers computed by hand.

Nothing here draws or writes HTML. A missing value is None or NaN, never 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from cugate_reports.definitions import Panel, betters, headlines
from cugate_reports.nights import RED, VERDICTS, Nights

TIME = Panel("time", "Time")
WALL_TIME = Panel("wall_time", "Wall time")
GPU_TIME = Panel("gpu_time", "GPU time")
COUNTERS = headlines()
PANELS = (TIME, WALL_TIME, GPU_TIME, *COUNTERS)


def finite(number: float | None) -> float | None:
    """Returns the number, or None where it is not finite."""
    return number if number is not None and math.isfinite(number) else None


def time_panel(nights: Nights, kernel: str) -> Panel:
    """Returns the panel of time, see Nights.time_metric."""
    return {panel.metric: panel for panel in (TIME, GPU_TIME)}.get(nights.time_metric(kernel) or "", WALL_TIME)


def has_time(nights: Nights, kernel: str) -> bool:
    """Whether a kernel has a time on any night: computed nights have none."""
    return nights.time_metric(kernel) is not None


def panels(nights: Nights, kernel: str) -> tuple[Panel, ...]:
    """Returns what is drawn of a kernel and watched for changes: its time and the headline counters. Without a time it
    is what was judged: first what is worse tonight, then what moved most over the nights.
    """
    if has_time(nights, kernel):
        return time_panel(nights, kernel), *COUNTERS
    over = nights.over(kernel)
    info, same = VERDICTS.index("info"), VERDICTS.index("same")
    held = (over.verdicts < info) | (
        (over.verdicts == info) & np.isfinite(over.bases)
    )  # also what was not computed again
    judged = np.flatnonzero(held.any(axis=0))
    if not len(judged):
        return COUNTERS
    least, most = (np.nan_to_num(end.reduce(over.values[:, judged], axis=0)) for end in (np.fmin, np.fmax))
    moves = dict(zip(judged.tolist(), (most - least) / np.maximum(most, 1), strict=True))
    known = dict(zip(judged.tolist(), most.tolist(), strict=True))

    def order(column: int) -> tuple[object, ...]:
        verdict = min(int(over.verdicts[-1, column]), same)
        return verdict, -moves[column], known[column] == 0, nights.metrics[column] != "instructions"

    return tuple(
        Panel(nights.metrics[column], title_of(nights.metrics[column]))
        for column in sorted(moves, key=order)[:JUDGED_PANELS]
    )


JUDGED_PANELS = 6  # rows that are drawn of a kernel without a time


def title_of(metric: str) -> str:
    """Returns "Shared wavefronts" of shared_wavefronts."""
    return metric.replace("_", " ").capitalize()


def better_is(nights: Nights, metric: str) -> str | None:
    """Returns which direction is better, lower or higher, by tonight's run; an earlier cugate's lacks it, but has the
    metrics of the metric files. None where neither says.
    """
    note = nights.run.metrics.get(metric)
    return (note.better if note else None) or betters().get(metric)


# ---- A kernel over nights -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Series:
    """One panel of a kernel's page. The gate calls values between low and high the same on that night; the shift that
    all kernels share is included. NaN where it had no limit.
    """

    panel: Panel
    unit: str
    values: np.ndarray
    low: np.ndarray
    high: np.ndarray
    changes: list[int]  # index of the first night of each new level
    red: list[int]  # indices of nights on which it was regressed
    least: np.ndarray  # the least of all runners; with one runner its value
    most: np.ndarray


def kernel_series(nights: Nights, kernel: str) -> list[Series]:
    """Returns the panels of a kernel that have a value on any night."""
    found = []
    for panel in panels(nights, kernel):
        place = nights.place(kernel, panel.metric)
        values = nights.series(kernel, panel.metric)
        if place is None or not np.isfinite(values).any():
            continue
        over, column = nights.over(kernel), place[1]
        limit = over.limits[:, column]
        base = over.bases[:, column] + over.drifts[:, column]
        red = np.flatnonzero(over.verdicts[:, column] == VERDICTS.index("regressed"))
        changes = [change.index for change in nights.changes(kernel, panel.metric)]
        unit = nights.units.get(panel.metric, "")
        low = np.maximum(base - limit, 0)
        ends = over.least[:, column], over.most[:, column]
        found.append(Series(panel, unit, values, low, base + limit, changes, red.tolist(), *ends))
    return found


# ---- Change by kernel and metric ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class HeatMap:
    """Changes from the baseline tonight, in limits, without the shift that all kernels share.

    1 is as far as the gate tolerates; positive is worse. moves has the shape (kernels, metrics), with NaN where
    nothing was judged. A row without tolerance (limit 0) that moved at all is infinite.
    """

    kernels: list[str]
    metrics: list[str]
    units: dict[str, str]
    moves: np.ndarray
    verdicts: np.ndarray  # indices in VERDICTS
    bases: np.ndarray
    nows: np.ndarray
    limits: np.ndarray

    def moved(self) -> HeatMap:
        """Keeps the kernels and metrics of which something was judged worse or moved by more than MOVED."""
        cells = (np.nan_to_num(np.abs(self.moves)) > MOVED) | np.isin(self.verdicts, [VERDICTS.index(v) for v in RED])
        rows, columns = np.flatnonzero(cells.any(axis=1)), np.flatnonzero(cells.any(axis=0))
        cut = np.ix_(rows, columns)
        kernels, metrics = [self.kernels[row] for row in rows], [self.metrics[column] for column in columns]
        arrays = (array[cut] for array in (self.moves, self.verdicts, self.bases, self.nows, self.limits))
        return HeatMap(kernels, metrics, self.units, *arrays)


MOVED = 0.33  # in limits: smaller moves are not drawn


def heat_map(nights: Nights) -> HeatMap:
    change, limit = nights.values - nights.bases - nights.drifts, nights.limits
    with np.errstate(all="ignore"):
        moves = np.where(limit > 0, change / limit, np.where(change == 0, 0.0, np.sign(change) * np.inf))
    moves[~np.isfinite(limit) | ~np.isfinite(change)] = math.nan
    judged = (np.isfinite(limit) & np.isfinite(nights.values)).any(axis=0)  # files have no number of launches
    metrics = [metric for metric, known in zip(nights.metrics, judged, strict=True) if known]
    moves[:, [better_is(nights, metric) == "higher" for metric in nights.metrics]] *= -1
    arrays = (moves, nights.verdicts, nights.bases, nights.values, limit)
    return HeatMap(nights.kernels, metrics, nights.units, *(array[:, judged] for array in arrays))


# ---- The GPU: roofline, occupancy -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class RooflinePoint:
    """A kernel by what it executed: intensity in FLOP per byte of device memory, rate in FLOP/s."""

    kernel: str
    intensity: float
    rate: float
    bound: str
    share: float | None  # share of the nearest roof


@dataclass(frozen=True)
class RooflineView:
    """bandwidth in bytes/s, peaks in FLOP/s by precision: what cugate's own kernels reached on this GPU tonight."""

    bandwidth: float | None
    peaks: dict[str, float]
    points: list[RooflinePoint]
    left_out: int  # number of kernels without floating-point work or without a known intensity
    uncounted: list[str]  # kernels of whose operations most were not counted, so that a point would be a wrong one


COUNTED = 0.5  # share of the operations that a kernel states, of which at least so many are counted for a point


def roofline(nights: Nights) -> RooflineView | None:
    """Returns None where tonight's run was not explained."""
    if not nights.explanations:
        return None
    bandwidth, peaks, points, uncounted = None, {}, [], []
    for explanation in nights.explanations:
        line = explanation.roofline
        for name, roof in line.roofs.items():
            if roof.roof and name == "dram":
                bandwidth = roof.roof
            elif roof.roof and name.startswith("fp"):
                peaks[name] = roof.roof
        if line.flops is not None and line.flops < COUNTED * (line.stated_flops or 0):
            uncounted.append(explanation.kernel)
        elif line.flops and line.intensity and line.seconds:
            rate = line.flops / line.seconds
            points.append(RooflinePoint(explanation.kernel, line.intensity, rate, line.bound or "unknown", line.share))
    left_out = len(nights.explanations) - len(points) - len(uncounted)
    return RooflineView(bandwidth, peaks, points, left_out, uncounted)


@dataclass(frozen=True)
class OccupancyRow:
    """Warps of the kernel's largest launch, in %: how many fit and were active, and what limits the former."""

    kernel: str
    theoretical: float
    achieved: float
    limits: tuple[str, ...]
    gap: str | None
    why: str | None

    def share(self, percent: float) -> float:
        """Returns how long a bar is, in %: a number of a file may be any."""
        return round(min(max(percent, 0.0), 100.0), 1) if math.isfinite(percent) else 0.0


def occupancy(nights: Nights) -> list[OccupancyRow]:
    rows = []
    for explanation in nights.explanations:
        seen, launches = explanation.occupancy, explanation.launches
        if seen.achieved is None or seen.largest_launch is None or seen.largest_launch >= len(launches):
            continue
        launch = launches[seen.largest_launch]
        if launch.theoretical_occupancy is not None:
            limits = tuple(launch.limits or ())
            theoretical = launch.theoretical_occupancy
            rows.append(OccupancyRow(explanation.kernel, theoretical, seen.achieved, limits, seen.gap, seen.why))
    return rows


# ---- The gate itself ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Symmetry:
    """Rows of A/A comparisons of one class that moved beyond the limit, by direction; both are alike when the rule is
    fair.
    """

    metric_class: str
    rows: int
    worse: int
    better: int
    regressed: int
    unsure: int


@dataclass(frozen=True)
class Comparisons:
    """Sessions that were judged by others, and how often that ended with each exit code."""

    name: str  # name in the analysis
    by: str  # what each session was judged by
    count: int
    passed: int
    regressed: int
    unsure: int
    other: int  # how many comparisons were not measured, or not comparable
    classes: list[Symmetry]


@dataclass(frozen=True)
class Gate:
    """How the gate performs: false alarms of unchanged code judged by itself, and the smallest change it would
    catch.
    """

    sessions: int
    gpus: int
    first_date: str | None
    last_date: str | None
    views: list[Comparisons]
    detectable: list[tuple[str, float]]  # kernel, and the smallest detectable share of its time; smallest first


# What each session was judged by, the most telling first.
JUDGED_BY = {"others": "all others", "gpus": "other GPUs", "pairs": "one session"}


def gate(nights: Nights) -> Gate | None:
    """Returns None where no analysis was ingested."""
    analysis = nights.analysis
    if analysis is None:
        return None
    compared = []
    order = [*JUDGED_BY, *(name for name in analysis.views if name not in JUDGED_BY)]
    for name in order:
        view = analysis.views.get(name)
        if view is None:
            continue
        classes = [
            Symmetry(metric_class, tally.rows, tally.worse, tally.better, tally.regressed, tally.unsure)
            for metric_class, tally in view.classes.items()
        ]
        passed, regressed, unsure = (view.exit_codes.get(code, 0) for code in ("0", "1", "3"))
        other = view.comparisons - passed - regressed - unsure
        by = JUDGED_BY.get(name, name)
        compared.append(Comparisons(name, by, view.comparisons, passed, regressed, unsure, other, classes))
    shares = [(d.kernel, d.share) for d in analysis.detectable if d.metric == "time" and d.share is not None]
    shares.sort(key=lambda pair: pair[1])
    return Gate(analysis.sessions, analysis.gpus, analysis.first_date, analysis.last_date, compared, shares)
