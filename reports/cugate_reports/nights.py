"""What the pages show, read from a history: tonight's files and arrays, and of the past one kernel at a time.

So memory grows neither with nights nor with runners. A night is one run, or the runs of several runners (fleet.py).
Verdicts, bases and limits are those in that night's report; nothing is judged here.
"""

from __future__ import annotations

import math
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, timezone
from functools import cached_property
from pathlib import Path

import numpy as np

from cugate_reports import files, fleet, processes, series
from cugate_reports.changes import Change, find_changes
from cugate_reports.extracts import NOT_JUDGED, RED, SUITE, VERDICTS, RunExtract  # noqa: F401 - the pages' own words
from cugate_reports.files import Analysis, Explanation, Judgement, Report, Run, Session
from cugate_reports.fleet import Member, Night, Runner
from cugate_reports.history import History, HistoryError, analysis_key
from cugate_reports.states import State

# Facts of a session whose change may explain a step, in the order of mention.
ENVIRONMENT = ("driver", "cuda", "cupti", "compiler", "flags", "collector", "cugate", "gpu_uuid", "host", "commit")
MARKED = ("driver", "cuda", "cupti", "compiler", "flags", "gpu_uuid")  # facts whose changes plots mark

RECENT = 10  # nights: a change point among the last of them is news, since small steps are found that late


@dataclass(frozen=True)
class Mark:
    """Something that happened before a night: fact is one of MARKED or "accepted"; text says what."""

    night: int
    fact: str
    text: str


@dataclass(frozen=True)
class Absent:
    """The runners of a host that measured on most nights of a week, but not tonight."""

    host: str
    count: int
    of: int  # number of runners of the host
    date: str  # date of the last night on which the host had as many runners

    @property
    def name(self) -> str:
        return self.host if self.of == 1 else f"{self.count} of the {self.of} runners of {self.host}"


@dataclass
class Nights:
    """The history of one model of GPU by one collector. Arrays are tonight's, of the shape (kernels, metrics), and NaN
    where there is no value."""

    device: files.Device
    dates: list[str]
    sessions: list[Session]  # the last session of each night
    kernels: list[str]
    metrics: list[str]
    units: dict[str, str]
    values: np.ndarray
    bases: np.ndarray
    limits: np.ndarray
    drifts: np.ndarray  # the part of the change that all kernels share, which the gate subtracts first
    verdicts: np.ndarray  # indices in VERDICTS, 8 bits
    counts: np.ndarray  # kernels by their worst verdict; shape (nights, verdicts)
    red: list[list[str]]  # kernels that are red, for each night
    states: list[State | None]  # what was said of each night itself
    keys: list[str]  # key of each night's last run
    marks: list[Mark]  # what happened before nights, for all kernels
    accepted: dict[str, list[Mark]]  # acceptances of each kernel
    run: Run  # tonight's run
    report: Report | None
    explanations: list[Explanation]
    analysis: Analysis | None
    runners: list[Runner]  # tonight's runners; one, except in a fleet
    absent: list[Absent]
    gaps: list[str]  # days among these nights, and since, on which no runner of a fleet measured
    times: np.ndarray  # tonight's times of each runner, shape (runners, kernels)
    stamps: list[str]  # for each night a hash of what it was made from
    first_night: dict[str, int]  # for each kernel the first night that has it
    last_night: dict[str, int]  # and the last one
    reader: Callable[[str], series.Kernel]
    _changes: dict[tuple[int, int], list[Change]] = field(default_factory=dict)
    _timed: dict[str, str | None] = field(default_factory=dict)
    _steps: np.ndarray | None = None
    _one: tuple[str, series.Kernel] | None = None

    @cached_property
    def rows(self) -> dict[str, int]:
        return {kernel: place for place, kernel in enumerate(self.kernels)}

    @cached_property
    def columns(self) -> dict[str, int]:
        return {metric: place for place, metric in enumerate(self.metrics)}

    @cached_property
    def programs(self) -> frozenset[str]:
        """Returns those of `kernels` that are a program as a whole."""
        by_exec = self.sessions[-1].collector == files.PROGRAM
        return frozenset(kernel for kernel in self.kernels if by_exec and files.is_program(kernel))

    @cached_property
    def judged(self) -> dict[str, list[Judgement]]:
        """Returns tonight's judgements by kernel, in the order of the report."""
        found: dict[str, list[Judgement]] = {}
        for judgement in self.report.judgements if self.report else []:
            found.setdefault(judgement.kernel, []).append(judgement)
        return found

    @property
    def unmeasured(self) -> str | None:
        """Returns what the numbers are if nothing ran on a GPU."""
        return files.UNMEASURED.get(self.sessions[-1].collector or "")

    @property
    def is_fleet(self) -> bool:
        """Whether there is more than one runner."""
        return len(self.runners) + len(self.absent) > 1

    def place(self, kernel: str, metric: str) -> tuple[int, int] | None:
        """Returns the indices of a kernel and a metric in the arrays; None when either is unknown."""
        try:
            return self.rows[kernel], self.columns[metric]
        except KeyError:
            return None

    def over(self, kernel: str) -> series.Kernel:
        """Returns one of `kernels` over all nights. Only the last one stays in memory."""
        if self._one is None or self._one[0] != kernel:
            self._one = kernel, self.reader(kernel)
        return self._one[1]

    def series(self, kernel: str, metric: str) -> np.ndarray:
        """Returns one value for each night."""
        place = self.place(kernel, metric)
        return np.full(len(self.dates), math.nan) if place is None else self.over(kernel).values[:, place[1]]

    def tonight(self, kernel: str, metric: str) -> float:
        place = self.place(kernel, metric)
        return math.nan if place is None else float(self.values[place])

    def changes(self, kernel: str, metric: str) -> list[Change]:
        """Returns the change points of a series; they are computed once."""
        place = self.place(kernel, metric)
        if place is None:
            return []
        if place not in self._changes:
            self._changes[place] = find_changes(self.series(kernel, metric))
        return self._changes[place]

    def time_metric(self, kernel: str) -> str | None:
        """Returns which metric is the kernel's time, computed once: of a program that of all launches, and transfers
        have wall time only. None where no night has any, as computed ones.
        """
        if kernel not in self._timed:
            names = ("gpu_time", "time", "wall_time")[kernel not in self.programs :]
            known = (name for name in names if np.isfinite(self.series(kernel, name)).any())
            self._timed[kernel] = next(known, None)
        return self._timed[kernel]

    @cached_property
    def trend_metric(self) -> str | None:
        """Returns what trend() is of: the GPU's time where any night has that, else the host's, else instructions."""
        order = ("gpu_time", "time") if self.programs else ("time", "wall_time", "instructions")
        return next((metric for metric in order if metric in self.columns), None)

    def trend(self) -> np.ndarray:
        """Returns for each night the trend_metric of all kernels against their first night, as the geometric mean over
        kernels, or over programs where there are any. A kernel that comes or goes moves nothing. NaN where nothing is
        known.
        """
        if self._steps is None:
            self._steps = self._steps_of(self.kernels)
        with np.errstate(all="ignore"):
            steps = self._steps[0] / self._steps[1]
        known = np.isfinite(steps)
        found = np.exp(np.cumsum(np.where(known, steps, 0.0)))
        found[~known] = math.nan
        return found

    def _steps_of(self, kernels: Iterable[str]) -> np.ndarray:
        """Returns for each night the sum of the logarithms of the steps from the night before that has the kernel, and
        the number of kernels; the first night of a kernel is a step of 0.
        """
        found = np.zeros((2, len(self.dates)))
        metric = self.trend_metric
        for kernel in kernels:
            if metric is None or (self.programs and kernel not in self.programs):
                continue
            values = self.series(kernel, metric)
            known = np.flatnonzero(np.isfinite(values) & (values > 0))
            logs = np.log(values[known])
            found[:, known] += np.diff(logs, prepend=logs[:1]), np.ones(len(known))
        return found

    def find_all(self, metrics: Iterable[str], progress: Callable[[int], object]) -> None:
        """Computes changes(), time_metric() and trend() of all kernels, on all processors."""
        wanted = list(metrics)
        parts = [self.kernels[place : place + 50] for place in range(0, len(self.kernels), 50)]

        def find(kernels: list[str]) -> tuple[list[str | None], list[list[list[Change]]], np.ndarray]:
            timed, changes, steps = [], [], np.zeros((2, len(self.dates)))
            for kernel in kernels:
                timed.append(self.time_metric(kernel))
                changes.append([self.changes(kernel, metric) for metric in wanted])
                steps += self._steps_of([kernel])
            return timed, changes, steps

        found = processes.spread(parts, find, lambda count: progress(count * 50))
        self._steps = sum((steps for _, _, steps in found), np.zeros((2, len(self.dates))))
        for kernels, (timed, changes, _) in zip(parts, found, strict=True):
            self._timed.update(zip(kernels, timed, strict=True))
            for kernel, of_kernel in zip(kernels, changes, strict=True):
                for metric, one in zip(wanted, of_kernel, strict=True):
                    if place := self.place(kernel, metric):
                        self._changes[place] = one

    def worst_verdict(self, kernel: str) -> str:
        """Returns the worst verdict tonight on a kernel's metrics and on the kernel as a whole: one that crashed is
        missing.
        """
        judged = int(self.verdicts[self.rows[kernel]].min()) if self.metrics else NOT_JUDGED
        whole = [j.verdict for j in self.judged.get(kernel, []) if not j.metric]
        return VERDICTS[min([judged, *(VERDICTS.index(verdict) for verdict in whole if verdict in VERDICTS)])]


# ---- Reading a history -----------------------------------------------------------------------------------------------


def environment_changes(before: Session, after: Session) -> list[tuple[str, str, str]]:
    """Returns the facts that differ as (fact, before, after), in the order of ENVIRONMENT; unknown facts do not
    differ.
    """
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
    """Returns before which night a kernel's baseline gained sessions, and for which reason.

    A baseline keeps when its sessions were measured, not when they were accepted. That was after the last session
    with the same reason.
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


WEEK, MONTH = 7, 30  # nights: how many show which runners are usual, and for how many an absent one is named


def _absent(nights: list[Night]) -> list[Absent]:
    """Returns for each host the runners that are absent tonight.

    They were there on more than half of the nights of a week. The week ends with the last night on which the host
    had more runners than tonight, and at least two of its nights were a fleet's.
    """
    by_night = [Counter(runner.name_of_host for runner in night.runners) for night in nights]
    tonight, found = by_night.pop(), []
    for host in set().union(*by_night[-MONTH:]):
        last = max((place for place, there in enumerate(by_night) if there[host] > tonight[host]), default=-1)
        week = slice(max(0, last + 1 - WEEK), last + 1)
        if last < len(by_night) - MONTH or sum(len(night.runners) > 1 for night in nights[week]) < 2:
            continue
        usual = sorted((there[host] for there in by_night[week]), reverse=True)[len(by_night[week]) // 2]
        if usual > tonight[host]:
            date = max(runner.date for runner in nights[last].runners if runner.name_of_host == host)
            found.append(Absent(host, usual - tonight[host], usual, date))
    return sorted(found, key=lambda absent: absent.host)


def _gaps(nights: list[Night]) -> list[str]:
    """Returns the days on which no runner of a fleet measured, from its first night until yesterday."""
    fleets = [night for night in nights if len(night.runners) > 1]
    if not fleets:
        return []
    have = {fleet.evening(night.date) for night in nights}
    day, found = date.fromisoformat(fleet.evening(fleets[0].date)), []
    yesterday = fleet.evening((datetime.now(timezone.utc) - timedelta(days=1)).isoformat())
    while day.isoformat() <= yesterday:
        if day.isoformat() not in have:
            found.append(day.isoformat())
        day += timedelta(days=1)
    return found


def _cache(history: History, folder: Path) -> History:
    """Returns where nights are stored: in the history, or in a temporary file if this user may only read the
    history.
    """
    try:
        history.prepare()
        return history
    except HistoryError:
        history.devices()  # which reports what is wrong, if there is more
        return History(str(folder / "nights.db"))


class Loader:
    """Reads from a history what the pages need. Use it as a context manager, which has to outlive its Nights."""

    def __init__(self, history: History, progress: Callable[[str], None] = lambda _: None):
        self._history, self._progress = history, progress
        self._folder = tempfile.TemporaryDirectory(prefix="cugate-report-")
        self._cache = _cache(history, Path(self._folder.name))

    def __enter__(self) -> Loader:
        return self

    def __exit__(self, *_: object) -> None:
        if self._cache is not self._history:
            self._cache.__exit__()
        self._folder.cleanup()

    def _numbered(self, groups: list[list[Member]]) -> list[int]:
        """Returns the numbers of these nights. Nights that are not stored yet are made, one by one."""
        stamps = [fleet.stamp(group) for group in groups]
        have = series.known(self._cache, stamps)
        new = [group for group, stamp in zip(groups, stamps, strict=True) if stamp not in have]
        if new:
            make = lambda group: series.make(self._history, self._cache, group)  # noqa: E731
            processes.spread(new, make, lambda count: self._progress(f"reading night {count}"))
            have = series.known(self._cache, stamps)
        if len(have) < len(set(stamps)):
            raise HistoryError(f"the history {self._history.name} was pruned while it was read: run this again")
        return [have[stamp] for stamp in stamps]

    def load(self, device: str, last: int) -> Nights:
        """Reads the last nights of one GPU model (files.model_key). KeyError when there is none."""
        told = lambda count: self._progress(f"reading run {count}")  # noqa: E731
        groups = fleet.grouped(self._history.members(device, self._cache, told))[-last:]
        if not groups:
            raise KeyError(device)
        numbers = self._numbered(groups)
        known = _Known()
        for number in numbers:
            known.add(series.night(self._cache, number))
        return self._nights(device, groups, numbers, known)

    def _nights(self, device: str, groups: list[list[Member]], numbers: list[int], known: _Known) -> Nights:
        members, history = groups[-1], self._history
        kernels, metrics = sorted(known.last_night), sorted(known.metrics)
        columns = {metric: place for place, metric in enumerate(metrics)}
        alike: dict[tuple[str, ...], np.ndarray] = {}
        of_night = []
        for one in known.nights:
            where = np.array([columns[metric] for metric in one.metrics], dtype=int)
            of_night.append(alike.setdefault(tuple(one.metrics), where))
        places = {number: place for place, number in enumerate(numbers)}

        def read(kernel: str) -> series.Kernel:
            found, count = series.read(self._cache, kernel, places, of_night, len(metrics))
            if count != known.count[kernel]:
                raise HistoryError(f"the history {history.name} was pruned while it was read: run this again")
            return found

        runs, reports = series.extracted(history, self._cache, members)
        night, table = fleet.combine(members, runs, reports)
        newest = max(members, key=lambda member: member.date)
        run = files.parse(history.body("run", newest.key), Run)
        report = files.parse(history.body("report", newest.key), Report) if newest.report else None
        if len(members) > 1:
            run, report = fleet.merged_run(night, table, run), fleet.merged_report(night, table, report, reports, run)
        keys = {member.key for member in members}
        explained = [s.body for s in history.read("explanations", device, len(members)) if s.key in keys][-1:]
        dates = [one.date for one in known.nights]
        sessions = [one.session for one in known.nights]
        baselines = (files.parse(stored.body, Run) for stored in history.read("baseline", device))
        said = {stored.key: files.parse(stored.body, State) for stored in history.read("state", device)}
        of = analysis_key(run.device.name, files.collector_of(run.sessions))
        analyses = [stored.body for stored in history.read("analysis", of, 1)]
        return Nights(
            device=run.device,
            dates=dates,
            sessions=sessions,
            kernels=kernels,
            metrics=metrics,
            units=known.units,
            **_tonight(night, table, kernels, metrics),
            counts=np.array([one.counts for one in known.nights], dtype=float),
            red=[one.red for one in known.nights],
            states=[next((said[m.key] for m in group if m.key in said), None) for group in groups],
            keys=[max(group, key=lambda member: member.date).key for group in groups],
            marks=_marks(sessions),
            accepted=_acceptances(baselines, dates),
            run=run,
            report=report,
            explanations=[e for body in explained for e in files.recognise(body)],  # type: ignore[misc]
            analysis=files.parse(analyses[0], Analysis) if analyses else None,
            runners=night.runners,
            absent=_absent(known.nights),
            gaps=_gaps(known.nights),
            times=_times(night, runs, kernels),
            stamps=[fleet.stamp(group) for group in groups],
            first_night=known.first_night,
            last_night=known.last_night,
            reader=read,
        )


class _Known:
    """Collects what the nights' rows have in common, without keeping each night's names of kernels."""

    def __init__(self) -> None:
        self.nights: list[Night] = []
        self.first_night: dict[str, int] = {}
        self.last_night: dict[str, int] = {}
        self.count: Counter[str] = Counter()
        self.metrics: set[str] = set()
        self.units: dict[str, str] = {}

    def add(self, night: Night) -> None:
        self.first_night = {**dict.fromkeys(night.kernels, len(self.nights)), **self.first_night}
        self.last_night.update(dict.fromkeys(night.kernels, len(self.nights)))
        self.count.update(night.kernels)
        self.metrics.update(night.metrics)
        self.units.update(night.units)
        night.kernels = []
        for runner in night.runners:
            runner.lacks, runner.failed = [], {}
        self.nights.append(night)


def _tonight(night: Night, table: fleet.Table, kernels: list[str], metrics: list[str]) -> dict[str, np.ndarray]:
    """Returns tonight's arrays over the kernels and metrics of all nights."""
    shape = len(kernels), len(metrics)
    rows, columns = ({name: at for at, name in enumerate(names)} for names in (kernels, metrics))
    where = np.ix_([rows[name] for name in night.kernels], [columns[name] for name in night.metrics])
    found = {name: np.full(shape, math.nan) for name in ("values", "bases", "limits", "drifts")}
    found["verdicts"] = np.full(shape, NOT_JUDGED, dtype=np.uint8)
    if night.kernels and night.metrics:
        for name, array in found.items():
            array[where] = getattr(table, name)
    return found


def _times(night: Night, runs: list[RunExtract], kernels: list[str]) -> np.ndarray:
    """Returns tonight's time of each kernel and runner, in the order of night.runners."""
    rows, times = {name: at for at, name in enumerate(kernels)}, np.full((len(runs), len(kernels)), math.nan)
    for one, run in zip(times, runs, strict=True):
        one[[rows[name] for name in run.kernels]] = fleet.headline_times(run.kernels, run.metrics, run.values)
    return times
