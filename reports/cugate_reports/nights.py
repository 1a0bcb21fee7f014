"""What the pages show, taken out of the files of a history: arrays over nights, kernels and metrics, and tonight's
files whole.

A night is one run. Verdicts, bases and limits are those that the gate gave in that night's report; nothing is judged
here."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import msgspec
import numpy as np
from msgspec import Struct

from cugate_reports import files
from cugate_reports.changes import Change, find_changes
from cugate_reports.files import Analysis, Explanation, Report, Run, Session
from cugate_reports.history import History, analysis_key

# Worst first. What is no verdict of the gate's is "not judged".
VERDICTS = (
    "regressed",
    "missing",
    "unexpected-pass",
    "unsure",
    "expected",
    "trade-off",
    "new",
    "improved",
    "same",
    "info",
    "not judged",
)
RED = frozenset({"regressed", "missing", "unexpected-pass"})
NOT_JUDGED = VERDICTS.index("not judged")

# In a report, all kernels together: what `cugate check` judges when the whole suite moved. No kernel is called so.
SUITE = "(suite)"

# The facts of a session whose change may explain a step, in the order in which they are told.
ENVIRONMENT = ("driver", "cuda", "cupti", "compiler", "flags", "collector", "cugate", "gpu_uuid", "host", "commit")
MARKED = ("driver", "cuda", "cupti", "compiler", "flags", "gpu_uuid")  # of them, those that a plot marks

RECENT = 10  # nights: a change point among the last of them is news; small steps are found so late


@dataclass(frozen=True)
class Mark:
    """Something that happened before a night: fact is one of MARKED or "accepted"; text says what."""

    night: int
    fact: str
    text: str


@dataclass
class Nights:
    """The history of one model of GPU by one collector. Arrays have the shape (nights, kernels, metrics); NaN where
    there is no value."""

    device: files.Device
    dates: list[str]
    sessions: list[Session]  # the last one of each night
    kernels: list[str]
    metrics: list[str]
    units: dict[str, str]
    values: np.ndarray
    bases: np.ndarray
    limits: np.ndarray
    drifts: np.ndarray  # part of the change that the whole suite made, which the gate takes off first
    verdicts: np.ndarray  # places in VERDICTS, 8 bits
    counts: np.ndarray  # judgements by verdict, those of whole kernels too; shape (nights, verdicts)
    marks: list[Mark]  # of all kernels
    accepted: dict[str, list[Mark]]  # by kernel
    run: Run  # tonight's
    report: Report | None
    explanations: list[Explanation]
    analysis: Analysis | None
    _changes: dict[tuple[int, int], list[Change]] = field(default_factory=dict)

    def place(self, kernel: str, metric: str) -> tuple[int, int] | None:
        """Where the two are in the arrays; None when either is unknown."""
        try:
            return self.kernels.index(kernel), self.metrics.index(metric)
        except ValueError:
            return None

    def series(self, kernel: str, metric: str) -> np.ndarray:
        """One value a night."""
        place = self.place(kernel, metric)
        return np.full(len(self.dates), math.nan) if place is None else self.values[:, place[0], place[1]]

    def tonight(self, kernel: str, metric: str) -> float:
        return float(self.series(kernel, metric)[-1])

    def changes(self, kernel: str, metric: str) -> list[Change]:
        """The change points of a series, found once."""
        place = self.place(kernel, metric)
        if place is None:
            return []
        if place not in self._changes:
            self._changes[place] = find_changes(self.values[:, place[0], place[1]])
        return self._changes[place]

    def worst_verdict(self, kernel: str) -> str:
        """Tonight's worst of a kernel's metrics, and of the kernel as a whole: one that crashed is missing."""
        judged = int(self.verdicts[-1, self.kernels.index(kernel)].min())
        whole = [
            j.verdict for j in (self.report.judgements if self.report else []) if j.kernel == kernel and not j.metric
        ]
        return VERDICTS[min([judged, *(VERDICTS.index(verdict) for verdict in whole if verdict in VERDICTS)])]


# ---- Taking a history apart -----------------------------------------------------------------------------------------


class _Judged(Struct):
    """Of a judgement, what the past needs."""

    kernel: str
    verdict: str
    metric: str | None = None
    base: float | None = None
    limit: float | None = None
    drift: float | None = None


class _PastReport(Struct):
    judgements: list[_Judged]


class _Names:
    """Numbers names in the order in which they come."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def __getitem__(self, name: str) -> int:
        return self.numbers.setdefault(name, len(self.numbers))

    def order(self) -> tuple[list[str], np.ndarray]:
        """The names sorted, and for each its number."""
        names = sorted(self.numbers)
        return names, np.array([self.numbers[name] for name in names], dtype=int)


class _Gatherer:
    """Collects nights one by one; of a past one only its numbers stay in memory."""

    def __init__(self) -> None:
        self.kernels, self.metrics = _Names(), _Names()
        self.units: dict[str, str] = {}
        self.dates: list[str] = []
        self.keys: dict[str, int] = {}
        self.sessions: list[Session] = []
        self.values: list[np.ndarray] = []  # a night: kernel, metric, value
        self.judged: dict[int, np.ndarray] = {}  # by night: kernel, metric, verdict, base, limit, drift
        self.counts: dict[int, np.ndarray] = {}  # by night: judgements by verdict

    def add_run(self, key: str, date: str, run: Run) -> None:
        self.keys[key] = len(self.dates)
        self.dates.append(date)
        self.sessions.append(max(run.sessions, key=lambda session: session.date or ""))
        self.units.update({name: note.unit for name, note in run.metrics.items()})
        rows = [
            (self.kernels[kernel], self.metrics[metric], row.value())
            for kernel, result in run.kernels.items()
            for metric, row in result.metrics.items()
        ]
        for kernel in run.kernels:
            self.kernels[kernel]  # one that was not measured is known all the same
        self.values.append(np.array(rows, dtype=float).reshape(-1, 3))

    def add_report(self, key: str, report: _PastReport) -> None:
        if key not in self.keys:
            return
        night, known = self.keys[key], {name: place for place, name in enumerate(VERDICTS)}
        verdicts = [known.get(j.verdict, NOT_JUDGED) for j in report.judgements]
        self.counts[night] = np.bincount(verdicts, minlength=len(VERDICTS)) if verdicts else np.zeros(len(VERDICTS))
        rows = [
            (self.kernels[j.kernel], self.metrics[j.metric], verdict, j.base, j.limit, j.drift)
            for j, verdict in zip(report.judgements, verdicts, strict=True)
            if j.metric is not None and j.kernel != SUITE
        ]
        array = np.array([[math.nan if cell is None else cell for cell in row] for row in rows], dtype=float)
        self.judged[night] = array.reshape(-1, 6)

    def arrays(self) -> tuple[list[str], list[str], dict[str, np.ndarray]]:
        """Names of kernels and metrics, sorted; the arrays of Nights by their names."""
        shape = (len(self.dates), len(self.kernels.numbers), len(self.metrics.numbers))
        values, bases, limits, drifts = (np.full(shape, math.nan) for _ in range(4))
        verdicts = np.full(shape, NOT_JUDGED, dtype=np.uint8)
        for night, rows in enumerate(self.values):
            values[night, rows[:, 0].astype(int), rows[:, 1].astype(int)] = rows[:, 2]
        for night, rows in self.judged.items():
            where = night, rows[:, 0].astype(int), rows[:, 1].astype(int)
            verdicts[where], bases[where] = rows[:, 2], rows[:, 3]
            limits[where], drifts[where] = rows[:, 4], np.nan_to_num(rows[:, 5])
        kernels, kernel_order = self.kernels.order()
        metrics, metric_order = self.metrics.order()
        chosen = np.ix_(np.arange(shape[0]), kernel_order, metric_order)
        arrays = {"values": values, "bases": bases, "limits": limits, "drifts": drifts, "verdicts": verdicts}
        nothing = np.zeros(len(VERDICTS))
        counts = np.stack([self.counts.get(night, nothing) for night in range(shape[0])])
        return kernels, metrics, {**{name: array[chosen] for name, array in arrays.items()}, "counts": counts}


def environment_changes(before: Session, after: Session) -> list[tuple[str, str, str]]:
    """What differs: (fact, before, after), in the order of ENVIRONMENT; unknown facts are no difference."""
    pairs = [(fact, getattr(before, fact), getattr(after, fact)) for fact in ENVIRONMENT]
    return [(fact, old, new) for fact, old, new in pairs if old is not None and new is not None and old != new]


def _marks(sessions: list[Session]) -> list[Mark]:
    found = []
    for night in range(1, len(sessions)):
        for fact, before, after in environment_changes(sessions[night - 1], sessions[night]):
            if fact in MARKED:
                found.append(Mark(night, fact, f"{fact}: {before} -> {after}"))
    return found


def _acceptances(baselines: Iterable[Run], dates: list[str]) -> dict[str, list[Mark]]:
    """When a kernel's baseline gained sessions, by the reason that was given: before which night, and why.

    A baseline keeps when its sessions measured, not when they were accepted: that was after the last one of a reason.
    """
    accepted: dict[str, list[Mark]] = {}
    for baseline in baselines:
        told = [(s.reason, s.date) for s in baseline.sessions if s.reason is not None and s.date]
        told.sort(key=lambda pair: pair[1])
        last = [pair for pair, after in zip(told, [*told[1:], (None, "")], strict=True) if pair[0] != after[0]]
        marks = [
            Mark(int(np.searchsorted(np.array(dates), date, "right")), "accepted", reason) for reason, date in last
        ]
        for kernel in baseline.kernels:
            accepted[kernel] = [mark for mark in marks if 0 < mark.night < len(dates)]
    return accepted


def load(history: History, device: str, last: int, progress: Callable[[int], None] = lambda _: None) -> Nights:
    """The last nights of one GPU model (files.model_key); progress is told how many were read. KeyError when there is
    none."""
    gatherer = _Gatherer()
    run_body = report_body = b""
    for stored in history.read("run", device, last):
        run_body = stored.body
        gatherer.add_run(stored.key, stored.date, files.parse(run_body, Run))
        progress(len(gatherer.dates))
    if not gatherer.dates:
        raise KeyError(device)
    newest = next(key for key, night in gatherer.keys.items() if night == len(gatherer.dates) - 1)
    for stored in history.read("report", device, last):
        gatherer.add_report(stored.key, msgspec.json.decode(stored.body, type=_PastReport))
        if stored.key == newest:
            report_body = stored.body
    explained = [stored.body for stored in history.read("explanations", device, 1) if stored.key == newest]
    baselines = (files.parse(stored.body, Run) for stored in history.read("baseline", device))
    run = files.parse(run_body, Run)
    of = analysis_key(run.device.name, files.collector_of(run.sessions))
    analyses = [stored.body for stored in history.read("analysis", of, 1)]
    kernels, metrics, arrays = gatherer.arrays()
    return Nights(
        device=run.device,
        dates=gatherer.dates,
        sessions=gatherer.sessions,
        kernels=kernels,
        metrics=metrics,
        units=gatherer.units,
        **arrays,
        marks=_marks(gatherer.sessions),
        accepted=_acceptances(baselines, gatherer.dates),
        run=run,
        report=files.parse(report_body, Report) if report_body else None,
        explanations=[e for body in explained for e in files.recognise(body)],  # type: ignore[misc]
        analysis=files.parse(analyses[0], Analysis) if analyses else None,
    )
