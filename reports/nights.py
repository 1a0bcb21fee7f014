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

from reports import files
from reports.changes import Change, find_changes
from reports.files import Analysis, Explanation, Report, Run, Session
from reports.history import History

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
    """The history of one model of GPU. Arrays have the shape (nights, kernels, metrics); NaN where there is no
    value."""

    device: files.Device
    dates: list[str]
    sessions: list[Session]  # the last one of each night
    kernels: list[str]
    metrics: list[str]
    units: dict[str, str]
    values: np.ndarray
    bases: np.ndarray
    limits: np.ndarray
    verdicts: np.ndarray  # places in VERDICTS, 8 bits
    exit_codes: list[int | None]  # of each night's report; None without one
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

    def verdict_counts(self) -> np.ndarray:
        """How often each of VERDICTS was given in each night; shape (nights, verdicts)."""
        flat = self.verdicts.reshape(len(self.dates), -1)
        return np.stack([(flat == verdict).sum(axis=1) for verdict in range(len(VERDICTS))], axis=1)

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


class _PastReport(Struct):
    exit_code: int
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
        self.judged: dict[int, tuple[int, np.ndarray]] = {}  # by night: exit code; kernel, metric, verdict, base, limit

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
        known = {name: place for place, name in enumerate(VERDICTS)}
        rows = [
            (self.kernels[j.kernel], self.metrics[j.metric], known.get(j.verdict, NOT_JUDGED), j.base, j.limit)
            for j in report.judgements
            if j.metric is not None
        ]
        array = np.array([[math.nan if cell is None else cell for cell in row] for row in rows], dtype=float)
        self.judged[self.keys[key]] = report.exit_code, array.reshape(-1, 5)

    def arrays(self) -> tuple[list[str], list[str], np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Names of kernels and metrics, sorted; values, bases, limits, verdicts."""
        shape = (len(self.dates), len(self.kernels.numbers), len(self.metrics.numbers))
        values, bases, limits = (np.full(shape, math.nan) for _ in range(3))
        verdicts = np.full(shape, NOT_JUDGED, dtype=np.uint8)
        for night, rows in enumerate(self.values):
            values[night, rows[:, 0].astype(int), rows[:, 1].astype(int)] = rows[:, 2]
        for night, (_, rows) in self.judged.items():
            where = night, rows[:, 0].astype(int), rows[:, 1].astype(int)
            verdicts[where], bases[where], limits[where] = rows[:, 2], rows[:, 3], rows[:, 4]
        kernels, kernel_order = self.kernels.order()
        metrics, metric_order = self.metrics.order()
        chosen = np.ix_(np.arange(shape[0]), kernel_order, metric_order)
        return kernels, metrics, values[chosen], bases[chosen], limits[chosen], verdicts[chosen]


def _night_of(date: str, dates: list[str]) -> int:
    """The first night at or after a date; the number of nights when all were before."""
    return int(np.searchsorted(np.array(dates), date))


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
    """When a kernel's baseline gained sessions with a new reason: before which night, and why."""
    accepted: dict[str, list[Mark]] = {}
    for baseline in baselines:
        reasons: dict[str, str] = {}
        for session in sorted(baseline.sessions, key=lambda session: session.date or ""):
            if session.reason is not None and session.date:
                reasons.setdefault(session.reason, session.date)
        for kernel in baseline.kernels:
            marks = [Mark(_night_of(date, dates), "accepted", reason) for reason, date in reasons.items()]
            accepted[kernel] = [mark for mark in marks if mark.night < len(dates)]
    return accepted


def load(history: History, device: str, last: int, progress: Callable[[int], None] = lambda _: None) -> Nights:
    """The last nights of one GPU model (Device.key()); progress is told how many were read. KeyError when there is
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
    analyses = [stored.body for stored in history.read("analysis", run.device.name, 1)]
    kernels, metrics, values, bases, limits, verdicts = gatherer.arrays()
    codes = [gatherer.judged[night][0] if night in gatherer.judged else None for night in range(len(gatherer.dates))]
    return Nights(
        device=run.device,
        dates=gatherer.dates,
        sessions=gatherer.sessions,
        kernels=kernels,
        metrics=metrics,
        units=gatherer.units,
        values=values,
        bases=bases,
        limits=limits,
        verdicts=verdicts,
        exit_codes=codes,
        marks=_marks(gatherer.sessions),
        accepted=_acceptances(baselines, gatherer.dates),
        run=run,
        report=files.parse(report_body, Report) if report_body else None,
        explanations=[e for body in explained for e in files.recognise(body)],  # type: ignore[misc]
        analysis=files.parse(analyses[0], Analysis) if analyses else None,
    )
