"""The data behind the page of the week: which kernels got slower, since which night, and what else changed then.

Where the gate judges a kernel's time, its verdict tonight decides, and the first night of those with that verdict in a
row is when it began. Where it does not, a change point decides. Of a kernel without a time, as on computed nights, it
is the row that the gate calls worse. Like views.py: plain values.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date

import numpy as np

from cugate_reports.extracts import NOT_JUDGED
from cugate_reports.files import Cause, Judgement, Session
from cugate_reports.fleet import evening
from cugate_reports.nights import VERDICTS, WEEK, Nights, environment_changes
from cugate_reports.views import has_time, panels, time_panel

_REGRESSED = VERDICTS.index("regressed")
_NOT_CODE = frozenset({"commit", "gpu_uuid", "host", "collector"})  # facts that are told elsewhere, or explain nothing


@dataclass(frozen=True)
class Slower:
    """A kernel whose time grew, or without a time a row of it that is worse. values are those on the nights of the week
    and on the one before them.
    """

    kernel: str
    metric: str
    unit: str
    is_timed: bool
    before: float
    now: float
    night: int  # index of the first night on which it was slow
    earlier: int | None  # index of the last night before that has its time; None: there is none
    of_gate: bool  # the gate calls it regressed, else a change point says so
    red: int  # nights since then on which the gate called it so
    judged: int  # nights since then on which the gate judged it
    judgement: Judgement | None  # tonight's
    cause: Cause | None
    around: list[tuple[str, str, str]]  # facts that changed on that night, without the commit: fact, before, after
    values: np.ndarray

    @property
    def words(self) -> str:
        """Returns "5.2 % longer" or "8.1 times as long"; of a count "5.2 % more", and "more" than nothing."""
        more, much = ("longer", "long") if self.is_timed else ("more", "much")
        if self.before <= 0:
            return more
        times = self.now / self.before
        if times < 1:
            return f"{100 * (1 - times):.1f} % less"
        if times < 2:
            return f"{100 * (times - 1):.1f} % {more}"
        return f"{times:.1f} times as {much}" if times < 100 else f"{times:,.0f} times as {much}"


@dataclass(frozen=True)
class Week:
    """The nights from `first` on, all within seven days. slower begins with the most lost time a launch."""

    first: int
    days: int  # how many of the last seven days have a night
    of_days: int  # 7, or less in a history that is younger
    slower: list[Slower]
    longer: list[str]  # kernels that the gate calls slower since before this week
    doubt: list[str]  # kernels whose time may have grown, which the gate could not decide
    within: int  # kernels whose level of time moved up by less than what the gate tolerates
    unknown: list[str]  # kernels that have no time tonight, though they had one this week
    judged: bool  # tonight was judged
    timed: bool  # any kernel has a time; else counts are what got worse

    @property
    def verb(self) -> str:
        """Returns what kernels did: "got slower", or "got worse" where that is not known of their time."""
        return "got slower" if self.timed and all(one.is_timed for one in self.slower) else "got worse"


def _day(night: str) -> int:
    return date.fromisoformat(evening(night)).toordinal()


def _began(nights: Nights, kernel: str, column: int) -> int:
    """Returns the first of the nights that end with tonight on all of which the row was regressed, if it was judged."""
    verdicts = nights.over(kernel).verdicts[:, column]
    found = len(verdicts) - 1
    for night in range(found, -1, -1):
        if verdicts[night] == _REGRESSED:
            found = night
        elif verdicts[night] != NOT_JUDGED:
            break
    return found


def _cause(nights: Nights, kernel: str) -> Cause | None:
    """Returns the source line that tonight's report blames first: for the kernel's time, else for anything of it."""
    rows = sorted(nights.judged.get(kernel, []), key=lambda row: row.metric not in ("time", "gpu_time", "wall_time"))
    causes = (cause for row in rows if row.verdict == "regressed" for cause in row.causes or [])
    return next((cause for cause in causes if cause.file), None)


def _slower(nights: Nights, kernel: str, metric: str, night: int, before: float, first: int) -> Slower:
    values = nights.series(kernel, metric)
    known = np.flatnonzero(np.isfinite(values[:night]))
    earlier = int(known[-1]) if len(known) else None
    around = []
    if earlier is not None:
        changes = environment_changes(nights.sessions[earlier], nights.sessions[night])
        around = [change for change in changes if change[0] not in _NOT_CODE]
    verdicts = nights.over(kernel).verdicts[night:, nights.columns[metric]]
    return Slower(
        kernel=kernel,
        metric=metric,
        unit=nights.units.get(metric, ""),
        is_timed=has_time(nights, kernel),
        before=before,
        now=float(values[-1]),
        night=night,
        earlier=earlier,
        of_gate=int(verdicts[-1]) == _REGRESSED,
        red=int((verdicts == _REGRESSED).sum()),
        judged=int((verdicts < VERDICTS.index("info")).sum()),
        judgement=next((row for row in nights.judged.get(kernel, []) if row.metric == metric), None),
        cause=_cause(nights, kernel),
        around=around,
        values=values[max(first - 1, 0) :],
    )


def watched(nights: Nights, kernel: str) -> str:
    """Returns the metric that the week is about: the time, or without one what the gate calls worse tonight, before
    others what the baseline has any of.
    """
    if has_time(nights, kernel):
        return time_panel(nights, kernel).metric
    rows = [row for row in nights.judged.get(kernel, []) if row.verdict == "regressed" and row.metric]
    rows.sort(key=lambda row: not row.base)
    return rows[0].metric if rows else panels(nights, kernel)[0].metric  # type: ignore[return-value]


def worse(nights: Nights, kernel: str, first: int = 0) -> Slower | None:
    """Returns since when a kernel is worse that the gate calls so tonight; its values from before night `first` on."""
    metric = watched(nights, kernel)
    place = nights.place(kernel, metric)
    if place is None or int(nights.verdicts[place]) != _REGRESSED or not math.isfinite(nights.bases[place]):
        return None
    return _slower(nights, kernel, metric, _began(nights, kernel, place[1]), float(nights.bases[place]), first)


def week(nights: Nights) -> Week:
    """Returns what got slower within seven days up to tonight, whatever day that was."""
    days = [_day(night) for night in nights.dates]
    first = next(place for place, day in enumerate(days) if day > days[-1] - WEEK)
    slower: list[Slower] = []
    timed = False
    longer, doubt, unknown, within = [], [], [], 0
    for kernel in nights.kernels:
        metric, is_timed = watched(nights, kernel), has_time(nights, kernel)
        timed |= is_timed
        place = nights.place(kernel, metric)
        if place is None or nights.last_night[kernel] < first:
            continue
        now, base, verdict = float(nights.values[place]), float(nights.bases[place]), int(nights.verdicts[place])
        if not math.isfinite(now):
            if np.isfinite(nights.series(kernel, metric)[first:]).any():
                unknown.append(kernel)
            continue
        moved = [change for change in nights.changes(kernel, metric)[-1:] if change.index >= first]
        if one := worse(nights, kernel, first):
            if one.night < first:
                longer.append(kernel)
            else:
                slower.append(one)
        elif is_timed and moved and moved[0].after > moved[0].before > 0:
            if verdict in (VERDICTS.index("same"), VERDICTS.index("improved")):
                within += 1
            else:
                slower.append(_slower(nights, kernel, metric, moved[0].index, moved[0].before, first))
        elif verdict == VERDICTS.index("unsure") and (now > base or not is_timed):
            doubt.append(kernel)
    slower.sort(key=lambda one: (one.kernel not in nights.programs, not one.is_timed, one.before - one.now, one.kernel))
    of_days = min(WEEK, days[-1] - days[0] + 1)
    judged = nights.report is not None
    return Week(first, len(set(days[first:])), of_days, slower, longer, doubt, within, unknown, judged, timed)


def commits_of(nights: Nights, one: Slower) -> tuple[Session | None, Session]:
    """Returns the sessions between which it got slower, for their commits; None where no earlier night has its time."""
    earlier = None if one.earlier is None else nights.sessions[one.earlier]
    return earlier, nights.sessions[one.night]
