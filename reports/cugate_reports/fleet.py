"""Nights of several runners: which runs belong together, and what they show together.

A night of one runner is one run. Runs of several hosts that began between two noons (UTC) are one night with as many
runners. If a runner, identified by host and GPUs, ran twice, the last run counts. Of each value the pages show the
median and the range over runners. Of each verdict they show the worst, so that no runner's red is outvoted.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec
import numpy as np
from msgspec import Struct, field

from cugate_reports import extracts, units
from cugate_reports.extracts import NOT_JUDGED, RED, SUITE, VERDICTS, ReportExtract, RunExtract, place_of
from cugate_reports.files import Judgement, Kernel, Report, Row, Run, Session, is_program

FORM = "3"  # version of a night's row and of pack(); with another one all nights are made again


# ---- Which runs are a night


@dataclass(frozen=True)
class Member:
    """A run of a history and its report: their keys and the hashes of their files."""

    key: str
    date: str
    runner: str  # identifies the runner, see extracts.runner_of
    sha256: str
    report: str | None


def evening(date: str) -> str:
    """Returns the day at whose noon (UTC) the night with this moment begins."""
    return (datetime.fromisoformat(date.replace("Z", "+00:00")) - timedelta(hours=12)).strftime("%Y-%m-%d")


def grouped(members: Sequence[Member]) -> list[list[Member]]:
    """Groups runs into nights, oldest first; within a night they are sorted by date, as members are."""
    evenings: dict[str, list[Member]] = {}
    for member in members:
        evenings.setdefault(evening(member.date), []).append(member)
    nights = []
    for found in evenings.values():
        newest = {member.runner: member for member in found}
        if len({msgspec.json.decode(runner)[0] for runner in newest}) > 1:
            nights.append([member for member in found if newest[member.runner] is member])
        else:
            nights += [[member] for member in found]
    return nights


def stamp(members: Sequence[Member]) -> str:
    """Returns the name of what is made from these files."""
    parts = [FORM, extracts.FORM] + [f"{member.sha256} {member.report}" for member in members]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


# ---- What they say together


class Runner(Struct, kw_only=True):
    """A runner of one night.

    speed: how much longer its kernels took than the median of all runners, as a share, the median over kernels; None
    where none is known. off: it is further from the others than they are from each other. shared: its host has
    another runner too.
    """

    host: str | None
    date: str
    gpu_uuid: str | None = None
    driver: str | None = None
    commit: str | None = None
    measured: int = 0  # number of kernels with a value
    lacks: list[str] = field(default_factory=list)  # kernels that others have a value for
    failed: dict[str, str] = field(default_factory=dict)
    exit_code: int | None = None  # exit code of the runner's report; None: it was not judged
    verdict: str | None = None
    speed: float | None = None
    off: bool = False
    shared: bool = False

    @property
    def name_of_host(self) -> str:
        return self.host or "unknown host"

    @property
    def name(self) -> str:
        gpu = units.gpu(self.gpu_uuid or "unknown GPU")
        return f"{self.name_of_host}, {gpu}" if self.shared else self.name_of_host


class Night(Struct, kw_only=True):
    """A night without its series. session is that of the last run."""

    date: str
    session: Session
    kernels: list[str]
    metrics: list[str]
    units: dict[str, str]
    counts: list[int]  # number of kernels by their worst verdict on any runner
    red: list[str] = field(default_factory=list)  # kernels of which that is one of RED
    runners: list[Runner]


# Ranks verdicts as VERDICTS, the worst first, but "same" on one runner prevails over "improved" on another: two are
# swapped, so it is its own inverse.
_BY_RANK = np.arange(len(VERDICTS), dtype=np.uint8)
_BY_RANK[[VERDICTS.index("improved"), VERDICTS.index("same")]] = VERDICTS.index("same"), VERDICTS.index("improved")


class Table:
    """A night's arrays, kernels by metrics: medians over runners, the worst verdict, the least and the largest value,
    and the number of runners.
    """

    def __init__(self, values: np.ndarray, judged: list[np.ndarray]):
        """values: runners, kernels, metrics; judged: verdicts, bases, limits, drifts of the same shape."""
        self.runners = len(values)
        self.values, self.bases, self.limits, self.drifts = (_median(one) for one in (values, *judged[1:]))
        self.verdicts = _BY_RANK[_BY_RANK[judged[0].astype(np.uint8)].min(axis=0)]
        self.least = np.fmin.reduce(values, axis=0)
        self.most = np.fmax.reduce(values, axis=0)

    def pack(self, row: int) -> bytes:
        """Packs the part of one kernel, for unpack()."""
        arrays = [self.values, self.bases, self.limits, self.drifts]
        if self.runners > 1:
            arrays += [self.least, self.most]
        numbers = b"".join(array[row].astype("<f8").tobytes() for array in arrays)
        return numbers + self.verdicts[row].tobytes()


def _median(stack: np.ndarray) -> np.ndarray:
    """Returns the median over the first axis, ignoring NaN; of one value exactly that value."""
    if len(stack) == 1:
        return stack[0]
    ordered = np.sort(stack, axis=0)  # sorts NaN last
    known = np.isfinite(stack).sum(axis=0)
    middle = np.maximum(known - 1, 0) // 2, np.minimum(known // 2, len(stack) - 1)
    below, above = (np.take_along_axis(ordered, at[None], axis=0)[0] for at in middle)
    return np.where(known % 2 == 1, below, below + (above - below) / 2)


def unpack(bodies: list[bytes], metrics: int) -> tuple[np.ndarray, np.ndarray]:
    """Unpacks numbers, shape (bodies, 6, metrics): value, base, limit, drift, least, most; and indices in VERDICTS. All
    bodies have the same length.
    """
    rows = np.frombuffer(b"".join(bodies), dtype=np.uint8).reshape(len(bodies), -1)
    end = rows.shape[1] - metrics
    numbers = np.ascontiguousarray(rows[:, :end]).view("<f8").reshape(len(bodies), -1, metrics)
    if numbers.shape[1] == 4:  # of one runner, whose value is also the least and the most
        numbers = np.concatenate([numbers, numbers[:, :1], numbers[:, :1]], axis=1)
    return numbers, rows[:, end:]


OFF_SPREADS, OFF_SHARE = 4.0, 0.01  # a runner is off if it exceeds both: so many spreads of the runners, and this share


def _speeds(runners: list[Runner], times: np.ndarray) -> None:
    """times: runners by kernels. The spread is the median distance from the median, scaled to a standard deviation."""
    with np.errstate(all="ignore"):
        shares = times / _median(times) - 1
    for runner, row in zip(runners, shares, strict=True):
        known = row[np.isfinite(row)]
        runner.speed = float(np.median(known)) if len(known) else None
    speeds = np.array([runner.speed for runner in runners if runner.speed is not None])
    if len(speeds) < 3:
        return  # of two runners nobody can tell which one is off
    middle = float(np.median(speeds))
    spread = 1.4826 * float(np.median(np.abs(speeds - middle)))
    for runner in runners:
        if runner.speed is not None:
            runner.off = abs(runner.speed - middle) > max(OFF_SPREADS * spread, OFF_SHARE)


def headline_times(kernels: list[str], metrics: list[str], values: np.ndarray) -> np.ndarray:
    """Returns for each kernel its time, or its wall time, and of a program its GPU time; the last axes of values are
    kernels and metrics.
    """
    times = np.full(values.shape[:-1], math.nan)
    whole = np.array([is_program(kernel) for kernel in kernels], dtype=bool)
    for metric in ("wall_time", "time", "gpu_time"):
        if metric in metrics:
            column = values[..., metrics.index(metric)]
            times = np.where(np.isfinite(column) & (whole | (metric != "gpu_time")), column, times)
    return times


def _spread_out(
    names: tuple[list[str], list[str]], parts: Sequence[RunExtract | ReportExtract | None], place: int, empty: float
) -> np.ndarray:
    """Returns one matrix of each part, over all kernels and metrics; `empty` stands where it has no value."""
    rows, columns = ({name: at for at, name in enumerate(all_names)} for all_names in names)
    stack = np.full((len(parts), len(rows), len(columns)), empty)
    for one, part in zip(stack, parts, strict=True):
        if part is not None:
            where = [rows[name] for name in part.kernels], [columns[name] for name in part.metrics]
            one[np.ix_(*where)] = part.matrices[place]
    return stack


def combine(
    members: Sequence[Member], runs: Sequence[RunExtract], reports: Sequence[ReportExtract | None]
) -> tuple[Night, Table]:
    """Combines the files of a night's members."""
    parts = [*runs, *(report for report in reports if report is not None)]
    names = (
        sorted({name for part in parts for name in part.kernels}),
        sorted({name for part in parts for name in part.metrics}),
    )
    extracts.expect_table(*names)
    values = _spread_out(names, runs, 0, math.nan)
    judged = [_spread_out(names, reports, place, NOT_JUDGED if not place else math.nan) for place in range(4)]
    # what was not computed again has the baseline's value: see extracts.of_report
    again = np.isnan(values) & (judged[0] == VERDICTS.index("info"))
    values[again] = judged[1][again]
    runners = [
        Runner(
            host=run.session.host,
            date=member.date,
            gpu_uuid=run.session.gpu_uuid,
            driver=run.session.driver,
            commit=run.session.commit,
            measured=int(known.sum()),
            lacks=[name for name, has, any_has in zip(names[0], known, anywhere, strict=True) if any_has and not has],
            failed=run.failed,
            exit_code=report.exit_code if report else None,
            verdict=report.verdict if report else None,
        )
        for member, run, report, known, anywhere in zip(members, runs, reports, *_known(values), strict=True)
    ]
    beside = Counter(runner.host for runner in runners)
    for runner in runners:
        runner.shared = beside[runner.host] > 1
    _speeds(runners, headline_times(*names, values))
    table = Table(values, judged)
    units: dict[str, str] = {}
    for run in runs:
        units.update(run.units)
    worst = _worst(names[0], table, reports)
    counts = Counter(worst.values())
    last = max(range(len(members)), key=lambda place: members[place].date)
    night = Night(
        date=members[last].date,
        session=runs[last].session,
        kernels=names[0],
        metrics=names[1],
        units=units,
        counts=[counts[verdict] for verdict in range(NOT_JUDGED)] + [0],
        red=sorted(kernel for kernel, verdict in worst.items() if VERDICTS[verdict] in RED),
        runners=runners,
    )
    return night, table


def _worst(kernels: list[str], table: Table, reports: Sequence[ReportExtract | None]) -> dict[str, int]:
    """Returns the worst verdict on each kernel, as an index in VERDICTS."""
    rows = table.verdicts.min(axis=1, initial=NOT_JUDGED) if table.verdicts.size else [NOT_JUDGED] * len(kernels)
    worst = dict(zip(kernels, map(int, rows), strict=True))
    whole = [(j.kernel, place_of(j.verdict)) for j in whole_kernels(reports) if j.kernel != SUITE]
    failed = [(failure.kernel, place_of("missing")) for report in reports if report for failure in report.failures]
    for kernel, verdict in (*whole, *failed):
        worst[kernel] = min(verdict, worst.get(kernel, NOT_JUDGED))
    return worst


def _known(values: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
    """Returns for each runner which kernels have a value; and for each runner which kernels have one on any."""
    known = np.isfinite(values).any(axis=2)
    return known, [known.any(axis=0)] * len(known)


# ---- Tonight's report of several runners


def whole_kernels(reports: Sequence[ReportExtract | None]) -> list[Judgement]:
    """Returns judgements of whole kernels, and of all together: of each the worst of any runner."""
    worst: dict[tuple[str, str | None], Judgement] = {}
    for report in reports:
        for j in report.told if report else []:
            if j.metric is None or j.kernel == SUITE:
                have = worst.get((j.kernel, j.metric))
                if have is None or place_of(j.verdict) < place_of(have.verdict):
                    worst[j.kernel, j.metric] = j
    return list(worst.values())


_GRAVEST = (5, 1, 4, 3, 0)  # exit codes, the gravest first; an unknown one is graver than all


def _gravity(report: ReportExtract) -> int:
    return _GRAVEST.index(report.exit_code) if report.exit_code in _GRAVEST else -1


def listed(names: Sequence[str], most: int = 8) -> str:
    """Returns "a, b, c and 4 more"."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def merged_report(
    night: Night, table: Table, newest: Report | None, reports: Sequence[ReportExtract | None], run: Run
) -> Report | None:
    """Merges tonight's reports: the newest one, with medians as numbers. Each row is as on the worst runner, which its
    reason names. None where no runner's run was judged.
    """
    known = [(runner.name, report) for runner, report in zip(night.runners, reports, strict=True) if report]
    if not known:
        return None
    worst: dict[tuple[str, str | None], tuple[Judgement, list[str]]] = {}
    for host, report in known:
        for j in report.told:
            have = worst.get((j.kernel, j.metric))
            if have is None or place_of(j.verdict) < place_of(have[0].verdict):
                worst[j.kernel, j.metric] = (j, [host])
            elif j.verdict == have[0].verdict:
                have[1].append(host)
    rows: dict[tuple[str, str | None], Judgement] = {
        (j.kernel, j.metric): j for j in (newest.judgements if newest else [])
    }
    for key, (j, hosts) in worst.items():
        where = f"{j.verdict} on {len(hosts)} of {len(night.runners)} runners: {listed(hosts, 3)}"
        rows[key] = msgspec.structs.replace(j, reason=f"{j.reason}; {where}" if j.reason else where)
    _take_medians(night, table, rows)
    gravest = min((report for _, report in known), key=_gravity)
    failures = [
        msgspec.structs.replace(failure, reason=f"{failure.reason or 'unknown reason'} (on {host})")
        for host, report in known
        for failure in report.failures
    ]
    notes = [note if len(known) == 1 else f"{host}: {note}" for host, report in known for note in report.notes]
    suites = [suite for _, report in known for suite in report.suites if suite.moved]
    replay = next((report.replay for _, report in known if report.replay), None)
    return Report(
        schema=1,
        exit_code=gravest.exit_code,
        verdict=gravest.verdict,
        replay=replay,
        device=run.device,
        sessions=run.sessions,
        counts={"kernels": len(night.kernels)},
        notes=list(dict.fromkeys(notes)),
        suites=suites,
        upgrade=newest.upgrade if newest else None,
        failures=failures,
        judgements=list(rows.values()),
    )


def _take_medians(night: Night, table: Table, rows: dict[tuple[str, str | None], Judgement]) -> None:
    """Sets the rows' numbers to medians, and adds rows that only other runners judged."""
    lines = {name: place for place, name in enumerate(night.kernels)}
    columns = {name: place for place, name in enumerate(night.metrics)}
    for row, column in np.argwhere(table.verdicts != NOT_JUDGED):
        key = night.kernels[row], night.metrics[column]
        verdict = VERDICTS[table.verdicts[row, column]]
        if key not in rows:
            rows[key] = Judgement(kernel=key[0], metric=key[1], unit=night.units.get(key[1]), verdict=verdict)

    def number(array: np.ndarray, j: Judgement) -> float | None:
        value = float(array[lines[j.kernel], columns[j.metric]])  # type: ignore[index]
        return value if math.isfinite(value) else None

    for key, j in rows.items():
        if j.kernel not in lines or j.metric not in columns:
            continue
        if j.verdict in ("regressed", "missing", "unexpected-pass", "unsure"):
            continue  # keep that runner's numbers: a median would hide the reason
        base, now, limit, drift = (number(a, j) for a in (table.bases, table.values, table.limits, table.drifts))
        change = now - base if now is not None and base is not None else None
        place = int(table.verdicts[lines[j.kernel], columns[j.metric]])  # type: ignore[index]
        verdict = j.verdict if place == NOT_JUDGED else VERDICTS[place]
        numbers = {"base": base, "now": now, "change": change, "limit": limit, "drift": drift}
        rows[key] = msgspec.structs.replace(j, verdict=verdict, **numbers)


def merged_run(night: Night, table: Table, newest: Run) -> Run:
    """Merges tonight's runs: every kernel that any runner measured, with medians."""
    kernels = {}
    for place, name in enumerate(night.kernels):
        values = dict(zip(night.metrics, table.values[place].tolist(), strict=True))
        rows = {metric: Row(sessions=[[value]]) for metric, value in values.items() if math.isfinite(value)}
        why = next((runner.failed[name] for runner in night.runners if name in runner.failed), None)
        have = newest.kernels.get(name)
        if not rows and have is None and why is None:
            continue  # the kernel was judged, but is in no run
        states = {metric: row for metric, row in (have.metrics if have else {}).items() if row.state}
        status, _, reason = (why or "ok").partition(": ") if not rows else ("ok", "", "")
        kernels[name] = Kernel(status=status, reason=reason or None, metrics={**states, **rows})
    return msgspec.structs.replace(newest, kernels=kernels)
