"""The data behind each page and figure: plain values, so that tests can hold them against numbers worked out by hand.

Nothing here draws or writes HTML. What has no value is None or NaN, never 0.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

import numpy as np

from reports.catalogue import BLOCKINGS, LADDERS, LITERATURE, Blocking, Ladder, Literature
from reports.files import Failure, Judgement
from reports.nights import RECENT, RED, SUITE, VERDICTS, Nights, environment_changes


@dataclass(frozen=True)
class Panel:
    """A metric that has a plot on each kernel's page, in this order."""

    metric: str
    title: str


TIME = Panel("time", "Time")
WALL_TIME = Panel("wall_time", "Wall time")
COUNTERS = (
    Panel("achieved_occupancy", "Achieved occupancy"),
    Panel("branch_efficiency", "Branch efficiency"),
    Panel("dram_throughput", "DRAM throughput"),
    Panel("shared_bank_conflicts", "Bank conflicts"),
)


def finite(number: float | None) -> float | None:
    """The number, or None where it is none."""
    return number if number is not None and math.isfinite(number) else None


def time_panel(nights: Nights, kernel: str) -> Panel:
    """Transfers have wall time only."""
    return TIME if np.isfinite(nights.series(kernel, "time")).any() else WALL_TIME


# ---- Tonight --------------------------------------------------------------------------------------------------------

HEADLINES = {
    0: ("good", "Nothing is worse"),
    1: ("bad", "Something got worse"),
    3: ("warn", "Inconclusive: something could not be decided"),
    4: ("warn", "No baseline fits this GPU"),
    5: ("bad", "Not everything could be measured"),
    130: ("warn", "Stopped by Ctrl-C"),
}


@dataclass(frozen=True)
class News:
    """A change point among the last nights: a level that moved, whatever the gate said night by night."""

    kernel: str
    metric: str
    date: str
    before: float
    after: float
    unit: str
    better: bool | None


@dataclass(frozen=True)
class Tonight:
    """The first screen. counts are of tonight's judgements by verdict, only those that were given."""

    tone: str
    headline: str
    detail: str
    replay: str | None
    counts: list[tuple[str, int]]
    worst: list[Blame]
    more: int  # kernels as bad that are not among them
    failures: list[Failure]
    environment: list[tuple[str, str, str]]
    notes: list[str]
    suites: list[str]
    news: list[News]


# Metrics whose moves are news: those of the plots, and time. Others follow from them.
_NEWS = (TIME, WALL_TIME, *COUNTERS)
_LOWER_IS_BETTER = {"time": True, "wall_time": True, "shared_bank_conflicts": True}
WORST = 8  # kernels on the first screen
WORST_ROWS = 3  # of each


@dataclass(frozen=True)
class Blame:
    """Judgements of one kernel that are worse, the gravest first; causes only where no earlier one told the same."""

    kernel: str
    time: Judgement | None  # what it did to the kernel's time, whether that is among the rows or not
    rows: list[tuple[Judgement, bool]]  # whether its causes are told
    more: int  # rows that are left out


def blames(judgements: list[Judgement], most_rows: int | None = None, most_told: int | None = None) -> list[Blame]:
    """Groups rows that are worse by kernel, in the order in which the report has them; of each kernel so many rows, and
    causes of so many of them."""
    times = {j.kernel: j for j in judgements if j.metric in (TIME.metric, WALL_TIME.metric) and j.now is not None}
    kernels: dict[str, list[Judgement]] = {}
    for judgement in judgements:
        if (judgement.verdict in RED or judgement.verdict == "unsure") and judgement.kernel != SUITE:
            kernels.setdefault(judgement.kernel, []).append(judgement)
    found = []
    for kernel, rows in kernels.items():
        told: set[str | None] = set()
        chosen = []
        for judgement in rows[:most_rows]:
            new = bool(judgement.causes) and judgement.story not in told
            chosen.append((judgement, new and (most_told is None or len(told) < most_told)))
            if new:
                told.add(judgement.story)
        found.append(Blame(kernel, times.get(kernel), chosen, len(rows) - len(chosen)))
    return found


def _news(nights: Nights) -> list[News]:
    found = []
    for kernel in nights.kernels:
        for panel in _NEWS:
            unit = nights.units.get(panel.metric, "")
            for change in nights.changes(kernel, panel.metric):
                if change.index < len(nights.dates) - RECENT:
                    continue
                better = (change.after < change.before) if _LOWER_IS_BETTER.get(panel.metric) else None
                date = nights.dates[change.index]
                found.append(News(kernel, panel.metric, date, change.before, change.after, unit, better))
    return sorted(found, key=lambda news: (news.better is True, news.date, news.kernel))


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' if count != 1 else ''}"


def _headline(nights: Nights) -> tuple[str, str, str]:
    """Tone, headline and a line below it."""
    report = nights.report
    if report is None:
        return "warn", "Tonight's run was not judged", "No report was ingested with it: cugate check --format json."
    tone, words = HEADLINES.get(report.exit_code, ("bad", f"The gate ended with exit code {report.exit_code}"))
    missing = len({j.kernel for j in report.judgements if j.verdict == "missing"} | {f.kernel for f in report.failures})
    kernels = {
        verdict: len({j.kernel for j in report.judgements if j.verdict == verdict and j.kernel != SUITE})
        for verdict in RED
    }
    told = [
        f"{_counted(kernels['regressed'], 'kernel')} got worse" if kernels["regressed"] else "",
        f"{_counted(missing, 'kernel')} could not be measured" if missing else "",
        f"{_counted(kernels['unexpected-pass'], 'known regression')} is gone" if kernels["unexpected-pass"] else "",
    ]
    if report.exit_code in (1, 5) and any(told):
        words = ", ".join(part for part in told if part)
    elif report.exit_code == 3 and any(suite.moved for suite in report.suites):
        words = "Inconclusive: the whole suite moved"
    judged = sum(j.verdict != "info" and j.kernel != SUITE for j in report.judgements)
    of = (report.counts or {}).get("kernels", len(nights.run.kernels))
    what = f"{_counted(judged, 'row')} in {_counted(of, 'kernel')} {'was' if judged == 1 else 'were'} judged"
    return tone, words, f"{what}; exit code {report.exit_code} ({report.verdict})."


def tonight(nights: Nights) -> Tonight:
    """What the first screen says."""
    report = nights.report
    tone, headline, detail = _headline(nights)
    counts = Counter(j.verdict for j in report.judgements) if report else Counter()
    failed = {failure.kernel for failure in report.failures} if report else set()
    rows = [j for j in report.judgements if j.kernel not in failed] if report else []
    bad = blames(rows, WORST_ROWS, most_told=1)
    environment = environment_changes(*nights.sessions[-2:]) if len(nights.sessions) > 1 else []
    suites = []
    for suite in report.suites if report else []:
        if suite.shift is not None:
            moved = ": the whole suite moved, which is judged apart" if suite.moved else ""
            suites.append(f"{suite.metric}: {100 * suite.shift:+.2f} % over {suite.kernels} kernels{moved}")
    return Tonight(
        tone=tone,
        headline=headline,
        detail=detail,
        replay=report.replay if report else None,
        counts=[(verdict, counts[verdict]) for verdict in VERDICTS if counts[verdict] and verdict != "info"],
        worst=bad[:WORST],
        more=max(0, len(bad) - WORST),
        failures=report.failures if report else [],
        environment=environment,
        notes=report.notes if report else [],
        suites=suites,
        news=_news(nights),
    )


@dataclass(frozen=True)
class KernelRow:
    """A kernel in the table of all: tonight's time and counters, and the time's change from the baseline."""

    kernel: str
    verdict: str
    time: float
    time_change: float | None  # a share
    counters: tuple[float, ...]  # as COUNTERS
    by_host: bool  # the time is the host's clock


def kernel_rows(nights: Nights) -> list[KernelRow]:
    rows = []
    for kernel in nights.kernels:
        panel = time_panel(nights, kernel)
        now, change = nights.tonight(kernel, panel.metric), None
        place = nights.place(kernel, panel.metric)
        base = nights.bases[(-1, *place)] if place else math.nan
        if math.isfinite(now) and math.isfinite(base) and base > 0:
            change = float(now / base - 1)
        counters = tuple(nights.tonight(kernel, counter.metric) for counter in COUNTERS)
        rows.append(KernelRow(kernel, nights.worst_verdict(kernel), now, change, counters, panel is WALL_TIME))
    return rows


# ---- A kernel over nights -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Series:
    """One panel of a kernel's page. low and high, moved by what the whole suite moved, bound what the gate calls same
    that night; NaN where it had no limit."""

    panel: Panel
    unit: str
    values: np.ndarray
    low: np.ndarray
    high: np.ndarray
    changes: list[int]  # the first night of each new level
    red: list[int]  # nights on which it was regressed


def kernel_series(nights: Nights, kernel: str) -> list[Series]:
    """The panels of a kernel that have a value on any night."""
    found = []
    for panel in (time_panel(nights, kernel), *COUNTERS):
        place = nights.place(kernel, panel.metric)
        values = nights.series(kernel, panel.metric)
        if place is None or not np.isfinite(values).any():
            continue
        row, column = place
        limit = nights.limits[:, row, column]
        base = nights.bases[:, row, column] + nights.drifts[:, row, column]
        red = np.flatnonzero(nights.verdicts[:, row, column] == VERDICTS.index("regressed"))
        changes = [change.index for change in nights.changes(kernel, panel.metric)]
        unit = nights.units.get(panel.metric, "")
        low = np.maximum(base - limit, 0)
        found.append(Series(panel, unit, values, low, base + limit, changes, red.tolist()))
    return found


# ---- Change by kernel and metric ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class HeatMap:
    """Change from the baseline tonight without what the whole suite moved, in limits: 1 is as far as the gate
    tolerates; signed, positive is more.

    moves has the shape (kernels, metrics); NaN where nothing was judged. A row without tolerance (limit 0) that moved
    at all is beyond every limit: infinite."""

    kernels: list[str]
    metrics: list[str]
    moves: np.ndarray
    verdicts: np.ndarray  # places in VERDICTS


def heat_map(nights: Nights) -> HeatMap:
    change, limit = nights.values[-1] - nights.bases[-1] - nights.drifts[-1], nights.limits[-1]
    with np.errstate(all="ignore"):
        moves = np.where(limit > 0, change / limit, np.where(change == 0, 0.0, np.sign(change) * np.inf))
    moves[~np.isfinite(limit) | ~np.isfinite(change)] = math.nan
    judged = np.isfinite(limit).any(axis=0)
    metrics = [metric for metric, known in zip(nights.metrics, judged, strict=True) if known]
    return HeatMap(nights.kernels, metrics, moves[:, judged], nights.verdicts[-1][:, judged])


# ---- The GPU: roofline, occupancy -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class RooflinePoint:
    """A kernel by what it executed: intensity in FLOP a byte of device memory, rate in FLOP/s."""

    kernel: str
    intensity: float
    rate: float
    bound: str
    share: float | None  # of the roof that it is nearest to


@dataclass(frozen=True)
class RooflineView:
    """bandwidth in bytes/s; peaks in FLOP/s by precision: what cugate's own kernels reached on this GPU tonight."""

    bandwidth: float | None
    peaks: dict[str, float]
    points: list[RooflinePoint]
    left_out: int  # kernels without floating-point work or without a known intensity


def roofline(nights: Nights) -> RooflineView | None:
    """None where tonight's run was not explained."""
    if not nights.explanations:
        return None
    bandwidth, peaks, points = None, {}, []
    for explanation in nights.explanations:
        line = explanation.roofline
        for name, roof in line.roofs.items():
            if roof.roof and name == "dram":
                bandwidth = roof.roof
            elif roof.roof and name.startswith("fp"):
                peaks[name] = roof.roof
        if line.flops and line.intensity and line.seconds:
            rate = line.flops / line.seconds
            points.append(RooflinePoint(explanation.kernel, line.intensity, rate, line.bound or "unknown", line.share))
    return RooflineView(bandwidth, peaks, points, len(nights.explanations) - len(points))


@dataclass(frozen=True)
class OccupancyRow:
    """Of the kernel's largest launch, in %: how many warps fit and were there, and what limits the first."""

    kernel: str
    theoretical: float
    achieved: float
    limits: tuple[str, ...]
    gap: str | None
    why: str | None


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


# ---- Ladders --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rung:
    """A variant tonight: time in ns, the counters in their units; share is the reference's time over its own."""

    kernel: str
    variant: str
    time: float
    dram: float
    occupancy: float
    conflicts: float
    share: float | None
    speedup: float | None  # over the family's first rung
    published: float | None  # seconds, on another GPU
    published_speedup: float | None


@dataclass(frozen=True)
class LadderView:
    family: str
    rungs: list[Rung]
    reference: str | None
    literature: Literature | None


def _ratio(above: float | None, below: float | None) -> float | None:
    if above is None or below is None or not math.isfinite(above) or not math.isfinite(below) or below <= 0:
        return None
    return above / below


def ladders(nights: Nights) -> list[LadderView]:
    """Families in the order of the catalogue, then others by name; rungs that were measured on any night."""
    families: dict[str, list[str]] = {}
    for kernel in nights.kernels:
        family, _, variant = kernel.partition("/")
        if variant:
            families.setdefault(family, []).append(variant)
    order = [family for family in LADDERS if family in families]
    order += [family for family in families if family not in LADDERS]
    views = []
    for family in order:
        ladder = LADDERS.get(family, Ladder(()))
        variants = [variant for variant in ladder.rungs if variant in families[family]]
        variants += [variant for variant in families[family] if variant not in ladder.rungs]
        literature = LITERATURE.get(family)
        rungs = _rungs(nights, family, variants, ladder.reference, literature)
        views.append(LadderView(family, rungs, ladder.reference, literature))
    return views


def _rungs(
    nights: Nights, family: str, variants: list[str], reference: str | None, literature: Literature | None
) -> list[Rung]:
    def time_of(variant: str) -> float:
        kernel = f"{family}/{variant}"
        return nights.tonight(kernel, time_panel(nights, kernel).metric)

    best = time_of(reference) if reference in variants else None
    published = literature.times if literature else {}
    first = next((published[variant] for variant in variants if variant in published), None)
    rungs = []
    for variant in variants:
        kernel, time = f"{family}/{variant}", time_of(variant)
        dram, occupancy, conflicts = (
            nights.tonight(kernel, metric)
            for metric in ("dram_throughput", "achieved_occupancy", "shared_bank_conflicts")
        )
        there = published.get(variant)
        share, speedup = _ratio(best, time), _ratio(time_of(variants[0]), time)
        rungs.append(
            Rung(kernel, variant, time, dram, occupancy, conflicts, share, speedup, there, _ratio(first, there))
        )
    return rungs


# ---- GEMM blocking --------------------------------------------------------------------------------------------------

REGISTERS_PER_SM = 65536  # 32-bit registers, from Kepler on
# KiB that a block may take, by compute capability (CUDA programming guide, technical specifications).
SHARED_PER_BLOCK = {
    "7.0": 96,
    "7.5": 64,
    "8.0": 163,
    "8.6": 99,
    "8.7": 163,
    "8.9": 99,
    "9.0": 227,
    "10.0": 227,
    "12.0": 99,
}
SHARED_ANYWHERE = 48  # that any block may take, on a chip that is not in the table


@dataclass(frozen=True)
class Bound:
    """One bound of a variant's blocking: what it needs, and what this GPU has."""

    needs: float
    has: float

    @property
    def holds(self) -> bool:
        return self.needs < self.has


@dataclass(frozen=True)
class BlockingRow:
    kernel: str
    blocking: Blocking
    bandwidth: Bound | None  # bytes/s; None where no roof was measured
    shared: Bound  # bytes
    registers: Bound
    rate: float | None  # FLOP/s that it reached, by the problem's own count
    roof: float | None  # FLOP/s of its precision


def gemm_blocking(nights: Nights) -> list[BlockingRow]:
    """Each GEMM variant whose blocking is known against the bounds of this GPU, at the arithmetic rate of its roof."""
    roofs = nights.sessions[-1].roofs
    shared = SHARED_PER_BLOCK.get(nights.device.compute_capability, SHARED_ANYWHERE) << 10
    rows = []
    for kernel, blocking in BLOCKINGS.items():
        if kernel not in nights.kernels:
            continue
        roof = roofs.get("fp64" if blocking.width == 8 else "fp32")
        bandwidth = None
        if roof and roofs.get("dram"):
            bandwidth = Bound(blocking.needed_bandwidth(roof), roofs["dram"])
        rate = finite(nights.tonight(kernel, "flop_rate"))
        needed = Bound(blocking.shared_bytes(), shared), Bound(blocking.registers(), REGISTERS_PER_SM)
        rows.append(BlockingRow(kernel, blocking, bandwidth, *needed, rate, roof))
    return rows


# ---- The gate itself ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Symmetry:
    """Rows of A/A comparisons of one class that moved beyond the limit, by direction; alike when the rule is fair."""

    metric_class: str
    rows: int
    worse: int
    better: int
    regressed: int
    unsure: int


@dataclass(frozen=True)
class Comparisons:
    """Sessions that were judged by others, and how often that ended with each exit code."""

    words: str
    count: int
    passed: int
    regressed: int
    unsure: int
    other: int  # not measured, or not comparable
    classes: list[Symmetry]


@dataclass(frozen=True)
class Gate:
    """How the gate does: false alarms of the same code judged by itself, and the smallest change it would catch."""

    sessions: int
    gpus: int
    first_date: str | None
    last_date: str | None
    views: list[Comparisons]
    detectable: list[tuple[str, float]]  # kernel, share of its time; smallest first


VIEW_WORDS = {
    "pairs": "each session judged by one other",
    "others": "each session judged by all others",
    "gpus": "each session judged by those of other GPUs",
}


def gate(nights: Nights) -> Gate | None:
    """None where no analysis was ingested."""
    analysis = nights.analysis
    if analysis is None:
        return None
    compared = []
    for name, view in analysis.views.items():
        if view is None:
            continue
        classes = [
            Symmetry(metric_class, tally.rows, tally.worse, tally.better, tally.regressed, tally.unsure)
            for metric_class, tally in view.classes.items()
        ]
        passed, regressed, unsure = (view.exit_codes.get(code, 0) for code in ("0", "1", "3"))
        other = view.comparisons - passed - regressed - unsure
        words = VIEW_WORDS.get(name, name)
        compared.append(Comparisons(words, view.comparisons, passed, regressed, unsure, other, classes))
    shares = [(d.kernel, d.share) for d in analysis.detectable if d.metric == "time" and d.share is not None]
    shares.sort(key=lambda pair: pair[1])
    return Gate(analysis.sessions, analysis.gpus, analysis.first_date, analysis.last_date, compared, shares)
